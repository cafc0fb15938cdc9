#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/report_html.sh - burin report --format html: the page allows itself nothing but its own script and style, its data are what the
# case file says, no text of a hostile case file is markup, and a browser shows, filters and prints it.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
planted
case=$dir/case
expect 0 "" scan --quiet --case "$case" "$image"
expect 0 "" search --quiet --case "$case" "$image" IHDR '<b>no</b>'

# Takes a page apart without a browser, and compares it with the case file.
cat >"$dir/page.py" <<'PY'
import base64, gzip, hashlib, html.parser, json, re, sqlite3, struct, subprocess, sys
burin, case, page = sys.argv[1:4]
raw = open(page, "rb").read()
source = raw.decode()
VOID = {"meta", "img", "input"}
TAGS = VOID | set("html head title style body a svg defs pattern header p h1 h2 h3 div nav ul ol li main section dl dt dd b span small strong "
                  "rect path circle table caption thead tbody tr th td i figure figcaption text form label select button aside code pre script details summary".split())
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.scripts, self.styles, self.policy, self.ids, self.text = [], {}, [], None, [], []
    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        values = dict(attributes)
        assert tag in TAGS, tag
        assert len(names) == len(set(names)) and "style" not in names and not any(n.startswith("on") for n in names), attributes
        if "src" in values:
            assert tag == "img" and re.fullmatch(r"data:image/(jpeg|png|gif|webp|bmp);base64,[A-Za-z0-9+/]+=*", values["src"]), values["src"][:40]
        assert values.get("href", "#").startswith("#"), values
        if values.get("http-equiv"):
            assert self.policy is None and "head" in self.open
            self.policy = values["content"]
        if "id" in values:
            self.ids.append(values["id"])
        self.attributes = values
        if tag not in VOID:
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            key = self.attributes.get("id", "")
            assert bool(key) == (self.attributes.get("type") == "application/octet-stream")
            self.scripts[key] = self.scripts.get(key, "") + data
        elif self.open and self.open[-1] == "style":
            self.styles.append(data)
        else:
            self.text.append(data)
parser = Page()
parser.feed(source)
parser.close()
assert parser.open == [], parser.open
assert len(parser.ids) == len(set(parser.ids))
assert source.count("<h1") == 1
digest = lambda text: "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
assert parser.policy == (f"default-src 'none'; script-src {digest(parser.scripts[''])}; style-src {digest(''.join(parser.styles))}; "
                         "img-src data:; base-uri 'none'; form-action 'none'"), parser.policy
assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", parser.scripts[""])
assert source.index("Content-Security-Policy") < source.index("<title") < source.index("<style")

# The columns.
block = gzip.decompress(base64.b64decode(parser.scripts["data"]))
size, = struct.unpack_from("<I", block)
head = json.loads(block[4:4 + size])
at, columns, n = 4 + size, {}, head["rows"]
for name in head["wide"]:
    columns[name] = struct.unpack_from(f"<{n}I", block, at)
    at += 4 * n
ends = struct.unpack_from(f"<{head['texts'] + 1}I", block, at)
at += 4 * (head["texts"] + 1)
for name in head["narrow"]:
    columns[name] = block[at:at + n]
    at += n
texts = block[at:]
assert len(texts) == head["textBytes"] == ends[-1]
text = lambda number: texts[ends[number]:ends[number + 1]].decode()
wide = lambda name, row: columns[name + "High"][row] << 32 | columns[name][row]
undo = lambda value: re.sub(rb"\\x([0-9A-F]{2})", lambda m: bytes([int(m[1], 16)]), value.encode())
db = sqlite3.connect(f"file:{case}?mode=ro", uri=True)
db.text_factory = bytes
want = db.execute("SELECT id, offset, len, type, state, reason, parent_id, known, path, place, sha256 FROM v_objects ORDER BY image_id, offset, id").fetchall()
listed = [line.split("\t")[8] for line in subprocess.run([burin, "list", "--quiet", case], stdout=subprocess.PIPE, text=True).stdout.splitlines()]
states = [b"complete", b"footer", b"truncated", b"fragmented"]
places = [None, b"file", b"deleted", b"slack", b"unallocated", b"allocated", b"metadata", b"unpartitioned"]
assert n == len(want) == len(listed) > 20, (n, len(want))
rows = {row[0]: i for i, row in enumerate(want)}
hashes = gzip.decompress(base64.b64decode(parser.scripts["hashes"])) if "hashes" in parser.scripts else bytes(32 * n)
for i, row in enumerate(want):
    assert (wide("id", i), wide("offset", i), wide("len", i)) == row[:3]
    assert undo(text(columns["type"][i])) == row[3] and states[columns["state"][i]] == row[4] and undo(text(columns["reason"][i])) == row[5]
    assert columns["parent"][i] == (rows[row[6]] + 1 if row[6] else 0) and columns["known"][i] == row[7]
    assert undo(text(columns["path"][i])) == (row[8] or b"")
    assert columns["place"][i] == (places.index(row[9]) if row[9] in places else len(places))
    assert text(columns["folder"][i]) + f"{row[1]:016x}" + text(columns["tail"][i]) == listed[i]
    assert hashes[32 * i:32 * i + 32] == bytes.fromhex((row[10] or b"00" * 32).decode())
