#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/io/aff4_write.py - writes a raw image as an AFF4 image of the standard 1.0.

aff4_write.py RAW OUT.aff4 [OPTION...]

  method=snappy|lz4|lz4len|deflate|zlib|stored|none   how chunks are packed (snappy); lz4len: as Python's library packs; none: nothing is said
  chunk=BYTES           of a chunk (32768)
  bevvy=COUNT           chunks of a bevvy (64)
  map=plain|sparse|mixed|gaps|none   plain: all of it in one entry; sparse: zeros and chunks of one byte are no part of the stream;
                        mixed: as sparse, and every entry a chunk long, in another order; gaps: as sparse, zeros are gaps; none: no map
  unread=OFFSET+LENGTH  UnreadableData, in whole chunks; unknown=OFFSET+LENGTH: UnknownData
  zip=64|32             sizes of the ZIP (64)
  deflate=1             the tables and the metadata are deflated in the ZIP
  stripes=N             OUT has every Nth chunk, OUT with _2 in front of .aff4 the next ones, and so on (1)
  turtle=jena|rdflib    how the metadata are written down (jena)
  rows=A+B+C+D          a row more in the map: offset, length, place, number of the target
  hash=1                MD5 and SHA-1 of the image
  blocks=md5,sha1,...   hashes of each chunk
  relative=1            names of segments begin with the volume's
  set:NAME=TEXT         another segment, or another text for one, e.g. set:version.txt=...; \\n is the end of a line
  drop:NAME=1           a segment is left out

