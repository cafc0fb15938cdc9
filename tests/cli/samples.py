#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/samples.py - small, valid files of known types, built from their specifications with Python's library alone.

Every function returns the bytes of one whole file; `seed` makes files of one type differ. Nothing here knows burin: the
files are the ground truth of the end-to-end tests, and the seeds of the fuzz targets.

    python3 samples.py DIR      writes one file of each type into DIR
"""
import gzip
import io
import os
import random
import sqlite3
import struct
import sys
import tempfile
import zipfile
import zlib


def noise(seed, length):
    """Bytes that look like packed data but hold no header: 0x30..0x3f only, in no order."""
    rng = random.Random(seed)
    return bytes(0x30 + rng.getrandbits(4) for _ in range(length))


def png(seed=1, width=64, height=64, piece=1 << 20):
    """ISO/IEC 15948: signature, IHDR, IDAT in pieces, IEND, each chunk with its CRC-32."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = noise(seed, width * height)
    raw = b"".join(b"\0" + rows[y * width:(y + 1) * width] for y in range(height))
    packed = zlib.compress(raw, 1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + b"".join(chunk(b"IDAT", packed[i:i + piece]) for i in range(0, len(packed), piece)) + chunk(b"IEND", b""))


def gif(seed=1, width=40, height=40):
    """GIF89a with one image; LZW codes of nine bits, with a clear code before the table would grow past them."""
    bits, count = 0, 0
    packed = bytearray()

    def put(code):
        nonlocal bits, count
        bits |= code << count
        count += 9
        while count >= 8:
            packed.append(bits & 0xff)
            bits >>= 8
            count -= 8
    for index, pixel in enumerate(noise(seed, width * height)):
        if index % 200 == 0:
            put(256)
        put(pixel)
    put(257)
    if count:
        packed.append(bits & 0xff)
    blocks = b"".join(bytes([len(packed[i:i + 255])]) + bytes(packed[i:i + 255]) for i in range(0, len(packed), 255))
    palette = bytes(value for grey in range(256) for value in (grey, grey, grey))
    return (b"GIF89a" + struct.pack("<HHBBB", width, height, 0xf7, 0, 0) + palette
            + b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0)
            + b"\x08" + blocks + b"\0;")


def bmp(seed=1, width=33, height=20):
    """BITMAPFILEHEADER, BITMAPINFOHEADER, rows of 24-bit pixels padded to four bytes."""
    row = (width * 3 + 3) // 4 * 4
    pixels = noise(seed, row * height)
    return (b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54)
            + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 2835, 2835, 0, 0) + pixels)


def wav(seed=1, samples=3000):
    """RIFF/WAVE: fmt and data, 16 bits, one channel."""
    data = noise(seed, samples * 2)
    fmt = struct.pack("<HHIIHH", 1, 1, 8000, 16000, 2, 16)
    body = b"WAVE" + b"fmt " + struct.pack("<I", len(fmt)) + fmt + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def jpg(seed=1, blocks_wide=8, blocks_high=8):
    """Baseline, grey, 8x8 blocks that have a DC coefficient and nothing else. ITU-T T.81, tables K.3 and K.5."""
    dc_counts = bytes([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    codes, code, symbol = {}, 0, 0
    for length, count in enumerate(dc_counts, 1):
        for _ in range(count):
            codes[symbol] = (code, length)
            code, symbol = code + 1, symbol + 1
        code <<= 1
    rng = random.Random(seed)
    bits = []

    def put(value, length):
        bits.extend((value >> i) & 1 for i in range(length - 1, -1, -1))
    before = 0
    for _ in range(blocks_wide * blocks_high):
        level = rng.randrange(-400, 400)
        step, before = level - before, level
        size = abs(step).bit_length()
        put(*codes[size])
        put(step if step >= 0 else step + (1 << size) - 1, size)
        put(0, 1)                                    # end of block: the only AC code, of one bit
    bits.extend([1] * (-len(bits) % 8))
    scan = bytes(int("".join(map(str, bits[i:i + 8])), 2) for i in range(0, len(bits), 8))

    def segment(marker, data):
        return struct.pack(">BBH", 0xff, marker, len(data) + 2) + data
    return (b"\xff\xd8" + segment(0xe0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + segment(0xdb, b"\0" + bytes([2] * 64))
            + segment(0xc0, struct.pack(">BHHBBBB", 8, 8 * blocks_high, 8 * blocks_wide, 1, 1, 0x11, 0))
            + segment(0xc4, b"\x00" + dc_counts + bytes(range(12)))
            + segment(0xc4, b"\x10" + bytes([1] + [0] * 15) + b"\0")
            + segment(0xda, b"\1\1\0\0\x3f\0") + scan.replace(b"\xff", b"\xff\0") + b"\xff\xd9")


def gz(seed=1, length=5000):
    """RFC 1952: one member."""
    return gzip.compress(noise(seed, length), mtime=1)


def zipped(seed=1, members=3):
    """PKZIP: deflated members, central directory, end record."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(members):
            archive.writestr(zipfile.ZipInfo(f"member-{seed}-{i}.txt"), noise(seed * 100 + i, 1500),
                             zipfile.ZIP_DEFLATED)
    return out.getvalue()


def odt(seed=1):
    """OpenDocument: a stored member `mimetype` comes first."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype"), b"application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr(zipfile.ZipInfo("content.xml"), b"<x>" + noise(seed, 2000) + b"</x>", zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("META-INF/manifest.xml"), b"<m/>", zipfile.ZIP_DEFLATED)
    return out.getvalue()


def pdf(seed=1, length=3000):
    """ISO 32000: one page, one stream, a cross-reference table whose offsets are right, one newline after %%EOF."""
    content = zlib.compress(b"%% " + noise(seed, length))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
               b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>",
               b"<< /Filter /FlateDecode /Length %d >>\nstream\n" % len(content) + content + b"\nendstream"]
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def sqlite(seed=1, rows=50):
    """SQLite 3, written by SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "db")
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = 1024")
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
        db.executemany("INSERT INTO t (text) VALUES (?)", [(noise(seed * 1000 + i, 60).decode(),) for i in range(rows)])
        db.commit()
        db.close()
        with open(path, "rb") as file:
            return file.read()


def elf(seed=1, length=4000):
    """ELF64, little-endian: header, one loaded segment, text, names, and the section table at the end."""
    text, names = noise(seed, length), b"\0.text\0.shstrtab\0"
    text_at = 64 + 56
    names_at = text_at + len(text)
    table_at = (names_at + len(names) + 7) // 8 * 8
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0x400000 + text_at, 64, table_at, 0,
                                                       64, 56, 1, 64, 3, 2)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, names_at, names_at, 4096)
    sections = [(0,) * 10, (1, 1, 6, 0x400000 + text_at, text_at, len(text), 0, 0, 8, 0),
                (7, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)]
    out = header + segment + text + names
    return out + bytes(table_at - len(out)) + b"".join(struct.pack("<IIQQQQIIQQ", *section) for section in sections)


# Type as burin calls it: the function that makes one.
TYPES = {"png": png, "gif": gif, "bmp": bmp, "wav": wav, "jpg": jpg, "gz": gz, "zip": zipped, "odt": odt, "pdf": pdf,
         "sqlite": sqlite, "elf": elf}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, make in TYPES.items():
        with open(os.path.join(sys.argv[1], f"sample.{name}"), "wb") as file:
            file.write(make())


if __name__ == "__main__":
    main()
