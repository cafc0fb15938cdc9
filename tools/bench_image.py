#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/bench_image.py FILE [MIB] - an image to measure with: regions of small files, zeros, random bytes, text and machine code.

The same on every machine but for the machine code, which is this Python. Default: 1024 MiB.
"""
import argparse
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cli"))
import samples

MIB = 1 << 20


def region(kind, rng, code, files):
    if kind == "zeros":
        return bytes(MIB)
    if kind == "random":
        return rng.randbytes(MIB)
    if kind == "text":
        words = b"the quick brown fox jumps over a lazy dog and <b>does</b> it once more, {again}; \n".split(b" ")
        return b" ".join(rng.choices(words, k=MIB // 3))[:MIB]
    if kind == "code":
        start = rng.randrange(max(1, len(code) - MIB))
        return code[start:start + MIB].ljust(MIB, b"\0")
    out = bytearray()
    while len(out) < MIB - 200000:                    # files on 4 KiB boundaries
        out += rng.choice(files)
        out += bytes(-len(out) % 4096)
    return bytes(out.ljust(MIB, b"\0"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="FILE")
    parser.add_argument("mib", metavar="MIB", type=int, nargs="?", default=1024)
    options = parser.parse_args()
    path, mib = options.path, options.mib
    rng = random.Random(1)
    with open(os.path.realpath(sys.executable), "rb") as file:
        code = file.read()
    files = [make(seed) for make in samples.TYPES.values() for seed in range(5)]
    files += [samples.png(9, 300, 300), samples.jpg(9, 100, 100), samples.wav(9, 60000), samples.gz(9, 90000)]
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path + ".part", "wb") as file:
        for _ in range(mib):
            file.write(region(rng.choices(("files", "zeros", "random", "text", "code"), (48, 16, 14, 10, 12))[0], rng, code, files))
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
