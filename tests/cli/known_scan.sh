#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/known_scan.sh - `scan --known`: objects and blocks of an image against sets; what list, carve and the reports make of it.
#
# Method: the planted image is carved and the files are hashed by coreutils; the sets are made of some of those hashes, so that exactly those
# objects must be marked. Blocks are hashed once more by Python, at every step, and must be found at the same places, whatever the
# segments and threads.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
planted

expect 0 "" scan --quiet --case "$dir/plain" "$image"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/all" "$dir/plain"
(cd "$dir/all" && find . -type f ! -name audit.txt ! -name report.xml -print0 | sort -z | xargs -0 sha256sum) >"$dir/sums"
(cd "$dir/all" && find . -type f ! -name audit.txt ! -name report.xml -print0 | sort -z | xargs -0 md5sum) >"$dir/sums.md5"
[ "$(wc -l <"$dir/sums")" -ge 6 ] || fail "too few objects in the image to tell anything"
sed -n '1~3p' "$dir/sums" >"$dir/good.sums"
sed -n '2~3p' "$dir/sums.md5" >"$dir/bad.sums"
expect 0 "" known build --quiet --good --names "$dir/good" "$dir/good.sums"
expect 0 "" known build --quiet --bad --label "seen before" "$dir/bad" "$dir/bad.sums"
expect 0 "" known build --quiet "$dir/listed" "$dir/bad.sums"

scan_known() { # CASE OPTION...
    local case_file=$1
    shift
    expect 0 "" scan --quiet --case "$case_file" --known "$dir/listed" --known "$dir/good" --known "$dir/bad" "$@" "$image"
}
scan_known "$dir/case"
sqlite3 -readonly "$dir/case" "SELECT digest FROM known_objects k JOIN known_sets s ON s.id = k.set_id WHERE s.verdict = 'good' ORDER BY 1" >"$dir/got"
expected() { # LIST: a hash for each file that has it
    cut -d' ' -f1 "$1" | sort -u | grep -hFf - "$dir/sums" "$dir/sums.md5" | cut -d' ' -f1 | sort
}
expected "$dir/good.sums" | diff - "$dir/got" >"$dir/diff" || fail "known good objects: $(cat "$dir/diff")"
for set in bad known; do
    sqlite3 -readonly "$dir/case" "SELECT digest FROM known_objects k JOIN known_sets s ON s.id = k.set_id WHERE s.verdict = '$set' ORDER BY 1" |
        diff <(expected "$dir/bad.sums") - >"$dir/diff" || fail "objects in the set that is $set: $(cat "$dir/diff")"
done
[ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM v_objects WHERE known = 0 OR sha256 IS NULL")" = 0 ] || fail "objects that nobody looked up"
[ "$(sqlite3 -readonly "$dir/case" "SELECT label, verdict, hash, block, hashes FROM known_sets WHERE verdict = 'bad'")" = \
    "seen before|bad|md5|0|$(cut -d' ' -f1 "$dir/bad.sums" | sort -u | wc -l)" ] || fail "the set is not recorded"
[ "$(sqlite3 -readonly "$dir/case" "SELECT name FROM known_objects k JOIN known_sets s ON s.id = k.set_id WHERE s.verdict = 'good' AND digest = '$(head -c 64 "$dir/good.sums")' LIMIT 1")" = \
    "$(head -1 "$dir/good.sums" | cut -c67-)" ] || fail "the name of a known object"

# list, carve, and their reports.
expect 0 "" list --known good,bad "$dir/case"
[ "$(wc -l <"$dir/out")" = "$(sqlite3 -readonly "$dir/case" 'SELECT count(*) FROM v_objects WHERE known >= 3')" ] || fail "list --known: $(wc -l <"$dir/out") lines"
grep -qvP '\t(good|bad)$' "$dir/out" && fail "list --known shows others: $(cat "$dir/out")"
expect 0 "" list "$dir/case"
[ "$(head -1 "$dir/out" | tr '\t' '\n' | wc -l)" = 9 ] || fail "list has other columns: $(head -1 "$dir/out")"
expect 0 "" list --json "$dir/case"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert {x["known"] for x in a} == {"good", "bad", "unknown"}, a' "$dir/out" ||
    fail "list --json lacks what is known"
