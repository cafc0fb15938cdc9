#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/blank.sh - libtsk is not loaded for an image in which it would find nothing, and is for each in which it finds something.
#
# Method: tables and boot sectors at the odd places where libtsk looks for them, too: what mmls and fsstat say of them, burin says.
# Labels: long
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
for tool in mmls fsstat mkfs.vfat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done
python3 - "$dir" <<'PYTHON'
import random, struct, sys
def write(name, image):
    open(sys.argv[1] + "/" + name, "wb").write(image)
write("blank", random.Random(8).randbytes(1000).replace(b"\x55\xaa", b"\x55\xab") * 4000)
image = bytearray(4 << 20)  # Sun: two heads, 64 sectors, one partition of 2048 sectors
image[:9] = b"test disk"
for at, form, value in ((128, "I", 1), (140, "H", 8), (142, "H", 2), (188, "I", 0x600ddeee), (432, "H", 1), (436, "H", 16), (438, "H", 64),
                        (448, "I", 2048), (508, "H", 0xdabe)):
    struct.pack_into(">" + form, image, at, value)
check = 0
for word in struct.unpack(">255H", image[:510]):
    check ^= word
struct.pack_into(">H", image, 510, check)
write("sun", image)
image = bytearray(4 << 20)  # Macintosh: the map itself and one partition
image[:2] = b"ER"
for i, (start, count, kind) in enumerate(((1, 63, b"Apple_partition_map"), (64, 4096, b"Apple_HFS"))):
    struct.pack_into(">2sHIII32s32sIII", image, 512 * (i + 1), b"PM", 0, 2, start, count, b"Apple", kind, 0, count, 0x33)
write("mac", image)
image = bytearray(4 << 20)  # BSD: three of eight partitions
for at, form, value in ((0, "I", 0x82564557), (132, "I", 0x82564557), (138, "H", 8)):
    struct.pack_into("<" + form, image, 512 + at, value)
for i in range(3):
    struct.pack_into("<IIIB", image, 512 + 148 + 16 * i, 1024, 64 + 2048 * i, 0, 7)
write("bsd", image)
PYTHON
truncate -s 64M "$dir/fat"
mkfs.vfat -F 32 "$dir/fat" >/dev/null
cp "$dir/fat" "$dir/fat6" # only the second boot sector, in sector 6
dd if=/dev/zero of="$dir/fat6" bs=512 count=1 conv=notrunc status=none
head -c 8M "$dir/blank" >"$dir/part"
python3 "$cli/make_volumes.py" gpt "$dir/gpt" $((32 << 20)) 512 "2048:8192:first part:$dir/part"
cp "$dir/gpt" "$dir/gpt2" # only the second table, at the end
dd if=/dev/zero of="$dir/gpt2" bs=512 count=34 conv=notrunc status=none

for name in blank sun mac bsd fat fat6 gpt gpt2; do
    image=$dir/$name
    expect 0 "" scan --quiet --force --image-type raw --unallocated --case "$dir/case" "$image"
    parts=$(mmls "$image" 2>/dev/null | grep -cE '^[0-9]+: +[0-9]')
    [ "${name#fat}" = "$name" ] || parts=0 # to mmls its boot sector is a table
    told=$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM volumes WHERE kind = 'partition'")
    [ "$told" = "$parts" ] || fail "$name: $told partitions, and mmls says $parts"
    system=$(fsstat "$image" 2>/dev/null | sed -n 's/^File System Type: //p' | tr '[:upper:]' '[:lower:]')
    # A run of free bytes is told only where the file system was read.
    whole=$(sqlite3 -readonly "$dir/case" "SELECT sum(len) = $(stat -c %s "$image") FROM scanned")
    case $system in
    "") [ "$whole" = 1 ] || fail "$name: not all was scanned, and fsstat knows no file system" ;;
    *) [ "$whole" = 0 ] || fail "$name: all was scanned, and fsstat says $system" ;;
    esac
    command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null || continue
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -e trace=openat,mmap -y -o "$dir/trace" "$BURIN" scan --quiet --force --image-type raw \
        --case "$dir/case" "$image" || fail "$name: scan under strace"
    loaded=$(grep -cE 'mmap\(.*PROT_EXEC.*libtsk' "$dir/trace")
    if [ "$name" = blank ]; then
        [ "$loaded" = 0 ] || fail "libtsk is loaded for nothing"
    else
        [ "$loaded" -gt 0 ] || fail "$name: libtsk is not loaded"
    fi
done
finish
