#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/usage.sh - wrong words: exit status 2 and one line that names the word; --help and --version everywhere.
# Labels: long slow
. "$(dirname "$0")/../lib.sh"
head -c 100000 /dev/zero >"$dir/image"

expect 2 "" # without a word: the usage, on standard error
[ -s "$dir/err" ] && [ ! -s "$dir/out" ] || fail "burin without a word does not explain itself on standard error"
expect 2 "nonsense" nonsense
expect 2 "image" scan
expect 2 "no-such-option" scan --no-such-option "$dir/image"
expect 2 "types.*unknown|unknown.*type|no type|nosuchtype" scan --types png,nosuchtype --case "$dir/case" "$dir/image"
expect 2 "numbers from 0 to 15" scan --devices 0,x --case "$dir/case" "$dir/image"
expect 2 "named twice" scan --devices 1,1 --case "$dir/case" "$dir/image"
expect 2 "runs on the CPU" scan --devices 0 --engine naive --case "$dir/case" "$dir/image"
expect 2 "nosuchengine" scan --engine nosuchengine --case "$dir/case" "$dir/image"
# What search and scan share is refused by both, before there is a case file.
expect 2 "nosuchengine: unknown engine; see burin info --engines$" search --engine nosuchengine --case "$dir/case" "$dir/image" x
expect 3 "no-such: No such file or directory; check the path of the image or the case file$" info "$dir/no-such"
expect 2 "runs on the CPU" search --devices 0 --engine naive --case "$dir/case" "$dir/image" x
# What does not run on this machine is no wrong word.
"$BURIN" info --engines | awk -F '\t' 'NF > 1 && $3 != "yes" { print $1 }' >"$dir/missing"
while read -r engine; do
    expect 4 "--engine $engine does not run here: .*see burin info --engines$" scan --engine "$engine" --case "$dir/case" "$dir/image"
    expect 4 "--engine $engine does not run here: .*see burin info --engines$" search --engine "$engine" --case "$dir/case" "$dir/image" x
    expect 4 "$engine" bench match --size 64K --runs 1 --no-peers --engines "$engine"
done <"$dir/missing"
if grep -qx 'shift-and' "$dir/missing"; then
    for list in 0 all 9 0,1; do
        expect 4 "--devices $list: .*leave --devices out" scan --devices "$list" --case "$dir/case" "$dir/image"
        expect 4 "--devices $list: .*leave --devices out" search --devices "$list" --case "$dir/case" "$dir/image" x
    done
fi
expect 2 "nosuchbackend" scan --io nosuchbackend --case "$dir/case" "$dir/image"
expect 2 "--image-type qcow: there is no such type of image; there are auto, raw, " scan --image-type qcow --case "$dir/case" "$dir/image"
expect 2 "--image-type qcow: there is no such type of image; there are auto, raw, " search --image-type qcow --case "$dir/case" "$dir/image" x
expect 2 "compat" scan --compat photorec --case "$dir/case" "$dir/image"
for word in 0 -1 257 1.5 many 999999999999999999999; do
    expect 2 "threads" scan --threads "$word" --case "$dir/case" "$dir/image"
done
for word in 0 1 63K 65M 100000 1Q 64KB -64K ''; do
    expect 2 "segment" scan --segment "$word" --case "$dir/case" "$dir/image"
done
for word in 0 x -512; do
    expect 2 "align" scan --align "$word" --case "$dir/case" "$dir/image"
done
for word in x 5:x :5: 1:0 -1:5; do
    expect 2 "range" scan "--range=$word" --case "$dir/case" "$dir/image"
done
[ ! -e "$dir/case" ] || fail "a wrong word left a case file"
expect 2 "case" list
expect 2 "out" carve "$dir/case"
expect 2 "file" identify

