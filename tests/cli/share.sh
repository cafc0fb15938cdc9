#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/share.sh - carve on a file system that can share blocks: files hold the right bytes, with the right hashes, without a copy.
#
# Method: a btrfs (make_btrfs.py), which only root may mount, with the image and the output on it. What must be shared is counted from
# where objects lie; filefrag says what is.
# Labels: long
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root may mount a btrfs"
planted
python3 "$cli/make_btrfs.py" "$dir/btrfs.img" && mkdir "$dir/b" && mount -o loop "$dir/btrfs.img" "$dir/b" 2>/dev/null || skip "mounting a btrfs is not allowed here"
at_exit+=('umount "$dir/b" 2>/dev/null')
python3 - "$dir/b/u.raw" <<'PY'
import random, struct, sys, zlib
make = random.Random(4).randbytes
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(height): # 256 x height grey pixels, stored and not compressed
    rows = b"".join(b"\0" + make(256) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
with open(sys.argv[1], "wb") as f:
    f.write(bytes(4096))
    for height, shift in (70000, 0), (1000, 0), (2000, 512), (100, 0), (300, 0): # 18 MB first; one between blocks, one too small
        data = bytes(shift) + png(height)
        f.write(data + bytes(-len(data) % 4096))
PY
sync -f "$dir/b"
expect 0 "" scan --quiet --types png --case "$dir/case" "$dir/b/u.raw"
cp "$dir/case" "$dir/scanned"
burin list --quiet "$dir/case"
cp "$dir/out" "$dir/list"
[ "$(wc -l <"$dir/list")" = 5 ] || fail "not five pictures: $(cat "$dir/list")"

# check FOLDER: each file is what its object is, and audit.txt has its hash.
check_files() {
    while IFS=$'\t' read -r _ _ _ offset length _ _ _ name; do
        cmp <(tail -c +$((offset + 1)) "$dir/b/u.raw" | head -c "$length") "$1/$name" || fail "$1/$name has other bytes"
        grep -F "$name " "$1/audit.txt" | grep -q "$(sha256sum <"$1/$name" | cut -c1-64)" || fail "$1/$name: audit.txt has another hash"
    done <"$dir/list"
    [ -z "$(find "$1" -name '.*' -type f)" ] || fail "$1: $(find "$1" -name '.*' -type f) is left"
}
for threads in 1 4; do
    cp "$dir/scanned" "$dir/case"
    expect 0 "" carve --quiet --threads "$threads" --out "$dir/b/out" "$dir/case"
    check_files "$dir/b/out"
    total=0
    while IFS=$'\t' read -r _ _ _ offset length _ _ _ name; do
        want=$((offset % 4096 == 0 && length >= 65536 ? length / 4096 * 4096 : 0))
        total=$((total + want))
        got=$(grep -F "$name " "$dir/b/out/audit.txt" | grep -oE '[0-9]+ bytes shared with the image' | cut -d' ' -f1)
        [ "${got:-0}" = "$want" ] || fail "--threads $threads: of $name ${got:-0} bytes are shared instead of $want"
        shared=$(filefrag -v "$dir/b/out/$name" 2>/dev/null | grep -c shared)
        [ "$want" = 0 ] || ! command -v filefrag >/dev/null || [ "$shared" -gt 0 ] || fail "--threads $threads: the file system shares nothing of $name"
    done <"$dir/list"
    [ "$total" -gt 18000000 ] || fail "only $total bytes to share"
    grep -q "^$total bytes were not copied" "$dir/b/out/audit.txt" || fail "audit.txt does not say that $total bytes were not copied: $(tail -5 "$dir/b/out/audit.txt")"
    rm -r "$dir/b/out"
done

# Other bytes than those that were scanned are not left there.
cp "$dir/scanned" "$dir/case"
cp "$dir/b/u.raw" "$dir/b/changed.raw"
flip "$dir/b/changed.raw" 5000000
burin carve --quiet --out "$dir/b/out" --image "$dir/b/changed.raw" "$dir/case"
[ "$status" -eq 1 ] || fail "changed bytes: status $status"
grep -q "its bytes changed" "$dir/err" || fail "changed bytes: $(cat "$dir/err")"
[ "$(find "$dir/b/out" -type f ! -name audit.txt ! -name report.xml | wc -l)" = 4 ] || fail "changed bytes: not four files"
rm -r "$dir/b/out"

# What a scan could not read is zeros, and not what the image has there now.
cp "$dir/scanned" "$dir/case"
sqlite3 "$dir/case" "INSERT INTO bad_ranges (image_id, run_id, offset, len, cause, source, status) VALUES (1, 1, 4096 + 8192, 512, 5, 'read', '-'); UPDATE objects SET crc64 = NULL"
burin carve --quiet --out "$dir/b/out" "$dir/case"
name=$(head -1 "$dir/list" | cut -f9)
cmp -s <(tail -c +8193 "$dir/b/out/$name" | head -c 512) <(head -c 512 /dev/zero) || fail "what was not read is in the file"
grep -F "$name " "$dir/b/out/audit.txt" | grep -q "512 bytes unreadable" || fail "audit.txt does not say what was not read"
grep -F "$name " "$dir/b/out/audit.txt" | grep -q "shared" && fail "a file with bytes that were not read is shared"

# Another file system, and one that cannot share: a copy.
cp "$dir/scanned" "$dir/case"
expect 0 "" carve --quiet --threads 3 --out "$dir/out.elsewhere" "$dir/case"
check_files "$dir/out.elsewhere"
grep -q shared "$dir/out.elsewhere/audit.txt" && fail "blocks are shared between file systems"
finish
