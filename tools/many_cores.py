#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/many_cores.py BURIN FOLDER - how scans, carving and listing grow with the number of processors.

Makes its images in FOLDER out of the files of /usr, and leaves the image there for the next call. FOLDER lies in memory as a
rule (/dev/shm), for the processors are measured and not a disk. Needs Python, dd, cp and sha256sum, and nothing that is installed.

The programs run in turns, after one round that is not counted; each figure is the median with its range, in seconds by the
wall clock with the start of the program. Processor time is user and system time of the program and what it started.
"""
import argparse
import os
import resource
import shutil
import sqlite3
import statistics
import struct
import subprocess
import sys
import time
import zlib

MIB = 1 << 20
SECTOR_FILES = 4096  # bytes: files of the image begin at multiples of it


def usr_image(path, size):
    """Files of /usr one behind another, whole, until the image is full."""
    names = []
    for folder, folders, files in os.walk("/usr"):
        folders.sort()
        names += [os.path.join(folder, name) for name in sorted(files)]
    with open(path + ".part", "wb") as out:
        while out.tell() < size - SECTOR_FILES:
            before = out.tell()
            for name in names:
                try:
                    have = os.path.getsize(name)
                    if os.path.islink(name) or not 0 < have <= size - out.tell():
                        continue
                    with open(name, "rb") as file:
                        data = file.read(size - out.tell())
                except OSError:
                    continue
                out.write(data + bytes(-len(data) % SECTOR_FILES))
            if out.tell() == before:
                break
        out.truncate(size)
    os.replace(path + ".part", path)


def png_image(path, count):
    """So many pictures of one pixel, each of another colour, one behind another (ISO/IEC 15948)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    tail = chunk(b"IEND", b"")
    with open(path, "wb") as out:
        for i in range(count):
            out.write(head + chunk(b"IDAT", zlib.compress(b"\0" + i.to_bytes(3, "big"), 0)) + tail)


def stored_zip(path, size):
    """Behind a sector of zeros, one archive with one stored member of `size` bytes: a single large object (APPNOTE.TXT 4.3)."""
    name = b"member.bin"
    crc, block = 0, os.urandom(MIB)
    with open(path, "wb") as out:
        out.write(bytes(SECTOR_FILES + 30 + len(name)))
        for i in range(size // MIB):
            data = i.to_bytes(8, "little") + block[8:]
            crc = zlib.crc32(data, crc)
            out.write(data)
        about = struct.pack("<HHHHIII", 0, 0, 0, 0x21, crc, size, size)
        where = out.tell() - SECTOR_FILES
        central = b"PK\1\2" + struct.pack("<HH", 20, 20) + about + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
        out.write(central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), where, 0))
        out.seek(SECTOR_FILES)
        out.write(b"PK\3\4" + struct.pack("<H", 20) + about + struct.pack("<HH", len(name), 0) + name)


