#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/evidence.sh - evidence that is not there, cannot be read, is no disk or hardly one: one clear line, the right exit status,
# and no case file left behind. And evidence of which a part was never there.
# Labels: long
. "$(dirname "$0")/lib.sh"

refused() {
    local what=$1 text=$2 path=$3
    expect 3 "$text" scan --quiet --case "$dir/case" "$path"
    [ ! -e "$dir/case" ] || { fail "$what left a case file"; rm -f "$dir"/case*; }
}

refused "a missing image" "$dir/none.*(no such file|not exist|missing)" "$dir/none"
refused "a directory" "directory" "$dir"
: >"$dir/empty"
refused "an empty file" "empty" "$dir/empty"
expect 2 "IMAGE '-': standard input" scan --quiet --case "$dir/case" -

{ printf 'QFI\xfb\0\0\0\1'; head -c 65536 /dev/zero; } >"$dir/disk.qcow"
refused "a qcow image" "qcow" "$dir/disk.qcow"
cp "$dir/disk.qcow" "$dir/disk.raw"
refused "a qcow image called raw" "qcow" "$dir/disk.raw"
{ printf 'vhdxfile'; head -c 65536 /dev/zero; } >"$dir/disk.vhdx"
refused "a VHDX image without its headers" "disk.vhdx.*damaged" "$dir/disk.vhdx"
head -c 65536 /dev/zero | gzip >"$dir/disk.raw.gz"
refused "a compressed image" "gzip, cannot be read here; unpack it: gzip -dc .*--image-type raw" "$dir/disk.raw.gz"
expect 0 "" scan --quiet --image-type raw --case "$dir/unasked" "$dir/disk.raw.gz"
# A case file where its image was meant; a disk that has the same word there is one.
refused "a case file" "$dir/unasked.*case file of burin, cannot be read here; give the image .*--image-type raw" "$dir/unasked"
{ head -c 68 /dev/zero; printf 'BURN'; head -c 4024 /dev/zero; } >"$dir/burn.raw"
expect 0 "" scan --quiet --case "$dir/burn" "$dir/burn.raw"

# Of several images one missing: nothing is begun.
head -c 4096 /dev/zero >"$dir/good"
status=0
"$BURIN" scan --quiet --case "$dir/case" "$dir/good" "$dir/none" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
check 3 "$dir/none" "one of two images missing"
[ ! -e "$dir/case" ] || fail "one of two images missing left a case file"

# Small, and all right.
printf 'x' >"$dir/one"
expect 0 "" scan --quiet --case "$dir/one.case" "$dir/one"
expect 0 "" list "$dir/one.case"
[ ! -s "$dir/out" ] || fail "objects in one byte: $(cat "$dir/out")"

# A file that may not be read; root may read everything, so another user asks.
cp "$dir/good" "$dir/locked"
chmod 000 "$dir/locked"
if [ "$(id -u)" -ne 0 ]; then
    refused "an unreadable file" "$dir/locked.*permission" "$dir/locked"
elif command -v setpriv >/dev/null; then
    install -m 755 "$BURIN" "$dir/burin"
    mkdir -m 777 "$dir/open"
    chmod 755 "$dir"
    status=0
    setpriv --reuid 65534 --regid 65534 --clear-groups "$dir/burin" scan --quiet --case "$dir/open/case" "$dir/locked" \
        >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    check 3 "$dir/locked.*permission" "an unreadable file"
    # The case file cannot be made either: that is the environment.
    status=0
    setpriv --reuid 65534 --regid 65534 --clear-groups "$dir/burin" scan --quiet --case "$dir/case" "$dir/good" \
        >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    check 4 "$dir/case" "a folder that may not be written"
fi

# An E01 that was made of a bad disk says which sectors were not read. Sectors 0 to 9 hold the header of a picture here, and the
# file has it: it is not the disk's.
if command -v ewfacquire >/dev/null; then
    planted
    (cd "$dir" && ewfacquire -u -q -c best -t disk "$image" </dev/null >tool.log 2>&1) || fail "ewfacquire: $(cat "$dir/tool.log")"
    expect 0 "" scan --quiet --case "$dir/whole.case" "$dir/disk.E01"
    python3 "$cli/../io/ewf_unread.py" "$dir/disk.E01" "$dir/torn.E01" 0+10 4000+200
    expect 1 "107520 bytes in [0-9]+ places could not be read" scan --quiet --case "$dir/torn.case" "$dir/torn.E01"
    found=$(sqlite3 "$dir/torn.case" "SELECT min(offset), sum(len), max(offset + len), max(cause) FROM bad_ranges")
    [ "$found" = "0|107520|2150400|0" ] || fail "bad ranges of sectors that were not read: $found"
    sqlite3 "$dir/torn.case" "SELECT text FROM log WHERE kind = 'read-error'" >"$dir/log"
    grep -q "^5120 bytes at offset 0 could not be read (acquisition: " "$dir/log" || fail "the log does not say why: $(cat "$dir/log")"
    first="SELECT count(*) FROM hits WHERE offset < 5120"
    [ "$(sqlite3 "$dir/whole.case" "$first")" -gt 0 ] || fail "no header at the start of the whole disk"
    [ "$(sqlite3 "$dir/torn.case" "$first")" -eq 0 ] || fail "a header was found in sectors that were not read"
    expect 1 "" search --quiet --case "$dir/torn.case" "$dir/torn.E01" PNG
fi
finish
