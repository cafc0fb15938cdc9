#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/btrfs_seeds.py OUT - a seed of fuzz_btrfs: superblock and nodes of what tests/cli/make_btrfs.py makes."""
import os
import subprocess
import sys
import tempfile

BLOCK, PLACES = 4096, [65536, 4 << 20, *range(8 << 20, (8 << 20) + 6 * 4096, 4096)]
maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli/make_btrfs.py")
with tempfile.TemporaryDirectory() as folder:
    image = os.path.join(folder, "btrfs")
    subprocess.run([sys.executable, maker, image], check=True)
    with open(image, "rb") as source, open(os.path.join(sys.argv[1], "btrfs-0"), "wb") as out:
        for place in PLACES:
            source.seek(place)
            out.write(source.read(BLOCK))
