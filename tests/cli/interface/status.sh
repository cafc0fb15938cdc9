#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/status.sh - status 2 is for what the command line alone tells, and for nothing else; what depends on a file is 3, on the
# machine 4. So each wrong word is tried with files that are there and with files that are not: a usage error stays one.
# Labels: long
. "$(dirname "$0")/../lib.sh"
head -c 100000 /dev/zero >"$dir/image"
printf '%064d  a\n' 0 >"$dir/list"
expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
expect 0 "" known build --quiet "$dir/set" "$dir/list"

# usage TEXT WORD... : IMAGE, CASE and SET stand for files of that kind.
usage() {
    local text=$1 word kind words=()
    shift
    for kind in "$dir/" "$dir/none/"; do
        words=()
        for word; do
            case $word in
            IMAGE) word=${kind}image ;;
            CASE) word=${kind}case ;;
            SET) word=${kind}set ;;
            LIST) word=${kind}list ;;
            esac
            words+=("$word")
        done
        expect 2 "$text" "${words[@]}"
    done
    [ ! -e "$dir/new" ] || { fail "burin $* left something"; rm -rf "$dir/new"; }
}

# Options and their values.
usage "not a range" scan --range x --case "$dir/new" IMAGE
usage "is empty" scan --range 5:0 --case "$dir/new" IMAGE
usage "not a range" search --range 1:2:3 --case "$dir/new" IMAGE word
usage "--compat needs" scan --compat scalpel --case "$dir/new" IMAGE
usage "no --known names" scan --known-step 512 --case "$dir/new" IMAGE
usage "no type" scan --types nosuch --case "$dir/new" IMAGE
usage "out is missing|out DIR is missing" carve CASE
usage "min-size" carve --min-size 2K --max-size 1K --out "$dir/new" CASE
usage "unknown word" list --state nosuch CASE
usage "these lists have only md5" known build --format hashkeeper --hash sha1 "$dir/new" LIST
# Keywords.
usage "empty keyword" search --case "$dir/new" IMAGE ''
usage "hexadecimal" search --hex x --case "$dir/new" IMAGE
usage "two digits" search --hex '' --case "$dir/new" IMAGE
usage "wildcards" search --hex '??' --case "$dir/new" IMAGE
usage "is not UTF-8" search --case "$dir/new" IMAGE $'\xff'
usage "unknown encoding" search --encoding nosuch --case "$dir/new" IMAGE word
usage "none of the encodings" search --encoding ascii --case "$dir/new" IMAGE ä
# Names that are none.
takes_one=(scan list identify "search --hex 00" "carve --out $dir/new" "known info" "bench scan" "bench read" "bench null")
takes_two=("known build" "known query")
for words in "${takes_one[@]}"; do
    # shellcheck disable=SC2086
    usage "the name is empty" $words ''
done
for words in "${takes_two[@]}"; do
    # shellcheck disable=SC2086
    usage "the name is empty" $words '' LIST
done
usage "the name is empty" scan --case '' IMAGE
usage "the name is empty" scan --known '' IMAGE
usage "the name is empty" scan --dictionary '' IMAGE
usage "the name is empty" search --file '' IMAGE
usage "the name is empty" carve --out '' CASE
usage "the name is empty" carve --out "$dir/new" --image '' CASE
# Standard input where a file is read more than once, or at any offset.
for words in "${takes_one[@]}"; do
    # shellcheck disable=SC2086
    usage "'-': standard input can be read only once" $words -
done
for words in "${takes_two[@]}"; do
    # shellcheck disable=SC2086
    usage "SET '-': standard input can be read only once" $words - LIST
done
usage "IMAGE '-'" scan --case "$dir/new" IMAGE -
usage "SET '-'" known info SET -
usage "FILE '-'" known query --files SET -
usage "FILE '-'" known build --files "$dir/new" -
usage "--case '-'" scan --case - IMAGE
usage "--case '-'" search --case - IMAGE word
usage "--known '-'" scan --known - --case "$dir/new" IMAGE
usage "--out '-'" carve --out - CASE
usage "--image '-'" carve --out "$dir/new" --image - CASE
usage "--dictionary '-'" bench scan --dictionary - IMAGE
usage "--dictionary '-'" bench match --no-peers --dictionary -
usage "--data '-'" bench match --no-peers --data -
usage "given twice" search --case "$dir/new" -f - -f - IMAGE
usage "named twice" known build "$dir/new" - -
usage "SQLite" known build --format rds3 "$dir/new" -

# What a file tells.
expect 3 "--range starts at 100000, but $dir/image ends at 100000" scan --range 100000 --case "$dir/new" "$dir/image"
expect 3 "--range starts at 200000" search --range 200000:5 --case "$dir/new" "$dir/image" word
expect 3 "--image is given 2 times" carve --image "$dir/image" --image "$dir/image" --out "$dir/new" "$dir/case"
expect 3 "--hash md5: the set has sha256" known query --hash md5 "$dir/set" x
expect 3 "no --known names one" scan --known-step 512 --known "$dir/set" --case "$dir/new" "$dir/image"
expect 3 "none/image" scan --case "$dir/new" "$dir/none/image"
expect 3 "none/case" list "$dir/none/case"
expect 3 "none/set" known info "$dir/none/set"
expect 3 "none/list" known build "$dir/new" "$dir/none/list"
expect 3 "none/list" search -f "$dir/none/list" --case "$dir/new" "$dir/image"
expect 3 "none/list" scan --dictionary "$dir/none/list" --case "$dir/new" "$dir/image"
[ ! -e "$dir/new" ] || fail "wrong input left something"

# A range may be a start alone.
expect 0 "" scan --range 60000 --json --case "$dir/tail" "$dir/image"
grep -q '"bytes": 40000' "$dir/out" || fail "--range 60000 of 100000 bytes: $(cat "$dir/out")"
expect 0 "" scan --range 60000: --json --case "$dir/tail2" "$dir/image"
grep -q '"bytes": 40000' "$dir/out" || fail "--range 60000: of 100000 bytes: $(cat "$dir/out")"
finish
