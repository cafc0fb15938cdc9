#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/together.sh - several programs and one case file: one writes at a time, the others wait or are refused by name, readers go
# on, and whatever is killed, the case file is whole and what ended with 0 is in it.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
head -c 512K "$image" >"$dir/long.raw" # a second and more for an engine that is not quick
slow=(--quiet --engine naive --threads 1 --segment 64K)

sound() {
    [ "$(sqlite3 "$1" 'PRAGMA integrity_check')" = ok ] || fail "$2: integrity_check of $1 fails"
    [ -z "$(sqlite3 "$1" 'PRAGMA foreign_key_check')" ] || fail "$2: foreign_key_check of $1 fails"
}
runs() {
    sqlite3 -readonly "$1" "SELECT command, status FROM runs ORDER BY id" | tr '\n' ' '
}
# Waits until somebody writes to the case file and has begun a run.
held() {
    for _ in $(seq 3000); do
        [ ! -s "$1.lock" ] || [ ! -s "$1" ] || [ -z "$(sqlite3 -readonly "$1" 'SELECT 1 FROM runs LIMIT 1' 2>/dev/null)" ] || return 0
        sleep 0.01
    done
    fail "nobody writes to $1"
}

# A search, then a scan: one case file. And the other way round. A second scan of the image is refused.
expect 0 "" search --quiet --no-file-systems --case "$dir/both" "$image" IHDR
expect 0 "" scan --quiet --case "$dir/both" "$image"
expect 0 "" search --quiet --no-file-systems --case "$dir/both" "$image" JFIF
expect 3 "both exists and has a scan of .*image.raw already; use --resume" scan --quiet --case "$dir/both" "$image"
[ "$(runs "$dir/both")" = "search|done scan|done search|done " ] || fail "runs: $(runs "$dir/both")"
sound "$dir/both" "search and scan"
expect 0 "" scan --quiet --case "$dir/alone" "$image"
burin list "$dir/alone"
cut -f2-7,9 "$dir/out" >"$dir/list.alone"
burin list "$dir/both"
cut -f2-7,9 "$dir/out" | cmp -s - "$dir/list.alone" || fail "a scan behind a search finds other objects"
expect 0 "" scan --json --case "$dir/counted" "$image"
cp "$dir/out" "$dir/counted.json"
expect 0 "" search --quiet --no-file-systems --case "$dir/counts" "$image" IHDR
expect 0 "" scan --json --case "$dir/counts" "$image"
python3 -c 'import json, sys; a, b = (json.load(open(p)) for p in sys.argv[1:]); assert a["hits"] == b["hits"] > 0 and a["objects"] == b["objects"]' \
    "$dir/counted.json" "$dir/out" || fail "a scan counts the hits of a search: $(cat "$dir/out")"

ln -s image.raw "$dir/link"
expect 3 "the same image as .*image.raw, which is already named" scan --quiet --case "$dir/twice" "$image" "$dir/link"
[ ! -e "$dir/twice" ] || fail "an image that is named twice leaves a case file"

# --force keeps the old one.
burin scan --force --case "$dir/both" "$image"
[ "$status" -eq 0 ] && grep -q "existing case file is now named $dir/both.old.1" "$dir/err" || fail "--force: $(cat "$dir/err")"
[ "$(sqlite3 -readonly "$dir/both" "SELECT count(*) FROM log WHERE text LIKE 'the existing case file is now named %/both.old.1'")" = 1 ] || fail "--force: not in the log"
[ "$(runs "$dir/both.old.1")" = "search|done scan|done search|done " ] || fail "runs of the old case file: $(runs "$dir/both.old.1")"
[ "$(runs "$dir/both")" = "scan|done " ] || fail "runs of the new case file: $(runs "$dir/both")"

# A second writer is refused by name before it reads the image, or waits. Readers read.
"$BURIN" scan "${slow[@]}" --case "$dir/busy" "$dir/long.raw" </dev/null 2>"$dir/scan.err" &
scan=$!
held "$dir/busy"
kill -STOP "$scan" # so that it is at work until it may go on
expect 3 "another program writes to this case file \(burin scan, process $scan on .*, since 20" search --no-file-systems --case "$dir/busy" "$dir/long.raw" IHDR
expect 3 "another program writes to this case file \(burin scan, process $scan" scan --case "$dir/busy" "$image"
expect 3 "another program writes to this case file \(burin scan, process $scan" scan --force --case "$dir/busy" "$image"
expect 3 "another program writes to this case file \(burin scan, process $scan" carve --out "$dir/out.busy" "$dir/busy"
[ ! -e "$dir/out.busy" ] || fail "a refused carve makes its folder"
burin list "$dir/busy"
[ "$status" -eq 0 ] || fail "list beside a scan: status $status: $(cat "$dir/err")"
"$BURIN" search --quiet --no-file-systems --wait --case "$dir/busy" "$dir/long.raw" IHDR </dev/null >/dev/null 2>"$dir/err" &
search=$!
until grep -q "waiting for another program that writes to it: burin scan, process $scan" "$dir/err" || ! kill -0 "$search" 2>/dev/null; do sleep 0.05; done
kill -CONT "$scan"
wait "$search" || fail "a search that waits: status $?: $(cat "$dir/err")"
grep -q "waiting for another program" "$dir/err" || fail "a search does not wait: $(cat "$dir/err")"
wait "$scan" || fail "the scan: status $?: $(cat "$dir/scan.err")"
[ "$(runs "$dir/busy")" = "scan|done search|done " ] || fail "runs: $(runs "$dir/busy")"
[ ! -e "$dir/busy.lock" ] || fail "a lock is left"
sound "$dir/busy" "a writer that waited"

