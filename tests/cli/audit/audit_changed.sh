#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_changed.sh - `read = changed`: a run that takes over what a map says is not changed comes to the objects of a scan of
# all of the disk, over random edits; it reads all where the last run was not finished, or there is no map.
# Labels: long
. "$(dirname "$0")/../lib.sh"
printf '%s\n' "[audit]" "name = test" "image = $dir/disk*.raw" "state = $dir/state" "keep = 1" "read = changed" "changed = $dir/map" \
    "rules = keys" >"$dir/policy"
# edit SEED: changes some places of the disk, and writes the map of what was changed; 0: makes the disk.
edit() {
    python3 - "$cli/audit" "$dir" "$1" <<'PY'
import random, sys
sys.path.insert(0, sys.argv[1])
import audit_make
folder, seed = sys.argv[2], int(sys.argv[3])
chance = random.Random(seed)
things = sorted(audit_make.PICTURES.values()) + [b" " + audit_make.SECRETS[name][0] + b" " for name in ("aws", "wide")]
size = 6 << 20
if seed == 0:
    disk = bytearray(chance.randbytes(size))
else:
    disk = bytearray(open(f"{folder}/disk.raw", "rb").read())
changed = set()
for _ in range(60 if seed == 0 else chance.randrange(1, 8)):
    at = chance.randrange(size // 512 - 1) * 512
    data = chance.choice(things) if chance.random() < .7 else bytes(512)
    disk[at:at + len(data)] = data
    changed.add(at // 4096)
    changed.add((at + len(data) - 1) // 4096)
open(f"{folder}/disk.raw", "wb").write(disk)
with open(f"{folder}/map", "w") as out:
    out.write("0 + 1\n")
    for block in range(size // 4096):
        out.write(f"{block * 4096} 4096 {'+' if block in changed else '?'}\n")
PY
}
last() { find "$dir/state" -name 'run-*.burin' | sort | tail -1; }
objects() { sqlite3 -readonly "$1" "SELECT o.id, o.type, o.state, o.offset, o.len, o.crc64, n.parent_id, n.state FROM objects o
    LEFT JOIN nested n ON n.object_id = o.id ORDER BY o.id"; }
option() { sqlite3 -readonly "$(last)" "SELECT json_extract(options, '\$.since') FROM runs WHERE command = 'audit'"; }
audit() {
    burin audit --quiet --json "$dir/policy"
    [ "$status" -eq 10 ] || [ "$status" -eq 11 ] || [ "$status" -eq 0 ] || fail "line ${BASH_LINENO[0]}: status $status: $(cat "$dir/err")"
}

edit 0
audit
[ "$(option)" = 0 ] && grep -q "reads all: the last run was not finished, or left no parts" "$dir/err" || fail "the first run: $(cat "$dir/err")"
for seed in 1 2 3 4 5; do
    edit $seed
    audit
    [ "$(option)" = 1 ] || fail "edit $seed: it does not take over: $(cat "$dir/err")"
    burin scan --quiet --force --case "$dir/full" "$dir/disk.raw"
    diff <(objects "$dir/full") <(objects "$(last)") >"$dir/diff" || fail "edit $seed: another scan finds otherwise: $(head -5 "$dir/diff")"
done
expect 0 "" verify "$(last)"

# Behind a run that failed nobody knows what the map is the difference to.
edit 6
mv "$dir/disk.raw" "$dir/away"
printf 'QFI\xfb\0\0\0\3' >"$dir/disk.raw"
burin audit --quiet "$dir/policy"
[ "$status" -eq 3 ] || fail "a disk that is none: $status"
mv "$dir/away" "$dir/disk.raw"
audit
[ "$(option)" = 0 ] && grep -q "reads all" "$dir/err" || fail "behind a run that failed: $(cat "$dir/err")"
edit 7
audit
[ "$(option)" = 1 ] || fail "behind a run that read all: $(cat "$dir/err")"
if [ -n "${SHIM:-}" ]; then
    LD_PRELOAD=$SHIM SHIM_FILE=$dir/none SHIM_KILL=3 "$BURIN" audit "$dir/policy" >"$dir/out" 2>"$dir/err" </dev/null
    audit
    [ "$(option)" = 0 ] && grep -q "reads all" "$dir/err" || fail "behind a run that was killed: $(cat "$dir/err")"
fi
# Without a map, or with one that is none, all is read.
rm "$dir/map"
audit
[ "$(option)" = 0 ] && grep -q "there is no map of changes $dir/map" "$dir/err" || fail "without a map: $(cat "$dir/err")"
echo nonsense >"$dir/map"
audit
[ "$(option)" = 0 ] && grep -q "begins anew: " "$dir/err" || fail "a map that is none: $(cat "$dir/err")"
# One image.
cp "$dir/disk.raw" "$dir/disk2.raw"
burin audit --quiet "$dir/policy"
[ "$status" -eq 3 ] && grep -q "policy:6: read = changed is of one image, and there are 2" "$dir/err" || fail "two images: $status $(cat "$dir/err")"
finish
