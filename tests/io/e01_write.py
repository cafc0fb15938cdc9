#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/io/e01_write.py - writes E01 files that ewfacquire does not write.

e01_write.py OUT.E01 : one file of 3 GiB with holes in it, of 192 chunks of 16 MiB. The first 100 are packed, the others stored, so
that chunk 128 and those behind it begin behind 2 GiB. Chunk n holds n + 1 in its first and last byte, and zeros between.

As EnCase 6.7 and later write such a file: an entry of the table is an offset of 31 bits, and bit 31 says that the chunk is packed; from
the entry on that follows the chunk that ends behind 2 GiB, all 32 bits are an offset. A section between the packed and the stored
chunks would end the table, so the place of the first 100 is filled by a hole inside of the section.
Source: libewf, "Expert Witness Compression Format (EWF)", and its libewf_chunk_table.c for files of more than 2 GiB.
"""
import struct
import sys
import zlib

HEAD, CHUNK, COUNT, PACKED = 76, 16 << 20, 192, 100


def head(kind, at, size, follows=True):
    text = kind.ljust(16, b"\0") + struct.pack("<QQ", at + size if follows else at, size if follows else 0) + bytes(40)
    return text + struct.pack("<I", zlib.adler32(text))


def volume():
    body = struct.pack("<IIIIQ", 1, COUNT, CHUNK // 512, 512, COUNT * CHUNK // 512).ljust(1048, b"\0")
    return body + struct.pack("<I", zlib.adler32(body))


def table(offsets):
    fixed = struct.pack("<IIQI", len(offsets), 0, 0, 0)
    entries = struct.pack(f"<{len(offsets)}I", *offsets)
    return fixed + struct.pack("<I", zlib.adler32(fixed)) + entries + struct.pack("<I", zlib.adler32(entries))


def main(out):
    with open(out, "wb") as file:
        file.write(b"EVF\x09\r\n\xff\0" + struct.pack("<BHH", 1, 1, 0))
        body = volume()
        file.write(head(b"volume", file.tell(), HEAD + len(body)) + body)
        sectors = file.tell()
        file.seek(HEAD, 1)
        offsets = []
        for n in range(COUNT):
            bytes_of = bytearray(CHUNK)
            bytes_of[0] = bytes_of[-1] = n + 1
            begin = file.tell()
            if n < PACKED:
                offsets.append(begin | 1 << 31)
                packed = zlib.compress(bytes_of, 1)
                file.write(packed)
                # What follows a packed chunk is no matter; the hole takes the room that it would have.
                file.seek(begin + CHUNK + 4)
                continue
            offsets.append(begin)
            file.write(bytes_of[:1])
            file.seek(begin + CHUNK - 1)
            file.write(bytes_of[-1:] + struct.pack("<I", zlib.adler32(bytes_of)))
        end = file.tell()
        file.seek(sectors)
        file.write(head(b"sectors", sectors, end - sectors))
        file.seek(end)
        for kind in (b"table", b"table2"):
            body = table(offsets)
            file.write(head(kind, file.tell(), HEAD + len(body)) + body)
        file.write(head(b"done", file.tell(), 0, False))


main(*sys.argv[1:])
