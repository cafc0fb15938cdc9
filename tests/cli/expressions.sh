#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/expressions.sh - regular expressions of a configuration file that mean harm: each is refused by file, line and column, or
# looked for to the end, and a scan that looks for slow ones stops when it is asked to.
#
# Method: the columns are counted by hand. What expressions find in bytes that are written here was worked out by hand as well.
. "$(dirname "$0")/lib.sh"

head -c 300000 /dev/zero | tr '\0' a >"$dir/image"
printf 'zqHEAD 12 FOOT' >>"$dir/image"
head -c 100000 "$BURIN" >>"$dir/image"

refused() { # EXPRESSION COLUMN WHY
    printf '# a rule\nabc y 1000 HEAD /%s/\n' "$1" >"$dir/bad.conf"
    expect 3 "bad\\.conf:2:$2: the regular expression .*$3" scan --quiet --dictionary "$dir/bad.conf" --case "$dir/case" "$dir/image"
    [ ! -e "$dir/case" ] || { fail "/$1/ left a case file"; rm -f "$dir"/case*; }
}
# The footer begins at column 17, its first byte stands in column 18.
refused '((a{200}){200}){5}' 18 'has 200000 bytes .* at most 4096'
refused '((a|bc){255}){255}' 18 'at most 4096'
refused '((((a|bc){255}){255}){255}){255}' 18 'at most 4096'
refused '(.*a.{9,99}b){20}' 18 'smaller counts'
refused '(a{255}){5}' 18 '1024 bytes or fewer'
refused 'ab(c' 20 'without its \)'
refused 'x[ab' 19 'without its \]'
refused 'a{2,1}' 19 'first count is larger'
refused 'a{256}' 19 'larger than 255'
refused '(a)\1' 21 'back-references'
refused 'a*?' 18 'always the empty string'

# Others end, whatever the data. A rule whose footer they are finds its file.
hard=(
    '.*zq' '.*.*.*.*zq' '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^x]zq' '(.{1,200}){1,200}zq' '((a{1,255}){1,255}){1,255}zq' '(a*)*zq' '(a|aa)+zq'
    '(a|b)*a(a|b){12}zq' 'a.{0,200}a.{0,200}azq'
)
for expression in "${hard[@]}"; do
    printf 'abc y 1000 HEAD FOOT\nhard y 1000 XYXYXYX /%s/\n' "$expression" >"$dir/hard.conf"
    expect 0 "" scan --quiet --force --all-hits --segment 64K --dictionary "$dir/hard.conf" --case "$dir/case" "$dir/image"
    expect 0 "" list "$dir/case"
    [ "$(cut -f2-5 "$dir/out" | tr '\t' ' ')" = 'abc footer 300002 12' ] || fail "/$expression/: other objects: $(cat "$dir/out")"
    # The q before HEAD ends a match that is as long as can be, of 1024 bytes; so the first one begins at 300002 - 1024.
    found=$(sqlite3 "$dir/case" 'SELECT min(offset), max(len) FROM hits WHERE footer AND offset < 300002 AND offset + len = 300002')
    [ "$expression" != '.*zq' ] || [ "$found" = '298978|1024' ] || fail "/$expression/: from $found"
done

# Expressions as headers and footers, whatever the number of threads and the size of segments.
printf 'abc y 1000 /HEA[A-Z]\\s/ /F(O{2}|o+)T/\n' >"$dir/rules.conf"
for how in '--threads 1' '--threads 3 --segment 64K'; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --force $how --dictionary "$dir/rules.conf" --case "$dir/case" "$dir/image"
    expect 0 "" list "$dir/case"
    [ "$(cut -f2-5 "$dir/out" | tr '\t' ' ')" = 'abc footer 300002 12' ] || fail "$how: $(cat "$dir/out")"
done

# A scan with slow expressions stops when it is asked to.
truncate -s 4G "$dir/long.raw" 2>/dev/null || finish
for _ in $(seq 9); do printf 'abc y 1000 /.*.{9}.*zq/ FOOT\n'; done >"$dir/slow.conf"
rm -f "$dir"/case*
"$BURIN" scan --quiet --threads 2 --segment 64M --dictionary "$dir/slow.conf" --case "$dir/case" "$dir/long.raw" 2>"$dir/err" &
scan=$!
for _ in $(seq 500); do
    [ ! -e "$dir/case" ] || break
    sleep 0.01
done
sleep 0.3
kill -TERM "$scan"
status=0
wait "$scan" || status=$?
check 130 "stopped" "a slow scan, interrupted"
[ "$(sqlite3 "$dir/case" 'SELECT status, position < 4294967296 FROM runs')" = 'interrupted|1' ] ||
    fail "the run is $(sqlite3 "$dir/case" 'SELECT status, position FROM runs')"
finish