class Bench:
    def __init__(self, options):
        self.burin, self.folder = os.path.realpath(options.burin), options.folder
        self.case = os.path.join(self.folder, "case")
        self.cores = options.threads
        self.runs, self.deadline = options.runs, time.monotonic() + options.seconds
        self.results = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def remove(self, *names):
        for name in names:
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)

    def call(self, words, out=subprocess.DEVNULL):
        """Runs a program; returns seconds, seconds of the processor, and its peak in MiB."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        child = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, cwd=self.folder)
        text = child.stderr.read()
        status = child.wait()
        took = time.monotonic() - begin
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if status not in (0, 1):
            sys.exit("%s: status %d: %s" % (" ".join(words), status, text.decode(errors="replace")))
        return took, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

    def scan(self, image, threads, *options):
        self.remove("case", "case.seal")
        return self.call([self.burin, "scan", "-q", "--threads", str(threads), "--case", self.case, *options, image])

    def read(self, image, threads):
        """So many programs dd, each of which reads its own piece."""
        each = os.path.getsize(image) // threads // MIB
        begin = time.monotonic()
        children = [subprocess.Popen(["dd", "if=" + image, "of=/dev/null", "bs=1M", "count=%d" % each, "skip=%d" % (i * each)],
                                     stderr=subprocess.DEVNULL) for i in range(threads)]
        for child in children:
            if child.wait() != 0:
                sys.exit("dd failed")
        return time.monotonic() - begin, 0.0

    def turns(self, jobs, runs):
        """jobs: (name, function). All of them in turn; the first round is not counted, nor one that the time is up for."""
        for round_ in range(runs + 1):
            took = 0.0
            for name, job in jobs:
                begin = time.monotonic()
                figures = job()
                took += time.monotonic() - begin
                if round_ > 0:
                    self.results.setdefault(name, []).append(figures)
            if time.monotonic() + took > self.deadline and round_ > 0:
                print("(time is up after %d of %d rounds)" % (round_, runs))
                break

    def median(self, name, which=0):
        return statistics.median(figures[which] for figures in self.results[name])

    def stages(self, image, threads, *options):
        """What a scan says in its log of the time that its stages took."""
        took, _ = self.scan(image, threads, *options)
        case = sqlite3.connect("file:%s?immutable=1" % self.case, uri=True)
        for (text,) in case.execute("SELECT text FROM log WHERE text LIKE 'stages:%'"):
            print("%.3f s, of which %s" % (took, text), flush=True)
        case.close()

    def tell(self, name, beside=None):
        values = [figures[0] for figures in self.results[name]]
        line = "%-34s %7.3f [%.3f .. %.3f]" % (name, statistics.median(values), min(values), max(values))
        if self.median(name, 1) > 0:
            line += "  CPU %6.2f" % self.median(name, 1)
        if beside is not None:
            ratios = [a[0] / b[0] for a, b in zip(self.results[name], self.results[beside])]
            line += "  / %s: %.2f [%.2f .. %.2f]" % (beside, statistics.median(ratios), min(ratios), max(ratios))
            if self.median(name, 1) > 0 and self.median(beside, 1) > 0:
                line += ", by processor time %.2f" % (self.median(name, 1) / self.median(beside, 1))
        print(line, flush=True)


def peak(words):
    """Peak memory of a program, in MiB: of the largest process of it."""
    child = os.fork()
    if child == 0:
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 1)
        os.execv(words[0], words)
    _, _, usage = os.wait4(child, 0)
    return usage.ru_maxrss / 1024


def scans(bench, image):
    most, few = bench.cores, sorted({1, 2, 4, 8, 2 * bench.cores} - {bench.cores})
    bench.turns([("reading, %d dd" % most, lambda: bench.read(image, most)),
                 ("whole scan, %d threads" % most, lambda: bench.scan(image, most)),
                 ("without assembly, %d threads" % most, lambda: bench.scan(image, most, "--no-assemble")),
                 ("hits only, %d threads" % most, lambda: bench.scan(image, most, "--hits-only"))], bench.runs)
    reading = "reading, %d dd" % most
    bench.tell(reading)
    for name in "whole scan", "without assembly", "hits only":
        bench.tell("%s, %d threads" % (name, most), reading)
    jobs = []
    for threads in few:
        jobs += [("whole scan, %d threads" % threads, lambda threads=threads: bench.scan(image, threads)),
                 ("hits only, %d threads" % threads, lambda threads=threads: bench.scan(image, threads, "--hits-only"))]
    bench.turns(jobs, max(1, bench.runs // 2))
    for name, _ in jobs:
        bench.tell(name)
    for name in "whole scan", "hits only":
        print("%s: 1 thread / %d threads = %.2f" % (name, most, bench.median(name + ", 1 threads") /
                                                    bench.median("%s, %d threads" % (name, most))))
    for options in (), ("--no-assemble",), ("--hits-only",):
        bench.stages(image, most, *options)
    bench.remove("case", "case.seal")
    print("peak of a scan, %d threads: %.0f MiB" % (most, peak([bench.burin, "scan", "-q", "--threads", str(most), "--case",
                                                                bench.case, image])))


def carving(bench, image):
    bench.scan(image, bench.cores)

    def carve():
        bench.remove("out", "copy")
        return bench.call([bench.burin, "carve", "-q", "--out", bench.path("out"), bench.case])

    def copy():
        return bench.call(["cp", "-r", bench.path("out"), bench.path("copy")])
    bench.turns([("carve", carve), ("cp -r", copy)], max(1, bench.runs // 2))
    bench.tell("cp -r")
    bench.tell("carve", "cp -r")
    bench.remove("out", "copy", "case", "case.seal")


def one_object(bench):
    image = bench.path("one")
    stored_zip(image, 1024 * MIB)
    bench.scan(image, bench.cores)

    def carve():
        bench.remove("out")
        return bench.call([bench.burin, "carve", "-q", "--out", bench.path("out"), bench.case])

    def copy():
        bench.remove("copy")
        return bench.call(["cp", image, bench.path("copy")])
    bench.turns([("carve 1 GiB", carve), ("cp 1 GiB", copy), ("sha256sum 1 GiB", lambda: bench.call(["sha256sum", image]))],
                max(1, bench.runs // 2))
    bench.tell("cp 1 GiB")
    bench.tell("sha256sum 1 GiB")
    bench.tell("carve 1 GiB", "sha256sum 1 GiB")
    bench.remove("out", "copy", "one", "case", "case.seal")


def million(bench):
    image = bench.path("pngs")
    png_image(image, 1000000)
    bench.turns([("scan of 1,000,000 PNG", lambda: bench.scan(image, bench.cores)),
                 ("list", lambda: bench.call([bench.burin, "list", bench.case])),
                 ("list --json", lambda: bench.call([bench.burin, "list", "--json", bench.case]))], max(1, bench.runs // 2))
    for name in "scan of 1,000,000 PNG", "list", "list --json":
        bench.tell(name)
    bench.remove("pngs", "case", "case.seal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("burin")
    parser.add_argument("folder")
    parser.add_argument("--mib", type=int, default=6144, help="size of the image (6144)")
    parser.add_argument("--runs", type=int, default=7, help="rounds that count, of the first table (7); others take half as many")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="the most threads (all processors)")
    parser.add_argument("--seconds", type=int, default=330, help="time for all: rounds are left out behind it (330)")
    parser.add_argument("--only", default="scans,million,carving,one", help="what is measured: scans,million,carving,one")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    bench = Bench(options)
    image = bench.path("usr-%d.img" % options.mib)
    if not os.path.exists(image):
        usr_image(image, options.mib * MIB)
    bench.call([bench.burin, "--version"])
    bench.turns([("burin --version", lambda: bench.call([bench.burin, "--version"]))], 9)
    bench.tell("burin --version")
    print("image: %d MiB of the files of /usr; %d threads at most" % (options.mib, bench.cores), flush=True)
    for name in options.only.split(","):
        if name in ("scans", "carving"):
            {"scans": scans, "carving": carving}[name](bench, image)
        else:
            {"million": million, "one": one_object}[name](bench)


if __name__ == "__main__":
    main()
