#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_holes.sh - files whose pieces fill holes of a volume, in any order, and nothing says where they are.
#
# Goal: an archive in four pieces, packed text that fills three holes to their ends, a stream of packets in three and a page in two, out of order and
# far apart, come back byte for byte: what its validator proves as fragmented, the others as likely; a piece that begins behind the last piece of
# another file in the same hole is found; of an archive of which a piece is missing nothing is told; no file in one piece is another one; the rows do
# not depend on threads.
# Method: a volume of clusters of 4 KiB is made here without a file system; its holes are what the files in one piece leave between them.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import gzip, io, random, struct, sys, zipfile
rng, unit = random.Random(11), 4096
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
text = lambda n: " ".join(rng.choices(words, k=n))

def archive(n):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(n):
            z.writestr(zipfile.ZipInfo("text%d" % i), text(700), zipfile.ZIP_DEFLATED)
    return out.getvalue()

def page(n):
    rows = "".join("<p id='p%d'>%s</p>\n" % (i, text(40)) for i in range(n))
    return ("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n%s</body></html>\n" % (text(4), rows)).encode()

def packets(size):
    block = lambda kind, body: struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 65535))
    while len(out) < size:
        data = text(rng.randrange(20, 90)).encode()
        out += block(6, struct.pack("<IIIII", 0, 0, len(out), len(data), len(data)) + data + bytes(-len(data) % 4))
    return out

image, whole, holes = bytearray(), [], []
clusters = lambda data: -(-len(data) // unit)
for i in range(72):                         # files in one piece, and holes of one to seven clusters behind most of them
    data = gzip.compress(text(rng.randrange(900, 4000)).encode(), mtime=0)
    whole.append(("gz", [(len(image), len(data))]))
    image += data + bytes(-len(data) % unit)
    if i % 3:
        size = rng.randrange(4, 8)
        holes.append([len(image), size])
        image += rng.randbytes(size * unit)  # of files that were written over
rng.shuffle(holes)

def plant(kind, data, last_in=None, leave_out=None):
    """Fills one hole after the other. last_in: the hole that has the last piece of another file already."""
    runs, at = [], 0
    while at < len(data):
        begin, room = last_in if last_in and runs else holes.pop()
        last_in = None if runs else last_in
        part = data[at:at + room * unit]
        if len(runs) != leave_out:           # the rest of its last cluster is zeros
            image[begin:begin + clusters(part) * unit] = part + bytes(-len(part) % unit)
        runs.append((begin, len(part)))
        at += len(part)
    rest = (runs[-1][0] + clusters(part) * unit, room - clusters(part))
    return (kind, runs), rest

rows = {"fragmented": [], "likely": []}
first, rest = plant("zip", archive(24))
rows["fragmented"].append(first)
assert len(first[1]) == 4 and rest[1] == 2, (first, rest)
rows["likely"].append(plant("pcapng", packets(60000), last_in=rest)[0])
rows["likely"].append(plant("html", page(130))[0])
rows["fragmented"].append(plant("zip", archive(14))[0])
plant("zip", archive(16), leave_out=1)
# One that fills all of its holes, but for a few bytes.
room, packed, many = unit * sum(size for _, size in holes[-3:]), b"", 2000
while not room - 64 < len(packed) < room:
    packed = gzip.compress(text(many).encode(), mtime=0)
    many += (room - len(packed)) // 3 or 1
rows["fragmented"].append(plant("gz", packed)[0])
open(sys.argv[1] + "/image", "wb").write(image)
for name, files in list(rows.items()) + [("complete", whole)]:
    lines = sorted((runs[0][0], "%s\t%s\n" % (kind, ",".join("%d+%d" % run for run in runs))) for kind, runs in files)
    open("%s/%s.rows" % (sys.argv[1], name), "w").writelines(line for _, line in lines)
PYTHON

rows() {
    expect 0 "" list "$@" "$dir/case"
    cut -f 2,6 "$dir/out"
}
for threads in 1 5; do
    expect 0 "" scan --quiet --force --image-type raw --threads "$threads" --case "$dir/case" "$dir/image"
    rows --state complete | cmp -s - "$dir/complete.rows" || fail "in one piece: $(rows --state complete), not $(cat "$dir/complete.rows")"
    rows --state fragmented | cmp -s - "$dir/fragmented.rows" || fail "proven: $(rows --state fragmented), not $(cat "$dir/fragmented.rows")"
    rows --likely | cmp -s - "$dir/likely.rows" || fail "likely: $(rows --likely), not $(cat "$dir/likely.rows")"
done
finish
