#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/stdin.sh - lists from standard input: words, rules and hashes that are piped give what the same file gives.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted

# piped FILE STATUS TEXT WORD...: as expect, with FILE through a pipe on standard input, in small pieces.
piped() {
    local file=$1 want=$2 text=$3
    shift 3
    status=0
    { head -c 100; sleep 0.05; cat; } <"$file" | "$BURIN" "$@" >"$dir/out" 2>"$dir/err" || status=$?
    check "$want" "$text" "burin $* <$file"
}

printf 'JFIF\nIHDR\n' >"$dir/words"
expect 0 "" search --quiet --no-file-systems --case "$dir/search" -f "$dir/words" "$image"
cp "$dir/out" "$dir/want"
[ -s "$dir/want" ] || fail "no word is there"
piped "$dir/words" 0 "" search --quiet --no-file-systems --case "$dir/search-piped" -f - "$image"
cmp -s "$dir/out" "$dir/want" || fail "search -f -: $(head -3 "$dir/out")"
printf 'good\n\377\n' >"$dir/bad"
piped "$dir/bad" 3 "standard input, line 2" search --case "$dir/none" -f - "$image"
piped /dev/null 3 "standard input: the file has no keyword" search --case "$dir/none" -f - "$image"

printf 'mine y 10000 \\x89PNG IEND\\xae\\x42\\x60\\x82\n' >"$dir/rules.conf"
expect 0 "" scan --quiet --dictionary "$dir/rules.conf" --case "$dir/rules" "$image"
burin list "$dir/rules"
cp "$dir/out" "$dir/want"
cp "$image" "$dir/copy"
piped "$dir/rules.conf" 0 "" scan --quiet --dictionary - --case "$dir/rules-piped" "$image" "$dir/copy"
expect 0 "" list "$dir/rules-piped"
cmp -s <(cut -f2-6 "$dir/out") <(cat "$dir/want" "$dir/want" | cut -f2-6) || fail "scan --dictionary -: $(head -3 "$dir/out")"
[ "$(sqlite3 "$dir/rules-piped" "SELECT DISTINCT origin FROM signatures")" = "standard input:1" ] || fail "the origin of a piped rule"
printf 'broken\n' >"$dir/bad"
piped "$dir/bad" 3 "standard input:1:[0-9]+: " scan --dictionary - --case "$dir/none" "$image"

# Hashes: in every format that is a stream, shorter and longer than what is looked at to tell the format.
python3 -c 'import hashlib
for number in range(1, 301):
    print(hashlib.sha1(b"%d" % number).hexdigest(), " file", number)' >"$dir/sums"
head -2 "$dir/sums" >"$dir/short"
for list in sums short; do
    expect 0 "" known build --quiet "$dir/$list.set" "$dir/$list"
    piped "$dir/$list" 0 "" known build --quiet "$dir/$list.piped" -
    piped "$dir/$list" 0 "" known build --quiet --hash sha1 "$dir/$list.hash.piped" -
    burin known info --json "$dir/$list.set"
    python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["sha256"])' <"$dir/out" >"$dir/want"
    for set in "$dir/$list.piped" "$dir/$list.hash.piped"; do
        burin known info --json "$set"
        [ "$(python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["sha256"])' <"$dir/out")" = "$(cat "$dir/want")" ] ||
            fail "$list through a pipe makes another set"
    done
done
piped "$dir/short" 0 "" known add --quiet "$dir/sums.set" -
piped "$dir/words" 0 "" known build --quiet --format words "$dir/words.set" -
printf '"SHA-1","MD5","FileName"\n"%040d","%032d","x"\n' 1 2 >"$dir/rds"
piped "$dir/rds" 0 "" known build --quiet "$dir/rds.set" -
piped /dev/null 3 "standard input:1:1: the file is empty" known build "$dir/none" -
printf 'hello\n' >"$dir/bad"
piped "$dir/bad" 3 "standard input:1:1: unknown format" known build "$dir/none" -
sqlite3 "$dir/rds.db" 'CREATE TABLE METADATA (sha1 TEXT)'
piped "$dir/rds.db" 3 "standard input: an SQLite database" known build "$dir/none" -
[ ! -e "$dir/none" ] || fail "what was wrong left something"
finish
