#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/unallocated.sh - scan --unallocated, --slack and --partition: what is left out is what other tools call in use, deleted
# files are found and living ones are not, and what cannot be told is scanned.
# Labels: long
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
for tool in mke2fs debugfs dumpe2fs mkfs.vfat mcopy mdel blkls fsstat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done
make() { python3 "$cli/make_volumes.py" "$@"; }
has() { command -v "$1" >/dev/null || { echo "not tested without $1"; return 1; }; }

pngs() { python3 "$cli/pictures.py" make "$@"; }
found() { python3 "$cli/pictures.py" found "$@"; }

# covers CASE IMAGE [START [UNIT]]: scanned bytes ascend, do not touch and lie in the image; the volumes count them; and all that blkls
# calls free is among them. START: of the file system, in sectors; UNIT: of blkls, for exFAT, with which fsstat does not end.
covers() {
    blkls -l -o "${3:-0}" "$2" | sed -n '/^addr|/,$p' | tail -n +2 | awk -F '|' '$2 == "f" { print $1 }' >"$dir/free"
    local unit
    unit=${4:-$(fsstat -o "${3:-0}" "$2" | sed -nE 's/^(Block|Sector|Cluster|Fragment) Size: ?([0-9]+).*/\2/p' | head -1)}
    python3 - "$1" "$2" "$(( ${3:-0} * 512 ))" "$unit" "$dir/free" <<'PY' || fail "$2: blkls and burin differ"
import bisect, os, sqlite3, sys
case, image, start, unit, free = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), open(sys.argv[5]).read().split()
db = sqlite3.connect(case)
rows, size = db.execute("SELECT offset, len FROM scanned ORDER BY offset").fetchall(), os.path.getsize(image)
last = -1
for at, n in rows:
    assert at > last and n > 0 and at + n <= size, (at, n)
    last = at + n
told = db.execute("SELECT sum(scanned) FROM volumes WHERE kind IN ('partition', 'gap', 'all')").fetchone()[0]
assert told == sum(n for _, n in rows), (told, "counted by volumes")
assert free, "nothing is free"
begins = [at for at, _ in rows]
for block in map(int, free):
    at = start + block * unit
    row = bisect.bisect_right(begins, at) - 1 # rows do not touch: a block lies in one of them
    assert row >= 0 and at + unit <= sum(rows[row]), f"block {block} is free and was left out"
assert told < size, "everything was scanned"
PY
}

for block in 1024 2048 4096; do
    [ "$block" != 2048 ] || [ -n "${BURIN_LONG:-}" ] || continue
    rm -rf "$dir/src" "$dir/case" && pngs "$dir/src" 12 9000 $block
    cp -r "$dir/src" "$dir/keep$block"
    truncate -s 24M "$dir/ext" && mke2fs -q -F -t ext4 -b $block -d "$dir/src" "$dir/ext" 2>/dev/null
    for i in 02 05 06; do debugfs -w -R "rm pic$i.png" "$dir/ext" 2>/dev/null; done
    expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/ext"
    [ "$(found "$dir/case" "$dir/ext" "$dir/src"/*)" = "pic02.png pic05.png pic06.png" ] ||
        fail "ext4, $block: $(found "$dir/case" "$dir/ext" "$dir/src"/*)"
    covers "$dir/case" "$dir/ext"
    # Where they lie, as debugfs made them and took them away.
    places=$("$BURIN" list --place all "$dir/case" | cut -f10 | sort | tr '\n' ' ')
    [ "$places" = "ext4:/pic02.png (deleted) ext4:/pic05.png (deleted) ext4:/pic06.png (deleted) " ] || fail "ext4, $block: $places"
    # dumpe2fs counts them as well.
    free=$(dumpe2fs -h "$dir/ext" 2>/dev/null | sed -n 's/^Free blocks: *//p')
    counted=$(sqlite3 "$dir/case" "SELECT sum(len) / $block FROM scanned")
    [ "$counted" -ge "$free" ] || fail "ext4, $block: $counted blocks scanned, and dumpe2fs counts $free free ones"
    [ "$counted" -le $((free + free / 50 + 8)) ] || fail "ext4, $block: $counted blocks scanned of $free free ones: that is not left out"
done

