#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/mapfile_seeds.py OUT - seeds of fuzz_mapfile: an image's size, two ranges that it knows of, and a map of a new and an old version.

Source: the manual of GNU ddrescue, "Mapfile structure".
"""
import os
import struct
import sys

HEAD = struct.pack("<5H", 40000, 512, 1024, 9000, 4096)
NEW = b"# Mapfile. Created by GNU ddrescue version 1.27\n# current_pos  current_status  current_pass\n0x00000E00     ?     1\n"
BLOCKS = b"0x00000000  0x00000200  ?\n0x00000200  0x00000C00  +\n0x00000E00  0x00000200  -\n0x00001000  0x00004000  *\n0x5000 0x1000 /\n24576 01000 + # end\n"
for number, text in enumerate((NEW + BLOCKS, b"0 +\n0 40000 +\n", b"0 ?\n")):
    with open(os.path.join(sys.argv[1], f"mapfile-{number}"), "wb") as file:
        file.write(HEAD + text)
