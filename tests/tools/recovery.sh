#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/recovery.sh - tools/recovery/: the image is the same for the same seed, its truth is true, and the scorer counts what is known.
#
# Method: the planted files are the samples of this tree. Their places in truth.json are read back from the image by a program
# of a few lines; what the scorer must say of a folder with known contents is counted by hand.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export PYTHONDONTWRITEBYTECODE=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

make() {
    python3 tools/recovery/make.py --min 600 --files 40 "$@" tests/samples >"$dir/said"
}
score() {
    python3 tools/recovery/score.py --json "$dir/one" "$dir/recovered"
}
is() {
    python3 -c 'import json, sys; got = json.loads(sys.argv[1]); want = json.loads(sys.argv[2]); assert all(got[k] == v for k, v in want.items()), (got, want)' \
        "$1" "$2" || fail "$3"
}

make --seed 3 --out "$dir/one"
make --seed 3 --out "$dir/two"
make --seed 4 --out "$dir/other"
cmp "$dir/one/image.raw" "$dir/two/image.raw" || fail "one seed gave two images"
cmp "$dir/one/truth.json" "$dir/two/truth.json" || fail "one seed gave two truths"
! cmp -s "$dir/one/image.raw" "$dir/other/image.raw" || fail "two seeds gave one image"

# Reads every file back from its places, those that are whole into the folder as if they were recovered.
whole=$(python3 - "$dir" <<'PY'
import hashlib, json, os, sys
top = sys.argv[1]
image = open(top + "/one/image.raw", "rb").read()
rows = json.load(open(top + "/one/truth.json"))["files"]
assert len(rows) == 40, len(rows)
os.mkdir(top + "/recovered")
for number, row in enumerate(rows):
    data = b"".join(image[at:at + length] for at, length in row["extents"])
    same = hashlib.sha256(data).hexdigest() == row["sha256"]
    assert same == (row["state"] != "cut"), row
    assert all(at % 512 == 0 for at, _ in row["extents"]), row
    assert (len(row["extents"]) == 2) == (row["state"] == "pieces"), row
    if row["state"] == "whole":
        open("%s/recovered/%d" % (top, number), "wb").write(data)
print(sum(row["state"] == "whole" for row in rows))
PY
) || fail "the truth is not true"

is "$(score)" "{\"whole\": $whole, \"recovered\": $whole, \"written\": $whole, \"exact\": $whole, \"wrong\": 0}" "all that is whole"

# One file twice, one too short, one from the middle of another, one of no file, and a report, which does not count.
first=$(find "$dir/recovered" -type f -size +3k | sort | head -1)
cp "$first" "$dir/recovered/twice"
head -c 700 "$first" >"$dir/recovered/short"
tail -c +100 "$first" | head -c 900 >"$dir/recovered/middle"
echo "no file of the image" >"$dir/recovered/none"
echo "a report" >"$dir/recovered/audit.txt"
is "$(score)" "{\"recovered\": $whole, \"written\": $((whole + 4)), \"exact\": $whole, \"again\": 1, \"inside\": 1, \"wrong\": 2}" "known faults"
rm "$dir/recovered/twice" "$first"
is "$(score)" "{\"recovered\": $((whole - 1)), \"again\": 0}" "a file that is missing"

# Scattered: the same again, with pieces in any order and none that lies over another; of what is cut no byte is made up.
rm -rf "$dir/one" "$dir/two"
make --seed 5 --layout scattered --files 119 --out "$dir/one"
make --seed 5 --layout scattered --files 119 --out "$dir/two"
cmp "$dir/one/image.raw" "$dir/two/image.raw" && cmp "$dir/one/truth.json" "$dir/two/truth.json" || fail "one seed gave two scattered images"
python3 - "$dir" <<'PY' || fail "scattered: the truth is not true"
import hashlib, json, sys
image = open(sys.argv[1] + "/one/image.raw", "rb").read()
rows = json.load(open(sys.argv[1] + "/one/truth.json"))["files"]
for row in rows:
    data = b"".join(image[at:at + length] for at, length in row["extents"])
    if row["state"] == "cut":
        source = open(row["path"], "rb").read()
        assert len(data) < row["size"] and all(image[at:at + length] in source for at, length in row["extents"]), row
    else:
        assert hashlib.sha256(data).hexdigest() == row["sha256"], row
        assert (len(row["extents"]) > 1) == (row["state"] == "pieces"), row
places = sorted(tuple(place) for row in rows for place in row["extents"])
assert all(a + length <= b for (a, length), (b, _) in zip(places, places[1:])) and all(at % 512 == 0 for at, _ in places)
ordered = [[at for at, _ in row["extents"]] for row in rows if row["state"] == "pieces"]
inside = sum(a < b < c for row in ordered for a, c in zip(row, row[1:]) for other in ordered for b in other if other is not row)
out = sum(row != sorted(row) for row in ordered)
assert out >= 8 and len(ordered) - out >= 25 and inside > 0 and sum(row["state"] == "cut" for row in rows) >= 15, (out, len(ordered), inside)
PY