# With slack: a small picture behind the end of a living file, in its last block; and blocks that are in use by no file.
pngs "$dir/tiny" 1 300 9 && head -c 1000 /dev/urandom >"$dir/src/short"
truncate -s 24M "$dir/ext" && mke2fs -q -F -t ext4 -b 4096 -d "$dir/src" "$dir/ext" 2>/dev/null
at=$(debugfs -R "blocks short" "$dir/ext" 2>/dev/null | awk '{ print $1 * 4096 }')
dd if="$dir/tiny/pic00.png" of="$dir/ext" bs=1 seek=$((at + 1500)) conv=notrunc status=none
debugfs -w -R "testb 5000" "$dir/ext" >/dev/null 2>&1 && debugfs -w -R "setb 5000" "$dir/ext" 2>/dev/null
pngs "$dir/orphan" 1 2000 10
dd if="$dir/orphan/pic00.png" of="$dir/ext" bs=4096 seek=5000 conv=notrunc status=none
for how in --unallocated --slack; do
    rm -f "$dir/case"
    expect 0 "" scan --quiet $how --case "$dir/case" "$dir/ext"
    [ -z "$(found "$dir/case" "$dir/ext" "$dir/src"/*.png)" ] || fail "$how: living files: $(found "$dir/case" "$dir/ext" "$dir/src"/*.png)"
    said=$(found "$dir/case" "$dir/ext" "$dir/tiny/pic00.png" "$dir/orphan/pic00.png")
    case $how in
    --slack) [ "$said" = "pic00.png pic00.png" ] || fail "--slack: $said" ;;
    *) [ -z "$said" ] || fail "--unallocated finds slack: $said" ;;
    esac
done

# FAT and exFAT; NTFS and XFS as far as other tools tell.
rm -f "$dir/case" "$dir/fat" && mkfs.vfat -C "$dir/fat" 16384 >/dev/null && mcopy -i "$dir/fat" "$dir/src"/pic*.png ::
mdel -i "$dir/fat" ::pic03.png ::pic07.png
expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/fat"
[ "$(found "$dir/case" "$dir/fat" "$dir/src"/*.png)" = "pic03.png pic07.png" ] || fail "FAT: $(found "$dir/case" "$dir/fat" "$dir/src"/*.png)"
covers "$dir/case" "$dir/fat"
if has mkfs.exfat; then
    rm -f "$dir/case" "$dir/exfat" && truncate -s 16M "$dir/exfat" && mkfs.exfat "$dir/exfat" >/dev/null
    expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/exfat"
    covers "$dir/case" "$dir/exfat" 0 512
fi
if has mkntfs && has ntfscp && has ntfsinfo; then
    rm -f "$dir/case" "$dir/ntfs" && truncate -s 24M "$dir/ntfs" && mkntfs -q -F -c 4096 "$dir/ntfs" >/dev/null 2>&1
    for file in "$dir/src"/pic0*.png; do ntfscp -q -f "$dir/ntfs" "$file" "${file##*/}" >/dev/null 2>&1; done
    expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/ntfs"
    [ -z "$(found "$dir/case" "$dir/ntfs" "$dir/src"/*.png)" ] || fail "NTFS: living files: $(found "$dir/case" "$dir/ntfs" "$dir/src"/*.png)"
    covers "$dir/case" "$dir/ntfs" 0 4096
    free=$(ntfsinfo -m "$dir/ntfs" 2>/dev/null | sed -nE 's/^\tFree Clusters: ([0-9]+).*/\1/p')
    counted=$(sqlite3 "$dir/case" "SELECT sum(len) / 4096 FROM scanned")
    [ -n "$free" ] && [ "$counted" -ge "$free" ] && [ "$counted" -le $((free + 2)) ] || fail "NTFS: $counted clusters, and ntfsinfo counts $free"
fi
if has mkfs.xfs && has xfs_db; then
    rm -f "$dir/case" "$dir/xfs" && truncate -s 300M "$dir/xfs" && mkfs.xfs -q "$dir/xfs"
    expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/xfs"
    free=$(xfs_db -r -c "freesp -s" "$dir/xfs" | sed -n 's/^total free blocks //p')
    counted=$(sqlite3 "$dir/case" "SELECT sum(len) / 4096 FROM scanned")
    spare=$(xfs_db -r -c "sb 0" -c "p fdblocks" "$dir/xfs" | sed 's/.* //')
    [ -n "$free" ] && [ "$counted" -ge "$free" ] && [ "$counted" -le $((free + 64)) ] || fail "XFS: $counted blocks, and xfs_db counts $free of $spare"
    rm -f "$dir/case" && expect 0 "" scan --quiet --slack --case "$dir/case" "$dir/xfs"
    [ "$(sqlite3 "$dir/case" "SELECT why FROM volumes")" = "no reader here for the files of XFS" ] || fail "XFS with slack"
    printf '\377\377' | dd of="$dir/xfs" bs=1 seek=$((4096 + 6)) conv=notrunc status=none
    rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/xfs"
    [ "$(sqlite3 "$dir/case" "SELECT sum(len) FROM scanned")" -eq $((300 << 20)) ] || fail "a damaged tree of XFS counts"
