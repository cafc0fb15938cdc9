#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/bench_image.sh - tools/bench_image.py makes an image of the size asked for, and none where it is asked for help or wrongly.
. "$(dirname "$0")/../cli/lib.sh"
tool=$(readlink -f "$(dirname "$0")/../../tools/bench_image.py")
mkdir "$dir/empty" && cd "$dir/empty" || exit 1

python3 "$tool" --help >"$dir/said" || fail "no help: $?"
grep -q FILE "$dir/said" || fail "the help is: $(cat "$dir/said")"
for wrong in --other "image many"; do
    # shellcheck disable=SC2086 # several words
    python3 "$tool" $wrong >/dev/null 2>&1 && fail "this was taken: $wrong"
done
[ -z "$(ls -A)" ] || fail "it made: $(ls -A)"
python3 "$tool" "$dir/image" 2 || fail "no image: $?"
[ "$(stat -c %s "$dir/image")" = $((2 << 20)) ] || fail "it has $(stat -c %s "$dir/image") bytes"
finish
