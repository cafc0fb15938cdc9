#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/triage.sh - `burin triage`: what it says of made disks, of which everything is known.
#
# Method: triage.py makes the disks, and works out each number by itself: classes from the bytes when all of the disk was looked at;
# intervals and bounds from the counts when it was not; and over many seeds how often what is planted must be met.
# BURIN_DRAWS says how many seeds (default 50, and 100 with BURIN_LONG=1; 200 were run).
# Labels: long
. "$(dirname "$0")/lib.sh"
export PYTHONPATH=$cli
one_line() { tr '\n' ' ' <"$dir/out" && echo; }
same() { python3 -c 'import json, sys; told = json.load(sys.stdin); del told["sample"]["seconds"]; print(json.dumps(told, indent=1))' <"$dir/out"; }
disk=$dir/disk.raw
python3 "$cli/triage.py" bad "$disk" && python3 "$cli/triage.py" disk "$disk" || exit 1
expect 0 "" known build --quiet --files --bad --names --block 4096 --label "case 7" "$dir/bad.set" "$disk.bad"
printf 'needle\nnowhere\n' >"$dir/words"
asked=(--known "$dir/bad.set" --keywords "$dir/words")

# All of the disk: exact, and every find is where it was put.
expect 0 "" triage --quiet --json --unit 4K --sweeps 9 --seed 7 --case "$dir/all" "${asked[@]}" "$disk"
python3 "$cli/triage.py" census "$disk" <"$dir/out" || fail "the whole disk"

# A sample: the numbers follow from the counts. The same seed gives the same answer, whoever looks; another seed gives another one.
sample=(triage --quiet --json --unit 4K --sweeps 1 "${asked[@]}")
for seed in 1 2 3; do
    expect 0 "" "${sample[@]}" --seed "$seed" --case "$dir/s$seed" "$disk"
    one_line >>"$dir/lines"
done
python3 "$cli/triage.py" check "$disk" <"$dir/lines" || fail "numbers of a sample"
expect 0 "" "${sample[@]}" --seed 5 --case "$dir/t0" --threads 1 "$disk"
same >"$dir/want"
i=0
for how in "--threads 4" "--threads 9 --io pread" "--engine ac" "--engine words --io cache" "--engine simd --threads 2" "--no-jail"; do
    i=$((i + 1))
    # shellcheck disable=SC2086 # words of options
    expect 0 "" "${sample[@]}" --seed 5 --case "$dir/t$i" $how "$disk"
    same | diff "$dir/want" - >"$dir/diff" || fail "$how gives another answer: $(head -5 "$dir/diff")"
done
diff <(sed -n 1p "$dir/lines") <(sed -n 2p "$dir/lines") >/dev/null && fail "two seeds, one answer"

# What is planted is met as often as it must be.
python3 "$cli/triage.py" scattered "$dir/wide.raw"
printf 'SCATTER\nRUN-RUN\n' >"$dir/planted"
for seed in $(seq "${BURIN_DRAWS:-$(rounds 50 100)}"); do
    expect 0 "" triage --quiet --json --unit 4K --sweeps 6 --time 1h --target 128M --seed "$seed" --keywords "$dir/planted" \
        --encoding utf-8 --case "$dir/wide" --sweeps 1 "$dir/wide.raw"
    one_line
done >"$dir/wide.lines"
python3 "$cli/triage.py" rates "$dir/wide.raw" <"$dir/wide.lines" >"$dir/rates" || fail "found as often as by chance"
head "-$(rounds 5 20)" "$dir/wide.lines" | python3 "$cli/triage.py" check x || fail "numbers of a wide disk"

# It ends as soon as no more than the target can be unseen.
expect 0 "" triage --quiet --json --unit 4K --target 2M --seed 1 --case "$dir/target" "$dir/wide.raw"
python3 - "$dir/out" <<'PY' || fail "the target: $(head -c 600 "$dir/out")"
import json, sys
told = json.load(open(sys.argv[1]))
assert told["unseen"]["high"] <= 2 << 20 and told["sample"]["sweeps"] < told["sample"]["sweeps_all"], told["sample"]
assert told["unseen"]["high"] > 256 << 10, told["unseen"]
PY

