#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/baddisk.sh - a disk with a bad sector, and one that is taken away while it is scanned.
#
# Method: a library that stands between the program and the kernel lets reads of the image fail as they do on such disks
# (shim_disk.c). Sanitizers want to be that library themselves.
. "$(dirname "$0")/../lib.sh"
[ -n "${SHIM:-}" ] || skip "no library that plays a disk in this build"
planted

# disk WORD... : the program, with $image for the disk.
disk() {
    status=0
    LD_PRELOAD=$SHIM SHIM_FILE=$image "$BURIN" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
}
ask() {
    sqlite3 -readonly "$dir/case" "$1"
}
direct=$(python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)' "$image" 2>/dev/null && echo yes)

for io in aio cache pread; do
    export SHIM_BAD=5000
    disk scan --quiet --force --io "$io" --case "$dir/case" "$image"
    check 1 "could not be read" "a bad sector, by $io"
    rows=$(ask "SELECT offset || '+' || len || ' ' || cause FROM bad_ranges")
    if [ -n "$direct" ]; then
        [ "$rows" = "2560000+512 5" ] || fail "a bad sector, by $io: $rows"
    fi
    ask "SELECT text FROM log WHERE kind = 'read-error'" | grep -q '(read: Input/output error)' ||
        fail "a bad sector, by $io: $(ask "SELECT text FROM log")"
    # Zeros stand for it in the hash too, which is then not that of the medium.
    length=$(ask "SELECT len FROM bad_ranges") offset=$(ask "SELECT offset FROM bad_ranges")
    disk scan --quiet --force --io "$io" --threads 3 --hash md5 --case "$dir/case" "$image"
    [ "$status" -eq 1 ] && grep -q "the hash of the image is not that of the medium: zeros stand in it for $length bytes" "$dir/err" ||
        fail "a hash over a bad sector, by $io: $status, $(cat "$dir/err")"
    want=$({ head -c "$offset" "$image"; head -c "$length" /dev/zero; tail -c +$((offset + length + 1)) "$image"; } | md5sum | cut -c 1-32)
    [ "$(ask "SELECT digest, filled FROM image_hashes")" = "$want|$length" ] || fail "a hash over a bad sector, by $io: $(ask "SELECT * FROM image_hashes")"
    unset SHIM_BAD

    # All of the image is read once without a fault, so that there is something to compare with.
    "$BURIN" scan --quiet --force --io "$io" --case "$dir/whole" "$image" || fail "the whole disk"
    export SHIM_GONE=2500000
    disk scan --quiet --force --io "$io" --case "$dir/case" "$image"
    check 4 "cannot be read any more, from byte [0-9]+ on: No such device" "a disk that is gone, by $io"
    [ "$(ask "SELECT status FROM runs")" = failed ] || fail "a disk that is gone, by $io: $(ask "SELECT status FROM runs")"
    [ "$(ask "SELECT count(*) FROM bad_ranges")" -eq 0 ] || fail "a disk that is gone, by $io, has bad sectors"
    position=$(ask "SELECT position FROM runs")
    [ "$position" -gt 1000000 ] || fail "a disk that is gone, by $io: only $position bytes are on record"
    hits="SELECT offset, len, footer FROM hits WHERE offset + len <= $position ORDER BY id"
    diff <(ask "$hits") <(sqlite3 -readonly "$dir/whole" "$hits") >"$dir/diff" ||
        fail "a disk that is gone, by $io: other hits in what was read: $(head -3 "$dir/diff")"
    ask "SELECT text FROM log WHERE kind = 'failed'" | grep -q "cannot be read any more" ||
        fail "a disk that is gone, by $io: the log does not say so"
    unset SHIM_GONE
done
finish
