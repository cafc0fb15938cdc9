#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/e01_growth.py BURIN FOLDER - how reading an E01 grows with the number of processors, beside what the machine itself gives.

Two processors of a virtual machine may be two threads of one core, whatever /sys says of them, and cores that work together are slower than one
by itself. No program grows further than that. So the same work is also done by programs of one thread each, which share nothing, as many at once
as there are threads: what these lose, the machine takes; what the threads of one program lose beyond it, burin does.

"apart" are processors that do not share a core, which is found out by two loops that compute at once. The image is 256 MiB of the files of /usr again and again, packed as tools/containers.py does. The
programs run in turns, after one round that is not counted; each figure is the median with its range. Needs Python alone.
"""
import argparse
import multiprocessing
import os
import resource
import struct
import subprocess
import time
import zlib

from containers import CHUNK, e01_section, packed
from many_cores import MIB, Bench, usr_image

LOOP = 0.08    # seconds that two processors are compared for
SHARED = 1.2   # times slower: they share a core
PIECE = 256    # MiB that the image repeats, and that each of the programs beside one another reads
TABLE = 4096   # chunks of a table


def loop(cpu, begin, out):
    """How often a sum is worked out in a second of the processor, for LOOP seconds from `begin` on."""
    os.sched_setaffinity(0, {cpu})
    while time.monotonic() < begin:
        pass
    count, used = 0, time.process_time()
    while time.monotonic() < begin + LOOP:
        sum(range(500))
        count += 1
    out.put(count / (time.process_time() - used))


def speed(cpus):
    """Sums in a second by the slowest of these processors, which compute at once."""
    out = multiprocessing.Queue()
    begin = time.monotonic() + 0.05
    loops = [multiprocessing.Process(target=loop, args=(cpu, begin, out)) for cpu in cpus]
    for process in loops:
        process.start()
    counts = [out.get() for _ in loops]
    for process in loops:
        process.join()
    return min(counts)


def shared(one, other):
    """Do these two share a core? What other programs take of the time must not say so: the best of three tries counts."""
    return all(speed([one]) > SHARED * speed([one, other]) for _ in range(3))


def apart(cpus):
    """Of these processors one of each core. The two of a core are numbered one behind the other, or the second ones behind all first ones."""
    found, left = [], list(cpus)
    while left:
        one = left.pop(0)
        found.append(one)
        for other in one + 1, one + len(cpus) // 2:
            if other in left and shared(one, other):
                left.remove(other)
                break
    return found


def e01(image, out, times):
    """The image so many times in one E01: it is packed once."""
    size = os.path.getsize(image)
    with multiprocessing.Pool() as pool, open(out, "wb") as file:
        tables = pool.map(packed, [(image, at, TABLE * CHUNK) for at in range(0, size, TABLE * CHUNK)])
        file.write(b"EVF\x09\r\n\xff\0" + struct.pack("<BHH", 1, 1, 0))
        body = struct.pack("<IIIIQ", 1, times * size // CHUNK, CHUNK // 512, 512, times * size // 512).ljust(1048, b"\0")
        e01_section(file, b"volume", body + struct.pack("<I", zlib.adler32(body)))
        for chunks in tables * times:
            place, entries, fixed = 76, [], struct.pack("<IIQI", len(chunks), 0, file.tell(), 0)
            for data, small in chunks:
                entries.append(place | (1 << 31 if small else 0))
                place += len(data)
            e01_section(file, b"sectors", b"".join(data for data, _ in chunks))
            table = struct.pack("<%dI" % len(entries), *entries)
            body = fixed + struct.pack("<I", zlib.adler32(fixed)) + table + struct.pack("<I", zlib.adler32(table))
            e01_section(file, b"table", body)
            e01_section(file, b"table2", body)
        e01_section(file, b"done", b"", True)


def null(bench, threads, cpus=None, name="E01", more=()):
    """The words of a scan that looks for nothing, on these processors."""
    words = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
    case = bench.path("case%s" % (cpus[0] if cpus and len(cpus) == 1 else ""))
    return words + [bench.burin, "bench", "null", "-q", "--force", "--hits-only", "--threads", str(threads), "--case", case, *more,
                    bench.path(name)]


def at_once(bench, cpus):
    """Programs of one thread, one on each of these processors, each of which reads the same piece of the image."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    children = [subprocess.Popen(null(bench, 1, [cpu], more=("--range", "0:%dM" % PIECE)), stdout=subprocess.DEVNULL) for cpu in cpus]
    for child in children:
        if child.wait() != 0:
            raise SystemExit("a scan failed")
    took, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burin")
    parser.add_argument("folder")
    parser.add_argument("--mib", type=int, default=4096, help="size of the image, a multiple of %d (4096)" % PIECE)
    parser.add_argument("--runs", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--threads", type=int, default=8, help="threads that are compared with one (8)")
    parser.add_argument("--seconds", type=int, default=120, help="time for all: rounds are left out behind it (120)")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    bench, many = Bench(options), options.threads
    cpus = sorted(os.sched_getaffinity(0))
    cores = apart(cpus)
    print("%d processors, of which %d are apart: %s" % (len(cpus), len(cores), ",".join(map(str, cores))), flush=True)
    usr_image(bench.path("little"), 4 * MIB)
    usr_image(bench.path("raw"), PIECE * MIB)
    e01(bench.path("little"), bench.path("little.E01"), 1)
    e01(bench.path("raw"), bench.path("E01"), options.mib // PIECE)
    bench.remove("raw", "little")
    jobs = [("start and end of a scan", lambda: bench.call(null(bench, many, name="little.E01"))),
            ("1 thread", lambda: bench.call(null(bench, 1))),
            ("%d threads" % many, lambda: bench.call(null(bench, many))),
            ("a program of 1 thread", lambda: at_once(bench, cores[:1]))]
    if len(cpus) >= many:
        jobs.append(("%d programs at once" % many, lambda: at_once(bench, cpus[:many])))
    if len(cores) >= many:
        jobs.append(("%d threads, apart" % many, lambda: bench.call(null(bench, many, cores[:many]))))
        jobs.append(("%d programs at once, apart" % many, lambda: at_once(bench, cores[:many])))
    bench.turns(jobs, options.runs)
    for name, _ in jobs:
        bench.tell(name)
    for name in bench.results:
        if name.startswith("%d threads" % many):
            print("%s: %.2f of linear" % (name, bench.median("1 thread") / many / bench.median(name)))
        elif name.startswith("%d programs" % many):
            print("%s: %.2f of linear" % (name, bench.median("a program of 1 thread") / bench.median(name)))
    bench.remove("E01", "little.E01", *(name for name in os.listdir(options.folder) if name.startswith("case")))


if __name__ == "__main__":
    main()
