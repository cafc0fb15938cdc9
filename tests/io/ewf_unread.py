#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/io/ewf_unread.py - says in an E01 file that sectors were not read when it was made.

ewf_unread.py IN OUT [--count N] FIRST+COUNT... : copies the last (or only) file of an E01 image and puts a section
error2 with these sectors before its last section. IN and OUT may be the same. --count writes another number of entries
into the section than there are. "-" begins a further section: it stands between the entries of one and of the next.

Layout: a section is 16 bytes of type, u64le offset of the next one, u64le size with this head, 40 bytes, u32le Adler-32 of
the 72 bytes before it. error2 holds u32le number of entries, 512 bytes, u32le Adler-32 of these 516; then for each entry u32le
first sector and u32le number of sectors; then u32le Adler-32 of the entries. The last section, "next" or "done", points to itself.
Source: libewf, "Expert Witness Compression Format (EWF)", "Section" and "Error2 section".
"""
import struct
import sys
import zlib

FILE_HEADER, HEAD = 13, 76


def head(kind, at, size, follows):
    """A section's head at file offset at; the last section, which nothing follows, has the size 0."""
    text = kind.ljust(16, b"\0") + struct.pack("<QQ", at + size if follows else at, size if follows else 0) + bytes(40)
    return text + struct.pack("<I", zlib.adler32(text))


def error2(at, pairs, count):
    """A section that says that these (first, number) of sectors were not read."""
    fixed = struct.pack("<I", count) + bytes(512)
    entries = b"".join(struct.pack("<II", *pair) for pair in pairs)
    body = fixed + struct.pack("<I", zlib.adler32(fixed)) + entries + struct.pack("<I", zlib.adler32(entries))
    return head(b"error2", at, HEAD + len(body), True) + body


def main(source, target, *words):
    with open(source, "rb") as file:
        data = file.read()
    at = FILE_HEADER
    while (following := struct.unpack_from("<Q", data, at + 16)[0]) > at:
        at = following
    kind = data[at:at + 16].rstrip(b"\0")
    count = None
    if words and words[0] == "--count":
        count, words = int(words[1]), words[2:]
    out = data[:at]
    for part in " ".join(words).split("-"):
        pairs = [tuple(map(int, word.split("+"))) for word in part.split()]
        out += error2(len(out), pairs, len(pairs) if count is None else count)
    with open(target, "wb") as file:
        file.write(out + head(kind, len(out), 0, False))


main(*sys.argv[1:])
