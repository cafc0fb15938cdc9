#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_marks.sh - compound files and fonts whose header tells of sectors that lie in other pieces.
#
# Goal: office documents in two pieces, near each other, thousands of sectors apart and out of order, and in three of which the header tells of no
# sector of the middle one, come back as likely files, byte for byte; nothing is told of one without its last piece, nor of one that could be cut
# at several places as well; none is called fragmented; the rows depend on no threads. So does a font, whose tables have sums, far apart and out of
# order, and not with another font's end; and a catalogue of gettext, which tells where each of its strings ends; and a film, whose tables behind the
# media data tell where each sample lies, and not one that could be cut at several places in a sample.
# Method: the files are made here by [MS-CFB], ISO/IEC 14496-12, 14496-15 and 14496-22 and the manual of gettext, and compared with the pieces that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import random, struct, sys
rng = random.Random(21)
NONE, END, FAT = 0xffffffff, 0xfffffffe, 0xfffffffd
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(800)]
filler = lambda sectors: rng.randbytes(512 * sectors)

def entry(name, kind, child, first, size):
    text = (name + "\0").encode("utf-16-le")
    return text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, NONE, NONE, child) + bytes(36) + struct.pack("<IQ", first, size)

def text(length):
    data = b""
    while len(data) < length:
        data += b" ".join(rng.choices(words, k=500)) + b"\r\n"
    return data[:length]