# A signal ends the waiting; a dead holder is in nobody's way, and its run is called interrupted.
"$BURIN" scan "${slow[@]}" --case "$dir/dead" "$dir/long.raw" </dev/null 2>/dev/null &
scan=$!
held "$dir/dead"
kill -STOP "$scan"
timeout -s INT 1 "$BURIN" search --quiet --no-file-systems --wait --case "$dir/dead" "$dir/long.raw" IHDR </dev/null >/dev/null 2>"$dir/err"
status=$?
[ "$status" -eq 124 ] || [ "$status" -eq 130 ] || fail "a writer that waits and gets a signal: status $status: $(cat "$dir/err")"
kill -9 "$scan" 2>/dev/null
wait "$scan" 2>/dev/null
[ -e "$dir/dead.lock" ] || fail "the test killed nothing"
expect 0 "" search --quiet --no-file-systems --case "$dir/dead" "$dir/long.raw" IHDR
[ "$(runs "$dir/dead")" = "scan|interrupted search|done " ] || fail "runs: $(runs "$dir/dead")"
sound "$dir/dead" "a killed scan"

# A case file that is taken away while it is written: nothing is called done.
"$BURIN" scan "${slow[@]}" --case "$dir/gone" "$dir/long.raw" </dev/null 2>"$dir/scan.err" &
scan=$!
held "$dir/gone"
until [ "$(sqlite3 -readonly "$dir/gone" 'SELECT count(*) FROM runs' 2>/dev/null)" = 1 ]; do
    kill -0 "$scan" 2>/dev/null || { fail "the scan ended by itself"; break; }
    sleep 0.01
done
rm -f "$dir/gone" "$dir"/gone-*
wait "$scan"
status=$?
[ "$status" -eq 4 ] && grep -qE "removed, moved or replaced|gone: .*No such file" "$dir/scan.err" || fail "a case file is removed: status $status: $(cat "$dir/scan.err")"

# Two writers of a new case file, with and without --force: who ends with 0 has its run in the case file or in an old one.
head -c 1M "$image" >"$dir/small.raw"
for force in "" --force; do
    for round in $(seq "${BURIN_ROUNDS:-4}"); do
        rm -f "$dir"/race*
        # shellcheck disable=SC2086
        "$BURIN" scan --quiet $force --case "$dir/race" "$dir/small.raw" </dev/null 2>"$dir/a.err" &
        a=$!
        if [ -n "$force" ]; then
            "$BURIN" scan --quiet --force --case "$dir/race" "$dir/small.raw" </dev/null 2>"$dir/b.err" &
        else
            "$BURIN" search --quiet --no-file-systems --case "$dir/race" "$dir/small.raw" IHDR </dev/null >/dev/null 2>"$dir/b.err" &
        fi
        b=$!
        wait "$a"
        x=$?
        wait "$b"
        y=$?
        done=0
        for file in "$dir/race" "$dir"/race.old.*; do
            [ -e "$file" ] || continue
            sound "$file" "two writers, round $round"
            done=$((done + $(sqlite3 -readonly "$file" "SELECT count(*) FROM runs WHERE status = 'done'")))
        done
        want=$(((x == 0) + (y == 0)))
        [ "$done" -eq "$want" ] && [ "$want" -ge 1 ] || fail "two writers $force, round $round: status $x and $y, $done runs done: $(cat "$dir/a.err" "$dir/b.err")"
        for code in "$x" "$y"; do
            [ "$code" -eq 0 ] || [ "$code" -eq 3 ] || fail "two writers $force: status $code: $(cat "$dir/a.err" "$dir/b.err")"
        done
    done
done

# Four at once, killed at random: the case file is whole, each ends done, refused or killed, and is counted as what it was.
expect 0 "" known build --quiet --files --block 512 "$dir/blocks" "$dir/small.raw"
for round in $(seq "${BURIN_KILLS:-3}"); do
    rm -rf "$dir"/four* "$dir/carved"*
    "$BURIN" scan --quiet --known "$dir/blocks" --case "$dir/four" "$image" </dev/null 2>"$dir/1.err" &
    pids=($!)
    for i in 2 3; do
        "$BURIN" search --quiet --wait --no-file-systems --case "$dir/four" "$image" IHDR </dev/null >/dev/null 2>"$dir/$i.err" &
        pids+=($!)
    done
    (sleep 0.1; exec "$BURIN" carve --quiet --wait --out "$dir/carved" "$dir/four") </dev/null 2>"$dir/4.err" &
    pids+=($!)
    for _ in 1 2 3; do "$BURIN" list "$dir/four" </dev/null >/dev/null 2>&1; done
    victim=$((RANDOM % 5))
    sleep "0.$((RANDOM % 4))"
    [ "$victim" -ge 4 ] || kill -9 "${pids[victim]}" 2>/dev/null
    for i in 0 1 2 3; do
        wait "${pids[i]}" 2>/dev/null
        code=$?
        case $code in
        0 | 137) ;;
        3) grep -qE "another program writes|exists and has a scan|No such file|not a case file" "$dir/$((i + 1)).err" || fail "round $round: program $i: $(cat "$dir/$((i + 1)).err")" ;;
        *) fail "round $round: program $i: status $code: $(cat "$dir/$((i + 1)).err")" ;;
        esac
    done
    [ -e "$dir/four" ] || continue
    burin search --quiet --no-file-systems --case "$dir/four" "$image" JFIF
    [ "$status" -eq 0 ] || fail "round $round: afterwards: status $status: $(cat "$dir/err")"
    sound "$dir/four" "round $round"
    [ "$(sqlite3 -readonly "$dir/four" "SELECT count(*) FROM runs WHERE status = 'running'")" = 0 ] || fail "round $round: a run is called running: $(runs "$dir/four")"
done
finish
