#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/regex.sh - `burin search --regex` beside Python's re: in bytes and in UTF-16, over every boundary, in any case.
#
# Method: Python finds what does not overlap, from the left to the right; the expressions are such that its first choice is the longest
# match. For UTF-16 the expression that Python gets is written by hand.
. "$(dirname "$0")/lib.sh"

python3 - "$dir/image" <<'PY'
import random, sys
rng = random.Random(11)
image = bytearray(rng.randbytes(2 << 20))
words = ["john.doe@example.com", "a@b.de", "Invoice 4711-0815", "invoice 12-1", "AKIAIOSFODNN7EXAMPLE", "x1y22z333", "tel: +49 30 123456"]
for n in range(3000):
    data = rng.choice(words).encode(rng.choice(["ascii", "utf-16-le", "utf-16-be"]))
    at = rng.randrange(1, 32) * 65536 - rng.randrange(0, 60) if n % 2 else rng.randrange(len(image) - 100)
    image[at:at + len(data)] = data
image[0:6] = b"a@b.de"
image[-6:] = b"a@b.de"
image[700000:700100] = b"ab" * 50
open(sys.argv[1], "wb").write(image)
PY

# oracle FLAGS PYTHON-EXPRESSION: offset and length of each match.
oracle() {
    python3 - "$dir/image" "$1" "$2" <<'PY'
import re, sys
data = open(sys.argv[1], "rb").read()
for m in re.finditer(sys.argv[3].encode("latin-1"), data, re.S | (re.I if "i" in sys.argv[2] else 0)):
    print(m.start(), m.end() - m.start())
PY
}

# same NAME FLAGS PYTHON-EXPRESSION WORD... : what `burin search WORD...` records is what Python finds.
same() {
    local name=$1 flags=$2 python=$3 case
    shift 3
    case=$dir/$RANDOM$RANDOM.burin
    expect 0 "" search --quiet --no-file-systems --segment 64K --part-size 64K --case "$case" "$dir/image" "$@"
    sqlite3 -separator ' ' "$case" "SELECT offset, len FROM hits ORDER BY id" >"$dir/ours"
    oracle "$flags" "$python" >"$dir/theirs"
    [ -s "$dir/theirs" ] || fail "$name: nothing to find"
    cmp -s "$dir/ours" "$dir/theirs" || fail "$name: $(wc -l <"$dir/ours") hits, Python has $(wc -l <"$dir/theirs"): $(diff "$dir/ours" "$dir/theirs" | head -3 | tr '\n' ' ')"
}

mail='[a-z0-9.]+@[a-z0-9.]+\.[a-z]{2,}'
same mail "" "$mail" --encoding utf-8 --regex "$mail"
same "mail, any case" i "$mail" --encoding utf-8 -i --regex "$mail"
same "without a text in it" "" '[A-Z]{4}[A-Z0-9]{16}' --encoding utf-8 --regex '[A-Z]{4}[A-Z0-9]{16}'
same "a repeat" "" '(ab)+' --encoding utf-8 --regex '(ab)+'
same "bytes" "" '[\x80-\xff]{6}\x00' --encoding utf-8 --regex '[\x80-\xff]{6}\x00'
same "one letter after the other" "" '[a-z][0-9]+' --encoding utf-8 --regex '[a-z][0-9]+'
wide='(?:[a-z0-9.]\x00)+@\x00(?:[a-z0-9.]\x00)+\.\x00(?:[a-z]\x00){2,}'
same "mail in UTF-16" "" "$wide" --encoding utf-16le --regex "$mail"
wide='\x00[Ii]\x00[Nn]\x00[Vv]\x00[Oo]\x00[Ii]\x00[Cc]\x00[Ee]\x00 (?:\x00[0-9])+\x00-(?:\x00[0-9])+'
same "UTF-16, the other order, any case" "" "$wide" --encoding utf-16be -i --regex 'INVOICE [0-9]+-[0-9]+'

