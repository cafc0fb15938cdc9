#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/io/vhdx_log.py - makes a VHDX that was closed one that was not: a part of its block table goes into the log.

vhdx_log.py FILE.vhdx [OPTION...]  changes FILE in place; qemu-img check -r all makes it whole again

  entries=N    the block table is written by N entries, each of which changes one block more (1)
  at=SECTOR    of 4,096 bytes of the log in which the first entry begins; the ring goes round (0)
  stale=1      entries of this use with lower numbers, and one of another use, stand in the log too: they say something else
  torn=1       one more entry, of which the end was not written
  zeros=1      the table is full of other bytes, which the first entry sets to zeros
  tail=N       the last entry says that the first N are in the file already; they are, and the log says something else of them
  flushed=N    the file has had N bytes more, and they were on the disk (0)
  last=N       the file has had N bytes more (0)
  data=1       the log changes bytes of a block
  hole=1       the number of the middle entry is wrong (entries=3)
  bat=keep     the block table stays as it is

Source: MS-VHDX, sections 2.2.2 and 2.3.
"""
import struct
import sys

SECTOR, MIB = 4096, 1 << 20
ID = bytes(range(1, 17))
BLOCKS = bytes.fromhex("6677c22d23f600429d64115e9bfd4a08")


def crc32c(data):
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        table.append(n)
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return crc ^ 0xffffffff


def entry(number, tail, changes, sizes, ident=ID):
    """changes: (place, 4,096 bytes) or (place, a number of zeros)."""
    descriptors, sectors = b"", b""
    for place, data in changes:
        if isinstance(data, int):
            descriptors += struct.pack("<4sIQQQ", b"zero", 0, data, place, number)
            continue
        descriptors += struct.pack("<4s4s8sQQ", b"desc", data[-4:], data[:8], place, number)
        sectors += struct.pack("<4sI", b"data", number >> 32) + data[8:-4] + struct.pack("<I", number & 0xffffffff)
    head = (64 + len(descriptors) + SECTOR - 1) // SECTOR * SECTOR
    body = struct.pack("<4sIIIQII16sQQ", b"loge", 0, head + len(sectors), tail, number, len(changes), 0, ident, *sizes)
    body = (body + descriptors).ljust(head, b"\0") + sectors
    return body[:4] + struct.pack("<I", crc32c(body)) + body[8:]


def main(path, *settings):
    options = dict(setting.split("=", 1) for setting in settings)
    option = lambda name, otherwise=0: int(options.get(name, otherwise))
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        heads = [bytearray(data[at:at + SECTOR]) for at in (64 << 10, 128 << 10)]
        current = max(heads, key=lambda head: struct.unpack_from("<Q", head, 8))
        log_len, log_at = struct.unpack_from("<IQ", current, 68)
        regions = [data[at:at + 32] for at in range((192 << 10) + 16, (192 << 10) + 16 + 4 * 32, 32)]
        table = next(struct.unpack_from("<Q", region, 16)[0] for region in regions if region[:16] == BLOCKS)
        whole = bytes(data[table:table + SECTOR])
        count, first, block = option("entries", 1), option("at") * SECTOR, struct.unpack_from("<Q", whole)[0] >> 20 << 20
        sizes = (len(data) + option("flushed") if option("flushed") else table, len(data) + option("flushed") + option("last"))

        # The state of the table before each entry: one block more is in it.
        known = [i for i in range(SECTOR // 8) if whole[8 * i] & 7 == 6]
        states = []
        for n in range(count + 1):
            state = bytearray(whole)
            for i in known[n * len(known) // count:]:
                state[8 * i:8 * i + 8] = bytes(8)
            states.append(bytes(state))
        other = bytes(state ^ 0x5a for state in whole)
        done = option("tail")
        ring, place, places = bytearray(log_len), first, []

        def put(at, body):
            for i in range(0, len(body), SECTOR):
                where = (at + i) % log_len
                ring[where:where + SECTOR] = body[i:i + SECTOR]

        if option("stale"):
            put(first + 64 * SECTOR, entry(3, (first + 64 * SECTOR) % log_len, [(table, other)], sizes))
            put(first + 70 * SECTOR, entry(900, (first + 70 * SECTOR) % log_len, [(table, other)], sizes, b"\7" * 16))
        for n in range(count):
            places.append(place)
            changes = [(table, states[n + 1] if n >= done else other)]
            if n == 0 and option("zeros"):
                changes.insert(0, (table, SECTOR))
            if option("data"):
                changes.append((block, b"x" * SECTOR))
            tail = places[done] if n >= done else places[0]
            number = 1000 + n + (5 if option("hole") and n == 1 else 0)
            body = entry(number, tail, changes, sizes)
            put(place, body)
            place = (place + len(body)) % log_len
        if option("torn"):
            body = entry(1000 + count, places[0], [(table, other)], sizes)
            put(place, body[:SECTOR] + bytes(SECTOR))
        data[log_at:log_at + log_len] = ring
        if options.get("bat") != "keep":
            data[table:table + SECTOR] = other if option("zeros") else states[done]
        for head in heads:
            head[48:64] = ID
            head[4:8] = bytes(4)
            head[4:8] = struct.pack("<I", crc32c(head))
        for at, head in zip((64 << 10, 128 << 10), heads):
            data[at:at + SECTOR] = head
        file.seek(0)
        file.write(data)


main(*sys.argv[1:])
