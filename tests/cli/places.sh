#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/places.sh - of an object in a file: the path, the state and the times of that file, as other tools have them or set them:
# ext4 (debugfs), NTFS (istat), FAT (mtools), in whatever time zone burin runs.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
for tool in mke2fs debugfs mkfs.vfat mcopy mkntfs ntfscp istat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done
export TZ=America/New_York

mkdir -p "$dir/src/Users/a"
python3 - "$dir/src/Users/a" <<'PY'
import random, struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for name in ("x", "y"):
    rng = random.Random(name)
    raw = b"".join(b"\0" + rng.randbytes(99) for _ in range(90))
    open(f"{sys.argv[1]}/{name}.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 99, 90, 8, 0, 0, 0, 0)) +
                                                  chunk(b"IDAT", zlib.compress(raw, 0)) + chunk(b"IEND", b""))
PY
# places IMAGE: path, kind, modified, accessed, changed and created of each object.
places() {
    rm -f "$dir/case"
    expect 0 "" scan --quiet --types png --case "$dir/case" "$1"
    expect 0 "" list --json "$dir/case"
    python3 -c 'import json, sys
for o in sorted(json.load(open(sys.argv[1])), key=lambda o: o["place"]["path"]):
    print(*(o["place"][k] for k in ("path", "kind", "modified", "accessed", "changed", "created")))' "$dir/out"
}

# ext4 with times that are set by hand; one file is deleted, and keeps those it had.
truncate -s 8M "$dir/ext4" && mke2fs -q -F -t ext4 -I 256 -d "$dir/src" "$dir/ext4" 2>/dev/null
for name in x y; do
    printf 'sif /Users/a/%s.png %s\n' "$name" "mtime 20260102030405" "$name" "atime 20260203040506" "$name" "ctime 20260304050607" "$name" "crtime 20250405060708"
done | TZ=UTC debugfs -w -f - "$dir/ext4" >/dev/null 2>&1
debugfs -w -R "rm /Users/a/x.png" "$dir/ext4" 2>/dev/null
times=$(TZ=UTC debugfs -R "stat /Users/a/y.png" "$dir/ext4" 2>/dev/null | grep -c "Jan  2 03:04:05 2026\|Feb  3 04:05:06 2026\|Mar  4 05:06:07 2026\|Apr  5 06:07:08 2025")
[ "$times" -eq 4 ] || fail "debugfs set $times times"
places "$dir/ext4" >"$dir/got"
want="2026-01-02T03:04:05Z 2026-02-03T04:05:06Z 2026-03-04T05:06:07Z 2025-04-05T06:07:08Z"
grep -qx "/Users/a/y.png file $want" "$dir/got" || fail "ext4, a living file: $(cat "$dir/got")"
grep -qE "^/Users/a/x.png deleted .*2026-02-03T04:05:06Z .* 2025-04-05T06:07:08Z$" "$dir/got" || fail "ext4, a deleted file: $(cat "$dir/got")"
expect 0 "" report --quiet --format csv "$dir/case"
python3 - "$dir/out" "$want" <<'PY' || fail "CSV: $(cat "$dir/out")"
import csv, sys
rows = {row["path"]: row for row in csv.DictReader(open(sys.argv[1]))}
row = rows["/Users/a/y.png"]
assert " ".join(row["file_" + k] for k in ("modified", "accessed", "changed", "created")) == sys.argv[2], row
PY
expect 0 "" report --quiet --format dfxml "$dir/case"
grep -q 'modified="2026-01-02T03:04:05Z" accessed="2026-02-03T04:05:06Z" changed="2026-03-04T05:06:07Z" created="2025-04-05T06:07:08Z">/Users/a/y.png<' \
    "$dir/out" || fail "DFXML: $(grep burin:place "$dir/out")"
expect 0 "" list --where "file_modified = $(date -u -d 2026-01-02T03:04:05Z +%s)" "$dir/case"
[ "$(wc -l <"$dir/out")" -ge 1 ] || fail "--where file_modified: $(cat "$dir/out")"

# FAT has the time of a clock on a wall.
mkfs.vfat -C "$dir/fat" 4096 >/dev/null && touch -d "2026-07-08 09:10:12" "$dir/src/Users/a/y.png" && mcopy -m -i "$dir/fat" "$dir/src/Users/a/y.png" ::
places "$dir/fat" >"$dir/got"
grep -q "^/y.png file 2026-07-08T09:10:12Z " "$dir/got" || fail "FAT: $(cat "$dir/got")"

