#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/report_formats.sh - burin report --format csv, json, dfxml, bodyfile, timesketch, sha256sum: each is read by a program that is not burin, and says
# of every object what a query on the case file says; what a hostile case file says is never a formula, a field or an element.
. "$(dirname "$0")/lib.sh"
planted
case=$dir/case
expect 0 "" scan --quiet --case "$case" "$image"
schema=$cli/../carver/dfxml/dfxml.xsd

# The query that the rows of a CSV file are compared with; where places are known, they are in it.
cat >"$dir/rows.py" <<'PY'
import csv, io, re, sqlite3, subprocess, sys
burin, case, hostile = sys.argv[1], sys.argv[2], len(sys.argv) > 3
data = subprocess.run([burin, "report", "--quiet", "--format", "csv", case], stdout=subprocess.PIPE, check=True).stdout
assert data.endswith(b"\r\n") and data.count(b"\n") == data.count(b"\r\n"), "lines end with CR LF, and none is inside of a field"
rows = list(csv.DictReader(io.StringIO(data.decode(), newline=""), strict=True))
names = [line.split(b"\t")[8].decode() for line in subprocess.run([burin, "list", "--quiet", case], stdout=subprocess.PIPE).stdout.splitlines()]
def undo(text):
    if text[:1] == "'" and text.lstrip("'")[:1] in set("=+-@"):
        text = text[1:]
    return re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
db = sqlite3.connect(f"file:{case}?mode=ro", uri=True)
db.text_factory = bytes
want = db.execute("""SELECT id, image_id, type, NULL, extension, state, reason, offset, len, replace(extents, ',', ' '),
    sha256, known, parent_id, NULL, place, partition, file_system, path, inode, file_offset,
    strftime('%Y-%m-%dT%H:%M:%SZ', file_modified, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%SZ', file_accessed, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%SZ', file_changed, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%SZ', file_created, 'unixepoch'),
    coalesce((SELECT strftime('%Y-%m-%dT%H:%M:%SZ', number, 'unixepoch') FROM facts WHERE object_id = id AND key = 'taken'),
             (SELECT strftime('%Y-%m-%dT%H:%M:%S', number, 'unixepoch') FROM facts WHERE object_id = id AND key = 'taken.local')),
    (SELECT key FROM facts WHERE object_id = id AND key LIKE 'taken%'), (SELECT value FROM facts WHERE object_id = id AND key = 'camera.make'),
    (SELECT value FROM facts WHERE object_id = id AND key = 'camera.model'), (SELECT value FROM facts WHERE object_id = id AND key = 'gps.lat'),
    (SELECT value FROM facts WHERE object_id = id AND key = 'gps.lon'), (SELECT value FROM facts WHERE object_id = id AND key = 'width'),
    (SELECT value FROM facts WHERE object_id = id AND key = 'height'), (SELECT value FROM facts WHERE object_id = id AND key = 'title'),
    (SELECT value FROM facts WHERE object_id = id AND key = 'author')
    FROM v_objects ORDER BY image_id, offset, id""").fetchall()
assert len(want) == len(rows) == len(names) > 20, (len(want), len(rows), len(names))
known = ["unchecked", "unknown", "known", "good", "bad"]
for row, fields, name in zip(want, rows, names):
    got = [undo(value) for value in fields.values()]
    for value in fields.values():
        assert not value or value[0] not in "=+-@\t\r", value
    assert undo(fields["name"]).decode() == name
    for i, value in enumerate(row):
        if i not in (3, 11, 13):
            expect = b"" if value is None else value if isinstance(value, bytes) else str(value).encode()
            assert got[i] == expect, (list(fields)[i], got[i], expect)
    assert fields["known"] == known[row[11]]
    assert hostile or {"png": "pictures", "wav": "sound", "pdf": "documents", "zip": "archives"}.get(fields["type"], fields["category"]) == fields["category"]
PY
python3 "$dir/rows.py" "$BURIN" "$case" || fail "csv"

expect 0 "" list --json "$case"
cp "$dir/out" "$dir/list"
expect 0 "" report --format json "$case"
cmp -s "$dir/out" "$dir/list" || fail "json is not what list --json prints"

