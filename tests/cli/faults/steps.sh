#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/steps.sh - a command that is killed before any step it does to the case file or to what lies beside it: the next
# one works, and what the case file held is still there.
#
# Method: a library counts writes, cuts, and names given, changed and removed, and ends the program before the n-th. BURIN_EVERY sets
# the distance between these n; with 1 the test takes a minute. By default, and without BURIN_LONG=1, it is a prime.
. "$(dirname "$0")/../lib.sh"
[ -n "${SHIM:-}" ] || skip "no library that ends the program in this build"
head -c 20000 /dev/zero >"$dir/image"
printf '\x89PNG\r\n\x1a\n' | dd of="$dir/image" bs=4096 seek=1 conv=notrunc status=none

# An old case file: whole, and as a kill leaves one.
expect 0 "" scan --quiet --case "$dir/whole" "$dir/image"
LD_PRELOAD=$SHIM SHIM_NAME=$dir/killed SHIM_STEP=60 "$BURIN" scan --quiet --case "$dir/killed" "$dir/image" 2>/dev/null
[ -s "$dir/killed-wal" ] && [ -s "$dir/killed-shm" ] || fail "a kill leaves: $(ls "$dir")"

# begin KIND: the case file as it is before.
begin() {
    local name
    rm -f "$dir"/case*
    for name in "$dir/$1" "$dir/$1"-* "$dir/$1".*; do
        [ ! -e "$name" ] || cp "$name" "$dir/case${name#"$dir/$1"}"
    done
}

# Whether one of these is a case file with the run of the scan before; looked at in a copy, where SQLite may roll back.
kept() {
    local name other
    for name in "$dir/case" "$dir"/case.old.?; do
        [ -e "$name" ] || continue
        rm -f "$dir"/copy*
        for other in "" -wal -journal; do
            [ ! -e "$name$other" ] || cp "$name$other" "$dir/copy$other"
        done
        [ "$(sqlite3 "$dir/copy" "SELECT count(*) FROM runs WHERE id = 1 AND command = 'scan'" 2>&1)" != 1 ] || return 0
    done
    return 1
}

# steps KIND EVERY WORD... : kills the command before every EVERY-th step; then a scan is made as people do.
steps() {
    local kind=$1 every=$2 step status_of
    shift 2
    for ((step = 1; step < 1000; step += every)); do
        begin "$kind"
        status_of=0
        LD_PRELOAD=$SHIM SHIM_NAME=$dir/case SHIM_STEP=$step "$BURIN" "$@" >/dev/null 2>&1 </dev/null || status_of=$?
        [ "$status_of" -eq 137 ] || break
        local left
        left=$(cd "$dir" && echo case*)
        [ "$kind" = none ] || kept || fail "$*: killed before step $step: the old case file is gone: $left"
        if [ -e "$dir/case" ]; then
            burin scan --quiet --force --case "$dir/case" "$dir/image"
        else
            burin scan --quiet --case "$dir/case" "$dir/image"
        fi
        [ "$status" -eq 0 ] || fail "$*: killed before step $step, which left $left: the next scan: $(cat "$dir/err")"
        [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM runs")" = 1 ] || fail "$*: killed before step $step: rows of another case file in the new one"
    done
    [ "$step" -gt "$every" ] && [ "$step" -lt 1000 ] || fail "$*: $step steps, status $status_of"
    echo "$*: killed at $(((step - 1) / every)) steps"
}
steps none "${BURIN_EVERY:-$(rounds 31 17)}" scan --quiet --case "$dir/case" "$dir/image"
steps whole "${BURIN_EVERY:-$(rounds 29 13)}" scan --quiet --force --case "$dir/case" "$dir/image"
steps killed "${BURIN_EVERY:-$(rounds 7 4)}" scan --quiet --force --case "$dir/case" "$dir/image"
steps killed "${BURIN_EVERY:-$(rounds 13 7)}" scan --quiet --resume --case "$dir/case" "$dir/image"
finish
