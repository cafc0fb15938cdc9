#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/rule_expressions.sh - regular expressions as headers and footers of a configuration file, beside Python's re: the same
# places and ends, whatever the segments, parts, threads and ways of reading.
#
# Method: at each place Python looks for a match that begins there (a lookahead: matches may overlap); the expressions are such that its
# first choice is the longest. A footer is the first match behind its header, whole within the size.
# Labels: long
. "$(dirname "$0")/lib.sh"
cat >"$dir/rules.conf" <<'CONF'
abc y 64 /ID[0-9]{3}-QX/
num y 16 /[0-9]+Z/
two y 300 /<(aa|bb)[a-c]*>/ /[0-9]END/
CONF
python3 - "$dir/image" "$dir/want" <<'PY'
import random, re, sys
rng = random.Random(23)
image = bytearray(rng.choice(b"\0ab<") for _ in range(1 << 20))
for n in range(1500):
    what = rng.choice([b"ID%03d-QX" % rng.randrange(1000), b"%dZ" % rng.randrange(10**6), b"<aaabc>", b"<bb>", b"7END", b"<bbcab>..9END"])
    # half of them across an edge of segments and parts
    at = rng.randrange(1, 16) * 65536 - rng.randrange(len(what) + 1) if n % 2 else rng.randrange(len(image) - 40)
    image[at:at + len(what)] = what
image[:8], image[-8:] = b"ID000-QX", b"ID999-QX"
image = bytes(image)
open(sys.argv[1], "wb").write(image)
rows = []
for kind, header, size in ("abc", rb"ID[0-9]{3}-QX", 64), ("num", rb"[0-9]+Z", 16):
    for m in re.finditer(b"(?=" + header + b")", image):
        rows.append((m.start(), kind, min(size, len(image) - m.start())))
footers = [(m.start(), m.start() + len(m[1])) for m in re.finditer(rb"(?=([0-9]END))", image)]
for m in re.finditer(rb"(?=(<(?:aa|bb)[a-c]*>))", image):
    ends = [end for start, end in footers if start >= m.start() + len(m[1])]
    if ends and ends[0] <= m.start() + 300:
        rows.append((m.start(), "two", ends[0] - m.start()))
open(sys.argv[2], "w").writelines("%d\t%s\t%d\n" % row for row in sorted(rows))
PY
[ "$(cut -f2 "$dir/want" | sort | uniq -c | awk '$1 > 50' | wc -l)" = 3 ] || fail "the image has too little: $(cut -f2 "$dir/want" | sort | uniq -c)"
for how in "" "--threads 1 --segment 64K" "--threads 3 --segment 64K --part-size 128K" "--io pread --segment 1M" "--threads 2 --parts-at-once 1 --segment 64K"; do
    # shellcheck disable=SC2086
    expect 0 "" scan --quiet --dictionary "$dir/rules.conf" $how --case "$dir/case" "$dir/image"
    sqlite3 -readonly -separator $'\t' "$dir/case" "SELECT offset, type, len FROM v_objects WHERE type <> 'two' OR state = 'footer' ORDER BY offset, type" >"$dir/got"
    diff "$dir/want" "$dir/got" >"$dir/diff" || fail "scan $how: $(wc -l <"$dir/diff") lines differ: $(head -5 "$dir/diff" | tr '\n' ' ')"
    rm -f "$dir"/case*
done
finish