Snappy and LZ4 are packed by their own libraries, libsnappy.so.1 and liblz4.so.1; without them the status is 77.
Source: AFF4 Standard 1.0a, and the reference images of its authors.
"""
import ctypes
import hashlib
import struct
import sys
import uuid
import zlib

NS = "http://aff4.org/Schema#"
METHODS = {"snappy": "http://code.google.com/p/snappy/", "lz4": "https://code.google.com/p/lz4/", "lz4len": "https://github.com/lz4/lz4",
           "deflate": "https://tools.ietf.org/html/rfc1951", "zlib": "https://www.ietf.org/rfc/rfc1950.txt", "stored": NS + "NullCompressor"}


def library(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        sys.exit(77)


def snappy(data):
    lib = library("libsnappy.so.1")
    lib.snappy_max_compressed_length.restype = ctypes.c_size_t
    room = ctypes.c_size_t(lib.snappy_max_compressed_length(ctypes.c_size_t(len(data))))
    out = ctypes.create_string_buffer(room.value)
    assert lib.snappy_compress(data, ctypes.c_size_t(len(data)), out, ctypes.byref(room)) == 0
    return out.raw[:room.value]


def lz4(data):
    lib = library("liblz4.so.1")
    room = lib.LZ4_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    made = lib.LZ4_compress_default(data, out, len(data), room)
    return out.raw[:made]


def deflate(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def lz4len(data):
    return struct.pack("<I", len(data)) + lz4(data)


PACK = {"snappy": snappy, "lz4": lz4, "lz4len": lz4len, "deflate": deflate, "zlib": zlib.compress, "stored": lambda data: data, "none": lambda data: data}


class Zip:
    """Members are written as they come. As Evimetry writes: sizes of 64 bits, told behind the data."""

    def __init__(self, path, wide):
        self.file, self.wide, self.entries = open(path, "wb"), wide, b""
        self.count = 0

    def add(self, name, data, packed=False):
        at, stored, name = self.file.tell(), deflate(data) if packed else data, name.encode()
        crc, method = zlib.crc32(data), 8 if packed else 0
        if self.wide:
            fields = (45, 8, method, 0, 0x21, 0, 0xffffffff, 0xffffffff, len(name), 20)
            self.file.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", *fields) + name + struct.pack("<HHQQ", 1, 16, 2**64 - 1, 2**64 - 1) + stored)
            self.file.write(b"PK\7\x08" + struct.pack("<IQQ", crc, len(stored), len(data)))
            extra = struct.pack("<HHQQQ", 1, 24, len(data), len(stored), at)
            sizes, at = (0xffffffff, 0xffffffff), 0xffffffff
        else:
            self.file.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0x21, crc, len(stored), len(data), len(name), 0) + name + stored)
            extra, sizes = b"", (len(stored), len(data))
        self.entries += b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 45, 45, 8 if self.wide else 0, method, 0, 0x21, crc, *sizes, len(name),
                                                len(extra), 0, 0, 0, 0, at) + name + extra
        self.count += 1

    def close(self, comment):
        at, size, count = self.file.tell(), len(self.entries), self.count
        self.file.write(self.entries)
        if self.wide:
            end = self.file.tell()
            self.file.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, size, at))
            self.file.write(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
            count, size, at = 0xffff, 0xffffffff, 0xffffffff
        self.file.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, size, at, len(comment)) + comment)
        self.file.close()


def iri(number):
    return f"aff4://{uuid.UUID(int=0x5eed << 64 | number)}"


def number(options, key, otherwise):
    return int(options.get(key, otherwise))


def ranges(options, key):
    value = options.get(key)
    return [tuple(int(n) for n in part.split("+")) for part in value.split(",")] if value else []


def targets_of(data, chunk, options):
    """For each chunk of the image: None, a piece of a stream, or the IRI of what it stands for."""
    out = []
    for at in range(0, len(data), chunk):
        piece, target = data[at:at + chunk], None
        if options.get("map", "plain") in ("sparse", "mixed", "gaps") and piece == piece[:1] * len(piece):
            target = NS + ("Zero" if piece[0] == 0 else "SymbolicStream%02X" % piece[0])
        for key, name in (("unread", "UnreadableData"), ("unknown", "UnknownData")):
            if any(begin <= at < begin + length for begin, length in ranges(options, key)):
                target = NS + name
        out.append(target)
    return out


def rows_of(data, chunk, options, streams):
    """The rows of the map, (offset, length, place, target), and the bytes of each stream."""
    rows, parts, turn = [], [[] for _ in streams], 0
    sizes = [0] * len(streams)
    for i, target in enumerate(targets_of(data, chunk, options)):
        at, length = i * chunk, min(chunk, len(data) - i * chunk)
        if target is None:
            home, turn = turn % len(streams), turn + 1
            row = (at, length, sizes[home], streams[home])
            parts[home].append(data[at:at + length])
            sizes[home] += length
        elif options.get("map") == "gaps" and target == NS + "Zero":
            continue
        else:
            row = (at, length, at, target)
        last = rows[-1] if rows else None
        if options.get("map") != "mixed" and last and last[3] == row[3] and last[0] + last[1] == at and last[2] + last[1] == row[2]:
            rows[-1] = (last[0], last[1] + length, last[2], last[3])
        else:
            rows.append(row)
    if options.get("map") == "mixed":
        rows = rows[1::2] + rows[::2]
    return rows, [b"".join(part) for part in parts]


def add_stream(out, base, data, options, names):
    chunk, count, method = number(options, "chunk", 32768), number(options, "bevvy", 64), options.get("method", "snappy")
    for bevvy in range((len(data) + chunk * count - 1) // (chunk * count)):
        body, index = bytearray(), bytearray()
        kinds = {kind: bytearray() for kind in options.get("blocks", "").split(",") if kind}
        for at in range(bevvy * chunk * count, min(len(data), (bevvy + 1) * chunk * count), chunk):
            piece = data[at:at + chunk].ljust(chunk, b"\0")
            for kind in kinds:  # of the last one without what fills it up
                kinds[kind] += hashlib.new(kind, data[at:at + chunk]).digest()
            packed = PACK[method](piece)
            if len(packed) >= chunk - 16:
                packed = piece
            index += struct.pack("<QI", len(body), len(packed))
            body += packed
        out(f"{names(base)}/{bevvy:08d}", bytes(body), False)
        out(f"{names(base)}/{bevvy:08d}.index", bytes(index), True)
        for kind in kinds:
            out(f"{names(base)}/{bevvy:08d}.blockHash.{kind}", bytes(kinds[kind]), True)


def literal(value, kind, style):
    return f"{value}" if style == "rdflib" and kind == "xsd:long" else f'"{value}"^^{kind}'


def turtle(volume, options, size, rows, streams, sizes, mine, data):
    style, says = options.get("turtle", "jena"), []
    chunk, method = number(options, "chunk", 32768), options.get("method", "snappy")
    image, table = iri(1), iri(2)
    hashes = f"""    aff4:hash "{hashlib.md5(data).hexdigest()}"^^aff4:MD5 , "{hashlib.sha1(data).hexdigest()}"^^aff4:SHA1 ;\n""" if options.get("hash") else ""
    stream_of = table if options.get("map") != "none" else streams[0]
    says.append(f"""<{image}>
        a aff4:ContiguousImage , aff4:Image , aff4:DiskImage ;
    aff4:blockSize "512"^^xsd:int ;\n    aff4:dataStream <{stream_of}> ;\n{hashes}    aff4:diskMake "Seagate" ;\n    aff4:diskModel "ST-506" ;
    aff4:diskSerial "SGAT\\u00e4" ;\n    aff4:size {literal(size, "xsd:long", style)} .""")
    if options.get("map") != "none":
        says.append(f"""<{table}>\n    a aff4:Map ;\n    aff4:mapGapDefaultStream aff4:Zero ;
    aff4:size {literal(size, "xsd:long", style)} ;\n    aff4:stored : .""")
    for i, stream in enumerate(streams):
        if i != mine:
            says.append(f"<{stream}>\n    a aff4:ImageStream ;\n    aff4:stored <{iri(100 + i)}> .")
            continue
        packed = f"    aff4:compressionMethod <{METHODS[method]}> ;\n" if method != "none" else ""
        says.append(f"""<{stream}>\n    a aff4:ImageStream ;\n    aff4:chunkSize {literal(chunk, "xsd:int", style)} ;
    aff4:chunksInSegment {literal(number(options, "bevvy", 64), "xsd:int", style)} ;\n{packed}    aff4:size {literal(sizes[i], "xsd:long", style)} ;
    aff4:stored : .""")
    says.append(f"""<{iri(3)}>\n    a aff4:CaseNotes ;\n    aff4:caseNumber "case 7" ;\n    aff4:examiner 'E. Xaminer' ;
    aff4:notes \"\"\"two lines,\n and a "quote\" \"\"\" ; # of a person\n    aff4:target <{image}> .""")
    if style == "rdflib":
        says = says[::-1]
    return f"""@prefix : <{volume}> .\n@prefix aff4: <{NS}> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\n""" + "\n\n".join(says) + "\n"


