#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packs a built module as a Debian package for its kernel, so that hosts need neither compiler nor
# headers:   module_package.sh KERNEL_SRC MODULE OUT
# If SIGN_KEY and SIGN_CERT are set, to a key and its certificate, signs the module in the package with
# them. REVISION tells packages of one version apart: increase it if you build or sign it again. Prints the
# name of the package.

set -euo pipefail
umask 022

(( $# == 3 )) || {
	echo "usage: module_package.sh KERNEL_SRC MODULE OUT" >&2
	exit 2
}
[[ ${SIGN_KEY:+set} == "${SIGN_CERT:+set}" ]] || {
	echo "module_package.sh: SIGN_KEY and SIGN_CERT belong together" >&2
	exit 2
}
# info KEY: what the module says of itself.
info()
{
	tr '\0' '\n' <"$module" | sed -n "s/^$1=\([^ ]*\).*/\1/p"
}

module=$2
release=$(info vermagic)
version=$(info version)-${REVISION:-1}
name=kuid-modules-$release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install -D -m 644 "$2" "$work/lib/modules/$release/updates/kuid.ko"
# Symbols for a debugger are most of the file. A signature must come last.
strip --strip-debug "$work/lib/modules/$release/updates/kuid.ko"
if [[ ${SIGN_KEY:-} ]]; then
	"$1/scripts/sign-file" sha256 "$SIGN_KEY" "$SIGN_CERT" "$work/lib/modules/$release/updates/kuid.ko"
fi
mkdir "$work/DEBIAN"
cat >"$work/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $(dpkg --print-architecture)
Section: kernel
Maintainer: The kuid developers <kuid@kuid.invalid>
Depends: kmod
Enhances: linux-image-$release
Provides: kuid-module
Description: kernel module that makes time-ordered unique IDs, for Linux $release
 The module kuid, built for this kernel. Another kernel needs another package.
END
for script in postinst postrm; do
	printf '#!/bin/sh\nset -e\ndepmod %s\n' "$release" >"$work/DEBIAN/$script"
	chmod 755 "$work/DEBIAN/$script"
done
mkdir -p "$3"
dpkg-deb --root-owner-group --build "$work" "$3/${name}_${version}_$(dpkg --print-architecture).deb" >/dev/null
echo "$3/${name}_${version}_$(dpkg --print-architecture).deb"
