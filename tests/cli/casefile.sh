#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/casefile.sh - case files that are there already, damaged, from another time, or no case files at all.
. "$(dirname "$0")/lib.sh"
planted
case_file=$dir/case

expect 3 "$dir/none" list "$dir/none"
expect 3 "$dir/none" carve --out "$dir/out-none" "$dir/none"
[ ! -e "$dir/none" ] || fail "listing a missing case file made one"

expect 0 "" scan --quiet --case "$case_file" "$image"
rows "$case_file" >"$dir/rows"
[ -s "$dir/rows" ] || fail "no rows in the case file"

# There already: kept without --force, replaced with it.
before=$(sha256sum <"$case_file")
expect 3 "exists.*--force|--force" scan --quiet --case "$case_file" "$image"
[ "$(sha256sum <"$case_file")" = "$before" ] || fail "a refused scan changed the case file"
expect 0 "" scan --quiet --force --case "$case_file" "$image"
rows "$case_file" | cmp -s - "$dir/rows" || fail "a scan with --force gives other rows"

# Not a case file: never replaced.
printf 'dear diary\n' >"$dir/diary"
expect 3 "diary" scan --quiet --force --case "$dir/diary" "$image"
[ "$(cat "$dir/diary")" = "dear diary" ] || fail "--force replaced a file that is no case file"
expect 3 "diary" list "$dir/diary"
sqlite3 "$dir/other.db" 'CREATE TABLE t (x); INSERT INTO t VALUES (1);'
before=$(sha256sum <"$dir/other.db")
expect 3 "other.db" list "$dir/other.db"
expect 3 "other.db" scan --quiet --force --case "$dir/other.db" "$image"
[ "$(sha256sum <"$dir/other.db")" = "$before" ] || fail "somebody else's database was changed"

# Newer schema.
cp "$case_file" "$dir/newer"
sqlite3 "$dir/newer" "PRAGMA user_version = $(($(sqlite3 "$case_file" 'PRAGMA user_version') + 1));" >/dev/null
expect 3 "newer" list "$dir/newer"
expect 3 "newer" carve --out "$dir/out-newer" "$dir/newer"
[ ! -e "$dir/out-newer" ] || [ -z "$(ls -A "$dir/out-newer")" ] || fail "carve wrote files out of a newer case file"

# Damaged: cut short, pages overwritten, emptied. One line and 3, whatever is hit first.
pages=$(($(stat -c %s "$case_file") / 4096))
for page in 1 2 3 $((pages / 2)) $((pages - 1)); do
    cp "$case_file" "$dir/damaged"
    head -c 4096 /dev/urandom | dd of="$dir/damaged" bs=4096 seek="$page" conv=notrunc status=none
    burin list "$dir/damaged"
    case $status in
    0) cmp -s <("$BURIN" list "$case_file") "$dir/out" || fail "a damaged page $page changed the list without a word" ;;
    3) check 3 "damaged|corrupt|malformed" "a damaged page $page" ;;
    *) fail "a damaged page $page: status $status: $(head -c 300 "$dir/err")" ;;
    esac
done
head -c 6000 "$case_file" >"$dir/damaged"
expect 3 "damaged" list "$dir/damaged"
: >"$dir/damaged"
expect 3 "damaged" list "$dir/damaged"
expect 3 "directory|$dir" list "$dir"

# A case whose image is gone, or no longer the same.
cp "$image" "$dir/moved"
expect 0 "" scan --quiet --case "$dir/moved.case" "$dir/moved"
rm "$dir/moved"
expect 3 "$dir/moved" carve --quiet --out "$dir/out-moved" "$dir/moved.case"
head -c 5000 "$image" >"$dir/moved"
expect 3 "$dir/moved" carve --quiet --out "$dir/out-moved2" "$dir/moved.case"
finish