# A word that is nearly one: what may have been meant. Words that are near nothing get no guess.
expect 2 "^burin: no command 'crave'; did you mean 'carve'\? 'burin help' lists all$" crave --out x case
expect 2 "did you mean 'list'" lsit
expect 2 "did you mean 'help'" hlep
expect 2 "did you mean 'version'" verison
expect 2 "no command 'nonsense'; 'burin help' lists all$" nonsense
expect 2 "^burin: list: unknown option --quite; did you mean --quiet\? see 'burin list --help'$" list --quite case
expect 2 "^burin: list: unknown option --nonsense; try 'burin list --help'$" list --nonsense case

# `burin help COMMAND` is `burin COMMAND --help`; `burin help` and `burin version` are --help and --version.
expect 0 "" --help
cp "$dir/out" "$dir/help"
expect 0 "" help
cmp -s "$dir/out" "$dir/help" || fail "burin help is not burin --help"
expect 0 "" --version
cp "$dir/out" "$dir/version"
expect 0 "" version
cmp -s "$dir/out" "$dir/version" || fail "burin version is not burin --version"
# Both name the libraries that info lists, with their versions.
"$BURIN" info | awk -F '\t' '$1 == "library" { print $2 }' >"$dir/libraries"
[ "$(wc -l <"$dir/libraries")" -ge 9 ] || fail "info lists few libraries: $(cat "$dir/libraries")"
while read -r library; do
    grep -qF "${library%% *} " "$dir/version" || fail "--version does not name $library: $(cat "$dir/version")"
done <"$dir/libraries"
expect 2 "did you mean 'carve'" help crave
expect 2 "unexpected word 'list'" help carve list
expect 2 "unexpected word 'x'" version x
while read -r command; do
    expect 0 "" "$command" --help
    cp "$dir/out" "$dir/help"
    expect 0 "" help "$command"
    cmp -s "$dir/out" "$dir/help" || fail "burin help $command is not burin $command --help"
done <<<"$(commands)"
# Kinds of benchmark have texts of their own.
expect 0 "" bench match --help
cp "$dir/out" "$dir/help"
grep -q '^Usage: burin bench match ' "$dir/out" || fail "bench match --help does not begin with its usage"
expect 0 "" help bench match
cmp -s "$dir/out" "$dir/help" || fail "burin help bench match is not burin bench match --help"
expect 2 "did you mean match" bench mathc --help
expect 2 "did you mean match" help bench mathc
expect 2 "unexpected word 'x'" help bench match x
expect 2 "^burin: bench: unknown option --runz; did you mean --runs\? see 'burin bench match --help'$" bench match --runz 3

for command in scan list identify carve known bench info; do
    expect 0 "" "$command" --help
    grep -q "^usage: burin $command" "$dir/out" || grep -qi "usage: burin $command" "$dir/out" || fail "$command --help does not begin with its usage"
    expect 0 "" "$command" --version
    grep -q '^burin [0-9]' "$dir/out" || fail "$command --version says $(head -1 "$dir/out")"
done
expect 0 "" --help
for command in scan list identify carve known bench info; do
    grep -q "\\b$command\\b" "$dir/out" || fail "--help does not name $command"
done
expect 0 "" --version
for table in engines devices images types; do
    expect 0 "" info --$table
done
# The two halves of the engines: behind an empty line and a heading those of papers; in JSON each says which half it is of.
"$BURIN" info --engines | awk -F '\t' -v half=scan '$0 == "" { half = "paper" } NF > 1 { print $1, half }' >"$dir/halves"
"$BURIN" info --engines --json | python3 -c 'import json, sys
for engine in json.load(sys.stdin): print(engine["name"], engine["part"])' >"$dir/parts"
cmp -s "$dir/halves" "$dir/parts" || fail "info --engines and --json part engines in two ways: $(diff "$dir/halves" "$dir/parts")"
for engine in "simd scan" "quick-search scan" "naive scan"; do
    grep -qx "$engine" "$dir/parts" || fail "info --engines --json: not $engine"
done
if has_papers; then grep -qx 'rk:cuda paper' "$dir/parts" || fail "info --engines --json: rk:cuda is of no paper"; fi
expect 0 "" info --types
grep -q '^png' "$dir/out" || fail "info --types does not begin a line with png"
finish
