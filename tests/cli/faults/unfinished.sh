#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/unfinished.sh - list and carve of a scan that is going on, was stopped or killed: what is told is told as it is.
# Labels: long
. "$(dirname "$0")/../lib.sh"
planted
for _ in $(seq 3); do cat "$image"; done >"$dir/long.raw"
slow=(scan --quiet --all-hits --engine naive --threads 1 --segment 64K)

# begin CASE: a slow scan in the background, $scan, that has written something.
begin() {
    "$BURIN" "${slow[@]}" --case "$1" "$dir/long.raw" </dev/null >/dev/null 2>&1 &
    scan=$!
    at_exit+=("kill -9 $scan 2>/dev/null")
    until [ "$(sqlite3 -readonly "$1" 'SELECT position > 0 FROM runs' 2>/dev/null)" = 1 ]; do
        kill -0 "$scan" 2>/dev/null || { fail "the scan ended by itself"; break; }
        sleep 0.1
    done
}
known='objects are known only below offset [0-9]+ of 14156145$'

# While it goes on, lists say so; status 0, and the objects there are.
begin "$dir/case"
expect 0 "^burin: list: the scan of $dir/long.raw is still going on: another program writes to the case file now; $known" list "$dir/case"
expect 0 "" list --quiet "$dir/case"
[ ! -s "$dir/err" ] || fail "list --quiet speaks: $(cat "$dir/err")"
kill -0 "$scan" 2>/dev/null || fail "the scan did not go on"
# Killed: nobody is at it.
kill -9 "$scan"
wait "$scan" 2>/dev/null
expect 0 "^burin: list: the scan of $dir/long.raw did not finish: it was killed, or the machine stopped; $known" list "$dir/case"
burin carve --out "$dir/carved" "$dir/case"
[ "$status" -eq 0 ] || fail "carve of a killed scan: status $status: $(cat "$dir/err")"
grep -qE "^burin: carve: the scan of $dir/long.raw did not finish: .*; $known" "$dir/err" || fail "carve says: $(cat "$dir/err")"
grep -qE "^Not all that could be found: the scan of $dir/long.raw did not finish" "$dir/carved/audit.txt" || fail "audit.txt: $(head -12 "$dir/carved/audit.txt")"
grep -q "<burin:unfinished image=\"1\">the scan of $dir/long.raw did not finish" "$dir/carved/report.xml" || fail "report.xml: $(tail -12 "$dir/carved/report.xml")"
xmllint --noout --nonet --schema "$cli/../carver/report.xsd" "$dir/carved/report.xml" 2>"$dir/err" || fail "report.xml: $(head -3 "$dir/err")"
expect 0 "" carve --quiet --out "$dir/quiet" "$dir/case"
[ ! -s "$dir/err" ] || fail "carve --quiet speaks: $(cat "$dir/err")"
grep -q "did not finish" "$dir/quiet/audit.txt" || fail "audit.txt of a quiet carve says nothing"
# On another machine nobody here can know.
sqlite3 "$dir/case" "UPDATE runs SET host = 'elsewhere', status = 'running' WHERE command = 'scan'"
expect 0 "is not finished: it still runs on the machine elsewhere, or was killed there; $known" list "$dir/case"

# Stopped by a signal.
begin "$dir/stopped"
kill -TERM "$scan"
wait "$scan" 2>/dev/null
expect 0 "the scan of $dir/long.raw is not finished \\(interrupted\\); $known" list "$dir/stopped"

# A search that was stopped takes nothing from the objects of a scan; one of an image that was never scanned knows none.
expect 0 "" scan --quiet --case "$dir/whole" "$image"
expect 0 "" search --quiet --no-file-systems --case "$dir/whole" "$image" JFIF
sqlite3 "$dir/whole" "UPDATE runs SET status = 'interrupted' WHERE command = 'search'"
expect 0 "" list "$dir/whole"
[ ! -s "$dir/err" ] || fail "list speaks of a search: $(cat "$dir/err")"
expect 0 "" search --quiet --no-file-systems --case "$dir/searched" "$image" JFIF
burin list "$dir/searched"
[ "$status" -eq 0 ] && [ ! -s "$dir/out" ] || fail "list of a search alone: status $status: $(head -3 "$dir/out")"
grep -q "^burin: list: $image was searched but not scanned: the case file has no objects of it\$" "$dir/err" || fail "list of a search alone says: $(cat "$dir/err")"
expect 0 "" carve --quiet --out "$dir/nothing" "$dir/searched"
finish
