#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/max_read.sh - scan and triage --max-read: no command ends before the bytes of the image can have come at that rate, and what
# is found is the same. That the rate is used up, tests/io/image/test_rate.c says.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
head -c $((3 << 20)) "$image" >"$dir/small"
expect 0 "" scan --quiet --no-file-systems --case "$dir/free" "$dir/small"
burin list --digest "$dir/free"
want=$(cat "$dir/out")

# 3 MiB at 8 MiB a second, but for the piece of 512 KiB that is read at once: 312 ms.
paced() {
    local what=$1 since
    since=$(date +%s%N)
    shift
    expect 0 "" "$@" --max-read 8M
    local took=$((($(date +%s%N) - since) / 1000000))
    [ "$took" -ge 312 ] || fail "$what: 3 MiB came within $took ms, which is more than 8 MiB a second"
}

for io in aio cache pread; do
    paced "scan --io $io" scan --quiet --no-file-systems --force --io "$io" --case "$dir/paced" "$dir/small"
    burin list --digest "$dir/paced"
    [ "$(cat "$dir/out")" = "$want" ] || fail "scan --io $io --max-read finds something else"
done
[ "$(sqlite3 -readonly "$dir/paced" "SELECT json_extract(options, '$.work.max_read') FROM runs")" = $((8 << 20)) ] ||
    fail "--max-read is not on record"
paced triage triage --quiet --sweeps 64 --seed 1 --case "$dir/triage" "$dir/small"
expect 2 "--max-read" scan --max-read 1K --case "$dir/none" "$dir/small"
expect 2 "--max-read" triage --max-read fast --case "$dir/none" "$dir/small"

# Who stops waits for no byte: 16 MiB at 1 MiB a second would take 16 s.
truncate -s 16M "$dir/slow" && tr '\0' x <"$dir/slow" >"$dir/full"
"$BURIN" scan --quiet --no-file-systems --max-read 1M --case "$dir/stopped" "$dir/full" >"$dir/out" 2>"$dir/err" &
pid=$!
for _ in $(seq 600); do [ -e "$dir/stopped" ] && break; sleep 0.1; done
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 130 ] || fail "a scan with --max-read ends with $status on SIGTERM: $(cat "$dir/err")"
finish
