#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/tree.sh - `scan --hash tree`, whatever the threads and however often it is stopped, is what the program in
# docs/reference/case-file.md computes; `verify --tree` names the MiB that changed.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
awk '/^### `tree_leaves`/ { on = 1 } on && /^```$/ { exit } code { print } on && /^```python$/ { code = 1 }' "$cli/../../docs/reference/case-file.md" >"$dir/tree.py"
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" "$dir/made" >"$dir/disk.raw"
truncate -s $((11 << 20)) "$dir/disk.raw"
printf 'odd' >>"$dir/disk.raw"

# same CASE IMAGE: root and leaves.
same() {
    python3 "$dir/tree.py" "$2" >"$dir/want"
    python3 - "$1" >"$dir/got" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
leaves = []
for number, digests in db.execute("SELECT number, digests FROM tree_leaves ORDER BY run_id, number"):
    assert number == len(leaves) and len(digests) % 32 == 0
    leaves += [digests[i:i + 32] for i in range(0, len(digests), 32)]
for number, leaf in enumerate(leaves):
    print(number, leaf.hex())
print("root", db.execute("SELECT digest FROM image_hashes WHERE kind = 'tree'").fetchone()[0])
PY
    cmp -s "$dir/got" "$dir/want" || fail "$3: $(diff "$dir/want" "$dir/got" | head -5)"
}
for how in "--threads 1" "--threads 3 --part-size 300K --segment 64K" "--threads 2 --part-size 4K --hits-only" "--hash tree,md5 --threads 4 --io pread"; do
    rm -f "$dir/case"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet --hash tree $how --case "$dir/case" "$dir/disk.raw"
    same "$dir/case" "$dir/disk.raw" "scan $how"
done
[ "$(sqlite3 -readonly "$dir/case" "SELECT digest FROM image_hashes WHERE kind = 'md5'")" = "$(md5sum <"$dir/disk.raw" | cut -c 1-32)" ] || fail "md5 beside the tree"
for size in 1 1048575 1048576 1048577; do
    head -c $size "$dir/disk.raw" >"$dir/short.raw"
    rm -f "$dir/short"
    expect 0 "" scan --quiet --hash tree --case "$dir/short" "$dir/short.raw"
    same "$dir/short" "$dir/short.raw" "$size bytes"
done
expect 0 "" scan --force --quiet --json --hash tree --case "$dir/short" "$dir/short.raw"
python3 -c 'import json, sys; h = json.load(open(sys.argv[1]))["hashes"]; assert [x["kind"] for x in h] == ["tree"] and "root " + h[0]["digest"] == open(sys.argv[2]).read().split("\n")[-2]' \
    "$dir/out" "$dir/want" || fail "--json: $(cat "$dir/out")"

# Stopped before every few writes, and gone on with.
if [ -n "${SHIM:-}" ]; then
    rm -f "$dir/case"* && ends=0
    for run in $(seq 1 60); do
        LD_PRELOAD=$SHIM SHIM_KILL=$(($(rounds 10 4) * run)) "$BURIN" scan --quiet --resume --hash tree,sha1 --part-size 256K --threads 2 --case "$dir/case" "$dir/disk.raw" \
            >"$dir/out" 2>"$dir/err" </dev/null
        status=$?
        [ "$status" -eq 137 ] || break
        ends=$((ends + 1))
    done
    [ "$status" -eq 0 ] && [ "$ends" -gt 4 ] || fail "$ends ends, and then $status: $(cat "$dir/err")"
    same "$dir/case" "$dir/disk.raw" "after $ends ends"
fi

# What changed; also where the fingerprint does not look.
expect 0 "" verify --tree --quiet "$dir/case"
grep -q "0 of 12 MiB changed" "$dir/out" || fail "verify --tree: $(cat "$dir/out")"
for at in 3145728 4194303 7340033 $((11 << 20)); do
    flip "$dir/disk.raw" "$at"
done
burin verify --tree --quiet "$dir/case"
[ "$status" -eq 1 ] || fail "verify --tree of a changed image: status $status"
[ "$(sed -n 's/.*bytes \([0-9+]*\) changed$/\1/p' "$dir/out" | tr '\n' ' ')" = "3145728+1048576 7340032+1048576 11534336+3 " ] || fail "verify --tree: $(cat "$dir/out")"
burin verify --tree --quiet --json "$dir/case"
python3 -c 'import json, sys; assert [c["offset"] for c in json.load(open(sys.argv[1]))["images"][0]["changed"]] == [3145728, 7340032, 11534336]' "$dir/out" ||
    fail "verify --tree --json: $(cat "$dir/out")"
rm -f "$dir/none" && expect 0 "" scan --quiet --case "$dir/none" "$dir/disk.raw"
expect 3 "no tree hash of it is in the case file; burin scan --hash tree takes one" verify --tree --quiet "$dir/none"
expect 3 "belongs to one" verify --tree --quiet "$dir/disk.raw"
expect 2 "write md5, sha1, sha256, tree, or stored" scan --hash leaf --case "$dir/no" "$dir/disk.raw"
finish
