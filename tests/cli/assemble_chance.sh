#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_chance.sh - a picture whose last piece is short, and was found among many places: another picture's end would do as well
# once in a while, so it is likely, with the chance that the places tried give, and is not called fragmented.
#
# Method: a JPEG without restart markers is cut in two, with random bytes between; the pieces are compared with those of list. With few
# sectors between them few places are tried, and the same picture is proven.
. "$(dirname "$0")/lib.sh"

# image GAP : the picture's pieces, so many sectors apart; their places go to "rows".
image() {
    PYTHONPATH=$cli python3 - "$dir" "$1" <<'PYTHON' || exit 1
import random, sys
import samples
data, gap = samples.jpg(5, 80, 80), int(sys.argv[2]) * 512
rng = random.Random(7)
cut = len(data) // 1024 * 512
image = bytearray(rng.randbytes(64 * 512) + data[:cut] + rng.randbytes(gap) + data[cut:])
image += bytes(-len(image) % 512) + rng.randbytes(64 * 512)
open(sys.argv[1] + "/image", "wb").write(image)
at = 64 * 512
open(sys.argv[1] + "/rows", "w").write("jpg\t%d\t%d+%d,%d+%d\n" % (len(data), at, cut, at + cut + gap, len(data) - cut))
PYTHON
    rm -f "$dir/case" "$dir/case.seal"
    expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/image"
}
image 150
burin list --likely "$dir/case"
check 0 "" "list --likely"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "far apart: $(cat "$dir/out"), not $(cat "$dir/rows")"
[ "$(sqlite3 "$dir/case" "SELECT wrong = 50 * tried AND tried >= 32 FROM likely")" = 1 ] || fail "the chance: $(sqlite3 "$dir/case" "SELECT * FROM likely")"
burin list --state fragmented "$dir/case"
check 0 "" "list"
[ -s "$dir/out" ] && fail "called fragmented: $(cat "$dir/out")"
image 2
burin list --state fragmented "$dir/case"
check 0 "" "list"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "near: $(cat "$dir/out"), not $(cat "$dir/rows")"
finish
