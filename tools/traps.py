#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/traps.py - images that are made to cost a scan as much as they can, and what they cost.

    traps.py list                        names of all traps
    traps.py make NAME FILE [MIB]        writes one of them
    traps.py run BURIN [options]         scans each; a line per trap: core-seconds per MiB of
                                         image, peak memory, objects, bytes of case per MiB, name

    --mib N        size of the images, MiB (default 2)
    --match REGEX  only traps whose names match
    --again N      measure the costliest N once more at four times the size (default 15)
    --threads N    threads of the scan (default: its own choice)
    --markdown     the costliest as a table, for docs/measured/hostile.md

A trap is the beginning of a file, as a signature's pattern or from a sample of tests/samples, put
so that as many files as possible are open at a time and read the same bytes:

    repeat   the first K bytes back to back          whole   a whole sample back to back
    sectors  the first sector of it on each sector   nested  many beginnings before one sample
    tail     many beginnings before bytes of zeros, text, noise, or the sample's own end
    mixed    beginnings of all samples in turns

and those of `special` below, which need to know a format. What a scan of zeros of the same size
costs is the program's start and is taken off. Everything follows from the name: no clock, no
system randomness.
"""
import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = os.path.join(ROOT, "tests", "samples")
MIB = 1 << 20
UNIT = 64 << 10  # bytes of a fan: its beginnings and the tail that they share
FAN = 64         # beginnings of a fan
TEXT = b"The quick brown fox, 12 of them, jumps over {the} <b>lazy</b> \"dog\";\r\n"


def noise(seed, length):
    return random.Random(seed).randbytes(length)


def fill(unit, length):
    return (unit * (length // len(unit) + 1))[:length]


def zeros_deflated(mib):
    """So many MiB of zeros, deflated, and their CRC-32: a little at a time, to stay small."""
    packer, packed, crc = zlib.compressobj(9, zlib.DEFLATED, -15), [], 0
    for _ in range(mib):
        packed.append(packer.compress(bytes(MIB)))
        crc = zlib.crc32(bytes(MIB), crc)
    return b"".join(packed) + packer.flush(), crc


# Traps that need to know a format: name -> function of the length in bytes.
special = {}


def trap(function):
    special["special/" + function.__name__] = function
    return function


def gzip_fan(heads, mib, length):
    packed, crc = zeros_deflated(mib)
    end = b"\0" + packed + struct.pack("<II", crc, mib * MIB)
    return fill(b"\x1f\x8b\x08\x08\x01\x01\x01\x01\x02\x03" * heads + end, length)


@trap
def gz_names(length):
    """Each header stands in the file name of the one before; all end in the same data."""
    return gzip_fan(FAN, 64, length)


@trap
def gz_names_few(length):
    return gzip_fan(4, 64, length)


@trap
def gz_names_short(length):
    """Tails of 4 MiB of zeros: many fans to each MiB."""
    return gzip_fan(FAN, 4, length)


@trap
def gz_bomb(length):
    """One file: what a fan of one costs, and no trap."""
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\3" + zeros_deflated(length // MIB * 1024)[0])[:length]


def stored_fan(head, length, apart=1, mib=64):
    """Each beginning stands in a stored block of the one before; all go on with the same data."""
    size = -(-(len(head) + 5) // apart) * apart
    fan = b""
    for i in range(FAN):
        rest = size * (FAN - i) - len(head) - 5
        fan += (head + b"\0" + struct.pack("<HH", rest, 0xffff ^ rest)).ljust(size, b"\0")
    return fill(sectors(fan + zeros_deflated(mib)[0]) if apart > 1
                else fan + zeros_deflated(mib)[0], length)


@trap
def gz_stored(length):
    return stored_fan(b"\x1f\x8b\x08\0\0\0\0\0\0\3", length)


@trap
def swf_stored(length):
    return stored_fan(b"CWS\x08" + struct.pack("<I", 1 << 30) + b"\x78\x9c", length)


@trap
def mat_stored(length):
    head = b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<II", 15, 1 << 30)
    return stored_fan(head + b"\x78\x9c", length, 512)


@trap
def xar_stored(length):
    head = b"xar!" + struct.pack(">HHQQI", 28, 1, 1 << 25, 1 << 27, 0)
    return stored_fan(head + b"\x78\x9c", length, 512)


@trap
def tiff_strips(length):
    """Pictures of 64 MiB, each with a directory of its own, and the same strip."""
    strip, fan, size = zeros_deflated(64)[0], b"", 8 + 2 + 9 * 12 + 4
    for i in range(FAN):
        rest = size * (FAN - i)
        fields = [(256, 8192), (257, 8192), (258, 8), (259, 8), (262, 1), (273, rest), (277, 1),
                  (278, 8192), (279, len(strip) + 2)]
        fan += b"II*\0" + struct.pack("<IH", 8, len(fields))
        fan += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in fields) + bytes(4)
    return fill(fan + b"\x78\x9c" + strip, length)


@trap
def tiff_scattered(length):
    """Pictures with the same strips, which lie in turns in places far apart: read again each."""
    count, fan, size = length // 16, b"", 8 + 2 + 10 * 12 + 4
    table = 64 * size
    places, far = table + 8 * count, 300 << 10
    for i in range(FAN):
        at = size * i
        fields = [(256, 4, 1, 16), (257, 4, 1, count), (258, 4, 1, 8), (259, 4, 1, 32773),
                  (262, 4, 1, 1), (273, 4, count, table - at), (277, 4, 1, 1), (278, 4, 1, 1),
                  (279, 4, count, table + 4 * count - at), (296, 4, 1, 1)]
        fan += b"II*\0" + struct.pack("<IH", 8, len(fields))
        fan += b"".join(struct.pack("<HHII", *field) for field in fields) + bytes(4)
    turns = max(1, min(8, (length - places) // far))
    strips = b"".join(struct.pack("<I", places + i % turns * far + i // turns % 1000 * 2)
                      for i in range(count))
    data = fan + strips + b"\2\0\0\0" * count
    return (data + b"\xf1\0" * length)[:length]


@trap
def zip_members(length):
    """Local headers in the extra field of the one before, all before the same data."""
    fan = b""
    for i in range(FAN):
        rest = (FAN - 1 - i) * 31
        fan += struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 8, 8, 0, 0x21, 0, 0, 0, 1, rest) + b"a"
    return fill(fan + zeros_deflated(64)[0], length)


@trap
def jpeg_segments(length):
    """Pictures, each inside of an APP1 of the one before, before one scan of noise."""
    with open(os.path.join(SAMPLES, "jpeg", "base.jpg"), "rb") as file:
        sample = file.read()
    fan = b""
    for i in range(FAN):
        head = b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xe1"
        fan += head + struct.pack(">H", 2 + (len(head) + 2) * (FAN - 1 - i))
    start = sample.index(b"\xff\xda")
    start += 2 + struct.unpack_from(">H", sample, start + 2)[0]
    scan = noise(1, UNIT).replace(b"\xff", b"\xfe")
    return fill(fan + sample[sample.index(b"\xff\xdb"):start] + scan, length)


@trap
def jpeg_large(length):
    """Likewise; the picture's size is the largest, so that no scan ends before the image."""
    data = bytearray(jpeg_segments(UNIT))
    at = data.index(b"\xff\xc0")
    data[at + 5:at + 9] = b"\xff\xf0\xff\xf0"
    return fill(bytes(data), length)


