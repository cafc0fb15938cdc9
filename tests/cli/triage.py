# SPDX-License-Identifier: Apache-2.0
"""tests/cli/triage.py - makes disks for triage.sh, and works out by itself what triage has to say of them.

Intervals are worked out from sums of binomial and Poisson terms, the bound by a walk over all numbers of units, classes from the bytes;
nothing of it is taken from the program.
"""
import calendar
import json
import math
import random
import struct
import sys
import zlib

import samples

UNIT = 4096


def log_binomial(n, k, p):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)


def at_most(n, x, p):
    """P(X <= x) of the binomial distribution, term by term."""
    return math.fsum(math.exp(log_binomial(n, k, p)) for k in range(x + 1))


def solve(goes_on, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if goes_on(middle) else (low, middle)
    return low


def share(x, n, confidence):
    tail = (1 - confidence) / 2
    low = 0 if x == 0 else solve(lambda p: 1 - at_most(n, x - 1, p) < tail, 0, 1)
    high = 1 if x == n else solve(lambda p: at_most(n, x, p) > tail, 0, 1)
    return low, high


def unseen(strata, size, confidence):
    """The most units, spread evenly, that one unit of each stratum may miss: counted up one by one."""
    units, chance = 0, 1.0
    held = [0] * strata
    while True:
        i = units % strata
        if held[i] + 1 >= size:
            return units
        chance *= (size - held[i] - 1) / (size - held[i])
        if chance <= 1 - confidence:
            return units
        held[i] += 1
        units += 1


def block_class(b):
    counts = [0] * 256
    for x in b:
        counts[x] += 1
    if counts[0] == len(b):
        return "zero"
    if len(b) > 16 and b[16:] == b[:-16]:
        return "fill"
    expected = len(b) / 256
    chi = sum((c - expected) ** 2 / expected for c in counts)
    if len(b) >= 2048 and 187.25 <= chi <= 322.75:
        return "uniform"
    if -sum(c / len(b) * math.log2(c / len(b)) for c in counts if c) >= 7:
        return "dense"
    prints = {*range(9, 14), *range(32, 127)}
    if sum(counts[x] for x in prints) >= 0.95 * len(b):
        return "text"
    wide = sum(b[i] in prints and b[i + 1] == 0 for i in range(0, len(b) - 1, 2))
    good = sum(len(c.encode()) for c in b.decode("utf-8", "ignore") if ord(c) >= 128 or ord(c) in prints)
    return "text" if good >= 0.95 * len(b) or wide >= 0.95 * (len(b) // 2) else "structured"


def png(seed):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(random.Random(seed + i).randrange(256) for i in range(40)) for i in range(20))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 20, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def kdbx():
    """A KeePass 2 header: signatures, version 4.0, cipher, compression, seed, IV, KDF, end; then two hashes, a block and the empty one."""
    def field(kind, data):
        return struct.pack("<BI", kind, len(data)) + data
    kdf = b"\0\1B\5\0\0\0$UUID" + struct.pack("<I", 16) + bytes.fromhex("ef636ddf8c29444b91f7a9a403e30a0c") + b"\0"
    head = struct.pack("<III", 0x9aa2d903, 0xb54bfb67, 0x00040000)
    head += field(2, bytes.fromhex("31c1f2e6bf714350be5805216afc5aff")) + field(3, struct.pack("<I", 1))
    head += field(4, bytes(range(32))) + field(7, bytes(range(16))) + field(11, kdf) + field(0, b"\r\n\r\n")
    r = random.Random(3)
    return head + r.randbytes(64) + r.randbytes(32) + struct.pack("<I", 2000) + r.randbytes(2000) + r.randbytes(32) + struct.pack("<I", 0)


def photo():
    """A JPEG picture whose Exif block (CIPA DC-008) names a camera, a place, and a time with its zone."""
    size, heap = 2 + 12 * 4 + 4, bytearray()

    def entry(tag, kind, count, value):
        if len(value) > 4:
            at = 8 + 3 * size + len(heap)
            heap.extend(value)
            value = struct.pack("<I", at)
        return struct.pack("<HHI", tag, kind, count) + value.ljust(4, b"\0")

    def text(tag, s):
        return entry(tag, 2, len(s) + 1, s.encode() + b"\0")

    def angle(tag, *parts):
        return entry(tag, 5, 3, struct.pack("<6I", parts[0], 1, parts[1], 1, parts[2], 1))

    def link(tag, number):
        return entry(tag, 4, 1, struct.pack("<I", 8 + number * size))

    def directory(*entries):
        return (struct.pack("<H", len(entries)) + b"".join(entries) + b"\0\0\0\0").ljust(size, b"\0")
    ifds = directory(text(271, "Maker"), text(272, "Model 5"), link(34665, 1), link(34853, 2))
    ifds += directory(text(36867, "2024:02:29 23:59:59"), text(36881, "+02:00"))
    ifds += directory(text(1, "N"), angle(2, 48, 30, 0), text(3, "W"), angle(4, 2, 15, 0))
    data = b"Exif\0\0II*\0\x08\0\0\0" + ifds + heap
    plain = samples.jpg(1, 40, 40)
    return plain[:2] + struct.pack(">HH", 0xffe1, len(data) + 2) + data + plain[2:]


def disk(path):
    """8 MiB and a half unit: each class, two pictures and a photo on sectors, a key, a word, 16 blocks of a file that a set knows."""
    r = random.Random(1)
    size = 2048 * UNIT + 2048
    image = bytearray(size)

    def put(at, what):
        image[at:at + len(what)] = what
    put(100 * UNIT, b"\xff" * (50 * UNIT))
    put(200 * UNIT, r.randbytes(300 * UNIT))
    put(600 * UNIT, ("The quick brown fox jumps over the lazy dog.\n" * 10000).encode()[:100 * UNIT])
    put(750 * UNIT, ("Schöne Grüße aus Köln\n" * 10000).encode("utf-16-le")[:40 * UNIT])
    put(800 * UNIT, zlib.compress(bytes(r.choice(b"aaaabbbccdefgh \n") for _ in range(400000)))[:30 * UNIT])
    put(900 * UNIT, b"".join(struct.pack("<IHH", i * i, i & 255, 0) for i in range(50 * UNIT // 8)))
    put(1000 * UNIT + 512, png(1))
    put(1100 * UNIT, png(2))
    put(1150 * UNIT, photo())
    put(1200 * UNIT, kdbx())
    put(1300 * UNIT + 77, b"the needle in the haystack")
    put(1400 * UNIT, open(path + ".bad", "rb").read())
    put(2048 * UNIT, b"tail")
    open(path, "wb").write(image)


def bad(path):
    open(path + ".bad", "wb").write(random.Random(9).randbytes(16 * UNIT))


def scattered(path):
    """32,768 units. SCATTER in 24 of them, each in a stratum of 32 of its own; RUN in as many bytes as two strata have, from an odd place on."""
    with open(path, "wb") as f:
        f.truncate(32768 * UNIT)
        for i in range(24):
            f.seek((i * 40 * 32 + i * 5 % 32) * UNIT + 100)
            f.write(b"SCATTER")
        at = 20000 * UNIT + 1234
        for i in range(64 * UNIT // 512):
            f.seek(at + i * 512)
            f.write(b"RUN-RUN")


def big(path, size):
    """A disk of zeros but for 256 MiB of a known file in one run, 1,500 pictures, and 64 MiB that look random: PATH.bad is the file."""
    known = random.Random(9).randbytes(1 << 20)
    open(path + ".bad", "wb").write(known)
    with open(path, "wb") as f:
        f.truncate(size)
        f.seek(size * 3 // 10 // UNIT * UNIT)
        f.write(known * 256)
        at = size * 6 // 10 // UNIT * UNIT
        for i in range(1500):
            f.seek(at + (i << 19))
            f.write(png(i) + random.Random(i).randbytes(60000))
        f.seek(size * 9 // 10 // UNIT * UNIT)
        f.write(random.Random(2).randbytes(64 << 20))


def census(path):
    """Standard input: the answer on the whole of disk()."""
    told = json.load(sys.stdin)
    image = open(path, "rb").read()
    units = [image[i:i + UNIT] for i in range(0, len(image), UNIT)]
    counts = {}
    for u in units:
        counts[block_class(u)] = counts.get(block_class(u), 0) + 1
    got = {c["class"]: c["units"] for c in told["content"] if c["units"]}
    assert got == counts, (got, counts)
    assert set(counts) == {"zero", "fill", "text", "structured", "dense", "uniform"}, counts
    for c in told["content"]:
        assert c["basis"] == "exact" and c["low"] == c["high"] == c["value"], c
        assert abs(c["value"] - c["units"] / len(units)) < 1e-5, c
    assert told["unseen"]["units"] == 0 and told["sample"]["units"] == len(units), told["sample"]
    found = sorted((f["kind"], f["what"], f["offset"]) for f in told["found"])
    want = [("file", "kdbx", 1200 * UNIT), ("keyword", "needle", 1300 * UNIT + 77 + 4)]
    want += [("known", "case 7", (1400 + i) * UNIT) for i in range(16)]
    assert found == want, found
    blocks = [f["detail"] for f in sorted(told["found"], key=lambda f: f["offset"]) if f["kind"] == "known"]
    assert all(d.split(", ")[1].startswith("block %d of " % i) for i, d in enumerate(blocks)), blocks
    types = {t["type"]: (t["met"], t["first"], t["value"]) for t in told["types"]}
    assert types["png"] == (2, 1000 * UNIT + 512, 2), types
    assert [told["says"][k]["met"] for k in ("camera", "gps", "date")] == [1, 1, 1], told["says"]
    assert told["says"]["gps"]["first"] == 1150 * UNIT, told["says"]
    assert told["says"]["newest"] == {"seconds": calendar.timegm((2024, 2, 29, 21, 59, 59)), "offset": 1150 * UNIT}, told["says"]
    beside = sum(0 <= i + k < 16 for i in range(16) for k in (-4, -3, -2, -1, 1, 2, 3, 4))
    assert told["beside_known"] == {"places": 16, "units": 128, "known": beside}, (told["beside_known"], beside)
    assert told["answer"] == "red" and told["known"][0]["met"] == 16, told["known"]


def check(told):
    """Every number of an answer, from the counts that stand beside it."""
    sample, bound = told["sample"], told["unseen"]
    n, size, total = sample["strata"], sample["stratum_units"], sample["image_units"]
    assert n == -(-total // size), sample
    lost = sample["units_unreadable"]
    most = lost * size + unseen(n - lost, size, bound["confidence"])
    assert bound["units"] == min(most, total), (bound, most)
    assert bound["certain_run"] == 2 * size * sample["unit"], bound
    assert sum(c["units"] for c in told["content"]) == sample["units"], told["content"]
    for c in told["content"]:
        low, high = share(c["units"], n, 0.95)
        for name, value in ("low", low), ("high", high), ("value", c["units"] / n):
            assert abs(c[name] - min(1, value * n * size / total)) < 1e-5, (c, name, value)
    for t in told["types"] + told["categories"]:
        clump = t["squares"] / t["count"] if t["count"] else 1
        x = t["count"] / clump
        if x == int(x):  # of other numbers there is no sum of terms
            x = int(x)
            below = lambda m, k: math.fsum(math.exp(i * math.log(m) - m - math.lgamma(i + 1)) for i in range(k + 1))
            low = 0 if x == 0 else solve(lambda m: 1 - below(m, x - 1) < 0.025, 1e-9, 1000)
            high = solve(lambda m: below(m, x) > 0.025, 1e-9, 1000)
            for name, value in ("low", low * clump * size), ("high", high * clump * size), ("value", t["count"] * size):
                assert abs(t[name] - value) <= 1e-5 * max(1, value), (t, name, value)
    for place in told["places"]:
        assert place["units"] == sum(place[c["class"]] for c in told["content"]), place
    assert sum(p["units"] for p in told["places"]) == sample["units"], told["places"]
    for met in told["known"] + told["keywords"]:
        assert (met["basis"] == "proof") == (met["met"] > 0), met
        assert met["met"] > 0 or met["high"] == bound["high"], met


def rates(path):
    """Standard input: answers, a line each, on scattered() by one sweep of 1,024 strata."""
    answers = [json.loads(line) for line in sys.stdin]
    met = sum(any(f["what"] == "SCATTER" for f in a["found"]) for a in answers)
    assert all(any(f["what"] == "RUN-RUN" for f in a["found"]) for a in answers), "a run of two strata was missed"
    assert len({a["sample"]["seed"] for a in answers}) == len(answers) >= 50
    chance = 1 - (31 / 32) ** 24
    low, high = share(met, len(answers), 0.999)
    assert low <= chance <= high, (met, chance)
    print(met, "of", len(answers), "by chance", round(chance, 4))


if sys.argv[1] == "big":
    big(sys.argv[2], int(sys.argv[3]) << 30)
elif sys.argv[1] == "check":
    for line in sys.stdin:
        check(json.loads(line))
else:
    {"disk": disk, "bad": bad, "scattered": scattered, "census": census, "rates": rates}[sys.argv[1]](sys.argv[2])
