#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/containers.py BURIN FOLDER - what containers cost beside the raw image, and how E01 grows with the number of processors.

Makes an image in FOLDER out of the files of /usr, and containers of it: VHD, VHDX, VDI and qcow2, each whole and in an order of its own blocks
that is not that of the disk, and, with every processor at once, E01 (zlib, as fast as it is, 32 KiB a chunk). FOLDER lies in memory as a rule
(/dev/shm). Needs Python, and nothing that is installed.

The programs run in turns, after one round that is not counted, first what is not packed; each figure is the median with its range. "null" is
`burin bench null --hits-only`, a scan that looks for nothing: reading and unpacking alone. libewf (libewf.so.2, or --libewf) reads the E01 by
itself, in one thread, in this process; without it that line is left out.

In memory, a page lies beside the processor that wrote it, and one thread reads from another socket more slowly. So the image and the containers
that are compared with it are written by one processor. "by processor time" leaves out what other programs took of the clock.

Sources: libewf's "Expert Witness Compression Format", Microsoft's VHD and VHDX specifications, QEMU's docs/interop/qcow2.txt and block/vdi.c.
"""
import argparse
import ctypes
import multiprocessing
import os
import random
import resource
import struct
import time
import uuid
import zlib

from many_cores import MIB, Bench, usr_image

CHUNK, ENTRIES = 32768, 16375  # of an E01: bytes, and chunks of a table
BLOCK = 2 * MIB                # of VHD, VHDX and VDI
CLUSTER = 65536                # of qcow2


def packed(job):
    """Chunks of a part of the image, as an E01 has them: bytes, and whether they are packed."""
    path, at, length = job
    with open(path, "rb") as file:
        file.seek(at)
        data = file.read(length)
    chunks = []
    for i in range(0, len(data), CHUNK):
        chunk = data[i:i + CHUNK]
        small = zlib.compress(chunk, 1)
        chunks.append((small, True) if len(small) < len(chunk) else (chunk + struct.pack("<I", zlib.adler32(chunk)), False))
    return chunks


def e01_section(file, kind, body, last=False):
    at = file.tell()
    size = 76 + len(body)
    head = kind.ljust(16, b"\0") + struct.pack("<QQ", at if last else at + size, 0 if last else size) + bytes(40)
    file.write(head + struct.pack("<I", zlib.adler32(head)) + body)


def e01(image, out):
    size = os.path.getsize(image)
    each = ENTRIES * CHUNK
    jobs = [(image, at, min(each, size - at)) for at in range(0, size, each)]
    with multiprocessing.Pool() as pool, open(out, "wb") as file:
        file.write(b"EVF\x09\r\n\xff\0" + struct.pack("<BHH", 1, 1, 0))
        text = zlib.compress(b"1\nmain\nc\tn\ta\te\tt\tm\tu\tp\tr\n1\t1\tbench\tnobody\t\t2026 1 1 0 0 0\t2026 1 1 0 0 0\t0\tf\n\n")
        e01_section(file, b"header", text)
        body = struct.pack("<IIIIQ", 1, (size + CHUNK - 1) // CHUNK, CHUNK // 512, 512, size // 512).ljust(1048, b"\0")
        e01_section(file, b"volume", body + struct.pack("<I", zlib.adler32(body)))
        for chunks in pool.imap(packed, jobs):
            base = file.tell()
            place, entries = 76, []
            for data, small in chunks:
                entries.append(place | (1 << 31 if small else 0))
                place += len(data)
            e01_section(file, b"sectors", b"".join(data for data, _ in chunks))
            fixed = struct.pack("<IIQI", len(entries), 0, base, 0)
            table = struct.pack("<%dI" % len(entries), *entries)
            body = fixed + struct.pack("<I", zlib.adler32(fixed)) + table + struct.pack("<I", zlib.adler32(table))
            e01_section(file, b"table", body)
            e01_section(file, b"table2", body)
        e01_section(file, b"done", b"", True)


def order(count):
    """Blocks lie in runs of 16 in an order of their own: block i lies at place order[i]."""
    runs = [range(i, min(i + 16, count)) for i in range(0, count, 16)]
    random.Random(1).shuffle(runs)
    places = [0] * count
    for place, block in enumerate(block for run in runs for block in run):
        places[block] = place
    return places


def blocks(image, out, at, size, places):
    """The image's blocks at their places behind `at`."""
    with open(image, "rb") as source, open(out, "r+b") as file:
        for place in places:
            file.seek(at + place * size)
            file.write(source.read(size))


