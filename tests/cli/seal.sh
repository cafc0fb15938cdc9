#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/seal.sh - the seal of a case file: a hash over all rows, in the log and beside the file, at the end of each command that wrote.
#
# Method: Python computes the hash as docs/reference/case-file.md says it ("The seal"), of all tables that SQLite lists.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted

# The hash and the number of rows of a case file, as they should be.
want() {
    python3 - "$1" <<'PY'
import hashlib, sqlite3, struct, sys
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
db.text_factory = bytes
h, rows = hashlib.sha256(), 0
GROUPED = ("contents", "extents", "facts", "found_in", "hits", "nested", "objects")
TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('log', 'matches') OR name = 'hits' ORDER BY name"
for (name,) in db.execute(TABLES).fetchall():
    name = name.decode()
    key = [c[1].decode() for c in sorted(db.execute("PRAGMA table_info(%s)" % name), key=lambda c: c[5]) if c[5]] or ["id"]
    h.update(name.encode() + b"\0")
    number, group = 0, None
    for row in db.execute("SELECT * FROM %s ORDER BY %s" % (name, ", ".join(key))):
        rows += 1
        if group is None or (name in GROUPED and row[0] // 4096 != number):
            if group is not None:
                h.update(b"G" + struct.pack("<q", number) + group.digest())
            number, group = row[0] // 4096 if name in GROUPED else 0, hashlib.sha256()
        group.update(b"R")
        for value in row:
            if value is None:
                group.update(b"N")
            elif isinstance(value, int):
                group.update(b"I" + struct.pack("<q", value))
            else:
                kind = b"B" if (name, len(row)) == ("resume", 3) else b"T"
                group.update(kind + struct.pack("<Q", len(value)) + value)
    if group is not None:
        h.update(b"G" + struct.pack("<q", number) + group.digest())
    h.update(b"E")
print("tables: sha256 %s, %d rows" % (h.hexdigest(), rows))
PY
}
last() { # the last entry of the log
    sqlite3 -readonly -separator ' ' "$1" "SELECT $2 FROM log ORDER BY id DESC LIMIT 1"
}
sealed() { # WHAT CASE
    [ "$(last "$2" "kind, text")" = "seal $(want "$2")" ] || fail "$1: the log ends with: $(last "$2" "kind, text"), and the rows are: $(want "$2")"
    [ "$(cat "$2.seal")" = "burin seal 2: log entry $(last "$2" id), hash $(last "$2" hash); $(want "$2")" ] || fail "$1: $(cat "$2.seal")"
    [ "$(stat -c %a "$2.seal")" = 600 ] || fail "$1: who may read the seal"
}
head -c 100000 "$image" >"$dir/file"
expect 0 "" known build --quiet --files --names "$dir/set" "$dir/file"
expect 0 "" scan --quiet --known "$dir/set" --hash md5 --case "$dir/case" "$image"
sealed "a scan" "$dir/case"
sqlite3 -readonly "$dir/case" "SELECT text FROM log WHERE kind = 'note'" |
    grep -qE '^stages: begin [0-9.]+ s, parts [0-9.]+ s, objects .*, rows .*, containment .*, file systems .*, files in pieces .*, places [0-9.]+ s$' ||
    fail "the log does not say how long the stages took"
expect 0 "" search --quiet --case "$dir/case" "$image" PNG
sealed "a search" "$dir/case"
expect 0 "" carve --quiet --out "$dir/out.carved" "$dir/case"
sealed "carve" "$dir/case"
cp "$image" "$dir/second.raw"
expect 0 "" scan --quiet --case "$dir/two" "$image" "$dir/second.raw"
sealed "two images" "$dir/two"
[ "$(sqlite3 -readonly "$dir/two" "SELECT count(*) FROM log WHERE kind = 'seal'")" = 1 ] || fail "two images have one seal"

# What people note is the hash of the entry that seals.
burin scan --force --case "$dir/case" "$image"
grep -q "the log ends with entry $(last "$dir/case" "id || ', hash ' || hash")" "$dir/err" || fail "the end of a scan: $(cat "$dir/err")"
grep -q "^burin seal 2: log entry" "$dir/case.old.1.seal" || fail "the seal of a case file that was moved aside: $(ls "$dir")"
sealed "a scan with --force" "$dir/case"

# Where there are many rows, several threads read them.
python3 - "$dir/many.raw" "$cli" <<'PY' || exit 1
import sys
sys.path.insert(0, sys.argv[2])
import samples
open(sys.argv[1], "wb").write(samples.png(1, 1, 1) * 12000)
PY
for cpus in 1 3; do
    rm -f "$dir/manycase"*
    BURIN_CPUS=$cpus burin scan --quiet --case "$dir/manycase" "$dir/many.raw"
    check 0 "" "a scan of 12,000 pictures"
    [ "$(sqlite3 -readonly "$dir/manycase" "SELECT count(*) FROM objects")" -eq 12000 ] || fail "not all pictures are found"
    sealed "many rows, processors: $cpus" "$dir/manycase"
done
ln "$dir/many.raw" "$dir/more.raw"
expect 0 "" scan --quiet --case "$dir/manycase" "$image" "$dir/more.raw" # hits are hashed as they are found: those behind others, too
sealed "many rows behind others" "$dir/manycase"

# It depends on the rows, and not on the file.
sqlite3 "$dir/case" "VACUUM"
sealed "VACUUM" "$dir/case"
before=$(want "$dir/case")
sqlite3 "$dir/case" "UPDATE objects SET reason = reason || ' ' WHERE id = (SELECT max(id) FROM objects)"
[ "$(want "$dir/case")" != "$before" ] || fail "a row that was changed"

# A seal of a schema before 17 was made otherwise, and its line says so: it is still known as that of its entry.
cp "$dir/two" "$dir/older" && sed 's/^burin seal 2:/burin seal 1:/' "$dir/two.seal" >"$dir/older.seal"
sqlite3 "$dir/older" "CREATE TABLE rows AS SELECT * FROM hits; DROP VIEW v_hits; DROP VIEW hits; DROP TABLE matches; DROP TABLE patterns;
    CREATE TABLE hits (id INTEGER PRIMARY KEY, image_id INTEGER NOT NULL, signature_id INTEGER NOT NULL, offset INTEGER NOT NULL, len INTEGER NOT NULL,
    footer INTEGER NOT NULL); INSERT INTO hits SELECT id, image_id, signature_id, offset, len, footer FROM rows; DROP TABLE rows;
    DROP TABLE linked_nested; PRAGMA user_version = 16"
expect 0 "" verify --json "$dir/older"
grep -q '"seal_file": "same"' "$dir/out" || fail "a seal of an older schema: $(cat "$dir/out")"
sed 's/hash [0-9a-f]*/hash 0/' "$dir/two.seal" >"$dir/older.seal"
burin verify "$dir/older"
[ "$status" = 1 ] && grep -q "older.seal is not of this case file" "$dir/out" || fail "a line with another hash: status $status: $(cat "$dir/out")"

# A scan that fails, or is stopped, is sealed too; one whose process is killed is not.
for _ in {1..3}; do cat "$image"; done >"$dir/long.raw"
for hundredths in $(seq 5 7 999); do
    rm -f "$dir/case"*
    timeout --preserve-status -s INT "$((hundredths / 100)).$(printf %02d $((hundredths % 100)))" "$BURIN" scan --quiet --threads 1 --part-size 64K --engine naive --case "$dir/case" "$dir/long.raw" \
        </dev/null >/dev/null 2>&1
    [ $? = 130 ] && [ "$(sqlite3 -readonly "$dir/case" "SELECT status FROM runs" 2>/dev/null)" = interrupted ] && break
done
[ "$(sqlite3 -readonly "$dir/case" "SELECT status FROM runs")" = interrupted ] || fail "no scan was stopped"
sealed "a scan that was stopped" "$dir/case"

# A command signs it: with the name of the seal behind its own words, outside of the jail, after the seal was written.
cat >"$dir/sign" <<'SH'
#!/bin/sh
[ "$1" = "-k" ] || exit 3
cat "$3" >"$3.sig" && echo "signed by $2"
SH
chmod +x "$dir/sign"
status=0
"$BURIN" scan --quiet --force --sign "'$dir/sign' -k 'my key'" --case "$dir/case" "$image" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
check 0 "signed by my key" "scan --sign"
[ ! -s "$dir/out" ] || fail "scan --sign writes to standard output: $(cat "$dir/out")"
cmp -s "$dir/case.seal" "$dir/case.seal.sig" || fail "scan --sign: another seal was signed"
rm "$dir/case.seal.sig"
expect 0 "signed by x" search --quiet --sign "$dir/sign -k x" --case "$dir/case" "$image" PNG
cmp -s "$dir/case.seal" "$dir/case.seal.sig" || fail "search --sign: another seal was signed"
expect 0 "signed by x" carve --quiet --sign "$dir/sign -k x" --out "$dir/signed" "$dir/case"
cmp -s "$dir/case.seal" "$dir/case.seal.sig" || fail "carve --sign: another seal was signed"
expect 4 "scan: --sign exit 7;: the command ended with status 7; .*case.seal is there, and can be signed by hand" scan --quiet --force --sign "exit 7;" --case "$dir/case" "$image"
sealed "a scan whose seal was not signed" "$dir/case"
expect 2 "--sign: no command" scan --sign " " --case "$dir/none" "$image"
expect 3 "" scan --quiet --sign "touch '$dir/ran'" --case "$dir/none" "$dir/missing"
[ ! -e "$dir/ran" ] && [ ! -e "$dir/none.seal" ] || fail "what was never scanned was signed"

# What stands where the seal goes is left alone.
echo "my notes" >"$dir/new.seal"
expect 3 "new.seal: no file that belongs to a case file" scan --quiet --case "$dir/new" "$image"
rm "$dir/new.seal"
ln -s "$dir/target" "$dir/new.seal"
expect 3 "new.seal: not a file" scan --quiet --case "$dir/new" "$image"
[ ! -e "$dir/target" ] && [ ! -e "$dir/new" ] || fail "a link where the seal goes was followed"
finish
