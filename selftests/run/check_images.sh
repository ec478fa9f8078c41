#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the images of userspace/containers from the Debian packages of BUILD/packages, on a Debian 12 of this
# machine's archive, and runs them without a device:   check_images.sh BUILD
# Prints TAP, and one line of totals. Needs root.

set -uo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "" "$@"
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. "$top/userspace/tests/tap.sh"
# shellcheck disable=SC2154 # work is set by tap.sh
storage=(--root "$work/images" --runroot "$work/run" --storage-driver vfs)
# Mounts of containers would keep the directory.
trap 'buildah "${storage[@]}" rm --all >/dev/null; rm -rf --one-file-system "$work"' EXIT

b()
{
	buildah "${storage[@]}" "$@"
}

makes_base()
{
	local box

	mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar" &&
		box=$(b from scratch) && b add -q "$box" "$work/base.tar" / && b commit -q "$box" base && b rm "$box"
}

builds()
{
	b build --isolation chroot --build-arg BASE=localhost/base --target "$1" -t "$1" \
		-f "$top/userspace/containers/Containerfile" "$build/packages" &&
		b from --name "$1" "localhost/$1"
}

in_image()
{
	local image=$1

	shift
	b run --isolation chroot "$image" -- "$@"
}

makes_ids()
{
	[[ $(in_image kuid kuid gen --local -n 3 | sort -u | grep -cxE '[-0-9a-f]{36}') == 3 ]]
}

is_asked_for_device()
{
	! in_image kuid kuid gen && grep -q 'no /dev/kuid' "$work/said"
}

# shellcheck disable=SC2016 # for the shell in the image
drops_in()
{
	in_image kuid sh -c 'LD_PRELOAD=$(echo /usr/lib/*/kuid/libkuid-uuid.so) uuidgen -t' 2>&1 |
		grep -q 'libkuid-uuid: '
}

echo "TAP version 13"
it "a Debian 12 can be made" makes_base
for name in kuid kuid-claim; do
	it "the image $name can be built" builds $name
	it "it has no compiler" not in_image $name sh -c 'command -v gcc || command -v dkms'
done
it "kuid makes IDs in it" makes_ids
it "it asks for the device otherwise" is_asked_for_device
it "its user is nobody" matches '^nobody$' in_image kuid id -un
it "the drop-in is there" drops_in
it "kuid-claim has the version" matches " $version\$" in_image kuid-claim kuid-claim --version
tap_end
