#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/make_served.py - a raw image as containers that no tool of Debian writes.

    python3 make_served.py dmg|bochs|cloop RAW OUT

The source of dmg is the description in QEMU's block/dmg.c and of Apple's UDIF ("koly", "mish"); of Bochs, bximage's redolog.h; of
cloop, the header of cloop-utils. QEMU reads them back, which the caller asks it to.
"""
import base64
import struct
import sys
import zlib

SECTOR = 512


def dmg(raw, out):
    """Chunks of 256 KiB: packed, as they are, and zeros, whichever is next and fits."""
    chunk, body, entries = 256 << 10, b"", []
    for number, at in enumerate(range(0, len(raw), chunk)):
        piece = raw[at:at + chunk]
        packed = zlib.compress(piece, 6)
        if not any(piece):
            kind, stored = 0, b""
        elif number % 5 == 4:
            kind, stored = 1, piece
        else:
            kind, stored = 0x80000005, packed
        entries.append(struct.pack(">IIQQQQ", kind, 0, at // SECTOR, len(piece) // SECTOR, len(body), len(stored)))
        body += stored
    entries.append(struct.pack(">IIQQQQ", 0xffffffff, 0, len(raw) // SECTOR, 0, len(body), 0))
    mish = struct.pack(">4sIQQQII24s", b"mish", 1, 0, len(raw) // SECTOR, 0, chunk // SECTOR + 8, len(entries), b"")
    mish += struct.pack(">II128sI", 2, 32, b"", len(entries)) + b"".join(entries)
    plist = (b'<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict><key>resource-fork</key><dict><key>blkx</key><array>'
             b"<dict><key>Attributes</key><string>0x0050</string><key>Data</key><data>\n" + base64.encodebytes(mish) +
             b"</data></dict></array></dict></dict></plist>\n")
    koly = bytearray(512)
    struct.pack_into(">4sIII", koly, 0, b"koly", 4, 512, 1)
    struct.pack_into(">QQ", koly, 0x18, 0, len(body))
    struct.pack_into(">QQ", koly, 0xd8, len(body), len(plist))
    struct.pack_into(">Q", koly, 0x1ec, len(raw) // SECTOR)
    out.write(body + plist + koly)


def bochs(raw, out):
    """A redolog that grows, version 2: a catalog, and each extent behind its bitmap of sectors."""
    extent = 64 << 10
    bitmap = 512                                     # bytes; a bit for each sector, and the rest of a sector
    count = (len(raw) + extent - 1) // extent
    header = struct.pack("<32s16s16sIIIIIIQ", b"Bochs Virtual HD Image", b"Redolog", b"Growing", 0x00020000, 512, count,
                         bitmap, extent, 0, len(raw))
    catalog, body = [], b""
    for number in range(count):
        piece = raw[number * extent:(number + 1) * extent].ljust(extent, b"\0")
        if not any(piece):
            catalog.append(0xffffffff)
            continue
        catalog.append(len(body) // (bitmap + extent))
        bits = bytearray(bitmap)
        for sector in range(extent // SECTOR):
            if any(piece[sector * SECTOR:(sector + 1) * SECTOR]):
                bits[sector // 8] |= 1 << sector % 8
        body += bytes(bits) + piece
    out.write(header.ljust(512, b"\0") + struct.pack("<%dI" % count, *catalog) + body)


def cloop(raw, out):
    """Blocks of 64 KiB, each packed, behind a table of where they begin."""
    block = 64 << 10
    packed = [zlib.compress(raw[at:at + block].ljust(block, b"\0")) for at in range(0, len(raw), block)]
    head = b"#!/bin/sh\n#V2.0 Format\nmodprobe cloop file=$0 && mount -r -t iso9660 /dev/cloop $1\n".ljust(128, b"\0")
    head += struct.pack(">II", block, len(packed))
    at = len(head) + 8 * (len(packed) + 1)
    for piece in packed:
        head += struct.pack(">Q", at)
        at += len(piece)
    out.write(head + struct.pack(">Q", at) + b"".join(packed))


def main():
    with open(sys.argv[2], "rb") as source, open(sys.argv[3], "wb") as out:
        {"dmg": dmg, "bochs": bochs, "cloop": cloop}[sys.argv[1]](source.read(), out)


main()
