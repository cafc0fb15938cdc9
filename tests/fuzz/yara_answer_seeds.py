# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/yara_answer_seeds.py - seeds of fuzz_yara_answer: python3 yara_answer_seeds.py DIR. Answers as that target reads them."""
import os
import struct
import sys

DONE, WRONG = 1, 2  # of enum yara_match_how


def match(rule, space=b"default", tags=b"", string=b"", offset=0):
    return struct.pack("<129s129s256s130s4xQ", rule, space, tags, string, offset)


def answer(length, how, count, rest):
    return struct.pack("<5I", length, how, 0, count, 0) + rest


def main():
    seeds = {
        "none": answer(100, DONE, 0, b""),
        "two": answer(100, DONE, 2, match(b"a_rule", b"bad-1", b"one,two", b"$text", 100) + match(b"b")),
        "full": answer(1 << 26, DONE, 3, 3 * match(b"r" * 128, b"n" * 128, b"t," * 127, b"$" + b"s" * 128, 1 << 26)),
        "behind": answer(5, DONE, 1, match(b"a", offset=6)),
        "endless": answer(5, DONE, 1, match(b"a" * 129)),
        "evil": answer(5, DONE, 1, match(b"a", tags="\x1b[2J\u202e".encode())),
        "wrong": answer(0, WRONG, 0, struct.pack("<II512s", 1, 7, b"undefined identifier")),
    }
    for name, data in seeds.items():
        with open(os.path.join(sys.argv[1], name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
