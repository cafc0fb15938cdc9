#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/lines.sh - no line of C or CUDA is longer than 100 columns.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export LC_ALL=C.UTF-8

# Prints the long lines in tree $1.
long() {
    (
        cd "$1"
        find . \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) -not -path './build*' \
            -not -path './.git/*' -print0 | xargs -0 -r grep -nE '^.{101,}' || true
    )
}

found=$(long .)
if [ -n "$found" ]; then
    printf 'lines of more than 100 columns:\n%s\n' "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
printf '/* %0100d */\n' 0 >"$copy/planted.h"
[ -n "$(long "$copy")" ] || { echo "a planted long line was not noticed"; exit 1; }
