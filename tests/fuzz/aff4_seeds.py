#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/aff4_seeds.py OUT - seeds of fuzz_aff4: images of every way of packing, cut into the parts that it takes.

Each has metadata, map, targets, index and bevvy with their lengths in front. The data are a repeat that can be written down packed.
"""
import os
import struct
import sys
import zlib

CHUNK = 4096
BODY = bytes(range(64)) * (CHUNK // 64)
# A literal of 64 bytes, and copies of 64 at distance 64; the same in LZ4: a literal of 64, a match of all but the last 5, which are literal.
SNAPPY = b"\x80\x20" + b"\xf0\x3f" + BODY[:64] + b"\xfe\x40\x00" * 63
LZ4 = b"\xff\x31" + BODY[:64] + b"\x40\x00" + b"\xff" * 15 + bytes([CHUNK - 64 - 5 - 19 - 15 * 255]) + b"\x50" + BODY[-5:]
PACKER = zlib.compressobj(9, zlib.DEFLATED, -15)
PACKED = {"http://code.google.com/p/snappy/": SNAPPY, "https://code.google.com/p/lz4/": LZ4, "https://www.ietf.org/rfc/rfc1950.txt": zlib.compress(BODY),
          "https://tools.ietf.org/html/rfc1951": PACKER.compress(BODY) + PACKER.flush(), "http://aff4.org/Schema#NullCompressor": BODY}


def turtle(method):
    return f"""@prefix : <aff4://v> . @prefix aff4: <http://aff4.org/Schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<aff4://i> a aff4:Image , aff4:DiskImage ; aff4:dataStream <aff4://v/m> ; aff4:size {8 * CHUNK} ; aff4:blockSize "512"^^xsd:int ;
 aff4:hash "00000000000000000000000000000000"^^aff4:MD5 .
<aff4://v/m> a aff4:Map ; aff4:size "{8 * CHUNK}"^^xsd:long ; aff4:mapGapDefaultStream aff4:SymbolicStream61 ; aff4:stored : .
<aff4://v/s> a aff4:ImageStream ; aff4:chunkSize {CHUNK} ; aff4:chunksInSegment 4 ; aff4:compressionMethod <{method}> ;
 aff4:size {2 * CHUNK} ; aff4:stored : .
""".encode()


def main(out):
    idx = b"aff4://v/s\n" + b"".join(b"http://aff4.org/Schema#" + name + b"\n" for name in (b"Zero", b"UnreadableData", b"UnknownData"))
    rows = [(0, CHUNK, 0, 0), (CHUNK, 512, CHUNK + 512, 0), (2 * CHUNK, CHUNK, 0, 1), (4 * CHUNK, CHUNK, 0, 2), (3 * CHUNK, 512, 0, 3)]
    for number, (method, packed) in enumerate(PACKED.items()):
        parts = [turtle(method), b"".join(struct.pack("<QQQI", *row) for row in rows), idx,
                 struct.pack("<QIQI", 0, len(packed), len(packed), CHUNK), packed + BODY]
        with open(os.path.join(out, f"aff4-{number}"), "wb") as file:
            file.write(b"\0" + struct.pack("<5H", *map(len, parts)) + b"".join(parts))


main(sys.argv[1])
