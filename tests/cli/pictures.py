#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/pictures.py - pictures that a test puts into file systems, and which of them a scan has found.

    pictures.py make FOLDER COUNT LENGTH SEED   PNGs of about LENGTH bytes, pic00.png and so on; each has other bytes in it
    pictures.py found CASE IMAGE FILE...        which of these files are among the complete objects, byte for byte
"""
import os
import random
import sqlite3
import struct
import sys
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def make(folder, count, length, seed):
    rng = random.Random(int(seed))
    os.makedirs(folder, exist_ok=True)
    for i in range(int(count)):
        rows = max(1, (int(length) + rng.randrange(700)) // 100)
        raw = b"".join(b"\0" + rng.randbytes(99) for _ in range(rows))
        with open(f"{folder}/pic{i:02}.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 99, rows, 8, 0, 0, 0, 0)) +
                       chunk(b"IDAT", zlib.compress(raw, 0)) + chunk(b"IEND", b""))


def found(case, image, *files):
    rows = sqlite3.connect(case).execute("SELECT offset, len FROM objects WHERE state = 'complete'").fetchall()
    have = set()
    with open(image, "rb") as file:
        for at, length in rows:
            file.seek(at)
            have.add(file.read(length))
    print(" ".join(os.path.basename(name) for name in files if open(name, "rb").read() in have))


{"make": make, "found": found}[sys.argv[1]](*sys.argv[2:])
