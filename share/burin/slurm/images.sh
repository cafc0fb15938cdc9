#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# images.sh - many images, a whole one a task: each line of a list is the path of an image, and gets a case file of its own.
#
#   sbatch --array=1-$(wc -l <images.txt)%64 --cpus-per-task=16 images.sh images.txt /results
#
# Behind the folder stand options of burin scan. The case file NUMBER-NAME.burin is made on the node's own disk ($TMPDIR) and then
# moved; an image whose case file is there is not scanned again. What lacked room or a server, or was told to stop, is queued again,
# three times at most. (Slurm runs a copy of a batch script: it can include no other one, as parts.sh.) BURIN is the program, if it is not burin of PATH.
#SBATCH --job-name=burin-image
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=burin-image-%A.%a.log
#SBATCH --signal=B:TERM@60
[ $# -ge 2 ] || { echo "usage: sbatch --array=1-LAST images.sh LIST FOLDER [options of burin scan]" >&2; exit 2; }
[ -n "${SLURM_ARRAY_TASK_ID:-}" ] || { echo "images.sh: sbatch it with --array=1-LAST" >&2; exit 2; }
list=$1 folder=$2
shift 2
image=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$list")
[ -n "$image" ] || { echo "images.sh: $list has no line $SLURM_ARRAY_TASK_ID" >&2; exit 3; }
case=$folder/$SLURM_ARRAY_TASK_ID-$(basename "$image").burin
[ ! -e "$case" ] || { echo "$case is there already"; exit 0; }

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
pid='' told=''
stop() {
    told=yes
    [ -z "$pid" ] || kill -TERM "$pid"
}
trap stop TERM
"${BURIN:-burin}" scan --case "$work/case" --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet "$@" "$image" &
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
    0 | 1)
        mkdir -p "$folder" && cp "$work/case" "$case.part" && sync "$case.part" && mv "$case.part" "$case" && exit 0
        status=4
        ;;
esac
case $status in
    4 | 130 | 143)
        if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
            echo "image $SLURM_ARRAY_TASK_ID: exit status $status; queued again" >&2
            scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
        fi
        ;;
esac
exit "$status"
