#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/selection.sh - the words that choose objects mean the same to scan, list and carve: names, groups, extensions.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
expect 0 "" list "$dir/case"
cp "$dir/out" "$dir/all"
count=$(wc -l <"$dir/all")
jpgs=$(awk -F'\t' '$2 == "jpg"' "$dir/all" | wc -l)
[ "$jpgs" -gt 3 ] || fail "the image has $jpgs jpg"

# chosen WORDS TYPES...: list --types WORDS has exactly the objects of these types, and so has a scan for them.
chosen() {
    local words=$1
    shift
    awk -F'\t' -v types=" $* " 'index(types, " " $2 " ")' "$dir/all" >"$dir/want"
    [ -s "$dir/want" ] || fail "$words: no object of types $*"
    expect 0 "" list --types "$words" "$dir/case"
    cmp -s "$dir/out" "$dir/want" || fail "list --types $words: $(cut -f2 "$dir/out" | sort | uniq -c | tr '\n' ' ')"
    expect 0 "" scan --quiet --force --types "$words" --case "$dir/scan" "$image"
    burin list "$dir/scan"
    [ "$(cut -f2,4,5 "$dir/out")" = "$(cut -f2,4,5 "$dir/want")" ] || fail "scan --types $words finds others than list chooses"
}
chosen jpg jpg
chosen jpeg jpg
chosen JPEG,Png jpg png
chosen zip zip odt
chosen odt odt
chosen riff wav
expect 0 "" list -t all "$dir/case"
cmp -s "$dir/out" "$dir/all" || fail "list -t all is not all"
expect 0 "" carve --quiet --truncated --embedded -t jpeg --out "$dir/jpeg" "$dir/case"
[ "$(find "$dir/jpeg" -path "*/jpg/*" -type f | wc -l)" = "$jpgs" ] || fail "carve -t jpeg writes $(find "$dir/jpeg" -type f | wc -l) files"

# What is cut short has a folder of its own, and people are told how much waits for it.
expect 0 "" carve --truncated --out "$dir/cut" "$dir/case"
[ "$(cd "$dir/cut" && find . -path './truncated/*' -type f | wc -l)" = "$(awk -F'\t' '$3 == "truncated"' "$dir/all" | wc -l)" ] || fail "truncated/: $(find "$dir/cut" -type f)"
expect 0 "" carve --out "$dir/whole" "$dir/case"
[ ! -e "$dir/whole/truncated" ] || fail "cut files without --truncated"
# A word that is none is refused before anything is written, and what it may have been meant for is named.
for command in "scan --case $dir/none $image" "list $dir/case" "carve --out $dir/none $dir/case"; do
    # shellcheck disable=SC2086
    expect 2 "--types: no type 'nosuch'.*burin info --types" $command --types png,nosuch
    # shellcheck disable=SC2086
    expect 2 "no type 'jgp'.*did you mean .*jpg" $command --types jgp
    # shellcheck disable=SC2086
    expect 2 "a name is missing" $command --types png,
done
[ ! -e "$dir/none" ] || fail "a wrong word left something"
for command in list "carve --out $dir/none"; do
    # shellcheck disable=SC2086
    expect 2 "--known: unknown word 'goood'; did you mean 'good'\\? allowed are bad, good, known, unknown, unchecked and all" $command --known bad,goood "$dir/case"
done
expect 2 "--state: unknown word 'complet'; did you mean 'complete'\\?" list --state complet "$dir/case"
expect 2 "--state: unknown word 'whole'; allowed are complete, footer, truncated, fragmented and all" list --state whole "$dir/case"
# What the command line alone tells is said before the case file is opened.
expect 2 "unknown word 'whole'" list --state whole "$dir/no-such-case"
expect 2 "a name is missing" list --types , "$dir/no-such-case"
expect 2 "--min-size 11 is more than --max-size 10" carve --min-size 11 --max-size 10 --out "$dir/none" "$dir/no-such-case"
expect 2 "unknown word 'x'" carve --known x --out "$dir/none" "$dir/no-such-case"
expect 0 "" list --state COMPLETE,Truncated "$dir/case"
[ "$(cut -f1-6 "$dir/out")" = "$(cut -f1-6 "$dir/all")" ] || fail "states in capital letters" # carve adds hashes
expect 0 "" list --state all --known ALL "$dir/case"
[ "$(wc -l <"$dir/out")" = "$count" ] || fail "--state all --known all"

# Types that are no built-in ones: those of a configuration file's rules, whether objects came of them or not.
{
    printf 'mine y 10000 \\x89PNG IEND\\xae\\x42\\x60\\x82\n'
    printf 'unused y 10000 nowhere\\xff\\xfe\\xfd\n'
    printf 'NONE y 10000 GIF89a \\x00\\x3b\n'
} >"$dir/rules.conf"
expect 0 "" scan --quiet --dictionary "$dir/rules.conf" --case "$dir/rules" "$image"
expect 0 "" list "$dir/rules"
cut -f2 "$dir/out" | sort | uniq -c >"$dir/types"
grep -q ' mine$' "$dir/types" || fail "the rules find: $(cat "$dir/types")"
expect 0 "" list --types MINE "$dir/rules"
[ "$(cut -f2 "$dir/out" | sort | uniq -c)" = "$(grep ' mine$' "$dir/types")" ] || fail "--types MINE: $(cat "$dir/out")"
expect 0 "" carve --quiet --truncated --types mine --out "$dir/mine" "$dir/rules"
[ -d "$dir/mine/mine" ] || fail "carve --types mine writes $(ls "$dir/mine")"
expect 2 "no type 'mime', and none in the case file; did you mean .*mine" list --types mime "$dir/rules"
expect 2 "no type 'mine', and none in the case file" list --types mine "$dir/case"

# An empty answer says what there is; and says nothing where nobody listens.
expect 0 "no object matches: $dir/rules has [0-9]+ objects, 0 of type unused\$" list --types unused "$dir/rules"
expect 0 "no object matches: $dir/case has $count objects, $jpgs of type jpeg, 0 of state footer\$" list --types jpeg --state footer "$dir/case"
expect 0 "$count objects, 0 known as good\$" list --known good "$dir/case"
expect 0 "" list --quiet --known good "$dir/case"
[ ! -s "$dir/err" ] || fail "a quiet empty list says: $(cat "$dir/err")"
expect 0 "no object matches" list --json --known good "$dir/case"
[ "$(python3 -c 'import json, sys; print(json.load(sys.stdin))' <"$dir/out")" = "[]" ] || fail "an empty JSON list"
burin carve --min-size 1G --out "$dir/large" "$dir/case"
[ "$status" -eq 0 ] || fail "carve of nothing: status $status"
grep -q "carve: no object matches: $dir/case has $count objects, 0 of the size asked for\$" "$dir/err" || fail "carve of nothing says: $(cat "$dir/err")"
expect 0 "" carve --quiet --min-size 1G --out "$dir/large-quiet" "$dir/case"
[ ! -s "$dir/err" ] || fail "a quiet carve of nothing says: $(cat "$dir/err")"
finish
