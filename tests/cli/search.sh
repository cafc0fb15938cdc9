#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/search.sh - `burin search` beside grep: every form of a keyword, over every boundary, and what is recorded.
# Labels: long slow
. "$(dirname "$0")/lib.sh"

# 2 MiB with words across the segments of 64 KiB, at both ends, against each other, and in several encodings.
python3 - "$dir/image" <<'PY'
import random, sys
rng = random.Random(5)
image = bytearray(rng.choice(b"abcdefgh \n\0") for _ in range(2 << 20))
words = ["Grüße", "grüsse", "GRÜSSE", "Привет", "ПРИВЕТ", "пРИВЕТ", "Ἀθήνας", "ἈΘΉΝΑΣ", "secret", "SECRET", "SeCrEt", "aaaa", "naïve\\x", "日本"]
for n in range(2000):
    word = rng.choice(words)
    data = word.encode(rng.choice(["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"]))
    at = rng.randrange(1, 32) * 65536 - rng.randrange(0, 40) if n % 2 else rng.randrange(len(image) - 100)
    image[at:at + len(data)] = data
image[0:6] = b"secret"
image[-6:] = b"SECRET"
image[100000:100005] = b"aaaaa"
image[200000:200004] = b"\xff\xd8\xff\xe7"
for cp in ["cp1252", "koi8-r", "cp1251"]:
    for word in ["Grüße", "Привет"]:
        try: image[300000 + len(cp) * 1000 + len(word):][:0]; data = word.encode(cp)
        except UnicodeEncodeError: continue
        at = 300000 + (len(image) >> 4) + rng.randrange(9000)
        image[at:at + len(data)] = data
open(sys.argv[1], "wb").write(image)
PY

# same NAME PATTERN WORD... : offsets of `burin search WORD...` are those that grep finds for PATTERN one after another, overlaps included.
same() {
    local name=$1 pattern=$2
    shift 2
    expect 0 "" search --quiet --segment 64K --case "$dir/$RANDOM$RANDOM.burin" "$@"
    cut -f1 "$dir/out" >"$dir/ours"
    LC_ALL=C grep -obUaP "(?=(?:$pattern))[\\x00-\\xff]" "$dir/image" | cut -d: -f1 | sort -n >"$dir/theirs"
    cmp -s "$dir/ours" "$dir/theirs" || fail "$name: $(wc -l <"$dir/ours") hits, grep has $(wc -l <"$dir/theirs"): $(diff "$dir/ours" "$dir/theirs" | head -3 | tr '\n' ' ')"
    [ -s "$dir/theirs" ] || fail "$name: nothing to find"
}

# bytes ENCODING TEXT [ignore]: the text as a pattern of grep -P; with ignore, each letter in both cases.
bytes() {
    python3 - "$@" <<'PY'
import sys
encoding, text = sys.argv[1:3]
esc = lambda s: "".join(f"\\x{b:02x}" for b in s.encode(encoding))
if len(sys.argv) == 3: print(esc(text))
else: print("".join("(?:" + "|".join(sorted({esc(f) for f in {c, c.lower(), c.upper()} | ({"ς", "σ", "Σ"} if c in "ςσΣ" else set()) if len(f) == 1 and len(esc(f)) == len(esc(c))})) + ")" for c in text))
PY
}

same word secret --encoding utf-8 "$dir/image" secret
same "word that overlaps itself" aaaa --encoding ascii "$dir/image" aaaa
same "backslash" "$(bytes utf-8 'naïve\x')" --encoding utf-8 "$dir/image" 'naïve\x'
same "ASCII, any case" "(?i)secret" --encoding utf-8 --ignore-case "$dir/image" sEcret
for encoding in utf-8 utf-16le utf-16be utf-32le cp1251; do
    same "$encoding" "$(bytes $encoding Привет)" --encoding $encoding "$dir/image" Привет
    same "$encoding, any case" "$(bytes $encoding привет ignore)" -i --encoding $encoding "$dir/image" приВЕТ
