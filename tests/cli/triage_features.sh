#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/triage_features.sh - `burin triage --features`: numbers with right check digits are met where they were put, and count as
# amber; wrong ones, those of packs that were not asked for, and those at the edge of a place are not.
# Labels: long
. "$(dirname "$0")/lib.sh"
python3 - "$dir/disk" <<'PY'
import sys
disk = bytearray(b"\x01\xf0" * (128 << 10))
def put(at, text):
    disk[at : at + len(text)] = text
put(5000, b" 4012888888881881 ")                 # Luhn: right
put(20000, b" 4012888888881882 ")                # wrong by one
put(36864, b"4012888888881881 ")                 # at the beginning of a place: it may be longer
put(49144, b" 4012888888881881")                 # over an edge
put(60000, b" GB82 WEST 1234 5698 7654 32 ")     # ISO 13616's example
put(80000, b" someone@example.com ")             # not asked for
put(100001, " 4012888888881881 ".encode("utf-16-le"))
open(sys.argv[1], "wb").write(disk)
PY
asked=(triage --quiet --unit 4K --sweeps 64 --seed 3 --features "card,iban")
expect 0 "" "${asked[@]}" --json --case "$dir/case" "$dir/disk"
python3 -c '
import json, sys
told = json.load(sys.stdin)
found = sorted((f["offset"], f["what"], f["detail"]) for f in told["found"])
want = [(5001, "card", "utf-8"), (60001, "iban", "utf-8"), (100003, "card", "utf-16le")]
assert found == want, found
assert told["answer"] == "amber", told["answer"]' <"$dir/out" || fail "what was found: $(head -c 2000 "$dir/out")"
expect 0 "" "${asked[@]}" --case "$dir/text" "$dir/disk"
grep -qE '^AMBER +feature +iban \(utf-8\) at 60001: proof$' "$dir/out" || fail "no line: $(cat "$dir/out")"
[ "$(sqlite3 -readonly "$dir/text" "SELECT json_extract(options, '$.features') FROM runs")" = '["card","iban"]' ] || fail "what was asked for is not on record"
expect 2 "there is email, url" triage --features cards --case "$dir/none" "$dir/disk"
expect 2 "" triage --features card --encoding utf-32le --case "$dir/none" "$dir/disk"
finish
