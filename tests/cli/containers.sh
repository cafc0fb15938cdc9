#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/containers.sh - one disk, in every container that burin reads by itself: a scan finds the same in each as in the raw
# image, with one thread and with several, and so do the readers that are asked for by name.
# Labels: long slow
#
# Method: qemu-img and ewfacquire write the containers. The disk is real files with holes and zeros between them.
. "$(dirname "$0")/lib.sh"
command -v qemu-img >/dev/null || skip "no qemu-img"
planted

# The planted image, a hole, the program itself, zeros, the planted image behind an odd sector: 24 MiB.
disk=$dir/disk.raw
cp "$image" "$disk"
put() { # FILE OFFSET
    dd if="$1" of="$disk" bs=64k oflag=seek_bytes seek="$2" conv=notrunc status=none
}
head -c 3000000 /dev/zero >"$dir/zeros"
head -c 3000000 "$BURIN" >"$dir/program"
put "$dir/program" 6291456
put "$dir/zeros" 10000000
put "$image" 14681600
truncate -s 24M "$disk"
expect 0 "" scan --quiet --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
[ "$(sqlite3 -readonly "$dir/raw.case" "SELECT count(*) FROM objects")" -gt 40 ] || fail "few objects in the raw image"

# With BURIN_LONG=1: other ways to write a container of which one is read here, and that qemu-img reads its own; the tests of each container
# read them all.
more() { [ -z "${BURIN_LONG:-}" ] || "$@"; }

# rows NAME TYPE: the container gives the rows of the raw image.
# One of two ways of reading each, in turn; both with BURIN_LONG=1.
turn=0
rows() {
    local name=$1 type=$2 how hows
    hows=("--threads 1 --io cache" "--threads 3 --io pread --image-type $type")
    turn=$((turn + 1))
    [ -n "${BURIN_LONG:-}" ] || hows=("${hows[turn % 2]}")
    for how in "${hows[@]}"; do
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet --force $how --case "$dir/case" "$dir/$name"
        "$BURIN" list --digest "$dir/case" | cmp -s - "$dir/want" || fail "$name ($how): other rows than the raw image"
    done
    [ "$(sqlite3 -readonly "$dir/case" "SELECT size FROM images")" -eq 25165824 ] || fail "$name: another size"
}
# same NAME TYPE QEMU_FORMAT OPTIONS...: as this container, the disk gives the same rows.
same() {
    local name=$1 type=$2 format=$3
    shift 3
    qemu-img convert -f raw -O "$format" "$@" "$disk" "$dir/$name" >"$dir/tool.log" 2>&1 || {
        fail "qemu-img: $name: $(cat "$dir/tool.log")"
        return
    }
    more qemu-img compare -q -f raw -F "$format" "$disk" "$dir/$name" || fail "qemu-img reads other bytes: $name"
    rows "$name" "$type"
    rm -f "$dir/$name"
}
# aff4 OPTIONS...: the same as an AFF4.
aff4() {
    local status=0
    python3 "$cli/../io/aff4_write.py" "$disk" "$dir/disk.aff4" "$@" || status=$?
    if [ "$status" -eq 77 ]; then
        echo "skipped: no libsnappy or liblz4 here: AFF4 $*"
        return
    fi
    [ "$status" -eq 0 ] || fail "aff4_write.py $*"
    rows disk.aff4 aff4
    rm -f "$dir"/disk*.aff4
}
# acquired OPTIONS...: the same as an E01.
acquired() {
    (cd "$dir" && ewfacquire -u -q "$@" -t set disk.raw </dev/null >tool.log 2>&1) || fail "ewfacquire $*: $(cat "$dir/tool.log")"
    rows set.E01 ewf
    rm -f "$dir"/set.E*
}

