#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/make_volumes.py - tables of partitions, LVM2 and md as the specifications say, for volumes.sh.

    make_volumes.py dos OUT SIZE START:LENGTH:TYPE[:FILE]...   an MBR; more than four become an extended partition
    make_volumes.py gpt OUT SIZE SECTOR START:LENGTH:NAME[:FILE]...   a GPT (UEFI 2.10, 5.3); numbers are sectors
    make_volumes.py lvm OUT SIZE VG NAME:TYPE:STRIPES:FILE...  one physical volume; striped ones have their stripes in it
    make_volumes.py md  OUT LEVEL VERSION ROLE MEMBERS CHUNK FILE   a member of an array: FILE is its data
"""
import struct
import sys
import uuid
import zlib


class Disk:
    """A file of zeros that pieces are put into: what nobody writes is a hole."""

    def __init__(self, path, size):
        self.file, self.size = open(path, "wb"), int(size)
        self.file.truncate(self.size)

    def __len__(self):
        return self.size


def put(out, at, data):
    if isinstance(out, Disk):
        out.file.seek(at)
        out.file.write(data)
    else:
        out[at:at + len(data)] = data


def content(parts, at):
    return open(parts[at], "rb").read() if len(parts) > at else b""


def dos(out, size, *entries):
    disk = Disk(out, size)
    entries = [e.split(":") for e in entries]
    first = entries if len(entries) <= 4 else entries[:3]
    logical = entries[len(first):]

    def entry(start, count, kind):
        return struct.pack("<B3sB3sII", 0, b"\0" * 3, kind, b"\0" * 3, start, count)

    table = b"".join(entry(int(e[0]), int(e[1]), int(e[2], 16)) for e in first)
    if logical:
        begin = int(logical[0][0]) - 1
        table += entry(begin, len(disk) // 512 - begin, 5)
        for i, e in enumerate(logical):
            at = int(e[0]) - 1
            chain = entry(1, int(e[1]), int(e[2], 16))
            if i + 1 < len(logical):
                after = int(logical[i + 1][0]) - 1
                chain += entry(after - begin, int(logical[i + 1][1]) + 1, 5)
            put(disk, at * 512 + 446, chain)
            put(disk, at * 512 + 510, b"\x55\xaa")
    put(disk, 446, table)
    put(disk, 510, b"\x55\xaa")
    for e in entries:
        put(disk, int(e[0]) * 512, content(e, 3))


def gpt(out, size, sector, *entries):
    sector, size = int(sector), int(size)
    disk, last = Disk(out, size), size // sector - 1
    room = -(-128 * 128 // sector)
    table = bytearray(128 * 128)
    linux = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le
    for i, e in enumerate(x.split(":") for x in entries):
        start, count = int(e[0]), int(e[1])
        put(table, i * 128, linux + uuid.uuid5(uuid.NAMESPACE_OID, str(i)).bytes_le +
            struct.pack("<QQQ", start, start + count - 1, 0) + e[2].encode("utf-16-le"))
        put(disk, start * sector, content(e, 3))

    def head(at, other, entries_at):
        parts = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, at, other, 2 + room, last - 1 - room,
                            uuid.UUID(int=7).bytes_le, entries_at, 128, 128, zlib.crc32(bytes(table)))
        return parts[:16] + struct.pack("<I", zlib.crc32(parts)) + parts[20:]

    put(disk, 446, struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xee, b"\xff" * 3, 1, min(last, 0xffffffff)))
    put(disk, 510, b"\x55\xaa")
    put(disk, sector, head(1, last, 2))
    put(disk, 2 * sector, table)
    put(disk, last * sector, head(last, 1, last - room))
    put(disk, (last - room) * sector, table)


def lvm_crc(data):
    return zlib.crc32(data, 0xf597a6cf ^ 0xffffffff) ^ 0xffffffff


def lvm(out, size, group, *volumes):
    """Logical volumes lie one behind another in extents of 64 KiB, stripes of 4 KiB; stripe k of a volume begins where
    the one before it ends."""
    extent, start = 65536, 1 << 20
    disk = Disk(out, size)
    ids = ["%s-aaaa-bbbb-cccc-dddd-eeee-%s" % (w, w) for w in ("GROUP0", "PHYSI0", "LOGIC0")]
    text = '%s {\nid = "%s"\nseqno = 1\nformat = "lvm2"\nstatus = ["RESIZEABLE", "READ", "WRITE"]\nflags = []\n' % (group, ids[0])
    count = (len(disk) - start) // extent
    text += 'extent_size = %d\nmax_lv = 0\nmax_pv = 0\nmetadata_copies = 0\n\nphysical_volumes {\n\npv0 {\nid = "%s"\n' % (extent // 512, ids[1])
    text += 'device = "/dev/x" # Hint only\nstatus = ["ALLOCATABLE"]\ndev_size = %d\npe_start = %d\npe_count = %d\n}\n}\n\nlogical_volumes {\n' % (
        len(disk) // 512, start // 512, count)
    at = 0
    for number, word in enumerate(volumes):
        name, kind, stripes, path = word.split(":")
        data, stripes = open(path, "rb").read(), int(stripes)
        each = -(-len(data) // extent // stripes)
        text += '\n%s {\nid = "%s"\nstatus = ["READ", "WRITE", "VISIBLE"]\nflags = []\nsegment_count = 1\n\nsegment1 {\nstart_extent = 0\n' % (
            name, ids[2][:5] + str(number) + ids[2][6:])
        text += 'extent_count = %d\n\ntype = "%s"\nstripe_count = %d\t# linear\n' % (each * stripes, kind, stripes)
        text += "stripe_size = 8\n" if stripes > 1 else ""
        text += "\nstripes = [\n" + ",\n".join('"pv0", %d' % (at + k * each) for k in range(stripes)) + "\n]\n}\n}\n"
        for chunk in range(0, len(data), 4096):
            number = chunk // 4096
            stripe, row = (number % stripes, number // stripes) if stripes > 1 else (0, number)
            put(disk, start + (at + stripe * each) * extent + row * 4096, data[chunk:chunk + 4096])
        at += each * stripes
    text += '}\n}\n# Generated by make_volumes.py\ncontents = "Text Format Volume Group"\nversion = 1\n\ndescription = ""\n'
    text = text.encode() + b"\0"
    area, area_len, begin = 4096, start - 4096, start - 4096 - 512  # the text goes round the end of its area
    pv = ids[1].replace("-", "").encode()
    label = struct.pack("<I8s", 32, b"LVM2 001") + pv + struct.pack("<Q", len(disk))
    label += struct.pack("<QQQQ", start, 0, 0, 0) + struct.pack("<QQQQ", area, area_len, 0, 0)
    label = label.ljust(512 - 20, b"\0")
    put(disk, 512, struct.pack("<8sQI", b"LABELONE", 1, lvm_crc(label)) + label)
    head = b" LVM2 x[5A%r0N*>" + struct.pack("<IQQ", 1, area, area_len)
    head += struct.pack("<QQII", begin, len(text), lvm_crc(text), 0)
    head = head.ljust(508, b"\0")
    put(disk, area, struct.pack("<I", lvm_crc(head)) + head)
    put(disk, area + begin, text[:area_len - begin])
    put(disk, area + 512, text[area_len - begin:])


def md(out, level, version, role, members, chunk, path):
    data, offset = open(path, "rb").read(), 2048 if version in ("1.1", "1.2") else 0
    disk = bytearray(offset * 512) + data
    if version in ("1.0",):
        disk += bytearray(64 * 1024)
    at = {"1.0": (len(disk) // 512 - 16) // 8 * 8 * 512, "1.1": 0, "1.2": 4096}[version]
    size = len(data) // 512
    block = bytearray(256 + 2 * int(members))
    struct.pack_into("<IIII16s32s", block, 0, 0xa92b4efc, 1, 0, 0, uuid.UUID(int=0x1234 + int(level) % 7).bytes, b"box:array")
    struct.pack_into("<QiiQII", block, 64, 1, int(level), 0, size, int(chunk) // 512, int(members))
    struct.pack_into("<QQQ", block, 128, offset, size, at // 512)
    struct.pack_into("<I", block, 160, int(role))
    struct.pack_into("<QQQ", block, 192, 1, 1, 0)
    struct.pack_into("<I", block, 220, int(members))
    for i in range(int(members)):
        struct.pack_into("<H", block, 256 + 2 * i, i)
    words = sum(struct.unpack("<%dI" % (len(block) // 4), block[:len(block) // 4 * 4]))
    words += struct.unpack("<H", block[-2:])[0] if len(block) % 4 else 0
    struct.pack_into("<I", block, 216, (words & 0xffffffff) + (words >> 32) & 0xffffffff)
    put(disk, at, block)
    open(out, "wb").write(disk)


globals()[sys.argv[1]](*sys.argv[2:])
