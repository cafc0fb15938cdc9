#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tools/report_case.sh - tools/report_case.py makes case files of today's schema, with as many objects as one asks for, that list and report take.
. "$(dirname "$0")/../cli/lib.sh"
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
for hashes in "" hashes; do
    PYTHONDONTWRITEBYTECODE=1 python3 "$(dirname "$0")/../../tools/report_case.py" "$dir/case" 250 $hashes || fail "report_case.py ends with $?"
    expect 0 "" list "$dir/case"
    [ "$(wc -l <"$dir/out")" = 250 ] || fail "objects: $(wc -l <"$dir/out")"
    # One in eleven, from the first on, is broken: 0, 11, ... 242.
    expect 0 "" list --state truncated "$dir/case"
    [ "$(wc -l <"$dir/out")" = 23 ] || fail "truncated: $(wc -l <"$dir/out")"
    expect 0 "" list --place file,deleted "$dir/case"
    [ "$(wc -l <"$dir/out")" = 125 ] || fail "in files: $(wc -l <"$dir/out")"
    expect 0 "" report --format html --thumbs 0 "$dir/case"
    grep -q "250 objects\|>250<" "$dir/out" || fail "the page does not say 250"
done
finish
