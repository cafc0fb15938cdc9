#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/report_case.py - makes a case file of as many objects as one asks for, to measure reports with.

    python3 tools/report_case.py CASE N [hashes]

CASE is one that burin scan made; its hits and objects are replaced by N made ones, one in 64 KiB, half of them in files of a file
system, one in eleven truncated; with "hashes" each has a SHA-256.
"""
import hashlib
import sqlite3
import sys

KINDS = "jpg png pdf docx gz sqlite eml mp3 exe zip".split()


def rows(count):
    for i in range(count):
        kind = KINDS[hashlib.md5(str(i).encode()).digest()[0] % 10]
        yield i, i + 1, kind, i * 65536, 1000 + i * 7919 % 60000


def main():
    path, count, hashes = sys.argv[1], int(sys.argv[2]), "hashes" in sys.argv[3:]
    case = sqlite3.connect(path)
    for table in ("facts", "nested", "contents", "found_in", "extents", "objects", "matches", "patterns"):
        case.execute(f"DELETE FROM {table}")
    case.execute("UPDATE images SET size = ?", (count * 65536,))
    case.execute("INSERT INTO patterns VALUES (1, 1, 1, 4, 0)")
    case.executemany("INSERT INTO matches VALUES (1, ?, ?)", ((at, n) for _, n, _, at, _ in rows(count)))
    case.executemany("INSERT INTO objects (id, image_id, signature_id, type, extension, state, reason, validated, proven, container, offset, len, name)"
                     " VALUES (?, 1, 1, ?, ?, ?, ?, 1, 1, 0, ?, ?, ?)",
                     ((n, kind, kind, "complete" if i % 11 else "truncated", "every part is whole" if i % 11 else f"it breaks at {i % 977}", at, size,
                       f"{kind}/{at:016x}.{kind}") for i, n, kind, at, size in rows(count)))
    case.executemany("INSERT INTO extents VALUES (?, 0, ?, ?)", ((n, at, size) for _, n, _, at, size in rows(count)))
    case.executemany("INSERT INTO found_in (object_id, kind, slot, file_system, path, inode, file_offset) VALUES (?, ?, 2, 'ntfs', ?, ?, 0)",
                     ((n, "file" if i % 6 else "deleted", f"/Users/ann/Documents/{i % 5000}/file {i}.{kind}", i + 64)
                      for i, n, kind, _, _ in rows(count) if i % 2 == 0))
    if hashes:
        case.executemany("INSERT INTO contents VALUES (?, ?, 1)", ((n, hashlib.sha256(str(i).encode()).hexdigest()) for i, n, *_ in rows(count)))
    case.commit()


if __name__ == "__main__":
    main()
