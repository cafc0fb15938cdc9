#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/triage_page.sh - the HTML report of a case with triages has their answers, shares and finds; that of a case without has no
# such section.
. "$(dirname "$0")/lib.sh"
# 64 places of 4 KiB: 48 of zeros, 12 of text, 4 of one word over and over, with a keyword in the text that would be markup.
python3 -c '
import sys
text = b"Some words that a person might have written down here, one after the other.\n" * 700
with open(sys.argv[1], "wb") as out:
    out.write(bytes(48 * 4096) + text[: 12 * 4096] + b"\x01\xf0\x01\xf0" * (4 * 1024))
    out.seek(50 * 4096 + 100)
    out.write(b"<b>needle</b>")' "$dir/disk"
echo '<b>needle</b>' >"$dir/words"
expect 0 "" triage --quiet --unit 4K --sweeps 64 --seed 3 --keywords "$dir/words" --case "$dir/case" "$dir/disk"
expect 0 "" report --format html --out "$dir/page.html" "$dir/case"
page=$(tr '\n' ' ' <"$dir/page.html")
has() { [[ $page == *"$1"* ]] || fail "the page lacks $1"; }
has '<a href="#triage">Triage</a>'
has '<strong>amber; '
has '64 places were looked at in '
has 'zeros 75.0 % · a few bytes over and over 6.2 % · text 18.8 %.'
has '<tr><td>keyword</td><th scope="row">&lt;b&gt;needle&lt;/b&gt;</th><td>utf-8</td><td class="n mono">0x32064</td></tr>'
[[ $page != *'<b>needle'* ]] || fail "text of the evidence is markup"
expect 0 "" scan --quiet --case "$dir/scan" "$dir/disk"
expect 0 "" report --format html --out "$dir/other.html" "$dir/scan"
grep -q '"#triage"' "$dir/other.html" && fail "a section of triages without one"
finish
