#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches files for the tests from the Debian archive that this machine uses, without touching its
# apt, and prints the directory that holds them:   fetch.sh NAME
#   6.1, 6.1-rt          vmlinuz, config, release (uname -r), headers (KERNEL_SRC); and nic, a staging
#   6.12, 6.12-rt        directory for the initramfs with the driver lib/e1000.ko. 7.x is the newest
#   7.x, 7.x-rt          kernel of stable's backports; builds for it need root or user namespaces, and nic
#                        has the driver lib/ptp_vmclock.ko, too. 6.1 also has disk, a staging directory
#                        with the modules of ext4 on a RAM disk, in lib, and lib/disk.list, which names
#                        them in the order in which they load
#   6.1-arm64, 6.1-s390x the same for another architecture, whose name is in arch, for builds on
#                        amd64; nic is empty for s390x, as QEMU has no e1000 there
#   sysroot-arm64, sysroot-s390x
#                        libraries to link programs with; also a staging directory for the
#                        initramfs, with busybox, uuidgen and uuidparse
#   tools-trixie         the tools to build modules for 7.x with: a directory usr
#   cross-trixie, cross-sid
#                        the same of a Debian, with its compilers for all architectures below
#   headers-SUITE-ARCH   the newest kernel's headers, in all flavours, of bookworm, trixie, sid, bookworm-backports or trixie-backports,
#                        for amd64, arm64, ppc64el, riscv64 or s390x, as they lie in a directory usr
#   source-6.1           the kernel's kselftest core, checkpatch, kernel-doc and their data, and its memory
#                        model, as in its tree
#   tree-6.1             the whole kernel source, packed, for kernel.sh: linux.tar.xz, version
#   tree-kubernetes      the whole source of Kubernetes, packed, for kubernetes.sh: kubernetes.tar.gz, version
#   go-1.19              the compiler to build it with, and a package that needs to be as new: a directory usr
#   coccinelle-6.1       the kernel's rules for coccinelle, out of tree-6.1
#   qemu-trixie          a QEMU that has the device vmclock, with the libraries of the newer Debian that it
#                        is from: bin, to run it
#   herd7, cbmc          a prover with the libraries of the newer Debian that it is from: bin, to run it;
#                        usr/share/herdtools7, the models that herd7 comes with
#   cmocka-i386          the test library to link 32-bit programs with
#   uuid-runtime         staging directory for the initramfs with util-linux' uuidgen, uuidparse, uuidd
#   uuid-runtime-trixie  the same with newer programs, which know v6 and v7. They lie in a root
#                        directory of their own, /trixie, because they need a newer C library
#   musl                 a sysroot to build the tool for musl: musl-tools of this machine, kernel headers,
#                        jansson and argp
#   fuzzers              the same with trinity and stress-ng, and their libraries
#   util-linux-tests     staging directory for the initramfs with util-linux' own tests of uuidgen and of
#                        reading UUIDs, and the source of the program they need: below /util-linux
#   python3.14           Python with uuid7(), which bin/python3.14 runs
#   google-uuid          sources of a Go package with v7: usr/share/gocode
#   uuid-rs              those of a Rust crate whose v7 increase: usr/share/cargo/registry
#   sqlalchemy           SQLAlchemy 2: usr/lib/python3/dist-packages
#   postgresql-15, postgresql-17, postgresql-18
#                        a PostgreSQL server: root.cpio.gz, an archive for the initramfs with all that it
#                        needs in the root directory /postgresql; pg_config, to build extensions with
#   root-bookworm, root-trixie, root-containers
#                        the root of a Debian with systemd, its kernel, the headers of that and of the
#                        backported kernel, and dkms: root.tar, for install/root.sh. The last one is
#                        root-bookworm with podman. Needs mmdebstrap, and root
# Keeps the files in ${KUID_CACHE:-~/.cache/kuid}; KUID_REFRESH=1 fetches again. Else needs no root.

set -euo pipefail

usage()
{
	echo "fetch.sh: $1" >&2
	echo "usage: fetch.sh headers-SUITE-ARCH|$(sed -n 's/^\([^ *)]*\)) *row=.*/\1/p' "$0" | paste -sd'|')" >&2
	exit 2
}

# shellcheck source=SCRIPTDIR/cached.sh
. "$(dirname "${BASH_SOURCE[0]}")/cached.sh"

