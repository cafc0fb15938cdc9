#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/outputs.sh - where output may go: not onto the evidence, not into a folder that holds something.
. "$(dirname "$0")/../lib.sh"
planted
sum=$(sha256sum <"$image")
expect 0 "" scan --quiet --case "$dir/case" "$image"

mkdir "$dir/full"
echo mine >"$dir/full/file"
expect 3 "$dir/full.*(empty|new)" carve --quiet --out "$dir/full" "$dir/case"
[ "$(ls "$dir/full")" = file ] || fail "carve wrote into a folder that held a file"
expect 3 "$dir/full/file" carve --quiet --out "$dir/full/file" "$dir/case"
[ "$(cat "$dir/full/file")" = mine ] || fail "carve changed a file that was named as the folder"

mkdir "$dir/empty"
expect 0 "" carve --quiet --out "$dir/empty" "$dir/case"
[ -s "$dir/empty/audit.txt" ] && [ -s "$dir/empty/report.xml" ] || fail "carve left no audit.txt or report.xml"

# The case file on the evidence, by its name, a link, and a second name.
expect 3 "$image" scan --quiet --force --case "$image" "$image"
ln -s "$image" "$dir/link"
expect 3 "" scan --quiet --force --case "$dir/link" "$image"
ln "$image" "$dir/second"
expect 3 "" scan --quiet --force --case "$dir/second" "$image"
expect 3 "" carve --quiet --out "$image" "$dir/case"
[ "$(sha256sum <"$image")" = "$sum" ] || fail "the evidence was changed"

# The default name: IMAGE.burin in the current folder, wherever the image is.
mkdir "$dir/here"
(cd "$dir/here" && "$BURIN" scan --quiet "$image" </dev/null >/dev/null) || fail "a scan without --case fails"
[ -s "$dir/here/image.raw.burin" ] || fail "the default case file is not ./image.raw.burin: $(ls "$dir/here")"

# Only what is asked for.
expect 0 "" scan --quiet --types png,gif --case "$dir/two" "$image"
burin list "$dir/two"
[ "$(cut -f2 "$dir/out" | sort -u | tr '\n' ' ')" = "gif png " ] || fail "--types png,gif lists $(cut -f2 "$dir/out" | sort -u | tr '\n' ' ')"
[ "$(wc -l <"$dir/out")" -eq "$(grep -cE '^(png|gif)	' "$dir/expected.tsv")" ] || fail "--types png,gif lists $(wc -l <"$dir/out") objects"

# A range finds what lies in it, and nothing else.
expect 0 "" scan --quiet --range 1M:1M --case "$dir/range" "$image"
burin list "$dir/range"
awk -F'\t' '$3 >= 1048576 && $3 + $4 <= 2097152' "$dir/expected.tsv" | cut -f1,3,4 >"$dir/want"
cut -f2,4,5 "$dir/out" | diff "$dir/want" - || fail "--range 1M:1M lists (>) other objects than lie there (<)"
finish
