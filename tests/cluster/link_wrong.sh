#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cluster/link_wrong.sh - a case file whose hits and objects stay in shards (burin merge --link): a shard that is missing, changed,
# foreign or no file is told of with status 3, what needs none of them goes on, and a folder that has moved is found again; rows of the
# case file that say what cannot be end nothing badly.
# Labels: slow
. "$(dirname "$0")/../cli/lib.sh"
planted
parts=$dir/parts linked=$dir/linked
for k in 0 1 2 3 4 5 6; do
    expect 0 "" scan --quiet --part $k/7 --parts "$parts" --threads 1 --no-file-systems "$image"
done
expect 0 "" merge --quiet --link --case "$linked" "$parts"
digest() {
    "$BURIN" list --digest "$1" 2>>"$dir/err" || fail "list --digest $1: $(tail -1 "$dir/err")"
}

# told TEXT: whoever needs hits or objects says that, with status 3.
told() {
    local command
    for command in "list --digest" list "list --where len>0"; do
        # shellcheck disable=SC2086
        burin $command "$linked"
        [ "$status" -eq 3 ] || fail "$1: $command: status $status: $(cat "$dir/err")"
        grep -q -- "$1" "$dir/err" || fail "$command: no '$1': $(cat "$dir/err")"
        grep -q "linked.shards" "$dir/err" || fail "$1: $command: what to do is not said: $(cat "$dir/err")"
    done
    burin verify "$linked"
    [ "$status" -eq 3 ] || fail "$1: verify: status $status"
}
good=$(digest "$linked")
mv "$parts" "$dir/moved"
told "parts/0.part: cannot be opened: No such file"
echo "$dir/moved" >"$linked.shards"
[ "$(digest "$linked")" = "$good" ] || fail "the folder has moved, and linked.shards says where: another digest"
echo moved >"$linked.shards"
burin list "$linked"
[ "$status" -eq 3 ] || fail "a path in linked.shards that is not absolute: status $status"
rm "$linked.shards"
told "does not say where the shards"
mv "$dir/moved" "$parts"
echo "$parts" >"$linked.shards"
cp -r "$parts" "$dir/good"
rm "$parts/3.part"
told "parts/3.part: cannot be opened"
cp "$dir/good/2.part" "$parts/3.part"
told "parts/3.part: "
at=$(sqlite3 "$linked" "SELECT at + len - 2 FROM linked WHERE shard = 3 LIMIT 1")
cp "$dir/good/3.part" "$parts/3.part"
printf '\x7f' | dd of="$parts/3.part" bs=1 seek="$at" conv=notrunc status=none
told "parts/3.part: was changed, or is another shard"
truncate -s 100 "$parts/3.part"
told "parts/3.part: is another file than the shard"
rm "$parts/3.part"
mkfifo "$parts/3.part"
told "parts/3.part: is another file than the shard"
rm "$parts/3.part"
ln -s "$dir/good/3.part" "$parts/3.part"
told "parts/3.part: cannot be opened"
rm "$parts/3.part"
cp "$dir/good/3.part" "$parts/3.part"
[ "$(digest "$linked")" = "$good" ] || fail "all shards are back: another digest"

# Rows that cannot be: status 3, and no more memory than a shard has bytes.
wrong() {
    cp "$linked" "$dir/wrong"
    echo "$parts" >"$dir/wrong.shards"
    sqlite3 "$dir/wrong" "$1"
    burin list --digest "$dir/wrong"
    [ "$status" -eq 3 ] || fail "$1: status $status: $(cat "$dir/err")"
    rm -f "$dir/wrong"*
}
wrong "UPDATE linked SET hits = hits + 1 WHERE shard = 6"
wrong "UPDATE linked SET hits = 100000000 WHERE shard = 6"
wrong "UPDATE linked SET hits = hits - 1 WHERE hits > 1"
wrong "UPDATE linked SET len = 536870912 WHERE shard = 2"
wrong "UPDATE linked SET len = 9223372036854775807 WHERE shard = 2"
wrong "UPDATE linked SET at = 9223372036854775807 WHERE shard = 2"
wrong "UPDATE linked SET at = at + 1 WHERE shard = 2"
wrong "UPDATE linked SET shard = 4294967296 WHERE shard = 2"
wrong "UPDATE linked SET shard = 5 WHERE shard = 2"
wrong "UPDATE linked SET sha256 = 'x' WHERE shard = 2"
wrong "UPDATE linked SET first_id = first_id - 1 WHERE shard = 2"
wrong "UPDATE linked SET first_id = 9223372036854775807 WHERE shard = 6"
wrong "UPDATE linked SET left_out = X'ffffffffffffffffff01' WHERE shard = 2"
wrong "UPDATE linked SET left_out = X'80' WHERE shard = 2"
wrong "UPDATE link SET patterns = X'01'"
wrong "UPDATE link SET patterns = X'ffffffff0f'"
wrong "UPDATE link SET patterns = X'0100'"
kinds=$(sqlite3 "$linked" "SELECT hex(patterns) FROM link")
for cut in 2 40 200 1000; do
    wrong "UPDATE link SET patterns = X'${kinds:0:$((${#kinds} - cut))}'"
done
wrong "UPDATE link SET patterns = patterns || X'00'"
wrong "UPDATE linked SET left_out = X'000100' || X'00' WHERE shard = 2"
wrong "UPDATE linked SET left_out = X'0001ffffff0f' WHERE shard = 2"
wrong "UPDATE linked SET left_out = X'ffffffff0f00' WHERE shard = 2"
wrong "UPDATE link SET run_id = 99"
wrong "INSERT INTO link SELECT run_id + 1, image_id, folder, patterns FROM link"
finish
