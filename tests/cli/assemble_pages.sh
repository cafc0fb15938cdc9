#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_pages.sh - pages and pictures that lie around each other.
#
# Goal: of two pages A B A B both come back as likely files, byte for byte, though the second one is whole with the end of the first; so does a page of
# whose first piece there is one sector, before text of another encoding. Nothing is told of two pages whose elements nest as well wherever the one
# gives way to the other. Of two pictures A B A B, of which the scan takes the second one for whole likewise, both are called fragmented. The rows
# depend on no threads.
# Method: the files are made here, and compared with the pieces that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import random, sys
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(41)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(2000)]
text = lambda n: " ".join(rng.choices(words, k=n))
names = ("div", "span", "ul", "table", "section", "blockquote", "b", "pre")

def nested(depth):
    name = rng.choice(names)
    inner = "".join(nested(depth - 1) for _ in range(rng.randrange(1, 4))) if depth else text(rng.randrange(4, 20))
    return '<%s class="%s">\n%s</%s>\n' % (name, rng.choice(words), inner, name)

def page(size, body=lambda: nested(4)):
    out = '<!DOCTYPE html>\n<html><head>\n<meta name="%s" content="%s"><title>%s</title></head>\n<body>\n' % (text(1), text(70), text(30))
    while len(out) < size:
        out += body()
    return (out + "</body></html>\n").encode()

image, rows = bytearray(rng.randbytes(40 * 512)), {"likely": [], "fragmented": []}
def put(data):
    image.extend(data + bytes(-len(data) % 512))
    return len(image) - len(data) - -len(data) % 512, len(data)
def around(one, other, cut, second):
    pieces = [one[:512 * cut], other[:512 * second], one[512 * cut:], other[512 * second:]]
    runs = [put(piece) for piece in pieces]
    image.extend(rng.randbytes(40 * 512))
    return runs[0::2], runs[1::2]
def row(state, kind, runs):
    rows[state].append((runs[0][0], "%s\t%s\n" % (kind, ",".join("%d+%d" % run for run in runs))))

for runs in around(page(18000), page(30000), 13, 20):
    row("likely", "html", runs)
plain = lambda: "<p>%s\n" % text(30)
around(page(14000, plain), page(20000, plain), 11, 15)
data = page(12000)
first = put(data[:512])
put(text(3000).encode("utf-16-le")[:512 * 40])
row("likely", "html", [first, put(data[512:])])
image += rng.randbytes(40 * 512)
for runs in around(samples.jpg(7, 160, 160), samples.jpg(8, 220, 220), 37, 60):
    row("fragmented", "jpg", runs)
open(sys.argv[1] + "/image", "wb").write(image)
for name, lines in rows.items():
    open("%s/%s.rows" % (sys.argv[1], name), "w").writelines(line for _, line in sorted(lines))
PYTHON

for threads in 1 3; do
    expect 0 "" scan --quiet --force --image-type raw --threads "$threads" --case "$dir/case" "$dir/image"
    expect 0 "" list --likely "$dir/case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/likely.rows" || fail "likely: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/likely.rows")"
    expect 0 "" list --state fragmented "$dir/case"
    cut -f 2,6 "$dir/out" | cmp -s - "$dir/fragmented.rows" || fail "proven: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/fragmented.rows")"
done
finish
