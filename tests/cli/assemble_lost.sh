#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_lost.sh - where no file system says what is in use, what it left of a deleted file proves no bytes.
#
# Goal: of an image that has nothing but the blocks in which ext2 lists where files lie, an archive, whose bytes its validator proves, is called
# fragmented; sounds, in which others may have been written since, are told as likely with the same pieces, and none is called fragmented: one
# of them was written over.
# Method: files and lists are made here, and the pieces compared with those of list.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import io, random, struct, sys, wave, zipfile
rng = random.Random(5)
BLOCK = 1024
image = bytearray(rng.randbytes(BLOCK * 5000))
likely, proven = [], []

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

# Sixteen blocks lie at `at`, the others behind `elsewhere`; the block `lies` lists all but the first twelve.
def put(data, at, elsewhere, lies, rows, name):
    blocks = -(-len(data) // BLOCK)
    order = [at + i for i in range(16)] + [elsewhere + i for i in range(blocks - 16)]
    for i, block in enumerate(order):
        image[block * BLOCK:(block + 1) * BLOCK] = data[i * BLOCK:(i + 1) * BLOCK].ljust(BLOCK, b"\0")
    image[lies * BLOCK:(lies + 1) * BLOCK] = struct.pack("<%dI" % (blocks - 12), *order[12:]).ljust(BLOCK, b"\0")
    rows.append("%s\t%d\t%d+%d,%d+%d\n" % (name, len(data), at * BLOCK, 16 * BLOCK, elsewhere * BLOCK, len(data) - 16 * BLOCK))
for i in range(12):
    put(sound(40000 + 1000 * i), 100 + 300 * i, 200 + 300 * i, 20 + i, likely, "wav")
put(archive(60000), 4000, 4200, 40, proven, "zip")
image[(200 + 5) * BLOCK:(200 + 9) * BLOCK] = rng.randbytes(4 * BLOCK)   # another file's
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/likely.rows", "w").writelines(likely)
open(sys.argv[1] + "/proven.rows", "w").writelines(proven)
PYTHON

expect 0 "" scan --quiet --case "$dir/case" "$dir/image"
burin list --state fragmented "$dir/case"
check 0 "" "list"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/proven.rows" || fail "proven: $(cat "$dir/out"), not $(cat "$dir/proven.rows")"
[ "$(sqlite3 "$dir/case" "SELECT group_concat(DISTINCT kind) FROM joins")" = indirect ] || fail "what gave the seam of the archive"
burin list --likely "$dir/case"
check 0 "" "list --likely"
cut -f 2,5,6 "$dir/out" | cmp -s - "$dir/likely.rows" || fail "likely: $(cat "$dir/out"), not $(cat "$dir/likely.rows")"
[ "$(sqlite3 "$dir/case" "SELECT group_concat(DISTINCT wrong) FROM likely")" = 20000 ] || fail "the chance that they are wrong"
finish
