#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/autopsy.sh - burin-photorec takes the command lines that Autopsy gives to PhotoRec, and others of PhotoRec's, and its report says to
# Autopsy's parser what was planted; the module for Autopsy imports a report in place.
# Labels: long
. "$(dirname "$0")/lib.sh"
root=$(readlink -f "$cli/../..")
planted
# Beside the program, as it is installed; and by a link, as an administrator makes it.
mkdir "$dir/bin" "$dir/local" "$dir/temp" "$dir/autopsy"
ln -s "$(readlink -f "$BURIN")" "$dir/bin/burin"
cp "$root/bin/burin-photorec" "$dir/bin/"
ln -s "$dir/bin/burin-photorec" "$dir/local/photorec"
unallocated=$dir/temp/Unalloc_5_0_4718715
mv "$image" "$unallocated"
photorec() {
    status=0
    "$dir/local/photorec" "$@" >"$dir/log" 2>&1 </dev/null || status=$?
}
# What Autopsy does: starts it so, wants the status 0, and takes OUT/results.1/report.xml.
autopsy() {
    mkdir "$dir/autopsy/$1"
    photorec /d "$dir/autopsy/$1/results" /cmd "$unallocated" "$2"
    [ "$status" = 0 ] || fail "photorec ... $2: status $status: $(cat "$dir/log")"
    mv "$dir/autopsy/$1/results.1/report.xml" "$dir/autopsy/$1/report.xml" || fail "no report of $2"
    python3 "$cli/autopsy_walk.py" "$dir/autopsy/$1/report.xml" "$unallocated" >"$dir/$1" 2>"$dir/walk" || fail "Autopsy's parser does not take it: $(cat "$dir/walk")"
}
# Offset and length of what was planted at the top; kinds: states.
wanted() {
    awk -F '\t' -v states="$1" 'index(states, $2) && $5 == "-" { print $3, $4 }' "$dir/expected.tsv" | sort -n
}
offsets() {
    cut -f 3 "$1" | sed 's/,.*//; s/+/ /' | sort -n
}

autopsy whole search
wanted complete >"$dir/want"
[ "$(wc -l <"$dir/want")" -gt 20 ] || fail "little is planted"
offsets "$dir/whole" | diff "$dir/want" - || fail "search: not what was planted (<)"
awk -F '\t' '{ split($3, run, "+"); if ($2 != run[2]) print }' "$dir/whole" | grep . && fail "the size of a file is not that of its bytes"
# Names as PhotoRec gives them: by the sector; where a file begins within one, by the byte, too.
for name in f0000000.png f0000040+3.gif f0000046.bmp; do
    grep -q "^$name	" "$dir/whole" || fail "no file $name: $(cut -f 1 "$dir/whole" | paste -sd ' ')"
done
if command -v xmllint >/dev/null; then
    xmllint --noout --nonet --schema "$cli/../carver/dfxml/dfxml.xsd" "$dir/autopsy/whole/report.xml" 2>"$dir/lint" || fail "DFXML: $(head -3 "$dir/lint")"
fi
[ -z "$(find "$dir/autopsy" -name '*.png')" ] || fail "a file was carved"

autopsy broken options,keep_corrupted_file,search
offsets "$dir/broken" | cut -d ' ' -f 1 | diff <(wanted complete,truncated | cut -d ' ' -f 1) - || fail "keep_corrupted_file: not what was planted (<)"
# Without zip among the types the picture in one is a file of its own.
autopsy chosen fileopt,everything,disable,png,enable,gif,enable,nosuchtype,enable,options,keep_corrupted_file_no,search
cut -f 1 "$dir/chosen" | sed 's/.*\.//' | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd ' ' | grep -qx '4gif 6png' || fail "png and gif: $(cat "$dir/chosen")"
grep -q "no type 'nosuchtype'" "$dir/log" || fail "a type that burin has not is not told"
autopsy without partition_none,options,mode_ext2,paranoid,fileopt,everything,enable,png,disable,wholespace,search
diff <(grep -v '\.png	' "$dir/whole") "$dir/without" || fail "without png"
# A folder that is there; nothing to find; words that are none of PhotoRec's; evidence that is missing.
mkdir "$dir/autopsy/results.1"
photorec /log /logname "$dir/photorec.log" /debug /d "$dir/autopsy/results" /cmd "$unallocated" blocksize,512,search
{ [ "$status" = 0 ] && [ -s "$dir/autopsy/results.2/report.xml" ]; } || fail "the second folder: status $status, $(cat "$dir/log")"
grep -q 'results.2/report.xml' "$dir/photorec.log" || fail "nothing is in the log"
unallocated=$dir/temp/zeros
truncate -s 64K "$unallocated"
autopsy nothing search
[ ! -s "$dir/nothing" ] || fail "files in zeros"
refused() {
    photorec "${@:2}"
    { [ "$status" = 1 ] && grep -q -- "$1" "$dir/log"; } || fail "photorec ${*:2}: status $status: $(cat "$dir/log")"
}
refused "'dance' is no command" /d "$dir/autopsy/no" /cmd "$unallocated" dance,search
refused "no search" /d "$dir/autopsy/no" /cmd "$unallocated" options,paranoid
refused "no option /dance" /dance
refused "nothing is asked" /d "$dir/autopsy/no"
refused "No such file" /d "$dir/autopsy/no" /cmd "$dir/missing" search
refused "no extension" /d "$dir/autopsy/no" /cmd "$unallocated" "fileopt,everything,enable,x' OR 1,disable,search"
photorec /version
grep -q '^burin [0-9]' "$dir/log" || fail "/version: $(cat "$dir/log")"

