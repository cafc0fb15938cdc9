#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/served.sh - containers that qemu-nbd reads for burin, in a jail: the rows of the raw image; damaged and hostile ones are
# refused or end in bad ranges, and open no other file; qemu-nbd ends with burin, and burin does not end with qemu-nbd.
#
# Method: qemu-img writes QED and Parallels, make_served.py dmg and cloop, which qemu-img compares with the raw image.
# Labels: long
. "$(dirname "$0")/lib.sh"
need_jailed_server
planted
disk=$dir/disk.raw
cp "$image" "$disk"
head -c 3000000 "$BURIN" | dd of="$disk" bs=64k oflag=seek_bytes seek=8388608 conv=notrunc status=none
truncate -s 16777216 "$disk"
expect 0 "" scan --quiet --case "$dir/raw.case" "$disk"
"$BURIN" list --digest "$dir/raw.case" >"$dir/want"
[ "$(sqlite3 -readonly "$dir/raw.case" "SELECT count(*) FROM objects")" -gt 30 ] || fail "few objects in the raw image"
id=$(sqlite3 -readonly "$dir/raw.case" "SELECT id FROM objects WHERE state = 'complete' ORDER BY id LIMIT 1")
"$BURIN" cat --quiet "$dir/raw.case" "$id" >"$dir/one"
bad() { sqlite3 -readonly "$1" "SELECT coalesce(sum(len), 0) FROM bad_ranges"; }
same() { # WHAT CASE
    "$BURIN" list --digest "$2" | cmp -s - "$dir/want" || fail "$1: other rows than the raw image"
    [ "$(bad "$2")" = 0 ] || fail "$1: bad ranges"
}

for kind in qed:QED parallels:Parallels dmg:dmg cloop:cloop; do
    format=${kind%:*} name=${kind#*:}
    file=$dir/disk.$format
    case $format in
    qed | parallels) qemu-img convert -f raw -O "$format" "$disk" "$file" ;;
    *) python3 "$cli/make_served.py" "$format" "$disk" "$file" ;;
    esac
    qemu-img compare -q -f raw -F "$format" "$disk" "$file" 2>/dev/null || fail "$format: QEMU reads other bytes than those of the disk"
    hows=("--threads 3 --part-size 1M" "--no-jail --image-type $format")
    [ -z "${BURIN_LONG:-}" ] || hows+=("--threads 1")
    for how in "${hows[@]}"; do
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet --force $how --case "$dir/case" "$file"
        same "$format ($how)" "$dir/case"
    done
    [ "$(sqlite3 -readonly "$dir/case" "SELECT path || ' ' || format || ' ' || size FROM images")" = "$file $name 16777216" ] ||
        fail "$format: on record as $(sqlite3 -readonly "$dir/case" "SELECT path, format, size FROM images")"
    burin info "$file"
    grep -q "^format	$name$" "$dir/out" || fail "info of $format: $(cat "$dir/out" "$dir/err")"
    burin cat --quiet "$dir/case" "$id"
    cmp -s "$dir/out" "$dir/one" || fail "$format: cat gives other bytes: $(cat "$dir/err")"
    expect 0 "" verify "$dir/case"
    expect 0 "" assemble --quiet "$dir/case"
    expect 0 "" carve --quiet --out "$dir/files.$format" "$dir/case"
    # Cut off: refused, or what is lost is bad, and nothing there is taken for zeros.
    head -c $(($(stat -c %s "$file") * 2 / 3)) "$file" >"$dir/cut"
    burin scan --quiet --force --image-type "$format" --case "$dir/cut.case" "$dir/cut"
    [ "$status" = 3 ] || { [ "$status" = 1 ] && [ "$(bad "$dir/cut.case")" -gt 0 ]; } || fail "$format, cut off: status $status"
    # Neither without the jail's walls nor without the program.
    BURIN_NO_LANDLOCK=1 burin scan --quiet --force --case "$dir/case" "$file"
    check 3 "$name, cannot be read here; .*Landlock.*qemu-img convert -f $format " "$format without Landlock"
    PATH=/nowhere burin scan --quiet --force --case "$dir/case" "$file"
    check 3 "$name, cannot be read here; .*qemu-utils.*qemu-nbd -r -t -e 8 -f $format " "$format without qemu-nbd"
done

