#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches files for the tests from the Debian archive that this machine uses, without touching its
# apt, and prints the directory that holds them:   fetch.sh NAME
# downloads.list has the names. Keeps the files in ${KUID_CACHE:-~/.cache/kuid}; KUID_REFRESH=1 fetches
# again. Else needs no root.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/cached.sh
. "$(dirname "$0")/cached.sh"
takes WANT "$@"
read -ra row < <(awk -v name="$want" '$1 == name' "$here/downloads.list") || true
[[ $want =~ ^[a-z0-9] && ${row[*]} ]] || usage "downloads.list has no $want"
fill=fill_${row[1]} arch=${row[3]} package=${row[4]} more=("${row[@]:5}")
suites=$(sed -E 's/\b(bookworm|trixie)( |$)/\1 \1-security\2/' <<<"${row[2]//,/ }")

cache=${KUID_CACHE:-${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}}
[[ $cache ]] || die "neither KUID_CACHE, XDG_CACHE_HOME nor HOME names a cache directory"
[[ ${KUID_CACHE:-} ]] || cache+=/kuid
mkdir -p "$cache" || die "can't make the cache directory $cache"
cache=$(cd "$cache" && pwd -P)
result=$cache/$want

# Before this script takes the lock: the other fetch takes it as well.
[[ $fill != fill_newer_kernel ]] || tools=$("$0" tools-trixie)

have_it()
{
	[[ -d $result && ${KUID_REFRESH:-} != 1 ]]
}
begin_result .lock .new
mkdir "$tmp/deb"

# The machine's own sources name the archive; apt parses them, in whatever form they are. A third
# party's source that looks the same fails the signature check below.
write_sources()
{
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local suite kind uri uris type=deb

	[[ $arch != source ]] || type="deb-src"
	[[ -r $keyring ]] || die "$keyring is missing: install debian-archive-keyring"
	uris=$(apt-get --print-uris update 2>/dev/null |
		sed -nE "s,^'(.*)/dists/([^/]+)/main/binary-.*,\\2 \\1,p" | sort -u) ||
		die "apt-get can't read this machine's sources"
	for suite in $suites; do
		kind='^[a-z]+$'
		[[ $suite != *-security ]] || kind='-security$'
		while read -r uri; do
			echo "$type [signed-by=$keyring] $uri $suite main"
		done < <(awk -v kind="$kind" '$1 ~ kind { print $2 }' <<<"$uris")
	done
}

