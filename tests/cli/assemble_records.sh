#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_records.sh - compound files in pieces that no landmark leads to, and that their records tell.
#
# Goal: a workbook in two pieces whose tables and directory are all in the first one, and one in three, come back as likely files, byte for byte; so
# does one of whose first piece there is the header alone, before text; and one whose directory has a root without a name and whose mini table says
# next to nothing. Nothing is told of one whose second piece is missing, though other workbooks end as it would. None is called fragmented; the rows
# depend on no threads.
# Method: the files are made here by [MS-CFB] and [MS-XLS], and compared with the pieces that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import random, struct, sys
rng = random.Random(31)
NONE, END, FAT = 0xffffffff, 0xfffffffe, 0xfffffffd
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(800)]
filler = lambda sectors: rng.randbytes(512 * sectors)

def text(length):
    data = b""
    while len(data) < length:
        data += b" ".join(rng.choices(words, k=500)) + b"\r\n"
    return data[:length]

def entry(name, kind, child, first, size):
    text = (name + "\0").encode("utf-16-le") if name else b""
    return text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, NONE, NONE, child) + bytes(36) + struct.pack("<IQ", first, size)

def workbook(length):
    record = lambda kind, body: struct.pack("<HH", kind, len(body)) + body
    begin = lambda kind: record(0x809, struct.pack("<HHHHII", 0x600, kind, 1, 1, 0, 6))
    book = begin(5) + record(0x85, struct.pack("<IHBB", 0, 0, 5, 0) + b"Sheet") + record(0x0a, b"")
    book += begin(0x10)
    while len(book) < length - 20:
        book += record(rng.choice((0x203, 0xfd, 0x201, 0x27e, 0x208)), text(rng.randrange(6, 90)))
    return book + record(0x0a, b"")

# The table is the first sector, the directory the second one; with a mini table behind it, which has one entry.
def document(sectors, nameless=False):
    mini, first = (2, 4) if nameless else (END, 2)
    book = workbook(512 * sectors - 100)
    book += bytes(-len(book) % 512)
    count = len(book) // 512
    table = [FAT, END] + ([END, END] if nameless else []) + list(range(first + 1, first + count)) + [END]
    table += [NONE] * (128 - len(table))
    root = entry("" if nameless else "Root Entry", 5, 1, 3 if nameless else END, 64 if nameless else 0)
    body = struct.pack("<128I", *table) + root + entry("Workbook", 2, NONE, first, len(book)) + bytes(256)
    body += struct.pack("<128I", END, *[NONE] * 127) + text(64) + bytes(448) if nameless else b""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6xIIIIIIIII", 62, 3, 0xfffe, 9, 6, 0, 1, 1, 0, 4096, mini, 1 if nameless else 0, END, 0)
    return head + struct.pack("<109I", 0, *[NONE] * 108) + body + book

image, rows = bytearray(filler(30)), []
def put(piece, gap):
    at = len(image)
    image.extend(piece + bytes(-len(piece) % 512) + (filler(gap) if isinstance(gap, int) else gap))
    return at
def row(data, *pieces):
    rows.append((pieces[0][0], "xls\t%d\t%s\n" % (len(data), ",".join("%d+%d" % piece for piece in pieces))))

a, b, c, d, e = document(80), document(110), document(60), document(70, nameless=True), document(90)
first = put(a[:512 * 40], 21)
row(a, (first, 512 * 40), (put(a[512 * 40:], 50), len(a) - 512 * 40))
first = put(b[:512 * 30], 17)
second = put(b[512 * 30:512 * 75], 40)
row(b, (first, 512 * 30), (second, 512 * 45), (put(b[512 * 75:], 60), len(b) - 512 * 75))
first = put(c[:512], text(512 * 50))
row(c, (first, 512), (put(c[512:], 30), len(c) - 512))
first = put(d[:512 * 20], 33)
row(d, (first, 512 * 20), (put(d[512 * 20:], 30), len(d) - 512 * 20))
put(e[:512 * 45], 200)
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines(text for _, text in sorted(rows))
PYTHON

expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/image"
expect 0 "" list --likely "$dir/case"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "pieces: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/rows")"
burin list --state fragmented "$dir/case"
[ ! -s "$dir/out" ] || fail "called proven: $(cat "$dir/out")"
expect 0 "" list --digest "$dir/case"
cp "$dir/out" "$dir/digest"
expect 0 "" scan --quiet --force --threads 7 --image-type raw --case "$dir/again" "$dir/image"
expect 0 "" list --digest "$dir/again"
cmp -s "$dir/out" "$dir/digest" || fail "other rows with 7 threads"
finish
