#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/demo.sh - deleted files come back: what `./dev demo` runs. BURIN is the program.
#
# Makes a 64 MiB FAT file system without mounting anything, from real files that five Debian packages bring (13 MB to download,
# kept in build/demo/packages), deletes two of three, writes a new file, then scans, lists and carves. What came back is
# counted by sha256 against the files as they were before. Fails when nothing came back.
set -euo pipefail
export LC_ALL=C.UTF-8 MTOOLS_SKIP_CHECK=1
burin=${BURIN:?the program}
top=build/demo
image=$top/disk.img
packages="golang-github-gabriel-vasile-mimetype-dev scribus-template lbreakout2-data wx3.2-examples
    debian-reference-en"
image_mib=64

say() {
    printf '\n== %s\n' "$*"
}

now_ms() {
    date +%s%3N
}

fetch() {
    local package missing=()
    mkdir -p "$top/packages"
    for package in $packages; do
        compgen -G "$top/packages/${package}_*.deb" >/dev/null || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "downloading ${missing[*]} (13 MB in all; unpacked into build/demo, not installed)"
    (cd "$top/packages" && apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" download "${missing[@]}") && return
    # No package lists yet: only root may fetch them.
    if [ "$(id -u)" -eq 0 ]; then apt-get -qq update; else sudo apt-get -qq update </dev/null; fi
    (cd "$top/packages" && apt-get -qq -o Acquire::Retries=3 -o APT::Sandbox::User="$(id -un)" download "${missing[@]}")
}

# The type burin gives to a file of this extension, or nothing.
type_of() {
    case ${1,,} in
    jpg | jpeg) echo jpg ;;
    png | gif | bmp | pdf | zip | docx | xlsx | pptx | odt | ods | odp | wav | gz | sqlite) echo "${1,,}" ;;
    esac
}

# Real files of known types, each content once, as stage/NUMBER-NAME; their sha256, size, type and name in manifest.
stage() {
    local path name number=0 sum type
    rm -rf "$top/unpacked" "$top/stage"
    mkdir -p "$top/unpacked" "$top/stage"
    for path in "$top"/packages/*.deb; do
        dpkg-deb -x "$path" "$top/unpacked"
    done
    : >"$top/manifest"
    while IFS= read -r -d '' path; do
        name=$(basename "$path")
        type=$(type_of "${name##*.}")
        [ -n "$type" ] || continue
        sum=$(sha256sum <"$path")
        sum=${sum%% *}
        grep -q "^$sum " "$top/manifest" && continue
        number=$((number + 1))
        name=$(printf '%04d-%s' "$number" "$(tr -c 'A-Za-z0-9.\n-' _ <<<"$name")")
        cp "$path" "$top/stage/$name"
        printf '%s %s %s %s\n' "$sum" "$(stat -c %s "$path")" "$type" "$name" >>"$top/manifest"
    done < <(find "$top/unpacked" -type f -size +1k -size -4M -print0 | sort -zr)
}

make_image() {
    rm -f "$image"
    truncate -s "${image_mib}M" "$image"
    PATH=$PATH:/usr/sbin mkfs.vfat -n DEMO "$image" >/dev/null
    mmd -i "$image" ::/files
    mcopy -i "$image" "$top"/stage/* ::/files/
    awk 'NR % 3 != 0' "$top/manifest" >"$top/deleted"
    awk '{ print "::/files/" $4 }' "$top/deleted" | xargs mdel -i "$image"
    seq 4000 | mcopy -i "$image" - ::/written-later.txt
    sha256sum "$image" >"$top/image.sha256"
}

mkdir -p "$top"
fetch
say "A disk of $image_mib MiB with real files, two of three deleted"
stage
make_image
printf '%d files on it, %d of them deleted (%d kB), then one file written\n' "$(wc -l <"$top/manifest")" \
    "$(wc -l <"$top/deleted")" "$(awk '{ n += $2 } END { print int(n / 1000) }' "$top/deleted")"

say "burin scan --case demo.burin disk.img"
rm -f "$top"/demo.burin*
start=$(now_ms)
"$burin" scan --case "$top/demo.burin" "$image"
scan_ms=$(($(now_ms) - start))

say "burin list demo.burin   (the first of $("$burin" list "$top/demo.burin" | wc -l) objects: id type state offset length extents sha256 parent name)"
"$burin" list "$top/demo.burin" | awk 'NR <= 5'

say "burin carve --out recovered demo.burin"
rm -rf "$top/recovered"
start=$(now_ms)
"$burin" carve --out "$top/recovered" "$top/demo.burin"
carve_ms=$(($(now_ms) - start))
sha256sum --quiet -c "$top/image.sha256" && echo "the image is unchanged"

# How many of them could come back at all: those whose bytes still lie together on the disk.
there=$(python3 - "$image" "$top" <<'PY'
import os, sys
disk = open(sys.argv[1], "rb").read()
names = [line.split()[3] for line in open(os.path.join(sys.argv[2], "deleted"))]
print(sum(open(os.path.join(sys.argv[2], "stage", name), "rb").read() in disk for name in names))
PY
)

say "What came back, byte for byte (by sha256)"
find "$top/recovered" -type f ! -name audit.txt ! -name report.xml -exec sha256sum {} + | awk '{ print $1 }' | sort -u >"$top/found"
awk -v there="$there" -v image_mib="$image_mib" -v scan_ms="$scan_ms" -v carve_ms="$carve_ms" '
    FILENAME ~ /found$/ { found[$1] = 1; next }
    { deleted[$3]++; bytes[$3] += $2; all++ }
    $1 in found { back[$3]++; whole++ }
    END {
        printf "%-8s %8s %10s %12s\n", "type", "deleted", "kB", "recovered"
        fflush()
        for (type in deleted)
            printf "%-8s %8d %10d %12d\n", type, deleted[type], bytes[type] / 1000, back[type] | "sort"
        close("sort")
        printf "\n%d of %d deleted files recovered exactly; %d were still there, the others lie under the file written later.\n",
            whole, all, there
        printf "Scan %.2f s (%.0f MB/s), carve %.2f s.\n", scan_ms / 1000, image_mib * 1048.576 / (scan_ms > 0 ? scan_ms : 1), carve_ms / 1000
        exit whole == 0
    }' "$top/found" "$top/deleted"
echo "Look around: $top/recovered, $top/recovered/audit.txt, $top/demo.burin (SQLite)"
