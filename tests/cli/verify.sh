#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/verify.sh - `burin verify` tells a whole case file from a damaged one, and from one whose log or rows were
# changed; the images of a case from others; and an image whose bytes its container's hashes do not fit.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
last=$(sqlite3 -readonly "$dir/case" "SELECT id || ' ' || hash FROM log ORDER BY id DESC LIMIT 1")
burin verify "$dir/case"
[ "$status" -eq 0 ] || fail "verify of a whole case file: status $status: $(cat "$dir/out" "$dir/err")"
grep -qF "the chain of ${last% *} entries holds; the hash of the last one is ${last#* }" "$dir/out" || fail "verify: $(cat "$dir/out")"
burin verify --json "$dir/case"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert a["log_holds"] and a["pages"] == "whole" and a["log_last_hash"] == sys.argv[2], a' \
    "$dir/out" "${last#* }" || fail "verify --json: $(cat "$dir/out")"

# An entry is changed behind the back of the triggers.
triggers=$(sqlite3 -readonly "$dir/case" "SELECT group_concat(sql, '; ') FROM sqlite_schema WHERE type = 'trigger'")
tamper() { # SQL
    sqlite3 "$dir/case" "DROP TRIGGER log_insert; DROP TRIGGER log_update; DROP TRIGGER log_delete; $1; $triggers"
}
cp "$dir/case" "$dir/kept"
cp "$dir/case.seal" "$dir/kept.seal"
tamper "UPDATE log SET text = 'another' WHERE id = 1"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "broken at entry 1 of" "$dir/out" || fail "a changed entry: status $status: $(cat "$dir/out")"
expect 0 "the chain of its log is broken at entry 1" carve --quiet --out "$dir/carved" "$dir/case"
[ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM log WHERE text LIKE 'the chain of the log is broken at entry 1:%'")" = 1 ] || fail "carve does not note it"
cp "$dir/kept" "$dir/case"
tamper "DELETE FROM log WHERE id = 2"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "broken at entry 3 of" "$dir/out" || fail "a removed entry: status $status: $(cat "$dir/out")"

# Rows that refer to nothing, and a damaged page.
cp "$dir/kept" "$dir/case"
sqlite3 "$dir/case" "PRAGMA foreign_keys = OFF; INSERT INTO contents (object_id) VALUES (99999)"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "a row of table contents refers to a row that is missing" "$dir/out" || fail "a lost row: status $status: $(cat "$dir/out")"
cp "$dir/kept" "$dir/case"
page=$(sqlite3 -readonly "$dir/case" "SELECT rootpage FROM sqlite_schema WHERE name = 'objects_by_offset'")
printf '\377\377\377' | dd of="$dir/case" bs=1 seek=$(((page - 1) * 4096 + 3)) conv=notrunc status=none
burin verify "$dir/case"
[ "$status" -eq 1 ] || [ "$status" -eq 3 ] || fail "a damaged page: status $status: $(cat "$dir/out" "$dir/err")"
expect 3 "No such file" verify "$dir/none"
expect 2 "CASE" verify

# The seal: rows that were changed, the file beside it, a command that was killed.
fresh() {
    rm -f "$dir/case" "$dir/case-wal" "$dir/case-shm"
    cp "$dir/kept" "$dir/case"
    cp "$dir/kept.seal" "$dir/case.seal"
}
fresh
expect 0 "" verify "$dir/case"
grep -qE "^seal: the [0-9]+ rows are those of log entry ${last% *}$" "$dir/out" || fail "the seal of a whole case file: $(cat "$dir/out")"
for change in "UPDATE objects SET reason = 'x' WHERE id = (SELECT min(id) FROM objects)" "DELETE FROM matches WHERE id = (SELECT max(id) FROM matches WHERE id NOT IN (SELECT id FROM objects))" \
    "UPDATE runs SET user = 'somebody'" "UPDATE matches SET pattern_id = (SELECT max(id) FROM patterns) WHERE id = 7" "UPDATE patterns SET len = len + 1 WHERE id = 1" "INSERT INTO bad_ranges (image_id, run_id, offset, len, cause, source, status) VALUES (1, 1, 0, 512, 5, 'read', '-')" "UPDATE image_samples SET len = len - 1 WHERE offset = 0"; do
    fresh
    sqlite3 "$dir/case" "$change"
    burin verify "$dir/case"
    [ "$status" -eq 1 ] && grep -q "^seal: broken: the rows are not those that were sealed by log entry ${last% *}$" "$dir/out" || fail "$change: status $status: $(cat "$dir/out" "$dir/err")"
