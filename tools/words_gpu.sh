#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/words_gpu.sh BURIN [IMAGE] - long lists of words on a GPU against the same on the CPU: the rows must be equal, and what each
# search takes is told. Needs a burin that was built with CUDA, a CUDA device and python3; makes lists, and without IMAGE an image of
# this machine's /usr, in a folder of its own that it removes. Ends with 1 when rows differ or a search fails.
set -uo pipefail
[ $# -ge 1 ] || { sed -n '2,4s/^# //p' "$0"; exit 2; }
burin=$(readlink -f "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
image=${2:-}
if [ -z "$image" ]; then
    image=$dir/image
    find /usr -xdev -type f -size -4096k -print0 2>/dev/null | sort -z | xargs -0 cat 2>/dev/null | head -c 1G >"$image"
fi

# Words that stand in the image, 5 to 16 letters, and others that are made of their pieces.
python3 - "$image" "$dir" <<'PY' || exit 1
import random, re, sys
words, rnd = {}, random.Random(1)
with open(sys.argv[1], "rb") as image:
    while len(words) < 700000 and (block := image.read(16 << 20)):
        for word in re.findall(rb"[A-Za-z][A-Za-z0-9_]{4,15}(?![A-Za-z0-9_])", block):
            words.setdefault(word.lower())
words = list(words)[:700000]
pieces, seen = words[:], set(words)
while len(words) < 1000000:
    word = rnd.choice(pieces)[:rnd.randrange(3, 9)] + rnd.choice(pieces)[-rnd.randrange(2, 8):]
    if 5 <= len(word) <= 16 and word not in seen:
        seen.add(word)
        words.append(word)
rnd.shuffle(words)
for count in 100000, 1000000:
    open("%s/%d" % (sys.argv[2], count), "wb").write(b"\n".join(words[:count]) + b"\n")
PY

status=0
# search NAME ENGINE OPTION...: the rows of a search, as one hash of what is printed and one of the case file, and its time.
search() {
    local name=$1 engine=$2 begin end sum digest
    shift 2
    begin=$(date +%s.%N)
    sum=$("$burin" search --engine "$engine" --no-file-systems --case "$dir/$engine.burin" "$@" "$image" 2>"$dir/err" | sha256sum)
    [ "${PIPESTATUS[0]}" -eq 0 ] || { echo "$name, $engine: failed: $(cat "$dir/err")"; status=1; }
    end=$(date +%s.%N)
    grep -q ' hits\? in .* by engine' "$dir/err" || { echo "$name, $engine: $(cat "$dir/err")"; status=1; }
    digest=$("$burin" list --digest "$dir/$engine.burin" 2>/dev/null)
    printf '%s: engine %s: %.1f s, %s; rows %.16s, digest %.16s\n' "$name" "$engine" "$(echo "$end - $begin" | bc -l)" \
        "$(grep -o '[0-9]* hits\?' "$dir/err" | tail -1)" "$sum" "$digest"
    echo "$sum $digest" >"$dir/$engine.sum"
}
both() {
    local name=$1
    shift
    search "$name" words "$@"
    search "$name" shift-and --device-delay 0 "$@"
    cmp -s "$dir/words.sum" "$dir/shift-and.sum" || { echo "$name: ROWS DIFFER"; status=1; }
    rm -f "$dir"/*.burin*
}
both "1,000,000 words" --encoding utf-8 -f "$dir/1000000"
both "100,000 words, 2 encodings, any case" -i -f "$dir/100000"
both "1,000,000 words, 2 encodings, any case" -i -f "$dir/1000000"
[ "$status" -eq 0 ] && echo "all rows are equal"

# Rates in memory, of both engines and of what they compile.
for count in 100000 1000000; do
    "$burin" bench match --dictionary "$dir/$count" --ignore-case --data "$image:256M" --engines words --no-peers --runs 3
    "$burin" bench cuda --no-host --runs 5 --data "$image" --engines shift-and --dictionary "$dir/$count"
done
exit "$status"
