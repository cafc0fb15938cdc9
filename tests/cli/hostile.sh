#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/hostile.sh - what a case file, an image and its name say is shown as text, in every output of every command: no escape for a
# terminal, no mark that turns the direction, no line end of theirs, no byte that is no UTF-8; and lies about lengths and parents end.
. "$(dirname "$0")/lib.sh"

# An image with a hostile name, and pictures in it with hostile titles (PNG, 11.3.4.3: tEXt is Latin-1, iTXt UTF-8).
image=$dir/$(printf 'disk\033[2J\nx\xe2\x80\xaegnp\xff.raw')
python3 - "$image" <<'PY'
import os, struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def png(number, texts):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1 + number, 8, 0, 0, 0, 0)) + texts
            + chunk(b"IDAT", zlib.compress(b"\0\7" * (1 + number))) + chunk(b"IEND", b""))
evil = ["\x1b]0;x\x07", "a\nb\rc\td", "\u202egnp.exe", "\u2028\u2029\ufeff", "</script><script>alert(1)</script>", '"],"x":[', "=1+1", "\x9b2J", "a|b", "\x7f"]
with open(os.fsencode(sys.argv[1]), "wb") as out:
    for number, text in enumerate(evil):
        out.seek(4096 * number)
        out.write(png(number, chunk(b"iTXt", b"Title\0\0\0\0\0" + text.encode()) + chunk(b"tEXt", b"Author\0" + text.encode("latin-1", "replace"))))
    out.write(b"\x1b[31mKEYWORD\r\n\x1b[0m \xe2\x80\xae mail: x\x1b@example.org a@example.org\n")
    out.truncate(1 << 20)
PY
case=$dir/case

# seen WORD...: the command ends with 0, 1 or 3, and everything that it prints may be looked at on a terminal; that is looked at behind
# all commands, at once.
said=0
mkdir "$dir/said"
seen() {
    burin "$@"
    [ "$status" -le 1 ] || [ "$status" -eq 3 ] || fail "burin $*: status $status: $(head -c 300 "$dir/err")"
    said=$((said + 1))
    cat "$dir/out" "$dir/err" >"$dir/said/$said $1 $(basename "${*: -1}" | tr -cd a-z0-9)"
}
cat >"$dir/seen.py" <<'PY'
import os, re, sys
hidden = re.compile("[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\r(?!\n)")
for name in sorted(os.listdir(sys.argv[1])):
    data = open(os.path.join(sys.argv[1], name), "rb").read()
    text = data.decode(errors="surrogateescape")
    for bad in list(hidden.finditer(text)) + list(re.finditer("[\ud800-\udfff]", text)):
        print(f"{name}: {ascii(text[max(0, bad.start() - 60):bad.end() + 20])}")
        break
PY
expect 0 "" scan --quiet --case "$case" "$image"
[ "$(sqlite3 -readonly "$case" "SELECT count(DISTINCT object_id) FROM facts WHERE key IN ('title', 'author')")" -ge 8 ] || fail "the titles were not read"
cp "$case" "$dir/lies"
# A case file that lies: of types, reasons, places, runs; of lengths, and of parents that lie in one another.
python3 - "$dir/lies" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
trigger = db.execute("SELECT sql FROM sqlite_master WHERE name = 'log_update'").fetchone()[0]
db.execute("DROP TRIGGER log_update")
evil = ["\x1b[2J", "a\nb", "\u202egnp", "\r", "\u2028", "../../x", "/etc/passwd", "\x9b1m", "-rf", ""]
ids = [row[0] for row in db.execute("SELECT id FROM objects ORDER BY id")]
for number, (at, text) in enumerate(zip(ids, evil)):
    db.execute("UPDATE objects SET type = ?, extension = ?, reason = ? WHERE id = ?", (text, text, text, at))
    db.execute("INSERT OR REPLACE INTO found_in (object_id, kind, slot, file_system, path, inode, file_offset) VALUES (?, ?, 0, ?, ?, 0, 0)", (at, text, text, text))
    db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, 1, 0)", (at, "taken", text))
    db.execute("INSERT OR REPLACE INTO nested (object_id, parent_id) VALUES (?, ?)", (at, ids[(number + 1) % len(evil)]))
db.execute("UPDATE objects SET type = CAST(x'1b5b32ff' AS TEXT) WHERE id = ?", (ids[3],))
for column in ("command_line", "version", "build", "libraries", "host", "user", "engine", "started", "ended"):
    db.execute(f"UPDATE runs SET {column} = ?", ("\x1b[2J\n\u202ex",))
