#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/bench.sh - `burin bench` runs, compares with cat, and its JSON is JSON. Says nothing about speed.
# Labels: long
. "$(dirname "$0")/lib.sh"
planted

expect 0 "" bench scan --runs 1 "$image"
grep -q '\bcat\b' "$dir/out" || fail "bench scan does not name cat: $(cat "$dir/out")"
expect 0 "" bench scan --runs 1 --json "$image"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$dir/out" || fail "bench scan --json is no JSON: $(head -c 300 "$dir/out")"
echo 'gif y 9000 GIF' >"$dir/rules.conf"
expect 0 "" bench scan --runs 1 --json --hits-only --engine ac --strategy auto --segment 128K --io cache --threads 2 --dictionary "$dir/rules.conf" "$image"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1]))["rows"]; assert [x["name"] for x in r] == ["raw read", "hits only", "hits, auto", "no matching"], r
assert all(x["exit_status"] == 0 and x["ratio_no_matching"]["median"] > 0 for x in r), r' "$dir/out" || fail "bench scan --hits-only: $(head -c 300 "$dir/out")"
expect 2 "each once" bench scan --engine ac --engine simd --strategy a --devices 0 "$image"
# Each part is read once, by however many threads, and an error of one of them is the command's.
truncate -s 100000001 "$dir/sparse.raw"
for how in "--threads 1" "--threads 3" "--threads 3 --io cache" "--threads 256 --segment 64K --io pread"; do
    # shellcheck disable=SC2086
    expect 0 "" bench read $how "$dir/sparse.raw"
    grep -q ': 100000001 bytes read by' "$dir/out" || fail "bench read $how: $(cat "$dir/out")"
done
expect 0 "" bench read --threads 3 --json "$dir/sparse.raw"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["bytes_read"] == r["bytes"] == 100000001 and r["threads"] == 3, r' \
    "$dir/out" || fail "bench read --json: $(cat "$dir/out")"
expect 2 "--threads" bench read --threads 0 "$image"
# In rounds it stands beside other readers, of which the best is the yardstick.
expect 0 "" bench read --runs 2 --threads 2 --segment 128K --io cache --json "$dir/sparse.raw"
python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); by = {x["name"]: x for x in r["rows"]}
least = min((x for n, x in by.items() if n != "raw read" and x["exit_status"] == 0), key=lambda x: x["wall_seconds"]["median"])
assert r["best_read"] == least["name"] and least["ratio_best_read"] == {"median": 1, "min": 1, "max": 1}, r
assert {"raw read", "cat", "dd 1M", "dd 4M", "dd 16M"} <= set(by) and by["raw read"]["exit_status"] == 0 and r["cache"] == "warm", r' \
    "$dir/out" || fail "bench read --runs: $(cat "$dir/out")"
burin bench read --runs 1 --cold "$dir/sparse.raw"
{ [ "$status" -eq 0 ] && grep -q '^best read: ' "$dir/out"; } || { [ "$status" -eq 4 ] && grep -q 'cannot drop it from the page cache' "$dir/err"; } ||
    fail "bench read --cold: status $status: $(cat "$dir/out" "$dir/err")"
expect 2 "--cold goes with --runs" bench read --cold "$image"
expect 2 "each once" bench read --threads 2 --threads 2 --threads 2 --threads 2 --threads 2 "$image"
expect 2 "no such way to read" bench read --io floppy "$image"
expect 0 "" bench null --hits-only --case "$dir/null.burin" "$image"
[ "$(sqlite3 "$dir/null.burin" 'SELECT count(*) FROM hits')" = 0 ] || fail "bench null finds something"

# Every engine on every kind of data finds what naive finds; tables, JSON, files as dictionary and as data.
small=(--size 64K --runs 1 --no-peers)
every=(--data disk --data text --data random --data zeros --data adversarial --data near-misses)
each=(--dictionary burin --dictionary keywords:300i --dictionary random:20:9)
if [ -n "${BURIN_LONG:-}" ]; then
    expect 0 "" bench match --check "${small[@]}" --threads 3 "${every[@]}" "${each[@]}"
else
    expect 0 "" bench match --check "${small[@]}" --threads 3 "${every[@]}" --dictionary random:20:9
    expect 0 "" bench match --check "${small[@]}" --threads 3 --data near-misses "${each[@]:0:4}"
