#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/btrfs.sh - scan --unallocated on Btrfs leaves out exactly the bytes of the device that btrfs-progs prints as in use, for each
# profile and size of nodes; files in use are not found, and what lies in free space is. Of a tree that is damaged, or that has no reader
# here, nothing is left out, and it is said.
# Labels: long
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
for tool in mkfs.btrfs btrfs; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done

# A picture of LENGTH bytes about SEED.
png() {
    python3 - "$@" <<'PY'
import random, struct, sys, zlib
rng, rows = random.Random(int(sys.argv[3])), int(sys.argv[2]) // 100
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
raw = b"".join(b"\0" + rng.randbytes(99) for _ in range(rows))
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 99, rows, 8, 0, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(raw, 0)) + chunk(b"IEND", b""))
PY
}
found() { sqlite3 "$dir/case" "SELECT group_concat(offset) FROM (SELECT offset FROM objects WHERE type = 'png' ORDER BY offset)"; }
scan() { rm -f "$dir/case" && expect 0 "" scan --quiet --unallocated --types png --no-assemble --case "$dir/case" "$1"; }
same() { python3 "$cli/btrfs_used.py" "$1" "$dir/case" || fail "$1: what is left out is not what is in use"; }
all_of() { # IMAGE WHY
    [ "$(sqlite3 "$dir/case" "SELECT group_concat(offset || '+' || len) FROM scanned")" = "0+$(stat -c %s "$1")" ] || fail "$1: not all of it was scanned"
    sqlite3 "$dir/case" "SELECT why FROM volumes" | grep -qE "$2" || fail "$1: $(sqlite3 "$dir/case" "SELECT why FROM volumes")"
}

mkdir "$dir/src" && for i in 1 2 3 4; do png "$dir/src/pic$i.png" $((i * 20000)) "$i"; done
png "$dir/gone.png" 30000 9
# Many names and small files make trees of two levels in nodes of 4 KiB.
mkdir "$dir/src/many" && for i in $(seq 700); do echo "a file with the number $i" >"$dir/src/many/name-of-some-length-$i"; done
number=0
for how in "-d single -m dup" "-n 4096 -d dup -m single" "-M -n 4096" "-n 65536 -R free-space-tree"; do
    image=$dir/one$((number += 1))
    truncate -s 160M "$image"
    # shellcheck disable=SC2086 # words, on purpose
    mkfs.btrfs -q $how --rootdir "$dir/src" "$image" >/dev/null 2>&1 || { fail "mkfs.btrfs $how"; continue; }
    # A picture in the longest free run behind the last one in use, and the living ones.
    at=$(python3 "$cli/btrfs_used.py" "$image" | tail -1 | awk '{ print $1 + $2 + 1048576 }')
    dd if="$dir/gone.png" of="$image" bs=4096 seek=$((at / 4096)) conv=notrunc status=none
    scan "$image"
    same "$image"
    [ "$(found)" = $((at / 4096 * 4096)) ] || fail "$how: pictures at $(found), and $at is free"
    [ "$("$BURIN" list --place all "$dir/case" | cut -f10)" = "btrfs (unallocated)" ] || fail "$how: $("$BURIN" list --place all "$dir/case" | cut -f10)"
done

# Several devices: of each is told what lies on it, or that its trees lie on others. mkfs.btrfs puts no files there: test_btrfs_chunks has
# longer runs.
devices() { # HOW WHY
    local told=0 image
    devices=()
    for i in 1 2 3 4; do rm -f "$dir/d$i" && truncate -s 160M "$dir/d$i" && devices+=("$dir/d$i"); done
    # shellcheck disable=SC2086
    mkfs.btrfs -q -f $1 "${devices[@]}" >/dev/null 2>&1 || { fail "mkfs.btrfs $1"; return; }
    for image in "${devices[@]}"; do
        scan "$image"
        if [ -z "$(sqlite3 "$dir/case" "SELECT why FROM volumes WHERE why != ''")" ]; then
            same "$image" && told=$((told + 1))
        else
            all_of "$image" "$2"
        fi
    done
    [ "$told" -ge "$3" ] || fail "$1: told of $told devices"
}
other="^Btrfs: its node at [0-9]+ lies on another device$"
devices "-d raid0 -m raid1" "$other" 1
devices "-d raid0 -m raid0" "$other" 0
devices "-d raid10 -m raid10" "$other" 1
devices "-d raid1c3 -m raid1c4" "$other" 4
devices "-d raid5 -m raid1c4" "no reader here for RAID5 and RAID6 of Btrfs" 0
truncate -s 160M "$dir/sum"
mkfs.btrfs -q --csum sha256 "$dir/sum" >/dev/null 2>&1 && scan "$dir/sum" && all_of "$dir/sum" "no reader here for its checksums"

# Of nodes that lie there twice one may be damaged, and not both; nor the superblock.
image=$dir/one1
before=$(sqlite3 "$dir/case" "SELECT 1" && scan "$image" && sqlite3 "$dir/case" "SELECT group_concat(offset || '+' || len) FROM scanned")
mapfile -t places < <(python3 - "$image" <<'PY'
import re, subprocess, sys
def text(*words):
    return subprocess.run(["btrfs", "inspect-internal", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
root = int(re.search(r"^leaf (\d+) .*owner EXTENT_TREE", text("dump-tree", "-t", "extent", sys.argv[1]), re.M)[1])
for part in text("dump-tree", "-t", "chunk", sys.argv[1]).split("\titem ")[1:]:
    head = re.search(r"CHUNK_ITEM (\d+)\)", part)
    if head and int(head[1]) <= root < int(head[1]) + int(re.search(r"length (\d+)", part)[1]):
        print(*(int(at) + root - int(head[1]) for at in re.findall(r"devid 1 offset (\d+)", part)), sep="\n")
PY
)
[ ${#places[@]} -eq 2 ] || fail "the tree of extents lies in ${#places[@]} places"
flip "$image" $((places[0] + 300)) && scan "$image"
[ "1"$'\n'"$(sqlite3 "$dir/case" "SELECT group_concat(offset || '+' || len) FROM scanned")" = "$before" ] || fail "one copy is damaged, and other bytes are left out"
flip "$image" $((places[1] + 16000)) && scan "$image" && all_of "$image" "^Btrfs: its node at [0-9]+ is damaged$"
flip "$image" $((65536 + 130)) && scan "$image" && all_of "$image" "^Btrfs: its superblock is damaged$"
finish
