#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/streams.sh - standard streams that are full or closed: status 4 and one line, and no file of ours is hit. A pipe that nobody
# reads on: status 0, and no word, for `burin list CASE | head` is no trouble.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted

status=0
"$BURIN" info --types >/dev/full 2>"$dir/err" || status=$?
check 4 "standard output.*no space" "info on a full disk"

# Nobody reads from the start on. What is printed is more than a pipe's buffer of 4 KiB in the program, and less.
unread() {
    rm -f "$dir/gone"
    {
        while [ ! -e "$dir/gone" ]; do sleep 0.01; done
        "$BURIN" "$@" </dev/null
        echo $? >"$dir/status"
    } 2>"$dir/err" | { exec <&-; : >"$dir/gone"; }
    status=$(cat "$dir/status")
    [ "$status" = 0 ] || fail "burin $* into a broken pipe: status $status"
    [ ! -s "$dir/err" ] || fail "burin $* into a broken pipe: $(cat "$dir/err")"
}
for _ in $(seq 45); do cat "$image"; done >"$dir/long.raw"
cp "$image" "$dir/second.raw"
expect 0 "" scan --quiet --case "$dir/long" "$dir/long.raw"
burin list "$dir/long"
[ "$(wc -c <"$dir/out")" -gt 70000 ] || fail "the list is too short for this test"
png=$(awk -F'\t' '$2 == "png" { print $4 "+" $5; exit }' "$dir/out")
tail -c +$((${png%+*} + 1)) "$dir/long.raw" | head -c "${png#*+}" >"$dir/picture.png"
sha256sum "$image" >"$dir/sums"
expect 0 "" known build --quiet "$dir/set" "$dir/sums"
unread --help
unread help scan
unread --version
unread scan --help
unread scan --quiet --json --case "$dir/one" "$image"
unread scan --quiet --json --case "$dir/two" "$image" "$dir/second.raw"
unread list "$dir/long"
unread list --json "$dir/long"
unread list --types gif "$dir/one"
unread identify "$dir/picture.png"
for _ in $(seq 200); do echo "$dir/picture.png"; done >"$dir/pictures"
# shellcheck disable=SC2046
unread identify $(cat "$dir/pictures")
unread search --quiet --no-file-systems --case "$dir/search" "$dir/long.raw" JFIF
unread search --quiet --no-file-systems --json --case "$dir/search2" "$dir/long.raw" JFIF
unread carve --json --quiet --out "$dir/carved" "$dir/one"
unread known info "$dir/set"
unread known query "$dir/set" "$(cut -c1-64 "$dir/sums")"
unread known build --json "$dir/set2" "$dir/sums"
for table in "" --engines --devices --images --types --json; do
    # shellcheck disable=SC2086
    unread info $table
done
unread bench match --no-peers --size 64K --runs 1 --engines ac
if has_papers; then unread bench bloom --keys 1000 --runs 1 --thesis 0 --no-device; fi
unread bench read "$image"

# The first line is read, and no more.
head_of() {
    "$BURIN" "$@" 2>"$dir/err" | head -1 >"$dir/out"
    status=${PIPESTATUS[0]}
    [ "$status" = 0 ] && [ ! -s "$dir/err" ] && [ "$(wc -l <"$dir/out")" = 1 ] || fail "burin $* | head -1: status $status, $(cat "$dir/err")"
}
head_of list "$dir/long"
head_of info --types
head_of search --quiet --no-file-systems --case "$dir/search3" "$dir/long.raw" JFIF
# A stream of questions without an end does.
yes "$(cut -c1-64 "$dir/sums")" | head_of known query "$dir/set" -
# What could not be read is told all the same.
{ while [ ! -e "$dir/gone" ]; do sleep 0.01; done; "$BURIN" identify "$dir/picture.png" "$dir/none"; echo $? >"$dir/status"; } 2>"$dir/err" | { exec <&-; : >"$dir/gone"; }
[ "$(cat "$dir/status")" = 1 ] || fail "a file that is missing, into a broken pipe: status $(cat "$dir/status")"

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