# Engines, threads, segments and parts change nothing; words and expressions go together; encodings with the same bytes count once.
printf 'AKIA[A-Z2-7]{16}\r\n\n[a-z0-9.]+@[a-z.]+\n' >"$dir/expressions"
how=(--quiet --no-file-systems --encoding "utf-8,utf-16le,ascii,utf-16be")
what=("$dir/image" --regex-file "$dir/expressions" --regex '(ab)+' tel)
expect 0 "" search "${how[@]}" --threads 1 --case "$dir/one.burin" "${what[@]}"
cp "$dir/out" "$dir/first"
[ "$(cut -f2,3 "$dir/first" | sort -u | wc -l)" -eq 10 ] || fail "several: $(cut -f2,3 "$dir/first" | sort | uniq -c)"
sqlite3 "$dir/one.burin" "SELECT id, offset, len FROM hits" >"$dir/rows"
for way in "--threads 7 --segment 64K --part-size 64K" "--engine naive" "--engine words --segment 4M" "--engine ac --io pread" "--part-size 100K --part-seed 5"; do
    # shellcheck disable=SC2086
    expect 0 "" search "${how[@]}" $way --case "$dir/other.burin" "${what[@]}"
    cmp -s "$dir/first" "$dir/out" || fail "$way changes what is found"
    sqlite3 "$dir/other.burin" "SELECT id, offset, len FROM hits" | cmp -s - "$dir/rows" || fail "$way changes the rows"
    rm "$dir/other.burin"
done

# The columns; what matched stands in the last one.
printf 'xx \xc3\xa9t\xc3\xa9 12,50 \xe2\x82\xac yy' >"$dir/small"
expect 0 "" search --quiet --case "$dir/small.burin" --context 2 "$dir/small" --regex 'été [0-9,]+ (€|EUR)'
[ "$(cut -f1-7 "$dir/out")" = $'3\tété [0-9,]+ (€|EUR)\tutf-8\t-\t-\tx été 12,50 € y\tété 12,50 €' ] || fail "columns: $(cat "$dir/out")"
expect 0 "" search --quiet --json --case "$dir/small.burin" "$dir/small" --regex '[0-9]+,'
python3 - "$dir/out" <<'PY' || fail "JSON: $(cat "$dir/out")"
import json, sys
hits = json.load(open(sys.argv[1]))
assert [(h["offset"], h["length"], h["match"], h["keyword"]) for h in hits] == [(9, 3, "12,", "[0-9]+,")], hits
PY
[ "$(sqlite3 "$dir/small.burin" "SELECT name, kind, origin, header, size_max FROM signatures WHERE run_id = 2 AND number = 0")" = '[0-9]+,|rule|regex utf-8|[0-9]+,|1024' ] ||
    fail "the signature: $(sqlite3 "$dir/small.burin" "SELECT * FROM signatures")"
printf 'caf\xe9 noir' >"$dir/latin"
expect 0 "" search --quiet --case "$dir/latin.burin" --encoding cp1252 "$dir/latin" --regex 'café no+'
[ "$(cut -f1,3,7 "$dir/out")" = $'0\tcp1252\tcafé no' ] || fail "cp1252: $(cat "$dir/out")"

# What is wrong is said, by the command line (2) or by file and line (3).
expect 2 "without its \\) \\(at its byte 3, in utf-8\\)" search "$dir/image" --regex 'ab(c'
expect 2 "back-references" search "$dir/image" --regex '(a)\1'
expect 2 "match nowhere" search "$dir/image" --regex '^a'
expect 2 "empty expression" search "$dir/image" --regex ''
expect 2 "too long" search "$dir/image" --regex "$(printf 'a%.0s' {1..256})"
expect 2 "none of the encodings" search "$dir/image" --encoding utf-16le --regex 'é'
expect 2 "none of the encodings" search "$dir/image" --encoding cp037 --regex 'a+'
expect 2 "given twice" search "$dir/image" -f - --regex-file -
printf 'good+\n[bad\n' >"$dir/expressions"
expect 3 "without its \\].*expressions, line 2" search "$dir/image" --regex-file "$dir/expressions"
finish
