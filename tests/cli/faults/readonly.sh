#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/readonly.sh - evidence is opened for reading only and does not change.
#
# Method: strace shows every way to open or change a file; none that names the image may ask for more than reading.
# Labels: long
. "$(dirname "$0")/../lib.sh"
command -v strace >/dev/null || skip "no strace"
strace -f -o "$dir/probe" true 2>/dev/null || skip "strace may not trace here"
planted
look() {
    stat -c '%Y.%y %Z.%z %s %a %u' "$image"
    sha256sum "$image"
}
look >"$dir/before"

traced() {
    # LeakSanitizer, where the program is built with it, needs ptrace for itself.
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -qq -e trace=open,openat,openat2,creat,truncate,rename,renameat,renameat2,unlink,unlinkat,link,linkat,chmod,fchmodat,utimensat,mknodat \
        -o "$dir/trace" "$BURIN" "$@" </dev/null >/dev/null 2>"$dir/err"
    local traced_status=$?
    [ $traced_status -eq 0 ] || [ "$1" = identify ] || fail "burin $*: status $traced_status: $(head -c 300 "$dir/err")"
    grep -F "$image" "$dir/trace" | grep -v ENOENT >"$dir/touched"
    grep -q O_RDONLY "$dir/touched" || fail "$1: the trace does not even show the image being read"
    grep -vE 'open(at|at2)?\(.*O_RDONLY' "$dir/touched" >"$dir/bad" && fail "$1 does more than reading to the image: $(head -3 "$dir/bad")"
    grep -E 'O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)' "$dir/touched" && fail "$1 opens the image for writing"
    return 0
}
for io in aio cache pread; do
    traced scan --quiet --force --io "$io" --case "$dir/case" "$image"
done
traced carve --quiet --out "$dir/carved" "$dir/case"
traced identify "$image"
look | diff "$dir/before" - || fail "the image has changed"

# It also works, and stays as it was, where writing is forbidden.
chmod 444 "$image"
look >"$dir/before"
expect 0 "" scan --quiet --force --case "$dir/case" "$image"
look | diff "$dir/before" - || fail "the read-only image has changed"
finish
