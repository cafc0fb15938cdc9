#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_order.sh - files in pieces of a volume that was filled as ntfs-3g fills it, where nothing says where they are.
#
# Goal: archives, each in several pieces, are proven and tell in which order holes were filled; pages that go on in that order come back as likely, and
# nothing else is told: not a page that would end among old text, which no end of a file is, nor what begins within a cluster.
# Method: the driver is played here on a volume of clusters of 1 KiB: room is looked for 4,096 clusters behind where the last piece begins, and the
# largest hole is taken. In holes that are free lie ends of old pages, with more text behind them.
. "$(dirname "$0")/lib.sh"

python3 - "$dir" <<'PYTHON' || exit 1
import gzip, io, random, sys, zipfile
rng, unit, volume, skip = random.Random(23), 1024, 11000, 4096
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
text = lambda n: " ".join(rng.choices(words, k=n))

def archive(n):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(n):
            z.writestr(zipfile.ZipInfo("text%d" % i), text(700), zipfile.ZIP_DEFLATED)
    return out.getvalue()

line = lambda i: "<p id='p%d'>%s</p>\n" % (i, text(40))
page = lambda n: ("<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body>\n%s</body></html>\n" %
                  (text(4), "".join(line(i) for i in range(n)))).encode()

def old(size):
    """The end of a page, and more behind it."""
    data = "".join(line(i) for i in range(size // 300)) + "</body></html>\n" + "".join(line(i) for i in range(size // 200))
    return data.encode()[:size].ljust(size, b".")

image, holes = bytearray(), {}
while len(image) < volume * unit:
    data = gzip.compress(rng.randbytes(rng.randrange(1100, 5000)), mtime=0)
    image += data + bytes(-len(data) % unit)
    size = rng.randrange(4, 40)
    holes[len(image) // unit] = size
    image += old(size * unit)
at = 0

def plant(data):
    global at
    runs, done = [], 0
    while done < len(data):
        begin = max([h for h in holes if h >= at] or list(holes), key=lambda h: (holes[h], -h))
        part = data[done:done + holes.pop(begin) * unit]
        image[begin * unit:begin * unit + len(part) + -len(part) % unit] = part + bytes(-len(part) % unit)
        runs.append((begin * unit, len(part)))
        done += len(part)
        at = begin + skip
    return runs

fragmented, likely = [], []
for i in range(8):
    fragmented.append(("zip", plant(archive(36))))
    likely.append(("html", plant(page(240))))
inside = max(holes, key=lambda h: (holes[h], -h))       # a page that begins within a cluster, and goes on behind the next one
part = page(90)[:(holes[inside] - 1) * unit - 512]
image[inside * unit:(inside + 1) * unit] = rng.randbytes(512) + part[:512]
image[(inside + 2) * unit:(inside + 2) * unit + len(part) - 512] = part[512:]
open(sys.argv[1] + "/image", "wb").write(image)
for name, files in (("fragmented", fragmented), ("likely", likely)):
    lines = sorted((runs[0][0], "%s\t%s\n" % (kind, ",".join("%d+%d" % run for run in runs))) for kind, runs in files)
    open("%s/%s.rows" % (sys.argv[1], name), "w").writelines(row for _, row in lines)
PYTHON

for threads in 1 4; do
    expect 0 "" scan --quiet --force --image-type raw --threads "$threads" --case "$dir/case" "$dir/image"
    for state in "--state fragmented" --likely; do
        # shellcheck disable=SC2086
        expect 0 "" list $state "$dir/case"
        cut -f 2,6 "$dir/out" > "$dir/told"
        rows="$dir/${state#--}.rows"
        rows=${rows/state /}
        [ "$(comm -23 <(sort "$dir/told") <(sort "$rows") | wc -l)" -eq 0 ] || fail "$state tells what is none: $(comm -23 <(sort "$dir/told") <(sort "$rows"))"
        [ -s "$dir/told" ] || fail "$state tells nothing"
    done
done
finish
