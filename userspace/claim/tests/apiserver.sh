# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by the tests of kuid-claim, which source this after cluster.sh: an API server of Kubernetes on
# loopback, which keeps its objects in the members of etcd, and what can happen to it. It has the
# manifest of userspace/kubernetes, so claimers may do what that allows. Needs KUBERNETES from the
# environment, a directory with kube-apiserver and kubectl, as selftests/vm/kubernetes.sh makes it.

# shellcheck disable=SC2154 # by tap.sh
api=$work/api
manifest=${0%/*}/../../kubernetes/kuid-claim.yaml
namespace=kuid-claim
# shellcheck disable=SC2046 # words
set -- $(free_ports 2)
# shellcheck disable=SC2034 # by those that source this
api_port=$1 lossy_api_port=$2

# api_url [PORT]
api_url()
{
	echo "kubernetes://127.0.0.1:${1:-$api_port}/$namespace"
}

api_is_ready()
{
	kubectl get --raw /readyz >"$api/ready" 2>&1
}

# start_api [OPTION...]
# shellcheck disable=SC2120 # claim.sh passes some
start_api()
{
	"$KUBERNETES/kube-apiserver" --etcd-servers "$(member_urls)" --bind-address 127.0.0.1 \
		--secure-port "$api_port" --insecure-port 0 --endpoint-reconciler-type none \
		--tls-cert-file "$work/server.pem" --tls-private-key-file "$work/server.key" \
		--token-auth-file "$api/tokens" --authorization-mode RBAC --service-cluster-ip-range 10.0.0.0/24 \
		--service-account-issuer kubernetes --service-account-key-file "$work/client.key" \
		--service-account-signing-key-file "$work/client.key" --allow-privileged \
		--storage-media-type application/json --etcd-compaction-interval 0 "$@" >>"$api/log" 2>&1 &
	echo $! >"$api/pid"
	eventually api_is_ready
}

signal_api()
{
	kill "-$1" "$(cat "$api/pid")"
}

kill_api()
{
	signal_api KILL
	wait "$(cat "$api/pid")"
	rm "$api/pid"
}

end_api()
{
	[ ! -e "$api/pid" ] || kill_api
}
trap 'end_api 2>/dev/null; end_server 2>/dev/null; end_all' EXIT

# account_token NAME: a token of a service account, as a pod has it.
account_token()
{
	echo '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}' |
		kubectl create -f - --raw "/api/v1/namespaces/$namespace/serviceaccounts/$1/token" |
		sed 's/.*"token":"\([^"]*\)".*/\1/'
}

# kubectl is an administrator's from now on. The namespace and what is in it are as the guide says.
make_api()
{
	mkdir "$api" && echo 'admin,admin,admin,system:masters' >"$api/tokens" || return
	export HOME="$api" KUBECONFIG="$api/config" PATH="$KUBERNETES:$PATH"
	cat >"$KUBECONFIG" <<-EOF
		{"apiVersion": "v1", "kind": "Config", "current-context": "test",
		"clusters": [{"name": "test", "cluster": {
			"server": "https://127.0.0.1:$api_port", "certificate-authority": "$work/ca.pem"}}],
		"users": [{"name": "admin", "user": {"token": "admin"}}],
		"contexts": [{"name": "test", "context": {
			"cluster": "test", "user": "admin", "namespace": "$namespace"}}]}
	EOF
	start_api && kubectl create namespace "$namespace" && kubectl apply -f "$manifest" &&
		account_token kuid-claim >"$work/token" && [ -s "$work/token" ]
}
