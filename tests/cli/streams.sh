#!/usr/bin/env bash
# tests/cli/streams.sh - standard streams that are full or closed: status 4 and one line, and no file of ours is hit. A pipe that nobody
# reads on: status 4, and no word, for `burin list CASE | head` is no trouble.
. "$(dirname "$0")/lib.sh"

status=0
"$BURIN" info --types >/dev/full 2>"$dir/err" || status=$?
check 4 "standard output.*no space" "info on a full disk"
status=0
{
    while [ ! -e "$dir/gone" ]; do sleep 0.01; done
    "$BURIN" info --types
    echo $? >"$dir/status"
} 2>"$dir/err" | { exec <&-; : >"$dir/gone"; }
status=$(cat "$dir/status")
[ "$status" = 4 ] || fail "a broken pipe: status $status"
[ ! -s "$dir/err" ] || fail "a broken pipe: $(cat "$dir/err")"

# With standard error closed, its number must not become that of the case file: messages would be written into it.
head -c 100000 /dev/urandom >"$dir/image"
"$BURIN" scan --quiet --case "$dir/case" "$dir/image" <&- >&- 2>&- || fail "scan with closed streams: status $?"
expect 0 "" list "$dir/case"
[ "$(sqlite3 "$dir/case" 'PRAGMA integrity_check')" = ok ] || fail "scan with closed streams damaged its case file"

# Where a message came from is for developers.
burin nonsense
grep -q '\.c:' "$dir/err" && fail "an error names a source file: $(cat "$dir/err")"
BURIN_DEBUG=1 burin nonsense
grep -q '\[.*main\.c:[0-9]*\]' "$dir/err" || fail "BURIN_DEBUG does not name the source file: $(cat "$dir/err")"
finish