# Bytes that were not read are not seen: nothing is found there, and the bound counts them.
printf '# map\n0 ?\n0 0x4b0000 +\n0x4b0000 0x100000 ?\n0x5b0000 0x%x +\n' $(($(stat -c %s "$disk") - 0x5b0000)) >"$dir/map"
expect 1 "could not be read" "${sample[@]}" --sweeps 9 --seed 5 --mapfile "$dir/map" --case "$dir/map.case" "$disk"
one_line >"$dir/map.line"
python3 - "$dir/map.line" <<'PY' || fail "unread bytes"
import json, sys
told = json.loads(open(sys.argv[1]).read())
assert told["sample"]["units_unreadable"] == 256 == told["unseen"]["units"], told["sample"]
assert not [f for f in told["found"] if 0x4b0000 <= f["offset"] < 0x5b0000], told["found"]
assert [f["what"] for f in told["found"]] == [], told["found"]
assert told["answer"] == "amber", told["answer"] # 300 places that look random, on a disk without a file system
PY
expect 1 "could not be read" "${sample[@]}" --seed 5 --mapfile "$dir/map" --case "$dir/map.case" "$disk"
one_line | python3 "$cli/triage.py" check x || fail "numbers where some was not read"
if [ -n "${SHIM:-}" ]; then # a read that fails: sector 10,402 lies in the unit of the word
    status=0
    LD_PRELOAD=$SHIM SHIM_FILE=$disk SHIM_BAD=10402 "$BURIN" "${sample[@]}" --sweeps 9 --seed 5 --case "$dir/shim" "$disk" >"$dir/out" 2>"$dir/err" \
        </dev/null || status=$?
    check 1 "1 of the places could not be read" "a bad sector"
    python3 -c 'import json, sys
told = json.load(sys.stdin)
assert told["unseen"]["units"] == 1 and not [f for f in told["found"] if f["kind"] == "keyword"], told["unseen"]' <"$dir/out" || fail "a bad sector"
fi

# Words for people: what was met first, the verdict last. Nothing is ever called clean.
expect 0 "" triage --quiet --unit 4K --sweeps 9 --seed 7 --case "$dir/text" "${asked[@]}" "$disk"
grep -qE '^RED +known bad +16 blocks in 16 places, set "case 7", first at 5734400 \([0-9a-f]{64}, block 0 of .*disk.raw.bad\): proof$' "$dir/out" ||
    fail "no red line: $(cat "$dir/out")"
grep -qE '^AMBER +key +kdbx at 4915200: proof$' "$dir/out" || fail "no key: $(cat "$dir/out")"
grep -qE '^ +beside +[0-9]+ of 128 places next to them hold blocks of the same set$' "$dir/out" || fail "nothing beside: $(cat "$dir/out")"
grep -qE '^ +newest +2024-02-29 21:59:59, as the file at 4710400 says$' "$dir/out" || fail "no newest date: $(cat "$dir/out")"
grep -qE '^AMBER +keyword +needle \(utf-8\) at 5324881: proof$' "$dir/out" || fail "no keyword: $(cat "$dir/out")"
grep -qE '^NOT SEEN +keywords +1 of 2 words: each is in no more than 0 places' "$dir/out" || fail "no word that was not met: $(cat "$dir/out")"
[ "$(tail -1 "$dir/out" | tr -s ' ')" = "ANSWER red" ] || fail "the verdict: $(tail -1 "$dir/out")"
! grep -qi clean "$dir/out" || fail "a disk is called clean"

# Several images: a line each, the worst first.
truncate -s 8M "$dir/empty.raw"
{ printf 'LUKS\xba\xbe\0\1'; head -c 1048568 /dev/zero; } >"$dir/luks.raw"
expect 0 "" triage --quiet --sweeps 9 --seed 1 --case "$dir/many" "${asked[@]}" "$dir/empty.raw" "$dir/luks.raw" "$disk"
[ "$(cut -d' ' -f1 "$dir/out" | tr '\n' ' ')" = "RED AMBER CLEAR " ] || fail "the worst first: $(cat "$dir/out")"
expect 0 "" triage --quiet --json --sweeps 9 --seed 1 --case "$dir/many2" "$dir/empty.raw" "$dir/luks.raw"
python3 -c 'import json, sys; assert [a["answer"] for a in json.load(sys.stdin)] == ["amber", "unknown"]' <"$dir/out" || fail "JSON of several"

