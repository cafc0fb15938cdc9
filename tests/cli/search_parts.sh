#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/search_parts.sh - a search in parts that processes do for themselves, merged, is one search: words, bytes, expressions and
# features over every cut, in whatever encodings, engines and threads; beside a scan in the same case file; of a range; with bytes that
# cannot be read. Shards of other words, of a scan, damaged or missing ones are told of, and so is a list of words that has changed.
# Labels: long
. "$(dirname "$0")/lib.sh"

# Parts begin at multiples of 4 KiB: over each of these lies a word, an address or a run of letters.
python3 - "$dir/image" <<'PY'
import random, sys
rng = random.Random(23)
image = bytearray(rng.choice(b"stuv \n\0") for _ in range(163840))
things = [w.encode(e) for w in ("Geheim", "geheim", "Größe", "GRÖSSE") for e in ("utf-8", "utf-16-le")]
things += [b"a" * 40, b"mail someone@example.org today", b"\xff\xd8\xff\xe7", b"geheim" * 3]
for n in range(1, len(image) // 4096):
    data = things[n % len(things)]
    at = n * 4096 - rng.randrange(len(data) + 1)
    image[at:at + len(data)] = data
open(sys.argv[1], "wb").write(image)
PY
image=$dir/image parts=$dir/parts
printf 'größe\nvut\n' >"$dir/words"
what=(-i --file "$dir/words" --hex 'ff d8 ff e?' --regex 'a{2,30}' --features email)
ways=("--threads 1 --segment 64K" "--threads 2 --engine ac" "--threads 3 --part-size 8K --io pread" "" "--engine words --part-size 4K")

# searched N WORD...: all N parts, each in another way, the last one first; WORD... begins behind the image where it is a keyword.
searched() {
    local count=$1 k
    shift
    rm -rf "$parts"
    for ((k = count - 1; k >= 0; k--)); do
        # shellcheck disable=SC2086 # words, on purpose
        "$BURIN" search --quiet --part "$k/$count" --parts "$parts" ${ways[k % ${#ways[@]}]} "$@" 2>"$dir/err" >"$dir/out" ||
            fail "part $k of $count: $(cat "$dir/err")"
        [ ! -s "$dir/out" ] || fail "a part prints hits: $(head -2 "$dir/out")"
    done
}
# alike CASE CASE WHAT: the same hits, as rows, and as people see them.
alike() {
    [ "$("$BURIN" list --digest "$1")" = "$("$BURIN" list --digest "$2")" ] || fail "$3: another digest"
    "$BURIN" list --quiet --found "$1" >"$dir/found" 2>"$dir/err"
    "$BURIN" list --quiet --found "$2" >"$dir/found.merged" 2>"$dir/err"
    [ -s "$dir/found" ] && cmp -s "$dir/found" "$dir/found.merged" || fail "$3: $(diff "$dir/found" "$dir/found.merged" | head -3)"
}

expect 0 "" search --quiet --case "$dir/one" "${what[@]}" "$image" geheim
cut -f1,2 "$dir/out" >"$dir/told"
for count in 2 7 $(rounds 16 40); do
    searched "$count" "${what[@]}" "$image" geheim
    rm -f "$dir/merged"*
    burin merge --case "$dir/merged" "$parts"
    grep -q "image: $(wc -l <"$dir/told") hits in 163840 bytes" "$dir/err" || fail "$count parts: status $status: $(cat "$dir/err")"
    alike "$dir/one" "$dir/merged" "$count parts"
done
# What grep finds of two of them.
count_of() {
    awk -F'\t' -v word="$1" '$2 == word' "$dir/told" | wc -l
}
[ "$(count_of geheim)" = "$(cat "$image" <(iconv -c -f utf-16le -t utf-8 "$image" 2>"$dir/err") \
    <(tail -c +2 "$image" | iconv -c -f utf-16le -t utf-8 2>"$dir/err") |
    grep -aoi geheim | wc -l)" ] || fail "geheim stands there another number of times than grep says"
[ "$(count_of email)" = "$(grep -ao someone@example.org "$image" | wc -l)" ] || fail "email stands there another number of times than grep says"
[ "$(sqlite3 "$dir/merged" "SELECT group_concat(command) FROM runs")" = search ] || fail "the run of a merge is no search's"
[ "$(sqlite3 "$dir/merged" "SELECT count(*) FROM log WHERE text LIKE 'part % of $count, %burin search%--part%'")" = "$count" ] || fail "shards are not in the log"

# Into the case file of a scan, whose objects stay.
"$BURIN" scan --quiet --case "$dir/both" "$image"
"$BURIN" search --quiet --case "$dir/both" "${what[@]}" "$image" geheim >/dev/null
"$BURIN" scan --quiet --case "$dir/added" "$image"
expect 0 "" merge --quiet --case "$dir/added" "$parts"
alike "$dir/both" "$dir/added" "beside a scan"
expect 0 "" verify "$dir/added"

# A range, and bytes that were never read.
printf '# Mapfile.\n0x0 + 1\n0x0 0x2000 +\n0x2000 0x1400 -\n0x3400 0x%x +\n' $((163840 - 0x3400)) >"$dir/map"
"$BURIN" search --quiet --range 5001:100003 --mapfile "$dir/map" --case "$dir/ranged" "$image" geheim >/dev/null 2>&1
[ $? = 1 ] || fail "a search with bytes that were not read has another status than 1"
for k in 0 1 2; do
    burin search --quiet --part $k/3 --parts "$dir/parts.map" --range 5001:100003 --mapfile "$dir/map" "$image" geheim
done
rm -f "$dir/merged"*
burin merge --quiet --case "$dir/merged" "$dir/parts.map"
[ "$status" -eq 1 ] || fail "merge of parts with a map: $status $(cat "$dir/err")"
alike "$dir/ranged" "$dir/merged" "a range and a map"

# told TEXT: the merge says that, and makes nothing.
told() {
    rm -f "$dir/merged"*
    burin merge --quiet --case "$dir/merged" "$parts"
    [ "$status" -eq 3 ] || fail "$1: status $status: $(cat "$dir/err")"
    grep -q -- "$1" "$dir/err" || fail "no '$1': $(cat "$dir/err")"
    [ ! -e "$dir/merged" ] || fail "$1: a case file was made"
}
searched 3 --file "$dir/words" "$image"
cp -r "$parts" "$dir/good"
# spoilt COMMAND...: a good set of three shards, of which the command spoils one.
spoilt() {
    rm -rf "$parts" "$dir/other"
    cp -r "$dir/good" "$parts"
    "$@"
}
spoilt rm "$parts/1.part"
told "1 of 3 parts are missing: 1"
spoilt flip "$parts/2.part" 900
told "2.part: is"
spoilt "$BURIN" search --quiet --part 1/3 --parts "$dir/other" -i --file "$dir/words" "$image"
cp "$dir/other/1.part" "$parts/1.part"
told "1.part: was made with other signatures, rules or keywords"
expect 3 "1.part: was made with other signatures, rules or keywords than this scan" search --part 1/3 --parts "$parts" "$image" geheim
spoilt "$BURIN" scan --quiet --part 1/3 --parts "$dir/other" "$image"
cp "$dir/other/1.part" "$parts/1.part"
told "1.part: was made with other signatures, rules or keywords"
spoilt cp "$dir/words" "$dir/words.kept"
printf 'neu\n' >>"$dir/words"
told "a shard there was made with other signatures, rules or keywords"
rm "$dir/words"
told "words"
mv "$dir/words.kept" "$dir/words"
rm -f "$dir/merged"*
expect 0 "" merge --quiet --case "$dir/merged" "$parts"

expect 2 "belong together" search --part 0/3 "$image" geheim
expect 2 "name a file" search --part 0/3 --parts "$parts" -f - "$image"
expect 2 "says nothing with --part" search --part 0/3 --parts "$parts" --context 3 "$image" geheim
expect 2 "says nothing with --part" search --part 0/3 --parts "$parts" --json "$image" geheim
expect 2 "goes with none of" search --part 0/3 --parts "$parts" --case "$dir/x" "$image" geheim
expect 2 "resume is of a scan" merge --resume --case "$dir/merged" "$parts"
finish
