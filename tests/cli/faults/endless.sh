#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/faults/endless.sh - a file system that leads The Sleuth Kit's library round for ever: its
# process is ended after its time, which goes with the size of the image, and at once on a signal.
# Labels: long
. "$(dirname "$0")/../lib.sh"

command -v pgrep >/dev/null || skip "no pgrep"

# An ext2 file system of 100 KiB with some bytes changed.
base64 -d <<'IMAGE' | gunzip >"$dir/loop.raw" || skip "no base64 or gunzip"
H4sIAAAAAAACA+3dT2gjVRzA8ZlJt7Vpq65bpRd1Lp42Jut/6WVZKsiKdHFXt4c9hEnyaqadzIR5b9iuB+siiODNm+JF8LCiCIKL
3upBD4KosJ70Ip5EKKuwwrosxPcmTZn+SSlNLcn2+6G//JlM8vLevN8jmcnrWNZ2li3s0vu7XfG7vq7Giwde4u97eZLdh0233Cev
vKf38Y6Omo4jOl7YrpHddtyrrx6Z+Ov8xzpy1pR17rqdrvfWJytnrNnVDc8b0/GGjmd1OGvL/775y1dz10//+sE/X4zOjTy9uvl9
lOpRQ5QWkuqiCBpeWGrG0YKoKlmal7Hf9KPjJSWkKvmNV/fenN+++e7313567r3Pbo2/dO2V1g/Zeqb1+B9067BHGDnRB3I6hjL5
n0vvAYeWfZgq22qdbHZu32wNrOXWIBvsdw8AGEDZ77+dOMjPH6unZmbNVw6zb+H8l6PnTJjlbx8bSvcddD6QjexzuQ6fc2H2U13W
FyeGhrb2f7vnPjJJ8/a9r0+Z7W+JrdvfsaYy692lY1RHfm3/5riOCR1367jHau8fParjPh3H9jD+PaPHvwufrpwx0R7/nA397/4e
6njy9tiH3ca/ln5kyto6/mb7vxl/vXLNj0VVRfGlkhdGqi7i8rwfiN2U/9Hcjdce7Jp/M7NP6etEl39W1/3sev035t9DPdR/Zof6
W7p8pa+u6nJXdFztUv4DPZQ/u0P5pv7mtTvb/kKX8h/uofzTO5TvpH3Zdorrtx2nWGz38Ukr7wSRVMfnoySstfv8pDXmZPpC2ven
rAm76Ul5MYprsqiW1FpuXMkNj3jlwA8X15a/XpQXm4w5wEHrdnBwbFP+38i18x/AIcEhP4D8B0D+AyD/AZD/AMh/AOQ/APIfAPkP
gPwHQP4DAIC+Nm5tP//PzGedtMbt7FxPM9f159yw7aX3RDpL6JvcUbuYXSkzxe9KbmLD89Ppf0u0OdAvmoFXFYVEirjQmcKbr3jh
YmEhErLhq3pBJk0Rx361nvcCL2648pJUolF4tPDY4088mVex8GQSC7daF1KZpVo+qYjYlaIaC+UGnh+Lgldr+GH7Mk+rAwCAHXAi
AgAAAAAAAKAnzp/m/zub+PH5zxubHx0Z/s2cIiw9DaB5XIrADxMO4gODIAmrUTjvh6JWTqajijmnZjmeNr/GKatpecJ6ue5LV/95
rhJLyk1/wZPPzwlX1qMkqLkV4XqVQLgqcpteLIXrqyIH8IE7w3r+t3+ntzYA0C79rkUTAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AACwT2yaAAAAAAAAAAAAAHeqyzQBAGC//UsTAAAAANh3yzQBAAAAMv6gCQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAMsBZN
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKDv/QeQv/eoAJABAA==
IMAGE

# Children that are left: they have the command line of their parent.
left() {
    pgrep -f "$dir/loop.raw" || true
}

"$BURIN" search --quiet --case "$dir/stopped" "$dir/loop.raw" the >"$dir/out" 2>"$dir/err" &
parent=$!
for _ in $(seq 600); do
    [ "$(left | wc -l)" -lt 2 ] || break
    sleep 0.05
done
[ "$(left | wc -l)" -ge 2 ] || fail "no process reads the file system"
sleep 0.2 # to where it goes round
kill -TERM "$parent"
timeout 60 tail --pid="$parent" -f /dev/null || fail "a signal does not end it"
kill -KILL "$parent" 2>/dev/null
status=0
wait "$parent" || status=$?
check 130 "interrupted" "burin search, on a signal"
[ -z "$(left)" ] || fail "the process that reads file systems goes on: $(left)"
[ "$(sqlite3 "$dir/stopped" "SELECT status FROM runs" 2>/dev/null)" = "done" ] || fail "the hits were not recorded before"

burin search --case "$dir/ended" "$dir/loop.raw" the
check 0 "" "burin search, with time"
grep -q "$dir/loop.raw: .* ended after 10 seconds" "$dir/err" || fail "it is not said that reading was ended: $(cat "$dir/err")"
[ "$(wc -l <"$dir/out")" -eq 5 ] || fail "not the 5 hits that there are: $(cat "$dir/out")"
finish
