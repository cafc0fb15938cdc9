#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/lists.sh - files that say what to look for: no pipe is waited for, no device is read for
# ever, no line is taken that has no end.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
mkfifo "$dir/pipe"
cp "$image" "$dir/other.raw"
burin known build --quiet "$dir/set" --files "$dir/other.raw"
[ "$status" -eq 0 ] || fail "known build: status $status: $(cat "$dir/err")"

# An endless or a waiting read would last until it is killed here.
within() {
    timeout -s KILL 60 "$BURIN" "${@:2}" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    check 3 "$1" "burin ${*:2}"
}
for file in "$dir/pipe:a pipe" /dev/zero:"a device" "$dir:a folder"; do
    path=${file%%:*} what=${file#*:}
    within "$path: $what" search --quiet --case "$dir/c" -f "$path" "$image" word
    within "$path: $what" scan --quiet --case "$dir/c" --dictionary "$path" "$image"
    within "$path: $what" scan --quiet --case "$dir/c" --known "$path" "$image"
    within "$path: $what" known build --quiet "$dir/new" "$path"
    within "$path: $what" known build --quiet --format words "$dir/new" "$path"
    within "$path: $what" known add --quiet "$dir/set" "$path"
    within "$path: $what" known query "$path" word
    within "$path: $what" known info "$path"
done
[ ! -e "$dir/c" ] || fail "a case file was made all the same"

# Standard input may be waited for, and the first signal ends that.
exec 3<>"$dir/pipe"
"$BURIN" known query "$dir/set" - <&3 >"$dir/out" 2>"$dir/err" &
query=$!
printf '%064d\n' 0 >&3
until_it hears "$query"
sleep 0.3 # to where it waits for more
kill -TERM "$query"
timeout 60 tail --pid="$query" -f /dev/null || fail "known query - does not end on a signal"
kill -KILL "$query" 2>/dev/null
status=0
wait "$query" || status=$?
check 130 "interrupted" "known query -, on a signal"
exec 3>&-

# A line may have 64 KiB.
python3 - "$dir" <<'PY'
import sys
for name, last in ("long", b"a" * 65536), ("zeros", bytes(70000)):
    with open(f"{sys.argv[1]}/{name}", "wb") as out:
        out.write(b"one\n" + last)
PY
within "reading $dir/long, line 2" search --quiet --case "$dir/c" -f "$dir/long" "$image"
within "reading $dir/zeros, line 2" search --quiet --case "$dir/c" -f "$dir/zeros" "$image"
within "$dir/long:2:[0-9]*: the line is longer" known build --quiet --format words "$dir/new" "$dir/long"
within "$dir/zeros:2:" scan --quiet --case "$dir/c" --dictionary "$dir/zeros" "$image"
within "$dir/long:1:" scan --quiet --case "$dir/c" --dictionary "$dir/long" "$image"
printf '\357\273\277GIF\r\n\r\n' >"$dir/words"
expect 0 "" search --quiet --case "$dir/c" -f "$dir/words" "$image"
[ -s "$dir/out" ] || fail "a list of one word behind a mark finds nothing"
finish