expect 0 "" list --json "$dir/plain"
python3 -c 'import json, sys; assert all(x["known"] is None for x in json.load(open(sys.argv[1])))' "$dir/out" || fail "known without --known"
expect 0 "" list --known unchecked "$dir/plain"
[ "$(wc -l <"$dir/out")" = "$(sqlite3 -readonly "$dir/plain" 'SELECT count(*) FROM objects')" ] || fail "list --known unchecked"
expect 0 "" carve --quiet --embedded --truncated --known unknown --out "$dir/unknown" "$dir/case"
(cd "$dir/unknown" && find . -type f ! -name audit.txt ! -name report.xml -print0 | sort -z | xargs -0 sha256sum) >"$dir/unknown.sums"
cat "$dir/good.sums" "$dir/bad.sums" | cut -d' ' -f1 >"$dir/known.hashes"
grep -qFf "$dir/known.hashes" "$dir/unknown.sums" && fail "carve --known unknown writes known files"
[ -s "$dir/unknown.sums" ] || fail "carve --known unknown writes nothing"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/marked" "$dir/case"
grep -q '<burin:known>bad</burin:known>' "$dir/marked/report.xml" || fail "report.xml does not say what is known"
grep -q 'known to be good' "$dir/marked/audit.txt" || fail "audit.txt does not say what is known"
if command -v xmllint >/dev/null; then
    xmllint --noout --nonet --schema "$cli/../carver/report.xsd" "$dir/marked/report.xml" 2>"$dir/err" || fail "report.xml: $(head -3 "$dir/err")"
fi

# Blocks: of a file that lies in the image at an odd sector, of another at a multiple of 4096, and of one that is not there.
python3 - "$dir" "$image" <<'PY'
import hashlib, os, random, sys
d, image = sys.argv[1:]
r = random.Random(5)
os.mkdir(d + "/frags")
files = {name: r.randbytes(40000) for name in ("aligned", "odd", "absent")}
for name, data in files.items():
    open(d + "/frags/" + name, "wb").write(data)
data = bytearray(r.randbytes(3 << 20))
data[1 << 19:3 << 18] = bytes(1 << 18)
data[65536:65536 + 40000] = files["aligned"]
data[200 * 4096 + 512 * 3:][:1]
at = 200 * 4096 + 512 * 3
data[at:at + 40000] = files["odd"]
at = (1 << 20) - 8192  # across segments of 64 KiB and 1 MiB
data[at:at + 16384] = files["aligned"][4096:20480]
at = 2 * (1 << 20) - 512 * 5
data[at:at + 8192] = files["odd"][8192:16384]
open(d + "/blocks.img", "wb").write(data)
def digests(name, size):
    b = files[name]
    return {hashlib.md5(b[i:i + size]).hexdigest() for i in range(0, len(b) - size + 1, size)}
for size, steps in ((4096, (4096, 512)), (512, (512,))):
    known = set().union(*(digests(n, size) for n in files))
    for step in steps:
        with open(d + "/expected.%d.%d" % (size, step), "w") as f:
            for i in range(0, len(data) - size + 1, step):
                if hashlib.md5(data[i:i + size]).hexdigest() in known:
                    f.write("%d\n" % i)
PY
for size in 512 4096; do
    expect 0 "" known build --quiet --files --block $size --hash md5 --names --bad "$dir/blocks.$size" "$dir/frags"
    expect 0 "" known build --quiet --files --block $size --hash sha1 "$dir/blocks.$size.sha1" "$dir/frags"
