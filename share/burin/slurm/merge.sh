#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# merge.sh - the parts of parts.sh become one case file. It is made on this node's own disk ($TMPDIR) and then moved, because SQLite's
# write-ahead log must not lie on a file system that machines share.
#
#   sbatch --dependency=afterany:JOB merge.sh CASE FOLDER [options of burin merge]
#
# afterany, not afterok: a part may have failed, and this says which to scan again. Without a dependency, and with
# --follow behind the folder, it begins beside the parts, on a node that they leave free, waits for each, and is done soon after the last
# one; what failed has to be submitted again. BURIN is the program, if it is not burin of PATH.
#SBATCH --job-name=burin-merge
#SBATCH --open-mode=append
#SBATCH --output=burin-merge-%j.log
[ $# -ge 2 ] || { echo "usage: sbatch --dependency=afterany:JOB merge.sh CASE FOLDER [options of burin merge]" >&2; exit 2; }
case=$1 folder=$2
shift 2
[ ! -e "$case" ] || { echo "merge.sh: $case is there already; move it away or name another one" >&2; exit 3; }

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
"${BURIN:-burin}" merge --quiet --case "$work/case" "$@" "$folder"
status=$?
if [ "$status" -gt 1 ]; then
    missing=$("${BURIN:-burin}" merge --missing "$folder" 2>/dev/null)
    [ -z "$missing" ] || echo "to scan again: sbatch --array=$missing parts.sh ..." >&2
    exit "$status"
fi
cp "$work/case" "$case.part" && sync "$case.part" && mv "$case.part" "$case" || exit 4
[ "$status" = 0 ] || echo "some of the image could not be read; the log in $case says what" >&2
exit 0
