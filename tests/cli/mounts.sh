#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mounts.sh - output that would land on the evidence is refused however the evidence is
# mounted. With real mounts, so it needs root and loop devices; they stand in a table of mounts of
# its own and are gone when it ends.
# Labels: long
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "not root: no mounts"
for need in losetup mkfs.ext4 unshare mount; do command -v "$need" >/dev/null || skip "no $need"; done
if [ -z "${MOUNTS_OF_ITS_OWN:-}" ]; then
    unshare -m true 2>/dev/null || skip "no mounts of its own here"
    MOUNTS_OF_ITS_OWN=1 unshare -m bash "$0"
    exit
fi
loops=()
# A loop device that is in use goes when it is no longer.
at_exit+=('for l in "${loops[@]}"; do losetup -d "$l"; done; umount -l "$dir/m"')
mkdir "$dir/m" "$dir/out of it"
mount -t tmpfs none "$dir/m" || skip "mount does not work here"

# device NAME: $loop, over a new file of 256 MiB.
device() {
    truncate -s 256M "$dir/m/$1.img"
    loop=$(losetup -f --show "$dir/m/$1.img") || skip "no loop device"
    loops+=("$loop")
}

# refused WHAT FOLDER NAME : to write into the folder is refused when $loop is the evidence, in each
# of the ways that commands write; messages have NAME of the folder.
refused() {
    local before
    before=$(find "$2" | sort)
    expect 3 "$3.*which is the evidence" scan --quiet --case "$2/c.burin" "$loop"
    expect 0 "" scan --quiet --force --case "$dir/c.burin" "$loop"
    expect 3 "$3.*which is the evidence" carve --quiet --out "$2/new" "$dir/c.burin"
    expect 3 "$3.*which is the evidence" carve --quiet --out "$2/new/below" "$dir/c.burin"
    (cd "$2" && BURIN=$BURIN expect 3 "which is the evidence" search --quiet "$loop" word)
    [ "$(find "$2" | sort)" = "$before" ] || fail "$1: something was written there"
}

device plain
mkfs.ext4 -q "$loop"
mkdir "$dir/m/my ev" "$dir/m/over lay"$'\t\n\\' "$dir/m/low"
mount "$loop" "$dir/m/my ev"
refused "ext4" "$dir/m/my ev" "my ev"
expect 0 "" scan --quiet --case "$dir/out of it/c.burin" "$loop"

# The image, and not its device: what is written changes it all the same.
expect 3 "which is the evidence" scan --quiet --case "$dir/m/my ev/c.burin" "$dir/m/plain.img"

mkdir "$dir/m/my ev/up" "$dir/m/my ev/work"
if mount -t overlay none -o "lowerdir=$dir/m/low,upperdir=$dir/m/my ev/up,workdir=$dir/m/my ev/work" \
    "$dir/m/over lay"$'\t\n\\' 2>/dev/null; then
    refused "overlay" "$dir/m/over lay"$'\t\n\\' "over lay"
    expect 0 "" scan --quiet --force --case "$dir/out of it/c.burin" "$loop"
    mkdir "$dir/m/read" "$dir/m/up" "$dir/m/work"
    mount -t overlay none -o "lowerdir=$dir/m/my ev,upperdir=$dir/m/up,workdir=$dir/m/work" "$dir/m/read"
    expect 0 "" scan --quiet --case "$dir/m/read/c.burin" "$loop"
else
    echo "skipped: overlays: this kernel has none"
fi

# A file system within the evidence, through a second loop device.
truncate -s 64M "$dir/m/my ev/inner.img"
outer=$loop
inner=$(losetup -f --show "$dir/m/my ev/inner.img")
loops+=("$inner")
mkfs.ext4 -q "$inner"
mkdir "$dir/m/inner"
mount "$inner" "$dir/m/inner"
loop=$outer
refused "loop over loop" "$dir/m/inner" "inner"

if grep -qw btrfs /proc/filesystems && command -v python3 >/dev/null; then
    python3 "$cli/make_btrfs.py" "$dir/m/one.img"
    device one
    first=$loop
    device two
    mkdir "$dir/m/b tr"
    mount -t btrfs "$first" "$dir/m/b tr" || fail "the btrfs that was made cannot be mounted"
    python3 "$cli/make_btrfs.py" --add "$loop" "$dir/m/b tr" || fail "the btrfs takes no second device"
    refused "btrfs, its second device" "$dir/m/b tr" "b tr"
    loop=$first
    refused "btrfs, its first device" "$dir/m/b tr" "b tr"
    loop=$outer
    expect 0 "" scan --quiet --case "$dir/m/b tr/c.burin" "$loop"
else
    echo "skipped: btrfs: not in this kernel"
fi
finish
