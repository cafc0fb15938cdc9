#!/usr/bin/env bash
# tests/cli/containers.sh - one disk, in every container that burin reads by itself: a scan finds the same in each as in the raw
# image, with one thread and with several, and so do the readers that are asked for by name.
# Labels: slow
#
# Method: qemu-img writes the containers and reads them back. The disk is real files with holes and zeros between them.
. "$(dirname "$0")/lib.sh"
command -v qemu-img >/dev/null || skip "no qemu-img"
planted

# The planted image, a hole, the program itself, zeros, the planted image behind an odd sector: 64 MiB.
disk=$dir/disk.raw
cp "$image" "$disk"
put() { # FILE OFFSET
    dd if="$1" of="$disk" bs=64k oflag=seek_bytes seek="$2" conv=notrunc status=none
}
head -c 3000000 /dev/zero >"$dir/zeros"
head -c 9000000 "$BURIN" >"$dir/program"
put "$dir/program" 12582912
put "$dir/zeros" 23000000
put "$image" 31458816
truncate -s 64M "$disk"
expect 0 "" scan --quiet --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
[ "$(sqlite3 -readonly "$dir/raw.case" "SELECT count(*) FROM objects")" -gt 40 ] || fail "few objects in the raw image"

# same NAME TYPE QEMU_FORMAT OPTIONS...: as this container, the disk gives the same rows, and qemu-img reads the same bytes.
same() {
    local name=$1 type=$2 format=$3 how
    shift 3
    qemu-img convert -f raw -O "$format" "$@" "$disk" "$dir/$name" >"$dir/tool.log" 2>&1 || {
        fail "qemu-img: $name: $(cat "$dir/tool.log")"
        return
    }
    qemu-img compare -q -f raw -F "$format" "$disk" "$dir/$name" || fail "qemu-img reads other bytes: $name"
    for how in "--threads 1" "--threads 3 --io cache" "--threads 2 --io pread --image-type $type"; do
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet --force $how --case "$dir/case" "$dir/$name"
        "$BURIN" list --digest "$dir/case" | cmp -s - "$dir/want" || fail "$name ($how): other rows than the raw image"
    done
    [ "$(sqlite3 -readonly "$dir/case" "SELECT size FROM images")" -eq 67108864 ] || fail "$name: another size"
    rm -f "$dir/$name"
}

same disk.vdi vdi vdi
same fixed.vdi vdi vdi -o static=on
same disk.vhd vhd vpc -o force_size=on
same fixed.vhd vhd vpc -o subformat=fixed,force_size=on
same disk.vhdx vhdx vhdx
same small.vhdx vhdx vhdx -o block_size=1M
same fixed.vhdx vhdx vhdx -o subformat=fixed
same disk.qcow2 qcow2 qcow2
same old.qcow2 qcow2 qcow2 -o compat=0.10
same small.qcow2 qcow2 qcow2 -o cluster_size=512
same zlib.qcow2 qcow2 qcow2 -c
same zlib2m.qcow2 qcow2 qcow2 -c -o cluster_size=2M
same zstd.qcow2 qcow2 qcow2 -c -o compression_type=zstd
same zstd512.qcow2 qcow2 qcow2 -c -o compression_type=zstd,cluster_size=512
same disk.vmdk vmdk vmdk -o subformat=streamOptimized
finish
