#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/container_seeds.py OUT TARGET - seeds of fuzz_e01, fuzz_vhd, fuzz_vdi, fuzz_vmdk_stream or fuzz_served: the smallest sound images.

Without one a fuzzer does not come past the checks of headers. Checksums that the targets make right themselves are left out.
Sources: libewf's "Expert Witness Compression Format"; Microsoft's VHD 1.0; QEMU's block/vdi.c and docs/interop/parallels.txt; VMware Virtual Disk
Format 5.0; LUKS On-Disk Format 1.2.3.
"""
import os
import struct
import sys
import zlib

SECTOR = 512


def section(out, kind, body, last=False):
    at, size = len(out), 76 + len(body)
    out += kind.ljust(16, b"\0") + struct.pack("<QQ", at if last else at + size, 0 if last else size) + bytes(44) + body


VOLUME = struct.pack("<IIIIQ", 1, 5, 8, SECTOR, 36).ljust(1052, b"\0")
TEXT = "1\nmain\nc\tn\ta\te\tt\tav\tm\tu\tp\n1\t2\tcase\tme\tnotes\t7\t2026 1 2 3 4 5\t1767322800\t0\n\n"


def e01_chunks(out, bodies, stored, wrong_base=False):
    base, entries, data = len(out), [], b""
    for number, body in enumerate(bodies):
        entries.append(76 + len(data) | (0 if number in stored else 1 << 31))
        data += body + struct.pack("<I", zlib.adler32(body)) if number in stored else zlib.compress(body)
    section(out, b"sectors", data)
    table = struct.pack("<IIQII", len(entries), 0, base, 0, 0) + struct.pack("<%dI" % len(entries), *entries)
    section(out, b"table", table + bytes(4))
    section(out, b"table2", (table[:8] + struct.pack("<Q", base + 1) + table[16:] if wrong_base else table) + bytes(4))


def e01(stored=(1,), wrong_base=False, parts=False):
    """Chunks: packed, stored, zeros twice, half a chunk; a list of what was not read; a copy of the table, which may be another one."""
    bodies = [b"a" * 4096, bytes(range(256)) * 16, bytes(4096), bytes(4096), b"b" * 2048]
    out = bytearray(b"EVF\x09\r\n\xff\0" + struct.pack("<BHH", 1, 1, 0))
    section(out, b"header2", zlib.compress(("\ufeff" + TEXT).encode("utf-16-le")))
    section(out, b"header", zlib.compress(TEXT.encode()))
    section(out, b"volume", VOLUME)
    first = b""
    if parts:
        e01_chunks(out, bodies[:2], stored)
        section(out, b"next", b"", True)
        struct.pack_into("<H", out, 11, len(out))
        first, out, bodies = bytes(out), out[:13], bodies[2:]
        section(out, b"data", VOLUME)
    e01_chunks(out, bodies, stored, wrong_base)
    section(out, b"error2", seal(seal(struct.pack("<I", 1) + bytes(512), 516) + struct.pack("<II", 8, 2), 528, 520))
    section(out, b"digest", seal(bytes(range(36)) + bytes(40), 76))
    section(out, b"hash", seal(bytes(range(16)) + bytes(16), 32))
    section(out, b"done", b"", True)
    return first + bytes(out)


def seal(body, length, begin=0):
    return body[:length] + struct.pack("<I", zlib.adler32(body[begin:length]))


def vhd(kind=3, block=1 << 16):
    """fuzz_vhd puts a hole and the footer behind these bytes where the first one is even."""
    footer = struct.pack(">8sIIQI4sI4sQQHBBII", b"conectix", 2, 0x10000, SECTOR, 0, b"brn ", 0, b"Wi2k", 3 * block, 3 * block, 1, 1, 1, kind, 0)
    header = struct.pack(">8sQQIIII", b"cxsparse", 2**64 - 1, 3 * SECTOR, 0x10000, 3, block, 0)
    table = struct.pack(">3I", 4, 0xFFFFFFFF, 4 + 1 + block // SECTOR)
    bitmap = b"\xff\xf0\x00\x0f"
    return b"\0" + footer.ljust(SECTOR, b"\0") + header.ljust(2 * SECTOR, b"\0") + table.ljust(SECTOR, b"\xff") + bitmap.ljust(SECTOR, b"\0") + b"data"


def vdi(block=4096):
    head = b"<<< x >>>\n".ljust(64, b"\0") + struct.pack("<IIIII", 0xBEDA107F, 0x10001, 400, 1, 0) + bytes(256)
    head += struct.pack("<IIIIIIIQIIII", SECTOR, 1024, 0, 0, 0, SECTOR, 0, 3 * block + 1000, block, 0, 4, 2)
    return head.ljust(SECTOR, b"\0") + struct.pack("<4I", 1, 0xFFFFFFFF, 0, 0xFFFFFFFE).ljust(SECTOR, b"\0") + b"b" * block + b"a" * block


def vmdk(footer=False, twice=False):
    """Header, text, two grains of 4 KiB, a table, a directory; and a second one of each, or the header's copy at the end."""
    sectors, grain = 8 * 512 + 8, 8
    text = b'# Disk DescriptorFile\nversion=1\nparentCID=ffffffff\ncreateType="streamOptimized"\nRW %d SPARSE "a.vmdk"\n' % sectors

    def head(directory):
        fixed = struct.pack("<4sIIQQQQIQQQB", b"KDMV", 3, 0x30001 | 2 * twice, sectors, grain, 1, 1, 512, 15 if twice else 0, directory, 1, 0)
        return (fixed + b"\n \r\n" + struct.pack("<H", 1)).ljust(SECTOR, b"\0")

    def packed(at, body):
        small = zlib.compress(body)
        return (struct.pack("<QI", at, len(small)) + small).ljust(SECTOR, b"\0")
    out = head(2**64 - 1 if footer else 8) + text.ljust(SECTOR, b"\0") + packed(0, b"a" * 4096) + packed(16, b"b" * 4096)
    table = struct.pack("<512I", 2, 0, 3, 1, *[0] * 508)
    out += table + struct.pack("<II", 4, 0).ljust(SECTOR, b"\0")
    out = out.ljust(11 * SECTOR, b"\0")
    if twice:
        out += table + struct.pack("<II", 11, 0).ljust(SECTOR, b"\0")
    return out + (head(8) + bytes(SECTOR) if footer else b"")


def served(magic, factor):
    """fuzz_served takes the length of a hole from the first 8 bytes."""
    disk = struct.pack("<16sIIIIIQ", magic, 2, 16, 4, 8, 3, 20).ljust(64, b"\0") + struct.pack("<3I", 8 // factor, 0, 16 // factor)
    return struct.pack("<Q", 20000) + disk


def luks():
    return struct.pack("<Q", 8192 - 108) + (struct.pack(">6sH", b"LUKS\xba\xbe", 1) + bytes(96) + struct.pack(">I", 8))


SEEDS = {"fuzz_e01": [e01(), e01(wrong_base=True), e01(stored=range(5)), e01(parts=True)],
         "fuzz_vhd": [vhd(), vhd(kind=2), vhd(block=1 << 19)], "fuzz_vdi": [vdi()],
         "fuzz_vmdk_stream": [vmdk(), vmdk(footer=True), vmdk(twice=True)],
         "fuzz_served": [served(b"WithoutFreeSpace", 1), served(b"WithouFreSpacExt", 8), luks()]}


def main(out, target):
    for number, seed in enumerate(SEEDS[target]):
        with open(os.path.join(out, f"seed-{number}"), "wb") as file:
            file.write(seed)


main(*sys.argv[1:])
