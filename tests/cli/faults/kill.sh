#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/kill.sh - a scan killed at any moment leaves a case file that opens, is sound, and holds a prefix of the hits.
#
# Method: kill -9 after random times, the image large enough that they fall into the scan; the hits left are compared row by row with
# those of a whole scan. BURIN_KILLS sets how often (default 8).
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
cat "$image" "$image" >"$dir/long.raw"

expect 0 "" scan --quiet --all-hits --case "$dir/whole" "$dir/long.raw"
hits() {
    sqlite3 -readonly "$1" "SELECT id, image_id, signature_id, offset, len, footer FROM hits ORDER BY id"
}
hits "$dir/whole" >"$dir/hits"
total=$(wc -l <"$dir/hits")
[ "$total" -gt 80 ] || fail "only $total hits to cut"

# How long a scan takes here, so that the kills spread over it. One thread and small segments make it slow, and of small parts
# some are done.
slow=(--quiet --all-hits --engine naive --threads 1 --segment 64K --part-size 64K)
start=$(date +%s%3N)
timeout -s KILL 1.5 "$BURIN" scan "${slow[@]}" --case "$dir/slow" "$dir/long.raw" </dev/null >/dev/null 2>&1
takes=$(($(date +%s%3N) - start))
[ "$takes" -le 1500 ] || takes=1500 # on a busy machine the kills fall into the beginning
cut=0 early=0
kills=${BURIN_KILLS:-$(rounds 5 8)}
for try in $(seq "$kills"); do
    rm -f "$dir"/killed*
    "$BURIN" scan "${slow[@]}" --case "$dir/killed" "$dir/long.raw" </dev/null >/dev/null 2>&1 &
    pid=$!
    wait_ms=$((RANDOM * 32768 % takes + RANDOM % takes))
    wait_ms=$((wait_ms % takes))
    sleep "$((wait_ms / 1000)).$(printf %03d $((wait_ms % 1000)))"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    [ -s "$dir/killed" ] || [ -s "$dir/killed-wal" ] || { early=$((early + 1)); continue; }

    # burin opens it, or it was killed before the first commit and says so.
    burin list "$dir/killed"
    if [ "$status" -ne 0 ]; then
        tables=$(sqlite3 "$dir/killed" "SELECT count(*) FROM sqlite_master" 2>/dev/null)
        [ "$status" -eq 3 ] && [ "${tables:-0}" -eq 0 ] || fail "kill $try after $wait_ms ms: list: status $status: $(head -c 300 "$dir/err")"
        early=$((early + 1))
        continue
    fi
    [ "$(sqlite3 "$dir/killed" 'PRAGMA integrity_check')" = ok ] || fail "kill $try after $wait_ms ms: integrity_check fails"
    [ -z "$(sqlite3 "$dir/killed" 'PRAGMA foreign_key_check')" ] || fail "kill $try after $wait_ms ms: foreign_key_check fails"
    hits "$dir/killed" >"$dir/hits.killed"
    got=$(wc -l <"$dir/hits.killed")
    cmp -s <(head -n "$got" "$dir/hits") "$dir/hits.killed" || fail "kill $try after $wait_ms ms: the $got hits are not the first $got"
    [ "$got" -lt "$total" ] && [ "$got" -gt 0 ] && cut=$((cut + 1))
done
echo "$cut of $kills kills left a part of the hits, $early came before the first commit; a scan takes $takes ms"
finish
