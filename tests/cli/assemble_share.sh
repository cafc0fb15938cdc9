#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_share.sh - of an image that is the beginnings of packed files, and nothing else, only a share is tried, and it says so; of one
# that has the same beginnings before a hole of a TiB no more than that share is tried either.
#
# Method: 2,000 beginnings of gzip files of 512 bytes each. Each could go on in any sector, and none does. The work is what burin itself counts.
# The share of one pass over all headers is 1 GiB of work, and 8 bytes for each byte in their reach, of which there are at most 65 MiB; as most passes
# do next to nothing here, all together stay below four shares.
# Labels: long
. "$(dirname "$0")/lib.sh"

python3 - "$dir/headers" <<'PYTHON' || exit 1
import gzip, random, sys
rng = random.Random(1)
words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(3000)]
with open(sys.argv[1], "wb") as out:
    out.write(b"\1" * 512)
    for _ in range(2000):
        out.write(gzip.compress(" ".join(rng.choices(words, k=400)).encode(), mtime=0)[:512])
PYTHON
cp "$dir/headers" "$dir/holes" && truncate -s 1T "$dir/holes" || skip "no files of a TiB here"

for name in headers holes; do
    for threads in 1 3; do
        expect 0 "" scan --quiet --no-assemble --image-type raw --force --case "$dir/case" "$dir/$name"
        expect 0 "" assemble --json --threads "$threads" "$dir/case"
        cp "$dir/out" "$dir/$name.$threads"
        work=$(grep -o '"work": *[0-9]*' "$dir/out" | grep -o '[0-9]*$')
        [ "${work:-$((1 << 62))}" -lt $((4 * ((1 << 30) + 8 * (65 << 20)))) ] || fail "$name: $work bytes of work"
    done
    cmp "$dir/$name.1" "$dir/$name.3" || fail "$name: other work with other threads"
done
grep -q '"some_left_out": true' "$dir/headers.1" || fail "nothing says that not all was tried: $(cat "$dir/headers.1")"
finish