def write(path, mine, data, options, rows, streams, bodies):
    volume, idx = iri(100 + mine), []
    out = Zip(path, options.get("zip", "64") == "64")
    texts = {key[4:]: value.replace("\\n", "\n") for key, value in options.items() if key.startswith("set:")}

    def names(base):
        return base.replace("aff4://", "aff4%3A%2F%2F") if not base.startswith(volume + "/") else base[len(volume) + 1:]

    def add(name, body, table):
        if not options.get("drop:" + name):
            out.add(name, texts.pop(name, None).encode() if name in texts else body, table and bool(options.get("deflate")))

    add("container.description", volume.encode(), False)
    add("version.txt", b"major=1\nminor=0\ntool=aff4_write.py\n", False)
    add_stream(add, streams[mine], bodies[mine], options, names)
    if options.get("map") != "none":
        for row in rows:
            if row[3] not in idx:
                idx.append(row[3])
        entries = [(*row[:3], idx.index(row[3])) for row in rows]
        entries += [tuple(int(n) for n in row.split("+")) for row in options.get("rows", "").split(",") if row]
        add(f"{names(iri(2))}/map", b"".join(struct.pack("<QQQI", *entry) for entry in entries), True)
        add(f"{names(iri(2))}/idx", "".join(target + "\n" for target in idx).encode(), True)
    add("information.turtle", turtle(volume, options, len(data), rows, streams, [len(body) for body in bodies], mine, data).encode(), True)
    for name in list(texts):
        add(name, b"", True)
    out.close(volume.encode() + b"\0")


def main(raw, path, *settings):
    options = dict(setting.split("=", 1) for setting in settings)
    with open(raw, "rb") as file:
        data = file.read()
    count = number(options, "stripes", 1)
    streams = [f"{iri(100)}/disk/image" if options.get("relative") else iri(10 + i) for i in range(count)]
    rows, bodies = rows_of(data, number(options, "chunk", 32768), options, streams)
    for i in range(count):
        write(path if i == 0 else path.replace(".aff4", f"_{i + 1}.aff4"), i, data, options, rows, streams, bodies)


main(*sys.argv[1:])
