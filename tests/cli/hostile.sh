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
