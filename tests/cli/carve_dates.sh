#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/carve_dates.sh - a carved file was last changed when it says so itself: as exiftool reads its date and stat that of the file; one that
# says nothing has the time of the carve. report.xml says the same, and evidence keeps its times.
# Labels: long
. "$(dirname "$0")/lib.sh"
command -v exiftool >/dev/null || skip "exiftool is not installed"
# Pictures with a date and a zone, a date without one, one before 1970, and none; one that was changed after it was made.
python3 - "$cli" "$dir" <<'PY'
import sys
sys.path.insert(0, sys.argv[1])
import samples
for number in range(4):
    with open(f"{sys.argv[2]}/{number}.jpg", "wb") as file:
        file.write(samples.TYPES["jpg"](number))
with open(sys.argv[2] + "/4.png", "wb") as file:
    file.write(samples.TYPES["png"](4))
PY
cd "$dir" || exit 1
exiftool -q -overwrite_original -DateTimeOriginal='2024:05:31 23:30:00' -OffsetTimeOriginal=+02:00 -ModifyDate='2025:01:01 00:00:00' 0.jpg &&
    exiftool -q -overwrite_original -DateTimeOriginal='2019:02:28 12:00:01' 1.jpg &&
    exiftool -q -overwrite_original -DateTimeOriginal='1955:11:05 06:15:00' 2.jpg &&
    exiftool -q -overwrite_original -XMP:CreateDate='2020:01:01 00:00:00Z' -XMP:ModifyDate='2021:06:07 08:09:10+01:00' 4.png || fail "exiftool makes no files"
for file in 0.jpg 1.jpg 2.jpg 3.jpg 4.png; do
    cat "$file"
    head -c $((4096 - $(stat -c %s "$file") % 4096)) /dev/zero
done >disk.img
touch -d '2001-01-01T00:00:00Z' disk.img
# What exiftool says, in seconds; a time without a zone as UTC.
seconds() {
    local text
    text=$(exiftool -s3 "-$2" "$1")
    [ "${text%[+-]??:??}" != "$text" ] || text+=Z
    date -u -d "$(sed -E 's/^(....):(..):/\1-\2-/' <<<"$text")" +%s
}
wanted() {
    seconds 0.jpg SubSecDateTimeOriginal
    seconds 1.jpg DateTimeOriginal
    seconds 2.jpg DateTimeOriginal
    echo none
    seconds 4.png ModifyDate
}
wanted >want || fail "exiftool says nothing"
head -1 want | grep -qx "$(date -u -d 2024-05-31T21:30:00Z +%s)" || fail "exiftool does not take the zone: $(cat want)"
expect 0 "" scan --quiet disk.img
began=$(date +%s)
for jail in "" --no-jail; do
    for threads in 1 3; do
        # shellcheck disable=SC2086
        expect 0 "" carve --quiet $jail --threads "$threads" --out "out$jail$threads" disk.img.burin
        find "out$jail$threads" -name '*.jpg' -o -name '*.png' | sort -t / -k 3 | xargs stat -c %Y | awk -v began="$began" '{ print ($1 >= began ? "none" : $1) }' |
            diff want - || fail "carve $jail with $threads threads: not the dates that exiftool tells (<)"
        python3 - "out$jail$threads" <<'PY' || fail "report.xml says another date than stat"
import datetime, os, sys, xml.etree.ElementTree as tree
space = "{http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML}"
dated = 0
for item in tree.parse(sys.argv[1] + "/report.xml").getroot().iter(space + "fileobject"):
    found, name = item.find(space + "mtime"), item.find(space + "filename").text
    if found is not None:
        told = datetime.datetime.fromisoformat(found.text.replace("Z", "+00:00")).timestamp()
        assert told == os.stat(os.path.join(sys.argv[1], name)).st_mtime, name
        dated += 1
assert dated == 4, dated
PY
        ! command -v xmllint >/dev/null || xmllint --noout --nonet --schema "$cli/../carver/dfxml/dfxml.xsd" "out$jail$threads/report.xml" 2>lint || fail "DFXML: $(cat lint)"
    done
done
[ "$(stat -c %Y disk.img)" = "$(date -u -d 2001-01-01 +%s)" ] || fail "the evidence has another time"
# What says nothing of itself in a case file that lies.
cp disk.img.burin lies.burin
sqlite3 lies.burin "UPDATE facts SET number = 9223372036854775807 WHERE key LIKE 'taken%'" || fail "no lies"
expect 0 "" carve --quiet --out lies lies.burin
find lies -name '*.jpg' -exec stat -c %Y {} + | awk -v began="$began" '$1 < began' | grep . && fail "a date that is none"
finish
