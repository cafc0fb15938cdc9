#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_end.sh - files that end near the end of an image are put together like others.
#
# Goal: an image whose last file says its length alone, with a little behind it that is no end of a file, is scanned to its end, and the file is
# the object that was planted; however much lies behind it, and whether the image ends on a sector, on a cluster, on a block or inside one.
# Method: the files are made here, and compared with the rows that list gives.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import random, struct, sys
rng = random.Random(5)
def sound(size):
    chunks = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8) + b"data" + struct.pack("<I", size) + rng.randbytes(size)
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WAVE" + chunks

data = sound(9000)
end = 64 * 512 + len(data)
for name, length in (("sector", end + 100), ("inside", -(-end // 512) * 512 + 700), ("sectors", -(-end // 512) * 512 + 3 * 512),
                     ("cluster", 49152 - 4096), ("block", 49152), ("far", 49152 + 14 * 512 + 17)):
    image = rng.randbytes(64 * 512) + data
    open(sys.argv[1] + "/" + name, "wb").write(image + rng.randbytes(length - len(image)))
print("wav\tcomplete\t%d\t%d" % (64 * 512, len(data)), file=open(sys.argv[1] + "/row", "w"))
PYTHON

for image in sector inside sectors cluster block far; do
    expect 0 "" scan --quiet --image-type raw --case "$dir/$image.case" "$dir/$image"
    expect 0 "" list "$dir/$image.case"
    cut -f 2-5 "$dir/out" | cmp -s - "$dir/row" || fail "$image: $(cat "$dir/out")"
done
finish
