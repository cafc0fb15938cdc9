#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/threads.sh - every command, with every option that starts a thread, on one processor and on many: the same answer each time.
#
# Method: BURIN_CPUS gives the number of threads of commands that choose it themselves, and --threads that of the others. Built with
# ThreadSanitizer (the preset tsan), this is the test that the whole program has no data race; BURIN_THREADS_ALL=1 takes every number
# of threads from 1 to 16 and not a choice of them.
# Labels: long
. "$(dirname "$0")/../lib.sh"
export TSAN_OPTIONS="${TSAN_OPTIONS:-}:log_path=$dir/sanitizer:exitcode=99:halt_on_error=0"
planted
head -c 3000000 "$image" >"$dir/first.raw"
head -c 1500000 "$image" >"$dir/second.raw"
for ((i = 0; i < 64; i++)); do cat "$dir/first.raw"; done >"$dir/long.raw"
printf '%s\n' 'png y 200000 \x89PNG IEND\xae\x42\x60\x82' 'gif y 5000 GIF89a \x00\x3b' 'htm y 9000 /<[a-z]+>/ /<\/[a-z]+>/' >"$dir/rules.conf"
# Texts, each on a sector: those of an image that threads share among them.
python3 -c 'import sys
for i in range(3000): sys.stdout.buffer.write((b"Line %d of a text.\n" % i * 20).ljust(1024, b"\0"))' >"$dir/texts.raw"
mkdir "$dir/frags"
dd if="$dir/first.raw" of="$dir/frags/a" bs=4096 skip=10 count=50 status=none
sha256sum "$dir/frags/a" >"$dir/sums"
expect 0 "" known build --quiet --files --block 512 --bad "$dir/blocks" "$dir/frags"
expect 0 "" known build --quiet --good "$dir/files" "$dir/sums"
printf 'IHDR\nJFIF\nmoov\n' >"$dir/words"
for k in 0 1 2; do
    expect 0 "" scan --quiet --part $k/3 --parts "$dir/shards" --threads 1 --segment 64K --part-size 192K "$dir/first.raw"
done

