# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/writer_seeds.py - seeds of the targets of fuzz_writer: python3 writer_seeds.py DIR. Rows as those read them."""
import os
import struct
import sys

EVIL = [b"</script><script>alert(1)</script>", b"]]>", b"\x1b[2J\x1b]0;x\x07", "\u202egnp.exe".encode(), "\u2028\ufeff\u200b".encode(),
        b"a\r\nb\tc", b"=1+2", b"'=1", b'"},{"a":"', b"\xff\xfe\xc0\xaf", b"|a|b|", b"\\x41", b"&amp;<x/>", "\u00e9\U0001f600".encode(), b"../../x", b"a,\"b\""]


def texts(words):
    return b"".join(word + b"\0" for word in words)


def row(number, words):
    bits = (number | 7 << 8) << 1
    return texts(words) + struct.pack("<8Q", bits, 8192 * number, 4000, 4096 * 1000, 8000, 1714564800 * 2, 981173106 * 2, 0)[:8 * 7]


def main():
    plain = [b"jpg", b"jpg", b"every scan is whole", b"-", b"/dir/a.jpg", b"file", b"gps.lat", b"52.5", b"ntfs", b"Maker"]
    head = [b"stick", b"A. Examiner", b"raw", b"/evidence/disk.img", b"burin scan disk.img", b"0.1.0", b"build", b"2026-01-01T00:00:00Z"]
    seeds = {"plain": texts(head) + b"".join(row(i, plain) for i in range(8))}
    for number, evil in enumerate(EVIL):
        seeds[f"evil-{number}"] = texts([evil] * 8) + b"".join(row(i, [evil] * 10) for i in range(3))
    seeds["many"] = texts(head) + b"".join(row(i, [EVIL[(i + k) % len(EVIL)] for k in range(10)]) for i in range(20))
    for name, data in seeds.items():
        with open(os.path.join(sys.argv[1], name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
