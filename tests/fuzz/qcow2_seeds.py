#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/qcow2_seeds.py OUT - a seed of fuzz_qcow2: a sound disk with clusters of 512 bytes and one snapshot of id 1.

Cluster 0: the header; 1: refcounts; 2: their block; 3: L1; 4: L2; 5: the snapshot's L1; 6: its L2; 7: the table of snapshots; 8 to 10: data.
Source: QEMU, docs/interop/qcow2.txt.
"""
import os
import struct
import sys

CLUSTER, SIZE = 512, 16384


def entries(*numbers, flag=1 << 63):
    """Of the present state, what is in use once has a flag; cluster 9 is in use twice."""
    return b"".join(struct.pack(">Q", number * CLUSTER | (flag if number not in (0, 9) else 0)) for number in numbers)


def main(out):
    header = struct.pack(">4sIQIIQIIQQIIQ", b"QFI\xfb", 3, 0, 0, 9, SIZE, 0, 1, 3 * CLUSTER, CLUSTER, 1, 1, 7 * CLUSTER)
    header += struct.pack(">QQQII", 0, 0, 0, 4, 104) + bytes(8)
    snapshot = struct.pack(">QIHHIIQII", 5 * CLUSTER, 1, 1, 5, 1764000000, 0, 0, 0, 16) + struct.pack(">QQ", 0, SIZE) + b"1first"
    clusters = [header, entries(2, flag=0), struct.pack(">11H", *[1] * 9, 2, 1), entries(4), entries(8, 0, 9), entries(6, flag=0), entries(10, 9, flag=0), snapshot,
                b"a" * CLUSTER, b"b" * CLUSTER, b"c" * CLUSTER]
    with open(os.path.join(out, "qcow2-0"), "wb") as file:
        file.write(b"".join(cluster.ljust(CLUSTER, b"\0") for cluster in clusters))


main(sys.argv[1])
