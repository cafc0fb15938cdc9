#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/digest.sh - `burin list --digest`: one hash over all that scans stored.
#
# Method: the lines of docs/reference/case-file.md, "The digest", are made again with Python's sqlite3 from the tables, column by column,
# and hashed with sha256sum. The digest must not depend on how an image was scanned, and must differ when any value differs.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
head -c 900000 "$image" >"$dir/second.raw"
mkdir "$dir/frags"
dd if="$image" of="$dir/frags/it's" bs=512 skip=8 count=400 status=none
dd if="$image" of="$dir/frags/b" bs=512 skip=1000 count=40 status=none
expect 0 "" known build --quiet --files --block 512 --bad "$dir/blocks" "$dir/frags"
dd if="$image" of="$dir/gif" bs=1 skip=20483 count=2621 status=none # make_image.py: a whole GIF
sha256sum "$dir/gif" >"$dir/sums"
expect 0 "" known build --quiet --good "$dir/files" "$dir/sums"

cat >"$dir/lines.py" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
first = dict(db.execute("SELECT image_id, min(id) FROM hits GROUP BY image_id"))
image_of = dict(db.execute("SELECT id, image_id FROM objects"))
signature = {row[0]: row[1:] for row in db.execute("SELECT id, number, name FROM signatures")}
content = dict(db.execute("SELECT id, sha256 FROM known_sets"))
def put(*values):
    text = [values[0]]
    for value in values[1:]:
        text.append("NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'")
    sys.stdout.buffer.write("|".join(text).encode() + b"\n")
for id, image, s, offset, len_, footer in db.execute("SELECT id, image_id, signature_id, offset, len, footer FROM hits ORDER BY id"):
    put("hit", image, id - first[image], *signature[s], offset, len_, footer)
for id, image, s, *rest in db.execute("""SELECT id, image_id, signature_id, type, extension, state, reason, validated, proven, container,
        offset, len, name, slack, crc64 FROM objects ORDER BY id"""):
    put("object", image, id - first[image], signature[s][0], *rest)
for id, *rest in db.execute("SELECT object_id, number, offset, len FROM extents ORDER BY 1, 2"):
    put("extent", image_of[id], id - first[image_of[id]], *rest)
for id, parent, *rest in db.execute("SELECT object_id, parent_id, state, len, reason, crc64 FROM nested ORDER BY 1"):
    one = first[image_of[id]]
    put("nested", image_of[id], id - one, None if parent is None else parent - one, *rest)
for id, *rest in db.execute("SELECT object_id, key, value, number, reach FROM facts ORDER BY 1, 2"):
    put("fact", image_of[id], id - first[image_of[id]], *rest)
for id, sha256, *rest in sorted((id, content[set_id], *rest)
                                for id, set_id, *rest in db.execute("SELECT object_id, set_id, digest, coalesce(name, '') FROM known_objects")):
    put("known-object", image_of[id], id - first[image_of[id]], sha256, rest[0], rest[1] or None)
for image, offset, len_, sha256, *rest in sorted((image, offset, len_, content[set_id], *rest) for image, offset, len_, set_id, *rest in
        db.execute("SELECT image_id, offset, len, set_id, digest, coalesce(name, ''), source FROM known_blocks")):
    put("known-block", image, offset, len_, sha256, rest[0], rest[1] or None, rest[2])
for row in db.execute("SELECT image_id, offset, len, cause, source, status FROM bad_ranges ORDER BY 1, 2, 3, 4, 5, 6"):
    put("bad-range", *row)
PY
by_hand() { python3 "$dir/lines.py" "$1" | sha256sum | cut -c1-64; }
digest() {
    expect 0 "" list --quiet --digest "$1"
    cat "$dir/out"
}

scan=(scan --quiet --all-hits --known "$dir/blocks" --known "$dir/files" --known-step 512)
expect 0 "" "${scan[@]}" --case "$dir/case" "$image" "$dir/second.raw"
sqlite3 "$dir/case" "INSERT INTO bad_ranges (image_id, run_id, offset, len, cause, source, status) VALUES (1, 1, 8192, 512, 5, 'read', '-'),
    (1, 1, 4096, 1024, 0, 'checksum', '-')"
for table in hits objects extents nested facts known_objects known_blocks bad_ranges; do
    [ "$(sqlite3 "$dir/case" "SELECT count(*) > 0 FROM $table")" = 1 ] || fail "nothing in $table: a test of nothing"
done
first=$(digest "$dir/case")
grep -qxE '[0-9a-f]{64}' <<<"$first" || fail "no hash: $first"
[ "$first" = "$(by_hand "$dir/case")" ] || fail "the digest is $first, and by hand $(by_hand "$dir/case")"

# Another way of scanning, another path, and a case in which much else was done: the same.
cp "$image" "$dir/moved.raw"
expect 0 "" "${scan[@]}" --case "$dir/plain" "$image" "$dir/second.raw"
plain=$(digest "$dir/plain")
[ "$plain" != "$first" ] || fail "bad ranges are not in the digest"
for how in "--threads 1" "--threads 5 --segment 64K" "--devices none" "--devices auto --device-delay 0" "--engine ac --segment 1M --io pread" "--io cache"; do
    # shellcheck disable=SC2086
    expect 0 "" "${scan[@]}" $how --case "$dir/again" "$dir/moved.raw" "$dir/second.raw"
    [ "$(digest "$dir/again")" = "$plain" ] || fail "scan $how: another digest"
    [ "$(by_hand "$dir/again")" = "$plain" ] || fail "scan $how: another digest by hand"
    rm "$dir/again"
