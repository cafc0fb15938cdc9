#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_step.sh - a picture that may be cut in two ways with as much between its pieces is not called fragmented.
#
# Goal: a JPEG in two pieces far apart, where the last sector before the second piece would do in place of the first piece's last one, as its codes are
# as long, is not called fragmented with those bytes, though the right cut proves nothing: a part of one shade lies behind it.
# Method: some differences of a picture's brightness are made one larger or smaller in a copy of one of its sectors.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import random, sys, types
sys.path.insert(0, sys.argv[2])
import samples

# A picture of random blocks, of which 1,800 in its middle have one shade: some 700 bytes of zeros.
def picture(before):
    rng = random.Random(5)
    levels = [rng.randrange(-400, 400) for _ in range(before)]
    levels += [levels[-1]] * 1800
    levels = iter(levels + [rng.randrange(-400, 400) for _ in range(200 * 200 - len(levels))])
    samples.random = types.SimpleNamespace(Random=lambda seed: types.SimpleNamespace(randrange=lambda low, high: next(levels)))
    return samples.jpg(5, 200, 200)

data = picture(15134)                           # so many that the zeros fill no sector, and none before them has an ff
flat = data.index(bytes(600))
sector = flat // 512 - 1
assert 20 < flat % 512 < 300 and b"\xff" not in data[512 * sector - 1:512 * sector + 513]
lengths = [2] + [3] * 5 + [4, 5, 6, 7, 8, 9]
codes, code = {}, 0
for symbol, length in enumerate(lengths):
    codes["{:0{}b}".format(code, length)] = symbol
    code = code + 1 << (lengths[symbol + 1] - length if symbol + 1 < len(lengths) else 0)

scan, bits = data.index(b"\xff\xda") + 10, []
where = scan
while where < len(data) - 2:
    bits += [(where, 7 - i, data[where] >> 7 - i & 1) for i in range(8)]
    where += 2 if data[where] == 0xff else 1
like, i = bytearray(data), 0
for _ in range(200 * 200):
    code = ""
    while code not in codes:
        code, i = code + str(bits[i][2]), i + 1
    i += codes[code]
    place, shift, _ = bits[i - 1]
    if codes[code] > 2 and place // 512 == sector and like[place] ^ 1 << shift != 0xff:
        like[place] ^= 1 << shift
    i += 1
cut = 512 * (sector + 1)
like = bytes(like[cut - 512:cut])
assert like != data[cut - 512:cut] and b"\xff" not in like
rng = random.Random(7)
between = rng.randbytes(512 * 149 - 512) + b"\xff\x01" * 256 + like
begin = 64 * 512
image = rng.randbytes(begin) + data[:cut] + between + data[cut:]
image += bytes(-len(image) % 512) + rng.randbytes(64 * 512)
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").write("jpg\t%d\t%d+%d,%d+%d\n" % (len(data), begin, cut, begin + cut + len(between), len(data) - cut))
PYTHON

expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/image"
[ "$(sqlite3 "$dir/case" "SELECT count(*) FROM objects WHERE type = 'jpg'")" -eq 1 ] || fail "the picture is not found"
expect 0 "" list --state fragmented "$dir/case"
[ -s "$dir/out" ] && fail "called fragmented: $(cat "$dir/out"), while it is $(cat "$dir/rows")"
finish
