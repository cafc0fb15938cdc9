#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/assemble_kill.sh - a scan that is killed while it puts files together, and goes on, puts the same files together.
#
# Goal: after a kill at any moment the case file is sound, and `scan --resume`, with other threads, comes to the digest of a scan that was never
# killed: files in pieces, with their seams, and likely ones.
# Method: an image of archives and texts in two pieces, with random bytes between. The scan is killed after a random part of the time that it
# takes, BURIN_KILLS times (default 4), and goes on.
# Labels: long
. "$(dirname "$0")/../lib.sh"
python3 - "$dir/image" <<'PYTHON' || exit 1
import io, random, sys, zipfile
rng = random.Random(7)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
text = lambda n: " ".join(rng.choices(words, k=n))
pad = lambda data: data + bytes(-len(data) % 512)

def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(4):
            z.writestr(zipfile.ZipInfo("text%d" % i), text(3000), zipfile.ZIP_DEFLATED)
    return out.getvalue()

def page():
    return ("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>%s</body></html>\n" % (text(3), "".join("<p>%s</p>\n" % text(40) for _ in range(60)))).encode()

with open(sys.argv[1], "wb") as image:
    for i in range(60):
        data = (archive if i % 2 else page)()
        cut = 512 * rng.randrange(3, len(data) // 512 - 3)
        image.write(pad(data[:cut]) + rng.randbytes(512 * rng.randrange(1, 60)) + pad(data[cut:]) + rng.randbytes(512 * rng.randrange(64, 400)))
PYTHON

began=$(date +%s%N)
expect 0 "" scan --quiet --case "$dir/whole" "$dir/image"
took=$((($(date +%s%N) - began) / 1000000))
expect 0 "" list --digest "$dir/whole"
cp "$dir/out" "$dir/digest"
found=$(sqlite3 "$dir/whole" "SELECT (SELECT count(*) FROM assembled WHERE len > 0) > 5 AND (SELECT count(*) FROM likely) > 0")
[ "$found" = 1 ] || fail "too little to put together: the test would see nothing"

RANDOM=20
killed=0
for kill in $(seq "${BURIN_KILLS:-4}"); do
    rm -f "$dir/case"*
    "$BURIN" scan --quiet --threads $((1 + RANDOM % 3)) --case "$dir/case" "$dir/image" 2>/dev/null &
    pid=$!
    sleep "$(awk -v ms=$((RANDOM % (took + 1))) 'BEGIN { print ms / 1000 }')"
    kill -KILL $pid 2>/dev/null && killed=$((killed + 1))
    wait $pid 2>/dev/null
    if [ -e "$dir/case" ]; then
        expect 0 "" scan --quiet --resume --threads $((1 + RANDOM % 3)) --case "$dir/case" "$dir/image"
    else
        expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
    fi
    expect 0 "" list --digest "$dir/case"
    cmp -s "$dir/out" "$dir/digest" || fail "kill $kill: another digest than that of a scan that was not killed"
    expect 0 "" verify --quiet "$dir/case"
done
[ "$killed" -gt 0 ] || fail "no scan was killed"
finish
