#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: long
# Long lists of words: more than 262,144 patterns, so that no number of 18 bits is enough, find what a hash set in Python finds;
# their memory is said before the search begins, and seen to be there.
. "$(dirname "$0")/lib.sh"

# The list: words of few letters, so that many begin, end or hold others; short ones; doubled ones; lines as Unix and Windows end
# them, and empty ones. The image: words in either case and encoding, across segments and at both ends, between random bytes.
cat >"$dir/oracle.py" <<'PY'
import random, sys
folder, count, rnd = sys.argv[1], int(sys.argv[2]), random.Random(20)
words, seen = [], set()
while len(words) < 150000:
    word = "".join(rnd.choice("aeglnrst") for _ in range(rnd.choice((4, 5, 6, 6, 7, 8, 9, 12, 16, 17, 30))))
    for w in (word, word + rnd.choice("aest"), word[1:], word.upper() if rnd.random() < 0.01 else word):
        if w not in seen and len(words) < 150000:
            seen.add(w)
            words.append(w)
all_words = words[:]
words = words[:count]
words += ["q", "#7", "zq", "*\\*", "Öl", "€"] + words[:500] + words[1000:1500]
rnd.shuffle(words)
def write(name, lines):
    with open(folder + "/" + name, "wb") as out:
        out.write(b"\xef\xbb\xbf")
        for i, w in enumerate(lines):
            out.write(w.encode() + (b"\r\n" if i % 3 == 0 else b"\n") + (b"\n\r\n" if i % 1000 == 0 else b""))
write("list", words)
write("many", words + all_words[count:])
half = 1 << (17 if count < 150000 else 18)
image = bytearray(rnd.randbytes(half))
image += "".join(rnd.choice("aeglnrst    ") for _ in range(half)).encode()
segment = 65536
def plant(at, word):
    word = word.swapcase() if rnd.random() < 0.5 else word
    piece = word.encode(rnd.choice(("utf-8", "utf-16le")))
    at = max(0, min(at, len(image) - len(piece)))
    image[at:at + len(piece)] = piece
for i in range(3000):
    plant(rnd.randrange(half), rnd.choice(words))
for boundary in range(segment, len(image), segment):
    plant(boundary - rnd.randrange(1, 8), rnd.choice(words))
    plant(boundary - 40, rnd.choice(words))
plant(0, words[7])
plant(len(image), words[8])
open(folder + "/image", "wb").write(image)
def rows(encodings, fold):
    out = []
    data = bytes(image).lower() if fold else bytes(image)  # of bytes, lower() is ASCII's alone
    for encoding in encodings:
        by_len = {}
        for w in words:
            piece = w.encode(encoding)
            by_len.setdefault(len(piece), {}).setdefault(piece.lower() if fold else piece, []).append(w)
        for n, table in by_len.items():
            for at in range(len(data) - n + 1):
                for w in table.get(data[at:at + n], ()):
                    out.append("%d\t%s\t%s\n" % (at, w.replace("\\", "\\\\"), encoding))
    return sorted(out)
for name, encodings, fold in (("both", ("utf-8", "utf-16le"), True), ("one", ("utf-8",), False)):
    open(folder + "/" + name, "w").writelines(rows(encodings, fold))
PY
python3 "$dir/oracle.py" "$dir" "$(rounds 30000 150000)" || fail "the oracle failed"
[ "$(wc -l <"$dir/both")" -gt 5000 ] || fail "the image has few words: $(wc -l <"$dir/both")"

# The rows of a search, sorted as Python sorts, are those of the oracle.
same() {
    local want=$1
    shift
    burin search --quiet --no-file-systems --case "$dir/case.burin" -f "$dir/list" "$@" "$dir/image"
    [ "$status" -eq 0 ] || fail "$*: status $status: $(cat "$dir/err")"
    cut -f1-3 "$dir/out" | LC_ALL=C sort >"$dir/got"
    LC_ALL=C sort "$dir/$want" | cmp -s - "$dir/got" ||
        fail "$*: $(wc -l <"$dir/got") rows instead of $(wc -l <"$dir/$want"): $(LC_ALL=C sort "$dir/$want" | diff - "$dir/got" | head -5)"
    rm -f "$dir"/case.burin*
}
same both -i
same both -i --threads 3 --segment 64K
same both -i --engine words:portable --segment 64K
if grep -q '^words:avx2 .*CPU *$\|^words:avx2 .* yes' <<<"$("$BURIN" info --engines)"; then same both -i --engine words:avx2; fi
same one --encoding utf-8 --segment 64K

# Said before it begins, and on record: of many words.
expect 0 "" search --no-file-systems -i --range 0:64K --case "$dir/case.burin" -f "$dir/many" "$dir/image"
said='151006 keywords in 2 encodings make 30[0-9]* patterns; with engine words they take about [0-9]* MiB of memory$'
grep -q "burin: search: $said" "$dir/err" || fail "memory is not said: $(cat "$dir/err")"
sqlite3 "$dir/case.burin" "SELECT text FROM log WHERE kind = 'note'" | grep -q "^$said" || fail "memory is not on record"
# Nothing is begun without it. (Sanitizers take more address space than any limit that would do.)
if [ -n "${SHIM:-}" ]; then
    (ulimit -v 160000 && burin search --no-file-systems --case "$dir/none.burin" -f "$dir/many" "$dir/image"; exit "$status") && fail "a search without memory"
    grep -q "patterns; with engine words they take about .* MiB are free: close other programs, name fewer --encoding, or split the list (split -l 75504)" "$dir/err" ||
        fail "no word on what to do without memory: $(cat "$dir/err")"
    [ ! -e "$dir/none.burin" ] || fail "a search without memory left a case file"
fi

# Lines that are no words are told by their numbers.
(head -1000 "$dir/list" && printf 'b\xffd\n') >"$dir/bad"
expect 3 "is not UTF-8.*reading $dir/bad, line 1001" search -f "$dir/bad" "$dir/image"
(head -10 "$dir/list" && printf 'a%.0s' {1..256} && echo) >"$dir/bad"
expect 3 "more than 255 bytes in utf-8.*line 11" search -f "$dir/bad" "$dir/image"
(head -10 "$dir/list" && head -c 70000 /dev/zero | tr '\0' a) >"$dir/bad"
expect 3 "65536 bytes without an end of the line.*line 11" search -f "$dir/bad" "$dir/image"
(head -10 "$dir/list" && printf 'a\0b\n') >"$dir/bad"
expect 3 "a NUL byte.*line 11" search -f "$dir/bad" "$dir/image"
finish
