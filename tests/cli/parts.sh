#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/parts.sh - a scan gives the same rows however the image is cut into parts: at what places, by how many threads, with which
# engine; also with rules, known blocks, a range, expressions and hits alone. The image holds archives of every kind in step, whose
# members begin in other parts than they do.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted
python3 "$cli/make_archives.py" "$dir/made" || exit 1
cat "$image" "$dir/made" "$image" "$dir/made" >"$dir/disk.raw"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'gif y 5000 GIF89a \x00\x3b' 'bot n 3000 pk\x03\x04 pk\x05\x06 REVERSE' \
    'nxt y 9000 RIFF GIF NEXT' 'bmp y 1000 BM' 'any y 300000 PK\x03\x04 PK\x05\x06 REVERSE' 'reg y 4000 /GIF8[79]a/ /\x00[a-z ]{3}/' >"$dir/rules.conf"
printf '%s\n' 'txt y 90000 wor ASCII' 'zip y 400000 PK\x03\x04 PK\x05\x06' 'gif y 5000 GIF \x3b NEXT' >"$dir/foremost.conf"
head -c 400000 "$dir/made" >"$dir/file"
expect 0 "" known build --quiet --files --block 4096 --names "$dir/blocks" "$dir/file"

# Rows of a scan in one part, then of scans cut otherwise.
cut_alike() {
    local how
    rm -f "$dir/case"*
    expect 0 "" scan --quiet --part-size 1G --threads 1 --segment 16M "$@" --case "$dir/case" "$dir/disk.raw"
    rows "$dir/case" >"$dir/rows"
    [ "$(wc -l <"$dir/rows")" -gt 40 ] || fail "scan $*: only $(wc -l <"$dir/rows") rows to compare"
    for how in "${ways[@]}"; do
        rm -f "$dir/case"*
        # shellcheck disable=SC2086 # words, on purpose
        expect 0 "" scan --quiet $how "$@" --case "$dir/case" "$dir/disk.raw"
        rows "$dir/case" >"$dir/rows.cut"
        cmp -s "$dir/rows" "$dir/rows.cut" || fail "scan $how $*: other rows: $(diff "$dir/rows" "$dir/rows.cut" | head -5)"
    done
}
ways=("--part-size 64K --threads 2" "--part-size 4K --threads 3 --engine ac" "--part-size 400K --part-seed 3 --threads 16 --segment 64K"
    "--part-size 300K --threads 4 --parts-at-once 1" "--part-size 2M --part-seed 9 --threads 5 --parts-at-once 3 --segment 64K")
[ -z "${BURIN_LONG:-}" ] || ways+=("--part-size 100K --part-seed 4 --threads 1 --engine words" "--part-size 1M --threads 5 --io pread"
    "--part-size 300K --part-seed 5 --engine simd")
cut_alike
ways=("--part-size 64K --part-seed 6 --threads 3 --segment 64K")
[ -z "${BURIN_LONG:-}" ] || ways+=("--part-size 64K --threads 2 --segment 64K" "--part-size 500K --part-seed 6 --threads 3")
cut_alike --all-hits --dictionary "$dir/rules.conf"
cut_alike --dictionary "$dir/foremost.conf" --compat foremost
cut_alike --known "$dir/blocks" --known-step 512
cut_alike --known "$dir/blocks"
cut_alike --hits-only
cut_alike --range 65001:6000003
cut_alike --types zip,gz,tar,mp3

# More threads than processors do not scan an image in memory, unless somebody says how it is cut.
truncate -s 40M "$dir/disk.raw"
cat "$dir/disk.raw" >"$dir/memory.raw" # no holes, and in the page cache
rm -f "$dir/case"*
expect 0 "" scan --quiet --threads 1 --case "$dir/one" "$dir/memory.raw"
for how in "--threads 7" "--threads 7 --part-size 4M" "--threads 2"; do
    # shellcheck disable=SC2086 # words, on purpose
    BURIN_CPUS=2 expect 0 "" scan --quiet --force $how --case "$dir/many" "$dir/memory.raw"
    cmp -s <("$BURIN" list --digest "$dir/one") <("$BURIN" list --digest "$dir/many") || fail "$how: other rows"
    text=$(sqlite3 -readonly "$dir/many" "SELECT text FROM log WHERE text LIKE 'read %'")
    case $how in *" 7") want="read 2 parts at a time: *; of 7 threads 2 scan, *" ;; *4M) want="read 7 parts at a time: *" ;; *) want="read 2 parts at a time: *[!s]" ;; esac
    # shellcheck disable=SC2053 # a pattern, on purpose
    [[ $text == $want ]] || fail "scan $how says in its log: $text"
done

rm -f "$dir/case"*
expect 0 "" search --quiet --part-size 1G --json --no-file-systems -i --case "$dir/case" "$dir/disk.raw" jk ab 'PK' Q
tr -d '\n' <"$dir/out" >"$dir/whole"
[ "$(wc -c <"$dir/whole")" -gt 1000 ] || fail "search: $(cat "$dir/whole")"
rm -f "$dir/case"*
expect 0 "" search --quiet --part-size 40K --part-seed 7 --threads 3 --json --no-file-systems -i --case "$dir/case" "$dir/disk.raw" jk ab 'PK' Q
tr -d '\n' <"$dir/out" | cmp -s - "$dir/whole" || fail "search: other hits in parts"
finish