done
expect 0 "" carve --quiet --out "$dir/files.out" "$dir/plain"
[ "$(digest "$dir/plain")" = "$plain" ] || fail "carve changes the digest"
# The ids of images that are scanned after each other begin where those before them end.
expect 0 "" "${scan[@]}" --case "$dir/alone" "$dir/second.raw"
[ "$(python3 "$dir/lines.py" "$dir/alone" | sed 's/^\([a-z-]*\)|1|/\1|2|/')" = "$(python3 "$dir/lines.py" "$dir/plain" | grep -E '^[a-z-]*\|2\|')" ] ||
    fail "the lines of an image depend on those before it"

# Each value counts. All changed case files are read by hand at once: a start of Python takes longer than the lines.
changes=0
while read -r change; do
    changes=$((changes + 1))
    cp "$dir/case" "$dir/changed.$changes"
    echo "$change" >"$dir/change.$changes"
    sqlite3 "$dir/changed.$changes" "PRAGMA ignore_check_constraints = ON; $change" || fail "cannot do: $change"
done <<'SQL'
UPDATE matches SET offset = offset + 1 WHERE id = 7
UPDATE matches SET pattern_id = (SELECT max(id) FROM patterns) WHERE id = 7
UPDATE patterns SET len = len + 1 WHERE id = (SELECT pattern_id FROM matches WHERE id = 7)
UPDATE patterns SET footer = 1 - footer WHERE id = (SELECT pattern_id FROM matches WHERE id = 7)
UPDATE patterns SET signature_id = signature_id + 1 WHERE id = (SELECT pattern_id FROM matches WHERE id = 7)
DELETE FROM matches WHERE id = (SELECT max(id) FROM matches)
UPDATE objects SET type = 'it''s' WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET extension = '' WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET state = 'footer' WHERE id = (SELECT min(id) FROM objects)
UPDATE objects SET reason = reason || char(10) WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET validated = 1 - validated WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET proven = 1 - proven WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET container = 1 - container WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET offset = offset - 1 WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET len = len - 1 WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET slack = 3 - slack WHERE id = (SELECT max(id) FROM objects)
UPDATE objects SET crc64 = NULL WHERE id = (SELECT min(id) FROM objects)
UPDATE extents SET len = len + 1 WHERE object_id = (SELECT max(id) FROM objects)
UPDATE nested SET parent_id = (SELECT min(id) FROM objects) - 1 + 1 WHERE object_id = (SELECT max(object_id) FROM nested WHERE parent_id IS NOT NULL)
UPDATE nested SET len = 1 WHERE object_id = (SELECT max(object_id) FROM nested)
UPDATE facts SET number = NULL WHERE object_id = (SELECT max(object_id) FROM facts) AND key = 'width'
UPDATE facts SET value = value || 'x' WHERE object_id = (SELECT min(object_id) FROM facts) AND key = 'width'
UPDATE facts SET key = 'x' WHERE object_id = (SELECT min(object_id) FROM facts) AND key = 'width'
UPDATE facts SET reach = reach + 1 WHERE object_id = (SELECT min(object_id) FROM facts) AND key = 'height'
UPDATE known_objects SET digest = 'ab'
UPDATE known_blocks SET len = len + 512
UPDATE known_blocks SET name = 'it''s' WHERE offset = (SELECT min(offset) FROM known_blocks)
UPDATE bad_ranges SET source = 'acquisition' WHERE offset = 4096
UPDATE bad_ranges SET cause = 0 WHERE offset = 8192
UPDATE bad_ranges SET status = '*' WHERE offset = 8192
SQL
for ((i = 1; i <= changes; i++)); do
    digest "$dir/changed.$i" >"$dir/digest.$i"
    [ "$(cat "$dir/digest.$i")" != "$first" ] || fail "the same digest after: $(cat "$dir/change.$i")"
done
python3 - "$dir" "$changes" <<'PY' >"$dir/by_hand" || fail "lines by hand"
import contextlib, hashlib, io, runpy, sys
folder = sys.argv[1]
for i in range(1, int(sys.argv[2]) + 1):
    out = io.TextIOWrapper(io.BytesIO())
    sys.argv = ["", f"{folder}/changed.{i}"]
    with contextlib.redirect_stdout(out):
        runpy.run_path(folder + "/lines.py")
    print(i, hashlib.sha256(out.buffer.getvalue()).hexdigest())
PY
[ "$(wc -l <"$dir/by_hand")" = "$changes" ] || fail "lines by hand: $(tail -1 "$dir/by_hand")"
while read -r i want; do
    [ "$(cat "$dir/digest.$i")" = "$want" ] || fail "another digest by hand after: $(cat "$dir/change.$i")"
done <"$dir/by_hand"

expect 2 "leave out" list --digest --json "$dir/case"
expect 2 "leave out" list --digest --types png "$dir/case"
sqlite3 "$dir/case" "UPDATE patterns SET image_id = 3 WHERE id = (SELECT pattern_id FROM matches WHERE id = 7)"
expect 3 "table hits, .*column image_id: out of range" list --quiet --digest "$dir/case"
finish