# A packed block of dmg that is damaged is bad, with what is packed with it, and nothing else.
python3 - "$dir/disk.dmg" "$dir/hurt" <<'PYTHON'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[1000:1100] = bytes(100)
open(sys.argv[2], "wb").write(data)
PYTHON
burin scan --quiet --force --case "$dir/case" "$dir/hurt"
check 1 "" "a damaged dmg"
[ "$(sqlite3 -readonly "$dir/case" "SELECT min(offset), sum(len) FROM bad_ranges")" = "0|262144" ] ||
    fail "a damaged dmg: $(sqlite3 -readonly "$dir/case" "SELECT offset, len, cause FROM bad_ranges")"

# Hostile: a base is named, which is refused before any server is there; and nobody opens it.
mkdir "$dir/far"
printf 'a secret of the examiner' >"$dir/far/victim"
truncate -s 1M "$dir/far/victim"
for kind in qed qcow2; do
    qemu-img create -q -f $kind -b "$dir/far/victim" -F raw "$dir/hostile.$kind"
    expect 3 "" scan --quiet --force --case "$dir/case" "$dir/hostile.$kind"
    if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
        for type in auto $kind; do
            ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -qq -e trace=open,openat,openat2,execve -o "$dir/trace" "$BURIN" scan --quiet --force --image-type "$type" --case "$dir/case" "$dir/hostile.$kind" \
                >"$dir/out" 2>"$dir/err" && fail "$kind as $type: not refused"
            grep -q "hostile.$kind" "$dir/trace" || fail "$kind as $type: the trace says nothing"
            ! grep "far/victim" "$dir/trace" | grep -v "= -1 E" >"$dir/opened" || fail "$kind as $type: opened: $(head -3 "$dir/opened")"
        done
    fi
done

# server FILE: the number of the qemu-nbd that serves it, once the scan has begun to read.
server() {
    local pid=""
    until [ -n "$(sqlite3 -readonly "$dir/case" "SELECT id FROM runs" 2>/dev/null)" ] || ! kill -0 "$scan" 2>/dev/null; do sleep 0.01; done
    until [ -n "$pid" ] || ! kill -0 "$scan" 2>/dev/null; do
        pid=$(pgrep -f "file.filename=$1$" | head -1)
    done
    echo "$pid"
}
# 2 GiB of zeros behind the disk, so that the scan lasts; QEMU is stopped, and the scan waits for it.
cp "$disk" "$dir/long.raw"
truncate -s 2G "$dir/long.raw"
qemu-img convert -f raw -O qed "$dir/long.raw" "$dir/long.qed"
expect 0 "" scan --quiet --no-assemble --case "$dir/long.case" "$dir/long.raw"
"$BURIN" list --digest "$dir/long.case" >"$dir/want"
rm -f "$dir/case"*
"$BURIN" scan --quiet --no-assemble --case "$dir/case" "$dir/long.qed" >"$dir/out" 2>"$dir/err" &
scan=$!
pid=$(server "$dir/long.qed")
if [ -n "$pid" ] && kill -STOP "$pid"; then
    grep -q '^Seccomp:	2$' "/proc/$pid/status" && grep -q '^NoNewPrivs:	1$' "/proc/$pid/status" || fail "the server is not confined: $(cat "/proc/$pid/status")"
    kill -9 "$pid"
    status=0
    wait $scan || status=$?
    # What the server was asked for when it ended is asked of another one.
    check 0 "" "a server that was killed"
    same "a server that was killed" "$dir/case"
else
    wait $scan
    echo "the scan was faster than its server could be stopped"
fi
rm -f "$dir/case"*
"$BURIN" scan --quiet --no-assemble --case "$dir/case" "$dir/long.qed" >"$dir/out" 2>"$dir/err" &
scan=$!
pid=$(server "$dir/long.qed")
if [ -n "$pid" ]; then
    kill -9 $scan
    wait $scan 2>/dev/null
    # Ended is also what nobody has taken notice of yet.
    for ((i = 0; i < 3000; i++)); do
        [ "$(sed -n 's/^State:	\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null)" != Z ] && [ -e "/proc/$pid" ] || break
        sleep 0.02
    done
    [ "$i" -lt 3000 ] || fail "qemu-nbd outlives burin"
    expect 0 "" scan --quiet --resume --no-assemble --case "$dir/case" "$dir/long.qed"
    same "a scan that was killed" "$dir/case"
fi
[ -z "$(find /dev/shm -maxdepth 1 -name 'burin-nbd-*' -user "$(id -u)" -newer "$dir/want" 2>/dev/null)" ] || fail "sockets are left in /dev/shm"
finish
