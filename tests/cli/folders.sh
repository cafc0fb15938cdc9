#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/folders.sh - what carve calls its files: at most 1,000 in a folder, and the names that list gives, whatever is carved.
#
# Method: images of as many copies of a small GIF as the test needs, each on a cluster; what a file must hold follows from its name alone.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
planted
cat >"$dir/make.py" <<'PY'
import sys
image, out, count = open(sys.argv[1], "rb").read(), sys.argv[2], int(sys.argv[3])
gif = image[20483:20483 + 2621] # make_image.py
assert gif[:3] == b"GIF" and gif[-1:] == b";"
with open(out, "wb") as f:
    for i in range(count):
        f.write(gif + bytes(4096 - len(gif)))
PY
cat >"$dir/check.py" <<'PY'
# FOLDER IMAGE...: every file but the reports holds the bytes of its image from the offset in its name on, and no folder has too many.
import os, re, sys
folder, images = sys.argv[1], [open(i, "rb").read() for i in sys.argv[2:]]
for path, _, files in os.walk(folder):
    assert len(files) <= 1000 or path == folder, (path, len(files))
    for name in files:
        full = os.path.relpath(os.path.join(path, name), folder)
        if full in ("audit.txt", "report.xml"):
            continue
        number, offset = re.fullmatch(r"(?:image(\d+)/)?[^/]+/(?:\d{4,}/)?([0-9a-f]{16})(?:-\d+)?\.[A-Za-z]+", full).groups()
        image, data = images[int(number or 1) - 1], open(os.path.join(path, name), "rb").read()
        assert data and image[int(offset, 16):][:len(data)] == data, full
PY
names() { sort "$1" >"$1.sorted"; } # in one order
# same FOLDER CASE [OPTION...]: the files of the folder are what list calls them, and so do both reports.
same() {
    local folder=$1
    shift
    (cd "$folder" && find . -type f ! -name audit.txt ! -name report.xml | sed 's,^\./,,') >"$dir/found"
    expect 0 "" list --quiet "$@"
    cut -f9 "$dir/out" >"$dir/listed"
    names "$dir/found" && names "$dir/listed"
    cmp -s "$dir/found.sorted" "$dir/listed.sorted" || fail "list $*: other names than carve's: $(diff "$dir/found.sorted" "$dir/listed.sorted" | head -5)"
    sed -n 's,^ *<filename>\(.*\)</filename>$,\1,p' "$folder/report.xml" | sort | cmp -s - "$dir/found.sorted" || fail "$folder/report.xml has other names"
    grep -E '^[^ 	]+/[0-9a-f]{16}' "$folder/audit.txt" | cut -d' ' -f1 | sort | cmp -s - "$dir/found.sorted" || fail "$folder/audit.txt has other names"
    cut -f9 "$dir/out" | uniq -d | grep . && fail "names that are there twice"
}

# A thousand lie in one folder; one more, and all lie in numbered ones, in the order of the image.
for count in 1000 1001 2345; do
    python3 "$dir/make.py" "$image" "$dir/$count.raw" "$count"
    expect 0 "" scan --quiet --types gif --case "$dir/case.$count" "$dir/$count.raw"
    expect 0 "" carve --quiet --out "$dir/out.$count" "$dir/case.$count"
    [ "$(find "$dir/out.$count" -name '*.gif' | wc -l)" = "$count" ] || fail "not $count files"
    same "$dir/out.$count" "$dir/case.$count"
    python3 "$dir/check.py" "$dir/out.$count" "$dir/$count.raw" || fail "$count: a file is not what its name says"
done
[ -e "$dir/out.1000/gif/00000000003e7000.gif" ] || fail "of 1000 files the last one is elsewhere"
[ -e "$dir/out.1001/gif/0001/00000000003e7000.gif" ] || fail "of 1001 files the thousandth is elsewhere"
[ -e "$dir/out.1001/gif/0002/00000000003e8000.gif" ] || fail "of 1001 files the last one is elsewhere"
[ "$(ls "$dir/out.2345/gif")" = "$(printf '%s\n' 0001 0002 0003)" ] || fail "other folders: $(ls "$dir/out.2345/gif")"

# What is left out changes the name of nothing else.
sha256sum "$dir/out.2345/gif/0001/0000000000001000.gif" >"$dir/sums"
expect 0 "" known build --quiet --good "$dir/files" "$dir/sums"
cp "$dir/2345.raw" "$dir/few.raw"
for i in 3 1500 2000 2344; do flip "$dir/few.raw" $((i * 4096 + 700)); done
expect 0 "" scan --quiet --types gif --known "$dir/files" --case "$dir/case.few" "$dir/few.raw"
burin carve --quiet --known unknown --out "$dir/out.few" "$dir/case.few"
[ "$status" -eq 0 ] || fail "carve --known unknown: status $status: $(cat "$dir/err")"
[ "$(find "$dir/out.few" -name '*.gif' | wc -l)" -ge 1 ] || fail "nothing to compare with --known"
(cd "$dir/out.few" && find . -name '*.gif' | sed 's,^\./,,' | sort) >"$dir/found"
expect 0 "" list --quiet --known unknown --state complete,fragmented,footer "$dir/case.few"
cut -f9 "$dir/out" | sort | cmp -s - "$dir/found" || fail "a selection has other names: $(cut -f9 "$dir/out" | sort | diff - "$dir/found" | head -3)"

# Names that would be the same, or the same but for capital letters, are numbered; they count as one type.
printf '%s\n' 'gif y 5000 GIF8 \x00\x3b' 'GIF y 4000 GIF89a \x00\x3b' >"$dir/rules.conf"
head -c $((600 * 4096)) "$dir/1000.raw" >"$dir/600.raw"
expect 0 "" scan --quiet --dictionary "$dir/rules.conf" --case "$dir/case.rules" "$dir/600.raw"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/out.rules" "$dir/case.rules"
same "$dir/out.rules" "$dir/case.rules"
python3 "$dir/check.py" "$dir/out.rules" "$dir/600.raw" || fail "rules: a file is not what its name says"
[ "$(wc -l <"$dir/found")" = 1200 ] || fail "not 1200 files of rules"
[ "$(grep -c -- '-2\.' "$dir/found")" = 600 ] || fail "not 600 of them are the second ones: $(head -3 "$dir/found")"
[ "$(tr '[:upper:]' '[:lower:]' <"$dir/found" | sort | uniq -d | wc -l)" = 0 ] || fail "names that differ in capital letters alone"

# Of several images each has its folder.
expect 0 "" scan --quiet --types gif --case "$dir/case.two" "$dir/1001.raw" "$dir/600.raw"
expect 0 "" carve --quiet --out "$dir/out.two" "$dir/case.two"
same "$dir/out.two" "$dir/case.two"
python3 "$dir/check.py" "$dir/out.two" "$dir/1001.raw" "$dir/600.raw" || fail "two images: a file is not what its name says"
[ -e "$dir/out.two/image1/gif/0002/00000000003e8000.gif" ] || fail "image 1 has no second folder"
[ -e "$dir/out.two/image2/gif/0000000000000000.gif" ] || fail "image 2 has not its files in one folder"
finish
