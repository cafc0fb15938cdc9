#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/mute.sh - a disk that does not answer any more: the first SIGTERM or SIGINT ends the program
# all the same, and what was recorded by then is kept.
#
# Method: as in baddisk.sh.
# Labels: slow
. "$(dirname "$0")/../lib.sh"
[ -n "${SHIM:-}" ] || skip "no library that plays a disk in this build"
planted
for _ in $(seq 8); do cat "$image"; done >"$dir/long.raw"
image=$dir/long.raw
unset BURIN_STOP_SECONDS
"$BURIN" scan --quiet --case "$dir/whole" "$image" || fail "the whole disk"

# mute SIGNAL OFFSET WORD... : the program, with $image for a disk that is mute from OFFSET on; when it waits for the disk, and
# the file $begun is there (with a run in it, if it is a case file), SIGNAL comes. Whoever waits for it gives up after minutes:
# no machine is as slow as that.
mute() {
    local signal=$1 offset=$2
    shift 2
    status=0
    SHIM_FILE=$image SHIM_MUTE=$offset python3 - "$signal" "$SHIM" "$begun" "$BURIN" "$@" >"$dir/out" 2>"$dir/err" <<'PY' || status=$?
import os, signal, sqlite3, subprocess, sys, time
told, tell = os.pipe()
process = subprocess.Popen(sys.argv[4:], stdin=subprocess.DEVNULL, pass_fds=[tell],
                           env=dict(os.environ, LD_PRELOAD=sys.argv[2], SHIM_TELL=str(tell)),
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(tell)
os.read(told, 1)                           # the disk is mute, or the program has ended
def begun(path):
    if not path.endswith("/case"):
        return os.path.exists(path)
    try:
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("SELECT count(*) FROM runs").fetchone()[0] > 0
    except sqlite3.Error:
        return False
for _ in range(3000):
    if process.poll() is not None or begun(sys.argv[3]):
        break
    time.sleep(0.1)
process.send_signal(getattr(signal, "SIG" + sys.argv[1]))
try:
    sys.exit(process.wait(timeout=300))
except subprocess.TimeoutExpired:
    process.kill()
    sys.exit(99)
PY
}

# Before there is a case file: the disk is asked for samples of itself.
begun=$image
mute TERM 1000000 scan --quiet --case "$dir/case" "$image"
check 130 "stopped at once" "scan, before it has begun"
[ "$(sqlite3 "$dir/case" 'SELECT count(*) FROM runs')" = 0 ] || fail "a scan that had not begun is on record"

begun=$dir/case
export SHIM_LARGE=65536 # than a sample
for io in aio cache pread; do
    for signal in INT TERM; do
        rm -f "$dir"/case*
        mute $signal 20000000 scan --quiet --io $io --case "$dir/case" "$image"
        check 130 "stopped at once" "scan, by $io, SIG$signal"
        expect 0 "" list --quiet "$dir/case"
        [ "$(sqlite3 "$dir/case" 'PRAGMA integrity_check')" = ok ] || fail "by $io, SIG$signal: integrity_check fails"
        sqlite3 "$dir/case" 'SELECT id, offset, len, footer FROM hits ORDER BY id' >"$dir/some"
        cmp -s "$dir/some" <(sqlite3 "$dir/whole" 'SELECT id, offset, len, footer FROM hits ORDER BY id' | head -n "$(wc -l <"$dir/some")") ||
            fail "by $io, SIG$signal: the hits are not the first ones of a whole scan"
        # A new program notices that the one before it is dead.
        expect 0 "" search --quiet --no-file-systems --case "$dir/case" "$image" GIF
        [ "$(sqlite3 "$dir/case" 'SELECT status FROM runs WHERE id = 1')" = interrupted ] ||
            fail "by $io, SIG$signal: the run is $(sqlite3 "$dir/case" 'SELECT status FROM runs WHERE id = 1')"
    done
done

export SHIM_LARGE=5000
begun=$dir/carved/audit.txt
mute TERM 20000000 carve --quiet --out "$dir/carved" "$dir/whole"
check 130 "stopped at once" "carve"
[ "$(sqlite3 "$dir/whole" 'PRAGMA integrity_check')" = ok ] || fail "carve: integrity_check fails"
while IFS='|' read -r path sha; do
    [ "$(sha256sum <"$path" | cut -d' ' -f1)" = "$sha" ] || fail "carve: $path is not what the case says"
done < <(sqlite3 "$dir/whole" 'SELECT path, sha256 FROM outputs')
finish