# The module for Autopsy: what the report has, where it lies, those in pieces too; of the image that the data source is.
unallocated=$dir/temp/Unalloc_5_0_4718715
pythons=(python3)
[ -z "${BURIN_JYTHON-}" ] || pythons+=("$BURIN_JYTHON") # as in Autopsy; it takes half a minute
module() {
    status=0
    "$python" "$cli/autopsy_module.py" "$root/share/burin/autopsy" "$@" >"$dir/out.module" 2>"$dir/err" || status=$?
}
expect 0 "" scan --quiet --case "$dir/case" "$unallocated"
expect 0 "" report --format dfxml --out "$dir/report.xml" "$dir/case"
"$BURIN" list "$dir/case" | awk -F '\t' '{ sub(/.*\//, "", $9); print $9 "\t" $5 "\t" $6 }' >"$dir/want"
sed 's#<image_filename>.*</image_filename>#<image_filename>/other.img</image_filename><image_filename>/a/Unalloc_5_0_4718715</image_filename>#
    s#<burin:image>1<#<burin:image>2<#' "$dir/report.xml" >"$dir/second.xml"
sed 's#</burin:image>#</burin:image><burin:image>2</burin:image>#' "$dir/report.xml" >"$dir/other.xml"
sed 's/img_offset="0"/img_offset="4718000"/' "$dir/report.xml" >"$dir/outside.xml"
sed 's/img_offset="0"/img_offset="9999999999999999999"/' "$dir/report.xml" >"$dir/large.xml"
sed '1s/$/<!DOCTYPE dfxml [<!ENTITY a SYSTEM "file:\/\/\/etc\/passwd">]>/' "$dir/report.xml" >"$dir/entity.xml"
head -c 3000 "$dir/report.xml" >"$dir/cut.xml"
for python in "${pythons[@]}"; do
    for report in report second; do
        module "$dir/$report.xml" "$unallocated" ""
        { [ "$status" = 0 ] && grep -qx OK "$dir/err"; } || fail "$python, $report.xml: $(cat "$dir/err")"
        diff "$dir/want" "$dir/out.module" || fail "$python, $report.xml: not what burin list says (<)"
    done
    module "$dir/report.xml" "$unallocated" cancel
    { grep -qx OK "$dir/err" && [ ! -s "$dir/out.module" ]; } || fail "$python, cancelled: $(cat "$dir/err")"
    module "$dir/other.xml" "$unallocated" ""
    { grep -q "INFO: 0 files added; [0-9]* left out, which are of other images" "$dir/err" && [ ! -s "$dir/out.module" ]; } ||
        fail "$python, another image: $(cat "$dir/err")"
    module "$dir/outside.xml" "$unallocated" ""
    { grep -q "files added; 1 left out" "$dir/err" && diff <(sed 1d "$dir/want") "$dir/out.module"; } || fail "$python, bytes outside: $(cat "$dir/err")"
    for report in large entity cut; do
        module "$dir/$report.xml" "$unallocated" ""
        { [ "$status" = 0 ] && grep -qx ERROR "$dir/err" && ! grep -q root: "$dir/out.module" "$dir/err"; } || fail "$python, $report.xml: $(cat "$dir/err")"
    done
    module "$dir/none.xml" "$unallocated" ""
    grep -q "refused: there is no file" "$dir/err" || fail "$python, no report: $(cat "$dir/err")"
    module "" "$unallocated" ""
    grep -q "refused: no report is named" "$dir/err" || fail "$python, no name: $(cat "$dir/err")"
done
finish
