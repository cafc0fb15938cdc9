#!/usr/bin/env bash
# tests/cli/verify.sh - `burin verify` tells a whole case file from a damaged one and from one whose log was changed.
. "$(dirname "$0")/lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
last=$(sqlite3 -readonly "$dir/case" "SELECT id || ' ' || hash FROM log ORDER BY id DESC LIMIT 1")
burin verify "$dir/case"
[ "$status" -eq 0 ] || fail "verify of a whole case file: status $status: $(cat "$dir/out" "$dir/err")"
grep -qF "the chain of ${last% *} entries holds; the hash of the last one is ${last#* }" "$dir/out" || fail "verify: $(cat "$dir/out")"
burin verify --json "$dir/case"
python3 -c 'import json, sys; a = json.load(open(sys.argv[1])); assert a["log_holds"] and a["pages"] == "whole" and a["log_last_hash"] == sys.argv[2], a' \
    "$dir/out" "${last#* }" || fail "verify --json: $(cat "$dir/out")"

# An entry is changed behind the back of the triggers.
triggers=$(sqlite3 -readonly "$dir/case" "SELECT group_concat(sql, '; ') FROM sqlite_schema WHERE type = 'trigger'")
tamper() { # SQL
    sqlite3 "$dir/case" "DROP TRIGGER log_insert; DROP TRIGGER log_update; DROP TRIGGER log_delete; $1; $triggers"
}
cp "$dir/case" "$dir/kept"
tamper "UPDATE log SET text = 'another' WHERE id = 1"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "broken at entry 1 of" "$dir/out" || fail "a changed entry: status $status: $(cat "$dir/out")"
expect 0 "the chain of its log is broken at entry 1" carve --quiet --out "$dir/carved" "$dir/case"
[ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM log WHERE text LIKE 'the chain of the log is broken at entry 1:%'")" = 1 ] || fail "carve does not note it"
cp "$dir/kept" "$dir/case"
tamper "DELETE FROM log WHERE id = 2"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "broken at entry 3 of" "$dir/out" || fail "a removed entry: status $status: $(cat "$dir/out")"

# Rows that refer to nothing, and a damaged page.
cp "$dir/kept" "$dir/case"
sqlite3 "$dir/case" "PRAGMA foreign_keys = OFF; INSERT INTO contents (object_id) VALUES (99999)"
burin verify "$dir/case"
[ "$status" -eq 1 ] && grep -q "a row of table contents refers to a row that is missing" "$dir/out" || fail "a lost row: status $status: $(cat "$dir/out")"
cp "$dir/kept" "$dir/case"
page=$(sqlite3 -readonly "$dir/case" "SELECT rootpage FROM sqlite_schema WHERE name = 'objects_by_offset'")
printf '\377\377\377' | dd of="$dir/case" bs=1 seek=$(((page - 1) * 4096 + 3)) conv=notrunc status=none
burin verify "$dir/case"
[ "$status" -eq 1 ] || [ "$status" -eq 3 ] || fail "a damaged page: status $status: $(cat "$dir/out" "$dir/err")"
expect 3 "No such file" verify "$dir/none"
expect 2 "CASE" verify
finish