fi
if has mkapfs; then
    rm -f "$dir/case" && truncate -s 600M "$dir/apfs" && mkapfs "$dir/apfs" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/apfs"
    counted=$(sqlite3 "$dir/case" "SELECT sum(len) FROM scanned")
    free=$(pstat "$dir/apfs" | sed -nE 's/^Capacity Available: +([0-9]+) B/\1/p')
    [ "$counted" -eq "${free:-0}" ] || fail "APFS: $counted, and pstat says $free"
    rm -f "$dir/apfs"
fi

# Partitions: gaps are scanned, and one of them alone. 2 is ext4, 4 is FAT.
make dos "$dir/disk" $((64 << 20)) "2048:49152:83:$dir/ext" "61440:32768:0c:$dir/fat"
pngs "$dir/gap" 1 3000 11 && dd if="$dir/gap/pic00.png" of="$dir/disk" bs=512 seek=52000 conv=notrunc status=none
rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/disk"
[ "$(found "$dir/case" "$dir/disk" "$dir/src"/*.png "$dir/gap/pic00.png")" = "pic03.png pic07.png pic00.png" ] ||
    fail "a disk: $(found "$dir/case" "$dir/disk" "$dir/src"/*.png "$dir/gap/pic00.png")"
"$BURIN" list --place all "$dir/case" | cut -f10 | sort >"$dir/places"
grep -q '^p4/fat16:/_IC03.PNG (deleted)$\|^p4/fat16:/.*03.png (deleted)$' "$dir/places" && grep -qx unpartitioned "$dir/places" ||
    fail "places on a disk: $(cat "$dir/places")"
"$BURIN" list --json "$dir/case" >"$dir/out" && python3 -c 'import json, sys; assert {o["place"]["kind"] for o in json.load(sys.stdin)} == {"deleted", "unpartitioned"}' \
    <"$dir/out" || fail "places in JSON: $(head -c 600 "$dir/out")"
rm -f "$dir/case" && expect 0 "" scan --quiet --no-file-systems --case "$dir/case" "$dir/fat"
[ "$("$BURIN" list --place all "$dir/case" | cut -f10 | sort -u)" = - ] || fail "--no-file-systems: $("$BURIN" list --place all "$dir/case")"
rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/disk"
covers "$dir/case" "$dir/disk" 2048
covers "$dir/case" "$dir/disk" 61440
expect 0 "" info "$dir/case"
grep -P "^002\t.*ext4" "$dir/out" >/dev/null || fail "info CASE: $(cat "$dir/out")"
rm -f "$dir/case" && expect 0 "" scan --quiet --partition 4 --case "$dir/case" "$dir/disk"
[ "$(sqlite3 "$dir/case" "SELECT offset, len FROM scanned")" = "$((61440 * 512))|$((32768 * 512))" ] || fail "--partition 4: $(sqlite3 "$dir/case" "SELECT * FROM scanned")"
rm -f "$dir/case" && expect 0 "" scan --quiet --partition 4 --partition 2 --range 0:$((40 << 20)) --case "$dir/case" "$dir/disk"
[ "$(sqlite3 "$dir/case" "SELECT group_concat(offset || '+' || len) FROM scanned")" = "1048576+25165824,31457280+10485760" ] ||
    fail "--partition with --range: $(sqlite3 "$dir/case" "SELECT * FROM scanned")"
rm -f "$dir/case"
expect 3 "has no such slot" scan --quiet --partition 77 --case "$dir/case" "$dir/disk"
expect 2 "partition" scan --quiet --partition x --case "$dir/case" "$dir/disk"

# A volume of LVM in stripes, with its file system: blocks in use are in use where they lie on the disk.
make lvm "$dir/lvm" $((40 << 20)) vg0 "str:striped:3:$dir/ext"
rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/lvm"
python3 - "$dir/case" "$dir/lvm" <<'PY' || fail "LVM in stripes"
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT offset, len FROM scanned ORDER BY offset").fetchall()
assert len(rows) > 3 and sum(n for _, n in rows) < 39 << 20, rows[:5]
PY

