#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/make_image.py - a raw image whose objects are known by construction.

    python3 make_image.py DIR       writes DIR/image.raw (4.5 MiB) and DIR/expected.tsv

expected.tsv has one line per object, as `burin list` orders them: type, state, offset, length (or - where only a validator can
say how much of a broken file is good), and the offset of its parent or -. Files lie on and off sector boundaries, back to back, at
the first byte and up to the last byte of the image, with headers and ends that cross every segment size from 64 KiB on, one
longer than a small segment, one inside another one, and some cut short. Everything else is zeros and noise without a header.
"""
import os
import struct
import sys
import zlib

import samples

SIZE = (4 << 20) + (512 << 10) + 123
SECTOR = 512


def stored_zip(name, content):
    """PKZIP with one stored member. Returns the bytes and where the member's content begins in them."""
    crc = zlib.crc32(content)
    common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0x21, crc, len(content), len(content), len(name), 0)
    local = b"PK\3\4" + common + name
    central = (b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + len(content), 0)
    return local + content + central + end, len(local)


class Image:
    def __init__(self):
        self.bytes = bytearray(SIZE)
        self.expected = []
        self.used = []
        for start in range(64 << 10, SIZE - 8192, 96 << 10):      # noise between zeros
            self.bytes[start:start + 8192] = samples.noise(start, 8192)

    def plant(self, offset, kind, content, state="complete", length=None, parent="-"):
        """Writes content at offset and expects one object there; length None: all of it."""
        end = offset + len(content)
        assert end <= SIZE and all(end <= a or b <= offset for a, b in self.used), (kind, offset)
        self.used.append((offset, end))
        self.bytes[offset:end] = content
        self.expected.append((offset, kind, state, len(content) if length is None else length, parent))
        return end

    def write(self, folder):
        with open(os.path.join(folder, "image.raw"), "wb") as file:
            file.write(self.bytes)
        with open(os.path.join(folder, "expected.tsv"), "w") as file:
            for offset, kind, state, length, parent in sorted(self.expected):
                file.write(f"{kind}\t{state}\t{offset}\t{length}\t{parent}\n")


def main():
    image = Image()
    kib = 1 << 10
    image.plant(0, "png", samples.png(1))                                   # the first byte of the image
    # Back to back, off every boundary; but a bitmap is looked for on sectors alone.
    at = 20 * kib + 3
    for number, kind in enumerate(("gif", "bmp", "wav", "jpg", "gz", "zip", "pdf", "sqlite", "elf", "odt", "png")):
        if kind == "bmp":
            at += -at % SECTOR
        at = image.plant(at, kind, samples.TYPES[kind](10 + number))
    # Headers cut by a boundary: 3 bytes before it; ends cut by one: 3 bytes behind it. Each at multiples of 64 KiB, 128 KiB, ...
    for number, boundary in enumerate((128, 192, 256, 512, 1024, 2048, 4096)):
        kind = ("png", "zip", "jpg", "gif", "pdf", "gz", "elf")[number]
        image.plant(boundary * kib - 3, kind, samples.TYPES[kind](30 + number))
    for number, boundary in enumerate((320, 384, 448, 768, 1280, 1536, 3072)):
        kind = ("jpg", "png", "gif", "zip", "pdf", "wav", "bmp")[number]
        content = samples.TYPES[kind](50 + number)
        at = boundary * kib + 3 - len(content)
        image.plant(at - at % SECTOR if kind == "bmp" else at, kind, content)
    # Longer than two small segments.
    image.plant(2200 * kib + 512, "png", samples.png(70, 480, 480))
    image.plant(2600 * kib, "wav", samples.wav(71, 100000))
    # A picture inside a stored member: two objects, the inner one a child.
    inner = samples.png(72)
    outer, inside = stored_zip(b"inner.png", inner)
    where = 3200 * kib + 77
    image.plant(where, "zip", outer)
    image.expected.append((where + inside, "png", "complete", len(inner), where))
    # Broken: zeros follow the first 10,000 bytes. Good are signature, IHDR and the IDAT chunks of 4 KiB that are whole.
    image.plant(3400 * kib, "png", samples.png(73, 200, 200, 4096)[:10000], "truncated", 8 + 25 + 2 * (12 + 4096))
    # Headers that no validator may believe.
    for number, fake in enumerate((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0\0\x10JFIF\0", b"GIF89a", b"PK\3\4", b"BM", b"%PDF-",
                                   b"SQLite format 3\0", b"\x7fELF\2\1\1\0", b"\x1f\x8b\x08\0", b"RIFF\0\0\0\0WAVE")):
        place = 3700 * kib + number * 512
        image.bytes[place:place + len(fake)] = fake
    # Whole up to the last byte, and one that the end of the image cuts.
    tail = samples.gif(74)
    image.plant(SIZE - 9000 - len(tail), "gif", tail)
    cut = samples.jpg(75, 60, 60)
    image.plant(SIZE - len(cut) // 2, "jpg", cut[:len(cut) // 2], "truncated", "-")
    image.write(sys.argv[1])


if __name__ == "__main__":
    main()