done
fresh
sqlite3 "$dir/case" "CREATE TABLE mine (a); INSERT INTO mine VALUES (1.5); VACUUM" # somebody's own
expect 0 "" verify "$dir/case"
sed -i 's/hash ./hash _/' "$dir/case.seal"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "case.seal is not of this case file, or the log was changed" "$dir/out" || fail "another seal: status $status: $(cat "$dir/out")"
rm "$dir/case.seal"
expect 0 "" verify --json "$dir/case"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert (a["seal"], a["seal_file"]) == ("holds", "missing"), a' "$dir/out" || fail "no seal beside it: $(cat "$dir/out")"
fresh
expect 0 "" search --quiet --case "$dir/case" "$image" PNG
cp "$dir/kept.seal" "$dir/case.seal"
expect 0 "" verify "$dir/case"
grep -q "case.seal is that of entry ${last% *}$" "$dir/out" || fail "an older seal: $(cat "$dir/out")"
if [ -n "${SHIM:-}" ]; then
    for writes in {2..60}; do # some time behind its first entry
        fresh
        LD_PRELOAD=$SHIM SHIM_KILL=$writes "$BURIN" search --quiet --case "$dir/case" "$image" PNG >"$dir/out" 2>"$dir/err" </dev/null
        [ $? -eq 137 ] || break
        [ "$(sqlite3 "$dir/case" 'SELECT max(id) FROM log')" = "${last% *}" ] || break
    done
    expect 0 "" verify "$dir/case"
    grep -q "^seal: a command wrote to it behind the seal, entry ${last% *}, and did not come to its end" "$dir/out" || fail "a search that was killed: $(cat "$dir/out")"
fi

# The image: as it was, changed, another one, not there, elsewhere.
fresh
expect 0 "" verify --json "$dir/case"
python3 - "$dir/out" "$dir/case" <<'PY' || fail "the image: $(cat "$dir/out")"
import json, sqlite3, sys
a, = json.load(open(sys.argv[1]))["images"]
objects = sqlite3.connect(sys.argv[2]).execute("SELECT count(*) FROM objects WHERE crc64 IS NOT NULL").fetchone()[0]
assert a["there"] and a["size_same"] and a["fingerprint_changed"] == 0 < a["fingerprint_blocks"], a
assert a["objects_changed"] == 0 and a["objects_checked"] == objects > 10, (a, objects)
PY
offset=$(sqlite3 -readonly "$dir/case" "SELECT offset + len / 2 FROM objects WHERE crc64 IS NOT NULL ORDER BY offset DESC LIMIT 1")
object=$(sqlite3 -readonly "$dir/case" "SELECT id FROM objects WHERE crc64 IS NOT NULL ORDER BY offset DESC LIMIT 1")
cp "$image" "$dir/changed.raw"
flip "$dir/changed.raw" "$offset"
burin verify --image "$dir/changed.raw" "$dir/case"
[ "$status" -eq 1 ] && grep -q "object $object at offset .* changed since the scan" "$dir/out" || fail "a changed byte: status $status: $(cat "$dir/out" "$dir/err")"
grep -qE ": [0-9]+ of [0-9]+ objects were read again: [1-9][0-9]* changed since the scan" "$dir/out" || fail "a changed byte: $(cat "$dir/out")"
printf x >>"$dir/changed.raw"
burin verify --image "$dir/changed.raw" "$dir/case"
[ "$status" -eq 1 ] && grep -q "bytes, and had $(stat -c %s "$image") when it was scanned" "$dir/out" || fail "another size: status $status: $(cat "$dir/out")"
expect 3 "--image is given 2 times, but the case has 1 images" verify --image "$image" --image "$image" "$dir/case"
[ ! -s "$dir/out" ] || fail "a refused verify prints: $(cat "$dir/out")"
mv "$image" "$dir/moved.raw"
burin verify "$dir/case"
[ "$status" -eq 0 ] && grep -q "^image 1: $image: not there, and not compared; --image PATH says where it is now$" "$dir/out" || fail "no image: status $status: $(cat "$dir/out")"
expect 0 "" verify --image "$dir/moved.raw" "$dir/case"
grep -qE "^image 1: $dir/moved.raw: the [0-9]+ blocks of its fingerprint are the same$" "$dir/out" || fail "an image elsewhere: $(cat "$dir/out")"
expect 3 "$dir/none: No such file" verify --image "$dir/none" "$dir/case"

