#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/volumes.sh - what `burin info IMAGE` says of partitions is what mmls says; of file systems, what they were made
# with; and of what cannot be read, its name.
# Labels: long
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
for tool in mmls mke2fs mkfs.vfat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done
make() { python3 "$cli/make_volumes.py" "$@"; }
has() { command -v "$1" >/dev/null || { echo "not tested without $1"; return 1; }; }
size=$((8 << 20))

truncate -s 8M "$dir/ext" && mke2fs -q -F -t ext4 -L extlabel -b 1024 "$dir/ext" 8M 2>/dev/null
mkfs.vfat -n FATLABEL -C "$dir/fat" 8192 >/dev/null
for i in ntfs exfat; do truncate -s $size "$dir/$i"; done
has mkntfs && mkntfs -q -F -L Größe "$dir/ntfs" >/dev/null 2>&1
has mkfs.exfat && mkfs.exfat -L Umlaut-ö "$dir/exfat" >/dev/null 2>&1

# same_slots IMAGE: number, start, end, length and words of each slot are those of mmls.
same_slots() {
    expect 0 "" info "$1"
    awk 'BEGIN { FS = "\t" } table && $2 != "-" { print $1, $2, $3, $4, $6 } /^slot\t/ { table = 1 }' "$dir/out" >"$dir/ours"
    mmls ${2:+-b "$2"} "$1" | sed -nE 's/^([0-9]+):  +[^ ]+ +([0-9]+) +([0-9]+) +([0-9]+) +(.*)$/\1 \2 \3 \4 \5/p' >"$dir/theirs"
    [ -s "$dir/theirs" ] || fail "$1: mmls says nothing"
    diff "$dir/theirs" "$dir/ours" >"$dir/diff" || fail "$1: mmls and burin differ: $(cat "$dir/diff")"
}

# holds IMAGE SLOT TEXT...: the columns behind the description.
holds() {
    local line
    line=$("$BURIN" info "$1" | awk -F '\t' -v slot="$2" -v text="$3" '$1 == slot && ($6 == text || text == "") { print $7 " " $8 " " $9 " " $10 }')
    [ "$line" = "$4" ] || fail "$1: slot $2: $line"
}

make dos "$dir/dos" $((64 << 20)) "2048:16384:83:$dir/ext" "20480:16384:0c:$dir/fat" "40960:16384:07:$dir/exfat" \
    "60000:16384:83:$dir/ext" "80000:2000:82" "90000:16384:07:$dir/ntfs"
same_slots "$dir/dos"
grep -q $'^table\tDOS$' "$dir/out" || fail "DOS: $(head -5 "$dir/out")"
holds "$dir/dos" 002 "Linux (0x83)" "ext4 extlabel 8 MiB 1024"
holds "$dir/dos" 004 "Win95 FAT32 (0x0c)" "fat12 FATLABEL 8 MiB 2048"
[ "$(wc -l <"$dir/theirs")" -ge 15 ] || fail "the extended partition: $(cat "$dir/theirs")"
make gpt "$dir/gpt" $((32 << 20)) 512 "2048:16384:first part:$dir/ext" "20480:16384:second:$dir/ntfs" "40960:16384:third:$dir/exfat"
same_slots "$dir/gpt"
command -v mkntfs >/dev/null && holds "$dir/gpt" 006 second "ntfs Größe 8 MiB 4096"
command -v mkfs.exfat >/dev/null && holds "$dir/gpt" 008 third "exfat Umlaut-ö 8 MiB 4096"
python3 - "$BURIN" "$dir/gpt" <<'PY' || fail "--json"
import json, subprocess, sys
told = json.loads(subprocess.check_output([sys.argv[1], "info", "--json", sys.argv[2]]))
one = [v for v in told["volumes"] if v["kind"] == "partition"][0]
assert told["size"] == 32 << 20 and told["sector_size"] == 512, told
assert (one["number"], one["offset"], one["length"], one["content"], one["label"]) == (4, 1 << 20, 8 << 20, "ext4", "extlabel"), one
assert one["table"] == "GPT" and one["description"] == "first part" and one["block_size"] == 1024, one
PY

