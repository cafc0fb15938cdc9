#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/beside.sh - file systems are asked beside the scan where it pays to read an image in several places at a time, and behind it
# elsewhere; what is on record does not depend on it.
#
# Method: strace shows when the thread that asks begins, and when those that scan read for the last time.
# Labels: long
. "$(dirname "$0")/lib.sh"
command -v mke2fs >/dev/null || skip "no mke2fs"
planted
mkdir "$dir/tree"
for i in 1 2 3 4 5 6 7 8; do cp "$image" "$dir/tree/picture-$i"; done
truncate -s 48M "$dir/disk"
mke2fs -q -F -t ext4 -d "$dir/tree" "$dir/disk" || fail "mke2fs"
cat "$dir/disk" >"$dir/disk.raw" # without holes
rows() {
    sqlite3 -readonly "$1" "SELECT o.offset, o.state, o.len, f.* FROM objects o LEFT JOIN found_in f ON f.object_id = o.id ORDER BY o.id"
}
for how in "--parts-at-once 1" "--parts-at-once 2" "--parts-at-once 3 --part-size 1M" "--max-read 100M"; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force --threads 3 $how --case "$dir/case" "$dir/disk.raw"
    rows "$dir/case" >"$dir/rows"
    [ -e "$dir/want" ] || cp "$dir/rows" "$dir/want"
    cmp -s "$dir/rows" "$dir/want" || fail "$how: other rows: $(diff "$dir/want" "$dir/rows" | head -3)"
done
[ "$(grep -c "|/picture-[1-8]|" "$dir/want")" -ge 8 ] || fail "no paths: $(head -3 "$dir/want")"

# A case file that cannot grow ends the scan, and what is asked beside it.
status=0
(ulimit -f 100 && trap '' XFSZ && exec "$BURIN" scan --quiet --threads 3 --parts-at-once 3 --case "$dir/full" "$dir/disk.raw") >"$dir/out" 2>"$dir/err" || status=$?
[ "$status" = 4 ] || fail "a case file that cannot grow: status $status, $(cat "$dir/err")"

command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null || { echo "skipped: the order: no strace"; finish; }
# order HOW... : whether file systems are asked before the threads that scan have read for the last time, or behind it.
order() {
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -e trace=prctl,pread64,preadv2,io_submit -o "$dir/trace" "$BURIN" scan --quiet --force --threads 3 "$@" --case "$dir/case" "$dir/disk.raw" ||
        fail "the scan under strace fails"
    awk '/PR_SET_NAME, "burin-scanner"/ { scans[$1] } /PR_SET_NAME, "burin-file-sys"/ { asked = NR } / (pread64|preadv2|io_submit)\(/ && $1 in scans { last = NR }
        END { print asked == 0 || last == 0 ? "neither" : asked < last ? "beside" : "behind" }' "$dir/trace"
}
[ "$(order --parts-at-once 3 --part-size 1M)" = beside ] || fail "several places at a time: not beside the scan"
[ "$(order --parts-at-once 1)" = behind ] || fail "one place at a time: not behind the scan"
[ "$(order --max-read 100M)" = behind ] || fail "a limit: not behind the scan"
finish
