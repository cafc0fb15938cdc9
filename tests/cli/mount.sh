#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mount.sh - the objects of a case as files that nothing copied: the same as those of carve, by name and by byte; each view has
# what a query on the case file has; what cannot be read, or changed, is an error and never zeros; and no mount is left behind.
# shellcheck disable=SC2012
. "$(dirname "$0")/lib.sh"
[ -c /dev/fuse ] || skip "no /dev/fuse: this kernel, or this container, has no file systems of programs"
[ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null || skip "not root, and no fusermount3"
planted
case=$dir/case
m=$dir/m
mkdir "$m" "$dir/o"
expect 0 "" scan --quiet --case "$case" "$image"

mounted() { mountpoint -q "$m" || grep -qF " $m " /proc/self/mountinfo; }
pid_of() { pgrep -xf "$BURIN mount .*$m" | head -1; }

# until WHAT... : waits until a command succeeds.
until_true() {
    local tries
    for tries in $(seq 3000); do
        "$@" && return 0
        sleep 0.01
    done
    echo "waited in vain: $* ($tries)"
    return 1
}
gone() { ! mounted && [ -z "$(pid_of)" ]; }

# Ends the mount, and waits until its end is on record.
leave() {
    if [ "$(id -u)" -eq 0 ]; then umount "$m"; else fusermount3 -u "$m"; fi || fail "cannot unmount"
    until_true gone || fail "the mount has not ended"
}
at_exit+=('umount -l "$m" 2>/dev/null || fusermount3 -u -z "$m" 2>/dev/null')
check_xattr='import os, sys
for line in sys.stdin:
    path, want = line.rstrip("\n").split("\t")
    got = "|".join(os.getxattr(path, "user.burin." + name).decode() for name in ("id", "type", "state", "offset", "length", "extents"))
    assert got == want, (path, got, want)'

# ---- the same as carve ----
# same CARVED : the files at the top of the mount are those of a carve, byte by byte.
same() {
    diff -r -x audit.txt -x report.xml -x by -x inside -x carvpath -x image -x README.txt "$1" "$m" >"$dir/diff" 2>&1 ||
        fail "not as carve has it: $(head -5 "$dir/diff")"
    files=$(find "$m" \( -path "$m/by" -o -path "$m/inside" -o -path "$m/image" \) -prune -o -type f ! -path "$m/README.txt" -print | wc -l)
    [ "$files" = "$(find "$1" -mindepth 2 -type f | wc -l)" ] || fail "another number of files: $files"
}
for words in "" "--embedded --truncated" "--types png,jpg" "--category pictures --min-size 1K" "--where len>3000" \
    "--limit 3" "--sort size --limit 4" "--state truncated --truncated"; do
    read -ra list <<<"$words"
    rm -rf "$dir/o"
    expect 0 "" carve --quiet "${list[@]}" --out "$dir/o" "$case"
    expect 0 "" mount --quiet "${list[@]}" "$case" "$m"
    same "$dir/o"
    leave
done

# ---- views ----
expect 0 "" mount --quiet "$case" "$m"
[ "$(stat -c %a "$m")" = 555 ] || fail "mode of the root: $(stat -c %a "$m")"
# Who reads a file from one end to the other is given it in larger pieces than the kernel asks for by itself.
ahead=/sys/class/bdi/$(mountpoint -d "$m")/read_ahead_kb
[ ! -w "$ahead" ] || [ "$(cat "$ahead")" = 1024 ] || fail "the kernel asks for $(cat "$ahead") KiB"
# The name that carve gives to an object of v_objects.
path="iif(state = 'truncated' AND validated, 'truncated/', '') || name"
ask() { sqlite3 -readonly -separator "$(printf '\t')" "$case" "$@"; }
# view HOW SQL : by/HOW/GROUP/ has the objects for which SQL gives the group.
view() {
    ask "SELECT ($2) || '/' || $path || char(9) || id || '|' || type || '|' || state || '|' || offset || '|' || len || '|' || extents FROM v_objects" |
        sort >"$dir/want"
    (cd "$m/by/$1" && find . -type f | sed 's|^\./||' | sort) >"$dir/got"
    cut -f1 "$dir/want" | cmp -s - "$dir/got" || fail "by/$1: $(cut -f1 "$dir/want" | diff - "$dir/got" | head -3)"
    (cd "$m/by/$1" && python3 -c "$check_xattr" <"$dir/want" 2>"$dir/err") || fail "attributes in by/$1: $(tail -1 "$dir/err")"
}
[ "$(ask "SELECT count(*) FROM v_objects")" -gt 20 ] || fail "too few objects"
view state "state"
view image "image_id"
view size "CASE WHEN len < 4096 THEN '0-4K' WHEN len < 65536 THEN '4K-64K' WHEN len < 1048576 THEN '64K-1M' ELSE '1M-16M' END"
view offset "printf('%08dG', offset / 1073741824)"
view known "'unchecked'"
view place "coalesce(place, 'unknown')"
(cd "$m/by/type" && find . -type f | sed 's|^\./||' | sort) >"$dir/got"
ask "SELECT $path FROM v_objects" | sort | cmp -s - "$dir/got" || fail "by/type"
burin list --category pictures "$case"
[ "$(find "$m/by/category/pictures" -type f | wc -l)" = "$(wc -l <"$dir/out")" ] || fail "by/category/pictures"
ask "SELECT iif((SELECT p.state = 'truncated' AND p.validated FROM v_objects p WHERE p.id = o.parent_id), 'truncated/', '') || parent_name || '/' || name
    FROM v_objects o WHERE parent_id IS NOT NULL" | sort >"$dir/want"
[ -s "$dir/want" ] || fail "nothing lies inside anything"
(cd "$m/inside" && find . -type f | sed 's|^\./||' | sort) | cmp -s - "$dir/want" || fail "inside: $(find "$m/inside" -type f)"
# Bytes, of every object in a view.
ask "SELECT $path, extents FROM v_objects" | while IFS=$'\t' read -r name extents; do
    for extent in ${extents//,/ }; do
        dd if="$image" iflag=skip_bytes,count_bytes skip="${extent%+*}" count="${extent#*+}" bs=64K status=none
    done | cmp -s - "$m/by/type/$name" || echo "$name"
done >"$dir/wrong"
[ ! -s "$dir/wrong" ] || fail "other bytes: $(head -3 "$dir/wrong")"
largest=$(ask "SELECT $path FROM v_objects ORDER BY len DESC LIMIT 1")
[ "$(find "$m/by" -name "${largest##*/}" -exec stat -c %i {} + | sort -u | wc -l)" = 1 ] || fail "two numbers of one file"

# ---- images, and any bytes ----
cmp -s "$image" "$m/image/1.raw" || fail "image/1.raw"
readers=()
for _ in 1 2 3 4; do
    (cd "$m" && find . -type f -exec sha256sum {} + | sort) >"$dir/sums.${#readers[@]}" &
    readers+=($!)
done
wait "${readers[@]}"
[ "$(wc -l <"$dir/sums.0")" -gt 100 ] || fail "a reader of all files has read $(wc -l <"$dir/sums.0")"
for other in 1 2 3; do cmp -s "$dir/sums.0" "$dir/sums.$other" || fail "readers at the same time have read different things"; done
[ "$(ls "$m/image")" = 1.raw ] || fail "images: $(ls "$m/image")"
size=$(stat -c %s "$image")
piece() { tail -c +$(($1 + 1)) "$image" | head -c "$2"; }
cmp -s <(piece 4096 8192; piece 20480 512) "$m/carvpath/4096+8192_20480+512" || fail "two ranges"
cmp -s <(piece 7 3; head -c 1000 /dev/zero; piece 0 1) "$m/carvpath/7+3_S1000_0+1.bin" || fail "a hole"
cmp -s <(piece $((size - 1)) 1) "$m/carvpath/$((size - 1))+1" || fail "the last byte"
for name in x 5 5+ +5 5+0 5+-1 05+1 5+01 "$size+1" "0+$((size + 1))" 18446744073709551615+2 9223372036854775807+1 S S0 S1_ _S1 \
    "1+1." "1+1.a/b" "1+1.a.b" "1+1 " S9223372036854775807_S1; do
    [ ! -e "$m/carvpath/$name" ] || fail "carvpath/$name is there"
done
[ -z "$(ls "$m/carvpath")" ] || fail "carvpath lists something"
for name in image/0.raw image/2.raw image/01.raw image/1 jpg/x jpg/0000000000000001.jpg by/x README; do
    [ ! -e "$m/$name" ] || fail "$name is there"
done
grep -q "$case" "$m/README.txt" || fail "README.txt does not name the case"

# ---- nothing can be written ----
! { echo x >"$m/new"; } 2>/dev/null || fail "a file was made"
! rm -f "$m/README.txt" 2>/dev/null || fail "a file was removed"
! mkdir "$m/folder" 2>/dev/null || fail "a folder was made"
python3 - "$m/by/type/$largest" <<'PY' || fail "a map of a file"
import mmap, sys
with open(sys.argv[1], "rb") as file:
    whole = file.read()
    with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as view:
        assert view[:] == whole
    for at in (0, 1, len(whole) // 2, len(whole) - 1, len(whole), len(whole) + 10):
        file.seek(at)
        assert file.read(5000) == whole[at:at + 5000]
PY
# Another program may write to the case meanwhile.
expect 0 "" carve --quiet --types gif --out "$dir/meanwhile" "$case"
leave
[ "$(ask "SELECT status || ended IS NOT NULL FROM runs WHERE command = 'mount' ORDER BY id DESC LIMIT 1")" = 1 ] || fail "no run"
[ "$(ask "SELECT DISTINCT status FROM runs WHERE command = 'mount'")" = "done" ] || fail "runs: $(ask "SELECT status FROM runs")"
ask "SELECT text FROM log WHERE kind = 'end' ORDER BY id DESC LIMIT 1" | grep -q "unmounted: .* files opened" || fail "no end in the log"
expect 0 "" verify "$case"
grep -q "^seal: the .* rows are those" "$dir/out" || fail "no seal: $(cat "$dir/out")"

# Dates that files say are their own: of pictures that were taken then, and of what a file system could not keep.
cp "$case" "$dir/dated"
sqlite3 "$dir/dated" "INSERT INTO facts VALUES (1, 'taken', '2024-05-31 23:59:59Z', 1717199999, 0), (2, 'taken.local', '2001:02:03 04:05:06', 981173106, 0),
    (3, 'modified', '1969-12-31', -1, 0), (4, 'created', 'x', 9223372036854775807, 0), (5, 'title', 'no date', NULL, 0)"
expect 0 "" mount --quiet "$dir/dated" "$m"
sqlite3 -readonly -separator ' ' "$dir/dated" "SELECT CASE id WHEN 1 THEN '2024-05' WHEN 2 THEN '2001-02' WHEN 3 THEN '1969-12' ELSE 'none' END || '/' || $path,
    CASE id WHEN 1 THEN 1717199999 WHEN 2 THEN 981173106 WHEN 3 THEN -1 ELSE 0 END FROM v_objects WHERE id <> 4" | sort >"$dir/want"
fourth=$(sqlite3 -readonly "$dir/dated" "SELECT $path FROM v_objects WHERE id = 4")
(cd "$m/by/date" && find . -type f ! -path "*/$fourth" -printf '%P %Ts\n' | sort) | cmp -s "$dir/want" - || fail "by/date: $(cd "$m/by/date" && find . -type f -printf '%P %Ts\n' | sort | diff "$dir/want" - | head -5)"
[ -e "$m/by/date/none/$fourth" ] || fail "a date that is none"
leave
# Right behind its end another command need not wait in words for the moment in which the mount has the case file.
for n in 1 2 3 4; do
    expect 0 "" mount --quiet "$case" "$m"
    if [ "$(id -u)" -eq 0 ]; then umount "$m"; else fusermount3 -u "$m"; fi || fail "cannot unmount"
    expect 0 "" carve --quiet --types gif --out "$dir/right.behind.$n" "$case"
    until_true gone || fail "the mount has not ended"
done
# It ends while another program writes: its end is on record when that one is done.
expect 0 "" mount --quiet "$case" "$m"
held() { [ -s "$case.lock" ]; }
"$BURIN" search --quiet --engine naive --threads 1 --segment 64K --case "$case" "$image" nowhere-at-all <&- >/dev/null 2>"$dir/search.err" &
writer=$!
until_true held || fail "nobody writes to the case"
kill -STOP $writer
if [ "$(id -u)" -eq 0 ]; then umount "$m"; else fusermount3 -u "$m"; fi || fail "cannot unmount"
until_true eval '! mounted' || fail "it waits with the mount"
kill -CONT $writer
wait $writer
until_true gone || fail "the mount has not ended"
[ "$(ask "SELECT DISTINCT status FROM runs WHERE command = 'mount'")" = "done" ] || fail "not on record: $(ask "SELECT status FROM runs WHERE command = 'mount'")"

# ---- how it ends ----
# A process stands inside each time.
stands() { [ "$(readlink "/proc/$1/cwd")" = "$m/png" ]; }
for signal in TERM INT HUP KILL; do
    expect 0 "" mount --quiet "$case" "$m"
    (cd "$m/png" && exec sleep 300) &
    inside=$!
    until_true stands "$inside" || fail "nobody stands in $m/png"
    kill -"$signal" "$(pid_of)"
    until_true gone || fail "after SIG$signal: $(grep -F "$m" /proc/self/mountinfo; pid_of)"
    ls "$m" >/dev/null 2>&1 || fail "a dead mount after SIG$signal"
    kill $inside
    wait $inside 2>/dev/null
    want=$([ "$signal" = KILL ] && echo interrupted || echo "done")
    [ "$(ask "SELECT status FROM runs WHERE command = 'mount' ORDER BY id DESC LIMIT 1")" = "$want" ] || fail "status of the run after SIG$signal"
done
"$BURIN" mount --quiet --foreground "$case" "$m" 2>"$dir/err" &
pid=$!
until_true test -e "$m/README.txt" || fail "--foreground: $(cat "$dir/err")"
kill -TERM $pid
wait $pid
status=$?
check 0 "" "--foreground, ended by a signal"
until_true gone || fail "--foreground leaves a mount"
# Whoever waits for the end of its output does not wait for the mount.
"$BURIN" mount --quiet "$case" "$m" 2>&1 | cat >"$dir/said"
[ ! -s "$dir/said" ] || fail "it says: $(cat "$dir/said")"

# ---- what is wrong ----
expect 3 "not empty" mount --quiet "$case" "$m"
leave
expect 3 "$dir/nowhere: No such file" mount --quiet "$case" "$dir/nowhere"
expect 3 "not empty" mount --quiet "$case" "$dir"
expect 3 "not a case|no case" mount --quiet "$image" "$m"
expect 3 "missing|No such file" mount --quiet "$dir/none" "$m"
expect 2 "DIR|CASE" mount "$case"
expect 2 "unknown word 'x'" mount --state x "$case" "$m"
expect 3 "another one|not the same image" mount --quiet --image "$dir/expected.tsv" "$case" "$m"
tr '\000-\377' '\001-\377\000' <"$image" >"$dir/other.raw"
expect 3 "not the image that was scanned" mount --quiet --image "$dir/other.raw" "$case" "$m"
! mounted || fail "a mount after a failure"

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

# ---- names that mean harm, objects in pieces, several images ----
cp "$image" "$dir/second.raw"
printf 'extra' >>"$dir/second.raw"
expect 0 "" scan --quiet --case "$dir/odd" "$image" "$dir/second.raw"
sqlite3 "$dir/odd" "UPDATE objects SET type = '../../etc/x' || char(10) || 'y', extension = 'a/b' WHERE type = 'bmp';
    UPDATE objects SET type = 'by' WHERE type = 'gif'; UPDATE objects SET type = 'image' WHERE type = 'wav';
    UPDATE objects SET type = 'README.txt', extension = '' WHERE type = 'elf';
    UPDATE extents SET len = 1000 WHERE object_id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);
    INSERT INTO extents SELECT id, 1, 4096, len - 1000 FROM objects WHERE id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);
    UPDATE objects SET crc64 = NULL WHERE id = (SELECT min(id) FROM objects WHERE type = 'png' AND len > 3000);"
rm -rf "$dir/o"
expect 0 "" carve --quiet --embedded --truncated --out "$dir/o" "$dir/odd"
expect 0 "" mount --quiet --embedded --truncated "$dir/odd" "$m"
same "$dir/o"
[ "$(ls "$m")" = "$(printf '%s\n' README.txt by carvpath image image1 image2 inside)" ] || fail "the root: $(ls "$m")"
cmp -s "$dir/second.raw" "$m/image/2.raw" || fail "the second image"
cmp -s <(tail -c 5 "$dir/second.raw") "$m/carvpath/image2/$size+5" || fail "ranges of the second image"
[ ! -e "$m/carvpath/image1/$size+5" ] || fail "ranges of the second image in the first"
[ "$(find "$m/by/image/1" -type f | wc -l)" -gt 20 ] || fail "by/image"
leave

# ---- containers ----
if command -v ewfacquire >/dev/null; then
    (cd "$dir" && ewfacquire -q -u -c fast -t packed -f encase6 "$image") >/dev/null 2>&1 || fail "ewfacquire"
    expect 0 "" scan --quiet --case "$dir/e01" "$dir/packed.E01"
    rm -rf "$dir/o"
    expect 0 "" carve --quiet --out "$dir/o" "$dir/e01"
    expect 0 "" carve --quiet --out "$dir/raw.o" "$case"
    expect 0 "" mount --quiet "$dir/e01" "$m"
    same "$dir/o"
    same "$dir/raw.o"
    # ewfacquire takes whole sectors alone.
    head -c $((size / 512 * 512)) "$image" >"$dir/sectors"
    python3 "$cli/read_all_ways.py" "$m/image/1.raw" "$dir/sectors" || fail "the E01 as a raw image"
    leave
else
    echo "skipped: E01: no ewfacquire"
fi

# ---- many files; a folder of them is listed in parts ----
python3 - "$dir/many.raw" <<'PY'
import sys
gif = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
open(sys.argv[1], "wb").write(b"".join(gif + bytes(512 - len(gif)) for _ in range(2500)))
PY
expect 0 "" scan --quiet --case "$dir/many" "$dir/many.raw"
rm -rf "$dir/o"
expect 0 "" carve --quiet --out "$dir/o" "$dir/many"
expect 0 "" mount --quiet "$dir/many" "$m"
same "$dir/o"
[ "$(ls "$m/gif" | tr '\n' ' ')" = "0001 0002 0003 " ] || fail "folders: $(ls "$m/gif")"
[ "$(ls "$m/gif/0001" | wc -l)" = 1000 ] || fail "a folder has $(ls "$m/gif/0001" | wc -l) files"
leave

# ---- a user without rights ----
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && command -v fusermount3 >/dev/null && [ "$(stat -c %a /dev/fuse)" = 666 ]; then
    chmod 755 "$dir"
    mkdir "$dir/user" "$dir/user/m"
    cp "$image" "$dir/user/image.raw"
    cp "$BURIN" "$dir/user/burin"
    chown -R 65534:65534 "$dir/user"
    as_user() { (cd "$dir/user" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$dir/user" "$@"); }
    as_user ./burin scan --quiet --case c image.raw || fail "scan of another user"
    if as_user ./burin mount --quiet c m 2>"$dir/err"; then
        as_user cmp image.raw m/image/1.raw || fail "the image, as another user"
        pid=$(pgrep -xf "./burin mount --quiet c m" | head -1)
        kill -KILL "$pid"
        until_true eval '! grep -qF " $dir/user/m " /proc/self/mountinfo' || fail "a dead mount of another user"
    else
        fail "mount of another user: $(cat "$dir/err")"
    fi
else
    echo "skipped: another user: not root, no setpriv, no fusermount3, or /dev/fuse is for root alone"
fi
finish
