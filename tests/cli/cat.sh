#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/cat.sh - one object to standard output: the bytes that the case file names, as dd reads them; and nothing that changed since.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
# Every object, by its extents.
sqlite3 -readonly -separator ' ' "$dir/case" "SELECT id, extents, len FROM v_objects" >"$dir/objects"
while read -r id extents len; do
    : >"$dir/want"
    for extent in ${extents//,/ }; do
        dd if="$image" iflag=skip_bytes,count_bytes skip="${extent%+*}" count="${extent#*+}" bs=64K status=none >>"$dir/want"
    done
    expect 0 "" cat "$dir/case" "$id"
    [ "$(stat -c %s "$dir/want")" = "$len" ] || fail "object $id: its extents are not its length"
    cmp -s "$dir/out" "$dir/want" || fail "cat of object $id"
    [ ! -s "$dir/err" ] || fail "cat of object $id says: $(cat "$dir/err")"
done <"$dir/objects"
read -r id len < <(sqlite3 -readonly -separator ' ' "$dir/case" "SELECT id, len FROM v_objects WHERE type = 'jpg' ORDER BY len DESC LIMIT 1")
burin cat "$dir/case" "$id"
cp "$dir/out" "$dir/whole"
for part in "0 10" "7 100" "$((len - 3)) 3" "$((len - 3)) 1000" "$len 5" "0 $len" "5 0"; do
    read -r offset length <<<"$part"
    expect 0 "" cat --offset "$offset" --length "$length" "$dir/case" "$id"
    cmp -s "$dir/out" <(dd if="$dir/whole" iflag=skip_bytes,count_bytes skip="$offset" count="$length" bs=64K status=none) || fail "bytes $offset+$length: $(wc -c <"$dir/out")"
done
expect 0 "" cat --offset 1K "$dir/case" "$id"
tail -c +1025 "$dir/whole" | cmp -s - "$dir/out" || fail "--offset 1K"

# A large object: 24 MiB, streamed, with its parts; and a reader who has enough.
python3 - "$dir/large.raw" <<'PY'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
width, height = 4096, 2048
wave = bytes(x * x % 251 for x in range(3 * width + 7 * height))
rows = b"".join(b"\0" + wave[7 * y:7 * y + 3 * width] for y in range(height))
idat = zlib.compress(rows, 0)
with open(sys.argv[1], "wb") as out: # a piece at a time: to touch 24 MiB anew for each took two seconds
    out.write(bytes(4096) + b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
    for at in range(0, len(idat), 1 << 20):
        out.write(chunk(b"IDAT", idat[at:at + (1 << 20)]))
    out.write(chunk(b"IEND", b"") + bytes(4096))
PY
expect 0 "" scan --quiet --case "$dir/large" "$dir/large.raw"
read -r id len < <(sqlite3 -readonly -separator ' ' "$dir/large" "SELECT id, len FROM v_objects WHERE type = 'png'")
[ "$len" -gt $((24 << 20)) ] || fail "the large object has $len bytes"
tail -c +4097 "$dir/large.raw" | head -c "$len" >"$dir/want"
expect 0 "" cat "$dir/large" "$id"
cmp -s "$dir/out" "$dir/want" || fail "cat of a large object"
expect 0 "" cat --offset 20000001 --length 3000000 "$dir/large" "$id"
cmp -s "$dir/out" <(dd if="$dir/want" iflag=skip_bytes,count_bytes skip=20000001 count=3000000 bs=64K status=none) || fail "a part of a large object"
{ "$BURIN" cat "$dir/large" "$id" 2>"$dir/err"; echo $? >"$dir/status"; } | head -c 100 >"$dir/out"
head -c 100 "$dir/want" | cmp -s - "$dir/out" || fail "its first bytes"
[ ! -s "$dir/err" ] && [ "$(cat "$dir/status")" = 0 ] || fail "a reader who has enough: status $(cat "$dir/status"), $(cat "$dir/err")"
"$BURIN" cat "$dir/large" "$id" >/dev/full 2>"$dir/err"
[ $? = 4 ] || fail "a full disk: $(cat "$dir/err")"

# Bytes that changed: a small object is not written, a large one is, with a word about it. A change elsewhere is nobody's.
cp "$dir/large.raw" "$dir/changed.raw"
flip "$dir/changed.raw" 20000000
burin cat --quiet --image "$dir/changed.raw" "$dir/large" "$id"
check 1 "object $id at offset 4096: what was written is not what was scanned: its bytes changed since the scan" "cat of a changed large object"
burin cat --quiet --length 10 --image "$dir/changed.raw" "$dir/large" "$id"
check 1 "object $id at offset 4096: what was written is not what was scanned" "cat of the beginning of a changed object"
small=$(sqlite3 -readonly "$dir/case" "SELECT id FROM v_objects WHERE type = 'jpg' ORDER BY len DESC LIMIT 1")
at=$(sqlite3 -readonly "$dir/case" "SELECT offset FROM v_objects WHERE id = $small")
cp "$image" "$dir/other.raw"
flip "$dir/other.raw" $((at + 500))
burin cat --quiet --image "$dir/other.raw" "$dir/case" "$small"
check 1 "object $small at offset $at: not written: its bytes changed since the scan" "cat of a changed object"
[ ! -s "$dir/out" ] || fail "$(wc -c <"$dir/out") bytes of a changed object were written"
other=$(sqlite3 -readonly "$dir/case" "SELECT id FROM v_objects WHERE type = 'gif' LIMIT 1")
expect 0 "" cat --quiet --image "$dir/other.raw" "$dir/case" "$other"

# What is wrong.
expect 3 "no object has the number 999999; burin list" cat "$dir/case" 999999
expect 2 "--offset $((len + 1)): the object has $len bytes" cat --offset $((len + 1)) "$dir/large" "$id"
expect 2 "ID" cat "$dir/case" x
expect 2 "ID" cat "$dir/case" 0
expect 2 "ID" cat "$dir/case"
expect 3 "no-such-case" cat "$dir/no-such-case" 1
before=$(sha256sum <"$image")
"$BURIN" cat "$dir/case" "$small" >>"$image" 2>"$dir/err"
[ $? = 3 ] && grep -q 'over the evidence' "$dir/err" || fail "onto the evidence: $(cat "$dir/err")"
[ "$(sha256sum <"$image")" = "$before" ] || fail "the evidence was written to"
python3 - "$BURIN" "$dir/case" "$small" >"$dir/out" <<'PY' || fail "cat on a terminal: $(cat "$dir/out")"
import os, pty, subprocess, sys
master, slave = pty.openpty()
done = subprocess.run([sys.argv[1], "cat", sys.argv[2], sys.argv[3]], stdout=slave, stderr=subprocess.PIPE)
os.close(slave)
try:
    text = os.read(master, 100)
except OSError:
    text = b""
assert done.returncode == 2 and b"standard output is a terminal" in done.stderr and text == b"", (done, text)
PY
finish
