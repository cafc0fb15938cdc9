# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/page_seeds.py - seeds of fuzz_page: python3 page_seeds.py DIR. Rows of objects as that target reads them."""
import os
import struct
import sys


def row(i, path):
    texts = (b"jpg", b"jpg", b"every scan is whole", b"ab" * 32, b"ntfs", path, b"2024:05:01 12:00:00")
    numbers = (4096 * i, 1000, 99999, 500, 0x700 | i % 5 | i << 32, 2 * (i + 1), 2 * i, 525000000, 1714564800)
    return b"".join(text + b"\0" for text in texts) + struct.pack("<9Q", *numbers)


def main():
    for name, paths in (("plain", [b"/a/b.jpg"]), ("evil", [b"</script>", b"\xff\xfe", "\u202e\\x".encode()]), ("many", [b"/f%d" % i for i in range(40)])):
        with open(os.path.join(sys.argv[1], name), "wb") as out:
            out.write(struct.pack("<Q", 1 << 30) + b"".join(row(i, path) for i, path in enumerate(paths)))


if __name__ == "__main__":
    main()