# What an image and a case file are.
expect 0 "" info "$dir/moved.raw"
[ "$(head -5 "$dir/out")" = "$(printf 'image\t%s\nformat\traw\nsize\t%s\nsector\t512\nparts\t1' "$dir/moved.raw" "$(stat -c %s "$dir/moved.raw")")" ] || fail "info IMAGE: $(cat "$dir/out")"
expect 0 "" info --json "$dir/case"
python3 - "$dir/out" "$dir/case" <<'PY' || fail "info --json CASE: $(cat "$dir/out")"
import json, sqlite3, sys
a = json.load(open(sys.argv[1]))
ask = lambda sql: sqlite3.connect(sys.argv[2]).execute(sql).fetchone()
assert (a["seal"],) == ask("SELECT hash FROM log WHERE kind = 'seal'"), a
image, = a["images"]
assert (image["image"], image["size"]) == ask("SELECT path, size FROM images") and (image["hits"],) == ask("SELECT count(*) FROM hits"), image
PY
expect 2 "a table of this build has no IMAGE" info --types "$dir/case"
expect 2 "--image-type x: there is no such type" info --image-type x "$dir/moved.raw"
expect 2 "--image-type raw: no IMAGE is given" info --image-type raw
expect 3 "No such file" info "$dir/none"

# An image by itself.
expect 3 "moved.raw: raw: the image has no hash of its own" verify "$dir/moved.raw"
expect 2 "unexpected word" verify "$dir/moved.raw" "$dir/case"
expect 3 "no case file; --image belongs to one" verify --image "$dir/case" "$dir/moved.raw"
command -v ewfacquire >/dev/null || skip "no ewfacquire"
truncate -s %512 "$dir/moved.raw"
ewfacquire -u -q -t "$dir/good" -d sha1 -c none "$dir/moved.raw" >/dev/null 2>&1 || fail "ewfacquire"
md5=$(md5sum <"$dir/moved.raw" | cut -c 1-32) sha1=$(sha1sum <"$dir/moved.raw" | cut -c 1-40)
expect 0 "" verify --quiet "$dir/good.E01"
[ "$(cat "$dir/out")" = "$dir/good.E01: md5 $md5, as the image says
$dir/good.E01: sha1 $sha1, as the image says" ] || fail "an E01: $(cat "$dir/out")"
expect 0 "" verify --json "$dir/good.E01"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert a["filled"] == 0 and [h["digest"] for h in a["hashes"]] == sys.argv[2:], a' "$dir/out" "$md5" "$sha1" ||
    fail "verify --json of an E01: $(cat "$dir/out")"
expect 0 "" info "$dir/good.E01"
grep -qx "md5	$md5" "$dir/out" && grep -q "^format	E01" "$dir/out" || fail "info of an E01: $(cat "$dir/out")"
# A byte of a chunk: its own checksum is wrong, so zeros stand for the chunk, and the hash is another one.
python3 - "$dir/good.E01" <<'PY'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = next(i for i in range(200000, len(data), 512) if 0 not in data[i:i + 64])
data[at] ^= 1
open(sys.argv[1], "wb").write(data)
PY
burin verify --quiet "$dir/good.E01"
[ "$status" -eq 1 ] && grep -qE "md5 [0-9a-f]+, and the image says $md5: its bytes are not" "$dir/out" && grep -qE "zeros stand for [0-9]+ bytes" "$dir/out" ||
    fail "a changed E01: status $status: $(cat "$dir/out" "$dir/err")"
burin scan --quiet --hash stored --case "$dir/ewf" "$dir/good.E01"
burin verify "$dir/ewf"
[ "$status" -eq 1 ] && grep -qE "^image 1: md5 [0-9a-f]+ \(zeros stand for .*\), and its container has another one$" "$dir/out" || fail "the case of a changed E01: status $status: $(cat "$dir/out")"
expect 0 "" info "$dir/ewf"
grep -qx "md5	$md5" "$dir/out" && grep -qE "^md5 of the scan	[0-9a-f]{32} \(zeros stand" "$dir/out" || fail "info of the case of an E01: $(cat "$dir/out")"
finish
