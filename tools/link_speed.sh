#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/link_speed.sh BURIN [FOLDER] - how fast a merge is, plain and with --link, in GiB of image a second by the clock: of NAMES (56) GiB of
# user data, a GiB of the files of FOLDER (/usr) that have at most 16 MiB, each at a multiple of 4 KiB, so many times one behind another by
# the names of a split image. Prints medians of ROUNDS (5) with the range, and seconds of a processor; the digests must be equal. PLAIN
# (ROUNDS): rounds of the plain merge. THREADS (none): numbers of threads that one with --link is measured with, too. Last comes what the log
# of the last merge with --link says of its stages. All lies in TMPDIR, best in memory (TMPDIR=/dev/shm). Needs python3. Ends with 1 when
# digests differ or a command fails.
set -uo pipefail
export LC_ALL=C.UTF-8
[ $# -ge 1 ] || { sed -n '3,9s/^# //p' "$0"; exit 2; }
burin=$(readlink -f "$1")
folder=${2:-/usr}
names=${NAMES:-56} rounds=${ROUNDS:-5} plains=${PLAIN:-${ROUNDS:-5}} parts=8
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

python3 - "$folder" "$dir/piece" <<'PY' || exit 1
import os, sys
left = 1 << 30
with open(sys.argv[2], "wb") as out:
    for root, folders, files in os.walk(sys.argv[1]):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(root, name)
            try:
                if os.path.islink(path) or not os.path.isfile(path) or not 0 < os.path.getsize(path) <= 16 << 20:
                    continue
                data = open(path, "rb").read()
            except OSError:
                continue
            data += bytes(-len(data) % 4096)
            if len(data) <= left:
                out.write(data)
                left -= len(data)
        if left == 0:
            break
    out.truncate(1 << 30)
PY
for ((i = 1; i <= names; i++)); do ln "$dir/piece" "$dir/$(printf 'image.%03d' "$i")"; done
jobs=()
for ((k = 0; k < parts; k++)); do
    "$burin" scan --quiet --no-assemble --no-file-systems --part $k/$parts --parts "$dir/parts" "$dir/image.001" &
    jobs+=($!)
done
for k in "${jobs[@]}"; do wait "$k" || { echo "FAILED: a part"; exit 1; }; done
# merged NAME WORD...: seconds by the clock and of a processor go to $dir/NAME.times
merged() {
    local name=$1
    shift
    rm -f "$dir/$name".burin*
    TIMEFORMAT='%R %U %S'
    { time "$burin" merge --quiet "$@" --case "$dir/$name.burin" "$dir/parts" 2>"$dir/err"; } 2>>"$dir/$name.times" ||
        { echo "FAILED: $name: $(cat "$dir/err")"; status=1; }
}
told() {
    sort -n "$dir/$1.times" | awk -v what="$2" -v size="$names" '{ t[NR] = $1; c[NR] = $2 + $3 } END { m = int((NR + 1) / 2)
        printf "%-24s %6.3f s [%.3f .. %.3f]  %7.2f GiB/s  %6.2f s of a processor\n", what, t[m], t[1], t[NR], size / t[m], c[m] }'
}
for ((i = 0; i < rounds; i++)); do
    [ "$i" -ge "$plains" ] || merged plain
    for count in ${THREADS:-}; do merged "linked-$count" --link --threads "$count"; done
    merged linked --link
done
printf 'machine: %s processors, %s; image: %s GiB; rounds: %s; %s\n' "$(nproc)" "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)" "$names" \
    "$rounds" "$("$burin" --version | head -1)"
told plain "merge"
told linked "merge --link"
for count in ${THREADS:-}; do told "linked-$count" "merge --link --threads $count"; done
plain=$("$burin" list --digest "$dir/plain.burin") linked=$("$burin" list --digest "$dir/linked.burin")
[ -n "$plain" ] && [ "$plain" = "$linked" ] || { echo "FAILED: other digests"; status=1; }
printf '%s hits and objects; shards of %s bytes, case files of %s and %s\n' \
    "$("$burin" info --json "$dir/plain.burin" | python3 -c 'import json,sys; d=json.load(sys.stdin); print(" ".join(str(i.get(k)) for i in d.get("images",[d])[:1] for k in ("hits","objects")))')" \
    "$(cat "$dir"/parts/*.part | wc -c)" "$(stat -c %s "$dir/plain.burin")" "$(stat -c %s "$dir/linked.burin")"
python3 - "$dir/linked.burin" <<'PY'
import sqlite3, sys
print(*[row[0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT text FROM log WHERE text LIKE 'stages: %'")])
PY
exit $status