same disk.vdi vdi vdi
more same fixed.vdi vdi vdi -o static=on
same disk.vhd vhd vpc -o force_size=on
more same fixed.vhd vhd vpc -o subformat=fixed,force_size=on
same disk.vhdx vhdx vhdx
same small.vhdx vhdx vhdx -o block_size=1M
more same fixed.vhdx vhdx vhdx -o subformat=fixed
if command -v ewfacquire >/dev/null; then
    acquired -f encase6 -c fast
    acquired -f encase5 -c best -S 1572864
    more acquired -f ftk -c none -S 20MiB
    more acquired -f linen7 -c none -b 1024
else
    echo "skipped: no ewfacquire here: E01"
fi
aff4 method=snappy map=sparse bevvy=2048
more aff4 method=lz4 map=mixed zip=32
aff4 method=deflate map=gaps deflate=1
more aff4 method=zlib map=none hash=1 chunk=1048576
more aff4 method=stored stripes=3
same disk.qcow2 qcow2 qcow2
more same old.qcow2 qcow2 qcow2 -o compat=0.10
more same small.qcow2 qcow2 qcow2 -o cluster_size=512
same zlib.qcow2 qcow2 qcow2 -c
more same zlib2m.qcow2 qcow2 qcow2 -c -o cluster_size=2M
same zstd.qcow2 qcow2 qcow2 -c -o compression_type=zstd
more same zstd512.qcow2 qcow2 qcow2 -c -o compression_type=zstd,cluster_size=512
same disk.vmdk vmdk vmdk -o subformat=streamOptimized

# What cannot be unpacked is a bad range with its reason, and all beside it is found: the cluster of the first file of the image.
qemu-img convert -f raw -O vmdk -o subformat=streamOptimized "$disk" "$dir/torn.vmdk" >"$dir/tool.log" 2>&1 || fail "qemu-img: $(cat "$dir/tool.log")"
python3 - "$dir/torn.vmdk" <<'PY' || fail "the first grain was not changed"
import sys
with open(sys.argv[1], "r+b") as file:
    data = file.read(1 << 20)
    directory = int.from_bytes(data[56:64], "little") * 512
    table = int.from_bytes(data[directory:directory + 4], "little") * 512
    grain = int.from_bytes(data[table:table + 4], "little") * 512
    file.seek(grain + 100)
    file.write(b"XXXX")
PY
expect 1 "65536 bytes in 1 place could not be read" scan --quiet --force --threads 2 --case "$dir/case" "$dir/torn.vmdk"
[ "$(sqlite3 -readonly "$dir/case" "SELECT offset, len, source FROM bad_ranges")" = "0|65536|checksum" ] ||
    fail "bad ranges: $(sqlite3 -readonly "$dir/case" "SELECT * FROM bad_ranges")"
beside="SELECT type, offset, len FROM objects WHERE offset > 65536 AND offset < 25000000 ORDER BY 1, 2, 3"
sqlite3 -readonly "$dir/raw.case" "$beside" >"$dir/want.beside"
sqlite3 -readonly "$dir/case" "$beside" | cmp -s - "$dir/want.beside" || fail "other objects beside the damaged grain"

# A VHDX that was not closed has changes of its tables in its log: they are made in memory, and the file stays as it is.
qemu-img convert -f raw -O vhdx -o block_size=1M "$disk" "$dir/log.vhdx" >"$dir/tool.log" 2>&1 || fail "qemu-img: $(cat "$dir/tool.log")"
python3 "$cli/../io/vhdx_log.py" "$dir/log.vhdx" entries=3 at=254 stale=1 || fail "vhdx_log.py"
md5sum "$dir/log.vhdx" >"$dir/before"
expect 0 "this VHDX was not closed: 3 entries of its log were taken in" scan --quiet --force --case "$dir/case" "$dir/log.vhdx"
"$BURIN" list --digest "$dir/case" | cmp -s - "$dir/want" || fail "a VHDX with a log: other rows than the raw image"
md5sum --status -c "$dir/before" || fail "a VHDX with a log was changed"

