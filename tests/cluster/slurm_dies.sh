#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: long
# tests/cluster/slurm_dies.sh - Slurm's controller is killed and started again while an array is at work, and a node with all that runs on
# it: the array ends, the digest is that of one scan, and no part was done twice without need. It takes minutes of waiting: it runs with
# BURIN_LONG=1 alone (./dev test cluster-long).
. "$(dirname "$0")/lib_slurm.sh"
[ -n "${BURIN_LONG:-}" ] || skip "it waits for minutes: ./dev test cluster-long runs it"
scripts=$(readlink -f "$(dirname "$0")/../../share/burin/slurm")
planted
slurm_start
cd "$dir" || exit 1
"$BURIN" scan --quiet --case "$dir/case" "$image" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")
cat >"$dir/slow" <<'PROGRAM'
#!/bin/bash
[ "$1" = scan ] || exec "$REAL" "$@"
echo "$SLURMD_NODENAME $3" >>"$NOTES"
trap 'kill $! 2>/dev/null; exit 130' TERM
sleep "${SLOW:-3}" & wait $!
exec "$REAL" "$@"
PROGRAM
chmod +x "$dir/slow"
export REAL=$BURIN NOTES=$dir/notes
alike() {
    [ "$("$BURIN" list --digest "$1" 2>&1)" = "$want" ] || fail "$2: another digest; $(tail -n 20 burin-*.log)"
}
noted() {
    [ "$(wc -l <"$NOTES")" -ge "$1" ]
}

# The controller dies, and comes again seven seconds later. It writes down every five seconds what it knows, and forgets what is newer:
# so the parts that are at work have been so for ten seconds.
: >"$NOTES"
job=$(SLOW=20 BURIN=$dir/slow sbatch --parsable --array=0-4 "$scripts/parts.sh" 5 "$dir/parts" "$image")
sbatch --quiet --dependency="afterany:$job" "$scripts/merge.sh" "$dir/one" "$dir/parts"
until_it noted 3
sleep 10
kill -9 "$(cat "$slurm/slurmctld.pid")"
sleep 7
slurmctld
until_it slurm_done
alike "$dir/one" "a controller that died"
[ "$(wc -l <"$NOTES")" = 5 ] || fail "a controller that died: parts were begun $(wc -l <"$NOTES") times: $(sort "$NOTES")"

# A node dies, with its daemon, the step's, and what runs there; its part is queued again, and another node does it.
: >"$NOTES"
job=$(BURIN=$dir/slow sbatch --parsable --array=0-8 "$scripts/parts.sh" 9 "$dir/parts2" "$image")
sbatch --quiet --dependency="afterany:$job" "$scripts/merge.sh" "$dir/two" "$dir/parts2"
until_it noted 4
daemon=$(cat "$slurm/slurmd.n2.pid")
kill -9 "$daemon"
mapfile -t steps < <(pgrep -f 'slurmstepd: \[')
for step in "${steps[@]}"; do
    script=$(pgrep -P "$step" | head -1)
    grep -qz "SLURMD_NODENAME=n2" "/proc/$script/environ" 2>/dev/null || continue
    mapfile -t works < <(pgrep -P "$script")
    kill -9 "$step" # first, so that nobody is left to tell how the others ended
    kill -9 "$script" "${works[@]}"
done
until_it slurm_done
alike "$dir/two" "a node that died"
[ "$(wc -l <"$NOTES")" -le 11 ] || fail "a node that died: parts were begun $(wc -l <"$NOTES") times: $(sort "$NOTES")"
slurmd -N n2
until_it slurm_idle
finish
