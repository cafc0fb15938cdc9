#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_archive.sh - archives whose pieces hold members that are files themselves, on a volume where nothing says where they are.
#
# Goal: tar archives in several pieces come back byte for byte as likely files though members of theirs are whole, or proven in pieces, and so own
# the clusters that they lie on, also members that begin on a cluster; the members stay objects as they were, nothing is called fragmented that
# is none, and the rows are the same with other threads.
# Method: GNU tar makes the archives; they are cut here as ntfs-3g fills the holes of a volume with clusters of 1 KiB (see assemble_order.sh).
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import gzip, io, os, random, subprocess, sys, zipfile
rng, unit, volume, skip = random.Random(41), 1024, 11000, 4096
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
text = lambda n: " ".join(rng.choices(words, k=n))

def archive(n):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(n):
            z.writestr(zipfile.ZipInfo("text%d" % i), text(700), zipfile.ZIP_DEFLATED)
    return out.getvalue()

def tar(number):
    folder = "%s/files%d" % (sys.argv[1], number)
    os.mkdir(folder)
    for i in range(14):
        with open("%s/member%02d.gz" % (folder, i), "wb") as f:
            f.write(gzip.compress(rng.randbytes(rng.randrange(3000, 16000)), mtime=0))
    return subprocess.run(["tar", "-C", folder, "--sort=name", "-cf", "-", "."], stdout=subprocess.PIPE, check=True).stdout

image, holes = bytearray(), {}
while len(image) < volume * unit:
    data = gzip.compress(rng.randbytes(rng.randrange(1100, 5000)), mtime=0)
    image += data + bytes(-len(data) % unit)
    size = rng.randrange(4, 40)
    holes[len(image) // unit] = size
    image += text(size * 200).encode()[:size * unit]
at = 0

def plant(data):
    global at
    runs, done = [], 0
    while done < len(data):
        begin = max([h for h in holes if h >= at] or list(holes), key=lambda h: (holes[h], -h))
        part = data[done:done + holes.pop(begin) * unit]
        image[begin * unit:begin * unit + len(part) + -len(part) % unit] = part + bytes(-len(part) % unit)
        runs.append("%d+%d" % (begin * unit, len(part)))
        done += len(part)
        at = begin + skip
    return ",".join(runs)

zips, tars = [], []
for i in range(6):
    zips.append("zip\t%s\n" % plant(archive(36)))
    if i >= 2:
        tars.append("tar\t%s\n" % plant(tar(i)))
open(sys.argv[1] + "/image", "wb").write(image)
open(sys.argv[1] + "/zips", "w").writelines(zips)
open(sys.argv[1] + "/tars", "w").writelines(tars)
PYTHON

expect 0 "" scan --quiet --no-assemble --image-type raw --case "$dir/before" "$dir/image"
expect 0 "" list --state complete --types gz "$dir/before"
cut -f 2-5 "$dir/out" >"$dir/members"
for threads in 1 4; do
    expect 0 "" scan --quiet --force --image-type raw --threads "$threads" --case "$dir/case" "$dir/image"
    expect 0 "" list --likely "$dir/case"
    cut -f 2,6 "$dir/out" | sort | cmp -s - <(sort "$dir/tars") || fail "likely: $(cat "$dir/out"), not $(cat "$dir/tars")"
    expect 0 "" list --state fragmented --types zip,tar "$dir/case"
    cut -f 2,6 "$dir/out" | sort | cmp -s - <(sort "$dir/zips") || fail "in pieces: $(cat "$dir/out"), not $(cat "$dir/zips")"
    expect 0 "" list --state complete --types gz "$dir/case"
    cut -f 2-5 "$dir/out" | cmp -s - "$dir/members" || fail "members are lost: $(cut -f 2-5 "$dir/out" | diff - "$dir/members")"
done
finish
