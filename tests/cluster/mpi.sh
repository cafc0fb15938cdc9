#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: long
# tests/cluster/mpi.sh - burin-mpi by ranks on one machine: the case file of one scan; ranks that are killed, again and again, until all
# is done; a rank that is stopped; parts that cannot be scanned; a stop on request. No part is done twice without need, and nothing stays
# behind. With BURIN_LONG=1 ranks are killed 50 times.
. "$(dirname "$0")/../cli/lib.sh"
[ -n "${BURIN_MPI:-}" ] || skip "this build has no burin-mpi: ./dev setup cluster"
command -v mpirun >/dev/null || skip "no mpirun here: ./dev setup cluster"
# As root, on fewer processors than ranks, in a container that may not look into other processes, and not by this host's network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_tmpdir_base=$dir OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_plm_rsh_agent=false
# What OpenMPI leaves in memory at its end is none of ours.
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
planted
cat "$image" "$image" "$image" >"$dir/disk.raw"
"$BURIN" scan --quiet --case "$dir/case" "$dir/disk.raw" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")

# ranks COUNT WORD... : burin-mpi by so many ranks; $status, $dir/out and $dir/err are what it said.
ranks() {
    local count=$1
    shift
    status=0
    mpirun -q -n "$count" "$BURIN_MPI" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
}
told() {
    [ "$status" -eq "$1" ] || fail "$3: status $status instead of $1: $(head -c 900 "$dir/err")"
    [ -z "$2" ] || grep -q -- "$2" "$dir/err" || fail "$3: no '$2' in: $(head -c 900 "$dir/err")"
}
alike() {
    [ "$("$BURIN" list --digest "$1" 2>&1)" = "$want" ] || fail "$2: another digest: $(head -c 900 "$dir/err")"
}
# None of this test's programs runs any more.
alone() {
    local i
    for ((i = 0; i < 600; i++)); do
        pgrep -f "$dir/disk.raw" >/dev/null || return 0
        sleep 0.1
    done
    fail "$1: left at work: $(pgrep -af "$dir/disk.raw")"
}

ranks 4 scan --case "$dir/one" --types none-such "$dir/disk.raw"
[ "$status" -eq 2 ] || fail "words for burin scan that it does not know"
rm -rf "$dir"/one*
ranks 4 scan --case "$dir/one" "$dir/disk.raw"
told 0 "16 parts by 4 ranks" "four ranks"
alike "$dir/one" "four ranks"
ranks 2 scan --case "$dir/one" "$dir/disk.raw"
told 3 "has shards already" "a folder with shards"
ranks 1 scan --case "$dir/again" --parts "$dir/one.parts" --resume --quiet "$dir/disk.raw"
told 0 "" "one rank, and nothing to do"
alike "$dir/again" "one rank, and nothing to do"
ranks 3 scan --no-merge --parts "$dir/rules" --count 7 --threads 1 --segment 64K --hits-only "$dir/disk.raw"
told 0 "7 parts by 3 ranks" "--no-merge"
[ "$(find "$dir/rules" -name '*.part' | wc -l)" = 7 ] || fail "--no-merge: $(ls -A "$dir/rules")"
ranks 2 scan --no-merge --parts "$dir/rules" --count 8 --resume --hits-only "$dir/disk.raw"
told 2 "are of 7 parts" "another --count"
ranks 3 scan --follow --case "$dir/followed" --count 9 "$dir/disk.raw"
told 0 "9 parts by 3 ranks" "--follow"
alike "$dir/followed" "--follow"
rm "$dir/followed.parts"/[258].part
mkdir "$dir/followed.parts/8.part"
ranks 2 scan --follow --resume --case "$dir/followed2" --parts "$dir/followed.parts" "$dir/disk.raw"
[ "$status" -ge 3 ] || fail "--follow, and a part that cannot be kept: status $status: $(head -c 900 "$dir/err")"
rmdir "$dir/followed.parts/8.part"
ranks 2 scan --follow --resume --case "$dir/followed2" --parts "$dir/followed.parts" "$dir/disk.raw"
told 0 "" "--follow goes on"
alike "$dir/followed2" "--follow goes on"
ranks 2 search --follow --case "$dir/x" --hex 00 "$dir/disk.raw"
told 2 "is of a scan" "--follow and a search"
printf 'png\nIHDR\n' >"$dir/words"
"$BURIN" search --quiet --case "$dir/found" --file "$dir/words" "$dir/disk.raw" >"$dir/hits" || fail "one search"
ranks 3 search --case "$dir/found.mpi" --file "$dir/words" "$dir/disk.raw"
told 0 "12 parts by 3 ranks" "a search"
[ -s "$dir/hits" ] && [ "$("$BURIN" list --digest "$dir/found.mpi")" = "$("$BURIN" list --digest "$dir/found")" ] || fail "a search by ranks finds other hits"
ranks 2 scan --no-merge --parts "$dir/none" "$dir/nothing"
told 3 "cannot be scanned" "no image"
ranks 2 scan "$dir/disk.raw"
told 2 "--case FILE is missing" "no case file"
ranks 2 scan --case
told 2 "the last word is the image" "no image"
ranks 2 --help
grep -q "^usage: mpirun" "$dir/out" || fail "--help: $(cat "$dir/out")"

