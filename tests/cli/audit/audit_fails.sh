#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_fails.sh - an audit that fails never says that it found nothing: status, line of Nagios, metrics, the time of the
# last success, events; and the results of the run before stay what they were.
# Labels: long
. "$(dirname "$0")/../lib.sh"
make() { python3 "$cli/audit/audit_make.py" "$@"; }
policy() {
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk.raw" "state = $dir/state" "rules = keys" "[output]" \
        "prometheus = $dir/prom" "sarif = $dir/sarif" "events = $dir/events" "$@" >"$dir/policy"
}
metric() { sed -n "s/^burin_audit_$1{audit=\"test\"} //p" "$dir/prom"; }
# failed STATUS NAGIOS-TEXT: what is told of the run that has just failed.
failed() {
    [ "$status" -eq "$1" ] || fail "line ${BASH_LINENO[0]}: status $status instead of $1: $(cat "$dir/err")"
    ! grep -E '^burin_audit_(findings|new_findings|objects|changes)' "$dir/prom" || fail "line ${BASH_LINENO[0]}: numbers of a run that failed"
    [ "$(metric exit_status) $(metric finished)" = "$1 0" ] || fail "line ${BASH_LINENO[0]}: metrics say $(metric exit_status) $(metric finished)"
    [ "$(metric last_success_timestamp_seconds)" = "$success" ] || fail "line ${BASH_LINENO[0]}: the last success is another one"
    cmp -s "$dir/sarif" "$dir/sarif.before" || fail "line ${BASH_LINENO[0]}: the findings of the run before are gone"
    tail -1 "$dir/events" | python3 -c "import json, sys; run = json.load(sys.stdin)
assert run['event'] == 'run' and run['status'] == $1 and run['finished'] is False and run['why'], run" || fail "line ${BASH_LINENO[0]}: the event"
    grep -qE "^test: FAILED, nothing is known: .*$2" "$dir/out" || fail "line ${BASH_LINENO[0]}: the summary: $(cat "$dir/out")"
    ! grep -i 'no new\|0 new\|0 findings' "$dir/out" "$dir/err" || fail "line ${BASH_LINENO[0]}: nothing found, it says"
}

make disk "$dir/disk.raw" aws@1400000 png1@4096
policy
expect 10 "" audit --quiet "$dir/policy"
success=$(metric last_success_timestamp_seconds)
[ "$success" -gt 1700000000 ] && [ "$(metric finished)" = 1 ] || fail "the first run: $success"
cp "$dir/sarif" "$dir/sarif.before"

# The image is gone; it is none; a glob finds none.
mv "$dir/disk.raw" "$dir/away"
burin audit "$dir/policy"
failed 3 "policy:3: image .*disk.raw: there is none"
burin audit --nagios "$dir/policy"
[ "$status" -eq 3 ] && grep -qE '^BURIN UNKNOWN - test: FAILED, nothing is known: .*there is none$' "$dir/out" || fail "Nagios: $status $(cat "$dir/out")"
printf 'QFI\xfb\0\0\0\3' >"$dir/disk.raw"
burin audit "$dir/policy"
failed 3 disk.raw
mv "$dir/away" "$dir/disk.raw"

# Killed: the scan's process, as by the kernel that has no memory left, and the audit itself. The next run goes on.
if [ -n "${SHIM:-}" ]; then
    status=0
    LD_PRELOAD=$SHIM SHIM_FILE=$dir/none SHIM_KILL=2 "$BURIN" audit "$dir/policy" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    failed 4 "the scan ended with status 137 and said nothing"
    [ -e "$dir/state/unfinished.burin" ] || fail "nothing is left to go on with"
fi
burin audit "$dir/policy"
[ "$status" -eq 0 ] && [ ! -e "$dir/state/unfinished.burin" ] || fail "the next run: $status $(cat "$dir/err")"
success=$(metric last_success_timestamp_seconds)
cp "$dir/sarif" "$dir/sarif.before"

# What could not be read is told, so that nothing found is no good news: the sector behind 1,536,000 bytes.
if [ -n "${SHIM:-}" ]; then
    status=0
    LD_PRELOAD=$SHIM SHIM_FILE=$dir/disk.raw SHIM_BAD=3000 "$BURIN" audit --nagios "$dir/policy" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    [ "$status" -eq 1 ] && grep -q "^BURIN WARNING - test: 0 new findings, .*; 512 bytes could not be read | .* unreadable=512B" "$dir/out" ||
        fail "a bad sector: $status $(cat "$dir/out" "$dir/err")"
    [ "$(metric exit_status) $(metric unreadable_bytes)" = "1 512" ] || fail "metrics of a bad sector: $(cat "$dir/prom")"
    python3 -c 'import json, sys; told, = json.load(open(sys.argv[1]))["runs"][0]["invocations"]