# One row for each name: the function that fills its directory, the suites, the architecture or
# "source", the package, and for fill_packages others.
(( $# == 1 )) || usage "one argument expected, got $#"
want=$1
case $want in
6.1)                 row=(fill_kernel "bookworm bookworm-security" amd64 linux-image-amd64) ;;
6.1-rt)              row=(fill_kernel "bookworm bookworm-security" amd64 linux-image-rt-amd64) ;;
6.1-arm64)           row=(fill_kernel "bookworm bookworm-security" arm64 linux-image-arm64) ;;
6.1-s390x)           row=(fill_kernel "bookworm bookworm-security" s390x linux-image-s390x) ;;
6.12)                row=(fill_kernel "bookworm-backports" amd64 linux-image-amd64) ;;
6.12-rt)             row=(fill_kernel "bookworm-backports" amd64 linux-image-rt-amd64) ;;
7.x)                 row=(fill_newer_kernel "trixie-backports" amd64 linux-image-amd64) ;;
7.x-rt)              row=(fill_newer_kernel "trixie-backports" amd64 linux-image-rt-amd64) ;;
sysroot-arm64)       row=(fill_sysroot "bookworm bookworm-security" arm64 libc6) ;;
sysroot-s390x)       row=(fill_sysroot "bookworm bookworm-security" s390x libc6) ;;
tools-trixie)        row=(fill_tools "trixie trixie-security" amd64 gcc-14) ;;
cross-trixie)        row=(fill_tools "trixie trixie-security" amd64 gcc-14
                         gcc-14-{aarch64,powerpc64le,riscv64,s390x}-linux-gnu) ;;
cross-sid)           row=(fill_tools "sid" amd64 gcc-16
                         gcc-16-{aarch64,powerpc64le,riscv64,s390x}-linux-gnu) ;;
headers-*-*)         row=("" "${want#headers-}" "${want##*-}" linux-headers-)
                     row[1]=${row[1]%-*}
                     [[ ${row[2]} =~ ^(amd64|arm64|ppc64el|riscv64|s390x)$ ]] || usage "unknown name '$want'"
                     case ${row[1]} in
                     bookworm|trixie) row[1]+=" ${row[1]}-security" ;;
                     sid|bookworm-backports|trixie-backports) ;;
                     *) usage "unknown name '$want'" ;;
                     esac
                     row[0]=fill_headers ;;
source-6.1)          row=(fill_source "bookworm bookworm-security" amd64 linux-source-6.1) ;;
tree-6.1)            row=(fill_tree "bookworm bookworm-security" amd64 linux-source-6.1) ;;
tree-kubernetes)     row=(fill_kubernetes "bookworm bookworm-security" source kubernetes) ;;
go-1.19)             row=(fill_packages "bookworm bookworm-security" amd64 golang-1.19-go golang-1.19-src
                         golang-github-modern-go-reflect2-dev) ;;
coccinelle-6.1)      row=(fill_coccinelle "bookworm bookworm-security" amd64 linux-source-6.1) ;;
herd7)               row=(fill_prover "sid" amd64 herdtools7) ;;
qemu-trixie)         row=(fill_qemu "trixie trixie-security" amd64 qemu-system-x86) ;;
cbmc)                row=(fill_prover "trixie trixie-security" amd64 cbmc) ;;
cmocka-i386)         row=(fill_cmocka "bookworm bookworm-security" i386 libcmocka0) ;;
uuid-runtime)        row=(fill_uuid_runtime "bookworm bookworm-security" amd64 uuid-runtime) ;;
uuid-runtime-trixie) row=(fill_uuid_runtime_root "trixie trixie-security" amd64 uuid-runtime) ;;
musl)                row=(fill_musl "bookworm bookworm-security" source jansson) ;;
fuzzers)             row=(fill_fuzzers "bookworm bookworm-security" amd64 trinity) ;;
util-linux-tests)    row=(fill_util_linux_tests "trixie trixie-security" source util-linux) ;;
google-uuid)         row=(fill_packages "trixie trixie-security" amd64 golang-github-google-uuid-dev) ;;
uuid-rs)             row=(fill_packages "trixie trixie-security" amd64 librust-uuid-dev librust-getrandom-dev
                          librust-libc-dev librust-cfg-if-dev) ;;
python3.14)          row=(fill_python "sid" amd64 python3.14-minimal libpython3.14-minimal libpython3.14-stdlib
                          libc6 libexpat1 zlib1g) ;;
