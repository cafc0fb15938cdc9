#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_members.sh - an archive that proves none of its bytes goes on where a member of it does.
#
# Goal: tar archives in two and three pieces, cut inside of members that are proven, come back byte for byte as likely files, once each, and one
# that is cut in a text by resemblance; of one whose end is nowhere nothing is told; the objects themselves stay truncated; the members are called fragmented, and no archive
# is; the rows depend on neither threads nor when or how often it was done.
# Method: the archives are made here by Python's tarfile, and compared with the pieces that list gives and with what carve writes.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import io, random, sys, tarfile, zipfile
rng = random.Random(31)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
text = lambda size: b" ".join(rng.choices(words, k=size // 7))
filler = lambda sectors: rng.randbytes(512 * sectors)

def packed(size):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(3):
            z.writestr(zipfile.ZipInfo("text%d" % i), text(size), zipfile.ZIP_DEFLATED)
    return out.getvalue()

# The archive, and where its members begin.
def tar(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for i, data in enumerate(members):
            info = tarfile.TarInfo("folder/member%d" % i)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as t:
        return out.getvalue(), [m.offset_data for m in t.getmembers()]

image, rows, broken = bytearray(filler(64)), [], []
# Each cut with the sectors between; what comes to its end is a row that list has to give.
def put(name, data, cuts, whole=True, stays=False):
    places, last, begin = [], 0, len(image)
    for cut, gap in cuts + [(len(data), 9)]:
        places.append("%d+%d" % (len(image), cut - last))
        image.extend(data[last:cut] + filler(gap))
        last = cut
    if whole:
        rows.append("tar\tlikely\t%d\t%s\n" % (len(data), ",".join(places)))
        open(sys.argv[1] + "/" + name, "wb").write(data)
    if stays:
        broken.append("%d\n" % begin)
sector = lambda at: at // 512 * 512
a, at = tar(text(3000), packed(20000), text(5000), text(900))
put("two", a, [(sector(at[1] + 12000), 7)])
a, at = tar(text(2000), packed(20000), text(5000), packed(15000), text(1000))
put("three", a, [(sector(at[1] + 9000), 12), (sector(at[3] + 9000), 3)])
a, at = tar(text(2000), text(20000), packed(9000))
put("text", a, [(sector(at[1] + 9000), 12)], stays=True)
a, at = tar(text(2000), packed(20000), text(20000), text(20000))
put("lacking", a[:sector(at[3])], [(sector(at[1] + 9000), 5)], False, True)
image.extend(filler(64))
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines(rows)
open(sys.argv[1] + "/broken", "w").writelines(broken)
PYTHON

expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
burin list --likely "$dir/case"
check 0 "" "list"
grep -P '\ttar\t' "$dir/out" | cut -f 2,3,5,6 | cmp -s - "$dir/rows" || fail "pieces: $(cat "$dir/out"), not $(cat "$dir/rows")"
[ "$(sqlite3 "$dir/case" "SELECT sum(wrong = 20000), sum(wrong < 20000) FROM likely WHERE type = 'tar'")" = "2|1" ] || fail "the chance that they are wrong"
burin list --state fragmented "$dir/case"
[ "$(cut -f 2 "$dir/out" | sort | uniq -c | tr -s ' ')" = " 4 zip" ] || fail "members in pieces: $(cat "$dir/out")"
burin list --state truncated --types tar "$dir/case"
[ "$(cut -f 4 "$dir/out" | grep -cxFf "$dir/broken")" -eq 2 ] || fail "two archives stay truncated, and not: $(cat "$dir/out")"

expect 0 "" carve --quiet --likely --out "$dir/carved" "$dir/case"
find "$dir/carved/likely/tar" -type f -exec sha256sum {} + >"$dir/sums"
for name in two three text; do
    sum=$(sha256sum <"$dir/$name")
    grep -q "^${sum%% *}" "$dir/sums" || fail "no carved file is $name"
done

expect 0 "" list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
sqlite3 "$dir/case" "SELECT * FROM likely_pieces ORDER BY 1, 2" >"$dir/pieces"
again() {
    expect 0 "" list --digest "$dir/again"
    cmp -s "$dir/out" "$dir/digest" || fail "other rows $1"
    sqlite3 "$dir/again" "SELECT * FROM likely_pieces ORDER BY 1, 2" | cmp -s - "$dir/pieces" || fail "other pieces $1"
}
expect 0 "" scan --quiet --force --threads 7 --case "$dir/again" "$dir/image"
again "with 7 threads"
expect 0 "" scan --quiet --force --no-assemble --case "$dir/again" "$dir/image"
expect 0 "" assemble --quiet "$dir/again"
sqlite3 "$dir/again" "SELECT * FROM likely_pieces ORDER BY 1, 2" | cmp -s - "$dir/pieces" || fail "other pieces with burin assemble"
expect 0 "" assemble --quiet --effort 2 "$dir/again"
sqlite3 "$dir/again" "SELECT * FROM likely_pieces ORDER BY 1, 2" | cmp -s - "$dir/pieces" || fail "other pieces with more effort"
finish
