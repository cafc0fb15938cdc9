#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_lead.sh - deleted files of ext2 whose first 12 blocks, which nothing lists any more, lie in two pieces.
#
# Goal: an archive, whose bytes its validator proves, is called fragmented wherever its first piece ends, also right before the first block that
# is listed; a sound is likely, with its first piece as long as the hole that it began in, and with no other; where the hole does not say that,
# and in a file that lives, nothing is told.
# Method: mke2fs makes the volume; files and lists are put into free blocks here, and the pieces compared with those of list.
. "$(dirname "$0")/lib.sh"
PATH=$PATH:/sbin:/usr/sbin
command -v mke2fs >/dev/null || skip "no mke2fs here"

truncate -s 8M "$dir/image"
mke2fs -q -F -t ext2 -b 1024 "$dir/image" || fail "mke2fs"
python3 - "$dir" <<'PYTHON' || exit 1
import io, random, struct, sys, wave, zipfile, zlib
rng = random.Random(6)
BLOCK = 1024
image = bytearray(open(sys.argv[1] + "/image", "rb").read())
rows = {"likely": [], "proven": []}
at = 2000

def sound(n):
    out = io.BytesIO()
    with wave.open(out, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(1)
        w.setframerate(8000)
        w.writeframes(bytes(128 + (i * 7 % 31) for i in range(n)))
    return out.getvalue()

def archive(n):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo("text"), bytes(rng.choices(b"abcdefghijklmnop ", k=n)), zipfile.ZIP_DEFLATED)
    return out.getvalue()

def picture():
    def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = b"".join(b"\0" + rng.randbytes(10) for _ in range(10))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 10, 10, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))

def write(block, data):
    image[block * BLOCK:block * BLOCK + len(data)] = data

# put NAME DATA FIRST HOLES KIND: FIRST blocks, pictures around both holes or none, the blocks up to the 20th elsewhere, and the others.
def put(name, data, first, holes, kind):
    global at
    blocks = -(-len(data) // BLOCK)
    order = [at + 1 + i for i in range(first)] + [at + 31 + i for i in range(20 - first)] + [at + 101 + i for i in range(blocks - 20)]
    if first == 12:
        order[12:20] = [at + 31 + i for i in range(8)]
    for i, block in enumerate(order):
        write(block, data[i * BLOCK:(i + 1) * BLOCK].ljust(BLOCK, b"\0"))
    write(at + 90, struct.pack("<%dI" % (blocks - 12), *order[12:]).ljust(BLOCK, b"\0"))
    if holes:
        write(at + 1 + first, picture())
        write(at + 30, picture())
    runs = []
    for i, block in enumerate(order):
        size = min(BLOCK, len(data) - i * BLOCK)
        if runs and runs[-1][0] + runs[-1][1] == block * BLOCK:
            runs[-1][1] += size
        else:
            runs.append([block * BLOCK, size])
    if kind:
        rows[kind].append("%s\t%d\t%s\n" % (name, len(data), ",".join("%d+%d" % tuple(run) for run in runs)))
    at += 200
for first in (1, 5, 11, 12):
    put("zip", archive(60000 + 1000 * first), first, first % 2 == 1, "proven")
put("wav", sound(40000), 7, True, "likely")
put("wav", sound(47000), 4, False, None)
open(sys.argv[1] + "/image", "wb").write(image)
for kind in rows:
    open(sys.argv[1] + "/" + kind + ".rows", "w").writelines(rows[kind])
PYTHON

expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
burin list --state fragmented "$dir/case"
check 0 "" "list"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/proven.rows" || fail "proven: $(cat "$dir/out"), not $(cat "$dir/proven.rows")"
burin list --likely "$dir/case"
check 0 "" "list --likely"
grep indirect "$dir/out" | cut -f 2,5,6 | cmp -s - "$dir/likely.rows" || fail "likely: $(cat "$dir/out"), not $(cat "$dir/likely.rows")"
finish
