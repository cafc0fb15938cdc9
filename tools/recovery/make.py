#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/recovery/make.py - a disk image of real files, and the truth about it.

    make.py --out DIR [options] FOLDER...

Takes files of known types out of the folders, plants some of them in DIR/image.raw, and writes
DIR/truth.json: for each planted file its type, size, SHA-256 and places. score.py compares with
that what a program recovered. The same folders, seed and options give the same image; the file
systems are the same but for their time stamps.

    --seed N       what is drawn, and where it lies (default 1)
    --files N      at most so many files (default 300)
    --min BYTES, --max BYTES  sizes of files (default 1024, 4194304)
    --layout NAME  raw: no file system, files at multiples of 512 bytes (default)
                   ext4: by mke2fs and debugfs; fat: by mkfs.vfat and mtools
                   scattered: no file system, files in pieces as in the DFRWS challenge of 2007
                   scenarios: no file system, as in the DFRWS challenge of 2006

raw: three files of five have zeros, random bytes, text or the end of a file that is not planted
before them, the others begin where the one before ends. The rest of a last sector is zeros or
random bytes. One file of ten lies in two pieces; one of twenty-five has lost its end; beside one
of ten stand the first 512 bytes of a file that is not planted.

scattered: see scattered.py. --files 119 gives as many as there were, some 85 of them complete.

scenarios: see scenarios.py. Its 29 files are chosen by type and size; --files says nothing there.