@trap
def jpeg_zeros(length):
    """Likewise, with codes of one bit each, and a scan of zeros that is as long as it can be."""
    fan = b""
    for i in range(FAN):
        fan += b"\xff\xd8\xff\xe0" + struct.pack(">H", 2 + 6 * (FAN - 1 - i))
    fan += b"\xff\xdb\0\x43\0" + bytes([1]) * 64
    fan += b"\xff\xc0\0\x0b\x08\xff\xf0\xff\xf0\1\1\x11\0"
    for table in (b"\0", b"\x10"):
        fan += b"\xff\xc4\0\x14" + table + b"\1" + bytes(15) + b"\0"
    fan += b"\xff\xda\0\x08\1\1\0\0\x3f\0"
    return fill(fan + bytes(min(length, 16 * MIB) - len(fan)), length)


@trap
def jpeg_marked(length):
    """Likewise; a restart marker for each block."""
    return fill(jpeg_zeros(UNIT)[:FAN * 6 + 69] + b"\xff\xdd\0\4\0\1" +
                jpeg_zeros(UNIT)[FAN * 6 + 69:FAN * 6 + 69 + 67] +
                b"".join(b"\x3f\xff" + bytes([0xd0 + i % 8]) for i in range(UNIT)), length)


@trap
def png_chunks(length):
    """Headers in a chunk of the one before."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x40\0\0\0\x40\0\x08\0\0\0\0"
    head += struct.pack(">I", zlib.crc32(head[12:])) + struct.pack(">I", 1 << 30) + b"tEXt"
    return fill(head * FAN + fill(TEXT, 16 * UNIT), length)


@trap
def gif_comments(length):
    """GIFs, each in a comment of the one before."""
    head, fan = b"GIF89a\xff\x7f\xff\x7f\x80\0\0\0\0\0\xff\xff\xff", b""
    size = len(head) + 3
    for i in range(FAN // 8):  # a block of a comment has at most 255 bytes
        fan += head + b"!\xfe" + bytes([min(255, size * (FAN // 8 - 1 - i))])
    codes = b"\xff" + bytes(255)  # blocks of codes
    return fill(fan + b"\0,\0\0\0\0\xff\x7f\xff\x7f\0\2" + codes * 255, length)


@trap
def gif_small(length):
    """10^6 whole pictures of 35 bytes."""
    return fill(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;", length)


@trap
def gif_in_zip(length):
    gifs = gif_small(length - 60)
    head = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 0, 0, 0x21, zlib.crc32(gifs), len(gifs),
                       len(gifs), 1, 0) + b"a"
    return head + gifs


@trap
def pdf_objects(length):
    return fill(b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", length)


@trap
def warc_records(length):
    return fill(b"WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date", length)


@trap
def warc_files(length):
    return fill(b"filedesc://", length)


@trap
def tex_comments(length):
    return fill(b"%\n", length)


@trap
def rtf_binary(length):
    return fill(b"{\\rtf1\\bin9 ", length)


def text_fan(heads, length):
    """Beginnings of text files on sectors, then text that belongs to each of them."""
    fan = b"".join(head + fill(TEXT, 512 - len(head)) for head in heads)
    return fill(fan + fill(TEXT, 4 * UNIT), length)


@trap
def texts_all(length):
    """Beginnings of all kinds of text, in turns, each sector one."""
    heads = [b"%\n", b"<html><head><title>", b"<?xml version=\"1.0\"?><a>", b"{\\rtf1\\ansi ",
             b"%!PS-Adobe-3.0\n", b"From: a@b.c\r\nTo: d@e.f\r\nDate: x\r\n\r\n", b"{\"a\":[",
             b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", b"-----BEGIN PGP MESSAGE-----\n\n",
             b"BEGIN:VCARD\r\nVERSION:3.0\r\n", b"ID;PWXL\r\n", b"  0\r\nSECTION\r\n",
             b"\\documentclass{a}\n", b"WEBVTT\n\n", b"#?RADIANCE\n", b"WARC/1.0\r\n"]
    return text_fan(heads, length)


# Traps from patterns and samples.
def header_bytes(text):
    """A header of `burin info --types`: (offset, bytes); what any byte may be is a 1."""
    text, _, at = text.partition("@")
    words = re.findall(r"\?\?|\[../..\]|..", text)
    return int(at or 0), bytes(1 if w == "??" else int(w[1:3] if w[0] == "[" else w, 16)
                               for w in words)


def signatures(burin):
    out = subprocess.run([burin, "info", "--types"], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in out.stdout.splitlines()]


def samples():
    for folder in sorted(os.listdir(SAMPLES)):
        for name in sorted(os.listdir(os.path.join(SAMPLES, folder))):
            if not name.endswith(".fields"):
                yield folder + "/" + name, os.path.join(SAMPLES, folder, name)


def sectors(data):
    return data + bytes(-len(data) % 512)


TAILS = {"zeros": bytes, "text": lambda n: fill(TEXT, n), "noise": lambda n: noise(7, n)}


def traps_of_sample(data):
    """name -> function of the length, for the bytes of one sample."""
    first = sectors(data[:512])
    found = {}
    for k in (8, 16, 24, 32, 64, 160):
        if k < len(data):
            found[f"repeat{k}"] = lambda n, k=k: fill(data[:k], n)
    found["sectors"] = lambda n: fill(first, n)
    if len(data) <= UNIT:
        found["whole"] = lambda n: fill(sectors(data), n)
        found["whole-close"] = lambda n: fill(data, n)
    found["nested"] = lambda n: fill(first * FAN + sectors(data), n)
    if len(data) > 64:
        found["nested-close"] = lambda n: fill(data[:64] * FAN + data, n)
        found["tail-own"] = lambda n: fill(first * FAN + fill(data[len(data) // 2:], 2 * UNIT), n)
    for name, tail in TAILS.items():
        found["tail-" + name] = lambda n, tail=tail: fill(first * FAN + tail(4 * UNIT), n)
    return found


def mixed_traps(heads):
    """Beginnings of files of all kinds together."""
    close = b"".join(head[:64] for head in heads)
    apart = b"".join(sectors(head[:512]) for head in heads)
    found = {"mixed/close": lambda n: fill(close, n), "mixed/sectors": lambda n: fill(apart, n)}
    for name, tail in TAILS.items():
        found["mixed/tail-" + name] = lambda n, tail=tail: fill(apart + tail(16 * UNIT), n)
    return found


def all_traps(burin):
    found = dict(special)
    heads = []
    if burin is not None:
        for row in signatures(burin):
            for i, text in enumerate(row[5].split(",")):
                if re.fullmatch(r"[0-9a-f?\[\]/@]+", text) is None:
                    continue
                at, head = header_bytes(text)
                head = bytes(at) + head
                found[f"pattern/{row[0]}/{i}/repeat"] = lambda n, h=head: fill(h, n)
                found[f"pattern/{row[0]}/{i}/sectors"] = lambda n, h=head: fill(sectors(h), n)
                found[f"pattern/{row[0]}/{i}/text"] = lambda n, h=head: text_fan([h] * FAN, n)
    for name, path in samples():
        with open(path, "rb") as sample:
            data = sample.read()
        heads.append(data[:512])
        for kind, make in traps_of_sample(data).items():
            found[f"sample/{name}/{kind}"] = make
    found.update(mixed_traps(heads))
    for name in ("one-byte", "two-bytes"):
        found["rules/" + name] = lambda n, w=name: fill(b"Qz" if w == "two-bytes" else b"Q", n)
    return found


class Runner:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.base = {}

    def close(self):
        shutil.rmtree(self.folder)

    def write(self, make, length, path):
        """In a process of its own: what it takes counts as memory of what is started next."""
        child = os.fork()
        if child == 0:
            with open(path, "wb") as file:
                file.write(make(length))
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            sys.exit("a trap could not be written")

    def scan(self, name, make, length):
        image, case = os.path.join(self.folder, "image"), os.path.join(self.folder, "case")
        for left in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, left))
        self.write(make, length, image)
        command = [self.options.burin, "scan", "--json", "--quiet", "--case", case,
                   "--image-type", "raw"]
        if self.options.threads:
            command += ["--threads", str(self.options.threads)]
        if name.startswith("rules/"):
            rules = os.path.join(self.folder, "rules")
            with open(rules, "w") as file:
                file.write("a y 1000 " + ("Q\n" if name == "rules/one-byte" else "Qz\n"))
            command += ["--dictionary", rules]
        else:
            command += ["--types", "all"]
        command.append(image)
        with open(os.path.join(self.folder, "out"), "wb") as out, \
                open(os.path.join(self.folder, "err"), "wb") as err:
            child = subprocess.Popen(command, stdout=out, stderr=err)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):  # 1: something was left out, and said
            with open(os.path.join(self.folder, "err")) as err:
                print(f"{name}: status {child.returncode}: {err.read()[:300]}", file=sys.stderr)
        with open(os.path.join(self.folder, "out")) as out:
            objects = re.search(r'"objects": *(\d+)', out.read())
        size = os.path.getsize(case) if os.path.exists(case) else 0
        return (used.ru_utime + used.ru_stime, used.ru_maxrss / 1024,
                int(objects.group(1)) if objects else -1, size)

    def cost(self, name, make, mib):
        if mib not in self.base:
            self.base[mib] = min(self.scan("zeros", bytes, mib * MIB)[0] for _ in range(3))
        seconds, memory, objects, case = self.scan(name, make, mib * MIB)
        return ((seconds - self.base[mib]) / mib, memory, objects, case / mib / MIB, name)


def show(row):
    print("%8.3f s/MiB %7.0f MiB %9d objects %7.2f MiB/MiB  %s" % row, flush=True)


def run(options):
    traps = all_traps(options.burin)
    wanted = [n for n in traps if re.search(options.match, n)]
    runner = Runner(options)
    rows = []
    try:
        for name in wanted:
            rows.append(runner.cost(name, traps[name], options.mib))
            if not options.markdown:
                show(rows[-1])
        rows.sort(reverse=True)
        again = []
        for row in rows[:options.again]:
            again.append(runner.cost(row[4], traps[row[4]], options.mib * 4))
        again.sort(reverse=True)
    finally:
        runner.close()
    print(f"# {len(rows)} traps of {options.mib} MiB; "
          f"the costliest {len(again)} at {options.mib * 4} MiB:")
    if options.markdown:
        print("| s/MiB | MiB of memory | objects | MiB of case for each | trap |\n"
              "| ---: | ---: | ---: | ---: | --- |")
    for row in again:
        if options.markdown:
            print("| %.2f | %.0f | %d | %.2f | %s |" % row)
        else:
            show(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("command", choices=["list", "make", "run"])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--mib", type=int, default=2)
    parser.add_argument("--match", default="")
    parser.add_argument("--again", type=int, default=15)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--burin", default=os.path.join(ROOT, "build", "burin"))
    options = parser.parse_args()
    if options.command == "run":
        if options.words:
            options.burin = options.words[0]
        run(options)
    elif options.command == "list":
        print("\n".join(n for n in all_traps(options.burin)))
    else:
        name, path = options.words[:2]
        mib = int(options.words[2]) if len(options.words) > 2 else options.mib
        with open(path, "wb") as out:
            out.write(all_traps(options.burin)[name](mib * MIB))


if __name__ == "__main__":
    main()
