#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/jail.sh - commands give up their rights before they read evidence, and find the same
# with and without; the process that reads an image by a library may end at any time.
# Labels: long
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "no python3"
planted
mkdir "$dir/cases" "$dir/evidence"
mv "$image" "$dir/evidence/image.raw"
image=$dir/evidence/image.raw
landlock=$(python3 -c 'import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))')

# said CASE TEXT: the log of the case has it.
said() {
    sqlite3 -readonly "$1" "SELECT text FROM log WHERE kind = 'note'" >"$dir/notes"
    grep -qE -- "$2" "$dir/notes" || fail "no '$2' in the log of $1: $(cat "$dir/notes")"
}
compare() { # CASE: its rows are those of the first case
    rows "$1" >"$dir/rows"
    cmp -s "$dir/rows" "$dir/first" || fail "$1 has other rows: $(diff "$dir/rows" "$dir/first" | head -5)"
}

expect 0 "" scan --quiet --case "$dir/cases/a" "$image"
rows "$dir/cases/a" >"$dir/first"
said "$dir/cases/a" '^jail: no_new_privs; .*capabilities: '
said "$dir/cases/a" '; seccomp$'
[ "$landlock" -le 0 ] || said "$dir/cases/a" "; landlock $landlock;"
expect 0 "" scan --quiet --no-jail --case "$dir/cases/b" "$image"
compare "$dir/cases/b"
said "$dir/cases/b" '^jail: off \(--no-jail\)$'
export BURIN_NO_LANDLOCK=1
expect 0 "" scan --quiet --case "$dir/cases/c" "$image"
compare "$dir/cases/c"
said "$dir/cases/c" '; no landlock in this kernel; .*; seccomp$'
unset BURIN_NO_LANDLOCK
for option in "" --no-jail; do
    # shellcheck disable=SC2086
    expect 0 "" carve $option --quiet --out "$dir/carved$option" "$dir/cases/a"
    # shellcheck disable=SC2086
    expect 0 "" list $option --quiet "$dir/cases/a"
    # shellcheck disable=SC2086
    expect 0 "" verify $option "$dir/cases/a"
    # shellcheck disable=SC2086
    expect 0 "" identify $option "$dir/carved/gif"/*
    # shellcheck disable=SC2086
    expect 0 "" known build $option --quiet --files "$dir/set$option" "$dir/carved"
    # shellcheck disable=SC2086
    expect 0 "" known query $option --quiet "$dir/set$option" "$dir/carved/gif"/*
    # shellcheck disable=SC2086
    expect 0 "" info $option
    # shellcheck disable=SC2086
    expect 0 "" search $option --quiet --case "$dir/cases/s$option" "$image" PNG
done
said "$dir/cases/a" '^jail: off'
(cd "$dir/carved" && find . -type f ! -name 'audit.txt' ! -name 'report.xml' -exec sha256sum {} + | sort) >"$dir/sums"
(cd "$dir/carved--no-jail" && sha256sum --quiet -c "$dir/sums") || fail "carve --no-jail writes something else"

# An ordinary user.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    mkdir "$dir/user"
    chmod 755 "$dir" "$dir/evidence" && chmod 644 "$image" && chown 65534:65534 "$dir/user"
    cp "$BURIN" "$dir/burin" && chmod 755 "$dir/burin"
    (cd "$dir/user" && setpriv --reuid 65534 --regid 65534 --clear-groups "$dir/burin" scan --quiet --case u "$image") ||
        fail "an ordinary user: status $?"
    compare "$dir/user/u"
    said "$dir/user/u" 'capabilities: none'
    # Root writes there, too, and says with what.
    chmod 700 "$dir/user"
    expect 0 "" scan --quiet --case "$dir/user/r" "$image"
    compare "$dir/user/r"
    said "$dir/user/r" "CAP_DAC_READ_SEARCH CAP_DAC_OVERRIDE \(to write $dir/user\)"
    chown 65534 "$image"
    expect 0 "" scan --quiet --case "$dir/cases/o" "$image"
    said "$dir/cases/o" "CAP_FOWNER \(to leave the times alone of "
    chown 0 "$image"
fi

# has PID NAME VALUE: a line of /proc/PID/status.
has() {
    local value
    value=$(sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null)
    [ "$value" = "$3" ] || fail "process $1: $2 is '$value' and not $3"
}
# A long scan, stopped in its middle: what it is while it works.
python3 - "$dir/evidence/long.raw" "$image" <<'PY'
import sys
data = open(sys.argv[2], "rb").read()
with open(sys.argv[1], "wb") as out:
    for _ in range(24):
        out.write(data)
PY
# starter PID: the child of that process that has children itself, the readers of images.
starter() {
    local child
    for child in $(pgrep -P "$1"); do
        if pgrep -P "$child" >/dev/null; then echo "$child"; fi
    done
}
# stopped PROGRAM_ARGS...: starts it, and stops it when its case file has hits; $pid.
stopped() {
    local case=$1
    shift
    "$BURIN" "$@" </dev/null >"$dir/out.late" 2>"$dir/err" &
    pid=$!
    for _ in $(seq 600); do
        [ ! -s "$case-wal" ] || break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.02
    done
    kill -STOP "$pid" 2>/dev/null
}
stopped "$dir/cases/long" scan --quiet --threads 1 --engine ac --case "$dir/cases/long" "$dir/evidence/long.raw"
has "$pid" NoNewPrivs 1
has "$pid" Seccomp 2
if [ "$(id -u)" -eq 0 ]; then
    has "$pid" CapEff 0000000000000004
    has "$pid" CapPrm 0000000000000004
    has "$pid" CapBnd 0000000000000004
fi
grep -q '^Max core file size  *0 ' "/proc/$pid/limits" || fail "cores are dumped"
for task in "/proc/$pid/task"/*; do
    grep -q '^Seccomp:.*2$' "$task/status" || fail "a thread without a filter: $task"
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null

# The process that reads a SMART image is ended while the scan goes on: the same is found, and it is said.
if command -v ewfacquire >/dev/null; then
    (cd "$dir/evidence" && ewfacquire -u -q -f smart -c fast -t disk long.raw </dev/null >"$dir/tool.log" 2>&1) ||
        fail "ewfacquire: $(cat "$dir/tool.log")"
    expect 0 "" scan --quiet --case "$dir/cases/whole" "$dir/evidence/disk.s01"
    rows "$dir/cases/whole" >"$dir/first"
    stopped "$dir/cases/killed" scan --quiet --threads 1 --engine ac --case "$dir/cases/killed" "$dir/evidence/disk.s01"
    reader=$(pgrep -P "$(starter "$pid")" | tail -1)
    if [ -n "$reader" ]; then
        has "$reader" NoNewPrivs 1
        has "$reader" Seccomp 2
        has "$reader" CapEff 0000000000000000
        [ -z "$(find "/proc/$reader/fd" -lname "$dir/cases/*")" ] || fail "the reader has the case file open"
        kill -KILL "$reader"
    else
        fail "no process reads the image"
    fi
    kill -CONT "$pid"
    status=0
    wait "$pid" || status=$?
    check 0 "the process that reads this E01 ended 1 time, and was started again: it was ended by signal 9" "a scan whose reader is killed"
    compare "$dir/cases/killed"
    said "$dir/cases/killed" "ended 1 time"
    # Without the starter there is no other one: an error, and what was found is kept.
    stopped "$dir/cases/alone" scan --quiet --threads 1 --engine ac --case "$dir/cases/alone" "$dir/evidence/disk.s01"
    kill -KILL "$(starter "$pid")"
    kill -CONT "$pid"
    status=0
    wait "$pid" || status=$?
    check 4 "starts readers of images has ended" "a scan whose starter is killed"
    [ "$(sqlite3 -readonly "$dir/cases/alone" 'PRAGMA integrity_check; SELECT status FROM runs')" = $'ok\nfailed' ] ||
        fail "the case of a scan whose starter was killed"
else
    echo "skipped: no ewfacquire here: E01"
fi
[ "$landlock" -gt 0 ] || echo "skipped: this kernel has no Landlock"
finish
