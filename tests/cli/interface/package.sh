#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/interface/package.sh - the Debian package of this build: packed twice it is the same bytes, lintian finds no fault, it holds what
# cmake --install installs, its program works from its own usr/ and depends on what it is linked with, and its documents are true.
# Labels: slow
. "$(dirname "$0")/../lib.sh"
build=${BUILD:?the folder of the build}
root=$(readlink -f "$cli/../..")
[ -e "$build/CPackConfig.cmake" ] || skip "no folder of a build to pack"
! grep -qE '^BURIN_SANITIZE:STRING=.' "$build/CMakeCache.txt" || skip "a build with sanitizers is not packed"
for tool in cpack dpkg-shlibdeps dpkg-deb; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done

# By gzip, which takes a quarter of the time of xz. Half of what CPack takes is to look for libraries: but for BURIN_LONG=1, the second
# time it does not, and what names them is the one line that may differ.
once=(-D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
again=("${once[@]}")
[ -n "${BURIN_LONG:-}" ] || again+=(-D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF)
pack() { # NUMBER OPTION...
    (cd "$dir" && cpack --config "$build/CPackConfig.cmake" -B "$dir/$1" "${@:2}") >"$dir/pack" 2>&1 || { fail "cpack: $(cat "$dir/pack")"; finish; }
}
pack 1 "${once[@]}"
pack 2 "${again[@]}"
made=$(find "$dir/1" -maxdepth 1 -name '*.deb')
if [ -n "${BURIN_LONG:-}" ]; then
    cmp "$made" "$dir/2/${made##*/}" || fail "packed twice it is not the same"
else
    cmp <(dpkg-deb --fsys-tarfile "$made") <(dpkg-deb --fsys-tarfile "$dir/2/${made##*/}") || fail "packed twice other files are in it"
    control() { dpkg-deb --ctrl-tarfile "$1" | tar -xO | sed '/^Depends:/d'; }
    diff <(control "$made") <(control "$dir/2/${made##*/}") || fail "packed twice it says other things of itself"
fi
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "$made" >"$dir/lintian" 2>&1 || fail "lintian: $(cat "$dir/lintian")"
else
    echo "skipped in part: lintian is not installed"
fi

# The same files as those that are installed, in the same places: as the install for a package is, to /usr.
dpkg-deb -x "$made" "$dir/root" || fail "the package cannot be unpacked"
usr=$dir/root/usr
DESTDIR=$dir/installed cmake --install "$build" --prefix /usr >"$dir/install.log" 2>&1 || fail "cmake --install: $(cat "$dir/install.log")"
diff -r "$dir/installed" "$dir/root" >"$dir/diff" || fail "installed (<) and packed (>) differ: $(cat "$dir/diff")"

# The program of the package, with nothing of this build.
program=$usr/bin/burin
cmp "$BURIN" "$program" || fail "the packed program is another one"
BURIN=$program
planted
expect 0 "" scan --quiet --case "$dir/case" "$image"
expect 0 "" list "$dir/case"
[ "$(wc -l <"$dir/out")" -gt 10 ] || fail "the packed program finds little: $(cat "$dir/out")"
expect 0 "" carve --quiet --out "$dir/out.d" "$dir/case"
expect 0 "" info --images
! grep -i 'not installed' "$dir/out" || fail "a library is missing"

# Depends has the package of each library that the program is linked with, or loads; copyright has its licence.
depends=$(dpkg-deb -f "$made" Depends)
documents=$usr/share/doc/$(dpkg-deb -f "$made" Package)
document=$documents/copyright
needed() {
    readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
    strings "$program" | grep -xE 'lib(tsk|ewf|nbd|fuse3|turbojpeg|yara)\.so\.[0-9]+'
}
needed | sort -u >"$dir/libraries"
[ "$(wc -l <"$dir/libraries")" -ge 14 ] || fail "the program needs only $(paste -sd' ' "$dir/libraries")"
# Where the loader has them, and where a package of before /usr was merged has them: dpkg knows whole names at once.
/sbin/ldconfig -p | awk 'NR == FNR { needed[$1]; next } $1 in needed { path = $NF; sub("^/usr", "", path); print path; print "/usr" path }' \
    "$dir/libraries" - | xargs -d '\n' dpkg -S >"$dir/owners" 2>/dev/null
while read -r library; do
    # Of several packages that have it, such as that of another architecture, one is enough.
    package=
    while read -r candidate; do
        [[ ", $depends," != *", $candidate"[\ ,]* ]] || package=$candidate
    done < <(sed -n "s#^\([^:]*\):.*/${library//./\\.}\$#\1#p" "$dir/owners")
    [ -n "$package" ] || fail "Depends has no package of $library: $depends"
    grep -F "($package)" "$document" | grep -qF "$library" || fail "copyright does not name $library of $package"
done <"$dir/libraries"
! dpkg-deb -f "$made" Depends | grep -oE '[a-z0-9.+-]*-dev' || fail "Depends has a package for developers"

# A man page a command, each option in it as in the page of the tree (which man.sh compares with --help).
pages=$usr/share/man/man1
"$BURIN" --help >"$dir/help"
zcat "$pages/burin.1.gz" >"$dir/burin.1"
for command in $(commands) help; do
    zcat "$pages/burin-$command.1.gz" >"$dir/page" || fail "no man page for $command"
    sed -n "/^\\.SH \"BURIN ${command^^}\"/,/^\\.SH/p" "$root/docs/reference/burin.1" | sed '1d;$d' | sed "s#docs/reference/#DOC/reference/#" >"$dir/section"
    [ -s "$dir/section" ] || fail "the page of the tree has no section for $command"
    sed '1,/^\.SH DESCRIPTION/d;/^\.SH "SEE ALSO"/,$d' "$dir/page" | sed "s#/usr[a-z/]*/doc/burin[a-z-]*/#DOC/#" | diff "$dir/section" - >"$dir/diff" ||
        fail "the page of $command (>) is not the section (<): $(cat "$dir/diff")"
    grep -q "^\\.B burin $command" <<<"$(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/p' "$dir/page")" || fail "the page of $command has no synopsis"
    what=$(sed -n "s/^  $command  *//p" "$dir/help")
    [ "$(sed -n '/^\.SH NAME/{n;p}' "$dir/page" | sed 's/\\-/-/g')" = "burin-$command - $what" ] || fail "the page of $command says: $(sed -n 3p "$dir/page")"
    grep -qF ".BR burin\\-$command (1)" "$dir/burin.1" || fail "burin.1 does not name burin-$command"
done
[ "$(find "$pages" -type f | wc -l)" = "$(($(commands | wc -l) + 3))" ] || fail "there are other pages: $(ls "$pages")"
! grep -q '"BURIN ' "$dir/burin.1" || fail "burin.1 has a section of a command"
for section in SYNOPSIS DESCRIPTION '"EXIT STATUS"' FILES NOTES EXAMPLES; do
    grep -qx "\\.SH $section" "$dir/burin.1" || fail "burin.1 lost $section"
done
if command -v groff >/dev/null; then
    cp -r "$pages" "$dir/pages" && gunzip "$dir/pages"/*
    warnings=$(groff -man -ww -z -Tutf8 "$dir/pages"/* 2>&1)
    [ -z "$warnings" ] || fail "groff warns: $warnings"
fi

# Python finds the module in the place of Debian's, and needs nothing else.
python3 -I -c 'import sys
sys.path.insert(0, sys.argv[1])
import burin_case
assert burin_case.__file__.startswith(sys.argv[1])
assert len(list(burin_case.Case(sys.argv[2]).objects())) > 10' "$usr/lib/python3/dist-packages" "$dir/case" || fail "the module of the package does not work"

# PhotoRec's command line, beside the program.
"$usr/bin/burin-photorec" /d "$dir/photorec" /cmd "$image" search >"$dir/out" 2>&1 || fail "burin-photorec: $(cat "$dir/out")"
[ "$(grep -c '<fileobject>' "$dir/photorec.1/report.xml")" -gt 10 ] || fail "burin-photorec finds little"
for script in parts merge images; do
    [ -x "$usr/share/burin/slurm/$script.sh" ] && sh -n "$usr/share/burin/slurm/$script.sh" || fail "the script $script.sh for Slurm is not there"
done
[ ! -e "$usr/bin/burin-mpi" ] || fail "burin-mpi is in the package of burin"
[ -s "$usr/share/burin/autopsy/BurinImport.py" ] || fail "the module for Autopsy is not there"

# The examples do what they say.
examples=$documents/examples
sqlite3 -readonly -bail "$dir/case" <"$examples/queries.sql" >"$dir/out" || fail "queries.sql fails"
[ "$(wc -l <"$dir/out")" -gt 10 ] || fail "queries.sql says little: $(cat "$dir/out")"
printf '%600sNOTE 1.0\nbuy milk\nEND NOTE\n%600s<MARK version=2>x</MARK>%600s' '' '' '' >"$dir/notes.img"
expect 0 "" scan --quiet --dictionary "$examples/rules.conf" --case "$dir/notes" "$dir/notes.img"
expect 0 "" list "$dir/notes"
cut -f 2,4,5 "$dir/out" | diff - <(printf 'note\t600\t27\nmark\t1227\t24\n') || fail "rules.conf finds other files"
finish
