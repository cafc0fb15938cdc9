#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/plot.sh - the pictures of docs/measured/ are what tools/plot.py makes of the CSV beside them, byte for byte.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
export PYTHONDONTWRITEBYTECODE=1

status=0
drawn=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for picture in docs/measured/*.svg; do
    name=$(basename "$picture" .svg)
    python3 tools/plot.py "$name" "docs/measured/$name.csv" >"$scratch/picture"
    cmp "$picture" "$scratch/picture" || { echo "$picture is stale: python3 tools/plot.py $name"; status=1; }
    grep -q "]($name.svg)" docs/measured/*.md || { echo "no page shows $picture"; status=1; }
    drawn=$((drawn + 1))
done
[ "$drawn" -gt 0 ] || { echo "no picture was compared"; status=1; }

# A figure that is planted in the CSV changes the picture.
sed '2s/,[0-9.]*/,9.9/' docs/measured/gpu-scan.csv >"$scratch/planted.csv"
python3 tools/plot.py gpu-scan "$scratch/planted.csv" >"$scratch/picture"
if cmp -s docs/measured/gpu-scan.svg "$scratch/picture"; then
    echo "a planted figure was not noticed"
    status=1
fi

# What places on paper come to: 16 MiB and 53.5 GB/s of 60 are 4 of 4 steps to the right and 53.5/60 up
# between the frame's edges at 64 and 590, and at 34 and 314.
want='<circle cx="590.0" cy="64.3"'
grep -qF "$want" docs/measured/gpu-scan.svg || { echo "the point of 16 MiB by auto is not at $want"; status=1; }
exit "$status"
