#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes a program that runs a command with its own arguments:   launcher.sh FILE COMMAND...

set -eu
file=$1
shift
printf '#!/bin/sh\nexec %s "$@"\n' "$*" >"$file"
chmod +x "$file"