fi
expect 0 "" bench match "${small[@]}" --sweep --dictionary random:3:5 --dictionary snort --engines ac,auto
grep -q 'nanoseconds a byte' "$dir/out" || fail "bench match --sweep prints no times: $(cat "$dir/out")"
printf 's\t50414e45\ni\t6a706567\n' >"$dir/hex.dict"
printf 'panel\nEXIF\n' >"$dir/words"
expect 0 "" bench match --json --runs 2 --no-peers --dictionary "$dir/hex.dict" --dictionary "$dir/words" --ignore-case --data "$image:1M" --clock cpu
python3 -c 'import json, sys; c = json.load(open(sys.argv[1]))["cells"]; assert len(c) == 2 and c[0]["patterns"] == 2 and c[0]["bytes"] == 1 << 20' \
    "$dir/out" || fail "bench match --json is not as it should be: $(head -c 300 "$dir/out")"
expect 4 "$dir/none" bench match "${small[@]:0:4}" --peer "x=$dir/none"
expect 3 "$dir/none" bench match "${small[@]}" --dictionary "$dir/none"
expect 2 keywords bench match "${small[@]}" --dictionary keywords:0
expect 2 "1000000" bench match "${small[@]}" --dictionary keywords:1000001
printf 's\t41\ni\t%s\n' "$(printf '41%.0s' {1..256})" >"$dir/long.dict"
expect 3 "$dir/long.dict:2: .*at most 255 bytes" bench match "${small[@]}" --dictionary "$dir/long.dict"
expect 2 nothing bench match "${small[@]}" --engines nothing
for option in --engines --threads; do
    expect 2 "$option: name 1 to 32" bench match "${small[@]}" "$option" ''
    expect 2 "$option: name 1 to 32" bench match "${small[@]}" "$option" "$(printf '1,%.0s' {1..33})"
done
expect 2 "--segment: name 1 to 32" bench cuda --segment ''
expect 2 "--engines: name 1 to 32" bench cuda --engines ''
printf '\xef\xbb\xbfpanel\r\n' >"$dir/words"
expect 0 "" bench match "${small[@]}" --dictionary "$dir/words" --engines ac
grep -q 'words: 1 patterns of 5 to 5 bytes' "$dir/out" || fail "a byte order mark is taken for text: $(cat "$dir/out")"
printf 's\t50414\n' >"$dir/hex.dict"
expect 3 "hex.dict:1: want s or i" bench match "${small[@]}" --dictionary "$dir/hex.dict" --engines ac

# Where there is a GPU its engines find what the CPU's do; where there is none, that is said.
expect 2 4K bench cuda --segment 1
expect 2 "named twice" bench cuda --devices 1,1
devices=$("$BURIN" info --devices)
if grep -q '^cuda0' <<<"$devices"; then
    expect 0 "" bench cuda --json --size 4M --runs 1 --segment 256K --total 4M --threads 2
    python3 -c 'import json, sys; t = json.load(open(sys.argv[1]))["tables"]; assert len(t) == 4 and t[1]["rows"][0]["strategy"] == "auto"' \
        "$dir/out" || fail "bench cuda --json is not as it should be: $(head -c 300 "$dir/out")"
else
    expect 4 "no device" bench cuda
fi
expect 3 "$dir/none" bench scan "$dir/none"
# What a program that is measured says, and its status, are the benchmark's.
: >"$dir/empty"
expect 3 "$dir/empty: is empty" bench scan --runs 1 "$dir/empty"
expect 3 "/dev/zero: is a character device" bench scan --runs 1 /dev/zero
expect 3 "status 3: .*$dir/none: cannot be opened" bench scan --runs 1 --dictionary "$dir/none" "$image"
expect 2 "status 2: .*unknown engine" bench scan --runs 1 --engine nosuchengine "$image"
expect 2 "" bench
expect 2 "nothing" bench nothing "$image"
has_papers || expect 2 "pfac: .*this build is without" bench pfac
has_papers || expect 4 "this build is without" bench cuda --paper tran
expect 2 "^burin: bench: mathc: did you mean match\\?" bench mathc
finish
