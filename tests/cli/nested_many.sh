#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/nested_many.sh - ten thousand pictures in an archive have it for their parent, whether files in pieces are looked for or not:
# what lies in what is stored while more of it is found, or at once. So it is in a merge, and where hits and objects stay in the shards.
. "$(dirname "$0")/lib.sh"
python3 - "$dir/disk.raw" <<'PY'
import io, struct, sys, zipfile
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z:
    for i in range(10000):
        # One pixel; the number is the colour, so that no two are alike.
        z.writestr("%05d.gif" % i, b"GIF89a\1\0\1\0\x80\0\0" + struct.pack("<I", i)[:3] + b"\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;")
open(sys.argv[1], "wb").write(bytes(512) + out.getvalue())
PY
expect 0 "" scan --quiet --part 0/1 --parts "$dir/parts" --no-assemble "$dir/disk.raw"
expect 0 "" scan --quiet --case "$dir/pieces" "$dir/disk.raw"
expect 0 "" scan --quiet --no-assemble --case "$dir/whole" "$dir/disk.raw"
expect 0 "" merge --quiet --case "$dir/merged" "$dir/parts"
expect 0 "" merge --quiet --link --case "$dir/linked" "$dir/parts"
for case in pieces whole merged linked; do
    "$BURIN" list "$dir/$case" >"$dir/list"
    zip=$(awk -F '\t' '$2 == "zip" && $4 == 512 { print $1 }' "$dir/list")
    [ -n "$zip" ] || fail "$case: no archive: $(head -3 "$dir/list")"
    inside=$(awk -F '\t' -v zip="$zip" '$2 == "gif" && $8 == zip' "$dir/list" | wc -l)
    [ "$inside" -eq 10000 ] || fail "$case: $inside of 10000 pictures lie in the archive"
done
finish
