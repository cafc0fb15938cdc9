#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/shards.sh - parts of an image that processes scan for themselves, merged, are the case file of one scan: however many they
# are, whatever engine, threads and segments each had, with rules, known blocks, a range and a map. A shard that is damaged, foreign,
# doubled, missing or older is told of, and nothing is made of it; what a shard was made of must be there.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" "$dir/made" >"$dir/disk.raw"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'gif y 5000 GIF89a \x00\x3b' 'bot n 3000 pk\x03\x04 pk\x05\x06 REVERSE' \
    'nxt y 9000 RIFF GIF NEXT' 'bmp y 1000 BM' 'any y 9000000 PK\x03\x04 PK\x05\x06 REVERSE' 'reg y 4000 /GIF8[79]a/ /\x00[a-z ]{3}/' >"$dir/rules.conf"
printf '%s\n' 'txt y 90000 wor ASCII' 'zip y 4000000 PK\x03\x04 PK\x05\x06' 'gif y 5000 GIF \x3b NEXT' >"$dir/foremost.conf"
head -c 400000 "$dir/made" >"$dir/file"
expect 0 "" known build --quiet --files --block 4096 --names "$dir/blocks" "$dir/file"
size=$(stat -c %s "$dir/disk.raw")
printf '# Mapfile.\n0x0 + 1\n0x0 0x100000 +\n0x100000 0x1200 -\n0x101200 0x%x +\n' $((size - 0x101200)) >"$dir/map"

parts=$dir/parts
ways=("--threads 1 --segment 64K" "--threads 2 --engine ac --part-size 64K" "--threads 3 --part-size 300K --part-seed 4 --io pread" ""
    "--engine words --part-size 4K --threads 2" "--part-size 100K --threads 1")