# A disk with sectors of 4 KiB in an image that does not say so; mmls has to be told.
make gpt "$dir/gpt4k" $((32 << 20)) 4096 "256:2048:one:$dir/ext" "4096:2048:two:$dir/fat"
same_slots "$dir/gpt4k" 4096
holds "$dir/gpt4k" 004 one "ext4 extlabel 8 MiB 1024"
# An MBR with partitions of its own beside a GPT.
cp "$dir/gpt" "$dir/hybrid" && python3 - "$dir/hybrid" <<'PY'
import struct, sys
with open(sys.argv[1], "r+b") as disk:
    disk.seek(446 + 16)
    disk.write(struct.pack("<B3sB3sII", 0, b"\0\0\0", 0x83, b"\0\0\0", 2048, 16384))
PY
burin info "$dir/hybrid"
[ "$status" -eq 0 ] && grep -q $'^table\tGPT$' "$dir/out" && grep -q "an MBR beside the GPT" "$dir/err" || fail "hybrid: $(cat "$dir/out" "$dir/err")"
# A boot sector of FAT is no table, whatever its last bytes look like.
python3 - "$dir/fat" <<'PY'
import struct, sys
with open(sys.argv[1], "r+b") as disk:
    disk.seek(446)
    disk.write(struct.pack("<B3sB3sII", 0x80, b"\1\1\0", 0x0c, b"\0\0\0", 63, 8000))
PY
expect 0 "" info "$dir/fat"
grep -q $'^table\t-$' "$dir/out" || fail "a boot sector: $(cat "$dir/out")"
holds "$dir/fat" 000 "" "fat12 FATLABEL 8 MiB 2048"

# Logical volumes, one in stripes; an array in two members, and a mirror. Their file systems are as they are outside.
make lvm "$dir/lvm" $((40 << 20)) vg0 "root:striped:1:$dir/ext" "str:striped:3:$dir/ext" "pool:thin-pool:1:$dir/fat"
if has pvck; then
    pvck --dump metadata "$dir/lvm" >"$dir/pvck" 2>/dev/null
    grep -q "^vg0 {" "$dir/pvck" || fail "pvck reads no group"
fi
expect 0 "" info "$dir/lvm"
for name in root str; do
    holds "$dir/lvm" 000 "vg0/$name" "ext4 extlabel 8 MiB 1024"
