#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble.sh - files in pieces come back whole, and what cannot be proved stays truncated.
#
# Goal: archives cut in two and three pieces by foreign bytes or by a whole file, and a deleted file in the holes of a FAT volume, are carved byte for
# byte; an archive of which a sector is missing is never called whole; the rows depend on neither threads nor when it was done.
# Method: the files are made here, and compared with what carve writes; the FAT volume is made by mtools.
. "$(dirname "$0")/lib.sh"

# pieces OUT: an image with archives in pieces, and OUT.FILE for each file that is whole
python3 - "$dir" <<'PYTHON' || exit 1
import gzip, io, lzma, random, sys, tarfile, zipfile
rng = random.Random(20)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]

def archive(members, size, extra=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(members):
            text = b" ".join(rng.choices(words, k=size // 7))
            info = zipfile.ZipInfo("folder/text%d.txt" % i)
            info.compress_type, info.extra = zipfile.ZIP_DEFLATED, extra if i == 0 else b""
            z.writestr(info, text)
    return out.getvalue()

def pad(data):
    return data + bytes(-len(data) % 512)

filler = lambda sectors: rng.randbytes(512 * sectors)
image, names = bytearray(filler(64)), []
def put(*pieces):
    for p in pieces:
        image.extend(pad(p))
def keep(name, data):
    open(sys.argv[1] + "/" + name, "wb").write(data)
    names.append(name)

for i, gap in enumerate((1, 7, 33)):
    a = archive(6, 30000)
    cut = 512 * rng.randrange(2, len(a) // 512 - 1)
    put(a[:cut], filler(gap), a[cut:], filler(9))
    keep("two%d" % i, a)
a = archive(60, 15000)
third = len(a) // 3 // 512 * 512
put(a[:third], filler(5), a[third:2 * third], filler(12), a[2 * third:], filler(9))
keep("three", a)
a, b = archive(6, 30000), archive(2, 3000)  # a whole file begins right behind the first piece
cut = 512 * (len(a) // 1024)
put(a[:cut], b, filler(3), a[cut:], filler(9))
keep("between", a)
a = gzip.compress(b" ".join(rng.choices(words, k=2000)), mtime=0)   # a header of three bytes
put(a[:1024], filler(11), a[1024:], filler(9))
keep("gzip", a)
extra = b"\x34\x12\xb8\x0b" + rng.randbytes(3000)  # nothing proves these bytes: a cut outside of them is proven, one inside is not
a = archive(6, 30000, extra)
put(a[:8192], filler(5), a[8192:], filler(9))
keep("extra", a)
a = archive(6, 30000, extra)
put(a[:2048], filler(5), a[2048:], filler(9))
text = lambda size: b" ".join(rng.choices(words, k=size // 7))
a = lzma.compress(text(60000))              # LZMA2, and a CRC-64 over what it unpacks to
cut = 512 * (len(a) // 1200)
put(a[:cut], filler(6), a[cut:], filler(9))
keep("xz", a)

def tar_xz(name, size):
    out, data = io.BytesIO(), text(size)
    with tarfile.open(fileobj=out, mode="w:xz") as t:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()

a = b"!<arch>\n"                            # a package, whose members have check sums of their own alone
for name, data in ("debian-binary", b"2.0\n"), ("control.tar.xz", tar_xz("control", 2000)), ("data.tar.xz", tar_xz("text", 40000)):
    a += b"%-16s%-12d%-6d%-6d%-8o%-10d`\n" % (name.encode(), 0, 0, 0, 0o100644, len(data)) + data + b"\n" * (len(data) % 2)
cut = 512 * (len(a) // 1000)
put(a[:cut], filler(6), a[cut:], filler(9))
keep("deb", a)
a = archive(6, 30000)                       # a sector of it is nowhere
cut = 512 * (len(a) // 1024)
put(a[:cut], filler(4), a[cut + 512:], filler(70))
open(sys.argv[1] + "/lacking.at", "w").write(str(len(image)))
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/names", "w").write("\n".join(names) + "\n")
PYTHON

# carved FILE: whether carve wrote a file of these bytes
carved() {
    local sum
    sum=$(sha256sum <"$1" | cut -d ' ' -f 1)
    grep -q "$sum" "$dir/carved/sums" || fail "$2: no carved file is $1"
}

carve() {
    rm -rf "$dir/carved"
    burin carve --quiet --out "$dir/carved" "$1"
    check 0 "" "carve"
    find "$dir/carved" -type f -exec sha256sum {} + >"$dir/sums"
    mv "$dir/sums" "$dir/carved/sums"
}

burin scan --quiet --case "$dir/case" "$dir/image"
check 0 "" "scan"
carve "$dir/case"
while read -r name; do carved "$dir/$name" "pieces"; done <"$dir/names"
burin list --state fragmented "$dir/case"
check 0 "" "list"
[ "$(wc -l <"$dir/out")" -eq 9 ] || fail "9 files in pieces, and not: $(cat "$dir/out")"
burin list --state truncated --types zip "$dir/case"
[ "$(wc -l <"$dir/out")" -ge 1 ] || fail "the archive that lacks a sector is not truncated"
[ "$(sqlite3 "$dir/case" "SELECT count(*) FROM joins WHERE kind = 'decoder' AND bits >= 32")" -eq 10 ] || fail "10 seams"
[ "$(sqlite3 "$dir/case" "PRAGMA foreign_key_check; SELECT count(*) FROM pieces JOIN assembled USING (object_id)")" -eq 19 ] ||
    fail "19 pieces"

# What reports say of the seams.
burin list --json --state fragmented "$dir/case"
python3 - "$dir/out" <<'PYTHON' || fail "seams in list --json: $(head -c 600 "$dir/out")"
import json, sys
for row in json.load(open(sys.argv[1])):
    pieces = [e["length"] for e in row["extents"]]
    assert [s["at"] for s in row["seams"]] == [sum(pieces[:i]) for i in range(1, len(pieces))]
    assert all(s["kind"] == "decoder" and s["bits"] >= 32 and s["tried"] >= 1 and s["proof"] for s in row["seams"])
PYTHON
[ "$(grep -c 'fragmented, [23] pieces by decoder: ' "$dir/carved/audit.txt")" -eq 9 ] || fail "seams in audit.txt"
[ "$(grep -c '<burin:seams kind="decoder" bits="[0-9]*" tried="[0-9]*">.*</burin:seams>' "$dir/carved/report.xml")" -eq 9 ] ||
    fail "seams in report.xml"
burin list --digest "$dir/case"
cp "$dir/out" "$dir/digest"

# The rows are the same for any number of threads, and when assembly comes later.
for threads in 1 2 7; do
    burin scan --quiet --force --threads "$threads" --case "$dir/again" "$dir/image"
    burin list --digest "$dir/again"
    cmp -s "$dir/out" "$dir/digest" || fail "other rows with $threads threads"
done
burin scan --quiet --force --no-assemble --case "$dir/later" "$dir/image"
check 0 "" "scan --no-assemble"
[ "$(sqlite3 "$dir/later" "SELECT count(*) FROM assembled")" -eq 0 ] || fail "--no-assemble assembles"
burin assemble --json --effort 1 "$dir/later"
check 0 "" "assemble"
grep -q '"assembled": 9' "$dir/out" || fail "assemble says: $(cat "$dir/out")"
burin list --digest "$dir/later"
cmp -s "$dir/out" "$dir/digest" || fail "burin assemble gives other rows than burin scan"
burin assemble --quiet --threads 3 "$dir/later"
check 0 "" "assemble again"
burin list --digest "$dir/later"
cmp -s "$dir/out" "$dir/digest" || fail "what was assembled is assembled again"
burin verify --quiet "$dir/later"
check 0 "" "verify"
expect 2 "effort" assemble --effort 0 "$dir/later"
expect 3 "no such file|cannot be" assemble "$dir/nowhere"

# What lies in a whole file is a part of it, and not tried as a file of its own: a member of an archive that begins between
# sectors, of which some members begin on one.
python3 - "$dir/members" <<'PYTHON' || exit 1
import io, sys, zipfile
archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as z:
    for i in range(8):                  # the name is so long that the next member begins on a sector
        text = b"plain text, stored\n" * 200
        z.writestr(zipfile.ZipInfo(str(i) + "m" * (511 - (100 + archive.tell() + 30 + len(text)) % 512)), text)
open(sys.argv[1], "wb").write(b"\xa5" * 100 + archive.getvalue())
PYTHON
[ "$(grep -abo $'PK\x03\x04' "$dir/members" | awk -F: '$1 % 512 == 0' | wc -l)" -ge 1 ] || fail "no member begins on a sector"
burin scan --quiet --force --case "$dir/memberscase" "$dir/members"
check 0 "" "scan of members"
[ "$(sqlite3 "$dir/memberscase" "SELECT count(*) FROM log WHERE text LIKE '%, 0 bytes of work%'")" -eq 1 ] ||
    fail "members of a whole archive are tried: $(sqlite3 "$dir/memberscase" "SELECT text FROM log WHERE text LIKE '%tried%'")"

# A file in the holes of a FAT volume, deleted: nothing but its first cluster and its length are left.
if command -v mformat >/dev/null; then
    export MTOOLS_SKIP_CHECK=1
    fat=$dir/fat
    mformat -C -i "$fat" -T 16384 -c 4 -h 16 -s 32 :: || fail "mformat"
    for i in 1 2 3 4 5 6 7 8; do
        head -c 50000 /dev/urandom | base64 >"$dir/spacer"
        mcopy -i "$fat" "$dir/spacer" "::S$i.TXT"
    done
    free=$(mdir -i "$fat" :: | tr -d ' ' | sed -n 's/bytesfree//p')
    head -c "$((free - 2048))" /dev/zero | tr '\0' 'x' >"$dir/spacer"
    mcopy -i "$fat" "$dir/spacer" ::ALL.TXT || fail "the volume is not full"
    for i in 2 4 6 7; do mdel -i "$fat" "::S$i.TXT"; done
    mcopy -i "$fat" "$dir/two1" ::A.ZIP || fail "no room for A.ZIP"
    [ "$(mshowfat -i "$fat" ::A.ZIP | grep -o '<' | wc -l)" -gt 1 ] || fail "A.ZIP lies in one piece"
    mdel -i "$fat" ::A.ZIP
    burin scan --quiet --case "$dir/fatcase" "$fat"
    check 0 "" "scan of a FAT volume"
    carve "$dir/fatcase"
    carved "$dir/two1" "FAT"
    # Without file systems the holes are not known, and nothing else may be called whole.
    burin scan --quiet --no-file-systems --force --case "$dir/fatcase" "$fat"
    check 0 "" "scan --no-file-systems"
else
    echo "skipped in part: mtools is not installed"
fi
finish
