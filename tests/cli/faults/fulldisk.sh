#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/fulldisk.sh - the disk is full during scan and during carve: status 4, one line, no file that looks whole and is not.
#
# Method: small tmpfs, which only root may mount.
# Labels: long
. "$(dirname "$0")/../lib.sh"
[ "$(id -u)" -eq 0 ] || skip "only root may mount a tmpfs"
planted
sum=$(sha256sum <"$image")

small() { # SIZE: an empty $dir/small of that size
    umount "$dir/small" 2>/dev/null
    mkdir -p "$dir/small"
    mount -t tmpfs -o "size=$1" tmpfs "$dir/small" 2>/dev/null || skip "mounting a tmpfs is not allowed here"
}
at_exit+=('umount "$dir/small" 2>/dev/null')

# scan: a case file of half a megabyte does not fit into 64 KiB.
for size in 16k 64k 128k; do
    small "$size"
    expect 4 "full|no space" scan --quiet --all-hits --case "$dir/small/case" "$image"
    if [ -e "$dir/small/case" ]; then
        cp "$dir"/small/case* "$dir"
        [ "$(sqlite3 "$dir/case" 'PRAGMA integrity_check' 2>&1)" = ok ] || [ ! -s "$dir/case" ] || fail "the case file left on a full disk ($size) is damaged"
        rm -f "$dir"/case*
    fi
done

# Such a scan goes on when there is room, and comes to the rows of one that always had it.
expect 0 "" scan --quiet --all-hits --case "$dir/roomy" "$image"
expect 0 "" list --digest "$dir/roomy"
cp "$dir/out" "$dir/roomy.digest"
for size in 200k 300k 400k; do
    small "$size"
    burin scan --quiet --all-hits --part-size 64K --case "$dir/small/case" "$image"
    case $status in
    0) continue ;; # it fits
    4) ;;
    *) fail "scan on a disk of $size: status $status: $(cat "$dir/err")" ;;
    esac
    mount -o remount,size=8M "$dir/small" || fail "the disk cannot be made larger"
    expect 0 "" scan --quiet --all-hits --resume --case "$dir/small/case" "$image"
    expect 0 "" list --digest "$dir/small/case"
    cmp -s "$dir/out" "$dir/roomy.digest" || fail "a scan that met a full disk ($size) and went on has other rows"
done

# carve: the space is checked first, so nothing is begun.
expect 0 "" scan --quiet --case "$dir/good" "$image"
small 128k
expect 4 "space|full" carve --quiet --out "$dir/small/out" "$dir/good"

# And when it runs out on the way (somebody else writes): every file that is there is whole.
burin list "$dir/good"
need=$(awk -F'\t' '$8 == "-" { n += $5 } END { print n }' "$dir/out")
cp "$dir/out" "$dir/list"
for spare in 200000 120000 40000; do
    small "$((need / 1024 + 1024))k"
    # The folder seems to have room when carve looks, and another writer takes it.
    mkdir "$dir/small/out"
    (
        for _ in $(seq 200); do
            [ -n "$(ls -A "$dir/small/out")" ] && break
            sleep 0.005
        done
        head -c "$((need + 1048576 - spare))" /dev/zero >"$dir/small/filler" 2>/dev/null
    ) &
    burin carve --quiet --out "$dir/small/out" "$dir/good"
    wait $!
    case $status in
    0) ;; # carve was faster
    1 | 4) [ -s "$dir/err" ] || fail "carve on a full disk says nothing" ;;
    *) fail "carve on a full disk: status $status" ;;
    esac
    while IFS=$'\t' read -r _ _ _ offset length _ _ _ name; do
        [ -e "$dir/small/out/$name" ] || continue
        cmp -s <(tail -c +$((offset + 1)) "$image" | head -c "$length") "$dir/small/out/$name" || fail "$name on the full disk is not whole"
    done <"$dir/list"
done
[ "$(sha256sum <"$image")" = "$sum" ] || fail "the evidence was changed"
finish
