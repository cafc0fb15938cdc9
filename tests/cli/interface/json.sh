#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/json.sh - with --json a command prints one JSON document, whatever it was given.
. "$(dirname "$0")/../lib.sh"
planted
cp "$image" "$dir/second"
head -c 5000 /dev/zero >"$dir/third"

# document WHAT EXPRESSION: standard output is one document, for which the expression of Python holds.
document() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert eval(sys.argv[2]), d' "$dir/out" "$2" 2>"$dir/why" || fail "$1: $(tail -1 "$dir/why" | head -c 300) $(head -c 200 "$dir/out")"
}

# One image: an object. Several: an array of them, in the order of the command line.
expect 0 "" scan --json --quiet --case "$dir/one" "$image"
document "scan of one image" 'isinstance(d, dict) and d["image"].endswith("image.raw") and d["objects"] > 30'
expect 0 "" scan --json --quiet --case "$dir/three" "$image" "$dir/second" "$dir/third"
document "scan of three images" 'isinstance(d, list) and [i["bytes"] for i in d] == [4718715, 4718715, 5000]'
document "scan of three images" 'd[0]["objects"] == d[1]["objects"] > 30 and d[2]["objects"] == 0'
# One of several is missing: nothing is begun, and nothing printed.
burin scan --json --quiet --case "$dir/two" "$image" "$dir/none"
[ "$status" -eq 3 ] && [ ! -s "$dir/out" ] || fail "an image that is missing: status $status, $(head -c 200 "$dir/out")"

expect 0 "" list --json "$dir/three"
document "list" 'isinstance(d, list) and {o["image"] for o in d} == {1, 2}'
expect 0 "" carve --json --out "$dir/carved" "$dir/three"
document "carve" 'isinstance(d, dict) and d["files"] == 60'
expect 1 "" identify --json "$image" "$dir/third"
document "identify" 'isinstance(d, list) and len(d) == 2'
expect 0 "" search --json --quiet --no-file-systems --case "$dir/search" "$image" JFIF
document "search" 'isinstance(d, list) and len(d) > 3'
printf '%064d  a\n' 0 >"$dir/list"
expect 0 "" known build --json "$dir/set" "$dir/list"
document "known build" 'd["hashes"] == 1'
expect 0 "" known info --json "$dir/set" "$dir/set"
document "known info" 'len(d) == 2'
expect 1 "" known query --json "$dir/set" "$(printf %064d 0)" "$(printf %064d 1)"
document "known query" '[e["answer"] for e in d] == ["known", "unknown"]'
for table in "" --engines --devices --images --types; do
    # shellcheck disable=SC2086
    expect 0 "" info --json $table
    document "info $table" 'len(d) > 0'
done
finish