# A burin that takes a while for each part, and notes it.
cat >"$dir/slow" <<'PROGRAM'
#!/bin/bash
[ "$1" = scan ] || exec "$REAL" "$@"
echo "$3" >>"$NOTES"
sleep "${SLOW:-0.1}"
exec "$REAL" "$@"
PROGRAM
chmod +x "$dir/slow"
export REAL=$BURIN NOTES=$dir/notes

# Ranks are killed, each time another one, and the work goes on where it was.
kills=8
[ -z "${BURIN_LONG:-}" ] || kills=50
: >"$NOTES"
shards() {
    find "$dir/killed" -name '*.part' 2>/dev/null | wc -l
}
for ((i = 1; i <= kills; i++)); do
    goal=$(($(shards) + 1 + RANDOM % 4))
    BURIN=$dir/slow mpirun -q -n 4 "$BURIN_MPI" scan --quiet --resume --no-merge --count $((kills * 25)) --parts "$dir/killed" --threads 1 \
        "$dir/disk.raw" >"$dir/out" 2>"$dir/err" </dev/null &
    job=$!
    while [ "$(shards)" -lt $goal ] && kill -0 $job 2>/dev/null; do sleep 0.05; done
    mapfile -t victims < <(pgrep -x burin-mpi -P $job)
    [ ${#victims[@]} -eq 4 ] || { fail "ranks to be killed, with $(shards) of $goal shards: ${victims[*]}: $(cat "$dir/err")"; break; }
    kill -9 "${victims[RANDOM % 4]}"
    wait $job
    status=$?
    [ $status -ne 0 ] || fail "a rank was killed, and the status is 0"
    alone "a killed rank"
done
[ -z "$(find "$dir/killed" -name '.*' -type f)" ] || fail "left behind: $(ls -A "$dir/killed")"
ranks 4 scan --resume --case "$dir/two" --parts "$dir/killed" --threads 1 "$dir/disk.raw"
told 0 "$((kills * 25)) parts" "ranks that were killed"
alike "$dir/two" "ranks that were killed"
# Each kill costs at most the parts of four ranks.
[ "$(wc -l <"$NOTES")" -le $((kills * 29)) ] || fail "$(wc -l <"$NOTES") scans of $((kills * 25)) parts"

# A part that is killed is done again, by whoever is free; one that always is ends the work.
cat >"$dir/killer" <<'PROGRAM'
#!/bin/bash
[ "$1" = scan ] && [ "$3" = 5/16 ] && [ "$(grep -c '^5/16$' "$NOTES")" -lt "$TIMES" ] && { echo "$3" >>"$NOTES"; kill -9 $$; }
exec "$REAL" "$@"
PROGRAM
chmod +x "$dir/killer"
: >"$NOTES"
TIMES=2 BURIN=$dir/killer ranks 4 scan --quiet --case "$dir/three" "$dir/disk.raw"
told 0 "" "a part that is killed twice"
alike "$dir/three" "a part that is killed twice"
: >"$NOTES"
rm -rf "$dir"/three*
TIMES=9 BURIN=$dir/killer ranks 4 scan --quiet --case "$dir/three" "$dir/disk.raw"
told 4 "part 5 cannot be scanned" "a part that is always killed"
[ ! -e "$dir/three" ] || fail "a case file without part 5"

# A rank stands still: others do its part, and it is left.
: >"$NOTES"
BURIN=$dir/slow mpirun -q -n 3 "$BURIN_MPI" scan --case "$dir/four" "$dir/disk.raw" >"$dir/out" 2>"$dir/err" </dev/null &
job=$!
while [ "$(wc -l <"$NOTES")" -lt 4 ]; do sleep 0.05; done
kill -STOP "$(pgrep -x burin-mpi -P $job | tail -1)"
wait $job
status=$?
told 0 "12 parts by 3 ranks" "a rank that stands still"
alike "$dir/four" "a rank that stands still"
[ "$(sort "$NOTES" | uniq -d | wc -l)" -le 1 ] || fail "parts were done twice: $(sort "$NOTES" | uniq -d)"
alone "a rank that stands still"

# A stop on request: what is done stays, and nothing else.
: >"$NOTES"
BURIN=$dir/slow SLOW=1 mpirun -q -n 3 "$BURIN_MPI" scan --case "$dir/five" "$dir/disk.raw" >"$dir/out" 2>"$dir/err" </dev/null &
job=$!
while [ "$(wc -l <"$NOTES")" -lt 5 ]; do sleep 0.05; done
kill -TERM $job
wait $job
status=$?
[ $status -ne 0 ] || fail "a stop on request has the status 0"
alone "a stop on request"
[ ! -e "$dir/five" ] || fail "a case file of a work that was stopped"
ranks 3 scan --quiet --resume --case "$dir/five" "$dir/disk.raw"
told 0 "" "after a stop"
alike "$dir/five" "after a stop"
finish