# Nothing is believed of a file system whose superblock is broken, nor of clusters (bigalloc) whose bitmap is.
cp "$dir/ext" "$dir/bad" && dd if=/dev/zero of="$dir/bad" bs=1024 seek=1 count=1 conv=notrunc status=none
truncate -s 24M "$dir/big" && mke2fs -q -F -t ext4 -O bigalloc -b 4096 "$dir/big" 2>/dev/null
flip "$dir/big" $((4096 * $(dumpe2fs "$dir/big" 2>/dev/null | sed -n 's/.*Block bitmap at \([0-9]*\).*/\1/p' | head -1)))
for image in bad big; do
    rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --case "$dir/case" "$dir/$image"
    [ "$(sqlite3 "$dir/case" "SELECT offset, len FROM scanned")" = "0|$((24 << 20))" ] || fail "$image: $(sqlite3 "$dir/case" "SELECT * FROM scanned")"
    [ "$(sqlite3 "$dir/case" "SELECT count(*) FROM log WHERE text LIKE '%nothing of it counts as in use%'")" -eq 1 ] || fail "$image: nothing is said"
done

# The same rows for any parts and threads, and after stops: a scan that ends before a write goes on. Rules and known blocks are among
# what is looked for, and free space is torn: every second of many small files is deleted.
pngs "$dir/many" 300 20000 12
truncate -s 24M "$dir/torn" && mke2fs -q -F -t ext4 -b 1024 -d "$dir/many" "$dir/torn" 2>/dev/null
for i in $(seq 0 2 98); do echo "rm pic$(printf %02d "$i").png"; done | debugfs -w -f - "$dir/torn" >/dev/null 2>&1
make dos "$dir/disk" $((64 << 20)) "2048:49152:83:$dir/torn" "61440:32768:0c:$dir/fat"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'any y 50000 IDAT' 'txt n 3000 PNG IHDR REVERSE' >"$dir/rules.conf"
cat "$dir/many"/pic0[0-9].png >"$dir/file"
expect 0 "" known build --quiet --files --block 512 --names "$dir/blocks" "$dir/file"
for choice in --unallocated --slack "--partition 2 --partition 4" "--unallocated --dictionary $dir/rules.conf" "--unallocated --known $dir/blocks" \
    "--slack --hits-only" "--unallocated --range 1100000:30000001"; do
    ways=("--part-size 64K --threads 2" "--part-size 4K --threads 3 --engine ac" "--part-size 400K --part-seed 3 --threads 5 --segment 64K"
        "--part-size 300K --threads 4 --parts-at-once 1")
    rm -f "$dir/case"
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet $choice --threads 1 --part-size 1G --case "$dir/case" "$dir/disk"
    "$BURIN" list --digest "$dir/case" >"$dir/whole"
    [ "$(sqlite3 "$dir/case" "SELECT count(*) FROM hits")" -gt 20 ] || fail "$choice: little to compare"
    # One of the four ways for each choice, and all of them with BURIN_LONG=1.
    choices=$((${choices:-0} + 1))
    [ -n "${BURIN_LONG:-}" ] || ways=("${ways[choices % 4]}")
    for how in "${ways[@]}"; do
        rm -f "$dir/case"
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet $choice $how --case "$dir/case" "$dir/disk"
        "$BURIN" list --digest "$dir/case" | cmp -s - "$dir/whole" || fail "$choice $how: other rows"
    done
    # Ended at each third choice, and at all of them with BURIN_LONG=1.
    [ -n "${SHIM:-}" ] && [ $((choices % $(rounds 3 1))) -eq 0 ] || continue
    rm -f "$dir/case"* && ends=0
    for run in $(seq 1 60); do
        # shellcheck disable=SC2086
        LD_PRELOAD=$SHIM SHIM_KILL=$(($(rounds 9 3) * run)) "$BURIN" scan --quiet --resume $choice ${ways[run % ${#ways[@]}]} --case "$dir/case" "$dir/disk" \
            >"$dir/out" 2>"$dir/err" </dev/null
        status=$?
        [ "$status" -eq 137 ] || break
        ends=$((ends + 1))
    done
    [ "$status" -eq 0 ] && [ "$ends" -gt 2 ] || fail "$choice: $ends ends, and then $status: $(cat "$dir/err")"
    "$BURIN" list --digest "$dir/case" | cmp -s - "$dir/whole" || fail "$choice: other rows after $ends ends"
done
if [ -n "${SHIM:-}" ]; then
    for at in $(seq 20 10 200); do
        rm -f "$dir/case"*
        LD_PRELOAD=$SHIM SHIM_KILL=$at "$BURIN" scan --quiet --unallocated --part-size 64K --case "$dir/case" "$dir/disk" 2>/dev/null
        [ "$(sqlite3 "$dir/case" 'SELECT count(*) FROM resume')" != 1 ] || break
    done
    expect 3 "--slack: the scan was begun with .*, and this command says" scan --quiet --wait --resume --slack --unallocated --case "$dir/case" "$dir/disk"
    expect 0 "" scan --quiet --wait --resume --unallocated --case "$dir/case" "$dir/disk"
fi
finish
