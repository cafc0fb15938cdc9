#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parts.sh - one part of an image, as a task of a Slurm array. Of 200 parts, at most 64 at a time:
#
#   job=$(sbatch --parsable --array=0-199%64 --cpus-per-task=16 parts.sh 200 /scratch/case17 /evidence/disk.dd)
#   sbatch --dependency=afterany:$job merge.sh case17.burin /scratch/case17
#
# Parts that are missing then: sbatch --array=$(burin merge --missing /scratch/case17) parts.sh 200 ...
#
# Behind the image stand options of burin scan (--types, --known, --devices all with --gpus-per-task=1). With BURIN_COMMAND=search they are
# those of burin search: --file words.txt, --features all. A part that lacked room or a
# server (exit status 4), or was told to stop (130: preemption, the time limit), is queued again, three times at most. A part with bytes
# that could not be read counts as done for Slurm: merge.sh says that another host has to try.
# BURIN is the program, if it is not burin of PATH.
#SBATCH --job-name=burin-part
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=burin-part-%A.%a.log
#SBATCH --signal=B:TERM@60
[ $# -ge 3 ] || { echo "usage: sbatch --array=0-LAST parts.sh COUNT FOLDER IMAGE [options of burin scan or search]" >&2; exit 2; }
[ -n "${SLURM_ARRAY_TASK_ID:-}" ] || { echo "parts.sh: sbatch it with --array=0-LAST" >&2; exit 2; }
count=$1 folder=$2 image=$3
shift 3

pid='' told=''
stop() {
    told=yes
    [ -z "$pid" ] || kill -TERM "$pid"
}
trap stop TERM
"${BURIN:-burin}" "${BURIN_COMMAND:-scan}" --part "$SLURM_ARRAY_TASK_ID/$count" --parts "$folder" --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet "$@" "$image" &
pid=$!
[ -z "$told" ] || kill -TERM "$pid"
wait "$pid"
status=$?
while [ "$status" = 143 ] && [ -n "$told" ]; do # the signal may have ended the wait: the next one knows how the program ended
    told=''
    wait "$pid"
    again=$?
    [ "$again" = 127 ] || status=$again
done
case $status in
    0 | 1) exit 0 ;;
    4 | 130 | 143)
        if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
            echo "part $SLURM_ARRAY_TASK_ID: exit status $status; queued again" >&2
            scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
        fi
        ;;
esac
exit "$status"
