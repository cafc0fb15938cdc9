#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/merge_follow.sh - `burin merge --follow` beside the parts: it begins before there is a shard, takes each as it comes, whatever
# came before it, and ends as a merge of all does. A shard that is damaged ends it; a stop ends it; --resume goes on.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
parts=$dir/parts
"$BURIN" scan --quiet --case "$dir/one" "$image"
want=$("$BURIN" list --digest "$dir/one")
part() {
    "$BURIN" scan --quiet --part "$1/5" --parts "$parts" --threads 1 "$image" 2>"$dir/err" || fail "part $1: $(cat "$dir/err")"
}
followed() {
    rm -f "$dir/err.merge"
    "$BURIN" merge --follow "$@" --case "$dir/merged" "$parts" 2>"$dir/err.merge" &
    merge=$!
}
# Not before the program runs: a signal would end the shell that starts it.
stopped() {
    until_it grep -qs 'goes on as shards come' "$dir/err.merge"
    kill -TERM $merge
}
ended() {
    status=0
    wait $merge || status=$?
    [ "$status" -eq "$1" ] || fail "a merge that follows: status $status, and not $1: $(cat "$dir/err.merge")"
}

followed
for k in 3 0 4 2; do part $k; done
# What came out of turn waits; what is there in turn is recorded.
kill -0 $merge || fail "the merge did not wait: $(cat "$dir/err.merge")"
part 1
ended 0
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "a merge that follows: another digest"
[ "$(sqlite3 -readonly "$dir/merged" "SELECT group_concat(substr(text, 1, 11), ',') FROM log WHERE text LIKE 'part % of 5, %'")" = \
    "part 0 of 5,part 1 of 5,part 2 of 5,part 3 of 5,part 4 of 5" ] || fail "the log: $(sqlite3 -readonly "$dir/merged" 'SELECT text FROM log')"
expect 0 "" verify "$dir/merged"

# A shard that is damaged when it comes; the same command goes on when it is right.
mv "$parts/2.part" "$dir/2.part"
rm -f "$dir/merged"*
followed
until_it test -e "$dir/merged"
cp "$dir/2.part" "$dir/2.hurt"
flip "$dir/2.hurt" $(($(stat -c %s "$dir/2.hurt") / 2))
mv "$dir/2.hurt" "$parts/2.part"
ended 3
grep -q '2.part: is damaged' "$dir/err.merge" || fail "a damaged shard: $(cat "$dir/err.merge")"
rm "$parts/2.part"

# A stop while it waits.
followed --resume
until_it test -e "$dir/merged-wal"
stopped
ended 130
followed --resume
mv "$dir/2.part" "$parts/2.part"
ended 0
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "after a damaged shard and a stop: another digest"

# A search.
"$BURIN" search --quiet --case "$dir/words" "$image" PNG IHDR >"$dir/out"
rm -rf "$parts" "$dir/merged"*
followed
for k in 1 0; do "$BURIN" search --quiet --part $k/2 --parts "$parts" "$image" PNG IHDR 2>"$dir/err" || fail "part $k of a search: $(cat "$dir/err")"; done
ended 0
[ -s "$dir/out" ] && [ "$("$BURIN" list --digest "$dir/merged")" = "$("$BURIN" list --digest "$dir/words")" ] || fail "a search that is followed: another digest"

# Nothing comes at all.
rm -rf "$parts" "$dir/merged"*
followed
stopped
ended 130
[ ! -e "$dir/merged" ] || fail "a case file of nothing"
expect 2 "goes with none of" merge --follow --partial --case "$dir/merged" "$parts"
finish
