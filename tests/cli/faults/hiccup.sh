#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/hiccup.sh - storage that fails for a moment, or for one host, while parts of an image are scanned: a read that is
# refused once is asked for again, and nothing is lost; what a network says ends the part, and leaves nothing; a sector that one host
# cannot read has to be tried by another one before the merge believes it.
#
# Method: the library of baddisk.sh, which stands between the program and the kernel. Sanitizers want to be that library themselves.
. "$(dirname "$0")/../lib.sh"
[ -n "${SHIM:-}" ] || skip "no library that plays a disk in this build"
planted
parts=$dir/parts

# on HOST WORD... : the program on that host, with $image for the disk.
on() {
    local host=$1
    shift
    status=0
    (
        [ -n "$SHIM_BAD" ] || unset SHIM_BAD
        export SHIM_SLEPT=9 SHIM_FILE=$image SHIM_HOST=$host LD_PRELOAD=$SHIM
        exec "$BURIN" "$@"
    ) >"$dir/out" 2>"$dir/err" 9>"$parts.slept" </dev/null || status=$?
}
# slept SECONDS WHAT: these pauses were made.
slept() {
    [ "$(tr '\n' ' ' <"$parts.slept")" = "$1" ] || fail "$2: pauses of $(tr '\n' ' ' <"$parts.slept")seconds"
}
burin scan --quiet --case "$dir/case" "$image"
want=$("$BURIN" list --digest "$dir/case")
export SHIM_BAD=5000 # a sector of part 1 of 2

# EIO for two reads, and not for the third: a pause of a second, and all is there.
SHIM_TIMES=2 on alpha scan --quiet --threads 1 --part 1/2 --parts "$parts" "$image"
check 0 "" "a hiccup"
slept "1 " "a hiccup"
[ ! -s "$dir/err" ] || fail "a hiccup: $(cat "$dir/err")"
on alpha scan --quiet --part 0/2 --parts "$parts" "$image"
expect 0 "" merge --quiet --case "$dir/merged" "$parts"
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "a hiccup has left a trace"

# Words of a network: no shard, status 4.
rm "$parts/1.part"
for cause in 110 121 112; do # ETIMEDOUT, EREMOTEIO, EHOSTDOWN
    SHIM_CAUSE=$cause on alpha scan --quiet --part 1/2 --parts "$parts" "$image"
    check 4 "no word about the medium" "errno $cause"
    slept "" "errno $cause"
    [ "$(ls -A "$parts")" = 0.part ] || fail "errno $cause: left behind: $(ls -A "$parts")"
done
# A server that is gone: the same.
SHIM_BAD='' SHIM_GONE=3000000 on alpha scan --quiet --part 1/2 --parts "$parts" "$image"
check 4 "cannot be read any more" "a disk that is gone"
[ "$(ls -A "$parts")" = 0.part ] || fail "a disk that is gone: left behind: $(ls -A "$parts")"

# A sector that cannot be read: one host has tried for 31 seconds. The merge wants another host's word.
on alpha scan --quiet --part 1/2 --parts "$parts" "$image"
check 1 "bytes of part 1 could not be read; zeros stand for them, and another host has to try" "a bad sector"
slept "1 5 25 " "a bad sector"
expect 1 "" merge --missing "$parts"
[ "$(cat "$dir/out")" = 1 ] || fail "--missing: $(cat "$dir/out")"
rm -f "$dir/merged"*
expect 3 "1 of 2 parts have bytes that could not be read, and no other host has tried: 1" merge --case "$dir/merged" "$parts"
[ ! -e "$dir/merged" ] || fail "a case file of what one host could not read"
burin merge --status "$parts"
grep -q '1 with bytes that another host has to try; not done: 1' "$dir/out" || fail "--status: $(cat "$dir/out")"
# The same host knows that already.
on alpha scan --quiet --part 1/2 --parts "$parts" "$image"
check 1 "another host has to try" "the same host"
slept "" "the same host"
[ ! -e "$parts/1.again" ] || fail "a host has proven its own word"
burin merge --quiet --accept-bad --case "$dir/merged" "$parts"
check 1 "" "--accept-bad"
cp "$parts/1.part" "$dir/1.part"

# Another host cannot read it either: proven. It is no proof of another sector, nor under the name of the same host.
on beta scan --quiet --part 1/2 --parts "$parts" "$image"
check 1 "the same as on another host" "a second host"
[ -s "$parts/1.again" ] || fail "a second host has left nothing"
expect 0 "" merge --missing "$parts"
rm -f "$dir/merged"* "$dir/bad"*
burin merge --quiet --case "$dir/merged" "$parts"
check 1 "" "a merge of what two hosts could not read"
[ "$(cd "$parts" && echo *)" = "0.part 1.again 1.part" ] || fail "the folder has $(ls "$parts")"
SHIM_FILE=$image LD_PRELOAD=$SHIM "$BURIN" scan --quiet --case "$dir/bad" "$image" 2>/dev/null
[ "$("$BURIN" list --digest "$dir/merged")" = "$("$BURIN" list --digest "$dir/bad")" ] ||
    fail "a bad sector in parts: $(diff <(rows "$dir/bad") <(rows "$dir/merged") | head -5)"
cp "$parts/1.part" "$parts/1.again"
expect 1 "" merge --missing "$parts"
rm "$parts/1.again"
SHIM_BAD=7000 on gamma scan --quiet --part 1/2 --parts "$parts" "$image"
check 1 "others than on the first host" "another sector"
expect 1 "" merge --missing "$parts"
cmp -s "$parts/1.part" "$dir/1.part" || fail "another sector: the first shard has changed"

# Another host can read all: its shard takes the place of the first one.
export SHIM_BAD=
on beta scan --quiet --part 1/2 --parts "$parts" "$image"
check 0 "" "a host that can read all"
expect 0 "" merge --missing "$parts"
rm -f "$dir/merged"*
expect 0 "" merge --quiet --case "$dir/merged" "$parts"
[ "$("$BURIN" list --digest "$dir/merged")" = "$want" ] || fail "a host that can read all: another digest"
finish
