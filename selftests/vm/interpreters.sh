#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Copies Debian's perl and python3, if this machine has them, into a directory for the initramfs:
#   interpreters.sh TO
# They come with the modules that userspace/examples/ load, directly or not, and no others.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "$0")/arguments.sh"
takes TO "$@"
mkdir -p "$to"

# Copies an interpreter and the files that it has loaded, which the given program prints.
stage()
{
	local files

	[[ -x $1 ]] || return 0
	files=$("$@")
	readarray -t files <<<"$files"
	rsync -aRL "$1" "${files[@]}" "$to"
}

stage /usr/bin/perl -l -e 'use strict; use warnings; use Time::HiRes;
	print for values %INC, @DynaLoader::dl_shared_objects'

# python uses a compiled file only if its source exists with the same time.
stage /usr/bin/python3 -I -S -c '
import os, site, sys, uuid
for module in list(sys.modules.values()):
    for name in {getattr(module, "__file__", None), getattr(module, "__cached__", None)}:
        if name and os.path.exists(name):
            print(name)
'
