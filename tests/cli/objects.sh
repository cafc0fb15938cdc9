#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/objects.sh - a scan lists exactly the objects that were planted, and carve writes exactly their bytes.
#
# Goal: nothing missed, nothing made up. Method: tests/cli/make_image.py knows by construction what its image holds.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted

burin scan --quiet --case "$dir/case" "$image"
check 0 "" "scan"
[ ! -s "$dir/err" ] || fail "a quiet scan says: $(head -c 500 "$dir/err")"
burin list "$dir/case"
check 0 "" "list"
cp "$dir/out" "$dir/list"

# type, state, offset, length, the parent's offset; length - where expected.tsv does not say it
awk -F'\t' -v OFS='\t' 'NR == FNR { at[$1] = $4; next } { print $2, $3, $4, $5, $8 == "-" ? "-" : at[$8] }' "$dir/list" "$dir/list" >"$dir/got"
awk -F'\t' -v OFS='\t' 'NR == FNR { if ($4 == "-") open[$1 $3] = 1; next } $1 $3 in open { $4 = "-" } { print }' \
    "$dir/expected.tsv" "$dir/got" >"$dir/got.tsv"
diff "$dir/expected.tsv" "$dir/got.tsv" || fail "the list (>) is not what was planted (<)"

while IFS=$'\t' read -r _ type state offset length extents _ _ name; do
    [ "$extents" = "$offset+$length" ] || fail "extents of $name are $extents"
    case $name in
    "$([ "$state" != truncated ] || echo truncated/)$type/$(printf %016x "$offset")".*) ;;
    *) fail "name of the object at $offset is $name" ;;
    esac
done <"$dir/list"

# What carve writes is what lies there: whole objects that are in no other one; options add the others.
compare() {
    local folder=$1 state offset length parent name want=0 got
    shift
    burin carve --quiet --out "$folder" "$@" "$dir/case"
    check 0 "" "carve $*"
    while IFS=$'\t' read -r _ _ state offset length _ _ parent name; do
        if { [ "$parent" != - ] && [[ $* != *--embedded* ]]; } || { [ "$state" = truncated ] && [[ $* != *--truncated* ]]; }; then
            [ ! -e "$folder/$name" ] || fail "carve $* wrote $name ($state, parent $parent)"
            continue
        fi
        want=$((want + 1))
        printf '%s\t%s\t%s\n' "$offset" "$length" "$name" >&3
    done <"$dir/list" 3>"$dir/written"
    python3 - "$image" "$folder" "$dir/written" <<'PY' || fail "carve $*: files are not what lies there, or audit.txt lacks their sha256"
import hashlib, sys
image, folder, written = sys.argv[1:]
data, audit, wrong = open(image, "rb").read(), open(folder + "/audit.txt").read(), 0
for line in open(written):
    offset, length, name = line.rstrip("\n").split("\t")
    want = data[int(offset):int(offset) + int(length)]
    if open(f"{folder}/{name}", "rb").read() != want or hashlib.sha256(want).hexdigest() not in audit:
        print(name, "at", offset)
        wrong += 1
sys.exit(wrong > 0)
PY
    got=$(find "$folder" -type f ! -name audit.txt ! -name report.xml | wc -l)
    [ "$got" -eq "$want" ] || fail "carve $* wrote $got files instead of $want"
    xmllint --noout "$folder/report.xml" || fail "report.xml is not well-formed"
    [ "$(grep -c '<fileobject' "$folder/report.xml")" -eq "$want" ] || fail "report.xml lists another number of files"
}
compare "$dir/carved"
compare "$dir/carved-embedded" --embedded
compare "$dir/carved-all" --embedded --truncated

# The same list for programs.
burin list --json "$dir/case"
check 0 "" "list --json"
python3 - "$dir/out" "$dir/list" <<'PY' || fail "list --json differs from list"
import json, sys
text = open(sys.argv[1]).read()
try:
    found = json.loads(text)
except ValueError:
    found = [json.loads(line) for line in text.splitlines()]
if isinstance(found, dict):
    found = found["objects"]
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[2])]
assert len(found) == len(lines), (len(found), len(lines))
for one, line in zip(found, lines):
    assert str(one["id"]) == line[0] and one["type"] == line[1] and one["state"] == line[2], (one, line)
    assert str(one["offset"]) == line[3] and str(one["length"]) == line[4], (one, line)
PY

# identify: the same validators on plain files.
python3 "$cli/samples.py" "$dir/samples"
for file in "$dir"/samples/*; do
    burin identify "$file"
    check 0 "" "identify $file"
    grep -q "${file##*.}" "$dir/out" && grep -q complete "$dir/out" || fail "identify $file: $(cat "$dir/out")"
done

# Parts of the objects, of a case of many, hold each file once between them; with --sort and --limit, of the first ones.
for _ in {1..6}; do cat "$image"; done >"$dir/many.raw"
burin scan --quiet --case "$dir/many" "$dir/many.raw"
for words in "" "--embedded --truncated" "--sort size --limit 100"; do
    rm -rf "$dir"/part.* "$dir/whole"
    # shellcheck disable=SC2086 # words, on purpose
    for k in 0 1 2; do
        cp "$dir/many" "$dir/part.case"
        expect 0 "" carve --quiet --part $k/3 $words --out "$dir/part.$k" "$dir/part.case"
        rm -f "$dir/part.case"*
        [ -n "$(find "$dir/part.$k" -name '[0-9a-f]*.*')" ] || fail "carve --part $k/3 $words writes nothing"
    done
    # shellcheck disable=SC2086
    expect 0 "" carve --quiet $words --out "$dir/whole" "$dir/many"
    diff <(cd "$dir/whole" && find . -path './*/*' -type f | sort) <(cd "$dir" && find part.* -path 'part.*/*/*' -type f | sed 's#^part\..#.#' | sort) >"$dir/diff" ||
        fail "carve --part $words: other files: $(head -5 "$dir/diff")"
done
expect 2 "K/N" carve --part 3 --out "$dir/none" "$dir/many"
finish
