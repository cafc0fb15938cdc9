#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/facts.sh - what files say of themselves: in the case file, in lists, in identify; objects chosen by it.
#
# Goal: the facts of photos and pictures in an image are those that were put into them, whole, nested, cut and put together from pieces,
# whatever the threads and parts.
# Method: the files are made here; what is expected stands beside them.
. "$(dirname "$0")/lib.sh"
export PYTHONPATH=$cli
python3 - "$dir" <<'PY' || exit 1
import json, struct, sys, zlib
import samples
out = sys.argv[1]

def exif(date, zone, model, lat, lon):
    """A little-endian TIFF structure as Exif has it: CIPA DC-008."""
    heap = bytearray()
    base = 8 + 3 * (2 + 12 * 8 + 4)
    def entry(tag, kind, count, value):
        if len(value) > 4:
            at = base + len(heap)
            heap.extend(value)
            value = struct.pack("<I", at)
        return struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")
    text = lambda tag, s: entry(tag, 2, len(s) + 1, s.encode() + b"\0")
    angle = lambda tag, v: entry(tag, 5, 3, struct.pack("<6I", int(v), 1, int(v * 60 % 60), 1, round(v * 3600 % 60 * 10000), 10000))
    link = lambda tag, at: entry(tag, 4, 1, struct.pack("<I", at))
    size = 2 + 12 * 8 + 4
    def directory(entries):
        return (struct.pack("<H", len(entries)) + b"".join(entries) + b"\0\0\0\0").ljust(size, b"\0")
    first = directory([text(271, "Maker"), text(272, model), text(306, date), link(34665, 8 + size), link(34853, 8 + 2 * size)])
    photo = directory([text(36867, date)] + ([text(36881, zone)] if zone else []))
    place = directory([text(1, "S" if lat < 0 else "N"), angle(2, abs(lat)), text(3, "W" if lon < 0 else "E"), angle(4, abs(lon))])
    return b"II*\0\x08\0\0\0" + first + photo + place + heap

def photo(seed, *words):
    plain = samples.jpg(seed, 40, 40)
    data = b"Exif\0\0" + exif(*words)
    return plain[:2] + struct.pack(">HH", 0xffe1, len(data) + 2) + data + plain[2:]

def png(seed, title):
    """Its title stands behind the picture."""
    plain = samples.png(seed, 200, 150)
    data = b"tEXtTitle\0" + title
    return plain[:-12] + struct.pack(">I", len(data) - 4) + data + struct.pack(">I", zlib.crc32(data)) + plain[-12:]

def pad(data):
    return data + bytes(-len(data) % 512)

one = photo(1, "2024:02:29 23:59:59", "+02:00", "Model 5", 48.5, -2.25)
two = photo(2, "2019:08:11 07:00:00", "", "Model 6", -33.75, 151.5)
whole = png(3, b"the end of it")
apart = png(4, b"in pieces")
half = len(apart) // 1024 * 512
filler = samples.noise(5, 512 * 40)
image = pad(one) + filler + two[:2560] + filler
image += pad(whole) + filler + apart[:half] + filler + pad(apart[half:]) + filler
open(out + "/image", "wb").write(bytes(512) + image + bytes(1 << 20))
for name, data in (("one.jpg", one), ("two.jpg", two), ("whole.png", whole), ("apart.png", apart)):
    open(out + "/" + name, "wb").write(data)
PY
case=$dir/case
expect 0 "" scan --quiet --case "$case" "$dir/image"
ask() { sqlite3 -readonly "$case" "$1"; }
# facts_are NAME WHERE LINE... : the facts of the one object for which WHERE holds
facts_are() {
    local name=$1 where=$2
    shift 2
    printf '%s\n' "$@" >"$dir/want"
    ask "SELECT key || '=' || value || coalesce(' #' || number, '') FROM v_facts WHERE object_id =
        (SELECT id FROM v_objects WHERE $where) ORDER BY key" >"$dir/got"
    diff "$dir/want" "$dir/got" >"$dir/diff" || fail "$name: $(cat "$dir/diff"; ask 'SELECT id, type, state, offset, len FROM v_objects')"
}
one=("camera.make=Maker" "camera.model=Model 5" "gps.lat=48.5000000 #485000000" "gps.lon=-2.2500000 #-22500000" "height=320 #320"
    "modified.local=2024:02:29 23:59:59 #1709251199" "taken=2024:02:29 23:59:59 #1709243999" "width=320 #320")
two=("camera.make=Maker" "camera.model=Model 6" "gps.lat=-33.7500000 #-337500000" "gps.lon=151.5000000 #1515000000" "height=320 #320"
    "modified.local=2019:08:11 07:00:00 #1565506800" "taken.local=2019:08:11 07:00:00 #1565506800" "width=320 #320")