# The table begins with the first sector, and has one every 128; the directory is the last one.
def document(sectors, data=None):
    count = -(-(sectors + 1) // 128)
    while count * 128 < sectors + count + 1:
        count += 1
    fats = [128 * i for i in range(count)]
    stream = [s for s in range(sectors + count) if s not in fats]
    table = [NONE] * (128 * count)
    for at in fats:
        table[at] = FAT
    for at, following in zip(stream, stream[1:] + [END]):
        table[at] = following
    last = sectors + count
    table[last] = END
    body = {at: struct.pack("<128I", *table[128 * i:128 * i + 128]) for i, at in enumerate(fats)}
    data = data or text(512 * len(stream))
    for i, at in enumerate(stream):
        body[at] = data[512 * i:512 * i + 512]
    body[last] = entry("Root Entry", 5, 1, END, 0) + entry("Notes", 2, NONE, stream[0], 512 * len(stream)) + bytes(256)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6xIIIIIIIII", 62, 3, 0xfffe, 9, 6, 0, count, last, 0, 4096, END, 0, END, 0)
    return head + struct.pack("<109I", *(fats + [NONE] * (109 - count))) + b"".join(body[i] for i in range(last + 1))

def font(length):
    tables = {b"CFF ": b"\1\0\4\1" + text(length), b"cmap": struct.pack(">HHHHIHHH", 0, 1, 3, 1, 12, 4, 8, 0) + text(900),
              b"head": struct.pack(">IIIIHH", 0x10000, 0x10000, 0, 0x5f0f3cf5, 3, 1000) + bytes(34), b"maxp": struct.pack(">IH", 0x5000, 90),
              b"name": struct.pack(">HHH", 0, 1, 18) + struct.pack(">HHHHHH", 3, 1, 1033, 1, 700, 0) + text(700),
              b"post": struct.pack(">II", 0x30000, 0) + bytes(24)}
    total = lambda data: sum(struct.unpack(">%dI" % (len(data) // 4), data)) & 0xffffffff
    head, body, at = b"OTTO" + struct.pack(">HHHH", len(tables), 64, 2, 32), b"", 12 + 16 * len(tables)
    places = {}
    for tag in sorted(tables, key=lambda tag: tag != b"name"):     # what is found right first
        places[tag] = at + len(body)
        body += tables[tag] + bytes(-len(tables[tag]) % 4)
    for tag, data in sorted(tables.items()):
        head += tag + struct.pack(">III", total(data + bytes(-len(data) % 4)), places[tag], len(data))
    whole = bytearray(head + body)
    adjust = 12 + 16 * len(tables) + body.index(struct.pack(">II", 0, 0x5f0f3cf5))
    whole[adjust:adjust + 4] = struct.pack(">I", (0xb1b0afba - total(bytes(whole))) & 0xffffffff)
    return bytes(whole)

image, rows = bytearray(filler(30)), []
def put(piece, gap):
    at = len(image)
    image.extend(piece + bytes(-len(piece) % 512) + filler(gap))
    return at
def row(data, *pieces, kind="ole"):
    rows.append((pieces[0][0], kind + "\t%d\t%s\n" % (len(data), ",".join("%d+%d" % piece for piece in pieces))))

a, b, c, d, e, f = document(300), document(200), document(150), document(110), document(180), document(160)
first = put(a[:512 * 90], 40)
row(a, (first, 512 * 90), (put(a[512 * 90:], 9), len(a) - 512 * 90))
first = put(b[:512 * 33], 5000)
row(b, (first, 512 * 33), (put(b[512 * 33:], 700), len(b) - 512 * 33))
second = put(c[512 * 61:], 80)
row(c, (put(c[:512 * 61], 70), 512 * 61), (second, len(c) - 512 * 61))
first = put(d[:512 * 40], 21)
second = put(d[512 * 40:512 * 75], 13)
row(d, (first, 512 * 40), (second, 512 * 35), (put(d[512 * 75:], 60), len(d) - 512 * 75))
put(e[:512 * 100], 300)
put(f[:512 * 70] + text(512 * 25) + f[512 * 70:], 90)      # as text goes on in text
g, h, i = font(90000), font(50000), font(70000)
second = put(g[512 * 120:], 2500)
row(g, (put(g[:512 * 120], 30), 512 * 120), (second, len(g) - 512 * 120), kind="otf")
put(h[:512 * 50], 400)
put(i[512 * 50:], 30)                                      # another font's end
# Catalogues of gettext, whose tables are longer than a sector.
def catalogue(count):
    strings = [text(rng.randrange(8, 60)).replace(b"\r\n", b" ") for _ in range(2 * count)]
    places, at = b"", 28 + 16 * count
    for string in strings:
        places += struct.pack("<II", len(string), at)
        at += len(string) + 1
    return struct.pack("<7I", 0x950412de, 0, count, 28, 28 + 8 * count, 0, 28 + 16 * count) + places + b"".join(s + b"\0" for s in strings)

j, k, l, m = catalogue(700), catalogue(300), catalogue(500), catalogue(500)
first = put(j[:512 * 60], 3000)
row(j, (first, 512 * 60), (put(j[512 * 60:], 40), len(j) - 512 * 60), kind="mo")
second = put(k[512 * 20:], 200)
row(k, (put(k[:512 * 20], 30), 512 * 20), (second, len(k) - 512 * 20), kind="mo")
put(l[:512 * 40], 70)
put(m[512 * 40:], 30)
# Films whose tables stand behind their media data: of samples shorter than a sector, so that one cut is right, and of long ones.
def film(samples, size):
    box = lambda kind, data: struct.pack(">I4s", 8 + len(data), kind) + data
    full = lambda kind, *numbers: box(kind, struct.pack(">%dI" % (1 + len(numbers)), 0, *numbers))
    lens = [rng.randrange(size // 2, size) for _ in range(samples)]
    data = b"".join(struct.pack(">I", n - 4) + b"\x41" + rng.randbytes(n - 5) for n in lens)
    begin = box(b"ftyp", b"isom\0\0\2\0isomavc1") + box(b"free", b"")
    avc = box(b"avcC", b"\1\x64\0\x1f\xff\xe0\0")
    entry = box(b"avc1", bytes(6) + b"\0\1" + bytes(16) + struct.pack(">HHIII", 640, 360, 0x480000, 0x480000, 0) + b"\0\1" + bytes(32) + b"\0\x18\xff\xff" + avc)
    table = (box(b"stsd", struct.pack(">II", 0, 1) + entry) + full(b"stts", 1, samples, 1000) + full(b"stsc", 1, 1, samples, 1) +
             full(b"stsz", 0, samples, *lens) + full(b"stco", 1, len(begin) + 8))
    media = full(b"mdhd", 0, 0, 25000, 1000 * samples, 0) + box(b"hdlr", bytes(8) + b"vide" + bytes(13)) + box(b"minf", box(b"stbl", table))
    track = box(b"trak", full(b"tkhd", *[0, 0, 1] + 17 * [0]) + box(b"mdia", media))
    return begin + box(b"mdat", data) + box(b"moov", full(b"mvhd", *[0, 0, 25000, 1000 * samples] + 20 * [0]) + track)

n, o, p, q, r = film(300, 400), film(200, 400), film(250, 400), film(240, 400), film(30, 9000)
first = put(n[:512 * 70], 3000)
row(n, (first, 512 * 70), (put(n[512 * 70:], 40), len(n) - 512 * 70), kind="mp4")
second = put(o[512 * 50:], 300)
row(o, (put(o[:512 * 50], 30), 512 * 50), (second, len(o) - 512 * 50), kind="mp4")
put(p[:512 * 40], 70)
put(q[512 * 40:], 30)
put(r[:512 * 81], 90)
put(r[512 * 81:], 30)
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