db.execute("UPDATE signatures SET name = ?, origin = ?", ("\x1b[2J\n\u202ey", "\x1b[2J\n\u202ez"))
db.execute("UPDATE images SET format = ?", ("\x1b[2J\n\u202ex",))
text = "\x1b[2J\n\u202ex"
db.execute("INSERT INTO assembled VALUES (?, 1, 0, 0, NULL, NULL, NULL, 'fragmented', ?, NULL, NULL, NULL)", (ids[9], text))
pieces = db.execute("SELECT offset, len FROM objects WHERE id = ?", (ids[9],)).fetchone()
db.execute("UPDATE assembled SET len = ?", (pieces[1],))
db.executemany("INSERT INTO pieces VALUES (?, ?, ?, ?)", [(ids[9], 0, pieces[0], 20), (ids[9], 1, pieces[0] + 20, pieces[1] - 20)])
db.execute("INSERT INTO joins VALUES (?, 1, 20, ?, 30, 1, ?)", (ids[9], text, text))
db.execute("INSERT INTO image_facts VALUES (1, ?, ?)", (text, text))
db.execute("INSERT INTO volumes VALUES (1, 0, 0, ?, 0, 4096, ?, ?, ?, 0, ?)", (text,) * 5)
db.execute("INSERT INTO known_sets VALUES (1, 1, ?, ?, 'bad', 'md5', 512, 1, ?)", (text, text, "a" * 64))
db.execute("INSERT INTO known_objects VALUES (?, 1, ?, ?)", (ids[9], "b" * 32, text))
db.execute("INSERT INTO known_blocks VALUES (1, 4096, 1, 512, ?, ?, 0)", ("b" * 32, text))
db.execute("INSERT INTO triage_found VALUES (1, 0, 0, 0, ?, ?, ?)", (text, text, text))
db.execute("INSERT INTO triage_found VALUES (1, 4096, ?, ?, 'picture', 'jpg', ?)", (2**63 - 1, 2**63 - 1, text))
db.execute("UPDATE log SET text = text || ?, kind = ?", ("\x1b[2J\n\u202ex", "\x1b[2J"))
db.execute(trigger)
db.commit()
PY
cp "$dir/lies" "$dir/long"
sqlite3 "$dir/long" "UPDATE images SET size = 4611686018427387904; UPDATE objects SET len = 4294967296 WHERE id NOT IN (SELECT object_id FROM assembled);
    UPDATE extents SET len = 4294967296"
formats=$(sed -n 's/^FORMAT(\([a-z0-9]*\), .*/\1/p' "$cli/../../carver/report/formats.def")
[ "$(wc -w <<<"$formats")" -ge 10 ] || fail "the list of formats has moved"
for file in "$case" "$dir/lies" "$dir/long"; do
    seen list "$file"
    seen list --json "$file"
    seen list --place all --known good,bad,unknown,unchecked "$file"
    seen info "$file"
    seen info --json "$file"
    seen verify "$file"
    for format in $formats; do seen report --format "$format" "$file"; done
    seen carve --embedded --truncated --out "$file.out" "$file"
    [ -d "$file.out" ] || continue
    cp "$file.out/audit.txt" "$dir/said/audit of $(basename "$file")"
    cp "$file.out/report.xml" "$dir/said/report.xml of $(basename "$file")"
    find "$file.out" -printf '%P\n' >"$dir/names"
    ! grep -vE '^([a-zA-Z0-9_-][a-zA-Z0-9._-]*(/[a-zA-Z0-9_-][a-zA-Z0-9._-]*)*)?$' "$dir/names" || fail "names of files that carve wrote"
done
[ "$(find "$dir" -mindepth 2 -name '*.png' | wc -l)" -ge 10 ] || fail "carve wrote few of ten pictures"
burin list --color always "$dir/lies"
sed 's/\x1b\[[0-9;]*m//g' "$dir/out" >"$dir/said/table"
[ "$(wc -l <"$dir/said/table")" -eq "$(($(sqlite3 -readonly "$dir/lies" "SELECT count(*) FROM v_objects") + 1))" ] || fail "a text made a line of its own: $(cat -v "$dir/said/table" "$dir/err")"

# Rows of rules of YARA, of which each text and number lies: they are shown as text by list --yara, and nothing else says anything else.
mkdir "$dir/met"
cp "$case" "$dir/met/case"
python3 - "$dir/met/case" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("PRAGMA ignore_check_constraints = ON")
ids = [row[0] for row in db.execute("SELECT id FROM objects ORDER BY id")]
evil = ["\x1b[2J", "a\nb\tc\rd", "\u202egnp", "\u2028", "</script><b>", '"],"x":[', "=1+1", "\x9b1m", "a,,b,", "|", "e" * 255]
for number, text in enumerate(evil):
    db.execute("INSERT INTO yara VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)", (number, ids[number % len(ids)], text, text, text, text, (0, 2**63 - 1)[number % 2], text))