done
grep -q "no reader here for LVM's thin-pool" "$dir/out" || fail "thin: $(cat "$dir/out")"
python3 - "$dir" <<'PY'
import sys
d = sys.argv[1]
data = open(d + "/ext", "rb").read()
chunks = [data[i:i + 65536] for i in range(0, len(data), 65536)]
for i in range(2):
    open(f"{d}/half{i}", "wb").write(b"".join(chunks[i::2]))
    open(f"{d}/line{i}", "wb").write(data[i * (len(data) // 2):(i + 1) * (len(data) // 2)])
PY
for i in 0 1; do
    make md "$dir/md$i" 0 1.2 $i 2 65536 "$dir/half$i"
    make md "$dir/lin$i" -1 1.1 $i 2 65536 "$dir/line$i"
done
make md "$dir/mirror" 1 1.0 0 2 0 "$dir/ext"
if has mdadm; then
    for i in md0 lin1 mirror; do
        mdadm -E "$dir/$i" >"$dir/mdadm" 2>&1
        grep -q "Checksum : .* correct" "$dir/mdadm" || fail "mdadm does not believe $i: $(cat "$dir/mdadm")"
    done
fi
make dos "$dir/arrays" $((48 << 20)) "2048:20480:fd:$dir/md1" "24576:20480:fd:$dir/md0" "49152:20480:fd:$dir/mirror"
holds "$dir/arrays" 002 "RAID 0 box:array" "ext4 extlabel 8 MiB 1024"
holds "$dir/arrays" 006 "RAID 1 box:array" ""
make dos "$dir/arrays" $((48 << 20)) "2048:10240:fd:$dir/lin1" "20480:10240:fd:$dir/lin0"
holds "$dir/arrays" 002 "linear box:array" "ext4 extlabel 8 MiB 1024"
expect 0 "" info "$dir/mirror"
holds "$dir/mirror" 000 "RAID 1 box:array" "ext4 extlabel 8 MiB 1024"
expect 0 "" info "$dir/md0"
grep -q "members of it are not in this image" "$dir/out" || fail "half an array: $(cat "$dir/out")"

# What nobody here reads has a name.
named() {
    expect 0 "" info "$1"
    awk -F '\t' -v name="$2" '$7 == name { found = 1 } END { exit !found }' "$dir/out" || fail "$1 is no $2: $(tail -1 "$dir/out")"
    grep -q "$3" "$dir/out" || fail "$1: not a word of $3: $(tail -1 "$dir/out")"
}
python3 - "$dir" <<'PY'
import struct, sys
d = sys.argv[1]
def make(name, *parts):
    disk = bytearray(4 << 20)
    for at, data in parts:
        disk[at:at + len(data)] = data
    open(f"{d}/{name}", "wb").write(disk)
make("bitlocker", (0, b"\xeb\x58\x90-FVE-FS-"), (510, b"\x55\xaa"))
make("luks1", (0, b"LUKS\xba\xbe\0\1aes"))
make("luks2", (0, b"LUKS\xba\xbe\0\2" + struct.pack(">QQ", 16384, 1) + b"secret"))
make("zfs", (128 * 1024 + 5 * 1024, struct.pack("<Q", 0xbab10c)))
make("refs", (0, b"\0\0\0ReFS\0\0\0\0\0\0\0\0\0FSRS"))
make("filevault", (8, struct.pack("<HH", 1, 0x10)), (88, b"CS"))
PY
named "$dir/bitlocker" BitLocker encrypted
named "$dir/luks1" LUKS1 encrypted
named "$dir/luks2" LUKS2 encrypted
holds "$dir/luks2" 000 "" "LUKS2 secret - 0"
named "$dir/zfs" zfs "no reader here"
named "$dir/refs" refs "no reader here"
named "$dir/filevault" CoreStorage FileVault
if has mkfs.btrfs; then
    truncate -s 128M "$dir/btrfs" && mkfs.btrfs -q -L butter "$dir/btrfs" >/dev/null 2>&1 || fail "no btrfs"
    holds "$dir/btrfs" 000 "" "btrfs butter 128 MiB 4096"
fi
if has mkfs.xfs; then
    truncate -s 300M "$dir/xfs" && mkfs.xfs -q -L xlabel "$dir/xfs" && holds "$dir/xfs" 000 "" "xfs xlabel 300 MiB 4096"
fi
if has mkapfs; then
    truncate -s 600M "$dir/apfs" && mkapfs -L apple "$dir/apfs" && expect 0 "" info "$dir/apfs"
    awk -F '\t' '$7 == "apfs" { n++ } END { exit n < 2 }' "$dir/out" || fail "apfs: $(cat "$dir/out")"
fi
truncate -s 16M "$dir/big" && mke2fs -q -F -t ext4 -O bigalloc "$dir/big" 2>/dev/null && named "$dir/big" ext4 ""

# Words on the command line, and images that are none.
expect 2 "one of the two" info --types "$dir/gpt"
expect 2 "image-type" info --image-type nonsense "$dir/gpt"
expect 2 "no IMAGE" info --image-type raw
expect 3 "" info "$dir/nothing"

# Damaged tables and metadata end in words, not in a fault.
for seed in $(rounds 1 "1 2 3"); do
    for image in dos gpt lvm arrays mirror; do
        cp "$dir/$image" "$dir/bad"
        python3 - "$dir/bad" "$seed" <<'PY'
import random, sys
rng = random.Random(int(sys.argv[2]))
with open(sys.argv[1], "r+b") as image:
    for _ in range(300):
        image.seek(rng.randrange(0, 1 << 15) if rng.random() < .7 else rng.randrange((1 << 20) - 8192, (1 << 20) + 65536))
        image.write(bytes([rng.randrange(256)]))
PY
        burin info "$dir/bad"
        [ "$status" -eq 0 ] || fail "damaged $image, seed $seed: $status: $(cat "$dir/err")"
    done
done
finish
