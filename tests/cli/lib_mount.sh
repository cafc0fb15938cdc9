# SPDX-License-Identifier: Apache-2.0
# tests/cli/lib_mount.sh - what the tests of mounts share: a case file of the planted image, "$case", and a folder to mount it on, "$m".
# A test leaves each of its mounts. tests/cli/lib.sh comes before it.
# shellcheck shell=bash disable=SC2034,SC2154
[ -c /dev/fuse ] || skip "no /dev/fuse: this kernel, or this container, has no file systems of programs"
[ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null || skip "not root, and no fusermount3"
planted
case=$dir/case
m=$dir/m
mkdir "$m"
size=$(stat -c %s "$image")
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

unmount() {
    if [ "$(id -u)" -eq 0 ]; then umount "$m"; else fusermount3 -u "$m"; fi || fail "cannot unmount"
}
# Ends the mount, and waits until its end is on record.
leave() {
    unmount
    until_true gone || fail "the mount has not ended"
}
at_exit+=('umount -l "$m" 2>/dev/null || fusermount3 -u -z "$m" 2>/dev/null')

ask() { sqlite3 -readonly -separator "$(printf '\t')" "$case" "$@"; }
