#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cluster/link_many.sh - linked shards of 130 parts, more than SQLite can attach (125), and of 200 with BURIN_LONG=1; and those of an
# image with stretches that could not be read: in objects, at their headers, over the cut between two parts. The case file is read as that
# of one scan.
# Labels: slow
. "$(dirname "$0")/../cli/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" >"$dir/disk.raw"
parts=$dir/parts linked=$dir/linked

# scanned COUNT WORD...: that many parts, two at a time; a scan that has met what the map says ends with 1.
scanned() {
    local count=$1
    shift
    rm -rf "$parts" "$dir/case"* "$linked"*
    seq 0 $((count - 1)) | xargs -P 2 -I{} sh -c '"$0" "$@" || [ $? -eq 1 ]' \
        "$BURIN" scan --quiet --devices none --threads 1 --part {}/"$count" --parts "$parts" "$@" "$dir/disk.raw" 2>"$dir/err" ||
        fail "$count parts: $(head -3 "$dir/err")"
}
# same WORD...: what the program says of both case files.
same() {
    "$BURIN" "$@" "$dir/case" >"$dir/out.case" 2>"$dir/err" || fail "$*: $(cat "$dir/err")"
    "$BURIN" "$@" "$linked" >"$dir/out.linked" 2>"$dir/err" || fail "$* of linked shards: $(cat "$dir/err")"
    [ -s "$dir/out.case" ] && sed "s|$linked|$dir/case|g" "$dir/out.linked" | cmp -s - "$dir/out.case" ||
        fail "$*: $(diff "$dir/out.case" "$dir/out.linked" | head -4)"
}
# ask QUERY: of the linked case file's own tables.
ask() {
    sqlite3 -readonly "$linked" "$1"
}

few=(--types "png,gif,zip,jpg,gz" --no-file-systems)
many=$(rounds 130 200)
scanned "$many" "${few[@]}"
expect 0 "" scan --quiet "${few[@]}" --case "$dir/case" "$dir/disk.raw"
expect 0 "" merge --quiet --link --case "$linked" "$parts"
same list --digest
same list --json
[ "$(ask "SELECT count(DISTINCT shard) >= 30 FROM linked")" = 1 ] || fail "hits of few shards: $(ask "SELECT count(*) FROM linked")"
[ "$(ask "SELECT count(*) FROM log WHERE text LIKE 'part % of $many, %shard sha256%'")" = "$many" ] || fail "shards are not in the log"
expect 0 "" verify "$linked"

# By the planted image: in the first PNG; from a PNG's header at 131,069 on; a whole ZIP; over the cut of seven parts; in the archives.
size=$(stat -c %s "$dir/disk.raw")
cut=$(((size * 3 / 7) & ~4095))
python3 - "$size" 1024 512 130560 1024 196096 4608 $((cut - 1024)) 4096 $((size - 1000000 - (size - 1000000) % 512)) 70144 >"$dir/map" <<'PY'
import sys
size, *numbers = map(int, sys.argv[1:])
print("# Mapfile.\n0x0 + 1")
at = 0
for begin, length in sorted(zip(numbers[::2], numbers[1::2])):
    print("0x%x 0x%x +\n0x%x 0x%x -" % (at, begin - at, begin, length))
    at = begin + length
print("0x%x 0x%x +" % (at, size - at))
PY
scanned 7 --mapfile "$dir/map"
expect 1 "could not be read" scan --quiet --mapfile "$dir/map" --case "$dir/case" "$dir/disk.raw"
expect 1 "could not be read" merge --quiet --link --case "$linked" "$parts"
same list --digest
same list --json
own=$(ask "SELECT count(*) FROM objects") all=$("$BURIN" list "$dir/case" | wc -l)
[ "$all" -ge 40 ] && [ $((2 * own)) -le "$all" ] || fail "with a map: $own of $all objects were copied"
[ "$(ask "SELECT count(*) FROM parts WHERE offset = $cut")" = 1 ] || fail "no part begins at $cut"
[ "$(ask "SELECT sum(len) || ' ' || count(*) FROM bad_ranges")" = "80384 5" ] ||
    fail "bytes that could not be read: $(ask "SELECT offset || '+' || len FROM bad_ranges" | tr '\n' ' ')"
# No object begins where nothing was read, as a PNG and a ZIP do of the planted image.
"$BURIN" list "$linked" | cut -f 4 >"$dir/places"
! grep -qx '131069\|196605' "$dir/places" || fail "an object whose header was not read"
grep -qx '262141' "$dir/places" || fail "the JPEG behind it is gone, too"
expect 0 "" verify "$linked"
finish