sqlalchemy)          row=(fill_packages "trixie trixie-security" amd64 python3-sqlalchemy python3-typing-extensions) ;;
postgresql-15)       row=(fill_postgresql "bookworm bookworm-security" amd64 postgresql-15) ;;
postgresql-17)       row=(fill_postgresql "trixie trixie-security" amd64 postgresql-17) ;;
postgresql-18)       row=(fill_postgresql "sid" amd64 postgresql-18) ;;
root-bookworm)       row=(fill_root "bookworm bookworm-security bookworm-backports" amd64 linux-image-amd64) ;;
root-trixie)         row=(fill_root "trixie trixie-security trixie-backports" amd64 linux-image-amd64) ;;
root-containers)     row=(fill_root "bookworm bookworm-security" amd64 linux-image-amd64) ;;
*)                   usage "unknown name '$want'" ;;
esac
fill=${row[0]} suites=${row[1]} arch=${row[2]} package=${row[3]}

if [[ -z ${KUID_CACHE:-${XDG_CACHE_HOME:-${HOME:-}}} ]]; then
	die "neither KUID_CACHE, XDG_CACHE_HOME nor HOME names a cache directory"
fi
cache=${KUID_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/kuid}
mkdir -p "$cache" || die "can't make the cache directory $cache"
cache=$(cd "$cache" && pwd -P)
result=$cache/$want

# Before this script takes the lock: the other fetch takes it as well.
[[ $fill != fill_newer_kernel ]] || tools=$("${BASH_SOURCE[0]}" tools-trixie)

