#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/interrupt.sh - SIGINT and SIGTERM stop a scan cleanly: status 130, soon, and the case file is sound and says so.
# Labels: long slow
. "$(dirname "$0")/../lib.sh"
planted
for _ in $(seq 40); do cat "$image"; done >"$dir/long.raw"
expect 0 "" scan --quiet --all-hits --case "$dir/whole" "$dir/long.raw"

for signal in INT TERM; do
    rm -f "$dir"/case*
    # A shell starts background jobs with SIGINT ignored; python3 gives it back.
    BURIN_CPUS=4 python3 - "$signal" "$BURIN" scan --all-hits --engine naive --threads 1 --segment 64K --case "$dir/case" "$dir/long.raw" \
        >"$dir/out" 2>"$dir/err" <<'PY'
import glob, os, signal, subprocess, sys, time

# The threads of the process: number, name, and a bit for each signal that it blocks.
def threads(pid):
    found = []
    for task in glob.glob("/proc/%d/task/*" % pid):
        try:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in open(task + "/status"))
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended
        found.append((int(os.path.basename(task)), status["Name"], int(status["SigBlk"], 16)))
    return found

process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
case = sys.argv[sys.argv.index("--case") + 1]
for _ in range(500):                       # until it has begun
    if os.path.exists(case) or process.poll() is not None:
        break
    time.sleep(0.01)
for _ in range(100):                       # and its threads as well
    time.sleep(0.1)
    found = threads(process.pid)
    missing = {"burin-scanner", "burin-writer"} - {name for _, name, _ in found}
    if not missing:
        break
else:
    print("threads:", found)
    process.kill()
    sys.exit(97)
# The main thread takes signals, and no other one does.
for thread, name, blocked in found:
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGALRM:
        blocks = blocked >> number - 1 & 1 == 1
        if blocks == (thread == process.pid):
            print("the thread %s %s %s" % (name, "blocks" if blocks else "takes", number.name))
            process.kill()
            sys.exit(98)
process.send_signal(getattr(signal, "SIG" + sys.argv[1]))
time.sleep(0.02)
process.send_signal(getattr(signal, "SIG" + sys.argv[1]))  # as timeout does, to the program and to its group
try:
    sys.exit(process.wait(timeout=20))
except subprocess.TimeoutExpired:
    process.kill()
    print("still running 20 s after the signal")
    sys.exit(99)
PY
    status=$?
    [ "$status" -eq 130 ] || fail "SIG$signal: status $status: $(cat "$dir/out" "$dir/err" | head -c 500)"
    grep -qiE "interrupt|stopped" "$dir/err" || fail "SIG$signal: no word of it: $(head -c 500 "$dir/err")"
    expect 0 "" list "$dir/case"
    [ "$(sqlite3 "$dir/case" 'PRAGMA integrity_check')" = ok ] || fail "SIG$signal: integrity_check fails"
    [ "$(sqlite3 "$dir/case" 'SELECT status FROM runs')" = interrupted ] || fail "SIG$signal: the run is $(sqlite3 "$dir/case" 'SELECT status FROM runs')"
    position=$(sqlite3 "$dir/case" 'SELECT position FROM runs')
    size=$(stat -c %s "$dir/long.raw")
    [ "$position" -lt "$size" ] || fail "SIG$signal: the scan had ended ($position of $size)"
    sqlite3 "$dir/case" 'SELECT id, offset, len, footer FROM hits ORDER BY id' >"$dir/some"
    cmp -s "$dir/some" <(sqlite3 "$dir/whole" 'SELECT id, offset, len, footer FROM hits ORDER BY id' | head -n "$(wc -l <"$dir/some")") ||
        fail "SIG$signal: the hits are not the first ones of a whole scan"
done

# So is a benchmark, with the programs that it runs: a terminal sends the signal to all of them. Its JSON is JSON all the same.
truncate -s 1T "$dir/huge.raw" 2>/dev/null || finish
while read -r -a words; do
    [ "${#words[@]}" -gt 0 ] || continue
    python3 - "$BURIN" bench "${words[@]}" >"$dir/out" 2>"$dir/err" <<'PY'
import os, signal, subprocess, sys, time
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, start_new_session=True,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
time.sleep(1)
os.killpg(process.pid, signal.SIGINT)
try:
    sys.exit(process.wait(timeout=20))
except subprocess.TimeoutExpired:
    os.killpg(process.pid, signal.SIGKILL)
    sys.exit(99)
PY
    status=$?
    check 130 "stopped" "bench ${words[*]}, interrupted"
    [[ " ${words[*]} " == *" --json "* ]] || continue
    python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["interrupted"] is True' "$dir/out" 2>/dev/null ||
        fail "bench ${words[*]}, interrupted: $(head -c 300 "$dir/out")"
done <<WORDS
read $dir/huge.raw
read --json $dir/huge.raw
scan --json $dir/huge.raw
match --json --no-peers --size 1M --runs 100
$(if has_papers; then printf '%s\n' "bloom --json --keys 100000 --runs 100" "rk --json --size 1M --runs 100"; fi)
WORDS
# An error half-way leaves JSON as well, which says what went wrong.
expect 3 "$dir/none" bench match --json --no-peers --size 64K --runs 1 --engines ac --dictionary burin --dictionary "$dir/none"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert len(r["cells"]) == 1 and sys.argv[2] in r["error"], r' \
    "$dir/out" "$dir/none" || fail "bench match, failed half-way: $(head -c 300 "$dir/out")"
finish
