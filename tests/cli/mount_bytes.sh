#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mount_bytes.sh - the bytes of a mount, in reads of any length, through the page cache and past it, and where the kernel reads the
# image itself: what changed, what cannot be read, and what is no longer there is an error and never zeros.
# Labels: long slow
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_mount.sh"

# ---- bytes that changed ----
id_of() { ask "SELECT name FROM v_objects WHERE type = '$1' AND parent_id IS NULL AND state = 'complete' ORDER BY len DESC LIMIT 1"; }
jpg=$(id_of jpg) gif=$(id_of gif)
cp "$image" "$dir/changed.raw"
flip "$dir/changed.raw" $((16#$(basename "$jpg" .jpg) + 200))
burin mount --image "$dir/changed.raw" "$case" "$m"
check 0 "changed since it was scanned.*files whose bytes changed cannot be opened" "a changed image"
cat "$m/$jpg" >"$dir/got" 2>"$dir/err"
[ ! -s "$dir/got" ] && grep -q "Input/output error" "$dir/err" || fail "a changed file was read: $(cat "$dir/err")"
cat "$m/$gif" >/dev/null || fail "a file that has not changed"
leave
# Without a fingerprint that differs it is seen when it is asked for.
expect 0 "" mount --quiet --check "$case" "$m"
cat "$m/$jpg" "$m/$gif" >/dev/null || fail "--check refuses what is right"
leave

# ---- bytes that could not be read ----
# A map of ddrescue says that 512 bytes were not read, in the middle of the longest PNG; carve has zeros there.
png=$(id_of png)
bad=$(((16#$(basename "$png" .png) + 8192) / 4096 * 4096 + 1024))
printf '# Mapfile.\n0x0 + 1\n0x0 0x%x +\n0x%x 0x200 -\n0x%x 0x%x +\n' $bad $bad $((bad + 512)) $((size - bad - 512)) >"$dir/map"
expect 1 "" scan --quiet --mapfile "$dir/map" --case "$dir/badcase" "$image"
burin mount --quiet --image "$image" "$dir/badcase" "$m"
python3 - "$m/image/1.raw" "$image" $bad <<'PY' || fail "unreadable bytes"
import os, sys
mount, image, bad = os.open(sys.argv[1], os.O_RDONLY), open(sys.argv[2], "rb").read(), int(sys.argv[3])
page = bad // 4096 * 4096
for at in range(max(0, page - 10 * 4096), min(len(image), page + 10 * 4096), 4096):
    try:
        got = os.pread(mount, 4096, at)
    except OSError as error:
        assert error.errno == 5 and at == page, (at, page, error)
        continue
    assert at != page and got == image[at:at + 4096], (at, page)
PY
leave
burin mount --quiet --direct --image "$image" "$dir/badcase" "$m"
python3 - "$m/image/1.raw" "$image" $bad <<'PY' || fail "unreadable bytes, --direct"
import os, sys
mount, image, bad = os.open(sys.argv[1], os.O_RDONLY), open(sys.argv[2], "rb").read(), int(sys.argv[3])
assert os.pread(mount, 10000, bad - 100) == image[bad - 100:bad]      # what is before them
assert os.pread(mount, 10000, bad + 512) == image[bad + 512:bad + 10512]
try:
    os.pread(mount, 1, bad)
    raise AssertionError("a byte that was not read")
except OSError as error:
    assert error.errno == 5
PY
# Mapped, the page with those bytes is a signal for its reader, and no zeros; and the file ends where it did.
python3 - "$m/image/1.raw" "$image" $bad <<'PY' || fail "unreadable bytes, mapped, --direct"
import mmap, os, signal, sys
mount, image, bad = os.open(sys.argv[1], os.O_RDONLY), open(sys.argv[2], "rb").read(), int(sys.argv[3])
page = bad // 4096 * 4096
kernel = tuple(int(part) for part in os.uname().release.split("-")[0].split(".")[:2])
for flags in (mmap.MAP_PRIVATE,) + ((mmap.MAP_SHARED,) if kernel >= (6, 6) else ()):
    view = mmap.mmap(mount, 0, flags=flags, prot=mmap.PROT_READ)
    child = os.fork()
    if child == 0:
        view[page]
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS, (flags, status)
    assert view[:page] == image[:page] and view[page + 4096:] == image[page + 4096:], flags
    assert os.fstat(mount).st_size == os.stat(sys.argv[1]).st_size == len(image), flags
    assert os.pread(mount, 10000, bad + 512) == image[bad + 512:bad + 10512], flags
    view.close()
PY
leave

# Past the page cache, in reads of any length: those of an image of 1.5 MiB and its parts.
cat "$image" "$image" "$image" "$image" "$image" "$image" | head -c 1572864 >"$dir/longer.raw"
expect 0 "" scan --quiet --case "$dir/longer" "$dir/longer.raw"
expect 0 "" mount --quiet --direct "$dir/longer" "$m"
for bs in 1572864 1048576 524289 524288 65536 65535 513; do
    dd if="$m/image/1.raw" bs=$bs status=none | cmp -s - "$dir/longer.raw" || fail "--direct, $bs bytes at a time"
done
dd if="$m/image/1.raw" bs=512K iflag=direct status=none | cmp -s - "$dir/longer.raw" || fail "--direct, and a reader that wants that"
cmp -s <(tail -c +4098 "$dir/longer.raw" | head -c 1000000) "$m/carvpath/4097+1000000" || fail "--direct, a range"
leave
# Every way to read a file gives the same, through the cache and past it: of one run, of three, with a hole, and of all of the image.
piece_of() { tail -c +$(($1 + 1)) "$dir/longer.raw" | head -c "$2"; }
piece_of 4097 1000000 >"$dir/one"
{ piece_of 600000 700001; piece_of 3 300000; piece_of 1400000 5; } >"$dir/three"
{ piece_of 0 300000; head -c 300000 /dev/zero; piece_of 511 70000; } >"$dir/hole"
for words in "" --direct; do
    read -ra list <<<"$words"
    expect 0 "" mount --quiet "${list[@]}" "$dir/longer" "$m"
    python3 "$cli/read_all_ways.py" "$m/carvpath/4097+1000000" "$dir/one" "$m/carvpath/600000+700001_3+300000_1400000+5" "$dir/three" \
        "$m/carvpath/0+300000_S300000_511+70000" "$dir/hole" "$m/image/1.raw" "$dir/longer.raw" || fail "read in all ways, '$words'"
    leave
done

# An image that shrinks under the mount: what is left is given, and the rest is an error and no end of the file.
half=$((size / 2 / 4096 * 4096))
cp "$image" "$dir/shrinks.raw"
expect 0 "" scan --quiet --case "$dir/shrinks" "$dir/shrinks.raw"
for words in "" --direct; do
    read -ra list <<<"$words"
    cp "$image" "$dir/shrinks.raw"
    expect 0 "" mount --quiet "${list[@]}" "$dir/shrinks" "$m"
    truncate -s $half "$dir/shrinks.raw"
    cmp -s <(head -c $half "$image") <(head -c $half "$m/image/1.raw") || fail "what is left of a shrunken image, '$words'"
    cat "$m/image/1.raw" >"$dir/got" 2>"$dir/err"
    [ "$(stat -c %s "$dir/got")" = $half ] && grep -q "Input/output error" "$dir/err" ||
        fail "a shrunken image, '$words': $(stat -c %s "$dir/got") bytes, $(cat "$dir/err")"
    [ "$(stat -c %s "$m/image/1.raw")" = "$size" ] || fail "another size, '$words'"
    leave
done

# ---- an image that the kernel reads itself ----
# Linux does so from 6.9 on, for root, where the image lies in no stack of file systems.
kernel_reads() {
    [ "$(id -u)" -eq 0 ] && grep -qE '^ *0 +0 +4294967295' /proc/self/uid_map && [ "$(stat -f -c %T "$dir")" != overlayfs ] &&
        [ "$(zcat /proc/config.gz 2>/dev/null | grep -cx "CONFIG_FUSE_PASSTHROUGH=y")" = 1 ]
}
said() { sqlite3 -readonly "$1" "SELECT text FROM log WHERE kind = 'end' ORDER BY id DESC LIMIT 1"; }
if kernel_reads; then
    cp "$image" "$dir/lent.raw"
    expect 0 "" scan --quiet --case "$dir/lent" "$dir/lent.raw"
    touch -a -d 2001-01-01 "$dir/lent.raw"
    expect 0 "" mount --quiet "$dir/lent" "$m"
    cat "$m/image/1.raw" "$m/README.txt" >"$dir/got"
    head -c "$size" "$dir/got" | cmp -s - "$image" || fail "other bytes of an image that the kernel reads itself"
    [ "$(stat -c %X "$dir/lent.raw")" = "$(date -d 2001-01-01 +%s)" ] || fail "the kernel set the time of the image: $(stat -c %x "$dir/lent.raw")"
    # While it shrinks: the kernel ends the file, and its close says that this was no end.
    python3 - "$m/image/1.raw" "$dir/lent.raw" "$half" <<'PY' || fail "an image that shrinks while it is read by the kernel"
import os, sys
mount, half = os.open(sys.argv[1], os.O_RDONLY), int(sys.argv[3])
os.truncate(sys.argv[2], half)
assert os.pread(mount, 1000, half - 500) == open(sys.argv[2], "rb").read()[half - 500:]
try:
    os.close(mount)
    raise AssertionError("closed without an error")
except OSError as error:
    assert error.errno == 5, error
PY
    cat "$m/image/1.raw" >"$dir/got" 2>"$dir/err"
    [ "$(stat -c %s "$dir/got")" = "$half" ] && grep -q "Input/output error" "$dir/err" || fail "shrunken before: $(cat "$dir/err")"
    leave
    said "$dir/lent" | grep -q "4 files opened (2 of them images that the kernel reads itself)" || fail "not on record: $(said "$dir/lent")"
    # Of an image with holes, too.
    truncate -s 8M "$dir/holes.raw"
    dd if="$image" of="$dir/holes.raw" bs=64K seek=16 conv=notrunc status=none
    expect 0 "" scan --quiet --case "$dir/holes" "$dir/holes.raw"
    expect 0 "" mount --quiet "$dir/holes" "$m"
    cmp -s "$dir/holes.raw" "$m/image/1.raw" || fail "other bytes of an image with holes"
    leave
    said "$dir/holes" | grep -q "1 files opened (1 of them images that the kernel reads itself)" || fail "an image with holes: $(said "$dir/holes")"
    # Not of an image that could not all be read, nor past the page cache.
    for words in "$dir/badcase" "--direct $case"; do
        read -ra list <<<"$words"
        expect 0 "" mount --quiet --image "$image" "${list[@]}" "$m"
        head -c 512 "$m/image/1.raw" | cmp -s -n 512 - "$image" || fail "$words: other bytes"
        leave
        ! said "${list[-1]}" | grep -q "kernel reads" || fail "$words: $(said "${list[-1]}")"
    done
else
    echo "skipped: the kernel does not read files of other file systems for this one"
fi
finish
