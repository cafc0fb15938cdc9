#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a sparse image: pieces of 4 MiB with files in them, at places by a seed.

usage: sparse.py IMAGE SIZE PIECES [--seed N] [--dense]

SIZE takes K, M, G and T. --dense: the pieces lie one behind the other, and there are no holes.
The piece is that of tests/cli/make_image.py.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

PIECE = 4 << 20
MAKE = pathlib.Path(__file__).resolve().parent.parent / "tests/cli/make_image.py"


def size(text):
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def piece():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, MAKE, folder], check=True, stdout=subprocess.DEVNULL)
        return (pathlib.Path(folder) / "image.raw").read_bytes()[:PIECE]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image")
    parser.add_argument("size", type=size)
    parser.add_argument("pieces", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dense", action="store_true")
    args = parser.parse_args()
    numbers, data = random.Random(args.seed), piece()
    with open(args.image, "wb") as out:
        if not args.dense:
            out.truncate(args.size)
        for _ in range(args.pieces):
            if not args.dense:
                out.seek(numbers.randrange(0, args.size - PIECE) // 4096 * 4096)
            out.write(data)


if __name__ == "__main__":
    main()
