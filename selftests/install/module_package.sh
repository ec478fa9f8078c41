#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Packs a built module as a Debian package for its kernel, so that hosts need neither compiler nor
# headers:   module_package.sh KERNEL_SRC MODULE OUT
# If SIGN_KEY and SIGN_CERT are set, to a key and its certificate, signs the module in the package with
# them. REVISION tells packages of one version apart: increase it if you build or sign it again.
#
# A second package, kuid-IMAGE, binds the package by which hosts have this kernel to that of the module:
# of IMAGE, such as linux-image-amd64, no other version can be installed beside it. So an upgrade brings
# both or neither. KERNEL_PACKAGE is IMAGE=VERSION; by default it is that of Debian for the installed
# headers, and if there are none, no such package is made. Prints the names of the packages.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail
umask 022

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
takes "KERNEL_SRC MODULE OUT" "$@"
[[ ${SIGN_KEY:+set} == "${SIGN_CERT:+set}" ]] || usage "SIGN_KEY and SIGN_CERT belong together"
# info KEY: what the module says of itself.
info()
{
	tr '\0' '\n' <"$module" | sed -n "s/^$1=\([^ ]*\).*/\1/p"
}

release=$(info vermagic)
version=$(info version)-${REVISION:-1}
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# pack NAME VERSION DIR: with the fields of standard input and those that all have.
pack()
{
	mkdir -p "$3/DEBIAN"
	{
		printf '%s\n' "Package: $1" "Version: $2" "Architecture: $arch" "Section: kernel" \
			"Maintainer: ${MAINTAINER:-The kuid developers <kuid@kuid.invalid>}"
		[[ -z ${HOMEPAGE:-} ]] || echo "Homepage: $HOMEPAGE"
		cat
	} >"$3/DEBIAN/control"
	dpkg-deb --root-owner-group --build "$3" "$out/$1_${2}_$arch.deb" >/dev/null
	echo "$out/$1_${2}_$arch.deb"
}

name=kuid-modules-$release
root=$work/modules
install -D -m 644 "$module" "$root/lib/modules/$release/updates/kuid.ko"
# Symbols for a debugger are most of the file. A signature must come last.
strip --strip-debug "$root/lib/modules/$release/updates/kuid.ko"
if [[ ${SIGN_KEY:-} ]]; then
	"$kernel_src/scripts/sign-file" sha256 "$SIGN_KEY" "$SIGN_CERT" "$root/lib/modules/$release/updates/kuid.ko"
fi
mkdir "$root/DEBIAN"
for script in postinst postrm; do
	printf '#!/bin/sh\nset -e\ndepmod %s\n' "$release" >"$root/DEBIAN/$script"
	chmod 755 "$root/DEBIAN/$script"
done
# As kuid-dkms does.
sed -n '/^# The package kuid/,$p' "$here/../../debian/kuid-dkms.postinst" >>"$root/DEBIAN/postinst"
pack "$name" "$version" "$root" <<END
Depends: kmod
Enhances: linux-image-$release
Provides: kuid-module
Description: kernel module that makes time-ordered unique IDs, for Linux $release
 The module kuid, built for this kernel. Another kernel needs another package.
END

if [[ -z ${KERNEL_PACKAGE:-} ]]; then
	headers=$(dpkg-query -W -f '${Version}' "linux-headers-$release" 2>/dev/null) || exit 0
	KERNEL_PACKAGE=linux-image-${release##*[0-9]-}=$headers
fi
image=${KERNEL_PACKAGE%%=*}
pack "kuid-$image" "${KERNEL_PACKAGE#*=}+kuid$version" "$work/meta" <<END
Depends: $image (= ${KERNEL_PACKAGE#*=}), linux-image-$release, $name (= $version)
Description: $image, and the module that makes time-ordered unique IDs for it
 This package has no files. No version of $image can be installed beside it
 for which there is no module kuid, so that an upgrade of the kernel waits for it.
END