# The case file: the run, its sweeps, what was met.
rows=$(sqlite3 -readonly "$dir/all" "SELECT command, status, json_extract(options, '\$.seed'), json_extract(options, '\$.unit') FROM runs;
    SELECT sum(units), sum(zero + fill + text + structured + dense + uniform + unreadable), sum(hits) FROM triage;
    SELECT count(*), min(offset), max(detail) LIKE '%block 15%' OR 1 FROM triage_found WHERE kind = 'known';
    SELECT offset, what, detail FROM triage_found WHERE kind IN ('keyword', 'picture') ORDER BY number")
[ "$rows" = "triage|done|7|4096
2049|2049|18
16|5734400|1
5324881|needle|utf-8
4710400|jpg|camera, place" ] || fail "rows: $rows"
expect 0 "" verify "$dir/all"

# The page shows the photo small, which is read from the image; not where a known block lies in it, nor without the image.
pictures() { grep -cE '<img [^>]*alt="Picture at 0x47e000".* src="data:image/jpeg;base64,/9j/' "$dir/out"; }
expect 0 "" report --format html "$dir/all"
if ldconfig -p | grep -q libturbojpeg.so.0; then
    [ "$(pictures)" = 1 ] || fail "the page has no small picture of the photo"
    expect 0 "" report --format html --thumbs 0 "$dir/all"
    [ "$(pictures)" = 0 ] || fail "the page has a picture that nobody wanted"
    cp "$dir/all" "$dir/marked"
    sqlite3 "$dir/marked" "UPDATE triage_found SET offset = 4710400 WHERE kind = 'known' AND number =
        (SELECT min(number) FROM triage_found WHERE kind = 'known')"
    expect 0 "" report --format html "$dir/marked"
    [ "$(pictures)" = 0 ] || fail "the page shows a picture with a known block"
fi
grep -q 'Pictures that were met and noted: 1; with the camera or the place in them: 1' "$dir/out" || fail "the page does not tell of the photo"

# --then scan goes on in the same case file, and finds what a scan by itself finds.
expect 0 "" triage --quiet --sweeps 1 --seed 1 --then scan --known "$dir/bad.set" --case "$dir/then" "$disk"
expect 0 "" scan --quiet --known "$dir/bad.set" --case "$dir/plain" "$disk"
diff <("$BURIN" list --digest "$dir/then") <("$BURIN" list --digest "$dir/plain") >"$dir/diff" || fail "--then scan: $(cat "$dir/diff")"
[ "$(sqlite3 -readonly "$dir/then" "SELECT group_concat(command || ' ' || status, ', ') FROM runs")" = "triage done, scan done" ] ||
    fail "the runs of --then scan"

# What is known when it is stopped is told, and recorded.
truncate -s 1T "$dir/vast.raw"
"$BURIN" triage --target 4K --time 1h --seed 1 --case "$dir/vast" "$dir/vast.raw" >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
until grep -q "sweep 2:" "$dir/err" || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -TERM $pid
status=0
wait $pid || status=$?
[ "$status" -eq 130 ] || fail "stopped: status $status"
[ "$(tail -1 "$dir/out" | cut -d' ' -f1)" = ANSWER ] || fail "stopped: $(tail -1 "$dir/out")"
[ "$(sqlite3 -readonly "$dir/vast" "SELECT status, (SELECT max(sweep) > 0 FROM triage) FROM runs")" = "interrupted|1" ] || fail "a stop on record"

# An image that is there no more ends both.
expect 3 "" triage --quiet --then scan --case "$dir/none" "$dir/none.raw"
expect 2 "write 4K" triage --unit 5K "$disk"
expect 2 "such as 60s" triage --time 5x "$disk"
expect 2 "such as 60s" triage --time 0 "$disk"
expect 2 "write --then scan" triage --then carve "$disk"
expect 2 "50 to 99" triage --confidence 100 "$disk"
expect 2 "leave it" triage --engine shift-and "$disk"
expect 2 "no --known" triage --known-step 512 "$disk"
expect 0 "" known build --quiet --files "$dir/files.set" "$disk.bad"
expect 3 "whole files" triage --quiet --known "$dir/files.set" --case "$dir/files" "$disk"
finish