ext4, fat: the files are copied, then every second one is deleted. A file counts as being in one
piece when all of its bytes lie together in the finished image; mke2fs stores no blocks of zeros.
"""
import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from scattered import Scattered
from scenarios import Scenarios, choose

SECTOR = 512
MIB = 1 << 20
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = b"PK\3\4"

# Type: its extensions, and the bytes that one of its files has at an offset. Files that do not
# have them are not what their names say.
TYPES = {
    "jpg": (".jpg .jpeg", 0, (b"\xff\xd8\xff",)), "png": (".png", 0, (b"\x89PNG\r\n\x1a\n",)),
    "gif": (".gif", 0, (b"GIF87a", b"GIF89a")), "bmp": (".bmp", 0, (b"BM",)),
    "webp": (".webp", 8, (b"WEBP",)), "tiff": (".tif .tiff", 0, (b"II*\0", b"MM\0*")),
    "svg": (".svg", 0, (b"<?xml", b"<svg")), "psd": (".psd", 0, (b"8BPS",)),
    "pdf": (".pdf", 0, (b"%PDF-",)), "rtf": (".rtf", 0, (b"{\\rtf",)),
    "doc": (".doc", 0, (OLE,)), "xls": (".xls", 0, (OLE,)), "ppt": (".ppt", 0, (OLE,)),
    "docx": (".docx", 0, (ZIP,)), "xlsx": (".xlsx", 0, (ZIP,)), "pptx": (".pptx", 0, (ZIP,)),
    "odt": (".odt .ott", 0, (ZIP,)), "ods": (".ods", 0, (ZIP,)), "epub": (".epub", 0, (ZIP,)),
    "html": (".html .htm", 0, (b"<!DOCTYPE html", b"<!doctype html", b"<html", b"<HTML")),
    "xml": (".xml", 0, (b"<?xml",)),
    "zip": (".zip .whl", 0, (ZIP,)), "jar": (".jar", 0, (ZIP,)),
    "gz": (".gz .tgz", 0, (b"\x1f\x8b\x08",)), "bz2": (".bz2", 0, (b"BZh",)),
    "xz": (".xz", 0, (b"\xfd7zXZ\0",)), "7z": (".7z", 0, (b"7z\xbc\xaf\x27\x1c",)),
    "zst": (".zst", 0, (b"\x28\xb5\x2f\xfd",)), "tar": (".tar", 257, (b"ustar",)),
    "wav": (".wav", 8, (b"WAVE",)), "ogg": (".ogg .oga .opus", 0, (b"OggS",)),
    "flac": (".flac", 0, (b"fLaC",)), "mid": (".mid .midi", 0, (b"MThd",)),
    "mp3": (".mp3", 0, (b"ID3", b"\xff\xfb", b"\xff\xf3")), "au": (".au", 0, (b".snd",)),
    "avi": (".avi", 8, (b"AVI ",)), "mkv": (".mkv .webm", 0, (b"\x1a\x45\xdf\xa3",)),
    "mp4": (".mp4 .m4a .mov", 4, (b"ftyp",)),
    "elf": (".so .o .ko", 0, (b"\x7fELF",)), "exe": (".exe .dll .efi", 0, (b"MZ",)),
    "pyc": (".pyc", 2, (b"\r\n",)), "mo": (".mo", 0, (b"\xde\x12\x04\x95",)),
    "sqlite": (".db .sqlite .sqlite3", 0, (b"SQLite format 3\0",)),
    "ttf": (".ttf", 0, (b"\0\1\0\0", b"true")), "otf": (".otf", 0, (b"OTTO",)),
    "woff": (".woff", 0, (b"wOFF",)), "woff2": (".woff2", 0, (b"wOF2",)),
    "pcap": (".pcap", 0, (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4")),
}
TYPE_OF = {ext: name for name, (exts, _, _) in TYPES.items() for ext in exts.split()}


def type_of(path, head):
    """The type of a file by its name, if its first bytes agree, else None."""
    name = TYPE_OF.get(os.path.splitext(path)[1].lower())
    if name is None:
        return None
    _, at, magics = TYPES[name]
    return name if any(head[at:at + len(magic)] == magic for magic in magics) else None


def gather(folders, least, most):
    """Files that can be planted, by type, each content once: {type: [path]}."""
    found, seen = {}, set()
    for folder in folders:
        for where, names, files in os.walk(folder):
            names.sort()
            for path in (os.path.join(where, name) for name in sorted(files)):
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                if not least <= os.path.getsize(path) <= most or not os.access(path, os.R_OK):
                    continue
                with open(path, "rb") as file:
                    head = file.read(SECTOR)
                    kind = type_of(path, head)
                    digest = hashlib.sha256(head + file.read()).digest() if kind else None
                if kind and digest not in seen:
                    seen.add(digest)
                    found.setdefault(kind, []).append(path)
    return found


def draw(found, count, rng):
    """Draws files type by type in turns, so that no frequent type takes all: (planted, others)."""
    piles = [list(found[kind]) for kind in sorted(found)]
    for pile in piles:
        rng.shuffle(pile)
    drawn = []
    while len(drawn) < count and any(piles):
        for pile in piles:
            if pile and len(drawn) < count:
                drawn.append(pile.pop())
    return drawn, sorted(path for pile in piles for path in pile)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Raw:
    """An image without a file system that grows at its end."""

    def __init__(self, rng, others):
        self.rng, self.others, self.image = rng, others, bytearray()

    def pad(self):
        rest = -len(self.image) % SECTOR
        self.image += self.rng.randbytes(rest) if self.rng.random() < 0.5 else bytes(rest)

    def fill(self, sectors):
        """Bytes of no file that is planted, for so many sectors."""
        length = sectors * SECTOR
        kind = self.rng.choice(("zeros", "random", "text", "tail"))
        if kind == "random":
            data = self.rng.randbytes(length)
        elif kind == "text":
            words = b"of the and a disk sector that is no file any more ; 1984 \n".split(b" ")
            data = b" ".join(self.rng.choices(words, k=length))[:length]
        elif kind == "tail" and self.others:
            data = self.tail()[-length:]
        else:
            data = b""
        self.image += data.ljust(length, b"\0")

    def tail(self):
        """A file that is not planted, without its beginning."""
        return read(self.rng.choice(self.others))[SECTOR:]

    def put(self, data):
        """Writes bytes at the end: [offset, length]."""
        at = len(self.image)
        self.image += data
        self.pad()
        return [at, len(data)]

    def plant(self, data):
        """Plants a file: (places, state)."""
        if self.rng.random() < 0.6:
            self.fill(self.rng.randrange(1, 64))
        if self.others and self.rng.random() < 0.1:
            self.put(read(self.rng.choice(self.others))[:SECTOR])
        chance = self.rng.random()
        if chance < 0.1 and len(data) > 4 * SECTOR:
            cut = self.rng.randrange(1, len(data) // SECTOR) * SECTOR
            first = self.put(data[:cut])
            self.fill(self.rng.randrange(1, 65))
            return [first, self.put(data[cut:])], "pieces"
        if chance < 0.14 and len(data) > 4 * SECTOR:
            keep = self.rng.randrange(1, len(data) // SECTOR) * SECTOR
            place = self.put(data[:keep])
            self.image += self.rng.randbytes(4 * SECTOR)
            return [place], "cut"
        return [self.put(data)], "whole"


def entry(path, data, places, state):
    return {"path": path, "type": type_of(path, data[:SECTOR]), "size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(), "state": state, "extents": places}


def build_raw(layout, paths, others, rng, image_path):
    raw = Raw(rng, others)
    datas = [read(path) for path in paths]
    if layout == "raw":
        planted = [raw.plant(data) for data in datas]
    else:
        planted = (Scattered if layout == "scattered" else Scenarios)(raw).plant(datas)
    truth = [entry(path, data, *plant) for path, data, plant in zip(paths, datas, planted)]
    with open(image_path, "wb") as file:
        file.write(raw.image)
    return truth


def tool(*command):
    env = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin", MTOOLS_SKIP_CHECK="1")
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def build_filesystem(layout, paths, rng, image_path):
    """Copies the files into a file system, deletes every second one, and looks where they lie."""
    with tempfile.TemporaryDirectory() as work:
        staged, size = [], 0
        stage = os.path.join(work, "stage")
        os.mkdir(stage)
        for number, path in enumerate(rng.sample(paths, len(paths))):
            name = "%05d%s" % (number, os.path.splitext(path)[1].lower())
            shutil.copyfile(path, os.path.join(stage, name))
            size += os.path.getsize(path) + 8192
            staged.append((path, name))
        size = (size * 5 // 4 + 8 * MIB) // MIB * MIB
        with open(image_path, "wb") as file:
            file.truncate(size)
        gone = [name for _, name in staged[::2]]
        if layout == "ext4":
            tool("mke2fs", "-q", "-F", "-t", "ext4", "-d", stage, image_path)
            orders = os.path.join(work, "orders")
            with open(orders, "w", encoding="ascii") as file:
                file.writelines("rm /%s\n" % name for name in gone)
            tool("debugfs", "-w", "-f", orders, image_path)
        else:
            tool("mkfs.vfat", image_path)
            tool("mcopy", "-i", image_path, *(os.path.join(stage, name) for _, name in staged), "::/")
            tool("mdel", "-i", image_path, *("::/" + name for name in gone))
    image, truth = read(image_path), []
    for path, _ in staged:
        data = read(path)
        at = image.find(data)
        while at >= 0 and at % SECTOR:
            at = image.find(data, at + 1)
        truth.append(entry(path, data, [[at, len(data)]] if at >= 0 else [], "whole" if at >= 0 else "pieces"))
    return truth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--min", type=int, default=1024)
    parser.add_argument("--max", type=int, default=4 * MIB)
    parser.add_argument("--layout", choices=("raw", "scattered", "scenarios", "ext4", "fat"), default="raw")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    found = gather(args.folders, args.min, args.max)
    paths, others = (choose(found, os.path.getsize, rng), []) if args.layout == "scenarios" else draw(found, args.files, rng)
    if not paths:
        sys.exit("make.py: no file of a known type in %s" % " ".join(args.folders))
    os.makedirs(args.out, exist_ok=True)
    image = os.path.join(args.out, "image.raw")
    if args.layout in ("raw", "scattered"):
        truth = build_raw(args.layout, rng.sample(paths, len(paths)), others, rng, image)
    elif args.layout == "scenarios":
        truth = build_raw(args.layout, paths, others, rng, image)
    else:
        truth = build_filesystem(args.layout, paths, rng, image)
    with open(os.path.join(args.out, "truth.json"), "w", encoding="utf-8") as file:
        json.dump({"seed": args.seed, "layout": args.layout, "files": truth}, file, indent=1)
    states = [row["state"] for row in truth]
    print("%s: %d bytes, %d files of %d types: %d whole, %d in pieces, %d cut" % (
        image, os.path.getsize(image), len(truth), len({row["type"] for row in truth}),
        states.count("whole"), states.count("pieces"), states.count("cut")))


if __name__ == "__main__":
    main()