done
for encoding in utf-8 utf-16le utf-16be; do
    same "$encoding, Greek" "$(bytes $encoding Ἀθήνας ignore)" -i --encoding $encoding "$dir/image" ἀθήναΣ
    same "$encoding, German" "$(bytes $encoding Grüße ignore)" -i --encoding $encoding "$dir/image" grÜße
    same "$encoding, ASCII, any case" "$(bytes $encoding secret ignore)" -i --encoding $encoding "$dir/image" SECRET
done
same hex '\xff\xd8\xff[\xe0-\xef]' --hex 'ff d8 FFe?' "$dir/image"
same "hex in the middle" '\x61[\x02\x12\x22\x32\x42\x52\x62\x72\x82\x92\xa2\xb2\xc2\xd2\xe2\xf2]\x63' --hex '61?263' "$dir/image"

# Several keywords and encodings at once; threads, engines and segments change nothing.
printf 'secret\r\n\nПривет\n日本\n' >"$dir/words"
expect 0 "" search --quiet --case "$dir/one.burin" --threads 1 -i -f "$dir/words" "$dir/image" grüße
cp "$dir/out" "$dir/first"
[ "$(cut -f2,3 "$dir/first" | sort -u | wc -l)" -eq 8 ] || fail "several words: $(cut -f2,3 "$dir/first" | sort | uniq -c)"
ways=("--threads 7 --segment 64K" "--engine naive" "--engine words --segment 4M" "--engine quick-search" "--io pread --engine ac")
if has_papers; then ways+=("--io pread --engine rk"); fi
for how in "${ways[@]}"; do
    # shellcheck disable=SC2086
    expect 0 "" search --quiet --case "$dir/other.burin" $how -i -f "$dir/words" "$dir/image" grüße
    cmp -s "$dir/first" "$dir/out" || fail "$how changes what is found"
    rm "$dir/other.burin"
done

# A list as Windows writes it.
printf '\xef\xbb\xbfsecret\r\n' >"$dir/words"
same "list with a byte order mark" secret --encoding utf-8 -f "$dir/words" "$dir/image"

# The summary, the range, the context.
burin search --case "$dir/range.burin" --encoding utf-8 --range 0:100 --context 3 "$dir/image" secret
grep -q "1 hit in 100 bytes, recorded in $dir/range.burin" "$dir/err" || fail "summary: $(cat "$dir/err")"
printf 'x\\y\tz\xc3\xa4\xffsecret\x01\xe2\x82' >"$dir/small"
expect 0 "" search --quiet --case "$dir/small.burin" --context 9 --encoding utf-8 "$dir/small" secret
[ "$(cut -f1-6 "$dir/out")" = $'8\tsecret\tutf-8\t-\t-\tx\\\\y\\x09zä\\xFFsecret\\x01\\xE2\\x82' ] || fail "context: $(cat "$dir/out")"
expect 0 "" search --quiet --case "$dir/small.burin" --context 9 --json "$dir/small" secret
python3 - "$dir/out" <<'PY' || fail "JSON: $(cat "$dir/out")"
import json, sys
hits = json.load(open(sys.argv[1]))
assert len(hits) == 1 and hits[0]["offset"] == 8 and hits[0]["length"] == 6 and hits[0]["object"] is None, hits
assert hits[0]["context"] == "x\\\\y\\x09zä\\xFFsecret\\x01\\xE2\\x82", hits
PY
[ "$(sqlite3 "$dir/small.burin" "SELECT count(*), count(DISTINCT run_id), count(DISTINCT image_id) FROM v_hits")" = "2|2|1" ] || fail "two searches in one case file"
sqlite3 "$dir/small.burin" "SELECT command, status FROM runs" | sort -u | grep -qx 'search|done' || fail "the run is not on record"

