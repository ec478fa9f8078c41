#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the packages for a purpose on this Debian 12 machine:   setup.sh [NEED...]
#   build  compile library, tool and module           headers  of the running kernel
#   boot   fetch kernels, run tests in a machine
#   kselftest  install the tests as the kernel does    style  check the sources
#   test   run those of library and tool, for 32 bits and with other compilers, too
#   kernel build a kernel                             cross  compile and run for arm64 and s390x
#   kernels  compile the module for ppc64el, too       images  build images of containers
#   install  build packages, install them in a root of their own
#   proofs  run the provers that Debian 12 has
#   coverage  measure which lines run                 picture  draw pictures and plots
#   claim  compile kuid-claim and test it with etcd and PostgreSQL, services that Debian starts once
#          they are installed
#   languages  run the examples in all their languages (1 GB)
#   peers  measure generators of other languages beside kuid
#   erlang  build and check the Erlang application
#   go  the Go module                          java  the Java package
#   node  the package for Node.js              python  the Python package
#   rust  the crate                            rpm  RPM packages
# All of them but headers, kernels, images, languages, peers, rpm and those of one language if none is named.
# If nothing is missing, it prints nothing and changes nothing.

set -euo pipefail

declare -A packages=(
	[build]="gcc make libc6-dev libjansson-dev"
	[headers]="linux-headers-$(uname -r)"
	[boot]="qemu-system-x86 busybox-static cpio pahole xz-utils debian-archive-keyring"
	[kselftest]="rsync libcmocka-dev uuid-dev liburing-dev perl-base python3"
	[test]="bsdextrautils clang libclang-rt-14-dev perl python3 libc6-dev-i386 lib32gcc-12-dev pkg-config g++ valgrind musl-tools sqlite3 libsqlite3-dev zsh fish prometheus"
	[style]="abigail-tools checkpolicy semodule-utils sparse shellcheck codespell clang-format perl git dwarves g++ clang mandoc man-db cppcheck lld llvm coccinelle libcurl4-gnutls-dev libpq-dev"
	[install]="debhelper dh-dkms dpkg-dev e2fsprogs fakeroot libcmocka-dev libcurl4-gnutls-dev libpq-dev libsqlite3-dev lintian mmdebstrap openssl pkg-config postgresql-server-dev-all python3 sqlite3 uuid-dev valgrind"
	[claim]="gcc make libc6-dev libjansson-dev libcurl4-gnutls-dev libpq-dev etcd-server etcd-client postgresql procps python3 openssl"
	[proofs]="gcc libc6-dev spin xz-utils"
	[coverage]="lcov gcc"
	[picture]="graphviz gnuplot-nox"
	[erlang]="erlang-base erlang-crypto erlang-dialyzer erlang-edoc erlang-eunit make rebar3"
	[go]="gcc golang-go golang-github-google-uuid-dev golang-github-mattn-go-sqlite3-dev golang-honnef-go-tools-dev libc6-dev libsqlite3-dev make"
	[java]="default-jdk-headless junit4 libhibernate3-java libhsqldb-java libjavassist-java make maven util-linux"
	[languages]="g++ golang-go rustc default-jdk-headless erlang-base nodejs perl python3"
	[python]="gcc make libc6-dev python3-build python3-dev python3-django python3-setuptools python3-wheel mypy rsync"
	[peers]="cargo librust-uuid-dev golang-go nodejs python3"
	[node]="gcc make libc6-dev nodejs node-typescript"
	[rpm]="libcurl4-gnutls-dev libpq-dev libsqlite3-dev rpm rpmlint xz-utils"
	[rust]="cargo gcc libc6-dev librust-cc-dev librust-log-dev librust-uuid-dev make rust-clippy rustc"
	[kernel]="gcc make libc6-dev flex bison bc libelf-dev libssl-dev perl xz-utils"
	[images]="buildah crun mmdebstrap"
	[kernels]="gcc-powerpc64le-linux-gnu debian-archive-keyring"
	[cross]="device-tree-compiler gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-system-misc"
)

# Debian 13 has a Java that can call libkuid, and the crate diesel.
if [[ $(. /etc/os-release && echo "$VERSION_ID") != 12 ]]; then
	packages[java]+=" openjdk-25-jdk-headless"
	packages[rust]+=" librust-diesel-dev"
fi

# Node.js of other archives comes with npm and its headers.
command -v npm >/dev/null || packages[node]+=" npm libnode-dev"

(( $# )) || set -- build boot kselftest test style kernel cross install claim proofs coverage picture
wanted=()
for need in "$@"; do
	if [[ ! -v packages[$need] ]]; then
		echo "setup.sh: unknown need '$need'" >&2
		echo "usage: setup.sh [build|headers|boot|kselftest|test|style|kernel|kernels|images|cross|install|claim|proofs|coverage|picture|languages|peers|erlang|go|java|node|python|rust|rpm]..." >&2
		exit 2
	fi
	read -ra names <<<"${packages[$need]}"
	wanted+=("${names[@]}")
done

# dpkg-query fails for unknown names and leaves them out of its answer.
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for name in "${wanted[@]}"; do
	[[ $'\n'$present$'\n' == *$'\n'"installed $name"$'\n'* ]] || missing+=("$name")
done
(( ${#missing[@]} )) || exit 0

install=(apt-get install -y --no-install-recommends "${missing[@]}")
if (( EUID == 0 )); then
	as_root=(env DEBIAN_FRONTEND=noninteractive)
elif sudo -n true 2>/dev/null; then
	as_root=(sudo -n env DEBIAN_FRONTEND=noninteractive)
else
	echo "setup.sh: packages are missing; as root, run: apt-get update && ${install[*]}" >&2
	exit 1
fi

echo "setup.sh: installing ${missing[*]}" >&2
# Always update first: old package lists name files that the archive no longer has.
"${as_root[@]}" apt-get -qq update </dev/null >&2
"${as_root[@]}" "${install[@]}" -qq </dev/null >&2
