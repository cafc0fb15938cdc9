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
python3 "$cli/features.py" make "$dir/big.raw" "$dir/want" utf-16be || fail "no image"
expect 0 "" search --quiet --no-file-systems --features all --encoding utf-16be --context 0 --case "$dir/big" "$dir/big.raw"
cut -f1,2,3,7 "$dir/out" | diff "$dir/want" - >"$dir/diff" || fail "utf-16be: $(head -5 "$dir/diff")"
expect 2 "there is email, url, phone" search --features emails "$dir/image.raw"
expect 2 "--features" search --features email --encoding utf-32le "$dir/image.raw"
finish
