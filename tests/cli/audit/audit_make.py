#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/cli/audit/audit_make.py - disks for the tests of audits, and what an audit must say of them, worked out here.

    python3 audit_make.py disk FILE [WHAT@OFFSET ...]     a disk of 2 MiB; WHAT: a name of SECRETS or PICTURES
    python3 audit_make.py check STATE RULES [WHAT@OFFSET ...] <SUMMARY
        the summary of --json has a finding of each secret whose rule is among RULES, with its fingerprint, places and mask

A fingerprint is the first 8 bytes of HMAC-SHA-256 (RFC 2104) with STATE/key over rule, a NUL and the value.
"""
import hashlib
import hmac
import json
import os
import struct
import sys
import zlib

SIZE = 2 << 20
# name: (bytes on the disk, rule, value, characters that are shown, length)
SECRETS = {
    "visa": (b"4111 1111 1111 1111", "cards", "4111111111111111", "4111"),
    "amex": (b"378282246310005", "cards", "378282246310005", "3782"),
    "iban": (b"DE89 3704 0044 0532 0130 00", "iban", "DE89370400440532013000", "DE89"),
    "aws": (b"AKIAIOSFODNN7EXAMPLE", "keys", "AKIAIOSFODNN7EXAMPLE", "AKIA"),
    "wide": ("AKIAJ7MZQXH3WVT2KLPD".encode("utf-16-le"), "keys", "AKIAJ7MZQXH3WVT2KLPD", "AKIA"),
    "tok": (b"tok_9f8e7d6c5b4a", "tok", "tok_9f8e7d6c5b4a", "tok_9f8e"),  # mask = 12, and half of it is 8
    "flat": (b"tok_aaaaaaaaaaaa", None, "", ""),  # entropy too low
    "mail": (b"anne.example@debian.org", "mail", "anne.example@debian.org", "anne"),
}


def png(red):
    """A picture of one colour, 8 x 8."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes([red, 0, 0]) * 8 for _ in range(8))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) +
            chunk(b"IEND", b""))


PICTURES = {f"png{n}": png(n) for n in range(10)}


def places(words):
    return [(word.split("@")[0], int(word.split("@")[1])) for word in words]


def disk(path, words):
    image = bytearray(SIZE)
    for name, offset in places(words):
        data = PICTURES[name] if name in PICTURES else b" " + SECRETS[name][0] + b" "
        image[offset:offset + len(data)] = data
    with open(path, "wb") as out:
        out.write(image)


def check(state, rules, words):
    with open(os.path.join(state, "key"), "rb") as file:
        key = file.read()
    want = {}
    for name, offset in places(words):
        if name in PICTURES or SECRETS[name][1] not in rules.split(","):
            continue
        data, rule, value, shown = SECRETS[name]
        print_ = hmac.new(key, rule.encode() + b"\0" + value.encode(), hashlib.sha256).hexdigest()[:16]
        excerpt = f"{shown}... ({len(value)} characters)"
        first = want.setdefault((rule, print_), [excerpt, offset + 1, 0])
        first[1] = min(first[1], offset + 1)
        first[2] += 1
    told = json.load(sys.stdin)
    found = {(f["rule"], f["fingerprint"]): [f["excerpt"], f["offset"], f["places"]] for f in told["findings"]
             if f["change"] not in ("gone", "unknown") and f["rule"] in rules.split(",")}
    if found != want:
        print("found", json.dumps(sorted(map(str, found.items())), indent=1), "wanted", json.dumps(sorted(map(str, want.items())), indent=1))
        return 1
    return 0 if told["audit"] == "test" else 1


if __name__ == "__main__":
    if sys.argv[1] == "disk":
        disk(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(check(sys.argv[2], sys.argv[3], sys.argv[4:]))
