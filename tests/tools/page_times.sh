#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/page_times.sh - tools/page_times.py tells when a browser has painted the first objects of a page, and how many rows it has drawn.
. "$(dirname "$0")/../cli/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
expect 0 "" report --format html --thumbs 0 --out "$dir/page.html" "$dir/case"
timeout 240 python3 "$(dirname "$0")/../../tools/page_times.py" --browser "$browser" --rounds 1 "$dir/page.html" >"$dir/times" ||
    fail "page_times.py ends with $?: $(cat "$dir/times")"
value() { awk -F'\t' -v what="$1" '$2 == what { print $3 }' "$dir/times"; }
for what in browser first parsed load; do
    [ "$(value $what)" -gt 0 ] || fail "$what: $(cat "$dir/times")"
done
# What the browser says of the page by itself: the rows that fit into its window, or all objects where they do.
total=$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM v_objects")
[ "$(value rows)" -gt 5 ] && [ "$(value rows)" -le "$total" ] || fail "rows: $(value rows) of $total"
# A page without objects of a report has no first one.
echo '<!doctype html><title>no report</title>' >"$dir/other.html"
timeout 240 python3 "$(dirname "$0")/../../tools/page_times.py" --limit 1 --browser "$browser" --rounds 1 "$dir/other.html" >"$dir/times" 2>"$dir/said" &&
    fail "a page that is none is timed"
grep -q 'no row' "$dir/said" || fail "not said: $(cat "$dir/said")"
finish
