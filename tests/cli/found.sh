#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/found.sh - `burin list --found`: the hits of searches again, from the case file and the image.
#
# Method: the lines of the searches themselves, without the place in the file system; offsets and matches by grep -obUa.
. "$(dirname "$0")/lib.sh"
planted
python3 - "$image" "$dir/image.raw" <<'PY'
import random, sys
rng = random.Random(11)
image = bytearray(open(sys.argv[1], "rb").read()[:1 << 20])
for n in range(300):
    what = rng.choice([b"needle", b"NEEDLE", "needle".encode("utf-16-le"), "Grüße".encode(), b"item-4711", b"a@b.example.com "])
    at = rng.randrange(len(image) - 40)
    image[at:at + len(what)] = what
image[:6] = image[-6:] = b"needle"
open(sys.argv[2], "wb").write(image)
PY
expect 0 "" scan --quiet --case "$dir/case" "$dir/image.raw"
expect 0 "no search" list --found "$dir/case"
[ ! -s "$dir/out" ] || fail "hits of no search: $(cat "$dir/out")"
expect 0 "" search --quiet --case "$dir/case" "$dir/image.raw" needle Grüße
cp "$dir/out" "$dir/lines"
expect 0 "" search --quiet --case "$dir/case" --regex 'item-[0-9]+' --features email --hex '6e 65 65 64' --encoding utf-8 "$dir/image.raw" needle
# The word of both searches stands there once.
{ cat "$dir/lines" && awk -F'\t' '$2 != "needle"' "$dir/out"; } | cut -f1-4,6- | LC_ALL=C sort -t$'\t' -k1,1n -k2,2 -k3,3 >"$dir/want"
expect 0 "" list --found "$dir/case"
diff "$dir/want" "$dir/out" >"$dir/diff" || fail "other hits than the searches told: $(head -5 "$dir/diff")"
[ "$(cut -f4 "$dir/out" | grep -cvx -e -)" -gt 0 ] || fail "no hit lies in an object"
awk -F'\t' '$2 == "needle" && $3 == "utf-8" || $2 ~ /^item/ { print $1 ":" $6 }' "$dir/out" >"$dir/ours"
LC_ALL=C grep -obUaE 'needle|item-[0-9]+' "$dir/image.raw" >"$dir/theirs"
cmp -s "$dir/ours" "$dir/theirs" || fail "grep finds others: $(diff "$dir/ours" "$dir/theirs" | head -3)"

cut -f1,2,3,5,6 "$dir/out" >"$dir/columns"
expect 0 "" list --found --json "$dir/case"
python3 - "$dir/out" "$dir/columns" "$dir/image.raw" <<'PY' || fail "list --found --json"
import json, sys
hits = json.load(open(sys.argv[1]))
lines = ["\t".join([str(h["offset"]), h["keyword"], h["encoding"], h["context"], h["match"]]) for h in hits]
assert lines == open(sys.argv[2]).read().splitlines()
assert {h["image"] for h in hits} == {sys.argv[3]} and {h["kind"] for h in hits} == {"keyword", "regex", "feature"}
PY

# The image was moved; another one than that of the case; what does not go together.
mv "$dir/image.raw" "$dir/moved.raw"
expect 3 "No such file" list --found "$dir/case"
expect 0 "" list --found --image "$dir/moved.raw" "$dir/case"
cmp -s "$dir/out" "$dir/want" || fail "other hits in the image's new place"
expect 2 "leave out" list --found --types jpg "$dir/case"
expect 2 "leave out" list --found --features "$dir/case"
expect 2 "leave out" list --found --digest "$dir/case"
expect 2 "leave out" list --found --likely "$dir/case"
expect 2 "of --features and --found" list --image "$dir/moved.raw" "$dir/case"

# What a case file says is not trusted: hits outside of the image, encodings that nobody knows, very long hits.
mv "$dir/moved.raw" "$dir/image.raw"
python3 - "$dir/case" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
ids = [r[0] for r in db.execute("SELECT id FROM signatures WHERE origin LIKE '% %' AND id IN (SELECT signature_id FROM hits) AND (origin LIKE 'keyword %' OR origin LIKE 'regex %')")]
db.execute("UPDATE signatures SET origin = 'keyword utf-7,\x1b[2J', name = '\x1b[2J' || name WHERE id = ?", (ids[0],))
last = db.execute("SELECT max(id) FROM hits").fetchone()[0]
for n, (offset, len_) in enumerate([(2**62, 9), (0, 2**32 - 1), (1 << 20, 1), ((1 << 20) - 1, 2), (5, 10**6)]):
    db.execute("INSERT OR IGNORE INTO patterns (image_id, signature_id, len, footer) VALUES (1, ?, ?, 0)", (ids[1], len_))
    db.execute("INSERT INTO matches SELECT id, ?, ? FROM patterns WHERE signature_id = ? AND len = ?", (offset, last + 1 + n, ids[1], len_))
db.commit()
PY
expect 0 "" list --found "$dir/case"
[ "$(wc -l <"$dir/out")" -ge "$(wc -l <"$dir/want")" ] || fail "hits are gone: $(wc -l <"$dir/out")"
! grep -q "$(printf '\x1b')" "$dir/out" || fail "an escape sequence of the case file reaches the terminal"
finish