# One private apt for each set of suites, so that several fetches share its package lists.
apt=$cache/apt/${suites// /+}
[[ $arch == amd64 ]] || apt+=+$arch
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
write_sources >"$apt/sources.list"
[[ -s $apt/sources.list ]] || die "apt is configured with no Debian archive to take $suites from"
cat >"$apt/apt.conf" <<CONF
#clear APT::Update;
#clear APT::Architectures;
#clear Acquire::Languages;
APT::Architecture "${arch/source/amd64}";
APT::Architectures { "${arch/source/amd64}"; "amd64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::Check-Valid-Until "$([[ $suites == sid ]] && echo false || echo true)";
Dir::State "$apt";
Dir::State::Lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
CONF

# Older lists may name packages that the archive has replaced since.
if [[ -z $(find "$apt/updated" -mmin -60 2>/dev/null) ]]; then
	say "reading the package lists of $suites"
	# By default apt-get update succeeds even if some lists failed.
	if apt-get -qq -c "$apt/apt.conf" -o APT::Update::Error-Mode=any update \
		>"$tmp/apt.log" 2>&1; then
		touch "$apt/updated"
	else
		cat "$tmp/apt.log" >&2
	fi
fi
known=(pkgnames "$package")
[[ $arch != source ]] || known=(--only-source showsrc "$package")
if [[ -z $(apt-cache -c "$apt/apt.conf" "${known[@]}") ]]; then
	die "the archive could not be read, or has no $package"
fi

# The packages that $1 depends on and whose names match $2.
depends()
{
	apt-cache -c "$apt/apt.conf" --no-all-versions show "$1" | sed -n 's/^Depends: //p' |
		tr ',' '\n' | sed -E 's/^ *([^ :]+).*/\1/' | grep -E "^($2)\$" ||
		die "$1 depends on nothing like $2"
}

# Prints the names of $package, of others, and of all that they depend on.
with_dependencies()
{
	apt-get -qq -c "$apt/apt.conf" --no-install-recommends --simulate install "$package" "$@" |
		sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep . || die "the archive's $package can't be had"
}

download()
{
	say "downloading $*"
	(cd "$tmp/deb" && logged apt-get -qq -c "$apt/apt.conf" download "$@")
}

# The released sources of packages, without Debian's changes.
download_source()
{
	say "downloading the source of $*"
	(cd "$tmp/deb" && logged apt-get -qq -c "$apt/apt.conf" --download-only --tar-only source "$@")
}

# Downloads packages and unpacks them into directory $1.
unpack()
{
	local to=$1 deb
	shift

	download "$@"
	for deb in "$tmp"/deb/*.deb; do
		dpkg -x "$deb" "$to"
	done
}

# Moves the program $1 and all libraries of $tmp/root to the result, and writes a script that runs it
# with these and with the other arguments.
keep_program()
{
	local lib=usr/lib/x86_64-linux-gnu

	mkdir -p "$new/bin" "$new/usr/bin" "$new/usr/share" "$new/$lib"
	mv "$tmp/root/usr/bin/$1" "$new/usr/bin"
	find "$tmp/root/usr/lib" "$tmp/root/$lib" -maxdepth 1 -name '*.so*' -exec mv -t "$new/$lib" {} +
	cat >"$new/bin/$1" <<-SCRIPT
	#!/bin/sh
	exec $result/$lib/ld-linux-x86-64.so.2 --library-path $result/$lib $result/usr/bin/$* "\$@"
	SCRIPT
	chmod +x "$new/bin/$1"
}

# Finds the packages of a kernel and its headers, and its release.
find_kernel()
{
	local version=${want%%-*}

	image=$(depends "$package" 'linux-image-[0-9].*')
	release=${image#linux-image-}
	[[ $release == "${version%.x}".* ]] || die "$package of $suites is $release"
	headers=$(depends "${package/image/headers}" 'linux-headers-[0-9].*')
	# Tools that run during a module build must be for this machine.
	mapfile -t header_parts <<<"$headers"$'\n'"$(depends "$headers" 'linux-(headers|kbuild)-.*' |
		sed 's/^linux-kbuild-.*/&:amd64/')"
}

# Unpacks the kernel and its drivers.
unpack_kernel()
{
	local part driver disk=() patterns=() nic=()

	[[ $arch == s390x ]] || nic=(e1000)
	# Older kernels have no driver of vmclock.
	[[ $want != 7.x* ]] || nic+=(ptp_vmclock)
	[[ $want != 6.1 ]] || disk=(brd crc32c_generic crc16 mbcache jbd2 ext4)
	for driver in "${nic[@]}" "${disk[@]}"; do
		patterns+=("*/$driver.ko*")
	done
	mkdir -p "$tmp/kernel" "$new/nic/lib"
	for part in "$@"; do
		dpkg-deb --fsys-tarfile "$tmp/deb/$part"_*.deb
	done | tar -xC "$tmp/kernel" --ignore-zeros --transform 's,.*/,,' --wildcards \
		'*/vmlinuz*' "${patterns[@]}"
	mv "$tmp"/kernel/vmlinuz* "$new/vmlinuz"
	find "$tmp/kernel" -name '*.ko.xz' -exec xz -d {} +
	for driver in "${nic[@]}"; do
		mv "$tmp/kernel/$driver.ko" "$new/nic/lib"
	done
	for driver in "${disk[@]}"; do
		install -D -m 644 -t "$new/disk/lib" "$tmp/kernel/$driver.ko" || die "no module $driver"
		echo "$driver" >>"$new/disk/lib/disk.list"
	done
	echo "$release" >"$new/release"
	[[ $arch == amd64 ]] || echo "$arch" >"$new/arch"
}

unpack_headers()
{
	local makefile=$new/usr/src/$headers/Makefile part

	for part in "${header_parts[@]}"; do
		dpkg -x "$tmp/deb/${part%:*}"_*.deb "$new"
	done
	rm -rf "${new:?}/lib" "${new:?}/usr/share"
	# The only absolute path in the header trees.
	grep -q /usr/src/ "$makefile" || die "$headers: Makefile is not as expected"
	sed -i "s,/usr/src/,$result/usr/src/,g" "$makefile"
	cp "$new/usr/src/$headers/.config" "$new/config"
}

# A package without a version depends on that of the newest kernel.
fill_headers()
{
	local names parts name

	mapfile -t names < <(apt-cache -c "$apt/apt.conf" dumpavail | awk -v arch="$arch" '
		/^Package: / { name = $2 }
		/^Architecture: / && $2 == arch && name ~ /^linux-headers-/ && name !~ /[0-9][.]/ { print name }' |
		while read -r name; do
			depends "$name" 'linux-headers-[0-9].*'
		done)
	(( ${#names[@]} )) || die "the archive has no kernel headers for $arch in $suites"
	mapfile -t parts < <(for name in "${names[@]}"; do
		depends "$name" 'linux-(headers|kbuild)-.*' | sed 's/^linux-kbuild-.*/&:amd64/'
	done | sort -u)
	unpack "$new" "${names[@]}" "${parts[@]}"
	rm -rf "${new:?}/lib" "${new:?}/usr/share"
}

fill_kernel()
{
	find_kernel
	download "$image" "${header_parts[@]}"
	unpack_kernel "$image"
	unpack_headers
	ln -s "usr/src/$headers" "$new/headers"
}

fill_sysroot()
{
	local link

	unpack "$new" "$package" "${more[@]}"
	(cd "$new" && rm -r etc usr/share usr/lib/*/gconv)
	# Absolute links would leave the sysroot.
	while read -r link; do
		ln -srf "$new$(readlink "$link")" "$link"
	done < <(find "$new" -lname '/*')
}

# A backported kernel has packages of its own, and its headers need a newer compiler and C library
# than this machine has: the build mounts them over /usr in a mount namespace of its own. $result
# must not lie below /usr.
fill_newer_kernel()
{
	local parts

	find_kernel
	parts=("linux-binary-$release" "linux-modules-$release")
	download "${parts[@]}" "${header_parts[@]}"
	unpack_kernel "${parts[@]}"
	unpack_headers
	mkdir "$new/headers"
	cat >"$new/headers/Makefile" <<MAKEFILE
# SPDX-License-Identifier: GPL-2.0-only
TOOLS := $tools/usr
HEADERS := $result/usr/src/$headers

.PHONY: modules clean
modules clean:
	@lay='mount --bind \$(TOOLS) /usr'; \\
	may=--mount; unshare \$\$may \$\$lay 2>/dev/null || may="--map-root-user --mount"; \\
	unshare \$\$may \$\$lay || { echo 'To build for Linux $release be root, or have user' \\
		'namespaces allowed (sysctl kernel.unprivileged_userns_clone=1).' >&2; exit 1; }; \\
	unshare \$\$may sh -ec "\$\$lay"'; exec "\$\$@"' sh \\
		\$(MAKE) -C \$(HEADERS) DEB_BUILD_ARCH=amd64 \$@
MAKEFILE
}

# The package with all its dependencies.
fill_tools()
{
	local names

	mapfile -t names < <(with_dependencies "${more[@]}" \
		coreutils dash diffutils findutils grep make mawk pahole sed)
	unpack "$tmp/root" "${names[@]}"
	mv "$tmp/root/usr" "$new/usr"
	# The package would make this choice when it is installed.
	ln -s mawk "$new/usr/bin/awk"
}

fill_source()
{
	download "$package"
	say "unpacking what is needed of $package"
	dpkg-deb --fsys-tarfile "$tmp"/deb/*.deb | tar -xO "./usr/src/$package.tar.xz" |
		tar -xJC "$new" --strip-components=1 --wildcards --no-wildcards-match-slash \
			"${more[@]/#/$package/}"
}

fill_tree()
{
	download "$package"
	dpkg-deb --fsys-tarfile "$tmp"/deb/*.deb |
		tar -xO "./usr/src/$package.tar.xz" >"$new/linux.tar.xz"
	dpkg-deb -f "$tmp"/deb/*.deb Version >"$new/version"
}

fill_kubernetes()
{
	download_source "$package"
	mv "$tmp"/deb/*.orig.tar.gz "$new/kubernetes.tar.gz"
	apt-cache -c "$apt/apt.conf" --only-source showsrc "$package" |
		sed -n 's/^Version: //p' >"$new/version"
}

fill_packages()
{
	unpack "$new" "$package" "${more[@]}"
}

fill_python()
{
	unpack "$tmp/root" "$package" "${more[@]}"
	keep_program "$want"
	sed -i "2i export PYTHONHOME=$result/usr" "$new/bin/$want"
	mv "$tmp/root/usr/lib/$want" "$new/usr/lib"
}

# Runs with the loader and the libraries of its own Debian. The archive of the unstable one may be a
# copy whose list has expired.
fill_prover()
{
	local names

	mapfile -t names < <(depends "$package" 'lib.*|minisat')
	unpack "$tmp/root" "$package" "${names[@]}"
	keep_program "$want"
	[[ ! -d $tmp/root/usr/share/herdtools7 ]] || mv "$tmp/root/usr/share/herdtools7" "$new/usr/share"
}

# Its parts are modules, which it loads from the directory that QEMU_MODULE_DIR names.
fill_qemu()
{
	local lib=usr/lib/x86_64-linux-gnu share=$result/usr/share program=qemu-system-x86_64 names

	mapfile -t names < <(with_dependencies | grep -E '^(lib.*|zlib1g|qemu-.*|seabios)$')
	unpack "$tmp/root" "${names[@]}"
	keep_program $program -L "$share/qemu" -L "$share/seabios"
	sed -i "2i export QEMU_MODULE_DIR=$result/$lib/qemu" "$new/bin/$program"
	mv "$tmp/root/$lib/qemu" "$new/$lib"
	mv "$tmp"/root/usr/share/{qemu,seabios} "$new/usr/share"
}

fill_cmocka()
{
	download "$package"
	dpkg -x "$tmp/deb/$package"_*.deb "$tmp"
	mv "$tmp"/usr/lib/i386-linux-gnu/libcmocka.so.* "$new"
	ln -s libcmocka.so.0 "$new/libcmocka.so"
}

# Programs and their libraries.
fill_programs()
{
	local lib=lib/x86_64-linux-gnu part

	unpack "$tmp/root" "$package" "${more[@]}"
	mkdir -p "$new/$lib"
	for part in bin sbin; do
		[[ ! -d $tmp/root/usr/$part ]] || mv "$tmp/root/usr/$part" "$new"
	done
	find "$tmp/root" -path "*/$lib/lib*.so*" -maxdepth 5 -exec mv -t "$new/$lib" {} +
}

# Two libraries that are built for musl. The source of jansson has the configuration of a system that can't
# run a configure script. lsh has the stand-alone argp that other systems have as a package.
fill_musl()
{
	command -v musl-gcc >/dev/null || die "musl-gcc is missing: run setup.sh test"
	download_source "$package" lsh-utils
	mkdir -p "$tmp"/{argp,jansson} "$new"/usr/{include,lib}
	tar -xf "$tmp"/deb/jansson_*.tar.gz -C "$tmp/jansson" --strip-components=1
	cd "$tmp/jansson"
	: >android/jansson_private_config.h
	logged musl-gcc -O2 -fPIC -DHAVE_STDINT_H -Iandroid -Isrc -c src/*.c
	ar rc "$new/usr/lib/libjansson.a" ./*.o
	cp src/jansson.h android/jansson_config.h "$new/usr/include"
	tar -xf "$tmp"/deb/lsh-utils_*.tar.gz -C "$tmp/argp" --strip-components=3 --wildcards '*/src/argp'
	cd "$tmp/argp"
	logged env CC=musl-gcc ./configure --quiet --host=x86_64-linux-musl
	logged make -s CFLAGS="-O2 -fPIC -fgnu89-inline -w" libargp.a
	cp libargp.a "$new/usr/lib"
	cp argp.h "$new/usr/include"
	ln -s /usr/include/x86_64-linux-musl/* /usr/include/{linux,asm-generic,x86_64-linux-gnu/asm} \
		"$new/usr/include"
	ln -s /usr/lib/x86_64-linux-musl/* "$new/usr/lib"
}

# The programs with their libraries and loader, in the places of their Debian release.
fill_uuid_runtime_root()
{
	local root=$new/${want##*-} lib=usr/lib/x86_64-linux-gnu name

	unpack "$tmp/root" "$package" "${more[@]}"
	mkdir -p "$root/usr/bin" "$root/$lib" "$root/lib64"
	mv "$tmp"/root/usr/bin/uuid{gen,parse} "$root/usr/bin"
	for name in libc.so.6 libsmartcols.so.1 libuuid.so.1; do
		cp -L "$tmp/root/$lib/$name" "$root/$lib"
	done
	cp -L "$tmp/root/$lib/ld-linux-x86-64.so.2" "$root/lib64"
	ln -s usr/lib "$root/lib"
}

fill_util_linux_tests()
{
	local top

	download_source "$package"
	top=$(tar -tf "$tmp"/deb/*.orig.tar.xz | sed -n '1s,/.*,,p')
	mkdir "$new/util-linux"
	tar -xf "$tmp"/deb/*.orig.tar.xz -C "$new/util-linux" --strip-components=1 \
		"$top"/{include,libuuid/COPYING,libuuid/src/{test_uuid.c,uuid.h}} \
		"$top"/tests/{functions.sh,commands.sh,{ts,expected}/uuid/uuid{gen,_parser}}
}

# The server with its libraries, but without LLVM, which compiles long queries; and the headers. Programs
# of a newer Debian only run with its loader and libraries.
fill_postgresql()
{
	local version=${package#*-} root=$tmp/root names part
	local lib=usr/lib/x86_64-linux-gnu own=usr/lib/postgresql/${package#*-}

	mapfile -t names < <(with_dependencies | grep -E "^(lib.*|zlib1g|tzdata|postgresql-(client-)?$version)\$" |
		grep -vE '^lib(llvm|z3|perl|.*-perl$|.*-common$|c-bin$|c-l10n$|pam-modules|debconf|db5|gdbm|sepol|semanage)')
	unpack "$root" "${names[@]}" "postgresql-server-dev-$version" libpq-dev
	# Only the older release has files there.
	for part in lib lib64; do
		[[ ! -e $root/$part ]] || cp -a "$root/$part/." "$root/usr/$part"
		rm -rf "${root:?}/$part"
		ln -s "usr/$part" "$root/$part"
	done
	mkdir -p "$new/usr/include" "$new/$own/lib" "$new/$own/bin" "$new/$lib"
	mv "$root/usr/include/postgresql" "$new/usr/include"
	cp "$root/$own/lib/pgxs/src/test/regress/pg_regress" "$root/$own/bin"
	mv "$root/$own/lib/pgxs" "$new/$own/lib"
	cp "$root/$own/bin/pg_config" "$new/$own/bin"
	cp -L "$root/$lib"/{ld-linux-x86-64.so.2,lib{c,m}.so.*} "$new/$lib"
	cat >"$new/pg_config" <<-SCRIPT
	#!/bin/sh
	exec $result/$lib/ld-linux-x86-64.so.2 --library-path $result/$lib $result/$own/bin/pg_config "\$@"
	SCRIPT
	chmod +x "$new/pg_config"
	(cd "$root" && rm -rf usr/include usr/share/{doc,man,locale,lintian,bug} "$lib"/{gconv,*.a} \
		"$own"/lib/{bitcode,llvmjit*})
	mkdir "$tmp/top"
	mv "$root" "$tmp/top/postgresql"
	(cd "$tmp/top" && find . -mindepth 1 -print0 |
		cpio --quiet --null -o -H newc -R +0:+0 --reproducible) | gzip -1 >"$new/root.cpio.gz"
}

# The initramfs has the drivers of the test machine only, so it is small and loads fast.
fill_root()
{
	local include=$package,${package/image/headers},systemd-sysv,dbus,udev,kmod,dkms,initramfs-tools,zstd
	local libraries=libcurl3-gnutls,libjansson4,libpq5,uuid-runtime backports=${suites##* } suite

	command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: run setup.sh install"
	suite=${suites%% *}
	[[ $backports != *-backports ]] ||
		include+=,$(depends "${package/image/headers}/$backports" 'linux-headers-[0-9].*')
	(( !${#more[@]} )) || include+=$(printf ',%s' "${more[@]}")
	say "making the root of a Debian $suite, which takes some minutes"
	cd /
	# shellcheck disable=SC2016 # $1 is for the shell that runs the hooks
	logged mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io --architectures="$arch" --include="$include,$libraries" \
		--essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"' \
		--essential-hook='echo MODULES=list >"$1/etc/initramfs-tools/conf.d/kuid"' \
		--essential-hook='printf "%s\n" virtio_pci virtio_blk ext4 >"$1/usr/share/initramfs-tools/modules.d/kuid"' \
		"$suite" "$new/root.tar" "$apt/sources.list"
}

$fill
end_result