# With a scan's case file, hits say in which object they lie: a word planted in a PDF, and one outside of it.
python3 - "$dir/disk" <<'PY'
import sys
body = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n% needle in hay\n"
xref = body.find(b"1 0 obj"), body.find(b"2 0 obj")
pdf = body + b"xref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \ntrailer\n<</Size 3/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (*xref, len(body))
disk = bytearray(1 << 20)
disk[65536:65536 + len(pdf)] = pdf
disk[500000:500006] = b"needle"
open(sys.argv[1], "wb").write(disk)
PY
expect 0 "" scan --quiet --case "$dir/disk.burin" "$dir/disk"
expect 0 "" list "$dir/disk.burin"
objects=$(cat "$dir/out")
expect 0 "" search --quiet --case "$dir/disk.burin" "$dir/disk" needle
[ "$(cut -f4 "$dir/out" | tr '\n' ' ')" = "pdf/0000000000010000.pdf - " ] || fail "objects: $(cat "$dir/out")"
expect 0 "" list "$dir/disk.burin"
[ "$objects" = "$(cat "$dir/out")" ] || fail "a search changes the objects"
[ "$(sqlite3 "$dir/disk.burin" "PRAGMA integrity_check; PRAGMA foreign_key_check")" = ok ] || fail "the case file is damaged"

# What is wrong is said.
expect 2 "no keyword" search "$dir/image"
expect 2 "empty keyword" search "$dir/image" ""
expect 2 "unknown encoding" search --encoding klingon "$dir/image" x
expect 2 "fixed bytes" search --encoding utf-16 "$dir/image" x
expect 2 "fixed bytes" search --encoding utf-7 "$dir/image" Привет
expect 2 "none of the encodings" search --encoding ascii "$dir/image" ä
expect 2 "is not UTF-8" search "$dir/image" $'a\xff'
expect 2 "column 3" search --hex 'ffxx' "$dir/image"
expect 2 "two digits" search --hex 'fff' "$dir/image"
expect 2 "more than 255" search "$dir/image" "$(printf 'a%.0s' {1..256})"
expect 3 "no-such-file" search -f "$dir/no-such-file" "$dir/image"
printf 'good\nb\xffd\n' >"$dir/words"
expect 3 "is not UTF-8.*line 2" search -f "$dir/words" "$dir/image"
printf 'good\n\303\244\n' >"$dir/words"
expect 3 "none of the encodings.*line 2" search --encoding ascii -f "$dir/words" "$dir/image"
expect 2 "only wildcards" search --hex '????' "$dir/image"
# A million keywords are allowed, in however many encodings; what is told of a longer list is how many there are.
(seq 1000001 2000002 && echo) >"$dir/words"
expect 3 "words: the file has 1000002 keywords, and a search takes 1000000, whatever the encodings: split the file" search -f "$dir/words" "$dir/image"
head -50001 "$dir/words" >"$dir/many"
if has_papers; then
    expect 4 "engine rk takes 100000 patterns at most, and these are 100002; leave out --engine" \
        search --quiet --engine rk --case "$dir/rk.burin" -f "$dir/many" "$dir/image"
    rm -f "$dir"/rk.burin*
fi
expect 2 "unknown engine" search --engine klingon --case "$dir/none.burin" "$dir/image" x
expect 2 "runs on the CPU" search --engine simd --devices 0 --case "$dir/none.burin" "$dir/image" x
[ ! -e "$dir/none.burin" ] || fail "wrong usage left a case file"
expect 2 "context" search --context 5000 "$dir/image" x
expect 3 "no-image" search "$dir/no-image" x
cp "$dir/small" "$dir/kept" && printf 'longer' >>"$dir/small"
expect 3 "another image" search --case "$dir/small.burin" "$dir/small" x
expect 3 "" search --case "$dir/kept" "$dir/image" x
cmp -s "$dir/kept" <(head -c "$(stat -c %s "$dir/kept")" "$dir/small") || fail "a file that is no case file was changed"
finish