done
# Places of all blocks in the rows of the case file.
places() {
    sqlite3 -readonly "$1" "SELECT offset, len FROM known_blocks WHERE set_id = $2 ORDER BY offset" |
        awk -F'|' -v size="$3" '{ for (i = 0; i < $2; i += size) print $1 + i }' | sort -n
}
first=
for how in "--threads 1" "--threads 4 --segment 64K" "--threads 2 --segment 256K --io pread" "--threads 3 --segment 64M"; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force --case "$dir/bcase" $how --known "$dir/blocks.512" --known "$dir/blocks.4096" --known "$dir/blocks.4096.sha1" "$dir/blocks.img"
    for set in 1:512 2:4096 3:4096; do
        places "$dir/bcase" "${set%:*}" "${set#*:}" | diff "$dir/expected.${set#*:}.${set#*:}" - >"$dir/diff" || fail "$how: blocks of ${set#*:}: $(head -3 "$dir/diff")"
    done
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force --case "$dir/step" $how --known-step 512 --known "$dir/blocks.4096" "$dir/blocks.img"
    places "$dir/step" 1 4096 | diff "$dir/expected.4096.512" - >"$dir/diff" || fail "$how: blocks of 4096 at every sector: $(head -3 "$dir/diff")"
    table=$(sqlite3 -readonly "$dir/bcase" "SELECT * FROM known_blocks ORDER BY 1, 2, 3"; sqlite3 -readonly "$dir/step" "SELECT * FROM known_blocks ORDER BY 1, 2, 3")
    [ -z "$first" ] || [ "$table" = "$first" ] || fail "$how: other rows than before"
    first=$table
done
[ -s "$dir/expected.4096.512" ] && [ "$(wc -l <"$dir/expected.4096.512")" -gt "$(wc -l <"$dir/expected.4096.4096")" ] || fail "the test's blocks"
[ "$(sqlite3 -readonly "$dir/step" "SELECT name, source, len FROM known_blocks WHERE offset = 200 * 4096 + 512 * 3")" = "$dir/frags/odd|0|36864" ] ||
    fail "a run of blocks: $(sqlite3 -readonly "$dir/step" 'SELECT * FROM known_blocks')"
# A range that begins at an odd byte: blocks still begin at multiples of their length in the image.
expect 0 "" scan --quiet --force --case "$dir/range" --segment 64K --range 65000:131073 --known "$dir/blocks.512" "$dir/blocks.img"
awk '$1 >= 65000 && $1 + 512 <= 65000 + 131073' "$dir/expected.512.512" >"$dir/expected.range"
places "$dir/range" 1 512 | diff "$dir/expected.range" - >"$dir/diff" || fail "--range: $(head -3 "$dir/diff")"

expect 0 "" scan --json --force --case "$dir/case" --known "$dir/bad" --known "$dir/blocks.512" "$image"
python3 -c 'import json, sys; k = json.load(open(sys.argv[1]))["known"]; assert k["bad"] > 0 and k["unknown"] > 0 and k["blocks"] == 0, k' "$dir/out" ||
    fail "scan --json: $(cat "$dir/out")"

# Wrong sets stop before a case file is made.
cp "$dir/bad" "$dir/hurt"
flip "$dir/hurt" 4200
expect 3 "damaged" scan --case "$dir/none" --known "$dir/hurt" "$image"
expect 3 "cannot be opened" scan --case "$dir/none" --known "$dir/absent" "$image"
expect 3 "not a hash set" scan --case "$dir/none" --known "$image" "$image"
expect 3 "known-step" scan --case "$dir/none" --known-step 4096 --known "$dir/blocks.512" "$image"
expect 3 "no --known names one" scan --case "$dir/none" --known-step 512 --known "$dir/bad" "$image"
expect 2 "no --known names one" scan --case "$dir/none" --known-step 512 "$image"
expect 2 "unknown word 'nice'" list --known nice "$dir/case"
expect 2 "unknown word 'nice'" carve --out "$dir/none" --known nice "$dir/case"
[ ! -e "$dir/none" ] || fail "a wrong set left a case file"
finish