facts_are "a whole photo" "type = 'jpg' AND state = 'complete' AND parent_id IS NULL" "${one[@]}"
facts_are "a photo that is cut" "type = 'jpg' AND state = 'truncated'" "${two[@]}"
facts_are "a picture" "type = 'png' AND state = 'complete'" "height=150 #150" "title=the end of it" "width=200 #200"
facts_are "a picture in pieces" "type = 'png' AND state = 'fragmented'" "height=150 #150" "title=in pieces" "width=200 #200"
# Before it was put together it had no title.
expect 0 "" scan --quiet --no-assemble --case "$dir/apart" "$dir/image"
[ "$(sqlite3 -readonly "$dir/apart" "SELECT count(*) FROM facts WHERE value = 'in pieces'")" = 0 ] || fail "the title of a piece that was not found"
burin assemble --quiet "$dir/apart"
check 0 "" assemble
expect 0 "" list --digest "$case"
cp "$dir/out" "$dir/digest"
expect 0 "" list --digest "$dir/apart"
cmp -s "$dir/out" "$dir/digest" || fail "assembled later: another digest"
for part in 64K 256K; do
    for threads in 1 3; do
        expect 0 "" scan --quiet --segment 64K --part-size "$part" --threads "$threads" --case "$dir/again" --force "$dir/image"
        expect 0 "" list --digest "$dir/again"
        cmp -s "$dir/out" "$dir/digest" || fail "parts of $part, $threads threads: another digest"
    done
done
# Facts are part of the digest: one that is another one gives another digest.
cp "$case" "$dir/other"
sqlite3 "$dir/other" "UPDATE facts SET value = 'Model 7' WHERE value = 'Model 5'"
expect 0 "" list --digest "$dir/other"
! cmp -s "$dir/out" "$dir/digest" || fail "another fact, and the same digest"

# chosen COUNT WORD... : so many objects, and carve, asked for all, writes as many
chosen() {
    local want=$1
    shift
    expect 0 "" list --quiet "$@" "$case"
    [ "$(wc -l <"$dir/out")" = "$want" ] || fail "list $*: $(wc -l <"$dir/out") objects, not $want"
    rm -rf "$dir/carved"
    expect 0 "" carve --quiet --embedded --truncated "$@" --out "$dir/carved" "$dir/other"
    [ "$(find "$dir/carved" -mindepth 2 -type f | wc -l)" = "$want" ] || fail "carve $*: not $want files"
}
chosen 2 --has gps
chosen 2 --has TAKEN
chosen 1 --has taken.local
chosen 4 --has camera,title
chosen 4 --has all
chosen 2 --has width --types jpg
chosen 1 --after 2024
chosen 1 --after 2024-02-29T21:59:59Z
chosen 0 --after 2024-02-29T22:00
chosen 1 --after 2024-02-29T23:59:59+02:00
chosen 1 --before 2024-02
chosen 2 --after 2019-08-11 --before 2024-03
chosen 1 --after 2019-08-11T07:00:00 --before 2019-08-11T07:00:01
chosen 1 --where "id IN (SELECT object_id FROM facts WHERE key = 'camera.model' AND value = 'Model 6')"
expect 2 "--has: unknown word 'gsp'; did you mean 'gps'\\?" list --has gsp "$case"
for wrong in 24 2024-13 yesterday 2024-05-31T25:00 2024-02-30 '' 2024-01-01Tnoon; do
    expect 2 "--after '$wrong': a date is YEAR" list --after "$wrong" "$case"
done
expect 2 "--after 2024 is not before --before 2023" list --after 2024 --before 2023 "$case"
expect 0 "0 that have serial, 0 of such a date\$" list --has serial --after 2030 "$case"

# JSON of both commands has the facts that the case file has.
expect 0 "" list --json --types jpg --state complete "$case"
python3 - "$dir/out" "${one[@]}" <<'PY' || fail "list --json: $(head -c 600 "$dir/out")"
import json, sys
facts = json.load(open(sys.argv[1]))[0]["facts"]
have = sorted(k + "=" + f["value"] + ("" if f["number"] is None else " #%d" % f["number"]) for k, f in facts.items())
sys.exit(have != sorted(sys.argv[2:]))
PY
expect 0 "" identify --json "$dir/one.jpg" "$dir/two.jpg"
cp "$dir/out" "$dir/identified"
python3 - "$dir/identified" "${one[@]}" <<'PY' || fail "identify --json: $(head -c 600 "$dir/identified")"
import json, sys
facts = json.load(open(sys.argv[1]))[0]["facts"]
have = sorted(k + "=" + f["value"] + ("" if f["number"] is None else " #%d" % f["number"]) for k, f in facts.items())
sys.exit(have != sorted(sys.argv[2:]))
PY
finish
