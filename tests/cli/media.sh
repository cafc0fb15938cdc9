#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/media.sh - media types of all samples: those of file(1) and of exiftool where they have one, but for the differences
# that media_differs.def lists with their reasons; and list, identify and reports tell the same.
#
# Method: what identify says of every file in tests/samples is compared with file --mime-type and exiftool's MIMEType. PRONOM's own programs
# (DROID, Siegfried) are not in Debian; the numbers were compared once with FIDO on PRONOM's signatures 116.
# Labels: long
. "$(dirname "$0")/lib.sh"

root=$cli/../..
samples=()
for fields in "$root"/tests/samples/*/*.fields; do
    samples+=("${fields%.fields}")
done
[ "${#samples[@]}" -gt 600 ] || fail "only ${#samples[@]} samples"
burin identify --json "${samples[@]}"
cp "$dir/out" "$dir/identified"

# compare NAME MIN: the media types in $dir/theirs, one a line, are those of burin but for the rows of media_differs.def under NAME,
# and at least MIN of them agree. An empty line or "-" says that the other program has none.
compare() {
    python3 - "$dir/identified" "$dir/theirs" "$root/tests/cli/media_differs.def" "$@" <<'EOP' || fail "media types of $1 differ"
import json, re, sys

ours = json.load(open(sys.argv[1]))
theirs = open(sys.argv[2]).read().split("\n")[:-1]
rows = re.findall(r'^DIFFERS\((\w+), "([^"]*)", "([^"]*)", "([^"]*)", "[^"]+"\)$', open(sys.argv[3]).read(), re.M)
listed = {row[1:] for row in rows if row[0] == sys.argv[4]}
assert len(ours) == len(theirs) and len(listed) > 20
found, agree = set(), 0
for mine, other in zip(ours, theirs):
    if mine["media_type"] is None or other in ("", "-"):
        continue
    if mine["media_type"].lower() == other.lower():
        agree += 1
    else:
        found.add((mine["type"], mine["media_type"], other))
for row in sorted(found - listed):
    print("not listed:", *row)
for row in sorted(listed - found):
    print("listed, but they agree:", *row)
print(agree, "agree with", sys.argv[4])
sys.exit(found != listed or agree < int(sys.argv[5]))
EOP
}

if [ "$(file --version | head -n 1)" = file-5.44 ]; then
    file --brief --mime-type "${samples[@]}" >"$dir/theirs"
    compare file 100
fi
if [ "$(exiftool -ver 2>/dev/null)" = 12.57 ]; then
    exiftool -q -q -m -p '$MIMEType' -f "${samples[@]}" >"$dir/theirs" 2>/dev/null # a file that it does not know is an error, and has a line
    compare exiftool 90
fi

# An image with a GIF: identify, list, csv and CASE have the same names for it.
says() { # WORDS: all of them stand in what was printed
    local word
    for word in "$@"; do grep -qF -- "$word" "$dir/out" || fail "there is no $word in: $(head -c 600 "$dir/out")"; done
}
burin scan --quiet --case "$dir/case" "$root/tests/samples/gif/anim.gif"
burin list --json "$dir/case"
says '"media_type": "image/gif"' '"pronom": "fmt/3 fmt/4"'
burin report --format csv "$dir/case"
says 'author,media_type,pronom' ',image/gif,fmt/3 fmt/4'
burin report --format case "$dir/case"
says '"uco-observable:mimeType": "image/gif"'
finish
