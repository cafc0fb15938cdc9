#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/audit/audit_time.sh - a run whose time is over says so, and says nothing of what it has not read; the next one goes on there and
# comes to the rows of a scan that was never stopped. What has changed meanwhile is scanned anew.
# Labels: long
. "$(dirname "$0")/../lib.sh"
policy() {
    printf '%s\n' "[audit]" "name = test" "image = $dir/disk.raw" "state = $dir/state" "rules = keys" "$@" "[rule picture]" "where = type = 'png'" \
        "[output]" "prometheus = $dir/prom" >"$dir/policy"
}
# disk FILE: 48 MiB that are read in 3 seconds at 16 MiB a second, with a picture in front, one behind, and a key in the middle.
disk() {
    python3 - "$cli/audit" "$1" <<'PY'
import random, sys
sys.path.insert(0, sys.argv[1])
import audit_make
data = bytearray(random.Random(5).randbytes(48 << 20))
for offset, what in ((4096, audit_make.PICTURES["png1"]), (47 << 20, audit_make.PICTURES["png2"]), (30 << 20, b" AKIAIOSFODNN7EXAMPLE ")):
    data[offset:offset + len(what)] = what
open(sys.argv[2], "wb").write(data)
PY
}
audit() {
    burin audit --json --quiet "$@" "$dir/policy"
    cp "$dir/out" "$dir/told"
}
told() { python3 -c "import json, sys; told = json.load(open(sys.argv[1])); print(($1))" "$dir/told"; }
new() { told '" ".join(f["rule"] + "@" + str(f["offset"]) for f in told["findings"] if f["change"] == "new")'; }

disk "$dir/disk.raw"
policy "time = 2s" "max-read = 16M"
audit
[ "$status" -eq 1 ] || fail "a run that is cut short: $status $(cat "$dir/err")"
[ "$(told 'told["finished"], told["why"], "findings" in told, 0 <= told["read"] < 48 << 20')" = \
    "(False, 'its time of 2 s is over; the next run goes on there', False, True)" ] || fail "it does not say so: $(cat "$dir/told")"
! grep -q "^burin_audit_findings" "$dir/prom" || fail "metrics of what is not known"
grep -q '^burin_audit_last_success_timestamp_seconds{audit="test"} 0$' "$dir/prom" || fail "it is no success"
grep -q '^burin_audit_finished{audit="test"} 0$' "$dir/prom" || fail "it is not finished"
[ -e "$dir/state/unfinished.burin" ] && [ ! -e "$dir/state/run-000001.burin" ] || fail "what is left: $(ls "$dir/state")"
burin audit --nagios "$dir/policy"
[ "$status" -eq 1 ] && grep -q "^BURIN WARNING - test: NOT FINISHED, nothing is known yet: [0-9]* bytes read; " "$dir/out" || fail "Nagios of a run that is cut short: $status $(cat "$dir/out")"

# It goes on, and comes to the same rows.
policy
audit --no-jail
[ "$status" -eq 10 ] && [ "$(told 'told["finished"]')" = True ] || fail "the rest: $status $(cat "$dir/err")"
[ "$(sqlite3 -readonly "$dir/state/run-000001.burin" "SELECT count(*) > 1 FROM runs WHERE command = 'scan'")" = 1 ] || fail "it has begun anew"
[ "$(new | tr ' ' '\n' | sort | paste -sd' ')" = "keys@31457281 picture@4096 picture@49283072" ] || fail "findings: $(new)"
expect 0 "" scan --quiet --case "$dir/plain" "$dir/disk.raw"
objects="SELECT id, type, state, offset, len, crc64 FROM objects ORDER BY id"
[ "$(sqlite3 -readonly "$dir/plain" "$objects")" = "$(sqlite3 -readonly "$dir/state/run-000001.burin" "$objects")" ] || fail "it came to other objects"
expect 0 "" verify "$dir/state/run-000001.burin"
audit
[ "$status" -eq 0 ] || fail "the run behind: $status $(new)"

# The disk is another one when the next run goes on: that is noticed, and all of it is scanned.
policy "time = 1s" "max-read = 16M"
audit
[ -e "$dir/state/unfinished.burin" ] || fail "it was not cut short"
head -c 48M /dev/urandom >"$dir/disk.raw"
policy
audit
[ "$status" -eq 11 ] && grep -q "begins anew" "$dir/err" || fail "another disk: $status $(cat "$dir/err")"
[ "$(told 'sorted(f["change"] for f in told["findings"])')" = "['gone', 'gone', 'gone']" ] || fail "another disk: $(cat "$dir/told")"
finish
