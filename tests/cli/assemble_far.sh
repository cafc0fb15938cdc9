#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_far.sh - the second piece of a file that lies far away, and before the first one.
#
# Goal: archives and pictures whose pieces are thousands of sectors apart, in order and not, around each other, with other archives' ends between,
# come back as proven files, byte for byte; of one whose end is nowhere nothing is told; a picture that may be cut among its colours, where any
# picture of the same size goes on, is not called proven; the rows depend on no threads.
# Method: the files are made here, archives by Python's zipfile, and compared with the pieces that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import io, random, sys, zipfile
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(12)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
filler = lambda sectors: rng.randbytes(512 * sectors)
pad = lambda data: data + bytes(-len(data) % 512)

def archive(members, size, first="document"):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(members):
            z.writestr(zipfile.ZipInfo(first if i == 0 else "part%d" % i), b" ".join(rng.choices(words, k=size // 7)), zipfile.ZIP_DEFLATED)
    return out.getvalue()

# A member that is stored, behind a text.
def stored(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo("text"), b" ".join(rng.choices(words, k=300)), zipfile.ZIP_DEFLATED)
        z.writestr(zipfile.ZipInfo("picture"), rng.randbytes(size), zipfile.ZIP_STORED)
    return out.getvalue()

image, rows = bytearray(filler(40)), []
def put(piece, gap):
    at = len(image)
    image.extend(pad(piece) + filler(gap))
    return at
def row(data, cut, first, second, kind="zip"):
    rows.append((first, kind + "\tfragmented\t%d\t%d+%d,%d+%d\n" % (len(data), first, cut, second, len(data) - cut)))

a, b, c, d, lost = archive(3, 30000), archive(1, 90000), archive(4, 12000), archive(2, 20000), archive(3, 30000)
first = put(a[:9216], 9)
put(archive(2, 3000), 4000)                                                      # whole, and begins as the others do
row(a, 9216, first, put(a[9216:], 5))
second = put(b[20480:], 3000)
row(b, 20480, put(b[:20480], 20), second)                                        # out of order
first, its = put(c[:4608], 70), put(d[:7168], 5000)
row(c, 4608, first, put(c[4608:], 70))                                           # around each other
row(d, 7168, its, put(d[7168:], 3))
put(lost[:8192], 500)
e, f, g = stored(150000), samples.png(5, 200, 140, 8192), samples.png(6, 190, 150, 8192)
row(e, 51200, put(e[:51200], 900), put(e[51200:], 20))
row(f, 11776, put(f[:11776], 2500), put(f[11776:], 4), "png")
second = put(g[14336:], 700)
row(g, 14336, put(g[:14336], 8), second, "png")
put(samples.gif(1, 90, 90)[:512] + filler(3) + samples.gif(2, 90, 90)[512:], 30)
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines(text for _, text in sorted(rows))
PYTHON

expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/image"
burin list --state fragmented "$dir/case"
cut -f 2,3,5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "pieces: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/rows")"
expect 0 "" list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
expect 0 "" scan --quiet --force --threads 7 --image-type raw --case "$dir/again" "$dir/image"
expect 0 "" list --digest "$dir/again"
cmp -s "$dir/out" "$dir/digest" || fail "other rows with 7 threads"
finish
