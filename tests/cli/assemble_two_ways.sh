#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_two_ways.sh - two ways that both pass are not proven.
#
# Goal: a cabinet in two pieces, all of whose blocks have their checksum, comes back as fragmented where one second piece follows it, and is not called
# so where there are two, each with right checksums: near each other without a file system, and in the holes of a volume.
# Method: cabinets are made here; a piece ends where a block does, so that any other blocks of the same size may follow.
# Labels: long
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import gzip, random, struct, sys
sys.path.insert(0, sys.argv[2])
import samples
rng, unit = random.Random(3), 4096

def block(size):
    data = rng.randbytes(size - 8)
    sizes = struct.pack("<HH", len(data), len(data))
    words = struct.unpack("<%dI" % (len(data) // 4 + 1), data + sizes)
    check = 0
    for word in words:
        check ^= word
    return struct.pack("<I", check) + sizes + data

def blocks(size):
    return b"".join(block(min(512, size - at)) for at in range(0, size, 512))

def head(size, rest):
    """The first piece of a cabinet, of so many bytes, with so many behind them."""
    file_at, first = 36 + 8, 36 + 8 + 16 + 4
    count = -(-(size - first) // 512) + -(-rest // 512)
    return (b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, size + rest, 0, file_at, 0, 3, 1, 1, 1, 0, 7, 0) +
            struct.pack("<IHH", first, count, 0) + struct.pack("<IIHHHH", size + rest - first - 8 * count, 0, 0, 0, 0, 32) + b"one\0" +
            blocks(size - first))

def near():
    image, rows = bytearray(rng.randbytes(512 * 64)), []
    for ways in (1, 2, 1, 2):
        first, at = head(8 * 512, 2660), len(image)
        image += first
        for way in range(ways):
            image += rng.randbytes(512 * 6)
            begin, second = len(image), blocks(2660)
            image += second + bytes(412)
        image += rng.randbytes(512 * 200)       # farther away than a piece is looked for
        if ways == 1:
            rows.append([(at, len(first)), (begin, len(second))])
    return image, rows

def volume():
    image, holes, rows = bytearray(), [], []
    for i in range(60):
        data = gzip.compress(rng.randbytes(rng.randrange(3000, 9000)), mtime=0)
        image += data + bytes(-len(data) % unit)
        holes.append(len(image))
        image += rng.randbytes(2 * unit)
    rng.shuffle(holes)
    for number, ways in enumerate((1, 2, 1, 2, 2)):
        size = 5000 + 400 * number              # no other one's blocks end where its own do
        first, at = head(2 * unit, size), holes.pop()
        image[at:at + 2 * unit] = first
        for way in range(ways):
            # The last one has a second piece in the next hole, and one far away.
            begin = holes.pop() if number < 4 or way else min((h for h in holes if h > at), key=lambda h: h - at)
            second = blocks(size)
            image[begin:begin + 2 * unit] = second + bytes(2 * unit - size)
        if ways == 1:
            rows.append([(at, len(first)), (begin, len(second))])
    return image, rows

def picture():
    """The first one of two images ends where a sector does, behind a comment that is as long as that takes."""
    one = samples.gif(7, 70, 60)[:-1]
    screen = 13 + 768
    rest = -(len(one) + 4) % 512 + 4
    left, comment = rest - 3, b"\x21\xfe"
    while left > 0:
        step = min(left - 1, 255)
        comment += bytes([step]) + b"x" * step
        left -= step + 1
    whole = one[:screen] + comment + b"\0" + one[screen:]
    image = bytearray(rng.randbytes(512 * 64)) + whole
    assert len(image) % 512 == 0
    for sector in range(200):
        image += (b";" if sector == 9 else b"!") + rng.randbytes(511)
    return image, []

for name, make in (("near", near), ("volume", volume), ("picture", picture)):
    image, rows = make()
    open("%s/%s" % (sys.argv[1], name), "wb").write(image)
    with open("%s/%s.rows" % (sys.argv[1], name), "w") as out:
        out.writelines("cab\t%s\n" % ",".join("%d+%d" % run for run in runs) for runs in sorted(rows))
PYTHON

for name in near volume picture; do
    expect 0 "" scan --quiet --image-type raw --case "$dir/$name.case" "$dir/$name"
    expect 0 "" list --state fragmented "$dir/$name.case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/$name.rows" || fail "$name: $(cat "$dir/out"), not $(cat "$dir/$name.rows")"
done
finish
