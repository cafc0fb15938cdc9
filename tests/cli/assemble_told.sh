#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_told.sh - second pieces thousands of sectors away, of formats that tell in their own way where they lie.
#
# Goal: documents (by the table that their end names), sound in frames (by their numbers, lengths and sums), web fonts (by how their tables begin),
# pictures (by how their scans are stuffed) and packed data (by the mark behind a block, or by what is unpacked) come back as proven files, byte for byte, in order and not,
# with others of the kind between; nothing is told of files whose end is another one's.
# Method: the files are made here by ISO 32000, RFC 9639, ISO 11172-3 and WOFF 1.0, or by libbzip2 and zlib, and compared with the pieces that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import bz2, gzip, random, struct, sys, zlib
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(31)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(800)]
text = lambda length: b" ".join(rng.choices(words, k=length // 5))[:length]

def crc(data, width, polynomial):
    value, top = 0, 1 << (width - 1)
    for byte in data:
        value ^= byte << (width - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value & top else 0)) & (2 * top - 1)
    return value

# Frames of 576 samples of 16 bits, each as it is.
def sound(frames):
    out = b"fLaC\x80\0\0\x22" + struct.pack(">HH", 576, 576) + bytes(6) + struct.pack(">Q", 44100 << 44 | 15 << 36 | 576 * frames) + bytes(16)
    for number in range(frames):
        head = b"\xff\xf8\x29\x08" + chr(number).encode()
        frame = head + bytes([crc(head, 8, 0x07)]) + b"\2" + rng.randbytes(1152)
        out += frame + struct.pack(">H", crc(frame, 16, 0x8005))
    return out

# 128 or 160 kbit/s at 44100 Hz; the first frame has the CRC of all others, as LAME writes it.
def layer3(frames, head=b"\xff\xfb\x90\x44", size=417):
    music, sum = b"".join(head + rng.randbytes(size - 4) for _ in range(frames)), 0
    for byte in music:
        sum ^= byte
        for _ in range(8):
            sum = sum >> 1 ^ (0xa001 if sum & 1 else 0)
    tag = b"Info\0\0\0\x0f" + struct.pack(">II", frames, size + len(music)) + bytes(104) + b"LAME3.100" + bytes(19)
    return (head + bytes(32) + tag + struct.pack(">IHH", size + len(music), sum, 0)).ljust(size, b"\0") + music

def font(tables):
    body, entries, size = b"", b"", 12 + 16 * len(tables)
    for tag, data in tables:
        packed = min(zlib.compress(data), data, key=len)
        data += bytes(-len(data) % 4)
        entries += tag + struct.pack(">IIII", 44 + 20 * len(tables) + len(body), len(packed), len(data),
                                     sum(struct.unpack(">%dI" % (len(data) // 4), data)) & 0xffffffff)
        body += packed + bytes(-len(packed) % 4)
        size += len(data)
    whole = 44 + len(entries) + len(body)
    return b"wOFF\0\1\0\0" + struct.pack(">IHHIHH", whole, len(tables), 0, size, 1, 0) + bytes(20) + entries + body

def streamed():                # its cross-reference section is a stream
    out, places = b"%PDF-1.5\n", []
    for number, data in enumerate((b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>", text(60000)), 1):
        places.append(len(out))
        packed = zlib.compress(data)
        body = data if number < 3 else b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(packed), packed)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    places.append(len(out))
    rows = zlib.compress(b"\0\0\0\0\xff" + b"".join(struct.pack(">BHH", 1, place, 0) for place in places))
    return out + (b"4 0 obj\n<< /Type /XRef /Size 5 /W [1 2 2] /Root 1 0 R /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream\nendobj\n"
                  b"startxref\n%d\n%%%%EOF\n" % (len(rows), rows, places[3]))

image, rows = bytearray(rng.randbytes(40 * 512)), []
def put(piece, gap, filler=rng.randbytes):
    at = len(image)
    image.extend(piece + bytes(-len(piece) % 512) + filler(gap * 512))
    return at
def row(kind, data, cut, first, second):
    rows.append((first, kind + "\tfragmented\t%d\t%d+%d,%d+%d\n" % (len(data), first, cut, second, len(data) - cut)))

a, b, lost, other = samples.pdf(1, 40000), streamed(), samples.pdf(3, 50000), samples.pdf(4, 30000)
row("pdf", a, 20480, put(a[:20480], 3000), put(a[20480:], 9))
second = put(b[10240:], 2000)
row("pdf", b, 10240, put(b[:10240], 70), second)
put(lost[:9216], 500)
put(other[9216:], 90)
c, d, lost, other = sound(60), sound(40), sound(50), sound(50)
second, its = put(c[15360:], 700), put(d[:25600], 80)
row("flac", c, 15360, put(c[:15360], 90), second)
row("flac", d, 25600, its, put(d[25600:], 6))
put(lost[:30720], 300)
put(other[30720:], 70)
c, d, lost, other = layer3(150), layer3(90), layer3(70), layer3(70)
second, its = put(c[20992:], 800), put(d[:9216], 90)
row("mp3", c, 20992, put(c[:20992], 60), second)
row("mp3", d, 9216, its, put(d[9216:], 8))
put(lost[:10240], 200)
put(other[10240:], 70)
# The piece in the middle has a dozen frames.
e = layer3(50, b"\xff\xfb\xa0\x44", 522)
first = put(e[:5632], 700)
third = put(e[11776:], 90)
second = put(e[5632:11776], 30)
rows.append((first, "mp3\tfragmented\t%d\t%d+5632,%d+6144,%d+%d\n" % (len(e), first, second, third, len(e) - 11776)))
tables = lambda: [(tag, text(length)) for tag, length in zip((b"cmap", b"glyf", b"hmtx", b"loca", b"maxp", b"name"), (900, 90000, 500, 2000, 32, 700))]
e = font(tables())
row("woff", e, 15360, put(e[:15360], 900), put(e[15360:], 30))
f, g = samples.jpg(102, 220, 220), samples.jpg(103, 220, 220)
put(b"", 9, text)
second = put(f[16384:], 1500, text)
put(g[:9216], 60, text)
row("jpg", f, 16384, put(f[:16384], 20, text), second)
# One block and three; the second piece of `lost` is another file's.
h, i, lost, other = (bz2.compress(text(length), level) for length, level in ((30000, 9), (260000, 1), (25000, 9), (25000, 9)))
row("bz2", h, 4608, put(h[:4608], 1200), put(h[4608:], 50))
second = put(i[24576:], 300)
row("bz2", i, 24576, put(i[:24576], 40), second)
put(lost[:4608], 100)
put(other[4608:], 30)
# Deflated words: nothing but how they follow one another tells of the second piece. Syllables, so that letters follow one another by rules.
syllable = lambda: rng.choice("bcdfgklmnprstvw") + rng.choice("aeiou")
lexicon = ["".join(syllable() for _ in range(rng.randrange(1, 6))) for _ in range(400)]
prose = lambda count: "".join(rng.choice(lexicon) + rng.choice(6 * [" "] + [".\n", ", "]) for _ in range(count)).encode()
k, l, lost, other = (gzip.compress(prose(count), mtime=0) for count in (4000, 9000, 5000, 5000))
row("gz", k, 4608, put(k[:4608], 900), put(k[4608:], 40))
second = put(l[8192:], 500)
row("gz", l, 8192, put(l[:8192], 60), second)
put(lost[:5120], 200)
put(other[5120:], 30)
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/rows", "w").writelines(text for _, text in sorted(rows))
PYTHON

expect 0 "" scan --quiet --image-type raw --case "$dir/case" "$dir/image"
burin list --state fragmented "$dir/case"
cut -f 2,3,5,6 "$dir/out" | cmp -s - "$dir/rows" || fail "pieces: $(cut -f 2-6 "$dir/out"), not $(cat "$dir/rows")"
finish
