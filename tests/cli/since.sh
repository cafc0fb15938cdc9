#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/since.sh - scan --since DIR --changed MAP gives, row by row, what a scan of the whole image gives, over random edits one after
# the other; and reads the rest of the image no more. BURIN_EDITS says how many edits (default 10, and 20 with BURIN_LONG=1; 200 were run).
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" >"$dir/disk"
edits=${BURIN_EDITS:-$(rounds 6 20)}

# Changes the image: pieces of other places of it, of noise and of zeros, at any byte; and writes the map of what it changed.
cat >"$dir/edit.py" <<'PY'
import random, sys
path, made, seed, out = sys.argv[1:]
r = random.Random(int(seed))
disk = bytearray(open(path, "rb").read())
whole = open(made, "rb").read()
changed = []
for _ in range(r.randrange(1, 4)):
    length = r.choice([1, 16, 700, 4096, 30000, 200000])
    place = r.randrange(0, len(disk) - length)
    if r.random() < 0.5:
        place = place // 512 * 512
    start = r.randrange(0, len(whole) - length)
    piece = [whole[start : start + length], bytes(length), r.randbytes(length)][r.choice([0, 0, 0, 1, 2])]
    disk[place : place + length] = piece
    changed.append((place, place + length))
open(path, "wb").write(disk)
marks = sorted({0, len(disk), *[edge for pair in changed for edge in pair]})
with open(out, "w") as file:
    file.write("0x00000000 + 1\n")
    for begin, end in zip(marks, marks[1:]):
        hit = any(a <= begin and end <= b for a, b in changed)
        file.write(f"{begin:#x} {end - begin:#x} {'+' if hit else '?'}\n")
PY

taken() {
    sqlite3 -readonly "$1" "SELECT text FROM log WHERE text LIKE '%taken over%'"
}
expect 0 "" scan --quiet --part-size 64K --case "$dir/case" --keep-parts "$dir/kept" "$dir/disk"
rows "$dir/case" >"$dir/rows"
[ "$(wc -l <"$dir/rows")" -gt 200 ] || fail "only $(wc -l <"$dir/rows") rows in the first scan"

# Nothing has changed: nothing is scanned, and all is taken over.
printf '0x0 + 1\n0x0 %d ?\n' "$(stat -c %s "$dir/disk")" >"$dir/map"
rm -f "$dir/case"*
expect 0 "" scan --quiet --case "$dir/case" --since "$dir/kept" --changed "$dir/map" "$dir/disk"
rows "$dir/case" | cmp -s - "$dir/rows" || fail "nothing changed: other rows: $(rows "$dir/case" | diff "$dir/rows" - | head -5)"
taken "$dir/case" | grep -qE '^([0-9]+) of \1 parts' || fail "nothing changed: $(taken "$dir/case")"

ways=("" "--part-size 64K" "--part-size 200K --part-seed 5" "--threads 1" "--io pread")
least=0
for edit in $(seq "$edits"); do
    python3 "$dir/edit.py" "$dir/disk" "$dir/made" "$edit" "$dir/map" || exit 1
    rm -f "$dir/case"* "$dir/full"*
    # shellcheck disable=SC2086 # words, on purpose
    expect 0 "" scan --quiet ${ways[$((edit % 5))]} --case "$dir/case" --since "$dir/kept" --changed "$dir/map" --keep-parts "$dir/kept" "$dir/disk"
    expect 0 "" scan --quiet --case "$dir/full" "$dir/disk"
    rows "$dir/case" >"$dir/rows.case"
    rows "$dir/full" | cmp -s - "$dir/rows.case" || fail "edit $edit: other rows: $(rows "$dir/full" | diff - "$dir/rows.case" | head -5)"
    burin list --digest "$dir/case"
    mv "$dir/out" "$dir/digest"
    burin list --digest "$dir/full"
    cmp -s "$dir/out" "$dir/digest" || fail "edit $edit: another digest"
    taken "$dir/case" | grep -q '^0 of' || least=$((least + 1))
done
[ "$least" -ge $((edits / 2)) ] || fail "parts were taken over in $least of $edits scans: a test of nothing"

# The parts are those of a scan: a merge makes the same case file of them.
rm -f "$dir/case"*
expect 0 "" merge --quiet --case "$dir/case" "$dir/kept"
rows "$dir/case" >"$dir/rows.case"
rows "$dir/full" | cmp -s - "$dir/rows.case" || fail "merge of the kept parts: other rows"

# What does not fit is refused.
expect 3 "earlier scan" scan --quiet --types png --case "$dir/none" --since "$dir/kept" --changed "$dir/map" "$dir/disk"
cp "$dir/disk" "$dir/longer" && printf x >>"$dir/longer"
expect 3 "earlier scan" scan --quiet --case "$dir/none" --since "$dir/kept" --changed "$dir/map" "$dir/longer"
[ ! -e "$dir/none" ] || fail "a case file was made for what was refused"
expect 3 "no shard|cannot be read" scan --quiet --case "$dir/none" --since "$dir" --changed "$dir/map" "$dir/disk"
expect 3 "changed" scan --quiet --case "$dir/none" --since "$dir/kept" --changed "$dir/disk" "$dir/disk"
expect 2 "belong together" scan --since "$dir/kept" --case "$dir/none" "$dir/disk"
expect 2 "exclude each other" scan --since "$dir/kept" --changed "$dir/map" --hash md5 --case "$dir/none" "$dir/disk"
expect 2 "goes with none" scan --keep-parts "$dir/kept" --unallocated --case "$dir/none" "$dir/disk"
expect 2 "one image" scan --keep-parts "$dir/kept" --case "$dir/none" "$dir/disk" "$dir/longer"
finish