# A result appears by one rename, so an existing result is complete. An old kernel without its
# drivers, old programs without uuidd, and a source without the memory model are fetched again.
have_it()
{
	[[ -d $result && ${KUID_REFRESH:-} != 1 && ($fill != fill_*kernel || -d $result/nic) &&
		($want != 6.1 || -d $result/disk) && ($want != 7.x* || -e $result/nic/lib/ptp_vmclock.ko) &&
		($want != source-6.1 || -d $result/tools/memory-model) &&
		($fill != fill_uuid_runtime || -e $result/sbin/uuidd) ]]
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

# Runs a command, whose output counts only if it fails.
try()
{
	local log

	log=$("$@" 2>&1) || {
		echo "$log" >&2
		die "$1 failed"
	}
}

download()
{
	say "downloading $*"
	(cd "$tmp/deb" && try apt-get -qq -c "$apt/apt.conf" download "$@")
}

# The released sources of packages, without Debian's changes.
download_source()
{
	say "downloading the source of $*"
	(cd "$tmp/deb" && try apt-get -qq -c "$apt/apt.conf" --download-only --tar-only source "$@")
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

	unpack "$new" "$package" libgcc-s1 libjansson{4,-dev} libcmocka{0,-dev} libuuid1 uuid-dev \
		liburing{2,-dev} busybox-static uuid-runtime libsmartcols1
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

	mapfile -t names < <(with_dependencies "${row[@]:4}" \
		coreutils dash diffutils findutils grep make mawk pahole sed)
	unpack "$tmp/root" "${names[@]}"
	mv "$tmp/root/usr" "$new/usr"
	# The package would make this choice when it is installed.
	ln -s mawk "$new/usr/bin/awk"
}

fill_source()
{
	local top=$package

	download "$package"
	say "unpacking what is needed of $package"
	dpkg-deb --fsys-tarfile "$tmp"/deb/*.deb | tar -xO "./usr/src/$top.tar.xz" |
		tar -xJC "$new" --strip-components=1 --wildcards --no-wildcards-match-slash \
			"$top/.clang-format" \
			"$top/Documentation/dev-tools/checkpatch.rst" \
			"$top/Documentation/userspace-api/ioctl" \
			"$top/LICENSES" \
			"$top/scripts/checkpatch.pl" \
			"$top/scripts/const_structs.checkpatch" \
			"$top/scripts/kernel-doc" \
			"$top/scripts/spelling.txt" \
			"$top/scripts/subarch.include" \
			"$top/tools/memory-model/linux-kernel.*" \
			"$top/tools/memory-model/lock.cat" \
			"$top/tools/testing/selftests/Makefile" \
			"$top/tools/testing/selftests/*.h" \
			"$top/tools/testing/selftests/*.mk" \
			"$top/tools/testing/selftests/*.sh" \
			"$top/tools/testing/selftests/kselftest"
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
	unpack "$new" "${row[@]:3}"
}

fill_python()
{
	unpack "$tmp/root" "${row[@]:3}"
	keep_program "$want"
	sed -i "2i export PYTHONHOME=$result/usr" "$new/bin/$want"
	mv "$tmp/root/usr/lib/$want" "$new/usr/lib"
}

fill_coccinelle()
{
	[[ -r $cache/tree-6.1/linux.tar.xz ]] || die "fetch tree-6.1 first"
	say "unpacking the rules for coccinelle"
	tar -xJf "$cache/tree-6.1/linux.tar.xz" -C "$new" --strip-components=3 --wildcards \
		'*/scripts/coccinelle'
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

fill_uuid_runtime()
{
	local lib=lib/x86_64-linux-gnu

	unpack "$tmp/root" "$package" libsmartcols1 libuuid1
	mkdir -p "$new"/{bin,sbin} "$new/$lib"
	mv "$tmp"/root/usr/bin/uuid{gen,parse} "$new/bin"
	mv "$tmp/root/usr/sbin/uuidd" "$new/sbin"
	mv "$tmp/root/usr/$lib"/*.so.* "$new/$lib"
}

# The source of jansson has the configuration of a system that can't run a configure script.
jansson_for_musl()
{
	: >android/jansson_private_config.h
	musl-gcc -O2 -fPIC -DHAVE_STDINT_H -Iandroid -Isrc -c src/*.c &&
		ar rc "$new/usr/lib/libjansson.a" ./*.o &&
		cp src/jansson.h android/jansson_config.h "$new/usr/include"
}

argp_for_musl()
{
	CC=musl-gcc ./configure --quiet --host=x86_64-linux-musl &&
		make -s CFLAGS="-O2 -fPIC -fgnu89-inline -w" libargp.a &&
		cp libargp.a "$new/usr/lib" &&
		cp argp.h "$new/usr/include"
}

# lsh has the stand-alone argp that other systems have as a package.
fill_musl()
{
	local name

	command -v musl-gcc >/dev/null || die "musl-gcc is missing: run setup.sh test"
	download_source "$package" lsh-utils
	mkdir -p "$tmp"/{argp,jansson} "$new"/usr/{include,lib}
	tar -xf "$tmp"/deb/lsh-utils_*.tar.gz -C "$tmp/argp" --strip-components=3 --wildcards '*/src/argp'
	tar -xf "$tmp"/deb/jansson_*.tar.gz -C "$tmp/jansson" --strip-components=1
	for name in jansson argp; do
		(cd "$tmp/$name" && "${name}_for_musl") >"$tmp/$name.log" 2>&1 || {
			cat "$tmp/$name.log" >&2
			die "$name can't be built for musl"
		}
	done
	ln -s /usr/include/x86_64-linux-musl/* /usr/include/{linux,asm-generic,x86_64-linux-gnu/asm} \
		"$new/usr/include"
	ln -s /usr/lib/x86_64-linux-musl/* "$new/usr/lib"
}

# The libraries of stress-ng, by package. Other packages that installing it would add aren't needed.
fill_fuzzers()
{
	local lib=lib/x86_64-linux-gnu

	unpack "$tmp/root" "$package" stress-ng libapparmor1 libbsd0 libcrypt1 libdrm2 libegl1 libexpat1 libffi8 \
		libgbm1 libgles2 libglvnd0 libipsec-mb1 libjpeg62-turbo libjudydebian1 libkmod2 liblzma5 \
		libmd0 libsctp1 libssl3 libwayland-server0 libxau6 libxcb-randr0 libxcb1 libxdmcp6 libxxhash0 \
		libzstd1 zlib1g
	mkdir -p "$new/bin" "$new/$lib"
	mv "$tmp"/root/usr/bin/{trinity,stress-ng} "$new/bin"
	find "$tmp/root" -path "*/$lib/lib*.so*" -maxdepth 5 -exec mv -t "$new/$lib" {} +
}

# The programs with their libraries and loader, in the places of their Debian release.
fill_uuid_runtime_root()
{
	local root=$new/${want##*-} lib=usr/lib/x86_64-linux-gnu name

	unpack "$tmp/root" "$package" libc6 libsmartcols1 libuuid1
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
	[[ $want != root-containers ]] ||
		include+=,podman,apparmor,crun,catatonit,fuse-overlayfs,slirp4netns,uidmap,dbus-user-session,busybox-static
	say "making the root of a Debian $suite, which takes some minutes"
	cd /
	# shellcheck disable=SC2016 # $1 is for the shell that runs the hooks
	try mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io --architectures="$arch" --include="$include,$libraries" \
		--essential-hook='mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"' \
		--essential-hook='echo MODULES=list >"$1/etc/initramfs-tools/conf.d/kuid"' \
		--essential-hook='printf "%s\n" virtio_pci virtio_blk ext4 >"$1/usr/share/initramfs-tools/modules.d/kuid"' \
		"$suite" "$new/root.tar" "$apt/sources.list"
}

$fill
end_result