# dfxml FILE CASE: valid by the working group's own schema; one name and the extents of every object.
dfxml() {
    if command -v xmllint >/dev/null; then
        xmllint --noout --nonet --schema "$schema" "$1" 2>"$dir/lint" || fail "DFXML: $(head -3 "$dir/lint")"
        xmllint --noout --nonet --schema "$cli/../carver/report.xsd" "$1" 2>"$dir/lint" || fail "DFXML: $(head -3 "$dir/lint")"
    else
        echo "not validated without xmllint"
    fi
    python3 - "$1" "$2" <<'PY' || fail "DFXML does not say what the case file says"
import sqlite3, sys, xml.etree.ElementTree as tree
space = "{http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML}"
got = []
for item in tree.parse(sys.argv[1]).getroot().iter(space + "fileobject"):
    name = item.find(space + "filename").text
    assert name
    runs = ",".join(f"{run.get('img_offset')}+{run.get('len')}" for run in item.iter(space + "byte_run"))
    got.append((int(item.find(space + "id").text), int(item.find(space + "filesize").text), runs))
db = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
want = db.execute("SELECT id, len, extents FROM v_objects ORDER BY image_id, offset, id").fetchall()
assert got == want and got, (len(got), len(want))
PY
}
expect 0 "" report --format dfxml "$case"
dfxml "$dir/out" "$case"

# No hash is on record before the objects were read again; then sha256sum finds all that carve wrote right.
expect 0 "left out: [0-9]* objects without a hash" report --format sha256sum "$case"
[ ! -s "$dir/out" ] || fail "hashes out of nothing: $(head -3 "$dir/out")"
cp "$case" "$dir/carvedcase"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/carved" "$dir/carvedcase"
expect 0 "" report --format sha256sum --out "$dir/carved.sums" "$dir/carvedcase"
[ "$(wc -l <"$dir/carved.sums")" -eq "$(sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects")" ] || fail "sha256sum: $(wc -l <"$dir/carved.sums") lines"
(cd "$dir/carved" && sha256sum --check --strict --quiet "$dir/carved.sums" >"$dir/check" 2>&1) || fail "sha256sum -c: $(head -3 "$dir/check")"
printf x >>"$dir/carved/png/0000000000000000.png"
(cd "$dir/carved" && sha256sum --check --status "$dir/carved.sums") && fail "sha256sum takes a changed file"

# Places: of an image with a file system.
if command -v mkfs.vfat >/dev/null && command -v mcopy >/dev/null; then
    truncate -s 4M "$dir/fat.raw"
    mkfs.vfat -F 12 "$dir/fat.raw" >/dev/null 2>&1
    mkdir "$dir/files"
    for i in $(seq 24); do
        dd if="$image" of="$dir/files/a,\"$i\".png" bs=1 count=2457 status=none
        mcopy -i "$dir/fat.raw" "$dir/files/a,\"$i\".png" "::=1+2,$i;.png"
    done
    expect 0 "" scan --quiet --case "$dir/fat.case" "$dir/fat.raw"
    [ "$(sqlite3 -readonly "$dir/fat.case" "SELECT count(*) FROM found_in WHERE path LIKE '/=1+2,%'")" -eq 24 ] || fail "no places to report"
    python3 "$dir/rows.py" "$BURIN" "$dir/fat.case" || fail "csv with places"
    expect 0 "" report --format dfxml "$dir/fat.case"
    dfxml "$dir/out" "$dir/fat.case"
    grep -qE 'kind="file" file_system="fat12" modified="20[^"]*" accessed="20[^"]*" created="20[^"]*">/=1\+2,1;.png</burin:place>' "$dir/out" || fail "no place in DFXML"
else
    echo "not tested with places without mkfs.vfat and mcopy"
fi

# What the case file says may be anything.
cp "$case" "$dir/hostile"
python3 - "$dir/hostile" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
evil = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r\n=1", 'a"b,c\n"', "</fileobject>", "]]>&amp;<x>", "\u202egnp", "\x1b[2J", "a\\x41", "'=1", ""]
db.executemany("UPDATE objects SET type = ?, extension = ?, reason = ? WHERE id = ?", [(t, t, t, i + 1) for i, t in enumerate(evil)])
db.execute("UPDATE objects SET type = CAST(x'ff2c22fe0a' AS TEXT), reason = CAST(x'3dc328' AS TEXT) WHERE id = 20")
db.executemany("INSERT INTO found_in VALUES (?, ?, 0, ?, ?, 0, 0, 1, NULL, 2, 3)", [(i + 1, t, t, t) for i, t in enumerate(evil)])
db.commit()
PY
python3 "$dir/rows.py" "$BURIN" "$dir/hostile" hostile || fail "csv of a hostile case file"
expect 0 "" report --quiet --format dfxml "$dir/hostile"
dfxml "$dir/out" "$dir/hostile"
expect 0 "" report --quiet --format json "$dir/hostile"
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))) > 20' "$dir/out" || fail "json of a hostile case file"

