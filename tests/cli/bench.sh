#!/usr/bin/env bash
# tests/cli/bench.sh - `burin bench` runs, compares with cat, and its JSON is JSON. Says nothing about speed.
. "$(dirname "$0")/lib.sh"
planted

expect 0 "" bench scan --runs 1 "$image"
grep -q '\bcat\b' "$dir/out" || fail "bench scan does not name cat: $(cat "$dir/out")"
expect 0 "" bench scan --runs 1 --json "$image"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$dir/out" || fail "bench scan --json is no JSON: $(head -c 300 "$dir/out")"
expect 0 "" bench read "$image"
expect 3 "$dir/none" bench scan "$dir/none"
expect 2 "" bench
expect 2 "nothing" bench nothing "$image"
finish
