#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/delete_files.py - what no tool of Debian does to file systems without mounting them: exFAT gets files, and exFAT and NTFS lose some.

    delete_files.py exfat IMAGE FILE...           puts files into the root, each in clusters one behind another
    delete_files.py exfat-delete IMAGE NAME...    their entries are no longer in use, their clusters are free
    delete_files.py ntfs-delete IMAGE NAME...     they are no more in the root, their records not in use, their clusters free
    delete_files.py plant IMAGE AT FILE...        writes files at multiples of 64 KiB from byte AT on: what was deleted long ago

Sources: Microsoft's exFAT specification, 6 and 7; for NTFS the layouts of ntfs-3g's layout.h.
"""
import os
import struct
import sys


class Volume:
    def __init__(self, file):
        self.file = file

    def read(self, at, length):
        self.file.seek(at)
        return bytearray(self.file.read(length))

    def write(self, at, data):
        self.file.seek(at)
        self.file.write(data)


class Exfat(Volume):
    def __init__(self, file):
        super().__init__(file)
        boot = self.read(0, 512)
        sector = 1 << boot[108]
        self.cluster = sector << boot[109]
        self.heap = struct.unpack_from("<I", boot, 88)[0] * sector
        self.root = self.place(struct.unpack_from("<I", boot, 96)[0])
        entries = self.read(self.root, self.cluster)
        at = next(at for at in range(0, len(entries), 32) if entries[at] == 0x81)
        self.bitmap = self.place(struct.unpack_from("<I", entries, at + 20)[0])
        self.used = next(at for at in range(0, len(entries), 32) if entries[at] == 0)

    def place(self, cluster):
        return self.heap + (cluster - 2) * self.cluster

    def mark(self, first, count, on):
        for bit in range(first - 2, first - 2 + count):
            byte = self.read(self.bitmap + bit // 8, 1)
            byte[0] = byte[0] | 1 << bit % 8 if on else byte[0] & ~(1 << bit % 8)
            self.write(self.bitmap + bit // 8, byte)

    def put(self, path, first):
        """Returns the cluster behind the file's."""
        with open(path, "rb") as source:
            data = source.read()
        name, count = os.path.basename(path), (len(data) + self.cluster - 1) // self.cluster
        hashed = 0
        for byte in name.upper().encode("utf-16-le"):
            hashed = ((hashed << 15 | hashed >> 1) + byte) & 0xFFFF
        entries = bytearray(struct.pack("<BBHHHIII", 0x85, 2, 0, 0x20, 0, 0x5B210000, 0x5B210000, 0x5B210000).ljust(32, b"\0"))
        entries += struct.pack("<BBBBHHQIIQ", 0xC0, 3, 0, len(name), hashed, 0, len(data), 0, first, len(data))
        entries += b"\xc1\0" + name.encode("utf-16-le").ljust(30, b"\0")
        total = 0
        for at, byte in enumerate(entries):
            if at not in (2, 3):
                total = ((total << 15 | total >> 1) + byte) & 0xFFFF
        struct.pack_into("<H", entries, 2, total)
        assert self.used + 96 <= self.cluster and len(name) <= 15
        self.write(self.root + self.used, entries)
        self.used += 96
        self.mark(first, count, True)
        self.write(self.place(first), data)
        return first + count

    def delete(self, name):
        entries = self.read(self.root, self.cluster)
        for at in range(0, self.used, 32):
            if entries[at] == 0x85 and entries[at + 66:at + 66 + 2 * entries[at + 35]].decode("utf-16-le") == name:
                first, length = struct.unpack_from("<IQ", entries, at + 52)
                self.mark(first, (length + self.cluster - 1) // self.cluster, False)
                for part in range(3):
                    self.write(self.root + at + 32 * part, bytes([entries[at + 32 * part] & 0x7F]))
                return
        sys.exit(name + " is not there")


def exfat(image, *paths):
    with open(image, "r+b") as file:
        volume, first = Exfat(file), 100
        for path in paths:
            first = volume.put(path, first)


def exfat_delete(image, *names):
    with open(image, "r+b") as file:
        volume = Exfat(file)
        for name in names:
            volume.delete(name)


def attributes(record):
    """(type, the attribute's bytes) of a record of the MFT."""
    at = struct.unpack_from("<H", record, 20)[0]
    while True:
        kind, length = struct.unpack_from("<II", record, at)
        if kind == 0xFFFFFFFF:
            return
        yield kind, record[at:at + length]
        at += length


def runs(attribute):
    """(first cluster, clusters) of an attribute whose data lie elsewhere."""
    at, cluster = struct.unpack_from("<H", attribute, 32)[0], 0
    while attribute[at]:
        lengths, places = attribute[at] & 15, attribute[at] >> 4
        count = int.from_bytes(attribute[at + 1:at + 1 + lengths], "little")
        cluster += int.from_bytes(attribute[at + 1 + lengths:at + 1 + lengths + places], "little", signed=True)
        yield cluster, count
        at += 1 + lengths + places


INDEX_BLOCK, SECTOR = 4096, 512


def without(block, number):
    """A block of a folder's index without the entry of this record. The last two bytes of its sectors stand in front of it, in its array."""
    array, count = struct.unpack_from("<HH", block, 4)
    for i in range(1, count):
        block[i * SECTOR - 2:i * SECTOR] = block[array + 2 * i:array + 2 * i + 2]
    first, end = struct.unpack_from("<II", block, 24)
    at, end = 24 + first, 24 + end
    while not block[at + 12] & 2:
        length = struct.unpack_from("<H", block, at + 8)[0]
        if struct.unpack_from("<Q", block, at)[0] & 0xFFFFFFFFFFFF == number:
            block[at:end] = block[at + length:end] + bytes(length)
            end -= length
        else:
            at += length
    struct.pack_into("<I", block, 28, end - 24)
    for i in range(1, count):
        block[array + 2 * i:array + 2 * i + 2] = block[i * SECTOR - 2:i * SECTOR]
        block[i * SECTOR - 2:i * SECTOR] = block[array:array + 2]
    return block


class Ntfs(Volume):
    def __init__(self, file):
        super().__init__(file)
        boot = self.read(0, SECTOR)
        self.cluster = struct.unpack_from("<H", boot, 11)[0] * boot[13]
        self.size = 1 << 256 - boot[64] if boot[64] > 127 else boot[64] * self.cluster
        table = self.read(struct.unpack_from("<Q", boot, 48)[0] * self.cluster, self.size)
        self.places = [at for begin, length in self.data(table, 0x80) for at in range(begin, begin + length, self.size)]
        self.bitmap = self.data(self.record(6), 0x80)[0][0]

    def record(self, number):
        return self.read(self.places[number], self.size)

    def data(self, record, wanted):
        """(byte, length) of the runs of an attribute."""
        return [(begin * self.cluster, count * self.cluster) for kind, body in attributes(record) if kind == wanted for begin, count in runs(body)]

    def names(self, record):
        return {body[90:90 + 2 * body[88]].decode("utf-16-le") for kind, body in attributes(record) if kind == 0x30}

    def delete(self, name):
        root = self.data(self.record(5), 0xA0)
        number = next(i for i in range(16, len(self.places)) if self.record(i)[22] & 1 and name in self.names(self.record(i)))
        record = self.record(number)
        for at in (at for begin, length in root for at in range(begin, begin + length, INDEX_BLOCK)):
            self.write(at, without(self.read(at, INDEX_BLOCK), number))
        for begin, length in self.data(record, 0x80):
            for bit in range(begin // self.cluster, (begin + length) // self.cluster):
                byte = self.read(self.bitmap + bit // 8, 1)[0]
                self.write(self.bitmap + bit // 8, bytes([byte & ~(1 << bit % 8)]))
        sequence, _, begin, flags = struct.unpack_from("<HHHH", record, 16)
        struct.pack_into("<HHHH", record, 16, sequence + 1, 0, begin, flags & ~1)
        self.write(self.places[number], record)


def ntfs_delete(image, *names):
    with open(image, "r+b") as file:
        volume = Ntfs(file)
        for name in names:
            volume.delete(name)


def plant(image, at, *paths):
    with open(image, "r+b") as file:
        for number, path in enumerate(paths):
            file.seek(int(at) + (number << 16))
            with open(path, "rb") as source:
                file.write(source.read())


{"exfat": exfat, "exfat-delete": exfat_delete, "ntfs-delete": ntfs_delete, "plant": plant}[sys.argv[1]](*sys.argv[2:])
