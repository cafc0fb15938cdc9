#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_slide.sh - ways of which others are as good are not told as likely.
#
# Goal: pictures whose header says how much lies between their pieces, and whose validator takes any pixels, come back as likely where those between
# are unlike theirs, and are not told where they could be cut anywhere; sounds that are whole, with a loud part in their middle and another file as
# far behind their end, are not told in two pieces around that part; pages like many others of the image come back where zeros follow their end, and
# are not told where random bytes do.
# Method: the files are made here; rows of likely files are compared with where their pieces were put.
# Labels: long
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import random, struct, sys
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(1)
filler = lambda sectors: rng.randbytes(512 * sectors)

def pixels(length, low=90, high=140):
    return bytes(rng.choices(range(low, high), k=length))

def tiff(rows):
    strip = pixels(160 * rows)
    entry = lambda tag, kind, value: struct.pack("<HHII", tag, kind, 1, value)
    entries = [entry(256, 4, 160), entry(257, 4, rows), entry(258, 3, 8), entry(259, 3, 1), entry(262, 3, 1), entry(273, 4, 8), entry(277, 3, 1),
               entry(278, 4, rows), entry(279, 4, len(strip))]
    return b"II*\0" + struct.pack("<I", 8 + len(strip)) + strip + struct.pack("<H", len(entries)) + b"".join(entries) + bytes(4)

image, rows = bytearray(filler(64)), []
for number in range(8):
    one, gap = tiff(rng.randrange(60, 120)), rng.randrange(3, 30)
    cut, at = 512 * rng.randrange(4, len(one) // 512 - 4), len(image)
    unlike = number >= 6
    image += one[:cut] + (pixels(512 * gap, 20, 40) if unlike else pixels(512 * gap)) + one[cut:]
    image += bytes(-len(image) % 512) + filler(100)
    if unlike:
        rows.append("tiff\t%d+%d,%d+%d\n" % (at, cut, at + cut + 512 * gap, len(one) - cut))
open(sys.argv[1] + "/pictures", "wb").write(image)
open(sys.argv[1] + "/pictures.rows", "w").writelines(rows)

def tone(length, loud):
    data, value = bytearray(), 0.0
    for at in range(0, length, 2):
        value = .9 * value + rng.gauss(0, loud(at) / 3)
        data += struct.pack(">h", max(-32000, min(32000, int(value))))
    return bytes(data)

# It grows loud, and quiet again, within a sector on each side.
def swell(first, last):
    def loud(at):
        inside = max(-1, min(1, at / 512 - first, last - at / 512))
        return 3 * 1000 ** ((inside + 1) / 2)
    return loud

image = bytearray(filler(64))
for number in range(12):
    gap, first = rng.randrange(6, 20), rng.randrange(8, 20)
    body = tone(512 * (first + gap + 14) - 24 - 2 * rng.randrange(50, 200), swell(first, first + gap))
    image += b".snd" + struct.pack(">IIIII", 24, len(body), 3, 8000, 1) + body
    image += tone(-len(image) % 512 + 512 * gap, lambda at: 3) + samples.png(3, 3, number)
    image += bytes(-len(image) % 512) + filler(100)
open(sys.argv[1] + "/sounds", "wb").write(image)
open(sys.argv[1] + "/sounds.rows", "w").close()

rng = random.Random(1)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(600)]
text = lambda count: " ".join(rng.choices(words, k=count))

def page(count):
    rows = "".join("<p>%s</p>\n" % text(9) for _ in range(count))
    return ("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n%s</body></html>\n" % (text(4), rows)).encode()

image, rows = bytearray(filler(64)), []
for number in range(12):
    image += page(rng.randrange(60, 120))
    image += bytes(-len(image) % 512)
image += filler(64)
for number in range(6):
    one, gap = page(rng.randrange(60, 120)), rng.randrange(3, 30)
    cut, at = 512 * rng.randrange(6, len(one) // 512 - 2), len(image)
    image += one[:cut] + filler(gap) + one[cut:] + (bytes if number < 3 else rng.randbytes)(-len(one) % 512) + filler(100)
    if number < 3:
        rows.append("html\t%d+%d,%d+%d\n" % (at, cut, at + cut + 512 * gap, len(one) - cut))
open(sys.argv[1] + "/pages", "wb").write(image)
open(sys.argv[1] + "/pages.rows", "w").writelines(rows)
PYTHON

for name in pictures sounds pages; do
    expect 0 "" scan --quiet --image-type raw --case "$dir/$name.case" "$dir/$name"
    expect 0 "" list --likely "$dir/$name.case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/$name.rows" || fail "$name: $(cat "$dir/out"), not $(cat "$dir/$name.rows")"
done
[ "$(sqlite3 "$dir/sounds.case" "SELECT count(*) FROM objects WHERE type = 'au' AND state = 'complete'")" -eq 12 ] || fail "the sounds are not whole: $(sqlite3 "$dir/sounds.case" "SELECT * FROM objects")"
finish