# Scenarios: its files have nothing but their first bytes and their sizes; two scenarios have two files around each other.
rm -rf "$dir/one" "$dir/two"
python3 - "$dir" <<'PY'
import os, random, sys
os.mkdir(sys.argv[1] + "/files")
heads = {"html": b"<!DOCTYPE html", "doc": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "jpg": b"\xff\xd8\xff", "zip": b"PK\3\4"}
for kind, head in heads.items():
    for i in range(16):
        open("%s/files/%d.%s" % (sys.argv[1], i, kind), "wb").write(head + random.Random(i).randbytes(4000 * (i + 1)))
PY
for name in one two; do
    python3 tools/recovery/make.py --seed 5 --layout scenarios --out "$dir/$name" "$dir/files" >"$dir/said"
done
cmp "$dir/one/image.raw" "$dir/two/image.raw" && cmp "$dir/one/truth.json" "$dir/two/truth.json" || fail "one seed gave two images of scenarios"
python3 - "$dir" <<'PY' || fail "scenarios: the truth is not true"
import hashlib, json, sys
image = open(sys.argv[1] + "/one/image.raw", "rb").read()
rows = json.load(open(sys.argv[1] + "/one/truth.json"))["files"]
for row in rows:
    data = b"".join(image[at:at + length] for at, length in row["extents"])
    assert hashlib.sha256(data).hexdigest() == row["sha256"] and (len(row["extents"]) > 1) == (row["state"] == "pieces"), row
places = [place for row in rows for place in row["extents"]]
assert all(at % 512 == 0 for at, _ in places) and len(rows) == 29 and len({row["path"] for row in rows}) == 29
assert [len(row["extents"]) for row in rows].count(2) == 16 and [len(row["extents"]) for row in rows].count(3) == 1
around = sum(a < b < c < d for row in rows for other in rows if len(row["extents"]) == len(other["extents"]) == 2
             for (a, _), (c, _), (b, _), (d, _) in [row["extents"] + other["extents"]])
assert around == 2, around
assert rows[0]["extents"][0][0] == 9 * 512 and rows[0]["type"] == "html"   # as published: the first page begins at sector 9
lone = [at for row in rows for at, _ in row["extents"] if image[at - 512:at - 510] in (b"\xff\xd8", b"\xff\xd9")]
assert len(lone) == 2, lone
PY

# File systems: what is whole lies where the truth says, and the deleted half is still in the image.
PATH=$PATH:/usr/sbin
for layout in ext4 fat; do
    case $layout in ext4) needs="mke2fs debugfs" ;; *) needs="mkfs.vfat mcopy mdel" ;; esac
    for tool in $needs; do
        command -v "$tool" >/dev/null || { echo "not tried: $layout, which needs $tool"; continue 2; }
    done
    rm -rf "$dir/one" "$dir/recovered"
    make --seed 3 --layout "$layout" --out "$dir/one"
    mkdir "$dir/recovered"
    python3 - "$dir" <<'PY' || fail "$layout: the truth is not true"
import hashlib, json, sys
top = sys.argv[1]
image = open(top + "/one/image.raw", "rb").read()
rows = json.load(open(top + "/one/truth.json"))["files"]
whole = [row for row in rows if row["state"] == "whole"]
assert len(rows) == 40 and len(whole) >= 35, (len(rows), len(whole))
for number, row in enumerate(whole):
    (at, length), = row["extents"]
    assert at % 512 == 0 and hashlib.sha256(image[at:at + length]).hexdigest() == row["sha256"], row
    open("%s/recovered/%d" % (top, number), "wb").write(image[at:at + length])
PY
    grep -q '"wrong": 0' <<<"$(score)" || fail "$layout: $(score)"
done

# The program itself on it, where there is one.
if [ -x "${BURIN:-}" ]; then
    make --seed 3 --out "$dir/one"
    rm -rf "$dir/recovered"
    "$BURIN" scan -q --image-type raw --case "$dir/case" "$dir/one/image.raw" # it may begin with a compressed file
    "$BURIN" carve -q --out "$dir/recovered" "$dir/case"
    python3 tools/recovery/score.py --types --missed "$dir/one" "$dir/recovered" >"$dir/said"
    grep -qE '^in one piece: [1-9][0-9]* of [0-9]+ recovered' "$dir/said" || fail "$(cat "$dir/said")"
fi
if python3 tools/recovery/make.py --out "$dir/empty" "$dir/recovered/nowhere" 2>"$dir/said"; then
    fail "an image without files was made"
fi
[ "$failures" -eq 0 ] || { echo "$failures checks failed"; exit 1; }