# An older state that a qcow2 keeps is read when it is asked for, and is what later commands read too.
qemu-img convert -f raw -O qcow2 "$disk" "$dir/snap.qcow2" >"$dir/tool.log" 2>&1 || fail "qemu-img: $(cat "$dir/tool.log")"
qemu-img snapshot -c 'before it' "$dir/snap.qcow2" || fail "qemu-img snapshot"
qemu-io -f qcow2 -c 'write -z 0 12M' "$dir/snap.qcow2" >/dev/null || fail "qemu-io"
grep -q '^snapshot	1	before it	20.*Z	24 MiB$' <<<"$("$BURIN" info "$dir/snap.qcow2")" || fail "burin info lists no snapshot"
"$BURIN" info --json "$dir/snap.qcow2" | python3 -c 'import json, sys; assert json.load(sys.stdin)["snapshots"][0]["name"] == "before it"' ||
    fail "burin info --json lists no snapshot"
expect 0 "" scan --quiet --force --case "$dir/case" "$dir/snap.qcow2"
"$BURIN" list --digest "$dir/case" | cmp -s - "$dir/want" && fail "the present state has the rows of the older one"
expect 0 "" scan --quiet --force --snapshot 'before it' --case "$dir/case" "$dir/snap.qcow2"
"$BURIN" list --digest "$dir/case" | cmp -s - "$dir/want" || fail "--snapshot: other rows than the raw image"
[ "$(sqlite3 -readonly "$dir/case" "SELECT format FROM images")" = QCOW2@1 ] || fail "which snapshot it was is not on record"
expect 0 "" carve --quiet --out "$dir/snapped" "$dir/case"
expect 0 "" carve --quiet --out "$dir/snapped.raw" --image "$disk" "$dir/case"
diff -r "$dir/snapped" "$dir/snapped.raw" -x audit.txt -x report.xml >"$dir/diff" || fail "carved of a snapshot: $(head -3 "$dir/diff")"
expect 3 "has no snapshot of this id or name: none" scan --quiet --force --snapshot none --case "$dir/case" "$dir/snap.qcow2"
expect 2 "give one of them" scan --quiet --force --snapshot 1 --image-type qcow2 --case "$dir/case" "$dir/snap.qcow2"

# What an AFF4 says nobody read, or could not, is a bad range: the first file of the image, and a chunk behind it.
if python3 "$cli/../io/aff4_write.py" "$disk" "$dir/part.aff4" unread=0+65536 unknown=131072+32768; then
    expect 1 "98304 bytes in 2 places could not be read" scan --quiet --force --threads 2 --case "$dir/case" "$dir/part.aff4"
    [ "$(sqlite3 -readonly "$dir/case" "SELECT offset, len, source, status FROM bad_ranges")" = "0|65536|acquisition|-
131072|32768|not acquired|?" ] || fail "bad ranges of an AFF4: $(sqlite3 -readonly "$dir/case" "SELECT * FROM bad_ranges")"
    grep -qx 'case number	case 7' <<<"$("$BURIN" info "$dir/part.aff4")" || fail "the case number of an AFF4 is not told"
fi

# What was scanned in a container is carved from it, and from the raw image.
qemu-img convert -f raw -O qcow2 -c "$disk" "$dir/disk.qcow2" >"$dir/tool.log" 2>&1 || fail "qemu-img: $(cat "$dir/tool.log")"
expect 0 "" scan --quiet --force --case "$dir/case" "$dir/disk.qcow2"
expect 0 "" carve --quiet --out "$dir/packed" "$dir/case"
expect 0 "" carve --quiet --out "$dir/plain" --image "$disk" "$dir/case"
diff -r "$dir/packed" "$dir/plain" -x audit.txt -x report.xml >"$dir/diff" || fail "carved of qcow2 and raw: $(head -3 "$dir/diff")"
[ "$(find "$dir/packed" -name '*.png' | wc -l)" -gt 3 ] || fail "few pictures were carved"
finish
