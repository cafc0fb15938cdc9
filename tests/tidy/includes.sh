#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/includes.sh - who may include whom: the law is rooms.def.
#
# Method: rooms.py holds the tree against the law; then a copy with a planted offence of each kind must be
# refused for each, so that a rule which has stopped looking is noticed.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

found=$(python3 tests/tidy/rooms.py .)
if [ -n "$found" ]; then
    printf 'forbidden includes:\n%s\n' "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r base io match signatures db carver cluster "$copy"
status=0 planted=()
while read -r file include; do
    file=${file%.*}${#planted[@]}.${file##*.}
    mkdir -p "$copy/${file%/*}"
    printf '#include %s\n' "$include" >"$copy/$file"
    planted+=("$file")
done <<'PLANTED'
base/planted.c "io/image.h"
io/planted.h "match/matcher.h"
match/planted.c "signatures/sig.h"
signatures/planted.c "db/case.h"
db/planted.c "carver/plan/pair.h"
carver/planted.c "tests/signatures/harness.h"
carver/planted.c <sqlite3.h>
carver/scan/planted.c <libaio.h>
signatures/planted.c <tsk/libtsk.h>
carver/planted.c <libewf.h>
io/planted.c <isa-l.h>
carver/planted.c <cuda_runtime.h>
match/planted.c <openssl/evp.h>
match/planted.h "match/offload/ring.h"
carver/scan/planted.c "match/device/device.h"
carver/scan/planted.c "match/papers/pfac/pfac_form.h"
match/simd/planted.c "match/words/words.h"
match/device/planted.h "match/offload/ring.h"
carver/cli/planted.c "carver/scan/scan.h"
signatures/picture/planted.c "signatures/archive/zip.h"
io/unheard/planted.c "base/err.h"
PLANTED
# All of them at once, and nothing else.
found=$(python3 tests/tidy/rooms.py "$copy")
for file in "${planted[@]}"; do
    [[ $'\n'$found == *$'\n'"$file: "* ]] || { echo "a planted $(<"$copy/$file") in $file was not noticed"; status=1; }
done
[ "$(wc -l <<<"$found")" = ${#planted[@]} ] || { printf 'others than the planted ones:\n%s\n' "$found"; status=1; }
exit "$status"