print("".join(parser.text))
PY
whole() { python3 "$dir/page.py" "$BURIN" "$1" "$2" >"$dir/text" || fail "the page $2"; }

expect 0 "" report --format html --title 'A <b>title</b> & "more"' --exhibit 'x" onload="y' --examiner "O'Hara" --out "$dir/page.html" "$case"
whole "$case" "$dir/page.html"
for words in "Summary" "Look here first" "Where on the disk" "Objects" "Pictures" "Keywords" "What was not read" "Method" "Words" 'A <b>title</b> & "more"' "O'Hara" \
    'x" onload="y' "IHDR" "keyword utf-8" "burin verify case"; do
    grep -qF -- "$words" "$dir/text" || fail "the page has no: $words"
done
grep -qF "$(sqlite3 -readonly "$case" "SELECT hash FROM log ORDER BY id DESC LIMIT 1")" "$dir/text" || fail "the page has not the last hash of the log"
[ "$(grep -o '<img id="t' "$dir/page.html" | wc -l)" -gt 3 ] || fail "no pictures"
expect 0 "" report --format html --thumbs 2 "$case"
[ "$(grep -o '<img id="t' "$dir/out" | wc -l)" -eq 2 ] || fail "--thumbs 2"
expect 0 "" report --format html --thumbs 0 "$case"
whole "$case" "$dir/out"
[ "$(grep -c '<img id="t' "$dir/out")" -eq 0 ] || fail "--thumbs 0"
# A picture on the page is the object, byte for byte.
id=$(grep -o '<img id="t[0-9]*"[^>]* src="data:image/png' "$dir/page.html" | head -1 | sed 's/^<img id="t//; s/".*//')
expect 0 "" cat "$case" "$id"
grep -o "<img id=\"t$id\"[^>]*" "$dir/page.html" | sed 's/.*base64,//; s/"$//' | base64 -d | cmp -s - "$dir/out" || fail "picture $id is not the object"

# Of a JPEG file that is too large for a page a small picture is made: here one of a comment of 120 KB (ITU-T T.81, B.2.4.5), and what is
# left of it. A set that calls a file bad keeps it away.
python3 - "$cli/../samples/jpeg/photo.jpg" "$dir/large.raw" <<'PY'
import struct, sys
base = open(sys.argv[1], "rb").read()
large = base[:2] + 2 * (b"\xff\xfe" + struct.pack(">H", 60002) + bytes(60000)) + base[2:]
with open(sys.argv[2], "wb") as disk:
    for at, data in ((4096, large), (1 << 19, large[:len(large) - len(base) // 3]), (3 << 18, b"\xff\xd8\xff\xe0 no picture")):
        disk.seek(at)
        disk.write(data)
    disk.truncate(1 << 20)
PY
expect 0 "" scan --quiet --case "$dir/large.case" "$dir/large.raw"
burin list "$dir/large.case"
[ "$(cut -f2,3 "$dir/out" | paste -sd' ')" = "$(printf 'jpg\tcomplete jpg\ttruncated')" ] || fail "large pictures: $(cat "$dir/out")"
expect 0 "" report --format html --out "$dir/large.html" "$dir/large.case"
for id in $(sqlite3 -readonly "$dir/large.case" "SELECT id FROM v_objects"); do
    grep -o "<img id=\"t$id\"[^>]*" "$dir/large.html" | sed 's/.*base64,//; s/"$//' | base64 -d >"$dir/small.jpg"
    [ "$(stat -c %s "$dir/small.jpg")" -lt 40000 ] || fail "the small picture has $(stat -c %s "$dir/small.jpg") bytes"
    expect 0 "" identify "$dir/small.jpg"
    grep -q "$(printf '\tjpg\tcomplete\t')" "$dir/out" || fail "the small picture of $id: $(cat "$dir/out")"
done
[ "$(grep -c '(cut short)</span>' "$dir/large.html")" -eq 1 ] || fail "a picture that is cut short is not marked"
if command -v strace >/dev/null && ! grep -qE '^BURIN_SANITIZE:STRING=.' "${BUILD:-.}/CMakeCache.txt" 2>/dev/null; then
    strace -f -qq -e trace=openat,read,mmap,seccomp,exit_group -o "$dir/trace" "$BURIN" report --quiet --format html --out "$dir/traced.html" "$dir/large.case" 2>/dev/null
    # The process that made pictures: the last one that came under a filter opens nothing behind that.
    pid=$(grep 'seccomp(SECCOMP_SET' "$dir/trace" | tail -1 | cut -d' ' -f1)
    awk -v pid="$pid" '$1 == pid' "$dir/trace" | sed '0,/seccomp(/d' >"$dir/behind"
    grep -q 'read(3' "$dir/behind" || fail "no process took a picture: $(tail -3 "$dir/trace")"
    ! grep -q 'openat(' "$dir/behind" || fail "it opens files: $(grep 'openat(' "$dir/behind")"
fi

# The same case file, the same page, but for the line that says when.
expect 0 "" report --format html "$case"
grep -v '^<p class="made">Made by' "$dir/out" >"$dir/first"
sleep 1
expect 0 "" report --format html "$case"
grep -v '^<p class="made">Made by' "$dir/out" | cmp -s - "$dir/first" || fail "the page differs from one time to the next"

# Without the image; with a hash of every object; a choice of objects.
mv "$image" "$dir/moved.raw"
expect 0 "without pictures" report --format html --out "$dir/bare.html" "$case"
whole "$case" "$dir/bare.html"
expect 0 "" report --format html --image "$dir/moved.raw" "$case"
grep -q '<img id="t' "$dir/out" || fail "--image does not find the image"
mv "$dir/moved.raw" "$image"
cp "$case" "$dir/hashed"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/carved" "$dir/hashed"
expect 0 "" report --format html --out "$dir/hashed.html" "$dir/hashed"
whole "$dir/hashed" "$dir/hashed.html"
grep -q 'id="hashes"' "$dir/hashed.html" || fail "no hashes on the page"
expect 0 "" report --format html --types png "$case"
grep -q "of chosen objects, not of all" "$dir/out" || fail "a page of a choice does not say so"

# With links: each leads to the file that carve wrote, and to no other place, whatever the folder is called.
mv "$dir/carved" "$dir/a \"<b> c:d"
expect 0 "" report --format html --link 'a "<b> c:d' --out "$dir/linked.html" "$dir/hashed"
grep -o '<a href="[^#][^"]*"' "$dir/linked.html" | sed 's/^<a href="//; s/"$//' >"$dir/links"
[ "$(wc -l <"$dir/links")" -eq "$(sqlite3 -readonly "$dir/hashed" "SELECT min(count(*), 500) FROM v_objects")" ] || fail "links: $(wc -l <"$dir/links")"
python3 - "$dir" <<'PY' || fail "a link that leads nowhere"
import os, sys, urllib.parse
folder = sys.argv[1]
for line in open(folder + "/links"):
    split = urllib.parse.urlsplit(line.rstrip("\n"))
    assert not split.scheme and not split.netloc and not split.query and not split.fragment, line
    assert os.path.isfile(os.path.join(folder, urllib.parse.unquote(split.path))), line
PY
grep -q "img-src data: 'self'; base-uri" "$dir/linked.html" || fail "the page with links may not load pictures beside it"
for to in //example.org/x javascript:alert 'https://example.org'; do
    expect 0 "" report --format html --thumbs 0 --link "$to" "$dir/hashed"
    ! grep -qE 'href="(//|javascript:|https:)' "$dir/out" || fail "--link $to leads away: $(grep -oE 'href="(//|javascript:|https:).{20}' "$dir/out" | head -1)"
done
expect 2 "of --format html" report --format csv --link x "$case"

# Times and places.
cp "$case" "$dir/dated"
sqlite3 "$dir/dated" "INSERT INTO facts VALUES (1, 'taken', '2024-05-01 12:00:00Z', 1714564800, 0), (2, 'taken.local', '2001:02:03 04:05:06', 981173106, 0),
    (1, 'gps.lat', '52.5', 525000000, 0), (1, 'gps.lon', '-13.25', -132500000, 0), (2, 'gps.lat', '99', 990000000, 0), (2, 'gps.lon', '1', 10000000, 0),
    (3, 'title', '</script><script>alert(1)</script>', NULL, 0)"
expect 0 "" report --format html --out "$dir/dated.html" "$dir/dated"
whole "$dir/dated" "$dir/dated.html"
for words in "Times and places" "2 objects have a date of their own, 1 a place" "52.500000" "-13.250000" "2024: 1"; do
    grep -qF -- "$words" "$dir/text" || fail "the page has no: $words"
done
grep -q '<circle cx="333.5" cy="75.0"' "$dir/dated.html" || fail "the place is not where it belongs"

# What is to be looked at first is counted as the table counts it, objects inside others too.
cp "$case" "$dir/placed"
sqlite3 "$dir/placed" "INSERT INTO found_in SELECT id, CASE WHEN id % 3 = 0 THEN 'slack' ELSE 'deleted' END, 0, 'ntfs', 'x', 5, 0, 1, 1, 1, 1 FROM objects"
expect 0 "" report --format html --out "$dir/placed.html" "$dir/placed"
for what in deleted:Deleted.files slack:Outside.of.files; do
    told=$(grep -o "${what#*:}</a> <span class=\"count\">[0-9]*" "$dir/placed.html" | grep -o '[0-9]*$')
    [ "$told" = "$("$BURIN" list --place "${what%%:*}" "$dir/placed" | wc -l)" ] || fail "$what: $told of $("$BURIN" list --place "${what%%:*}" "$dir/placed" | wc -l)"
done
[ "$(sqlite3 -readonly "$dir/placed" "SELECT count(*) FROM v_objects WHERE parent_id IS NOT NULL")" -gt 0 ] || fail "no object lies in another"

# What the case file says may be anything.
cp "$case" "$dir/hostile"
python3 - "$dir/hostile" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
evil = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "]]>-->", "<!--", "&lt;b&gt;", "' onclick='x",
        "\u202egnp.exe", "\x1b[2J\r\n", "a\\x41", "{{7*7}}", "javascript:alert(1)", "\u2028", "</title>", ""]
db.executemany("UPDATE objects SET type = ?, extension = ?, reason = ? WHERE id = ?", [(t, t, t, i + 1) for i, t in enumerate(evil)])
db.executemany("INSERT INTO found_in VALUES (?, ?, 0, ?, ?, 0, 0, 1, NULL, 2, 3)", [(i + 1, t, t, t) for i, t in enumerate(evil)])
db.execute("UPDATE objects SET type = CAST(x'ff3c2f623e' AS TEXT) WHERE id = 17")
db.execute("UPDATE images SET format = ?", (evil[0],))
db.execute("UPDATE runs SET command_line = ?, host = ?, user = ?, options = ?, engine = ?, version = ?", (evil[0], evil[1], evil[2], evil[5], evil[6], evil[13]))
db.execute("UPDATE signatures SET name = ?, origin = ? WHERE run_id = 2", (evil[1], evil[0]))
db.execute("INSERT INTO nested (object_id, parent_id) SELECT 19, 20")
db.execute("INSERT INTO nested (object_id, parent_id) SELECT 20, 19")
db.commit()
PY
expect 0 "" report --quiet --format html --thumbs 0 --out "$dir/hostile.html" "$dir/hostile"
whole "$dir/hostile" "$dir/hostile.html"
grep -q '<script>alert\|<img src=x\|onerror=alert(1)>$' "$dir/hostile.html" && fail "a text of the case file is markup"

# Options that are not of this format, and of no other.
expect 2 "of --format html" report --format csv --title x "$case"
expect 2 "of --format html" report --format json --thumbs 3 "$case"
expect 2 "" report --format html --thumbs x "$case"

# In a browser.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "not tested in a browser without chromium"; finish; }
dom() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" --enable-logging=stderr \
        --virtual-time-budget=20000 --dump-dom "file://$1" >"$dir/dom" 2>"$dir/browser" || fail "chromium ends with $?: $(tail -3 "$dir/browser")"
    ! grep -E 'INFO:CONSOLE|Refused to|Content Security' "$dir/browser" | grep -v favicon | head -3 | grep . || fail "the browser complains: $1"
}
total=$(sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects")
dom "$dir/page.html"
grep -q "data-ready=\"$total\"" "$dir/dom" || fail "the script has not read all objects: $(head -c 300 "$dir/dom")"
grep -q "All $total objects" "$dir/dom" || fail "the status: $(grep -o 'id="status"[^/]*' "$dir/dom")"
grep -q "aria-rowcount=\"$((total + 1))\"" "$dir/dom" || fail "rows that screen readers count"
[ "$(grep -o 'role="row"' "$dir/dom" | wc -l)" -gt 5 ] || fail "no rows"
png=$(sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects WHERE type = 'png'")
dom "$dir/page.html#type=png"
grep -q "$png of $total objects" "$dir/dom" || fail "#type=png: $(grep -o 'id="status"[^/]*' "$dir/dom")"
large=$(sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects WHERE type = 'png' AND state = 'complete' AND len >= 2048")
dom "$dir/page.html#type=png&state=complete&min=2K"
grep -q "$large of $total objects" "$dir/dom" || fail "three filters together: $(grep -o 'id="status"[^/]*' "$dir/dom")"
crc=$(sqlite3 -readonly "$case" "SELECT count(*) FROM v_objects WHERE reason LIKE '%CRC of every%'")
dom "$dir/page.html#q=crc%20of%20every"
grep -q "$crc of $total objects" "$dir/dom" || fail "a search: $(grep -o 'id="status"[^/]*' "$dir/dom")"
# The hashes stand behind the script, which is asked for one before the browser has read them.
dom "$dir/hashed.html#id=3"
grep -q "$(sqlite3 -readonly "$dir/hashed" "SELECT sha256 FROM v_objects WHERE id = 3")" <(sed 's/<script.*//' "$dir/dom") || fail "the hash of an object"
dom "$dir/page.html#id=3"
grep -q 'burin cat case 3 ' "$dir/dom" || fail "a link to an object"
dom "$dir/dated.html#id=1&q=gps.lat"
grep -q "2 of $total objects" "$dir/dom" && grep -q '2024-05-01 12:00:00 Z' "$dir/dom" || fail "facts in a browser: $(grep -o 'id="status"[^/]*' "$dir/dom")"
dom "$dir/hashed.html#id=1"
grep -q "$(sqlite3 -readonly "$dir/hashed" "SELECT sha256 FROM v_objects WHERE id = 1")" "$dir/dom" || fail "the hash of an object"
jpg=$(sqlite3 -readonly "$dir/hashed" "SELECT id FROM v_objects WHERE type = 'jpg' AND state = 'complete' AND parent_id IS NULL LIMIT 1")
dom "$dir/linked.html#id=$jpg"
grep -q "<img src=\"a%20%22%3Cb%3E%20c%3Ad/jpg/[0-9a-f]*.jpg\"" "$dir/dom" || fail "the file of a picture is not shown: $(grep -o '<img src="a[^>]*' "$dir/dom" | head -2)"
dom "$dir/hostile.html#id=2"
grep -q "data-ready=\"$total\"" "$dir/dom" || fail "a hostile page is not read"
grep -q '&lt;img src=x onerror=alert(1)&gt;' "$dir/dom" || fail "a hostile text is not shown as text"
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" --virtual-time-budget=10000 \
    --print-to-pdf="$dir/page.pdf" "file://$dir/page.html" >/dev/null 2>&1 || fail "it does not print"
if command -v pdftotext >/dev/null; then
    pdftotext "$dir/page.pdf" "$dir/pdf.txt"
    for words in "Summary" "Look here first" "Where on the disk" "Objects" "What was not read" "Method" "Words" "0000000000000000.png"; do
        grep -q "$words" "$dir/pdf.txt" || fail "not printed: $words"
    done
else
    echo "what is printed is not looked at without pdftotext"
fi
finish
