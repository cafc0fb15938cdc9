#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_braid.sh - files in pieces around each other, farther apart than places are tried one by one.
#
# Goal: of two files that are intertwined, the second piece of the first begins where the second one breaks, and the rest of that one where the first
# one ends; an archive goes on behind a whole file that lies between its pieces: all three come back byte for byte, called fragmented. A page around
# a whole picture comes back as a likely file.
# Method: pictures and archives made here, without a file system, each piece of at least 80 sectors.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import gzip, io, random, struct, sys, zipfile, zlib
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(21)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
text = lambda n: " ".join(rng.choices(words, k=n)).encode()
image, rows = bytearray(rng.randbytes(300 * 512)), []

def put(data):
    image.extend(data + bytes(-len(data) % 512))
    return len(image) - len(data) - -len(data) % 512, len(data)

def piece(data, *sectors):
    return [data[a * 512:b * 512] for a, b in zip((0, *sectors), (*sectors, len(data)))]

def picture(rows):
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    packed = zlib.compress(b"".join(b"\0" + rng.randbytes(99) for _ in range(rows)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 99, rows, 8, 0, 0, 0, 0)) +
            b"".join(chunk(b"IDAT", packed[at:at + 300]) for at in range(0, len(packed), 300)) + chunk(b"IEND", b""))

one, two = (piece(picture(1200), cut) for cut in (150, 120))
runs = [put(part) for part in (one[0], two[0], one[1], two[1])]
rows += [("png", runs[0::2]), ("png", runs[1::2])]
image += rng.randbytes(200 * 512)
page = b"<html><head><title>page</title></head><body>\n" + b"".join(b"<p>%s</p>\n" % text(60) for i in range(120)) + b"</body></html>\n"
first, second = piece(page, 40)
runs = [put(first)]
put(samples.jpg(5, 200, 200))
runs.append(put(second))
likely = ("html", runs)
image += rng.randbytes(200 * 512)
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for i in range(4):
        z.writestr(zipfile.ZipInfo("text%d" % i), text(9000), zipfile.ZIP_DEFLATED)
first, second = piece(out.getvalue(), 90)
start = put(first)
put(gzip.compress(text(20000), mtime=0))
rows.append(("zip", [start, put(second)]))
image += rng.randbytes(300 * 512)
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines("%s\t%s\n" % (kind, ",".join("%d+%d" % run for run in runs)) for kind, runs in rows)
print("%s\t%s" % (likely[0], ",".join("%d+%d" % run for run in likely[1])), file=open(sys.argv[1] + "/likely", "w"))
PYTHON

for threads in 1 3; do
    expect 0 "" scan --quiet --force --image-type raw --threads "$threads" --case "$dir/case" "$dir/image"
    expect 0 "" list --state fragmented "$dir/case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/rows" || fail "$threads threads: $(cut -f 2,6 "$dir/out"), not $(cat "$dir/rows")"
    expect 0 "" list --likely "$dir/case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/likely" || fail "$threads threads: likely: $(cut -f 2,6 "$dir/out"), not $(cat "$dir/likely")"
done
finish
