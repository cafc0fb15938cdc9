#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/terminal.sh - nothing that comes from outside reaches a terminal as more than text: not
# the names of images, case files, folders, dictionaries and sets, and not what stands in a case
# file.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
esc=$'\033[2J\n\t' c1=$'\302\233' rtl=$'\342\200\256' hidden=$'\342\200\213' hebrew=$'\327\251\327\234'
bad=$dir/x$esc$c1$rtl$hidden$hebrew
mkdir "$bad"
cp "$image" "$bad/i$esc$rtl.raw"
image=$bad/i$esc$rtl.raw
case=$bad/c$esc$rtl
BURIN=$(readlink -f "$BURIN")
cd "$bad" || exit 1

# What was printed has none of it, but for the line feeds that end lines, and tabs where there is a
# table; LINES on standard error.
clean() {
    local file
    for file in out err; do
        ! LC_ALL=C grep -qE "$(printf '\033|\302\233|\342\200\256|\342\200\213')" "$dir/$file" ||
            fail "$1: $(LC_ALL=C grep -m1 -aE "$(printf '\033|\302\233|\342\200\256|\342\200\213')" "$dir/$file" | cat -v | head -c 300)"
    done
    [ "$(wc -l <"$dir/err")" -le "$2" ] || fail "$1: a name made lines of its own: $(cat -v "$dir/err" | head -5)"
}
# As many lines as of an image with a plain name.
burin scan --case "$dir/plain" "$dir/image.raw"
lines=$(wc -l <"$dir/err")
burin scan --case "$case" "$image"
clean scan "$lines"
grep -q "$hebrew" "$dir/err" || fail "the letters of an alphabet are not printed: $(cat "$dir/err")"
burin scan --force --json --quiet --case "$case" "$image"
clean "scan --json" 1
python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(d["image"] != sys.argv[2] or d["case"] != sys.argv[3])' \
    "$dir/out" "$image" "$case" || fail "JSON does not have the names as they are"
burin list "$case"
clean list 1
[ "$status" -eq 0 ] || fail "list: status $status"
burin carve --out "$bad/out" "$case"
clean carve 4
burin identify "$image" "$bad/none"
clean identify 2
burin search --case "$bad/search$esc" "$image" GIF
clean search 3
[ -s "$dir/out" ] || fail "search found nothing"
printf 'gif y 100 GIF\nstrange%s y\n' "$esc" >"$bad/conf$rtl"
burin scan --dictionary "$bad/conf$rtl" --case "$bad/d" "$image"
clean "a dictionary" $((lines + 2))
printf 'd41d8cd98f00b204e9800998ecf8427e  x%s\n' "$rtl$c1" >"$bad/list$rtl"
burin known build "$bad/set$esc$rtl" "$bad/list$rtl"
clean "known build" 1
burin known info "$bad/set$esc$rtl"
clean "known info" 1
burin scan --known "$bad/set$esc$rtl" --case "$bad/k$esc" "$image"
clean "scan --known" $((lines + 1))
for file in "$bad/none" "$bad" "$bad/conf$rtl"; do
    for command in scan list carve known; do
        burin $command "$file"
        clean "$command of what is none" 5
    done
done

# A scan that did not end: list names the image.
sqlite3 "$case" "UPDATE runs SET status = 'running'" 2>/dev/null
burin list "$case"
clean "list of an unfinished scan" 1
grep -q 'did not finish' "$dir/err" || fail "list does not say that the scan did not end: $(cat -v "$dir/err")"

# Context of a hit: what turns the line round is no text.
printf 'before%sKEY%s%safter' "$rtl" "$hebrew" "$c1" | dd of="$dir/context.raw" bs=512 conv=sync status=none
burin search --case "$dir/context.case" "$dir/context.raw" KEY
clean "the context of a hit" 4
grep -q "$hebrew" "$dir/out" || fail "a letter of an alphabet is not shown in context: $(cat -v "$dir/out")"
finish
