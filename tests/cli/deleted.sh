#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/deleted.sh - scan --unallocated finds deleted files and no living ones, on FAT, exFAT, NTFS, XFS and ext4 with clusters, in
# blocks of 1, 2 and 4 KiB: each under its name where the file system still knows it, and all that other tools call free is scanned.
# (ext4 without: unallocated.sh; Btrfs, which has 4 KiB alone: btrfs.sh.)
# Labels: long slow
#
# Method: the tools of each file system write the files; delete_files.py writes to exFAT and deletes, as no tool does it without mounting.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
command -v blkls >/dev/null || skip "no blkls here"
has() {
    local tool
    for tool; do command -v "$tool" >/dev/null || { echo "not tested without $tool"; return 1; }; done
}
delete() { python3 "$cli/delete_files.py" "$@" || fail "delete_files.py $*"; }

# found LIVING_OR_DELETED... among the objects
found() { python3 "$cli/pictures.py" found "$dir/case" "$1" "$dir/src"/*.png; }

# judge NAME IMAGE PLACES: exactly the deleted files were found, and there.
judge() {
    local name=$1 places
    rm -f "$dir/case" "$dir/case-wal" "$dir/case-shm" "$dir/case.seal"
    expect 0 "" scan --quiet --unallocated --types png --case "$dir/case" "$2"
    [ "$(found "$2")" = "pic02.png pic05.png pic06.png" ] || fail "$name: found are: $(found "$2")"
    places=$("$BURIN" list --place all "$dir/case" | cut -f10 | sort | tr '\n' ' ')
    [[ $places =~ ^$3$ ]] || fail "$name: places are: $places"
}

# free NAME IMAGE LENGTH COUNT: so many blocks of this length are free, says another tool: so many were scanned, and few more.
free() {
    local scanned
    scanned=$(sqlite3 -readonly "$dir/case" "SELECT sum(len) / $3 FROM scanned")
    [ -n "$4" ] && [ "$scanned" -ge "$4" ] && [ "$scanned" -le $(($4 + $4 / 50 + 64)) ] || fail "$1: $scanned blocks scanned, and $4 are free"
}

# lists NAME IMAGE UNIT: each block that blkls calls free was scanned.
lists() {
    blkls -l "$2" 2>/dev/null | awk -F '|' '$2 == "f" { print $1 }' >"$dir/free"
    sqlite3 -readonly "$dir/case" "SELECT offset, len FROM scanned ORDER BY offset" |
        python3 -c '
import sys
runs = [tuple(map(int, line.split("|"))) for line in sys.stdin]
unit, blocks = int(sys.argv[2]), [int(line) for line in open(sys.argv[1])]
scanned = set()
for at, length in runs:
    scanned.update(range((at + unit - 1) // unit, (at + length) // unit))
missing = [block for block in blocks if block not in scanned]
sys.exit(f"{len(missing)} of {len(blocks)} free blocks were left out: {missing[:3]}" if missing or not blocks else 0)' "$dir/free" "$3" ||
        fail "$1: blkls"
}

gone=(pic02.png pic05.png pic06.png)
for block in 1024 2048 4096; do
    [ "$block" != 1024 ] || [ -n "${BURIN_LONG:-}" ] || continue
    rm -rf "$dir/src"
    python3 "$cli/pictures.py" make "$dir/src" 8 9000 $block
    rm -f "$dir/image"
    if has mkfs.vfat mcopy mdel; then
        for bits in 16 32; do
            [ "$bits" = 16 ] || [ "$block" = 2048 ] || continue
            rm -f "$dir/image"
            mkfs.vfat -F $bits -s $((block / 512)) -C "$dir/image" $((bits * block * 9 / 4)) >/dev/null 2>&1 || fail "mkfs.vfat -F $bits, $block"
            mcopy -i "$dir/image" "$dir/src"/*.png :: && mdel -i "$dir/image" "${gone[@]/#/::}"
            judge "FAT$bits, $block" "$dir/image" '(fat[0-9]+:/_ic0[256]\.png \(deleted\) ){3}'
            lists "FAT$bits, $block" "$dir/image" 512
        done
    fi
    if has mkfs.exfat; then
        rm -f "$dir/image" && truncate -s 16M "$dir/image" && mkfs.exfat -c $block "$dir/image" >/dev/null 2>&1
        delete exfat "$dir/image" "$dir/src"/*.png
        delete exfat-delete "$dir/image" "${gone[@]}"
        judge "exFAT, $block" "$dir/image" '(exfat:/pic0[256]\.png \(deleted\) ){3}'
        lists "exFAT, $block" "$dir/image" 512
    fi
    if has mkntfs ntfscp ntfsinfo; then
        rm -f "$dir/image" && truncate -s 16M "$dir/image" && mkntfs -q -F -c $block "$dir/image" >/dev/null 2>&1
        for file in "$dir/src"/*.png; do ntfscp -q -f "$dir/image" "$file" "${file##*/}" >/dev/null 2>&1; done
        delete ntfs-delete "$dir/image" "${gone[@]}"
        judge "NTFS, $block" "$dir/image" '(ntfs:/pic0[256]\.png \(deleted\) ){3}'
        lists "NTFS, $block" "$dir/image" $block
        free "NTFS, $block" "$dir/image" $block "$(ntfsinfo -m "$dir/image" 2>/dev/null | sed -nE 's/^\tFree Clusters: ([0-9]+).*/\1/p')"
    fi
    if has mke2fs debugfs dumpe2fs; then
        rm -f "$dir/image" && truncate -s 160M "$dir/image" && mke2fs -q -F -t ext4 -b $block -O bigalloc -C 16384 -d "$dir/src" "$dir/image" 2>/dev/null
        for file in "${gone[@]}"; do debugfs -w -R "rm $file" "$dir/image" 2>/dev/null; done
        judge "bigalloc, $block" "$dir/image" '(ext4 \(unallocated\) ){3}'
        [ "$(sqlite3 -readonly "$dir/case" "SELECT sum(len) / $block FROM scanned")" = "$(dumpe2fs -h "$dir/image" 2>/dev/null | sed -n 's/^Free blocks: *//p')" ] ||
            fail "bigalloc, $block: other blocks are free than dumpe2fs says"
    fi
    if has mkfs.xfs xfs_db; then
        { printf '/\n0 0\nd--755 0 0\n' && for file in "$dir/src"/*.png; do
            [[ " ${gone[*]} " == *" ${file##*/} "* ]] || echo "${file##*/} ---644 0 0 $file"
        done && echo '$'; } >"$dir/proto"
        rm -f "$dir/image" && truncate -s 300M "$dir/image" && mkfs.xfs -q -b size=$block -p "$dir/proto" "$dir/image" || fail "mkfs.xfs, $block"
        # In the longest free run of the last group: xfs_db prints group, first block and blocks.
        at=$(xfs_db -r -c "freesp -d" "$dir/image" | awk -v need=$((1 << 20)) -v block=$block '$1 ~ /^[0-9]+$/ && $3 * block > need { group = $1; first = $2 }
            END { print group, first }')
        blocks=$(xfs_db -r -c "sb 0" -c "p agblocks" "$dir/image" | sed 's/.*= //')
        delete plant "$dir/image" $(((${at% *} * blocks + ${at#* }) * block)) "${gone[@]/#/$dir/src/}"
        judge "XFS, $block" "$dir/image" '(xfs \(unallocated\) ){3}'
        free "XFS, $block" "$dir/image" $block "$(xfs_db -r -c "freesp -s" "$dir/image" | sed -n 's/^total free blocks //p')"
    fi
done
finish
