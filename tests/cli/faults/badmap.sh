#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/badmap.sh - a disk with 259 bad sectors: exactly these are on record, none of them is asked for again once it has
# failed by itself, and until then it is asked for a few times, which may take seconds each.
#
# Method: nbdkit plays the disk by a map of GNU ddrescue, writes down each read, and is mounted as a file by nbdfuse, and that as a loop
# device where this user may. Both need FUSE.
# Labels: long
. "$(dirname "$0")/../lib.sh"
for tool in nbdkit nbdfuse; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done
nbdkit --filter=log --filter=ddrescue null --dump-plugin >/dev/null 2>&1 || skip "nbdkit has no filters log and ddrescue"
[ -w /dev/fuse ] || skip "no FUSE for this user"
planted
python3 - "$dir" <<'PY'
import random, sys
folder, sectors = sys.argv[1], 24576
image = open(f"{folder}/image.raw", "rb").read()
whole = bytearray((image * (sectors * 512 // len(image) + 1))[:sectors * 512])
open(f"{folder}/disk.raw", "wb").write(whole)
rng, at, lines = random.Random(259), 0, []
for sector in sorted(rng.sample(range(100, sectors - 100), 259)):
    if sector > at:
        lines.append(("+", at, sector))
    if lines and lines[-1][0] == "-" and lines[-1][2] == sector:
        lines[-1] = ("-", lines[-1][1], sector + 1)
    else:
        lines.append(("-", sector, sector + 1))
    at = sector + 1
    whole[sector * 512:at * 512] = bytes(512)
lines.append(("+", at, sectors))
open(f"{folder}/zeros.raw", "wb").write(whole)
open(f"{folder}/map", "w").writelines(["0 +\n"] + [f"0x{a * 512:X} 0x{(b - a) * 512:X} {letter}\n" for letter, a, b in lines])
open(f"{folder}/want", "w").writelines(f"{a * 512}|{(b - a) * 512}|5|read|-\n" for letter, a, b in lines if letter == "-")
PY
cat >"$dir/mount.sh" <<'SH'
nbdfuse "$1/mounted/disk" "$2" 2>"$1/nbdfuse" &
fuse=$!
for ((i = 0; i < 300; i++)); do
    [ ! -e "$1/mounted/disk" ] || break
    sleep 0.1
done
disk=$1/mounted/disk loop=""
if [ "$3" = loop ]; then
    loop=$(losetup -f --show -r --direct-io=on "$disk" 2>/dev/null) || echo "no loop device" >"$1/status"
    disk=$loop
fi
if [ -e "$disk" ]; then
    "${@:4}" "$disk" >"$1/out" 2>"$1/err"
    echo $? >"$1/status"
fi
[ -z "$loop" ] || losetup -d "$loop"
kill $fuse
wait $fuse
SH
mkdir "$dir/mounted"

# As a file, and as a block device, whose sectors of 512 bytes fail one by one.
ways=("file aio" "loop aio")
[ -z "${BURIN_LONG:-}" ] || ways+=("file pread")
for way in "${ways[@]}"; do
    read -r as io <<<"$way"
    rm -f "$dir/log" "$dir/status" "$dir/case"*
    # shellcheck disable=SC2016 # nbdkit sets it
    nbdkit -U - --filter=log --filter=ddrescue file "$dir/disk.raw" ddrescue-mapfile="$dir/map" logfile="$dir/log" --run \
        "bash $dir/mount.sh $dir "'"$uri"'" $as $BURIN scan --quiet --force --threads 2 --io $io --case $dir/case"
    status=$(cat "$dir/status" 2>/dev/null)
    if [ "$status" = "no loop device" ]; then
        echo "no loop device here: the bad sectors were tried in a file alone"
        continue
    fi
    [ -s "$dir/log" ] && [ -e "$dir/case" ] || { cat "$dir/nbdfuse"; skip "nbdfuse mounts nothing here"; }
    sed -i '/warning: .*TRIM/d' "$dir/err" # of a disk that is read live
    check 1 "132608 bytes in [0-9]+ places could not be read" "259 bad sectors, $way"
    diff "$dir/want" <(sqlite3 -readonly "$dir/case" "SELECT offset, len, cause, source, status FROM bad_ranges ORDER BY offset") >"$dir/diff" ||
        fail "$way: other sectors are on record: $(head -5 "$dir/diff")"
    python3 - "$dir/log" <<'PY' || fail "$way: reads of bad sectors"
import collections, re, sys
asked, failed = {}, collections.Counter()
for line in open(sys.argv[1]):
    if m := re.search(r"connection=(\d+) Read id=(\d+) offset=(0x[0-9a-f]+) count=(0x[0-9a-f]+)", line):
        asked[m[1], m[2]] = int(m[3], 16), int(m[4], 16)
    elif m := re.search(r"connection=(\d+) \.\.\.Read id=(\d+) return=-1", line):
        failed[asked[m[1], m[2]]] += 1
alone = {at: times for (at, count), times in failed.items() if count == 512}
# Reads in vain that each bad sector was in. A request of 512 KiB is cut in eight, and that again, down to a sector: 5 at most; where it
# was read through the page cache first, the kernel asks more than once for itself, and so does the process that reads file systems.
asks = sorted(sum(times for (at, count), times in failed.items() if at <= bad < at + count) for bad in alone)
print(len(alone), "sectors failed by themselves, in", sum(failed.values()), "reads that failed; the median of them was asked for", asks[129],
      "times, 9 of 10 at most", asks[233], "times, the last", asks[-1], "times")
sys.exit(len(alone) != 259 or max(alone.values()) != 1 or sum(failed.values()) > 6 * 259 or asks[233] > 8)
PY
    # The same hits as where a map says so of the copy; the map that comes out is the disk's.
    [ -e "$dir/mapped" ] || expect 1 "" scan --quiet --mapfile "$dir/map" --case "$dir/mapped" "$dir/zeros.raw"
    diff <(sqlite3 -readonly "$dir/case" "SELECT offset, len, footer FROM hits ORDER BY id") \
        <(sqlite3 -readonly "$dir/mapped" "SELECT offset, len, footer FROM hits ORDER BY id") >/dev/null || fail "$way: other hits than with the map"
    expect 0 "" report --format mapfile "$dir/case"
    ! command -v ddrescuelog >/dev/null || ddrescuelog -t "$dir/out" >"$dir/ddrescuelog" 2>&1 || fail "$way: ddrescuelog refuses the map: $(cat "$dir/ddrescuelog")"
    diff <(sed -n '/^#/!p' "$dir/out" | tail -n +2 | tr -s ' ' | sort) <(tail -n +2 "$dir/map" | while read -r at len letter; do
        printf '0x%08X 0x%08X %s\n' "$at" "$len" "$letter"
    done | sort) >"$dir/diff" || fail "$way: the map of the scan is another one than the disk's: $(head -5 "$dir/diff")"
done

# One sector in every 16 MiB: where a failed read may take seconds, a window has eight of them at most. Behind 8 MiB of each, as the search
# for file systems reads the first 7 MiB of the disk once more.
python3 - "$dir" <<'PY'
import random, sys
folder, window, rng, at = sys.argv[1], 16 << 20, random.Random(17), 0
bad = [k * window + rng.randrange(window // 2, window, 512) for k in range(4)]
with open(f"{folder}/map", "w") as lines:
    lines.write("0 +\n")
    for sector in bad:
        lines.write(f"0x{at:X} 0x{sector - at:X} +\n0x{sector:X} 0x200 -\n")
        at = sector + 512
    lines.write(f"0x{at:X} 0x{4 * window - at:X} +\n")
open(f"{folder}/want", "w").writelines(f"{sector}|512\n" for sector in bad)
PY
rm -f "$dir/log" "$dir/status" "$dir/case"*
truncate -s 64M "$dir/wide.raw"
# shellcheck disable=SC2016 # nbdkit sets it
nbdkit -U - --filter=log --filter=ddrescue file "$dir/wide.raw" ddrescue-mapfile="$dir/map" logfile="$dir/log" --run \
    "bash $dir/mount.sh $dir "'"$uri"'" file $BURIN scan --quiet --force --threads 2 --io aio --case $dir/case"
[ "$(cat "$dir/status")" = 1 ] || fail "one bad sector a window: status $(cat "$dir/status"): $(cat "$dir/err")"
diff "$dir/want" <(sqlite3 -readonly "$dir/case" "SELECT offset, len FROM bad_ranges ORDER BY offset") >"$dir/diff" ||
    fail "one bad sector a window: other sectors are on record: $(head -5 "$dir/diff")"
python3 - "$dir/log" <<'PY' || fail "one bad sector a window: reads that failed"
import collections, re, sys
asked, failed = {}, collections.Counter()
for line in open(sys.argv[1]):
    if m := re.search(r"connection=(\d+) Read id=(\d+) offset=(0x[0-9a-f]+) count=", line):
        asked[m[1], m[2]] = int(m[3], 16)
    elif m := re.search(r"connection=(\d+) \.\.\.Read id=(\d+) return=-1", line):
        failed[asked[m[1], m[2]] >> 24] += 1
print("reads that failed, in the order of the windows:", *(failed[k] for k in range(4)))
sys.exit(len(failed) != 4 or max(failed.values()) > 8)
PY

# Where much cannot be read, people are told once to copy the disk first.
printf '0 +\n0 1048576 +\n1048576 17825792 -\n18874368 14680064 +\n' >"$dir/map"
began=$SECONDS
truncate -s 32M "$dir/disk.raw"
# shellcheck disable=SC2016 # nbdkit sets it
nbdkit -U - --filter=ddrescue file "$dir/disk.raw" ddrescue-mapfile="$dir/map" --run \
    "bash $dir/mount.sh $dir "'"$uri"'" file $BURIN scan --quiet --force --hits-only --case $dir/case"
[ "$(cat "$dir/status")" = 1 ] && [ "$(grep -c "copy it with ddrescue, and scan the copy with --mapfile" "$dir/err")" = 1 ] ||
    fail "17 MiB that cannot be read: $(cat "$dir/err")"
rows=$(sqlite3 -readonly "$dir/case" "SELECT offset, len, status FROM bad_ranges")
# A machine under load may need the minute that a window has for reads that fail: then what it steps over is "*".
if [ $((SECONDS - began)) -ge 60 ]; then
    rows=$(sqlite3 -readonly "$dir/case" "SELECT min(offset), sum(len), iif(sum(status NOT IN ('-', '*')), 'other', '-') FROM bad_ranges")
fi
[ "$rows" = "1048576|17825792|-" ] || fail "17 MiB that cannot be read: $(sqlite3 -readonly "$dir/case" "SELECT * FROM bad_ranges")"
finish
