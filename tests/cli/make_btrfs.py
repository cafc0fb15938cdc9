#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An empty btrfs, made without the tools of btrfs.

make_btrfs.py FILE                  the file system in a file of 256 MiB
make_btrfs.py --add DEVICE FOLDER   a second device for one that is mounted (BTRFS_IOC_ADD_DEV)

Layout: https://btrfs.readthedocs.io/en/latest/dev/On-disk-format.html. A leaf for each tree that Linux
wants to see, in chunks whose logical places are their physical ones.
"""
import fcntl
import os
import struct
import sys
import uuid

NODE, SIZE, MIB = 4096, 256 << 20, 1 << 20
HEADER = 101  # bytes in front of a leaf's items
SYSTEM, META, DATA = (4 * MIB, 4 * MIB, 2), (8 * MIB, 32 * MIB, 4), (40 * MIB, 32 * MIB, 1)  # place, length, kind
CHUNKS = (SYSTEM, META, DATA)
ROOT, EXTENT, CHUNK, DEV, FS, CSUM, RELOC = 1, 2, 3, 4, 5, 7, 2**64 - 9  # numbers of trees
INODE_ITEM, INODE_REF, ROOT_ITEM, METADATA_ITEM, BLOCK_GROUP, DEV_EXTENT, DEV_ITEM, CHUNK_ITEM = 1, 12, 132, 169, 192, 204, 216, 228
FSID, CHUNK_UUID, DEVICE_UUID = (uuid.uuid4().bytes for _ in range(3))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def sealed(block):
    """With its checksum in front, which takes 32 bytes."""
    return struct.pack("<I", crc32c(block)) + bytes(28) + block


def key(number, kind, offset):
    return struct.pack("<QBQ", number, kind, offset)


def device():
    used = sum(length for _, length, _ in CHUNKS)
    return struct.pack("<QQQIIIQQQIBB", 1, SIZE, used, NODE, NODE, NODE, 0, 0, 0, 0, 0, 0) + DEVICE_UUID + FSID


def chunk(place, length, kind):
    head = struct.pack("<QQQQIIIHH", length, EXTENT, 65536, kind, 65536, 65536, NODE, 1, 0)
    return head + struct.pack("<QQ", 1, place) + DEVICE_UUID


def inode():
    return struct.pack("<QQQQQIIIIQQQ", 1, 0, 0, NODE, 0, 1, 0, 0, 0o40755, 0, 0, 0) + bytes(32 + 4 * 12)


def root_item(place, folder):
    head = struct.pack("<QQQQQQQI", 1, folder, place, 0, NODE, 0, 0, 1) + bytes(17 + 2)
    return inode() + head + struct.pack("<Q", 1) + bytes(48 + 32 + 48 + 64)


def leaf(place, tree, items):
    body, end = bytearray(NODE - HEADER), NODE - HEADER
    for i, (where, data) in enumerate(sorted(items)):
        end -= len(data)
        body[end:end + len(data)] = data
        struct.pack_into("<QBQII", body, i * 25, *where, end, len(data))
    head = FSID + struct.pack("<QQ", place, 1 | 1 << 56) + CHUNK_UUID + struct.pack("<QQIB", 1, tree, len(items), 0)
    return sealed(head + bytes(body))


def make(path):
    trees = (ROOT, EXTENT, DEV, FS, CSUM, RELOC)
    place = {tree: META[0] + i * NODE for i, tree in enumerate(trees)}
    place[CHUNK] = SYSTEM[0]
    used = {SYSTEM: NODE, META: NODE * len(trees), DATA: 0}
    folder = [((256, INODE_ITEM, 0), inode()), ((256, INODE_REF, 256), struct.pack("<QH", 0, 2) + b"..")]
    items = {
        CHUNK: [((1, DEV_ITEM, 1), device())] + [((256, CHUNK_ITEM, c[0]), chunk(*c)) for c in CHUNKS],
        ROOT: [((t, ROOT_ITEM, 0), root_item(place[t], 256 if t in (FS, RELOC) else 0)) for t in trees[1:]],
        EXTENT: [((c[0], BLOCK_GROUP, c[1]), struct.pack("<QQQ", used[c], 256, c[2])) for c in CHUNKS]
                + [((p, METADATA_ITEM, 0), struct.pack("<QQQBQ", 1, 1, 2, 176, t)) for t, p in place.items()],
        DEV: [((1, DEV_EXTENT, c[0]), struct.pack("<QQQQ", CHUNK, 256, c[0], c[1]) + CHUNK_UUID) for c in CHUNKS],
        FS: folder,
        CSUM: [],
        RELOC: folder,
    }
    first = key(256, CHUNK_ITEM, SYSTEM[0]) + chunk(*SYSTEM)
    block = bytearray(NODE - 32)  # the superblock behind its checksum
    block[0:16] = FSID
    struct.pack_into("<QQ8sQQQQQQQQQ", block, 16, 65536, 1, b"_BHRfS_M", 1, place[ROOT], place[CHUNK], 0, 0, SIZE, 7 * NODE, 6, 1)
    struct.pack_into("<IIIIIQQQQH", block, 0x70, NODE, NODE, NODE, NODE, len(first), 1, 0, 0, 0x341, 0)
    block[0xA9:0xA9 + 98] = device()
    struct.pack_into("<Q", block, 0x20B, 2**64 - 1)  # no cache of free space
    block[0x30B:0x30B + len(first)] = first
    with open(path, "wb") as out:
        out.truncate(SIZE)
        for tree in items:
            out.seek(place[tree])
            out.write(leaf(place[tree], tree, items[tree]))
        out.seek(65536)
        out.write(sealed(bytes(block)))


if sys.argv[1] == "--add":
    fcntl.ioctl(os.open(sys.argv[3], os.O_RDONLY), 0x5000940A, bytearray(struct.pack("<q4088s", 0, sys.argv[2].encode())), True)
else:
    make(sys.argv[1])
