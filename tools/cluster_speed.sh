#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/cluster_speed.sh BURIN [IMAGE] - what parts cost: four processes of four threads beside one of 16, two processes with a GPU each
# beside one with one GPU, the merge, and one that goes beside the parts, in GiB of image a second. Prints medians of ROUNDS (5) with the
# range, and ratios; the digests must be equal. Needs python3 to make an image (MIB of them, 4096), or an IMAGE; GPUs search GPU_NAMES (24)
# of it one behind another, as a split image of so many names: less is over before CUDA has begun; with GPU_THREADS (4) threads each, and
# begin after GPU_DELAY (1000) milliseconds. Each process sees one GPU alone, as Slurm has it with --gpus-per-task. ONLY=gpus leaves out all
# else. All lies in TMPDIR, best in memory (TMPDIR=/dev/shm). Ends with 1 when digests differ or a scan fails.
set -uo pipefail
export LC_ALL=C.UTF-8
[ $# -ge 1 ] || { sed -n '3,8s/^# //p' "$0"; exit 2; }
burin=$(readlink -f "$1")
tools=$(dirname "$(readlink -f "$0")")
rounds=${ROUNDS:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
image=${2:-}
status=0
cpus=$(nproc)
common=(--quiet --no-assemble --no-file-systems)

if [ -z "$image" ]; then
    image=$dir/image
    mib=${MIB:-4096} piece=$((${MIB:-4096} < 512 ? ${MIB:-4096} : 512))
    python3 "$tools/bench_image.py" "$dir/piece" "$piece" || exit 1
    for ((i = 0; i < mib; i += piece)); do cat "$dir/piece"; done >"$image"
    rm "$dir/piece"
fi
size=$(stat -L -c %s "$image")
cat "$image" >/dev/null # into the page cache
printf 'machine: %s processors, %s; image: %s bytes; rounds: %s; %s\n' "$cpus" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$size" \
    "$rounds" "$("$burin" --version | head -1)"

# seconds NAME COMMAND...: the wall clock goes to $dir/NAME.times
seconds() {
    local name=$1 begin
    shift
    begin=$(date +%s%N)
    "$@" || { echo "FAILED: $name"; status=1; }
    echo $(($(date +%s%N) - begin)) >>"$dir/$name.times"
}
# told NAME WHAT: the median, its range, and the speed
told() {
    sort -n "$dir/$1.times" | awk -v what="$2" -v size="$size" '{ t[NR] = $1 / 1e9 } END { m = t[int((NR + 1) / 2)];
        printf "%-58s %7.3f s [%.3f .. %.3f]  %7.2f GiB/s\n", what, m, t[1], t[NR], size / m / 2^30 }'
}
# ratio A B WHAT: the median of A over that of B
ratio() {
    local a b
    a=$(sort -n "$dir/$1.times" | sed -n "$(((rounds + 1) / 2))p") b=$(sort -n "$dir/$2.times" | sed -n "$(((rounds + 1) / 2))p")
    awk -v a="$a" -v b="$b" -v what="$3" 'BEGIN { printf "%-58s %7.3f\n", what, a / b }'
}
# On processors $1, where taskset is; the rest is the command.
on() {
    local set=$1
    shift
    if command -v taskset >/dev/null; then taskset -c "$set" "$@"; else "$@"; fi
}

one() { # THREADS WORD...
    local threads=$1
    shift
    rm -f "$dir"/one.burin*
    on "0-$((threads - 1))" "$burin" scan "${common[@]}" --threads "$threads" "$@" --case "$dir/one.burin" "$image"
}
ranks() { # COUNT THREADS WORD...: so many processes, each a part
    local count=$1 threads=$2 k jobs=() failed=0
    shift 2
    rm -rf "$dir/parts"
    for ((k = 0; k < count; k++)); do
        CUDA_VISIBLE_DEVICES=$k on "$((k * threads))-$(((k + 1) * threads - 1))" "$burin" scan "${common[@]}" --threads "$threads" \
            --part "$k/$count" --parts "$dir/parts" "$@" "$image" &
        jobs+=($!)
    done
    for k in "${jobs[@]}"; do wait "$k" || failed=1; done
    return "$failed"
}
merge() { # WORD...
    rm -f "$dir"/merged.burin*
    "$burin" merge --quiet "$@" --case "$dir/merged.burin" "$dir/parts"
}
linked() { # COUNT THREADS: so many processes, each a part, and then a merge that leaves the rows in their shards
    ranks "$1" "$2" && merge --link
}
followed() { # COUNT THREADS: so many processes, four parts each one after the other, and a merge beside them
    local count=$1 threads=$2 k jobs=() failed=0
    rm -rf "$dir/parts" "$dir"/merged.burin*
    "$burin" merge --quiet --follow --case "$dir/merged.burin" "$dir/parts" &
    jobs+=($!)
    for ((k = 0; k < count; k++)); do
        for ((part = k; part < 4 * count; part += count)); do
            on "$((k * threads))-$(((k + 1) * threads - 1))" "$burin" scan "${common[@]}" --threads "$threads" --part "$part/$((4 * count))" \
                --parts "$dir/parts" "$image" || exit 1
        done &
        jobs+=($!)
    done
    for k in "${jobs[@]}"; do wait "$k" || failed=1; done
    return "$failed"
}
alike() {
    [ "$("$burin" list --digest "$dir/one.burin")" = "$("$burin" list --digest "$dir/merged.burin")" ] || { echo "FAILED: other digests, $1"; status=1; }
}

if [ "${ONLY:-}" != gpus ]; then
    each=$((cpus >= 16 ? 4 : cpus >= 8 ? 2 : 1)) many=$((cpus >= 4 ? 4 : cpus))
    for ((i = 0; i < rounds; i++)); do
        seconds one one $((each * many))
        seconds linked linked $many $each
        seconds followed followed $many $each
        seconds ranks ranks $many $each
        seconds merge merge
    done
    alike "parts"
    bytes=$(cat "$dir"/parts/*.part | wc -c)
    linked $many $each || status=1
    alike "a merge with --link"
    followed $many $each || status=1
    alike "a merge that follows"
    told one "one process, $((each * many)) threads, with its case file"
    told ranks "$many processes, $each threads each, a part each"
    told merge "the merge of these"
    told followed "$many processes, four parts each, and a merge that follows"
    ratio one ranks "$many x $each against 1 x $((each * many)), without the merge (at least 0.9)"
    told linked "$many processes, $each threads each, and a merge with --link"
    ratio one linked "the same, with a merge with --link (at least 0.9)"
    ratio one followed "the same, with a merge that follows"
    printf '%s objects; shards of %s bytes\n' "$("$burin" list "$dir/merged.burin" | wc -l)" "$bytes"
fi

gpus=$("$burin" info --devices 2>/dev/null | grep -cE '^cuda[0-9]') || gpus=0
if [ "${gpus:-0}" -ge 2 ]; then
    python3 - "$dir/rules.conf" <<'PY'
import random, sys
rng = random.Random(4)
with open(sys.argv[1], "w") as out:
    for i in range(20000):
        out.write("r%d y 1000 %s\n" % (i, "".join("\\x%02x" % rng.randrange(256) for _ in range(8))))
PY
    threads=${GPU_THREADS:-4}
    names=${GPU_NAMES:-24}
    for ((i = 1; i <= names; i++)); do ln "$(readlink -f "$image")" "$dir/$(printf 'long.%03d' "$i")" || exit 1; done
    image=$dir/long.001 size=$((size * names))
    hits=(--hits-only --dictionary "$dir/rules.conf" --device-delay "${GPU_DELAY:-1000}")
    for ((i = 0; i < rounds; i++)); do
        CUDA_VISIBLE_DEVICES=0 seconds gpu one "$threads" "${hits[@]}" --devices 0
        seconds gpus ranks 2 "$threads" "${hits[@]}" --devices 0
    done
    merge
    alike "two GPUs"
    told gpu "one process with a GPU, $threads threads"
    told gpus "two processes with a GPU each, $threads threads each"
    ratio gpu gpus "two with a GPU each against one (at least 1.7)"
else
    echo "left out: two GPUs (burin info --devices lists ${gpus:-0})"
fi
exit $status