# Dates: of objects that are given some.
cp "$case" "$dir/dated"
sqlite3 "$dir/dated" "INSERT INTO facts VALUES (1, 'taken', '2024-05-01 12:00:00Z', 1714564800, 0), (2, 'taken.local', '2001:02:03 04:05:06', 981173106, 0),
    (2, 'camera.make', '=x|y', NULL, 0), (3, 'modified', 'never', NULL, 0), (4, 'printed', 'far', 9000000000000, 0);
    INSERT INTO found_in VALUES (1, 'file', 0, 'fat12', '/a|b', 0, 0, NULL, NULL, NULL, NULL)"
python3 "$dir/rows.py" "$BURIN" "$dir/dated" || fail "csv with dates"
expect 0 "" report --format bodyfile "$dir/dated"
[ "$(wc -l <"$dir/out")" -eq "$(sqlite3 -readonly "$dir/dated" "SELECT count(*) FROM v_objects")" ] || fail "bodyfile: $(wc -l <"$dir/out") lines"
awk -F'|' 'NF != 11 { exit 1 }' "$dir/out" || fail "a line of the body file has not eleven fields"
if command -v mactime >/dev/null; then
    mactime -d -y -z UTC -b "$dir/out" >"$dir/mactime" 2>&1 || fail "mactime: $(head -3 "$dir/mactime")"
    grep -q '^2024-05-01T12:00:00Z,.*,m\.\.b,.*,1,"/png/0000000000000000.png (carved, complete, in /a\\x7Cb)"' "$dir/mactime" || fail "mactime: $(head -5 "$dir/mactime")"
    grep -q '^2001-02-03T04:05:06Z,.*,2,"/gif/' "$dir/mactime" || fail "mactime without a zone: $(head -5 "$dir/mactime")"
    [ "$(grep -c "^[12].*carved" "$dir/mactime")" -eq 2 ] || fail "mactime: $(cat "$dir/mactime")"
else
    echo "not read by mactime, which is not here"
fi
expect 0 "left out: [0-9]* objects without a date" report --format timesketch "$dir/dated"
python3 - "$dir/out" <<'PY' || fail "timesketch: $(head -c 500 "$dir/out")"
import datetime, json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
assert len(events) == 2
for event, number in zip(events, (1714564800, 981173106)):
    assert event["message"] and event["timestamp_desc"]
    assert datetime.datetime.fromisoformat(event["datetime"].replace("Z", "+00:00")).timestamp() == number
assert "unknown" not in events[0]["timestamp_desc"] and "zone unknown" in events[1]["timestamp_desc"] and events[1]["camera.make"] == "=x|y"
PY

# The words that choose are those of list; so is the order.
for words in "--types png --sort size" "--category pictures --min-size 1K --limit 3" "--state truncated" "--where len>5000"; do
    # shellcheck disable=SC2086 # they are words
    expect 0 "" list $words "$case"
    cut -f1 "$dir/out" >"$dir/want"
    # shellcheck disable=SC2086
    expect 0 "" report --format csv $words "$case"
    sed 1d "$dir/out" | cut -d, -f1 | cmp -s - "$dir/want" || fail "report $words chooses others than list"
done
expect 0 "no object matches" report --format csv --types docx "$case"

# A file: new, whole, not on the evidence, and of the same bytes.
for format in csv json sha256sum; do
    expect 0 "" report --quiet --format "$format" "$case"
    expect 0 "" report --quiet --format "$format" --out "$dir/file.$format" "$case"
    "$BURIN" report --quiet --format "$format" "$case" | cmp -s - "$dir/file.$format" || fail "--out has other bytes: $format"
    [ ! -s "$dir/out" ] || fail "--out prints on standard output, too"
done
expect 3 "is there already" report --format csv --out "$dir/file.csv" "$case"
expect 3 "over the evidence" report --format csv --out "$image" "$case"
expect 3 "cannot be made" report --format csv --out "$dir/none/file" "$case"
expect 2 "" report --format csv --out - "$case"
(ulimit -f 1 && "$BURIN" report --quiet --format json --out "$dir/large" "$case" 2>"$dir/err")
[ $? -eq 4 ] && [ ! -e "$dir/large" ] || fail "a file that did not fit: $(cat "$dir/err"; ls "$dir")"
"$BURIN" report --quiet --format json "$case" >/dev/full 2>"$dir/err"
[ $? -eq 4 ] || fail "a full disk: $(cat "$dir/err")"
expect 2 "mapfile" report --format csv --image 1 "$case"
expect 2 "no type" report --format csv --types nosuchtype "$case"
finish
