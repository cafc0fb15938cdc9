#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/areas.sh - what `burin search` says of the place of a hit is what The Sleuth Kit's own tools say of it.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
for tool in ifind ffind fsstat mke2fs debugfs mkfs.vfat mcopy mdel; do
    command -v "$tool" >/dev/null || PATH=$PATH:/sbin:/usr/sbin command -v "$tool" >/dev/null || skip "no $tool here"
done
PATH=$PATH:/sbin:/usr/sbin

mkdir -p "$dir/src/docs/deep"
for i in 1 2 3 4; do
    python3 -c "import random; r = random.Random($i); print(r.randbytes($i * 3001).hex(), 'needle$i here', r.randbytes($i * 2503).hex())" \
        >"$dir/src/docs/deep/file $i.txt"
done
mke2fs -q -t ext4 -d "$dir/src" "$dir/ext4" 8M >/dev/null || exit 1
debugfs -w -R 'rm "/docs/deep/file 2.txt"' "$dir/ext4" 2>/dev/null
mkfs.vfat -C "$dir/fat" 8192 >/dev/null && mcopy -i "$dir/fat" -s "$dir/src/docs" :: && mdel -i "$dir/fat" '::docs/deep/file 2.txt'
for fs in ext4 fat; do
    printf 'outside of files: needle9' | dd of="$dir/$fs" bs=1 seek=$((7 << 20)) conv=notrunc status=none
done

# Two of them as partitions of one disk.
python3 - "$dir" <<'PY'
import struct, sys
d = sys.argv[1]
disk = bytearray(20 << 20)
entries = b""
for at, name, kind in ((1 << 20, "ext4", 0x83), (10 << 20, "fat", 0x0c)):
    data = open(f"{d}/{name}", "rb").read()
    disk[at:at + len(data)] = data
    entries += struct.pack("<B3sB3sII", 0, b"\0\0\0", kind, b"\0\0\0", at // 512, len(data) // 512)
disk[446:446 + len(entries)] = entries
disk[510:512] = b"\x55\xaa"
disk[19 << 20:(19 << 20) + 7] = b"needle8"
open(f"{d}/disk", "wb").write(disk)
PY

# told IMAGE START: every hit in the file system at START against ifind and ffind.
told() {
    local image=$1 start=$2 unit word what inode name place found=0
    unit=$(fsstat -o "$start" "$image" | sed -nE 's/^(Block|Sector) Size: //p' | head -1)
    while IFS=$'\t' read -r offset word _ _ what _; do
        place=$((offset - start * 512))
        [ "$place" -ge 0 ] && [ "$place" -lt $((8 << 20)) ] || continue
        found=$((found + 1))
        inode=$(ifind -o "$start" -d $((place / unit)) "$image")
        if [ "$word" = needle9 ]; then
            [ "${what##* }" = "(unallocated)" ] || fail "$image: $word: $what"
            continue
        fi
        name=$(ffind -o "$start" "$image" "$inode" | head -1)
        case $name in
        '* '*) name="${name#\* } (deleted)" ;;
        esac
        [ "${what#*:}" = "$name" ] || fail "$image: $word: $what, but ffind says $name of inode $inode"
    done <"$dir/out"
    [ "$found" -eq 5 ] || fail "$image at $start: $found hits: $(cut -f1,2,5 "$dir/out")"
}
for fs in ext4 fat; do
    expect 0 "" search --quiet --encoding utf-8 --case "$dir/$fs.burin" "$dir/$fs" needle1 needle2 needle3 needle4 needle9
    told "$dir/$fs" 0
done
expect 0 "" search --quiet --encoding utf-8 --case "$dir/disk.burin" "$dir/disk" needle1 needle2 needle3 needle4 needle8 needle9
told "$dir/disk" 2048
told "$dir/disk" 20480
grep -P '\tneedle8\t' "$dir/out" | cut -f5 | grep -qx unpartitioned || fail "outside of partitions: $(grep needle8 "$dir/out")"
for start in 2048 20480; do
    number=$(mmls "$dir/disk" | awk -v start=$start '$3 + 0 == start { print $1 + 0 }')
    grep -q "p$number/" "$dir/out" || fail "no partition $number"
done

# Offsets in files, and slack, computed from the files themselves.
expect 0 "" search --quiet --json --encoding utf-8 --case "$dir/ext4.burin" "$dir/ext4" needle3
want=$(grep -obUa needle3 "$dir/src/docs/deep/file 3.txt" | cut -d: -f1)
python3 - "$dir/out" "$want" <<'PY' || fail "offset in the file: $(cat "$dir/out")"
import json, sys
area = json.load(open(sys.argv[1]))[0]["area"]
assert area["kind"] == "file" and area["path"] == "/docs/deep/file 3.txt" and area["file_offset"] == int(sys.argv[2]), area
PY
size=$(stat -c %s "$dir/src/docs/deep/file 1.txt")
at=$(burin search --quiet --encoding utf-8 --case "$dir/ext4.burin" "$dir/ext4" needle1; cut -f1 "$dir/out")
at=$((at - $(grep -obUa needle1 "$dir/src/docs/deep/file 1.txt" | cut -d: -f1) + size + 1))
printf 'slack7' | dd of="$dir/ext4" bs=1 seek=$at conv=notrunc status=none
expect 0 "" search --quiet --encoding utf-8 --case "$dir/ext4.burin" "$dir/ext4" slack7
[ "$(cut -f5 "$dir/out")" = "ext4:/docs/deep/file 1.txt (slack)" ] || fail "slack: $(cat "$dir/out")"

# Without a file system, and with a damaged one, hits are told all the same.
head -c 1M /dev/zero >"$dir/none" && printf needle1 | dd of="$dir/none" bs=1 seek=5000 conv=notrunc status=none
expect 0 "" search --quiet --encoding utf-8 --case "$dir/none.burin" "$dir/none" needle1
[ "$(cut -f1,2,5 "$dir/out")" = $'5000\tneedle1\t-' ] || fail "no file system: $(cat "$dir/out")"
burin search --encoding utf-8 --case "$dir/none.burin" "$dir/none" needle1
grep -q "no partition table and no file system" "$dir/err" || fail "no word of it: $(cat "$dir/err")"
expect 0 "" search --quiet --no-file-systems --encoding utf-8 --case "$dir/fat.burin" "$dir/fat" needle1
[ "$(cut -f5 "$dir/out")" = - ] || fail "--no-file-systems: $(cat "$dir/out")"
for seed in 1 2; do
    for fs in ext4 fat disk; do
        python3 - "$dir/$fs" "$dir/bad" $seed <<'PY'
import random, sys
rng = random.Random(int(sys.argv[3]))
data = bytearray(open(sys.argv[1], "rb").read())
for _ in range(400):
    at = rng.randrange(0, 1 << 16) if rng.random() < .7 else rng.randrange(len(data) - 8)
    if b"needle" not in data[at - 16:at + 16]:
        data[at:at + rng.choice((1, 4))] = rng.randbytes(rng.choice((1, 4)))
open(sys.argv[2], "wb").write(data)
PY
        rm -f "$dir/bad.burin"
        expect 0 "" search --quiet --encoding utf-8 --case "$dir/bad.burin" "$dir/bad" needle
        [ "$(wc -l <"$dir/out")" -eq "$(LC_ALL=C grep -obUa needle "$dir/bad" | wc -l)" ] || fail "damaged $fs, seed $seed: hits are missing"
    done
done
finish