db.execute("INSERT INTO yara VALUES (1, 4294967295, 2, CAST(x'6ff0ff' AS TEXT), '', '', '', 1, '')")
db.execute("INSERT INTO yara VALUES (1, 100, ?, 'no_object', 'default', '', '', 5, '')", (2**63 - 1,))  # an object that is not there
db.execute("INSERT INTO yara VALUES (99, 0, 1, '', '', '', '', 0, ?)", ("\x1b[2J\n\u202ex",))  # a run that is not there
db.commit()
PY
seen list --yara "$dir/met/case"
[ "$(wc -l <"$dir/out")" -eq 14 ] && [ "$(cut -f 1 "$dir/out" | grep -cvE '^[0-9]+$')" -eq 0 ] || fail "a text made a line or a column of its own: $(cat -v "$dir/out")"
seen list --yara --json "$dir/met/case"
python3 - "$dir/out" "$dir/met/case" <<'PY' || fail "JSON of rules of YARA: $(cat -v "$dir/out")"
import json, sqlite3, sys
def texts(rows): # but for the row that is no UTF-8
    return sorted(row for row in rows if row[0] and row[0][0] != "o")
told = texts((r["rule"], r["namespace"], ",".join(r["tags"]), r["string"] or "", r["why"] or "", r["offset"], r["id"]) for r in json.load(open(sys.argv[1])))
db = sqlite3.connect(sys.argv[2])
db.text_factory = lambda data: data.decode(errors="replace")
assert told == texts(db.execute("SELECT rule, namespace, tags, string, why, offset, object_id FROM yara")) and len(told) == 12, told
PY
# told CASE WORD...: what the command prints, without times and what it took.
told() { (cd "$(dirname "$1")" && "$BURIN" "${@:2}" case </dev/null 2>&1 | sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z//g; /<(utime|stime|maxrss|minflt|majflt|nswap|inblock|oublock)>/d'); }
# shellcheck disable=SC2086 # names of formats
for what in "list" "list --json" "list --digest" "list --features" $(printf 'report+--format+%s ' $formats); do
    # shellcheck disable=SC2086 # its words
    cmp -s <(told "$case" ${what//+/ }) <(told "$dir/met/case" ${what//+/ }) || fail "rows of rules of YARA change what '${what//+/ }' says"
done
# A number that no row has: it is refused, with what it is.
for change in "object_id = -5" "offset = -1" "offset = 'x'" "rule = CAST(zeroblob(300) AS TEXT)" "why = printf('%.5000c', 'x')"; do
    cp "$dir/met/case" "$dir/wild"
    sqlite3 "$dir/wild" "PRAGMA ignore_check_constraints = ON; UPDATE yara SET $change WHERE number = 3 AND run_id = 1"
    seen list --yara "$dir/wild"
    [ "$status" -eq 3 ] && grep -q yara "$dir/err" || fail "yara: $change: status $status: $(cat -v "$dir/out" "$dir/err")"
done
# Nor does the run behind an audit see them, which compares with its findings.
printf '%s\n' "[audit]" "name = t" "image = $dir/audited.raw" "state = $dir/state" "[rule w]" "where = type = 'png'" >"$dir/policy"
cp "$image" "$dir/audited.raw"
burin audit --quiet "$dir/policy"
[ "$status" -eq 10 ] || fail "the first audit: $status $(cat "$dir/err")"
sqlite3 "$dir/state/run-000001.burin" "ATTACH '$dir/met/case' AS met; INSERT INTO yara SELECT * FROM met.yara WHERE run_id = 1"
for _ in 1 2; do
    burin audit --json "$dir/policy"
    [ "$status" -eq 0 ] && grep -q '"undecided": 0' "$dir/out" || fail "an audit behind such rows: $status $(cat "$dir/out" "$dir/err")"
    sed -i '$a[rule y]\nyara = '"$dir"'/png.yar' "$dir/policy"
    echo 'rule nothing { condition: false }' >"$dir/png.yar"
    "$BURIN" audit --check "$dir/policy" >/dev/null 2>&1 || break # a build without libyara
done

# What is found in the image itself, and what is not there.
cp "$case" "$dir/searched"
seen search --case "$dir/searched" "$image" KEYWORD
seen search --json --case "$dir/searched" "$image" --features email
seen search --regex 'KEYWORD.{1,8}' --context 40 --case "$dir/searched" "$image"
seen list --found "$dir/searched"
seen list --found --json "$dir/searched"
seen triage --quiet --time 1 --case "$dir/triaged" "$image"
seen info "$image"
seen identify "$image" "$image.none"
seen scan --case "$dir/again" "$image"
seen cat "$dir/lies" 999999
seen list "$image"
[ "$said" -gt 50 ] || fail "only $said commands were run"
python3 "$dir/seen.py" "$dir/said" >"$dir/found"
[ ! -s "$dir/found" ] || fail "not to be seen: $(head -20 "$dir/found")"

# The look itself: it finds what it looks for.
printf 'x\033[2J' >"$dir/said/planted"
python3 "$dir/seen.py" "$dir/said" | grep -q "^planted: " || fail "an escape is not noticed"
finish
