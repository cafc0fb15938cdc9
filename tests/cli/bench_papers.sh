#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/bench_papers.sh - the kinds of `burin bench` that reproduce published papers run, and their JSON is JSON. Says nothing about speed.
# Labels: long
. "$(dirname "$0")/lib.sh"
has_papers || skip "this build is without the papers"

# The paper's experiment in small: all forms find the same, else it fails.
expect 0 "" bench rk --size 64K --runs 1 --run-time 1 --engines rk,rk:direct,match-str
grep -q 'algorithm 5' "$dir/out" || fail "bench rk prints no table: $(cat "$dir/out")"
expect 0 "" bench rk --size 64K --runs 1 --run-time 1 --engines rk,rk:openmp --json
python3 -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["cells"]) == 210' "$dir/out" ||
    fail "bench rk --json is not as it should be: $(head -c 300 "$dir/out")"
expect 2 size bench rk --size 1
expect 2 "--engines: name 1 to 32" bench rk --engines ''
expect 2 "'nope' is no form" bench rk --size 64K --engines rk,nope

# The paper's sets: tables a fiftieth of the plain one, within Theorem 1; what needs a device says so where there is none.
expect 0 "" bench pfac --table 3
grep -q 'Theorem 1' "$dir/out" || fail "bench pfac prints no table: $(cat "$dir/out")"
expect 0 "" bench pfac --table 3 --json
python3 -c 'import json, sys
rows = json.load(open(sys.argv[1]))["table3"]
assert [r["states"] for r in rows] == [5176, 10486, 14379, 20281, 27754, 30650]
assert all(r["mfph"] <= 0.02 and r["mfph_slots"] <= r["mfph_bound"] for r in rows)' \
    "$dir/out" || fail "bench pfac --json is not as it should be: $(head -c 300 "$dir/out")"
if [ -e /dev/nvidiactl ]; then
    expect 0 "" bench pfac --runs 1 --size 1M --table 4 --table 5
else
    expect 4 device bench pfac --table 5
fi
expect 2 "large" bench pfac --table 6
# Every kind of filter, every form: the same bits, or an error.
expect 0 "" bench bloom --keys 20000 --thesis 300 --runs 1 --threads 3
[ "$(grep -c 'by formula' "$dir/out")" = 3 ] || fail "bench bloom does not measure three kinds: $(cat "$dir/out")"
expect 0 "" bench bloom --keys 5000 --thesis 0 --runs 2 --rate 0.01 --no-device --json
python3 -c 'import json, sys; c = json.load(open(sys.argv[1]))["kinds"]; assert [x["kind"] for x in c] == ["standard", "blocked"] and c[0]["k"] == 7' \
    "$dir/out" || fail "bench bloom --json is not as it should be: $(head -c 300 "$dir/out")"
expect 2 rate bench bloom --rate 1

expect 2 zha-sahni bench cuda --paper none
if ! grep -q '^cuda0' <<<"$("$BURIN" info --devices)"; then
    expect 4 "no device" bench cuda --paper tran
fi
finish
