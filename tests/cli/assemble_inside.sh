#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/assemble_inside.sh - what lay in something that turns out to be bytes of another file.
#
# Goal: a page that begins behind the first piece of an archive, of which a member's beginning and that page were taken for one page, is a file of
# its own once the archive is put together: it is carved, lies in nothing, and is counted so; a picture inside of the piece is the archive's child.
# Method: mtools makes the volume; the archive fills a hole in front of the page. What carve writes is compared with the files by SHA-256.
. "$(dirname "$0")/lib.sh"

PATH=$PATH:/sbin:/usr/sbin
for tool in mkfs.vfat mcopy mdel mshowfat; do
    command -v "$tool" >/dev/null || skip "no $tool here"
done

python3 - "$dir" "$cli" <<'PYTHON' || exit 1
import io, random, sys, tarfile
sys.path.insert(0, sys.argv[2])
import samples
rng = random.Random(5)
picture = samples.png(3, 3, 1)
words = lambda size: b" ".join(bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 9))) for _ in range(size // 6))
page = lambda size: (b"<!DOCTYPE html>\n<html><head><title>A page</title>\n<script>\nvar words = '" + words(size) + b"';\n</script></head><body>\n<p>" +
                     words(size) + b"</p>\n</body></html>\n")
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
    for i, data in enumerate([picture] + [page(2000) for _ in range(3)]):
        info = tarfile.TarInfo("pages/%d" % i)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
for name, data in (("hole", b"x" * 2560), ("page.html", page(3000)), ("large", rng.randbytes(6 << 20)), ("new.tar", out.getvalue())):
    open(sys.argv[1] + "/" + name, "wb").write(data)
PYTHON

volume=$dir/image
mkfs.vfat -F 32 -s 1 -C "$volume" 34816 >/dev/null || exit 1
export MTOOLS_SKIP_CHECK=1
mcopy -i "$volume" "$dir/hole" "$dir/page.html" "$dir/large" ::/ && mdel -i "$volume" ::/hole
# mtools goes on behind the last cluster that it used: so that it begins anew, the hint is cleared.
printf '\377\377\377\377' | dd of="$volume" bs=1 seek=$((512 + 492)) conv=notrunc status=none
mcopy -i "$volume" "$dir/new.tar" ::/
[ "$(mshowfat -i "$volume" ::/new.tar | grep -o '<' | wc -l)" -eq 2 ] || fail "the archive is in two pieces: $(mshowfat -i "$volume" ::/new.tar)"

for threads in 1 7; do
    rm -rf "$dir/case"* "$dir/carved"
    expect 0 "" scan --quiet --threads "$threads" --case "$dir/case" "$volume"
    [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM nested n JOIN assembled a ON a.object_id = n.parent_id AND a.part = 1")" -ge 1 ] ||
        fail "nothing lay in a piece of the archive: this test proves nothing"
    expect 0 "" carve --quiet --out "$dir/carved" "$dir/case"
    find "$dir/carved" -type f -exec sha256sum {} + | cut -c 1-64 >"$dir/sums"
    for name in page.html new.tar; do
        sum=$(sha256sum <"$dir/$name")
        grep -q "^${sum%% *}" "$dir/sums" || fail "$threads threads: $name is not carved"
    done
    [ "$(sqlite3 -readonly "$dir/case" "SELECT type, state, ifnull(parent_type, '-') FROM v_objects WHERE type IN ('tar', 'png') OR len = $(stat -c %s "$dir/page.html") ORDER BY 1, 2" | tr '\n' ' ')" = \
        "html|complete|- png|complete|tar tar|complete|tar tar|fragmented|- " ] || fail "$threads threads: $(sqlite3 -readonly "$dir/case" "SELECT type, state, parent_type FROM v_objects")"
    [ "$(sqlite3 -readonly "$dir/case" "SELECT count(*) FROM v_objects WHERE parent_id IS NULL")" = \
        "$("$BURIN" list --json "$dir/case" | grep -c '"parent": null')" ] || fail "$threads threads: list and the view differ"
done
finish
