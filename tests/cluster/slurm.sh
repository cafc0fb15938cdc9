#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Labels: slow
# tests/cluster/slurm.sh - the scripts of share/burin/slurm on a Slurm of three nodes: an array over the parts of an image, its merge, a part
# that is killed, one that lacks room and is queued again, one whose time is up, and an array over a list of images. In the end case files
# of the digest that one scan has.
. "$(dirname "$0")/lib_slurm.sh"
scripts=$(readlink -f "$(dirname "$0")/../../share/burin/slurm")
planted
slurm_start
cd "$dir" || exit 1
"$BURIN" scan --quiet --case "$dir/case" "$image" || fail "one scan"
want=$("$BURIN" list --digest "$dir/case")
alike() {
    [ "$("$BURIN" list --digest "$1" 2>&1)" = "$want" ] || fail "$2: another digest; $(cat burin-*.log 2>/dev/null | tail -20)"
}

# The six commands of the guide, with this image, six parts, and nodes of one processor.
guide=$scripts/../../../docs/guide/cluster.md
mkdir "$dir/bin"
ln -s "$BURIN" "$dir/bin/burin"
export PATH=$dir/bin:$PATH
mapfile -t commands < <(sed -n '/^## Slurm, in six/,/^With GPUs/p' "$guide" | sed -n '/^```/,/^```/p' | grep -v '^```' | sed "s#/usr/share/burin/slurm#$scripts#
    s#0-199%64#0-5%3#; s#--cpus-per-task=16 --mem=4G --time=1:00:00##; s#parts.sh 200#parts.sh 6#; s#/scratch/case17#$dir/parts#
    s#/evidence/disk.dd#$image#; s#/results/case17.burin#$dir/one#")
[ ${#commands[@]} = 6 ] || fail "the guide has ${#commands[@]} commands for Slurm, and not six"
for command in "${commands[@]}"; do
    eval "$command" >"$dir/out" 2>"$dir/err" || fail "the guide: $command: $(cat "$dir/err")"
    [ "$command" != squeue ] || until_it slurm_done
done
[ "$(wc -l <"$dir/out")" -gt 10 ] || fail "the guide ends with no list: $(cat "$dir/out" "$dir/err")"
export BURIN
alike "$dir/one" "an array of six parts"
[ -z "$(find "$dir/parts" -name '.*' -type f)" ] || fail "left behind: $(ls -A "$dir/parts")"

# The program of the next array: the first try of part 1 is killed, that of part 0 may write no file longer than 1 KiB, and that of
# part 3 is told to stop, as preemption or the time limit would.
cat >"$dir/program" <<'PROGRAM'
#!/bin/bash
first=$(dirname "$0")/first.$SLURM_ARRAY_TASK_ID
if [ "$1" = scan ] && [ ! -e "$first" ]; then
    touch "$first"
    case $SLURM_ARRAY_TASK_ID in
        1) kill -9 $$ ;;
        0) trap '' XFSZ; ulimit -f 1 ;;
        3) sleep 600 & trap 'kill $!; exit 130' TERM; scancel --signal=TERM --batch "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"; wait ;;
    esac
fi
exec "$REAL" "$@"
PROGRAM
chmod +x "$dir/program"
export REAL=$BURIN
job=$(BURIN=$dir/program sbatch --parsable --array=0-4 "$scripts/parts.sh" 5 "$dir/parts2" "$image" --segment 64K)
merge=$(BURIN=$REAL sbatch --parsable --dependency="afterany:$job" "$scripts/merge.sh" "$dir/two" "$dir/parts2")
until_it slurm_done
[ ! -e "$dir/two" ] || fail "a case file without part 1"
grep -q "1 of 5 parts are missing: 1" "burin-merge-$merge.log" || fail "the merge says: $(cat "burin-merge-$merge.log")"
grep -q "to scan again: sbatch --array=1 " "burin-merge-$merge.log" || fail "the merge says not what to type"
grep -q "exit status 4; queued again" "burin-part-$job.0.log" || fail "part 0: $(cat "burin-part-$job.0.log")"
grep -q "exit status 130; queued again" "burin-part-$job.3.log" || fail "part 3: $(cat "burin-part-$job.3.log")"
"$BURIN" merge --missing "$dir/parts2" >"$dir/missing"
[ "$(cat "$dir/missing")" = 1 ] || fail "missing: $(cat "$dir/missing")"
inode=$(stat -c %i "$dir"/parts2/*.part)
job=$(sbatch --parsable --array="$(cat "$dir/missing")" "$scripts/parts.sh" 5 "$dir/parts2" "$image" --segment 64K)
sbatch --quiet --dependency="afterany:$job" "$scripts/merge.sh" "$dir/two" "$dir/parts2"
until_it slurm_done
alike "$dir/two" "parts that were killed, short of room and stopped"
rm -f "$dir/parts2/1.part"
[ "$(stat -c %i "$dir"/parts2/*.part)" = "$inode" ] || fail "a part was scanned twice without need"

# A merge beside the parts, which is there before them.
sbatch --quiet "$scripts/merge.sh" "$dir/three" "$dir/parts3" --follow
sbatch --quiet --array=0-3 "$scripts/parts.sh" 4 "$dir/parts3" "$image"
until_it slurm_done
alike "$dir/three" "a merge beside its parts"

# A list of images.
head -c 3000000 "$image" >"$dir/small.raw"
printf '%s\n' "$image" "$dir/small.raw" >"$dir/images"
sbatch --quiet --array=1-2 "$scripts/images.sh" "$dir/images" "$dir/results"
until_it slurm_done
alike "$dir/results/1-image.raw.burin" "the first image of a list"
[ "$(cd "$dir/results" && echo .[!.]* *)" = ".[!.]* 1-image.raw.burin 2-small.raw.burin" ] || fail "a list: $(ls -A "$dir/results")"
"$BURIN" verify "$dir/results/2-small.raw.burin" >/dev/null 2>&1 || fail "the second image of a list does not verify"
finish
