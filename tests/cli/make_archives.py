# SPDX-License-Identifier: Apache-2.0
"""tests/cli/make_archives.py FILE - archives of every kind that is followed in step, in one another and beside each other, some not
on sectors: an image to cut into parts."""
import bz2, gzip, io, random, sys, tarfile, zipfile, zlib

random.seed(8)
out = open(sys.argv[1], "wb")
words = [bytes(random.choices(b"abcdefghijklmnopqrstuvwxyz ", k=9)) for _ in range(300)]
def text(size):
    return b"".join(random.choices(words, k=size // 9 + 1))[:size]
def put(data, align=512):
    out.write(data + bytes(-len(data) % align))

def archive(members, size, method):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as z:
        for i in range(members):
            z.writestr("file%d.txt" % i, text(size))
    return data.getvalue()
def tape(members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as t:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            t.addfile(info, io.BytesIO(content))
    return data.getvalue()

small = [archive(5, 3000, zipfile.ZIP_DEFLATED) for _ in range(20)]
put(archive(60, 4000, zipfile.ZIP_DEFLATED))                             # members in every part
put(tape([("in%d.zip" % i, data) for i, data in enumerate(small)]))      # archives in an archive
put(tape([("t%d.txt" % i, text(random.randrange(20000))) for i in range(40)]))
for wide in 30000, 90000, 200000:                                        # one that unpacks in another, and archives behind it
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as z:
        z.writestr("pad", bytes(random.randrange(9000)))
        z.writestr("text.gz", gzip.compress(random.randbytes(wide), mtime=0))
        for i in range(6):
            z.writestr("in%d.zip" % i, archive(3, 700, zipfile.ZIP_STORED))
            z.writestr("in%d.txt" % i, text(6000))
    put(data.getvalue())
for i in range(60):                                                      # many that unpack, close together
    put(gzip.compress(text(random.randrange(9000)), mtime=0))
put(b"".join(gzip.compress(text(7000), mtime=0) for _ in range(20)))     # one of many members
put(gzip.compress(bytes(3000000), mtime=0))                              # that unpacks to much more
put(bz2.compress(text(400000)) + bz2.compress(text(90000)))
frame = b"\xff\xfb\x90\x00" + bytes(413)                                 # MPEG layer III, 128 kbit/s, 44100 Hz
put(frame * 700)
for i in range(30):
    put(archive(2, 500, zipfile.ZIP_STORED), 1)                          # not on sectors
out.write(text(10000))
