#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: slow
# tests/cluster/kill.sh - parts and merges are killed at random, many times, and a part is scanned by two processes at once: in the end the
# digest is that of one scan, nothing is left behind, and what was done is not done again. With BURIN_LONG=1 parts are killed 50 times.
. "$(dirname "$0")/../cli/lib.sh"
planted
for _ in {1..12}; do cat "$image"; done >"$dir/disk.raw"
RANDOM=${SEED:-$$}
echo "seed ${SEED:-$$}"
"$BURIN" known build --quiet --files --hash sha256 "$dir/set" "$cli/lib.sh" || fail "no set"
"$BURIN" scan --quiet --known "$dir/set" --case "$dir/case" "$dir/disk.raw" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")
parts=$dir/parts count=6 kills=10
[ -z "${BURIN_LONG:-}" ] || kills=50

part() {
    exec "$BURIN" scan --quiet --part "$1/$count" --parts "$parts" --threads 1 --part-size 64K --segment 64K --known "$dir/set" \
        "$dir/disk.raw"
}
# Seconds that a part takes here, in milliseconds, so that kills come anywhere in it.
begin=$(date +%s%N)
(part 0) || fail "part 0"
took=$((($(date +%s%N) - begin) / 1000000 + 1))
rm -rf "$parts"

killed=0
for ((i = 0; killed < kills && i < 20 * kills; i++)); do
    k=$((RANDOM % count))
    before=$(stat -c %i "$parts/$k.part" 2>/dev/null)
    (part $k) 2>/dev/null &
    job=$!
    sleep "$(printf '0.%04d' $((RANDOM % took * 10 % 10000)))"
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    [ $? -ne 137 ] || killed=$((killed + 1))
    [ -z "$before" ] || [ "$(stat -c %i "$parts/$k.part")" = "$before" ] || fail "part $k was there, and was made again"
    # Now and then all is done, and begins anew.
    [ "$(find "$parts" -name '*.part' 2>/dev/null | wc -l)" -lt $count ] || rm -f "$parts"/*.part
done
[ $killed -ge $kills ] || fail "only $killed of $kills kills came in time"

# All parts, three of them by two processes at once: one shard each.
for ((k = 0; k < count; k++)); do
    (part $k) 2>"$dir/err.$k" &
    first=$!
    [ $k -ge 3 ] || (part $k) 2>"$dir/err.$k.2" || fail "part $k, the second process: $(cat "$dir/err.$k.2")"
    wait $first || fail "part $k: $(cat "$dir/err.$k")"
done
[ "$(find "$parts" -type f | wc -l)" = $count ] || fail "left behind: $(ls -A "$parts")"
inode=$(stat -c %i "$parts"/*)

# A process that is killed when its shard has its name leaves the other name of it, until the part is asked for again.
touch "$parts/.2.$(uname -n).$first"
(part 2) 2>/dev/null || fail "part 2, which is there"
[ "$(find "$parts" -type f | wc -l)" = $count ] || fail "left beside a whole shard: $(ls -A "$parts")"

# Merges are killed, and go on, or begin anew.
for ((i = 0; i < kills / 2; i++)); do
    "$BURIN" merge --quiet --resume --case "$dir/merged" "$parts" 2>/dev/null &
    job=$!
    sleep "$(printf '0.%04d' $((RANDOM % took * 10 % 10000)))"
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
done
burin merge --quiet --resume --case "$dir/merged" "$parts"
[ "$status" -eq 0 ] || fail "a merge after kills: $status: $(cat "$dir/err")"
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "a merge after kills: another digest"
burin merge --quiet --force --case "$dir/merged" "$parts"
[ "$status" -eq 0 ] && [ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "a merge that begins anew: $status: $(cat "$dir/err")"
[ "$(stat -c %i "$parts"/*)" = "$inode" ] || fail "a merge has changed a shard"
finish
