#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/changed.sh - carve writes what was scanned and nothing else: objects whose bytes changed since are refused and listed, one by
# one, and another image of the same size is refused as a whole.
# Labels: long
. "$(dirname "$0")/../lib.sh"
python3 - "$dir" <<'PY'
import math, random, struct, sys, zlib
d, = sys.argv[1:]
r = random.Random(3)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(size):
    raw = b"".join(b"\0" + r.randbytes(3 * 256) for _ in range(size))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, size, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw, 0)) + chunk(b"IEND", b"")
tone = struct.pack("<50000h", *(int(12000 * math.sin(i / 50) + r.randrange(-40, 40)) for i in range(50000)))
def wav(size):
    data = (tone * (size // len(tone) + 1))[:size]
    return b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 44100, 88200, 2, 16) + b"data" + struct.pack("<I", size) + data
image = open(d + "/image.raw", "wb")
rows = []
at = 1 << 20
for body in (png(40), png(3000), wav(5_000_000), png(4000), png(300), wav(20_000_000)):
    image.seek(at)
    image.write(body)
    rows.append((at, len(body)))
    at = (at + len(body) + 4095) // 4096 * 4096
image.truncate(80 << 20)
image.close()
open(d + "/places", "w").write("".join("%d %d\n" % row for row in rows))
open(d + "/other.raw", "wb").writelines([r.randbytes(1 << 20)] * 80)
PY
expect 0 "" scan --quiet --case "$dir/case" "$dir/image.raw"
count=$(wc -l <"$dir/places")
[ "$(sqlite3 -readonly "$dir/case" 'SELECT count(*) FROM objects WHERE crc64 IS NOT NULL')" = "$count" ] || fail "objects: $(sqlite3 -readonly "$dir/case" 'SELECT type, offset, len, crc64 FROM objects')"
# The CRC-64 is what xz calls CRC64: compared with Python's own of the same polynomial.
python3 - "$dir" <<'PY' || fail "a checksum is not the CRC-64 of the object's bytes"
import sqlite3, sys
d, = sys.argv[1:]
table = []
for i in range(256):
    for _ in range(8):
        i = (i >> 1) ^ (0xC96C5795D7870F42 if i & 1 else 0)
    table.append(i)
def crc64(data):
    c = 2**64 - 1
    for b in data:
        c = table[(c ^ b) & 255] ^ (c >> 8)
    return c ^ (2**64 - 1)
assert crc64(b"123456789") == 0x995DC9BBDF1939FA
image = open(d + "/image.raw", "rb")
for offset, length, crc in sqlite3.connect("file:" + d + "/case?mode=ro", uri=True).execute("SELECT offset, len, crc64 FROM objects WHERE len < 4000000 ORDER BY len LIMIT 3"):
    image.seek(offset)
    assert crc64(image.read(length)) == crc % 2**64, offset
PY
cp "$dir/case" "$dir/kept"

# change OFFSET: one bit of this byte of the image.
change() {
    local byte
    byte=$(od -An -tu1 -j "$1" -N 1 "$dir/image.raw")
    printf '%b' "\\x$(printf %02x $((byte ^ 1)))" | dd of="$dir/image.raw" bs=1 seek="$1" conv=notrunc status=none
}
# carved WANT: how many files come out of the case as it was after the scan.
carved() {
    rm -rf "$dir/out.carved"
    cp "$dir/kept" "$dir/case"
    burin carve --out "$dir/out.carved" "$dir/case"
    [ "$(find "$dir/out.carved" -type f ! -name audit.txt ! -name report.xml | wc -l)" = "$1" ] || fail "$2: $(ls -R "$dir/out.carved")"
}
carved "$count" "nothing changed"
[ "$status" -eq 0 ] || fail "nothing changed: status $status: $(cat "$dir/err")"
grep -q "fingerprint" "$dir/err" && fail "nothing changed: $(cat "$dir/err")"

row=0
while read -r offset len; do
    row=$((row + 1))
    for at in "$offset" $((offset + len / 2)) $((offset + len - 1)); do
        change "$at"
        carved $((count - 1)) "byte $at changed"
        [ "$status" -eq 1 ] || fail "byte $at changed: status $status: $(cat "$dir/err")"
        grep -q "object [0-9]* at offset $offset: not written: its bytes changed since the scan" "$dir/err" || fail "byte $at changed: $(cat "$dir/err")"
        grep -q "^Not written: object [0-9]* at offset $offset: its bytes changed since the scan" "$dir/out.carved/audit.txt" || fail "audit.txt: byte $at"
        grep -q "its bytes changed since the scan" "$dir/out.carved/report.xml" || fail "report.xml: byte $at"
        [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM log WHERE text LIKE 'object % not written: its bytes changed%'")" = 1 ] || fail "log: byte $at"
        change "$at"
        [ "$row" -lt 3 ] || break
    done
    # The bytes beside it are not its own.
    change $((offset - 1))
    change $((offset + len))
    carved "$count" "bytes beside $offset changed"
    change $((offset - 1))
    change $((offset + len))
done <"$dir/places"

# A time alone is told; contents that were hashed by an earlier carve are compared too.
touch -d '2020-01-01 UTC' "$dir/image.raw"
carved "$count" "the time changed"
[ "$status" -eq 0 ] && grep -q "was last written to at 2020-01-01T00:00:00" "$dir/err" || fail "the time changed: status $status: $(cat "$dir/err")"
rm -rf "$dir/again"
sqlite3 "$dir/case" "UPDATE objects SET crc64 = NULL"
change $(($(head -1 "$dir/places" | cut -d' ' -f1) + 100))
burin carve --out "$dir/again" "$dir/case"
[ "$status" -eq 1 ] && grep -q "its bytes changed since they were hashed" "$dir/err" || fail "an object that was hashed: status $status: $(cat "$dir/err")"
change $(($(head -1 "$dir/places" | cut -d' ' -f1) + 100))

# 40 MiB overwritten.
cp "$dir/image.raw" "$dir/whole.raw"
dd if="$dir/other.raw" of="$dir/image.raw" bs=1M seek=20 skip=20 count=40 conv=notrunc status=none
lost=$(awk '$1 + $2 > 20 * 1048576 && $1 < 60 * 1048576' "$dir/places" | wc -l)
carved $((count - lost)) "40 MiB overwritten"
[ "$status" -eq 1 ] && grep -qE "image.raw changed since it was scanned: [0-9]+ of [0-9]+ blocks of its fingerprint differ, the first at offset 2[0-9]{7}" "$dir/err" ||
    fail "40 MiB overwritten: status $status: $(head -3 "$dir/err")"
cp "$dir/whole.raw" "$dir/image.raw"

# Another image of the same size; any file of that size that a case file from elsewhere names.
cp "$dir/kept" "$dir/case"
expect 3 "other.raw: not the image that was scanned: all [0-9]+ blocks" carve --out "$dir/none" --image "$dir/other.raw" "$dir/case"
sqlite3 "$dir/case" "UPDATE images SET path = '$dir/other.raw'"
expect 3 "not the image that was scanned" carve --out "$dir/none" "$dir/case"
sqlite3 "$dir/case" "DELETE FROM image_samples; UPDATE objects SET crc64 = NULL"
expect 3 "has no fingerprint of this image.*--image" carve --out "$dir/none" "$dir/case"
[ ! -e "$dir/none" ] || fail "a refused carve makes its folder"
# The owner of an old case file says which image it is, and is told what cannot be told.
burin carve --out "$dir/old" --image "$dir/image.raw" "$dir/case"
[ "$status" -eq 0 ] && grep -q "^scanned without a checksum: $count file" "$dir/err" || fail "a case without fingerprints: status $status: $(cat "$dir/err")"

# A search records the image as well, and a scan later keeps that.
expect 0 "" search --quiet --no-file-systems --case "$dir/searched" "$dir/image.raw" IHDR
before=$(sqlite3 -readonly "$dir/searched" 'SELECT count(*), min(sha256), max(sha256) FROM image_samples; SELECT size, modified FROM image_parts')
expect 0 "" scan --quiet --case "$dir/searched" "$dir/image.raw"
[ "$(sqlite3 -readonly "$dir/searched" 'SELECT count(*), min(sha256), max(sha256) FROM image_samples; SELECT size, modified FROM image_parts')" = "$before" ] || fail "a scan behind a search takes the fingerprint again"
[ "${before%%|*}" -ge 200 ] || fail "samples: $before"
finish
