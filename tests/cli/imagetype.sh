#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/imagetype.sh - an image that is taken for what its content does not say, by all commands that open it.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
ask() {
    sqlite3 -readonly "$dir/case" "$1"
}
list() {
    "$BURIN" list "$1"
}

# The planted image, 4 KiB further on, behind what looks like a qcow header.
{ printf 'QFI\xfb\0\0\0\1'; head -c 4088 /dev/zero; cat "$image"; } >"$dir/disk"
expect 3 "QCOW, cannot be read here; .*--image-type raw$" scan --quiet --case "$dir/case" "$dir/disk"
[ ! -e "$dir/case" ] || fail "a refused image left a case file"
expect 3 "QCOW.*--image-type raw$" search --quiet --case "$dir/case" "$dir/disk" PNG
expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/disk"
[ "$(ask "SELECT format FROM images")" = raw ] || fail "the format on record: $(ask "SELECT format FROM images")"
[ "$(ask "SELECT json_extract(options, '$.image_type') FROM runs")" = raw ] || fail "--image-type is not on record"
"$BURIN" scan --quiet --case "$dir/plain" "$image" || fail "the plain image"
[ "$(ask "SELECT count(*) FROM objects")" -eq "$(sqlite3 "$dir/plain" "SELECT count(*) FROM objects")" ] ||
    fail "other objects behind a header than without"
expect 0 "" search --quiet --image-type raw --case "$dir/case" "$dir/disk" IHDR
[ -s "$dir/out" ] || fail "the search found nothing"

# Carve opens it as it was opened, where it was and elsewhere.
expect 0 "" carve --quiet --out "$dir/carved" "$dir/case"
mv "$dir/disk" "$dir/moved"
expect 0 "" carve --quiet --out "$dir/again" --image "$dir/moved" "$dir/case"
diff -r "$dir/carved" "$dir/again" -x audit.txt -x report.xml >"$dir/diff" || fail "carved twice: $(head -3 "$dir/diff")"
[ "$(find "$dir/carved" -name '*.png' | wc -l)" -gt 3 ] || fail "few pictures were carved"

# In parts.
split -b 1000000 -a 3 "$dir/moved" "$dir/part."
expect 3 "QCOW" scan --quiet --force --case "$dir/parts" "$dir/part.aab"
expect 0 "" scan --quiet --force --image-type raw --case "$dir/parts" "$dir/part.aab"
expect 0 "" carve --quiet --out "$dir/joined" "$dir/parts"
diff <(list "$dir/parts") <(list "$dir/case") >"$dir/diff" || fail "the parts and the whole: $(head -3 "$dir/diff")"
[ "$(list "$dir/parts" | wc -l)" -gt 20 ] || fail "few objects in the parts"

# auto is what nobody asked for, and nothing is taken for raw bytes that was asked for as something else.
expect 0 "" scan --quiet --force --image-type auto --case "$dir/plain" "$image"
for type in ewf aff vmdk vhd vhdx vdi qcow2; do
    expect 3 "$image" scan --quiet --image-type $type --case "$dir/none" "$image"
    [ ! -e "$dir/none" ] || fail "--image-type $type left a case file"
done

# What was scanned as an E01 may be a raw copy when it is carved, and the other way round.
if command -v ewfacquire >/dev/null; then
    (cd "$dir" && ewfacquire -u -q -c best -t copy "$image" </dev/null >tool.log 2>&1) || fail "ewfacquire: $(cat "$dir/tool.log")"
    expect 0 "" scan --quiet --case "$dir/ewf" "$dir/copy.E01"
    # An E01 holds whole sectors: it has the raw image's bytes and zeros up to the end of the last one.
    cp "$image" "$dir/whole.raw"
    truncate -s "$(sqlite3 "$dir/ewf" "SELECT size FROM images")" "$dir/whole.raw"
    expect 0 "" carve --quiet --out "$dir/from-raw" --image "$dir/whole.raw" "$dir/ewf"
    expect 0 "" scan --quiet --force --case "$dir/raw" "$dir/whole.raw"
    expect 0 "" carve --quiet --out "$dir/from-ewf" --image "$dir/copy.E01" "$dir/raw"
    diff -r "$dir/from-raw" "$dir/from-ewf" -x audit.txt -x report.xml >"$dir/diff" || fail "raw and E01: $(head -3 "$dir/diff")"
fi
finish
