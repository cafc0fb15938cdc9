#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/features.sh - `burin search --features`: what is looked for ready-made, wherever it lies and however the image is cut.
#
# Method: features.py plants features whose check digits it computes itself, near misses of each, and both in UTF-16, at the edges of
# segments and parts and at random places; it also reads the lines of the search back and says which are wrong.
. "$(dirname "$0")/lib.sh"
python3 "$cli/features.py" make "$dir/image.raw" "$dir/want" utf-8 utf-16le || fail "no image"
for how in "" "--threads 1 --segment 64K" "--threads 3 --segment 64K --part-size 128K" "--engine ac --io pread" "--threads 2 --segment 1M"; do
    # shellcheck disable=SC2086
    expect 0 "" search --quiet --no-file-systems --features all --context 0 $how --case "$dir/case" "$dir/image.raw"
    cut -f1,2,3,7 "$dir/out" >"$dir/lines"
    diff "$dir/want" "$dir/lines" >"$dir/diff" || fail "search --features all $how: $(head -5 "$dir/diff")"
    [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM hits")" = "$(wc -l <"$dir/want")" ] || fail "$how: other rows than lines"
    rm -f "$dir"/case*
done

# Some packs, beside words.
expect 0 "" search --quiet --no-file-systems --features card,iban --context 0 --case "$dir/some" "$dir/image.raw" needle
cut -f2 "$dir/out" | sort -u | tr '\n' ' ' | grep -qx 'card iban needle ' || fail "card, iban and a word: $(cut -f2 "$dir/out" | sort -u)"
# One value, however it is written.
printf 'x 4111-1111-1111-1111, 4111111111111111. DE89 3704 0044 0532 0130 00 x' >"$dir/values.raw"
expect 0 "" search --quiet --no-file-systems --json --features card,iban --case "$dir/values" "$dir/values.raw"
python3 -c 'import json, sys; assert [h["value"] for h in json.load(sys.stdin)] == ["4111111111111111"] * 2 + ["DE89370400440532013000"]' <"$dir/out" ||
    fail "values: $(cat "$dir/out")"
# Each value with how often it stands there: a place that two searches found counts once, and so do both ways of writing it.
expect 0 "" search --quiet --no-file-systems --features card --case "$dir/values" "$dir/values.raw"
expect 0 "" list --quiet --features "$dir/values"
diff "$dir/out" - <<<"$(printf '2\tcard\t4111111111111111\n1\tiban\tDE89370400440532013000')" >"$dir/diff" || fail "list --features: $(cat "$dir/diff")"
expect 0 "" list --quiet --features --json "$dir/values"
python3 -c 'import json, sys; assert [(h["feature"], h["value"], h["count"]) for h in json.load(sys.stdin)] == [("card", "4" + 15 * "1", 2), ("iban", "DE89370400440532013000", 1)]' \
    <"$dir/out" || fail "list --features --json: $(cat "$dir/out")"
mv "$dir/values.raw" "$dir/moved.raw"
expect 3 "No such file" list --features "$dir/values"
expect 0 "" list --features --image "$dir/moved.raw" "$dir/values"
[ "$(wc -l <"$dir/out")" -eq 2 ] || fail "list --features --image: $(cat "$dir/out")"
expect 2 "leave out" list --features --types jpg "$dir/values"
expect 2 "are of --features" list --image "$dir/moved.raw" "$dir/values"

# Of all that was planted: the same counts as of the values that the search itself prints.
expect 0 "" search --quiet --no-file-systems --json --features all --case "$dir/counted" "$dir/image.raw"
python3 - "$dir/out" >"$dir/want.counts" <<'PY'
import collections, json, sys
counts = collections.Counter((h["keyword"], h["value"]) for h in json.load(open(sys.argv[1])))
for (name, value), count in sorted(counts.items(), key=lambda item: (-item[1], item[0][0], item[0][1])):
    print(count, name, value, sep="\t")
PY
expect 0 "" list --features "$dir/counted"
[ "$(wc -l <"$dir/out")" -gt 50 ] || fail "few values: $(wc -l <"$dir/out")"
diff "$dir/want.counts" "$dir/out" >"$dir/diff" || fail "list --features: $(head -5 "$dir/diff")"

# A search and a scan add to one case file in any order: the same objects, the same hits.
planted
expect 0 "" scan --quiet --case "$dir/first" "$image"
for file in first second; do expect 0 "" search --quiet --no-file-systems --features email --case "$dir/$file" "$image" IHDR; done
expect 0 "" scan --quiet --case "$dir/second" "$image"
for file in first second; do
    expect 0 "" list "$dir/$file"
    cut -f2-7,9 "$dir/out" >"$dir/$file.objects"
    sqlite3 -readonly "$dir/$file" "SELECT s.name, s.origin, h.offset, h.len, h.footer FROM hits h JOIN signatures s ON s.id = h.signature_id ORDER BY 3, 1, 2, 4, 5" >"$dir/$file.hits"
done
[ -s "$dir/first.objects" ] && cmp -s "$dir/first.objects" "$dir/second.objects" || fail "other objects where the search came first"
grep -q '^IHDR|keyword' "$dir/first.hits" && cmp -s "$dir/first.hits" "$dir/second.hits" || fail "other hits where the search came first"

python3 "$cli/features.py" make "$dir/big.raw" "$dir/want" utf-16be || fail "no image"
expect 0 "" search --quiet --no-file-systems --features all --encoding utf-16be --context 0 --case "$dir/big" "$dir/big.raw"
cut -f1,2,3,7 "$dir/out" | diff "$dir/want" - >"$dir/diff" || fail "utf-16be: $(head -5 "$dir/diff")"
expect 2 "there is email, url, phone" search --features emails "$dir/image.raw"
expect 2 "--features" search --features email --encoding utf-32le "$dir/image.raw"
finish
