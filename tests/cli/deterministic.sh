#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/deterministic.sh - the same image gives the same rows, whatever the number of threads, the size of the segments, the way of
# reading, and the engine.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted

expect 0 "" scan --quiet --all-hits --case "$dir/first" "$image"
rows "$dir/first" >"$dir/rows"
[ "$(grep -c '^object' "$dir/rows")" -ge 30 ] || fail "only $(grep -c '^object' "$dir/rows") objects to compare"

same() {
    expect 0 "" scan --quiet --force --all-hits "$@" --case "$dir/again" "$image"
    rows "$dir/again" >"$dir/rows.again"
    cmp -s "$dir/rows" "$dir/rows.again" || fail "scan $* gives other rows: $(diff "$dir/rows" "$dir/rows.again" | head -5)"
}
# Each number of threads with each length of segments, and each of both with each way of reading, with and without parts.
# Without BURIN_LONG=1 every third of them.
ways=(aio cache pread) parts=("" "--part-size 300K") n=0 odd=0
for threads in 1 2 5; do
    for segment in 64K 256K 1M 16M 64M; do
        # shellcheck disable=SC2086 # words, on purpose
        [ $((odd % $(rounds 3 1))) != 0 ] ||
            same --io "${ways[n % 3]}" --threads "$threads" --segment "$segment" ${parts[n % 2]}
        n=$((n + 1)) odd=$((odd + 1))
    done
    n=$((n + 2))
done
for threads in 3 64 256; do # more than there are segments, and than lanes
    same --threads "$threads" --segment 64K --part-size 64K
    [ -z "${BURIN_LONG:-}" ] || same --threads "$threads"
done
# On one processor and on two: threads end in another order.
all=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)), sep=",")')
for cpus in "${all%%,*}" "$(cut -d, -f1,2 <<<"$all")"; do
    taskset -cp "$cpus" $$ >/dev/null
    for threads in $(rounds "2 64" "1 2 3 64"); do
        same --segment 64K --part-size 64K --threads "$threads"
    done
done
taskset -cp "$all" $$ >/dev/null

# Hits alone are the same hits, without the objects.
expect 0 "" scan --quiet --force --hits-only --case "$dir/again" "$image"
[ "$(sqlite3 "$dir/again" 'SELECT count(*) FROM objects')" = 0 ] || fail "--hits-only records objects"
sqlite3 "$dir/first" 'SELECT offset, len, footer FROM hits ORDER BY offset, len' >"$dir/hits"
sqlite3 "$dir/again" 'SELECT offset, len, footer FROM hits ORDER BY offset, len' | diff "$dir/hits" - >/dev/null ||
    fail "--hits-only has other hits"

# Also with rules of a configuration file, whose hits cross the segments in other ways.
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'gif y 5000 GIF89a \x00\x3b' 'bot n 3000 pk\x03\x04 pk\x05\x06 REVERSE' \
    'nxt y 9000 RIFF GIF NEXT' 'bmp y 1000 BM' >"$dir/rules.conf"
expect 0 "" scan --quiet --force --all-hits --dictionary "$dir/rules.conf" --case "$dir/first" "$image"
rows "$dir/first" >"$dir/rows"
[ "$(grep -c '^object' "$dir/rows")" -ge 10 ] || fail "only $(grep -c '^object' "$dir/rows") objects of rules to compare"
for how in "64K --threads 1" "64K --threads 5" "1M --threads 5" "64M --threads 2"; do
    # shellcheck disable=SC2086 # words, on purpose
    same --dictionary "$dir/rules.conf" --part-size 100K --segment $how
done
# An engine that asks each byte about each pattern: of half a MB.
expect 0 "" scan --quiet --force --all-hits --range 0:512K --case "$dir/first" "$image"
rows "$dir/first" >"$dir/rows"
[ "$(grep -c '^hit' "$dir/rows")" -ge 20 ] || fail "only $(grep -c '^hit' "$dir/rows") hits to compare"
same --engine naive --segment 64K --threads 2 --range 0:512K
finish
