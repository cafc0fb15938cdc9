#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/vhdx_seeds.py OUT - seeds of fuzz_vhdx: the six pages of a sound disk of 4 MiB, one that was closed and one that was not.

The header, the table of regions, an entry of the log that changes the block table, the table of items, the items, the block table.
Source: MS-VHDX, sections 2.2 to 2.6.
"""
import os
import struct
import sys
import uuid

PAGE, MIB = 512, 1 << 20
BLOCKS, METADATA = uuid.UUID("2dc27766-f623-4200-9d64-115e9bfd4a08"), uuid.UUID("8b7ca206-4790-4b9a-b8fe-575f050f886e")
ITEMS = [(uuid.UUID("caa16737-fa36-4d43-b3b6-33f0aa44e76b"), struct.pack("<II", MIB, 0)),
         (uuid.UUID("2fa54224-cd1b-4876-b211-5dbed83bf4b8"), struct.pack("<Q", 4 * MIB)),
         (uuid.UUID("8141bf1d-a96f-4709-ba47-f233a8faab5f"), struct.pack("<I", 512)),
         (uuid.UUID("cda348c7-445d-4471-9cc9-e9885251c556"), struct.pack("<I", 4096)),
         (uuid.UUID("beca12ab-b2e6-4523-93ef-c309e000c746"), bytes(16))]


def pages(number, ident, zeros):
    header = struct.pack("<4sIQ16s16s16sHHIQ", b"head", 0, 7, bytes(16), bytes(16), ident, 0, 1, MIB, MIB)
    regions = struct.pack("<4sIII", b"regi", 0, 2, 0) + struct.pack("<16sQII", BLOCKS.bytes_le, 3 * MIB, MIB, 1)
    regions += struct.pack("<16sQII", METADATA.bytes_le, 2 * MIB, MIB, 1)
    entry = struct.pack("<4sIIIQII16sQQ", b"loge", 0, 8192, 0, number, 2 if zeros else 1, 0, ident, 8 * MIB, 8 * MIB)
    if zeros:
        entry += struct.pack("<4sIQQQ", b"zero", 0, 4096, 3 * MIB, number)
    entry += struct.pack("<4s4sQQQ", b"desc", bytes(4), 4 * MIB | 6, 3 * MIB, number)
    table, values = struct.pack("<8sHH20x", b"metadata", 0, len(ITEMS)), b""
    for name, value in ITEMS:
        table += struct.pack("<16sIIII", name.bytes_le, (64 << 10) + len(values), len(value), 4, 0)
        values += value
    blocks = struct.pack("<4Q", 4 * MIB | 6, 5 * MIB | 6, 0, 2)
    return b"".join(part.ljust(PAGE, b"\0") for part in (header, regions, entry, table, values, blocks))


def main(out):
    seeds = [pages(0, bytes(16), False), pages(1000, b"0123456789abcdef", False), pages(1 << 32 | 5, b"0123456789abcdef", True)]
    for number, seed in enumerate(seeds):
        with open(os.path.join(out, f"vhdx-{number}"), "wb") as file:
            file.write(seed)


main(sys.argv[1])
