#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/mount_ends.sh - how a mount ends: by hand, by each signal, under whoever stands in it, beside who writes to the case file; it is on
# record, and no mount is left behind. What is wrong begins none.
# Labels: long
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/lib_mount.sh"

# Right behind its end another command need not wait in words for the moment in which the mount has the case file.
for n in 1 2 3 4; do
    expect 0 "" mount --quiet "$case" "$m"
    unmount
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
unmount
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
