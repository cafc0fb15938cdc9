#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: long
# tests/cluster/hiccup.sh - a network block device that refuses all reads for a tenth of a second, now and then, and that answers slowly:
# parts are scanned as if nothing had been, from a file of nbdfuse and by its address. One that refuses for good leaves the part to a host
# that can read; one whose server is gone leaves nothing.
#
# Method: nbdkit plays the device (filters error and delay). cli/faults/hiccup.sh has the same, read for read, without a network.
. "$(dirname "$0")/../cli/lib.sh"
for program in nbdkit nbdfuse fusermount3; do
    command -v $program >/dev/null || skip "no $program here: ./dev setup cluster"
done
[ -w /dev/fuse ] || skip "no FUSE here"
planted
for _ in 1 2; do cat "$image"; done >"$dir/disk.raw"
"$BURIN" scan --quiet --case "$dir/case" "$dir/disk.raw" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")
touch "$dir/mounted"

# The server reads nothing while there is a file "broken".
serve() {
    nbdkit --exit-with-parent -f -U "$dir/socket" -P "$dir/nbdkit.pid" -r --filter=log --filter=error --filter=delay file "$dir/disk.raw" error-pread=EIO \
        error-pread-rate=100% error-pread-file="$dir/broken" delay-read=3ms logfile="$dir/reads" >/dev/null 2>"$dir/nbdkit.err" &
    at_exit+=("kill $! 2>/dev/null")
    for _ in {1..300}; do [ -S "$dir/socket" ] && return; sleep 0.1; done
    fail "nbdkit does not start: $(cat "$dir/nbdkit.err")"
}
serve
nbdfuse -r "$dir/mounted" --unix "$dir/socket" 2>"$dir/nbdfuse.err" &
at_exit+=("fusermount3 -uz '$dir/mounted' 2>/dev/null")
for _ in {1..300}; do [ "$(stat -c %s "$dir/mounted")" -gt 0 ] && break; sleep 0.1; done
[ "$(stat -c %s "$dir/mounted")" -gt 0 ] || skip "nbdfuse does not mount here: $(cat "$dir/nbdfuse.err")"

# How often it was asked for as much as a segment: what an image holds is found out in smaller pieces.
asked() { grep -c 'count=0x[0-9a-f]\{5,\} ' "$dir/reads"; }

# asked_on N JOB : waits until it was asked for more than N of them, while the job goes on.
asked_on() { while [ "$(asked)" -le "$1" ] && kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }

# hiccups FOLDER WORD... : scans three parts, and the device hiccups in each.
hiccups() {
    local parts=$1 k job before
    shift
    for k in 0 1 2; do
        before=$(asked)
        "$BURIN" scan --quiet --part $k/3 --parts "$parts" --threads 1 --segment 64K "$@" 2>"$dir/err" &
        job=$!
        asked_on "$before" $job
        touch "$dir/broken"
        sleep 0.1
        rm "$dir/broken"
        wait $job || fail "part $k of $*: $? $(cat "$dir/err")"
    done
}
hiccups "$dir/parts" "$dir/mounted"
expect 0 "" merge --quiet --case "$dir/merged" "$dir/parts"
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "hiccups of a file: another digest"
[ "$(sqlite3 -readonly "$dir/merged" "SELECT count(*) FROM bad_ranges")" = 0 ] || fail "hiccups of a file have left bad ranges"
address="nbd+unix:///?socket=$dir/socket"
hiccups "$dir/parts2" "$address"
expect 0 "" merge --quiet --case "$dir/merged2" "$dir/parts2"
[ "$("$BURIN" list --digest "$dir/merged2")" = "$want" ] || fail "hiccups of an address: another digest"

[ "$(grep -c 'return=-1' "$dir/reads")" -ge 2 ] || fail "the device has not hiccuped: $(tail -3 "$dir/reads")"

# The server goes away while a part is scanned: nothing of it, and status 4; when it is there again, the same command does it.
before=$(asked)
"$BURIN" scan --quiet --part 0/2 --parts "$dir/parts3" --threads 1 --segment 64K "$address" 2>"$dir/err" &
job=$!
asked_on "$before" $job
kill -9 "$(cat "$dir/nbdkit.pid")"
wait $job
status=$?
[ $status -eq 4 ] || fail "a server that is gone: status $status: $(cat "$dir/err")"
[ -z "$(ls -A "$dir/parts3")" ] || fail "a server that is gone: left behind: $(ls -A "$dir/parts3")"
rm -f "$dir/socket"
serve
for k in 0 1; do burin scan --quiet --part $k/2 --parts "$dir/parts3" "$address"; done
[ "$status" -eq 0 ] || fail "a server that is there again: $(cat "$dir/err")"
expect 0 "" merge --quiet --case "$dir/merged3" "$dir/parts3"
[ "$("$BURIN" list --digest "$dir/merged3")" = "$want" ] || fail "a server that is there again: another digest"
finish