assert [n["message"]["text"].split(";")[0] for n in told["toolExecutionNotifications"]] == ["512 bytes could not be read"], told' "$dir/sarif" ||
        fail "SARIF of a bad sector: $(cat "$dir/sarif")"
    burin audit "$dir/policy"
    python3 -c 'import json, sys; told, = json.load(open(sys.argv[1]))["runs"][0]["invocations"]
assert told["toolExecutionNotifications"] == [], told' "$dir/sarif" || fail "SARIF of the run behind: $(cat "$dir/sarif")"
    success=$(metric last_success_timestamp_seconds)
    cp "$dir/sarif" "$dir/sarif.before"
fi

# Another audit is at work.
flock "$dir/state/lock" sh -c '"$@"; echo $? >"$0"' "$dir/locked" "$BURIN" audit "$dir/policy" >"$dir/out" 2>"$dir/err" </dev/null
status=$(cat "$dir/locked")
failed 3 "another audit is at work"

# An output cannot be written: that is a failure too, and the other outputs tell it.
policy "html = $dir/nowhere/page.html"
burin audit "$dir/policy"
[ "$status" -eq 4 ] && [ "$(metric exit_status)" = 4 ] || fail "an output that fails: $status, $(metric exit_status)"
grep -q "html: .*nowhere/page.html" "$dir/err" || fail "an output that fails: $(cat "$dir/err")"
policy "html = $dir/disk.raw"
sum=$(sha256sum <"$dir/disk.raw")
burin audit "$dir/policy"
[ "$status" -eq 3 ] && grep -q "disk.raw" "$dir/err" || fail "an output on the evidence: $status $(cat "$dir/err")"
[ "$(sha256sum <"$dir/disk.raw")" = "$sum" ] || fail "the evidence was written to"
policy
burin audit "$dir/policy"
success=$(metric last_success_timestamp_seconds)
cp "$dir/sarif" "$dir/sarif.before"

# The log of a run before was changed, or another file put in its place.
runs=("$dir/state"/run-*.burin)
last=${runs[-1]} before=${runs[-2]}
cp "$before" "$dir/saved"
cp "${runs[0]}" "$before"
burin audit "$dir/policy"
failed 3 "is not the one that .*${last##*/} has noted"
cp "$dir/saved" "$before"
cp "$last" "$dir/saved"
sqlite3 "$last" "PRAGMA writable_schema = ON; DROP TRIGGER log_update; UPDATE log SET text = 'x' WHERE id = 3;
    CREATE TRIGGER log_update BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;"
burin audit "$dir/policy"
failed 3 "entry 3 of its log was changed"
cp "$dir/saved" "$last"

# Stopped, while the disk does not answer.
if [ -n "${SHIM:-}" ]; then
    LD_PRELOAD=$SHIM SHIM_FILE=$dir/disk.raw SHIM_MUTE=1048576 SHIM_LARGE=1 BURIN_STOP_SECONDS=1 "$BURIN" audit "$dir/policy" >"$dir/out" 2>"$dir/err" \
        </dev/null &
    pid=$!
    until [ -s "$dir/state/unfinished.burin" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
    sleep 0.2
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    failed 130 "was stopped"
    burin audit "$dir/policy"
    [ "$status" -eq 0 ] || fail "behind a stop: $status $(cat "$dir/err")"
fi

# No space is left for the case file.
if mkdir "$dir/small" && mount -t tmpfs -o size=100k tmpfs "$dir/small" 2>/dev/null; then
    at_exit+=('umount "$dir/small"')
    sed -i "s|^state = .*|state = $dir/small/state|" "$dir/policy"
    burin audit "$dir/policy"
    [ "$status" -eq 4 ] && grep -q "FAILED, nothing is known" "$dir/out" || fail "a full disk: $status $(cat "$dir/out")"
else
    echo "skipped in part: no small disk can be made here"
fi

# What is wrong before there is an audit.
expect 2 "CONFIG" audit
expect 3 "none.conf" audit "$dir/none.conf"
burin audit --nagios "$dir/none.conf"
[ "$status" -eq 3 ] && grep -q '^BURIN UNKNOWN - ' "$dir/out" || fail "no policy, for Nagios: $(cat "$dir/out")"
burin audit --nagios --no-such-option "$dir/policy"
[ "$status" -eq 3 ] && grep -q '^BURIN UNKNOWN - ' "$dir/out" || fail "a wrong option, for Nagios: $(cat "$dir/out")"
finish
