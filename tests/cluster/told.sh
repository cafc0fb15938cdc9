#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cluster/told.sh - the scripts of share/burin/slurm when a task is told to stop, without Slurm: whenever the signal comes, the
# program is told of it, its status is the one that counts, and the task is queued again. The shell's wait may be ended by the signal
# in the same moment as the program ends, and the signal may come before the shell knows the program's number.
. "$(dirname "$0")/../cli/lib.sh"
scripts=$(readlink -f "$(dirname "$0")/../../share/burin/slurm")
mkdir "$dir/bin"
export PATH=$dir/bin:$PATH
printf '#!/bin/sh\necho "$@" >>"$QUEUE"\n' >"$dir/bin/scontrol"

# Tells the script to stop, at once or when it can end itself, and ends as a scan that was stopped.
cat >"$dir/bin/program" <<'PROGRAM'
#!/bin/bash
trap 'exit 130' TERM
kill -TERM "$PPID"
while :; do sleep 0.01; done
PROGRAM
# Ends by the signal, as a program that was told before it could listen.
printf '#!/bin/sh\nkill -TERM $$\n' >"$dir/bin/deaf"
chmod +x "$dir/bin"/*
printf 'an image' >"$dir/image"
echo "$dir/image" >"$dir/images"
export SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_JOB_ID=7 QUEUE=$dir/queue

# told PROGRAM STATUS TIMES: each script queues again a task whose program ends so.
told() {
    local i
    : >"$QUEUE"
    for ((i = 0; i < $3; i++)); do
        BURIN=$dir/bin/$1 sh "$scripts/parts.sh" 5 "$dir/parts" "$dir/image" 2>"$dir/err"
        [ $? = "$2" ] || fail "parts.sh, $1: another status than $2: $(cat "$dir/err")"
        [ "$(tail -1 "$dir/err")" = "part 1: exit status $2; queued again" ] || fail "parts.sh, $1: $(cat "$dir/err")"
        BURIN=$dir/bin/$1 sh "$scripts/images.sh" "$dir/images" "$dir/results" 2>"$dir/err"
        [ $? = "$2" ] || fail "images.sh, $1: another status than $2: $(cat "$dir/err")"
        [ "$(tail -1 "$dir/err")" = "image 1: exit status $2; queued again" ] || fail "images.sh, $1: $(cat "$dir/err")"
    done
    [ "$(sort -u "$QUEUE")" = "requeue 7_1" ] || fail "$1: not queued again: $(cat "$QUEUE")"
    [ "$(wc -l <"$QUEUE")" = $((2 * $3)) ] || fail "$1: queued again $(wc -l <"$QUEUE") times, and not $((2 * $3))"
}
told program 130 "$(rounds 30 60)"
told deaf 143 2

# With BURIN_COMMAND=search the parts are those of a search.
python3 -c 'import sys; open(sys.argv[1], "wb").write(b"needle".rjust(5000, b".") * 9)' "$dir/hay"
echo needle >"$dir/words"
for SLURM_ARRAY_TASK_ID in 0 1 2; do
    BURIN_COMMAND=search sh "$scripts/parts.sh" 3 "$dir/found" "$dir/hay" --file "$dir/words" 2>"$dir/err" || fail "a part of a search: $(cat "$dir/err")"
done
"$BURIN" merge --quiet --case "$dir/case" "$dir/found" 2>"$dir/err" || fail "merge of a search: $(cat "$dir/err")"
[ "$("$BURIN" list --quiet --found "$dir/case" 2>/dev/null | cut -f1 | tr '\n' ' ')" = "$(seq -s ' ' 4994 5000 44994) " ] ||
    fail "a search by parts.sh: $("$BURIN" list --found "$dir/case" | head -3)"
finish