# scanned N WORD...: all N parts, each in another way, the last one first.
scanned() {
    local count=$1 k
    shift
    rm -rf "$parts"
    for ((k = count - 1; k >= 0; k--)); do
        # shellcheck disable=SC2086 # words, on purpose
        expect 0 "" scan --quiet --part "$k/$count" --parts "$parts" ${ways[k % ${#ways[@]}]} "$@" "$dir/disk.raw"
    done
}
# alike STATUS N WORD...: the merged case file is that of one scan.
alike() {
    local want=$1 count=$2
    shift 2
    rm -f "$dir/case"* "$dir/merged"*
    "$BURIN" scan --quiet "$@" --case "$dir/case" "$dir/disk.raw" 2>"$dir/err"
    [ $? = "$want" ] || fail "scan $*: $(cat "$dir/err")"
    scanned "$count" "$@"
    "$BURIN" merge --quiet --case "$dir/merged" "$parts" 2>"$dir/err"
    [ $? = "$want" ] || fail "merge of $count parts, $*: $(cat "$dir/err")"
    rows "$dir/case" >"$dir/rows"
    rows "$dir/merged" >"$dir/rows.merged"
    [ "$(wc -l <"$dir/rows")" -gt 40 ] || fail "scan $*: only $(wc -l <"$dir/rows") rows to compare"
    cmp -s "$dir/rows" "$dir/rows.merged" || fail "$count parts, $*: other rows: $(diff "$dir/rows" "$dir/rows.merged" | head -5)"
    [ "$("$BURIN" list --digest "$dir/case")" = "$("$BURIN" list --digest "$dir/merged")" ] || fail "$count parts, $*: another digest"
}
alike 0 2 --no-assemble --no-file-systems
many=$(rounds 8 40)
alike 0 "$many"
[ "$("$BURIN" verify "$dir/merged" 2>&1 | grep -ci broken)" = 0 ] || fail "the log of a merged case file is broken"
[ "$(sqlite3 "$dir/merged" "SELECT count(*) FROM log WHERE text LIKE 'part % of $many, %shard sha256%'")" = "$many" ] || fail "shards are not in the log"
alike 0 7 --all-hits --dictionary "$dir/rules.conf"
alike 0 3 --dictionary "$dir/foremost.conf" --compat foremost
alike 0 5 --known "$dir/blocks" --known-step 512
alike 0 4 --range 65001:6000003
alike 0 3 --hits-only
scan_map=(--mapfile "$dir/map")
ways=("")
rm -f "$dir/case"* "$dir/merged"*
burin scan --quiet "${scan_map[@]}" --case "$dir/case" "$dir/disk.raw"
[ "$status" -eq 1 ] || fail "scan --mapfile: $status $(cat "$dir/err")"
rm -rf "$parts"
for k in 0 1 2; do burin scan --quiet --part $k/3 --parts "$parts" "${scan_map[@]}" "$dir/disk.raw"; done
burin merge --quiet --case "$dir/merged" "$parts"
[ "$status" -eq 1 ] || fail "merge of parts with a map: $status $(cat "$dir/err")"
[ "$("$BURIN" list --digest "$dir/case")" = "$("$BURIN" list --digest "$dir/merged")" ] || fail "with a map: another digest"

# A part that is done is not done again; --missing and --status know it; others are told of.
scanned 6 --types png,gif
inode=$(stat -c %i.%Y "$parts/3.part")
expect 0 "part 3 of 6 is in .* already" scan --part 3/6 --parts "$parts" --types png,gif "$dir/disk.raw"
[ "$(stat -c %i.%Y "$parts/3.part")" = "$inode" ] || fail "a part was scanned twice"
[ -z "$(find "$parts" -name '.*' -type f)" ] || fail "left behind: $(find "$parts" -name '.*' -type f)"
expect 0 "" merge --missing "$parts"
[ ! -s "$dir/out" ] || fail "--missing: $(cat "$dir/out")"
rm "$parts/1.part" "$parts/3.part" "$parts/4.part"
expect 1 "" merge --missing "$parts"
[ "$(cat "$dir/out")" = 1,3-4 ] || fail "--missing: $(cat "$dir/out")"
expect 0 "" merge --status "$parts"
grep -q '^3 of 6 parts done, 0 under way' "$dir/out" || fail "--status: $(cat "$dir/out")"
rm -f "$dir/merged"*
expect 3 "3 of 6 parts are missing: 1,3-4" merge --case "$dir/merged" "$parts"
[ ! -e "$dir/merged" ] || fail "a case file of parts that are missing"
burin merge --quiet --partial --case "$dir/merged" "$parts"
[ "$status" -eq 1 ] || fail "merge --partial: $status $(cat "$dir/err")"
[ "$(grep -c 'is missing' "$dir/err")" = 3 ] || fail "merge --partial: $(cat "$dir/err")"
[ "$(sqlite3 "$dir/merged" "SELECT sum(len) BETWEEN $size / 2 - 16384 AND $size / 2 + 16384 FROM bad_ranges")" = 1 ] ||
    fail "merge --partial: not read: $(sqlite3 "$dir/merged" 'SELECT * FROM bad_ranges')"

# told STATUS TEXT: the merge says that of a shard, and makes nothing.
told() {
    rm -f "$dir/merged"*
    burin merge --quiet --case "$dir/merged" "$parts"
    [ "$status" -eq 3 ] || fail "$1: status $status: $(cat "$dir/err")"
    grep -q -- "$1" "$dir/err" || fail "no '$1': $(cat "$dir/err")"
    [ ! -e "$dir/merged" ] || fail "$1: a case file was made"
    burin merge --missing "$parts"
    [ "$(cat "$dir/out")" = "$2" ] || fail "$1: --missing says '$(cat "$dir/out")' and not '$2'"
}
# broken COMMAND...: a good set of four shards, of which the command spoils one.
scanned 4 --types png,gif
cp -r "$parts" "$dir/good"
broken() {
    rm -rf "$parts"
    cp -r "$dir/good" "$parts"
    "$@"
}
# spoil FILE OFFSET BYTE
spoil() {
    printf '%b' "\\x0$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
broken truncate -s -1 "$parts/2.part"
told "2.part: is damaged" 2
broken truncate -s 20 "$parts/2.part"
told "2.part: is" 2
broken spoil "$parts/2.part" 700 7
told "2.part: is damaged" 2
broken cp "$dir/good/1.part" "$parts/2.part"
told "2.part: says that it is part 1" 2
broken spoil "$parts/2.part" 12 0
told "2.part: was written by an older burin" 2
broken "$BURIN" scan --quiet --part 3/4 --parts "$dir/other" --types png "$dir/disk.raw"
cp "$dir/other/3.part" "$parts/3.part"
told "3.part: was made with other" 3
rm -rf "$dir/other"
printf 'x' | dd of="$dir/disk.raw" conv=notrunc bs=1 seek=10 status=none
broken "$BURIN" scan --quiet --part 3/4 --parts "$dir/other" --types png,gif "$dir/disk.raw"
cp "$dir/other/3.part" "$parts/3.part"
told "3.part: is of another image" 3
expect 3 "is of another image" scan --part 0/4 --parts "$parts" --types png,gif "$dir/disk.raw"
printf '\0' | dd of="$dir/disk.raw" conv=notrunc bs=1 seek=10 status=none
broken cp "$dir/disk.raw" "$parts/3.part"
told "3.part: is no shard" 3
# What is damaged is scanned again, and then all is well.
broken truncate -s -1 "$parts/2.part"
burin scan --quiet --part 2/4 --parts "$parts" --types png,gif "$dir/disk.raw"
[ "$status" -eq 0 ] || fail "a damaged part again: $status $(cat "$dir/err")"
rm -f "$dir/merged"*
expect 0 "" merge --quiet --case "$dir/merged" "$parts"

# The image may lie elsewhere; another one in its place is none.
mv "$dir/disk.raw" "$dir/moved.raw"
rm -f "$dir/merged"*
expect 3 "disk.raw" merge --quiet --case "$dir/merged" "$parts"
expect 0 "" merge --quiet --image "$dir/moved.raw" --case "$dir/merged" "$parts"
expect 3 "do not fit" merge --quiet --image "$image" --case "$dir/merged2" "$parts"
[ ! -e "$dir/merged2" ] || fail "a case file of another image"
mv "$dir/moved.raw" "$dir/disk.raw"

# Words that do not go together.
for words in "--part 4/4 --parts x" "--part 1/0 --parts x" "--part 1 --parts x" "--part 1/4" "--parts x" "--part 0/4 --parts x --hash md5" \
    "--part 0/4 --parts x --resume" "--part 0/4 --parts x --case y"; do
    # shellcheck disable=SC2086 # words, on purpose
    expect 2 "" scan $words "$dir/disk.raw"
done
expect 2 "case" merge "$parts"
expect 3 "no shard" merge --case "$dir/merged2" "$dir"

# No room: nothing is left, and the same command does it when there is room.
if [ "$(id -u)" = 0 ] && mkdir "$dir/small" && mount -t tmpfs -o size=8k tmpfs "$dir/small" 2>/dev/null; then
    at_exit+=("umount '$dir/small' 2>/dev/null")
    burin scan --quiet --part 0/2 --parts "$dir/small" "$dir/disk.raw"
    [ "$status" -eq 4 ] || fail "no room: status $status: $(cat "$dir/err")"
    [ -z "$(ls -A "$dir/small")" ] || fail "no room: left behind: $(ls -A "$dir/small")"
    mount -o remount,size=16m "$dir/small"
    expect 0 "" scan --quiet --part 0/2 --parts "$dir/small" "$dir/disk.raw"
else
    echo "left out: a full folder, which needs root and a tmpfs"
fi
finish
