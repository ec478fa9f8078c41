#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds Kubernetes' API server and kubectl from Debian's source, as Debian has no package of the
# server, and prints the directory that holds kube-apiserver and kubectl:   kubernetes.sh
# It is kept beside the source from fetch.sh tree-kubernetes, and is built again when the source
# changes. Needs 6 GB while it builds, and no root.

set -euo pipefail

# shellcheck source=SCRIPTDIR/cached.sh
. "$(dirname "$0")/cached.sh"
takes "" "$@"
tree=$("$here/fetch.sh" tree-kubernetes)
cache=$(dirname "$tree")
result=$cache/kubernetes
key=$(<"$tree/version")

begin_result .lock.kubernetes .build.kubernetes
go=$("$here/fetch.sh" go-1.19)
name=k8s.io/kubernetes source=$tmp/src/k8s.io/kubernetes
mkdir -p "$source"

say "unpacking the source of Kubernetes $(<"$tree/version")"
tar -xzf "$tree/kubernetes.tar.gz" -C "$source" --strip-components=1
# The one in the tree crashes in programs that were compiled by Go 1.18 or later.
rm -r "$source/vendor/github.com/modern-go/reflect2"
cp -r "$go/usr/share/gocode/src/github.com/modern-go/reflect2" "$source/vendor/github.com/modern-go"

# run COMMAND...: in the tree, with the compiler, which is to ask nobody for modules.
run()
{
	logged env -C "$source" -i PATH="$go/usr/lib/go-1.19/bin:$PATH" HOME="$tmp" GOROOT="$go/usr/lib/go-1.19" \
		GOPATH="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off GOFLAGS= CGO_ENABLED=0 "$@"
}

# The server does not compile without this file, and the source has not got it.
describe_api()
{
	local packages

	packages=$(cd "$source" && grep -rl --include='*.go' '+k8s:openapi-gen=true' cmd pkg plugin staging/src/k8s.io |
		xargs dirname | sort -u | sed "s,^staging/src/,$name/vendor/,; t; s,^,$name/," | paste -sd,)
	run go build -o "$tmp/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
	run "$tmp/openapi-gen" --input-dirs "$packages" --output-package "$name/pkg/generated/openapi" \
		--output-file-base zz_generated.openapi --go-header-file hack/boilerplate/boilerplate.generatego.txt \
		--report-filename "$tmp/violations"
}

say "building kube-apiserver and kubectl, which takes some minutes"
describe_api
for program in kube-apiserver kubectl; do
	run go build -ldflags "-s -w" -o "$new/$program" "./cmd/$program"
done
end_result