declare -A first
same() { # NAME: $dir/rows is what it was the first time
    local sum
    sum=$(sha256sum <"$dir/rows")
    [ "${first[$1]:-$sum}" = "$sum" ] || fail "$1: other rows with BURIN_CPUS=$BURIN_CPUS and --threads $threads"
    first[$1]=$sum
}
# Where one processor is enough for all, ThreadSanitizer sees less than where there are two, and three are no other case than two.
cpus_few="2 16"
[ -z "${SHIM:-}" ] || cpus_few="1 16"
for cpus in $(rounds "$cpus_few" "1 2 3 16"); do
    export BURIN_CPUS=$cpus
    # One thread alone is the same on any number of processors.
    numbers=$((cpus < 3 ? 3 : cpus))
    # Of one thread ThreadSanitizer has nothing to say.
    [ "$cpus" != 1 ] || [ -z "${SHIM:-}${BURIN_LONG:-}" ] || numbers="1 3"
    [ -z "${BURIN_THREADS_ALL:-}" ] || numbers=$(seq 16)
    for threads in $numbers; do
        # Small segments and small parts, so that threads meet at their ends.
        how=(--quiet --threads "$threads" --segment 64K --part-size 192K)
        rm -rf "$dir"/case* "$dir/out.carved"
        expect 0 "" scan "${how[@]}" --known "$dir/blocks" --known "$dir/files" --known-step 512 --case "$dir/case" "$dir/first.raw" "$dir/second.raw"
        rows "$dir/case" >"$dir/rows"
        same "scan --known"
        expect 0 "" scan "${how[@]}" --hash md5,sha1,sha256,tree --case "$dir/case.hash" "$dir/first.raw"
        { rows "$dir/case.hash"; sqlite3 -readonly "$dir/case.hash" "SELECT kind, digest FROM image_hashes"; } >"$dir/rows"
        same "scan --hash"
        expect 0 "" scan "${how[@]}" --types default,text --case "$dir/case.text" "$dir/texts.raw"
        rows "$dir/case.text" >"$dir/rows"
        same "scan --types text"
        expect 0 "" search "${how[@]}" -f "$dir/words" -i --case "$dir/case" "$dir/first.raw" PNG
        cut -f1-3 "$dir/out" >"$dir/rows"
        same search
        expect 0 "" search "${how[@]}" --regex 'I(HDR|DAT)..' --case "$dir/case.regex" "$dir/first.raw"
        cut -f1-3 "$dir/out" >"$dir/rows"
        same "search --regex"
        expect 0 "" scan "${how[@]}" --no-assemble --case "$dir/case.pieces" "$dir/first.raw"
        expect 0 "" assemble --quiet --effort 1 --threads "$threads" "$dir/case.pieces"
        "$BURIN" list --digest "$dir/case.pieces" >"$dir/rows"
        same assemble
        link=()
        [ "$threads" = 1 ] || link=(--link)
        rm -f "$dir/merged"*
        expect 0 "" merge --quiet "${link[@]}" --threads "$threads" --case "$dir/merged" "$dir/shards"
        "$BURIN" list --digest "$dir/merged" >"$dir/rows"
        same merge
        expect 0 "" triage --quiet --threads "$threads" --sweeps 3 --seed 7 --keywords "$dir/words" --case "$dir/case.triage" "$dir/first.raw"
        sqlite3 -readonly "$dir/case.triage" "SELECT * FROM triage_found ORDER BY number" >"$dir/rows"
        same triage
        expect 0 "" carve --quiet --threads "$threads" --embedded --truncated --out "$dir/out.carved" "$dir/case"
        (cd "$dir/out.carved" && find . -type f ! -name audit.txt ! -name report.xml -print0 | sort -z | xargs -0 sha256sum) >"$dir/rows"
        same carve
        expect 0 "" list "$dir/case"
        cp "$dir/out" "$dir/rows"
        same list
        expect 0 "" scan "${how[@]}" --all-hits --dictionary "$dir/rules.conf" --case "$dir/case.rules" "$dir/first.raw"
        rows "$dir/case.rules" >"$dir/rows"
        same "scan --dictionary"
        # Long enough for other engines to be compiled beside it, and under ThreadSanitizer to be tried. So it takes long: on few
        # processors and on many will do.
        case $cpus in 1 | 3) continue ;; esac
        rm -f "$dir"/case*
        expect 0 "" scan --quiet --threads "$threads" --part-size 2M --hits-only --case "$dir/case" "$dir/long.raw"
        sqlite3 -readonly "$dir/case" "SELECT offset, len, footer FROM hits ORDER BY id" >"$dir/rows"
        same "scan --hits-only of 192 MB"
    done
    threads=2
    # Ways of reading, engines, and what changes how much a thread has to do.
    ways=("--io aio" "--io cache" "--io pread" "--engine simd" "--engine ac" "--engine words" "--hits-only" "--range 65000:1000001" "--align 512")
    # Who looks at threads is ThreadSanitizer.
    [ -z "${SHIM:-}" ] || [ -n "${BURIN_LONG:-}" ] || ways=("--io cache" "--engine words" "--align 512")
    if has_papers; then ways+=("--engine rk"); fi
    # It is made for a pattern or two: all of them in all of the image take it as long as a fifth of this test.
    { [ -n "${SHIM:-}" ] && [ -z "${BURIN_LONG:-}" ]; } || ways+=("--range 0:600000 --engine simd" "--range 0:600000 --engine quick-search")
    # They are two threads whatever the number of processors: once is enough, where what comes behind the scan has most of its own.
    [ "$cpus" = 16 ] || [ -n "${BURIN_THREADS_ALL:-}" ] || ways=()
    for option in "${ways[@]}"; do
        rm -f "$dir"/case*
        # shellcheck disable=SC2086
        expect 0 "" scan --quiet --threads 2 --segment 64K --part-size 192K $option --case "$dir/case" "$dir/first.raw"
        sqlite3 -readonly "$dir/case" "SELECT offset, len, footer FROM hits ORDER BY id" >"$dir/rows"
        case $option in --io* | --engine*) same hits ;; --range*engine*) same "hits of a range" ;; *) same "$option" ;; esac
    done
    burin identify "$dir/out.carved"/*/*
    cp "$dir/out" "$dir/rows"
    same identify
    expect 0 "" known build --quiet --files --block 512 --bad --force "$dir/blocks.again" "$dir/frags"
    "$BURIN" known info "$dir/blocks.again" | grep -i sha256 >"$dir/rows"
    same "known build"
    expect 0 "" known query --quiet "$dir/files" "$dir/frags/a"
    # A stop at some moment, and the end of a case file that cannot grow.
    "$BURIN" scan --quiet --threads 3 --segment 64K --part-size 192K --engine naive --known "$dir/blocks" --case "$dir/case.stop" "$dir/first.raw" "$dir/second.raw" </dev/null 2>"$dir/err" &
    pid=$!
    sleep "0.$((RANDOM % 5))"
    kill -TERM "$pid" 2>/dev/null
    wait "$pid"
    status=$?
    # 143: the signal came before the program had begun.
    case $status in 0 | 3 | 130 | 143) ;; *) fail "a stopped scan: status $status: $(cat "$dir/err")" ;; esac
    rm -f "$dir"/case*
done
finish