# NTFS on a partition: what istat says; and once its record and its clusters are given back.
truncate -s 12M "$dir/ntfs" && mkntfs -q -F -c 4096 "$dir/ntfs" >/dev/null 2>&1 && ntfscp -q "$dir/ntfs" "$dir/src/Users/a/x.png" x.png >/dev/null 2>&1
truncate -s 16M "$dir/disk" && python3 "$cli/make_volumes.py" dos "$dir/disk" $((16 << 20)) "2048:24576:07:$dir/ntfs"
places "$dir/disk" >"$dir/got"
number=$(fls -o 2048 "$dir/disk" | sed -n 's/^r.* \([0-9]*\)-128-[0-9]*:.*x.png$/\1/p')
# Created, File Modified, MFT Modified, Accessed of $STANDARD_INFORMATION come first.
TZ=UTC istat -o 2048 "$dir/disk" "$number" >"$dir/istat"
times=$(python3 - "$dir/istat" <<'PY'
import re, sys
text = open(sys.argv[1]).read()
print(*(re.search(rf"^{name}:\t(\S+) ([\d:]+)", text, re.M).expand(r"\1T\2Z") for name in ("File Modified", "Accessed", "MFT Modified", "Created")))
PY
)
[ "$(cat "$dir/got")" = "/x.png file $times" ] || fail "NTFS: $(cat "$dir/got"), and istat says $times"
python3 - "$dir/disk" "$number" "$dir/istat" <<'PY'
# What Windows does: the clusters are free, the record is not in use and has its next number, and the folder has no such name.
import re, subprocess, sys
disk, number, base, size = open(sys.argv[1], "r+b"), int(sys.argv[2]), 2048 * 512, 4096
def clusters(text, kind):
    return [int(n) for n in re.search(rf"Type: \{kind} .*\n((?:[\d ]+\n?)+)", text)[1].split()]
def istat(record):
    return subprocess.run(["istat", "-o", "2048", sys.argv[1], record], stdout=subprocess.PIPE, text=True).stdout
def get(at, length):
    disk.seek(at)
    return bytearray(disk.read(length))
def put(at, data):
    disk.seek(at)
    disk.write(data)
bitmap = clusters(istat("6"), "$DATA")
for cluster in clusters(open(sys.argv[3]).read(), "$DATA"):
    at = base + bitmap[cluster // 8 // size] * size + cluster // 8 % size
    put(at, bytes([get(at, 1)[0] & ~(1 << cluster % 8)]))
record = base + int.from_bytes(get(base + 48, 8), "little") * size + number * 1024
put(record + 22, bytes([get(record + 22, 1)[0] & ~1]))
put(record + 16, bytes([get(record + 16, 1)[0] + 1]))
at = base + clusters(istat("5"), "$INDEX_ALLOCATION")[0] * size
block = get(at, size)
word = lambda place, length=2: int.from_bytes(block[place:place + length], "little")
for i in range(1, word(6)):  # the last two bytes of each sector stand in front
    block[i * 512 - 2:i * 512] = block[word(4) + 2 * i:word(4) + 2 * i + 2]
entry, end = 24 + word(24, 4), 24 + word(28, 4)
while word(entry, 6) != number:
    entry += word(entry + 8)
length = word(entry + 8)
block[entry:end] = block[entry + length:end] + bytes(length)
block[28:32] = (end - 24 - length).to_bytes(4, "little")
for i in range(1, word(6)):
    block[word(4) + 2 * i:word(4) + 2 * i + 2] = block[i * 512 - 2:i * 512]
    block[i * 512 - 2:i * 512] = block[word(4):word(4) + 2]
put(at, block)
PY
places "$dir/disk" >"$dir/got"
[ "$(cat "$dir/got")" = "/x.png deleted $times" ] || fail "NTFS, deleted: $(cat "$dir/got")"
[ "$("$BURIN" list --place all "$dir/case" | cut -f10)" = "p2/ntfs:/x.png (deleted)" ] || fail "NTFS: $("$BURIN" list --place all "$dir/case" | cut -f10)"
finish
