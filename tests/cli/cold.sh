#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/cold.sh - a scan asks the disk for each byte once: what the kernel reads ahead is not read again past the page cache, and
# what threads look at beyond their parts is little; what file systems left is looked for in the same pass.
#
# Method: the kernel counts the blocks that a process has had read from a disk (getrusage(2), ru_inblock: 512 bytes each).
# Labels: long
. "$(dirname "$0")/lib.sh"
# What looks like a header may have the bytes behind it read once more, to put pieces together: of these bytes, the same each time, nothing has.
python3 - "$dir/disk.raw" <<'PY'
import os, random, sys
block = random.Random(4).randbytes(1 << 20)
with open(sys.argv[1], "wb") as out:
    for _ in range(256):
        out.write(block)
    out.flush()
    os.fsync(out.fileno())
PY
expect 0 "" scan --quiet --case "$dir/case" "$dir/disk.raw" # what it loads is in the page cache now

# Bytes read from the disk by a scan of the image, which the page cache does not have; but it has the program and its libraries, which a
# kernel that is short of memory, or thinks ahead, drops between two scans.
cold() {
    rm -f "$dir/case"*
    python3 - "$dir/disk.raw" "$BURIN" scan --quiet --case "$dir/case" "$@" "$dir/disk.raw" <<'PY'
import os, re, resource, subprocess, sys
with open(sys.argv[1], "rb") as image:
    os.posix_fadvise(image.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
libraries = subprocess.run(["ldd", sys.argv[2]], capture_output=True, text=True).stdout
for path in [sys.argv[2], *re.findall(r"(/\S+) \(0x", libraries)]:
    open(path, "rb").read()
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
subprocess.run(sys.argv[2:], check=True)
print((resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - before) * 512)
PY
}
size=$(stat -c %s "$dir/disk.raw")
[ "$(cold --threads 1)" -ge $((size / 2)) ] || skip "the kernel counts no reads of this file system"
# Whatever the size of an image, samples of it are taken before the scan, 2 MiB at its ends and some 250 pages; and beside the scan file
# systems are looked for in some places, which are few. Who comes second at a place reads it again. A part whose beginning the page cache
# has is copied from there, and while it is the kernel reads ahead: once two windows beyond the end of the part.
window=$(($(cat "/sys/dev/block/$(stat -c %Hd:%Ld "$dir/disk.raw")/queue/read_ahead_kb" 2>/dev/null || echo 128) << 10))
[ $((2 * window)) -le $((size / 8)) ] || window=$((size / 16))
limit=$((size + size / 100 + (4 << 20) + 2 * window))
for how in "--threads 2" "--threads 1" "--threads 4 --parts-at-once 4" "--threads 2 --parts-at-once 2 --part-size 2M" "--threads 3 --parts-at-once 1" \
    "--threads 3 --parts-at-once 3 --io cache"; do
    # shellcheck disable=SC2086 # words, on purpose
    read=$(cold $how)
    [ "$read" -le "$limit" ] || fail "scan $how read $read bytes of $size"
done
finish
