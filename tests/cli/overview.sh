#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/overview.sh - what scan and info say was found, by category and type: as a query of another program counts it.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
cp "$image" "$dir/a.raw"
head -c 3M "$image" >"$dir/b.raw"
case="$dir/a case"
burin scan --case "$case" "$dir/a.raw" "$dir/b.raw"
[ "$status" -eq 0 ] || fail "scan: status $status"
cp "$dir/err" "$dir/said"
# Lines of a table that begins behind the line that matches $1 in $2: type, found, whole, in pieces, cut.
table() {
    awk -v from="$1" '$0 ~ from { on = 1 } on && /^CATEGORY/ { rows = 1; next } rows { print substr($0, 12, 13), $0; if (/^all/) exit }' "$2" |
        awk '{ line = $0; type = $1; if (line ~ / all /) type = "all"; print type, $(NF - 5), $(NF - 4), $(NF - 3), $(NF - 2) }'
}
counts() {
    sqlite3 -readonly -separator ' ' "$case" "SELECT type, count(*), sum(state IN ('complete', 'footer')), sum(state = 'fragmented'),
        sum(state = 'truncated') FROM v_objects WHERE $1 GROUP BY type UNION ALL SELECT 'all', count(*), sum(state IN ('complete', 'footer')),
        sum(state = 'fragmented'), sum(state = 'truncated') FROM v_objects WHERE $1"
}
for image_id in 1 2; do
    name=$([ $image_id = 1 ] && echo a.raw || echo b.raw)
    table "^$dir/$name: " "$dir/said" | sort >"$dir/got"
    counts "image_id = $image_id" | sort >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "scan of $name: $(diff "$dir/got" "$dir/want")"
done
expect 0 "" info "$case"
! grep -q "^slot" "$dir/out" || fail "a heading of volumes, and none of them: $(cat "$dir/out")"
table "^case" "$dir/out" | sort >"$dir/got"
counts "1" | sort >"$dir/want"
cmp -s "$dir/got" "$dir/want" || fail "info: $(diff "$dir/got" "$dir/want")"
# Half a picture may be evidence: how many there are, and which option writes them.
cut() { sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects WHERE state = 'truncated' AND type $1"; }
pictures=$(cut "IN ('png', 'jpg', 'gif', 'bmp')") all=$(cut "<> ''")
[ "$pictures" -ge 2 ] || fail "too few broken pictures"
grep -qE "^broken or cut short: $pictures pictures(, | and |;).* burin carve --truncated " "$dir/out" || fail "info does not say what is cut short: $(cat "$dir/out")"
[ "$(sed -n 's/^broken or cut short: \(.*\);.*/\1/p' "$dir/out" | grep -oE '[0-9]+' | awk '{ sum += $1 } END { print sum }')" = "$all" ] || fail "not all that is cut short"
[ "$(grep -c '^broken or cut short: ' "$dir/said")" = 1 ] || fail "scan does not say what is cut short: $(cat "$dir/said")"
# The categories stand in one order, each once, before its types; sizes are for people.
awk '/^CATEGORY/ { on = 1; next } on && /^[a-z]/ { print $1, $2 }' "$dir/out" | head -3 | tr '\n' ',' | grep -qE '^pictures (jpg|png),sound wav,documents [a-z]+,$' ||
    fail "categories: $(grep -A30 '^CATEGORY' "$dir/out")"
expect 0 "" info --json "$case"
python3 -c 'import json, sys
for o in json.load(sys.stdin)["objects"]: print(o["type"], o["objects"], o["complete"] + o["footer"], o["fragmented"], o["truncated"])' <"$dir/out" |
    sort >"$dir/got"
grep -v '^all ' "$dir/want" | cmp -s - "$dir/got" || fail "info --json: $(cat "$dir/got")"

# Bytes are those that carve writes: of whole files that lie in no other, so never more than there are.
whole="state <> 'truncated' AND parent_id IS NULL"
sqlite3 -readonly -separator ' ' "$case" "SELECT type, sum(len), sum(iif($whole, len, 0)) FROM v_objects GROUP BY type" | sort >"$dir/want"
python3 -c 'import json, sys
for o in json.load(sys.stdin)["objects"]: print(o["type"], o["bytes"], o["bytes_whole"])' <"$dir/out" | sort | cmp -s "$dir/want" - || fail "bytes of info --json"
expect 0 "" info "$case"
expect_bytes=$(sqlite3 -readonly "$case" "SELECT sum(len) FROM v_objects WHERE $whole" | awk '{ printf "%.1f KiB", $1 / 1024 }')
grep -qE "^all .* $expect_bytes\$" "$dir/out" || fail "bytes of all: $expect_bytes, and $(grep ^all "$dir/out")"
[ "$(sqlite3 -readonly "$case" "SELECT sum(len) FROM v_objects WHERE $whole AND image_id = 1")" -lt "$(stat -c %s "$image")" ] || fail "more bytes than the image has"

# Time and rate of each image; the next commands, which a shell can read.
[ "$(grep -cE '^[0-9.]+ [KMG]?i?B in ([0-9.]+ s|[0-9]+:[0-9]{2}:[0-9]{2}), [0-9.]+ MB/s$' "$dir/said")" = 2 ] || fail "no time and rate: $(cat "$dir/said")"
next=$(sed -n 's/^next: burin //p' "$dir/said")
eval "burin $next"
[ "$status" -eq 0 ] && [ -s "$dir/out" ] || fail "the next command: $next: $(cat "$dir/err")"
carve=$(sed -n 's/^      burin //p' "$dir/said")
eval "burin ${carve/DIR/$dir/carved}"
[ "$status" -eq 0 ] && [ -f "$dir/carved/audit.txt" ] || fail "the command behind it: $carve: $(cat "$dir/err")"
# What was not to be read.
burin scan --range 0:1M --case "$dir/range" "$dir/a.raw"
size=$(stat -c %s "$dir/a.raw")
grep -qE "^1\.0 MiB in .*; $(awk -v n=$((size - 1048576)) 'BEGIN { printf "%.1f MiB", n / 1048576 }') were not to be read$" "$dir/err" ||
    fail "--range: $(cat "$dir/err")"
# Nothing of it where nobody wants it, and no table of nothing.
expect 0 "" scan --quiet --force --case "$case" "$dir/a.raw"
[ ! -s "$dir/err" ] || fail "scan --quiet says: $(cat "$dir/err")"
expect 0 "" scan --json --force --case "$dir/json" "$dir/a.raw"
! grep -qE '^CATEGORY|^next' "$dir/err" || fail "scan --json: $(cat "$dir/err")"
head -c 100000 /dev/zero >"$dir/zeros"
burin scan --case "$dir/none" "$dir/zeros"
! grep -q '^CATEGORY' "$dir/err" || fail "a table of nothing: $(cat "$dir/err")"
finish
