#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/elsewhere.sh - a container that names files elsewhere on the machine is refused, and they are not opened: else
# whoever made the image would choose what is taken into the evidence.
#
# Method: strace shows every file that is opened, by the path that it has.
# Labels: long
. "$(dirname "$0")/../lib.sh"
command -v qemu-img >/dev/null || skip "no qemu-img"
command -v strace >/dev/null || skip "no strace"
strace -f -o "$dir/probe" true 2>/dev/null || skip "strace may not trace here"
mkdir "$dir/evidence" "$dir/else"
secret=$dir/else/secret
head -c 1000448 /dev/urandom >"$secret"
cd "$dir/evidence" || exit 1

# refuses TEXT IMAGE: with status 3 and that text, and nothing below $dir/else is opened but as a place (O_PATH), which cannot be read.
refuses() {
    local jail
    for jail in "" --no-jail; do
        status=0
        # shellcheck disable=SC2086
        ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -qq -y -e trace=open,openat,openat2 -o "$dir/trace" \
            "$BURIN" scan $jail --quiet --case "$dir/case" "$2" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
        check 3 "$1" "scan $jail $2"
        [ ! -e "$dir/case" ] || fail "$2 left a case file"
        grep -q "evidence/" "$dir/trace" || fail "strace saw nothing of $2"
        ! grep "$dir/else/" "$dir/trace" | grep -v O_PATH >"$dir/opened" || fail "$2: opened: $(head -3 "$dir/opened")"
    done
}

made() {
    qemu-img "$@" >"$dir/tool.log" 2>&1 || fail "qemu-img $*: $(cat "$dir/tool.log")"
}
made create -f qcow2 -b "$secret" -F raw absolute.qcow2
refuses "only one in its own folder is read" "$dir/evidence/absolute.qcow2"
made create -f qcow2 -b ../else/secret -F raw relative.qcow2
refuses "only one in its own folder is read" relative.qcow2
made create -f qcow2 -u -b "json:{\"driver\":\"raw\",\"file\":{\"driver\":\"file\",\"filename\":\"$secret\"}}" -F raw json.qcow2 1M
refuses "only one in its own folder is read" json.qcow2
made create -f qcow2 -u -b "nbd:unix:$secret" -F raw nbd.qcow2 1M
refuses "only one in its own folder is read" nbd.qcow2
ln -s ../else/secret link
made create -f qcow2 -b link -F raw linked.qcow2
refuses "which is no file" linked.qcow2
cp "$secret" "$dir/else/data"
made create -f qcow2 -o "data_file=$dir/else/data,data_file_raw=on" data.qcow2 1000448
refuses "has its bytes in another file" data.qcow2
# Two that stand over one another: the lower one leads out.
made create -f qcow2 -b absolute.qcow2 -F qcow2 chain.qcow2
refuses "absolute.qcow2: this QCOW2 is based on a file that it does not name plainly" chain.qcow2
for name in "$secret" ../else/secret; do
    cat >flat.vmdk <<VMDK
# Disk DescriptorFile
version=1
CID=12345678
parentCID=ffffffff
createType="monolithicFlat"
RW 1954 FLAT "$name" 0
VMDK
    refuses "names an extent that is not in its folder" flat.vmdk
done
finish
