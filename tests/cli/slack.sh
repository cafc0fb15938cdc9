#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/slack.sh - what stands behind the end of files tells which ones are fragmented.
#
# Goal: where files end in zeros up to the end of their sector, one whose length was merely believed and that does not is truncated; where
# they end in anything, nobody can tell. Method: forty pictures that are proven, and two bitmaps, one with other bytes behind it.
. "$(dirname "$0")/lib.sh"

# make FILE JUNK: pictures followed by zeros, or, JUNK of them, by other bytes
make() {
    python3 - "$cli" "$1" "$2" <<'PYTHON' || exit 1
import os, sys
sys.path.insert(0, sys.argv[1])
import samples

def sector(data, fill):
    return data + fill * (-len(data) % 512)

with open(sys.argv[2], "wb") as out:
    for i in range(40):
        out.write(sector(samples.png(seed=i), b"\x55" if i < int(sys.argv[3]) else b"\0"))
    out.write(sector(samples.bmp(seed=1), b"\0"))
    out.write(sector(samples.bmp(seed=2), b"\x55"))
    out.write(bytes(4096))
PYTHON
}

states() {
    burin scan --quiet --force --case "$dir/case" "$1"
    check 0 "" "scan"
    burin list "$dir/case"
    check 0 "" "list"
    awk -F'\t' '{ print $2, $3 }' "$dir/out" | sort | uniq -c | awk '{ print $2, $3, $1 }' | tr '\n' ';'
}

make "$dir/clean" 0
[ "$(states "$dir/clean")" = "bmp complete 1;bmp truncated 1;png complete 40;" ] || fail "zeros everywhere: $(states "$dir/clean")"
make "$dir/one" 1
[ "$(states "$dir/one")" = "bmp complete 1;bmp truncated 1;png complete 40;" ] || fail "one exception: $(states "$dir/one")"
make "$dir/mixed" 10
[ "$(states "$dir/mixed")" = "bmp complete 2;png complete 40;" ] || fail "anything behind files: $(states "$dir/mixed")"
finish
