#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_diff.sh - `burin audit --diff OLD NEW`: each kind of change; what was not read is unknown and never gone. And over
# 12 random pairs of disks the changes are those that are worked out here from what was put on them.
# Labels: long
. "$(dirname "$0")/../lib.sh"
make() { python3 "$cli/audit/audit_make.py" disk "$@"; }
scan() { burin scan --quiet --force --known "$dir/any.set" "$@"; [ "$status" -le 1 ] || fail "scan $*: $status $(cat "$dir/err")"; }
head -c 1000 /dev/urandom >"$dir/any"
expect 0 "" known build --quiet --files "$dir/any.set" "$dir/any" # it has none of the pictures: they are hashed

make "$dir/old.raw" png1@4096 png2@8192 png3@12288 png4@16384 png5@1000448
make "$dir/new.raw" png1@4096 png9@8192 png3@20480 png6@24576
scan --case "$dir/old" "$dir/old.raw"
scan --case "$dir/new" "$dir/new.raw"
expect 11 "1 new, 1 moved, 1 changed, 1 same, 2 gone, 0 unknown" audit --diff "$dir/old" "$dir/new"
cut -f 1-3,5 "$dir/out" | sort >"$dir/got"
sort >"$dir/want" <<'E2'
changed	png	8192	-
gone	png	1000448	-
gone	png	16384	-
moved	png	20480	12288
new	png	24576	-
E2
diff "$dir/want" "$dir/got" || fail "what has changed"
[ "$(cut -f 6 "$dir/out" | sort -u)" = "$dir/new.raw" ] || fail "one image in each: they are one"
expect 0 "" audit --diff --quiet "$dir/old" "$dir/old"
[ ! -s "$dir/out" ] || fail "a case file and itself: $(cat "$dir/out")"
expect 11 "" audit --diff --json "$dir/old" "$dir/new"
python3 -c 'import json, sys; rows = json.load(sys.stdin)
assert sorted(row["change"] for row in rows) == ["changed", "gone", "gone", "moved", "new"]
assert [row["before"] for row in rows if "before" in row] == [12288]' <"$dir/out" || fail "JSON: $(cat "$dir/out")"

# Bytes that could not be read, and a part that was left out: nobody knows whether the pictures there are gone.
printf '# map\n0 ?\n0 1000448 +\n1000448 4096 -\n1004544 %d +\n' $(($(stat -c %s "$dir/new.raw") - 1004544)) >"$dir/map"
scan --case "$dir/bad" --mapfile "$dir/map" "$dir/new.raw"
expect 11 "1 gone, 1 unknown" audit --diff "$dir/old" "$dir/bad"
grep -q "^unknown	png	1000448	" "$dir/out" && grep -q "^gone	png	16384	" "$dir/out" || fail "a bad place: $(cat "$dir/out")"
scan --case "$dir/part" --range 0:16K "$dir/new.raw"
expect 11 "1 gone, 2 unknown" audit --diff "$dir/old" "$dir/part"

# The case files are only read, and must be ones.
chmod 400 "$dir/old" "$dir/new"
sums=$(sha256sum "$dir/old" "$dir/new")
expect 11 "" audit --diff --quiet "$dir/old" "$dir/new"
[ "$(sha256sum "$dir/old" "$dir/new")" = "$sums" ] || fail "a case file was changed"
expect 3 "" audit --diff "$dir/old" "$dir/map"
expect 2 "NEW is missing" audit --diff "$dir/old"
expect 2 "check" audit --check --diff "$dir/old" "$dir/new"

# Random pairs.
python3 - "$BURIN" "$cli/audit" "$dir" <<'PY' || fail "random pairs"
import collections, json, random, subprocess, sys
burin, here, folder = sys.argv[1:]
sys.path.insert(0, here)
import audit_make
chance = random.Random(11)
def disk(name):
    at = {offset: chance.choice(sorted(audit_make.PICTURES)) for offset in range(0, 40960, 4096) if chance.random() < .7}
    audit_make.disk(f"{folder}/{name}.raw", [f"{what}@{offset}" for offset, what in at.items()])
    subprocess.run([burin, "scan", "-q", "--force", "--no-assemble", "--known", f"{folder}/any.set", "--case", f"{folder}/{name}", f"{folder}/{name}.raw"],
                   check=True, stderr=subprocess.DEVNULL)
    return at
old = disk("a")
for turn in range(12):
    new = disk("ba"[turn % 2])
    pair = [f"{folder}/{name}" for name in ("ab" if turn % 2 == 0 else "ba")]
    done = subprocess.run([burin, "audit", "--diff", "--json", *pair], stdout=subprocess.PIPE)
    got = collections.Counter(row["change"] for row in json.loads(done.stdout))
    same = {offset for offset in old if new.get(offset) == old[offset]}
    left = [collections.Counter(what for offset, what in at.items() if offset not in same) for at in (old, new)]
    moved = sum((left[0] & left[1]).values())
    assert got["moved"] == moved, (turn, got, moved)
    assert got["moved"] + got["changed"] + got["gone"] == len(old) - len(same), (turn, got)
    assert got["moved"] + got["changed"] + got["new"] == len(new) - len(same), (turn, got)
    assert done.returncode == (11 if got else 0) and not got["unknown"], (turn, got, done.returncode)
    old = new
PY
finish
