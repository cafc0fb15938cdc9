#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""btrfs_used.py DEVICE [CASE]: runs of a device of Btrfs that are in use, as btrfs-progs prints its trees; with a case file, whether
its scan has left out these runs and nothing else.

The runs are found by stepping through each extent a sector at a time, which has nothing in common with how burin does it.
"""
import re
import sqlite3
import subprocess
import sys

SECTOR = 4096


def dump(device, tree):
    words = ["btrfs", "inspect-internal", "dump-tree", "-t", tree, device]
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


def super_of(device):
    text = subprocess.run(["btrfs", "inspect-internal", "dump-super", device], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: re.search(rf"^{re.escape(name)}\s+(\S+)", text, re.M)[1] for name in ("nodesize", "dev_item.uuid")}


def used(device):
    about = super_of(device)
    chunks, extents = [], []
    for part in dump(device, "chunk").split("\titem ")[1:]:
        head = re.search(r"CHUNK_ITEM (\d+)\)", part)
        if not head:
            continue
        kind = re.search(r"type (\S+)", part)[1].split("|")[-1]
        length, stripe_len = int(re.search(r"length (\d+)", part)[1]), int(re.search(r"stripe_len (\d+)", part)[1])
        stripes = re.findall(r"stripe \d+ devid \d+ offset (\d+)\s+dev_uuid (\S+)", part)
        chunks.append((int(head[1]), length, kind, stripe_len, stripes))
    for at, kind, length in re.findall(r"key \((\d+) (EXTENT_ITEM|METADATA_ITEM) (\d+)\)", dump(device, "extent")):
        extents.append((int(at), int(length) if kind == "EXTENT_ITEM" else int(about["nodesize"])))
    sectors = set()
    for at, length in extents:
        start, _, kind, stripe_len, stripes = next(c for c in chunks if c[0] <= at < c[0] + c[1])
        for place in range(at - start, at - start + length, SECTOR):
            number, inside = divmod(place, stripe_len)
            if kind == "RAID0":
                mine = [(stripes[number % len(stripes)], number // len(stripes) * stripe_len + inside)]
            elif kind == "RAID10":
                pair = number % (len(stripes) // 2)
                mine = [(stripes[2 * pair + i], number // (len(stripes) // 2) * stripe_len + inside) for i in (0, 1)]
            else:
                mine = [(stripe, place) for stripe in stripes]
            sectors.update(int(offset) + there for (offset, uuid), there in mine if uuid == about["dev_item.uuid"])
    runs = []
    for at in sorted(sectors):
        if runs and runs[-1][0] + runs[-1][1] == at:
            runs[-1][1] += SECTOR
        else:
            runs.append([at, SECTOR])
    return runs


def left_out(case, size):
    at, runs = 0, []
    for offset, length in sqlite3.connect(case).execute("SELECT offset, len FROM scanned ORDER BY offset"):
        if offset > at:
            runs.append([at, offset - at])
        at = offset + length
    return runs + ([[at, size - at]] if at < size else [])


device = sys.argv[1]
if len(sys.argv) == 2:
    print("\n".join(f"{at} {length}" for at, length in used(device)))
else:
    want, have = used(device), left_out(sys.argv[2], open(device, "rb").seek(0, 2))
    assert len(want) > 1, want
    if want != have:
        sys.exit(f"{device}: btrfs has in use {want[:8]}..., and left out is {have[:8]}...")
