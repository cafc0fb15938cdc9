#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/volume_seeds.py OUT TARGET - seeds of fuzz_bigalloc, fuzz_xfs, fuzz_lvm or fuzz_volumes: the smallest that are sound.

Sources: xfs_format.h, md_p.h and the pages on ext4 of Linux; lvm2's lib/format_text; the magics of linux/magic.h.
"""
import os
import struct
import sys

SECTOR = 512


def xfs(crc):
    """Two groups of 16 blocks of 512 bytes; in each a root with two leaves, and a list of spare blocks."""
    out = bytearray(32 * SECTOR)
    head, magic = (56, b"AB3B") if crc else (16, b"ABTB")
    most = (SECTOR - head) // 12
    for group in range(2):
        at = group * 16 * SECTOR
        out[at:at + 12] = struct.pack(">4sII", b"XFSB", SECTOR, 0)
        struct.pack_into(">Q", out, at + 8, 32)
        struct.pack_into(">II", out, at + 84, 16, 2)
        struct.pack_into(">HH", out, at + 100, 5 if crc else 4, SECTOR)
        struct.pack_into(">4sIIIIIIIIIIIII", out, at + SECTOR, b"XAGF", 1, group, 16, 4, 0, 0, 2, 0, 0, 1, 2, 2, 5)
        struct.pack_into(">II", out, at + 3 * SECTOR + (36 if crc else 0) + 4, 7, 8)
        struct.pack_into(">4sHHII", out, at + 4 * SECTOR, magic, 1, 2, 0xFFFFFFFF, 0xFFFFFFFF)
        struct.pack_into(">II", out, at + 4 * SECTOR + head + most * 8, 5, 6)
        for block, right, runs in ((5, 6, [(9, 1), (11, 2)]), (6, 0xFFFFFFFF, [(14, 2)])):
            struct.pack_into(">4sHHII", out, at + block * SECTOR, magic, 0, len(runs), 0xFFFFFFFF, right)
            for number, run in enumerate(runs):
                struct.pack_into(">II", out, at + block * SECTOR + head + 8 * number, *run)
    return bytes(out)


GROUP = b'''vg {
id = "AbCdEf-0123-4567-89ab-cdef-0123-456789"
status = ["RESIZEABLE", "READ"]
extent_size = 8192 # 4 MB
physical_volumes {
pv0 {
id = "pVpVpV-0000-0000-0000-0000-0000-000000"
pe_start = 2048
pe_count = 100
}
}
logical_volumes {
root {
status = ["READ", "VISIBLE"]
segment1 {
start_extent = 0
extent_count = 5
type = "striped"
stripe_count = 2
stripe_size = 128
stripes = [
"pv0", 7,
"pv0", 20
]
}
segment2 {
start_extent = 5
extent_count = 1
type = "thin"
}
}
}
}
'''


def lvm():
    """Label in sector 1, the area of metadata in sectors 8 to 15; fuzz_lvm makes the checksums right."""
    label = struct.pack("<8sQII8s", b"LABELONE", 1, 0, 32, b"LVM2 001") + b"p" * 32
    label += struct.pack("<Q", 64 << 20) + struct.pack("<6Q", 1 << 20, 0, 0, 0, 8 * SECTOR, 8 * SECTOR) + bytes(16)
    head = struct.pack("<I16sIQQQQII", 0, b" LVM2 x[5A%r0N*>", 1, 8 * SECTOR, 8 * SECTOR, SECTOR, len(GROUP), 0, 0)
    return bytes(SECTOR) + label.ljust(7 * SECTOR, b"\0") + head.ljust(SECTOR, b"\0") + GROUP


def md(version):
    """Version 1.2 at 4 KiB, or 1.1 at 0."""
    at = 4096 if version == 2 else 0
    block = bytearray(4096)
    struct.pack_into("<IIII", block, 0, 0xA92B4EFC, 1, 0, 0)
    block[16:40] = bytes(range(16)) + b"host:md0"
    struct.pack_into("<QIIQII", block, 64, 0, 0, 0, 4096, 128, 2)
    struct.pack_into("<QQQQ", block, 128, 2048, 4096, at // SECTOR, 0)
    struct.pack_into("<I", block, 160, 1)
    struct.pack_into("<I", block, 220, 2)
    struct.pack_into("<HH", block, 256, 0, 1)
    total = sum(struct.unpack("<65I", block[:260]))
    struct.pack_into("<I", block, 216, (total & 0xFFFFFFFF) + (total >> 32) & 0xFFFFFFFF)
    return bytes(at) + bytes(block)


def bigalloc(wide):
    """Two groups of 256 clusters of 4 blocks of 1 KiB; the bitmap of the second was never written."""
    out = bytearray(8192)
    struct.pack_into("<IIIIIIIIII", out, 1024, 0, 1500, 0, 0, 0, 0, 0, 2, 1024, 256)
    struct.pack_into("<H", out, 1024 + 56, 0xEF53)
    struct.pack_into("<II", out, 1024 + 96, 0x80 if wide else 0, 0x600)
    struct.pack_into("<H", out, 1024 + 254, 64)
    each = 64 if wide else 32
    struct.pack_into("<III HHHH", out, 2048, 4, 5, 6, 251, 0, 0, 0)
    struct.pack_into("<III HHHH", out, 2048 + each, 5, 5, 6, 119, 0, 0, 2)
    out[4096:4098] = b"\x0f\x02"
    return bytes(out)


MAGICS = [(3, b"-FVE-FS-"), (0, b"LUKS\xba\xbe\0\2"), (88, b"CS"), (3, b"ReFS\0\0\0\0"), (3, b"NTFS    \0\2\x08"), (3, b"EXFAT   "), (32, b"NXSB"),
          (1080, b"\x53\xef"), (1024, b"H+\0\4"), (1024, b"BD"), (65600, b"_BHRfS_M"), (65588, b"ReIsEr"), (32768, b"JFS1"), (32768, b"\1CD001"),
          (34817, b"NSR0"), (4096, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca"), (4086, b"SWAPSPACE2"), (9564, b"\x54\x19\x01\x00"),
          (131072, b"\x0c\xb1\xba\0\0\0\0\0"), (0, b"\xeb\x58\x90MSWIN4.1\0\2\1\1\0\2\xe0\0\x40\x0b\xf0\x09\0")]
SEEDS = {"fuzz_bigalloc": lambda: [bigalloc(False), bigalloc(True)], "fuzz_xfs": lambda: [xfs(False), xfs(True)], "fuzz_lvm": lambda: [lvm(), GROUP],
         "fuzz_volumes": lambda: [md(2), md(1), lvm()] + [bytes(at) + magic + bytes(1024) for at, magic in MAGICS]}


def main(out, target):
    for number, seed in enumerate(SEEDS[target]()):
        with open(os.path.join(out, f"seed-{number}"), "wb") as file:
            file.write(seed)


main(*sys.argv[1:])