def vhd(image, out):
    size = os.path.getsize(image)
    places = order(size // BLOCK)
    data = 1536 + (len(places) * 4 + 511) // 512 * 512
    foot = struct.pack(">8sIIQI4sI4sQQHBBI", b"conectix", 2, 0x10000, 512, 0, b"brn ", 0, b"Wi2k", size, size, 1024, 16, 63, 3)
    foot = bytearray(foot + bytes(4) + uuid.UUID(int=1).bytes + bytes(428))
    struct.pack_into(">I", foot, 64, ~sum(foot) & 0xFFFFFFFF)
    head = bytearray(struct.pack(">8sQQIII", b"cxsparse", 2**64 - 1, 1536, 0x10000, len(places), BLOCK).ljust(1024, b"\0"))
    struct.pack_into(">I", head, 36, ~sum(head) & 0xFFFFFFFF)
    each = 512 + BLOCK  # bitmaps, of a sector, stand in front of blocks
    with open(out, "wb") as file:
        table = struct.pack(">%dI" % len(places), *((data + place * each) // 512 for place in places))
        file.write(foot + head + table.ljust(data - 1536, b"\xff"))
    with open(image, "rb") as source, open(out, "r+b") as file:
        for place in places:
            file.seek(data + place * each)
            file.write(b"\xff" * 512 + source.read(BLOCK))
        file.seek(data + len(places) * each)
        file.write(foot)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def vhdx(image, out):
    size = os.path.getsize(image)
    places = order(size // BLOCK)
    guid = lambda text: uuid.UUID(text).bytes_le
    per = 2**23 * 512 // BLOCK  # blocks between entries of bitmaps

    def sealed(block):
        block = bytearray(block)
        struct.pack_into("<I", block, 4, crc32c(block))
        return bytes(block)
    header = b"head" + struct.pack("<IQ", 0, 1) + bytes(48) + struct.pack("<HHIQ", 0, 1, MIB, MIB)
    regions = b"regi" + struct.pack("<III", 0, 2, 0)
    regions += guid("2dc27766-f623-4200-9d64-115e9bfd4a08") + struct.pack("<QII", 3 * MIB, MIB, 1)
    regions += guid("8b7ca206-4790-4b9a-b8fe-575f050f886e") + struct.pack("<QII", 2 * MIB, MIB, 1)
    items = [("caa16737-fa36-4d43-b3b6-33f0aa44e76b", struct.pack("<II", BLOCK, 0), 4),
             ("2fa54224-cd1b-4876-b211-5dbed83bf4b8", struct.pack("<Q", size), 6),
             ("8141bf1d-a96f-4709-ba47-f233a8faab5f", struct.pack("<I", 512), 6),
             ("cda348c7-445d-4471-9cc9-e9885251c556", struct.pack("<I", 4096), 6),
             ("beca12ab-b2e6-4523-93ef-c309e000c746", bytes(16), 6)]
    table, values = b"metadata" + struct.pack("<HH", 0, len(items)) + bytes(20), b""
    for name, value, flags in items:
        table += guid(name) + struct.pack("<IIII", 65536 + len(values), len(value), flags, 0)
        values += value
    entries = []
    for i, place in enumerate(places):
        entries.append((4 * MIB + place * BLOCK) | 6)
        if (i + 1) % per == 0:
            entries.append(0)
    with open(out, "wb") as file:
        file.write(b"vhdxfile")
        for at, block in ((65536, sealed(header.ljust(4096, b"\0"))), (131072, sealed(header.ljust(4096, b"\0"))),
                          (196608, sealed(regions.ljust(65536, b"\0"))), (262144, sealed(regions.ljust(65536, b"\0"))),
                          (2 * MIB, table.ljust(65536, b"\0") + values), (3 * MIB, struct.pack("<%dQ" % len(entries), *entries))):
            file.seek(at)
            file.write(block)
        file.truncate(4 * MIB)
    blocks(image, out, 4 * MIB, BLOCK, places)


def vdi(image, out):
    size = os.path.getsize(image)
    places = order(size // BLOCK)
    data = (512 + 4 * len(places) + MIB - 1) // MIB * MIB
    head = b"<<< burin >>>\n".ljust(64, b"\0") + struct.pack("<IIIII", 0xBEDA107F, 0x10001, 400, 1, 0) + bytes(256)
    head += struct.pack("<IIIIIIIQIIII", 512, data, 0, 0, 0, 512, 0, size, BLOCK, 0, len(places), len(places))
    with open(out, "wb") as file:
        file.write(head.ljust(512, b"\0") + struct.pack("<%dI" % len(places), *places))
        file.truncate(data)
    blocks(image, out, data, BLOCK, places)


def qcow2(image, out):
    size = os.path.getsize(image)
    count = size // CLUSTER
    places, tables = order(count), (count + 8191) // 8192
    data = 1 + (tables * 8 + CLUSTER - 1) // CLUSTER + tables  # clusters in front: header, L1, tables; reference counts are not read
    first = data - tables
    head = struct.pack(">4sIQIIQIIQQIIQ", b"QFI\xfb", 3, 0, 0, 16, size, 0, tables, CLUSTER, (data + count) * CLUSTER, 1, 0, 0)
    head += struct.pack(">QQQII", 0, 0, 0, 4, 104)
    with open(out, "wb") as file:
        file.write(head)
        file.seek(CLUSTER)
        file.write(struct.pack(">%dQ" % tables, *((first + i) * CLUSTER | 1 << 63 for i in range(tables))))
        file.seek(first * CLUSTER)
        file.write(struct.pack(">%dQ" % count, *((data + place) * CLUSTER | 1 << 63 for place in places)))
        file.truncate(data * CLUSTER)
    blocks(image, out, data * CLUSTER, CLUSTER, places)
    with open(out, "r+b") as file:
        file.truncate((data + count + 1) * CLUSTER)


def libewf(name, path):
    """A function that reads the E01 through libewf, a MiB at a time; None: it is not here."""
    try:
        lib = ctypes.CDLL(name or "libewf.so.2")
    except OSError:
        return None
    lib.libewf_handle_read_buffer.restype = ctypes.c_ssize_t

    def read():
        handle, error = ctypes.c_void_p(), ctypes.c_void_p()
        names = (ctypes.c_char_p * 1)(os.fsencode(path))
        buffer = ctypes.create_string_buffer(MIB)
        before, begin = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        if lib.libewf_handle_initialize(ctypes.byref(handle), ctypes.byref(error)) != 1 or \
                lib.libewf_handle_open(handle, names, 1, 1, ctypes.byref(error)) != 1:
            raise SystemExit("libewf does not open " + path)
        got = 1
        while got > 0:
            got = lib.libewf_handle_read_buffer(handle, buffer, ctypes.c_size_t(MIB), ctypes.byref(error))
        if got < 0:
            raise SystemExit("libewf does not read " + path)
        took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_SELF)
        lib.libewf_handle_close(handle, ctypes.byref(error))
        lib.libewf_handle_free(ctypes.byref(handle), ctypes.byref(error))
        return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burin")
    parser.add_argument("folder")
    parser.add_argument("--mib", type=int, default=4096, help="size of the image, a multiple of 32 (4096)")
    parser.add_argument("--runs", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="the most threads (all processors)")
    parser.add_argument("--seconds", type=int, default=150, help="time for all: rounds are left out behind it (150)")
    parser.add_argument("--libewf", help="the library to compare with (libewf.so.2, where the system has it)")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    bench = Bench(options)
    image = bench.path("raw")
    makers = (("VHD", vhd), ("VHDX", vhdx), ("VDI", vdi), ("qcow2", qcow2), ("E01", e01))
    all_processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(all_processors)})
    usr_image(image, options.mib * MIB)
    for name, maker in makers:
        if maker is e01:
            os.sched_setaffinity(0, all_processors)
        maker(image, bench.path(name))
    print("image: %d MiB of the files of /usr, %.0f %% of it as E01; %d threads at most" %
          (options.mib, 100 * os.path.getsize(bench.path("E01")) / os.path.getsize(image), bench.cores), flush=True)
    bench.call([bench.burin, "--version"])

    def digest(name):
        bench.scan(bench.path(name), bench.cores, "--no-assemble")
        with open(bench.path("digest"), "wb") as out:
            bench.call([bench.burin, "list", "--digest", bench.case], out)
        with open(bench.path("digest"), "rb") as out:
            return out.read()
    first = digest("raw")
    wrong = [name for name, _ in makers if digest(name) != first]
    print("the rows of each container are those of the raw image" if not wrong else "OTHER ROWS: %s" % ", ".join(wrong), flush=True)

    def null(name, threads):
        bench.remove("case", "case.seal")
        return bench.call([bench.burin, "bench", "null", "-q", "--hits-only", "--threads", str(threads), "--case", bench.case, bench.path(name)])
    def scans(names):
        return [("%s: scan, %s" % (name, text), lambda name=name, n=n: bench.scan(bench.path(name), n, "--hits-only"))
                for text, n in (("1 thread", 1), ("all threads", bench.cores)) for name in names]

    def turns(jobs):
        bench.turns(jobs, options.runs)
        for name, _ in jobs:
            which = name.split(": ")[1]
            bench.tell(name, "raw: " + which if which.startswith("scan") and not name.startswith("raw") else None)
    turns(scans(["raw"] + [name for name, maker in makers if maker is not e01]))
    counts = [n for n in (1, 2, 4, 8, 16) if n <= bench.cores]
    jobs = [("%s: null, %d threads" % (name, n), lambda name=name, n=n: null(name, n)) for name in ("raw", "E01") for n in counts]
    theirs = libewf(options.libewf, bench.path("E01"))
    if theirs is not None:
        jobs.append(("E01: libewf", theirs))
    turns(jobs)
    one = bench.median("E01: null, 1 threads")
    for n in counts[1:]:
        print("E01, %2d threads: %.2f of linear" % (n, one / n / bench.median("E01: null, %d threads" % n)))
    if theirs is not None:
        print("E01: burin is %.2f x libewf on one processor (processor time)" %
              (bench.median("E01: libewf", 1) / bench.median("E01: null, 1 threads", 1)))
    bench.remove(*(["raw", "digest", "case", "case.seal"] + [name for name, _ in makers]))


if __name__ == "__main__":
    main()
