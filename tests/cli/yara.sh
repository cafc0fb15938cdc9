#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/cli/yara.sh - burin search --yara says of the objects of a case what the program yara says of the same objects carved; an object that takes
# too long is told as not decided; rules that are wrong, or include files, are refused with file and line; burin list --yara tells all again.
# Labels: long
. "$(dirname "$0")/lib.sh"
command -v yara >/dev/null || skip "yara is not installed"
python3 - "$dir" <<'PY' || exit 1
import io, random, struct, sys, zipfile, zlib
def png(w):
    part = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    rows = b"".join(b"\0" + bytes([w % 256]) * w for _ in range(w))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", w, w, 8, 0, 0, 0, 0)) + part(b"tEXt", b"Comment\0marker-%d" % w) +
            part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
rng = random.Random(7)
image = bytearray(rng.randbytes(65536))
for w in (8, 64, 300, 900):
    image += png(w) + bytes(-len(png(w)) % 512) + rng.randbytes(4096)
words = [bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=rng.randrange(2, 11))) for _ in range(4000)]
out = io.BytesIO()
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for i in range(6):
        z.writestr("folder/text%d.txt" % i, b" ".join(rng.choices(words, k=4000)))
    z.comment = b"in the second piece"
data = out.getvalue()
image += data[:32768] + rng.randbytes(3584) + data[32768:] + bytes(-len(data) % 512) + rng.randbytes(4096)
open(sys.argv[1] + "/image", "wb").write(image)
PY
cd "$dir" || exit 1
cat >rules.yar <<'EOR'
rule hex : picture lossless { strings: $h = { 89 50 4E 47 ?? 0A } $m = /marker-[0-9]{2,}/ condition: $h at 0 and $m }
rule small { condition: filesize < 300 }
rule number { condition: uint16(0) == 0x5089 and filesize > 200 }
rule joined : archive { strings: $t = "in the second piece" condition: $t in (32768..filesize) and uint32(0) == 0x04034b50 }
rule never { strings: $n = "it is nowhere in there" condition: $n }
EOR
burin scan --quiet --case case image
check 0 "" "scan"
burin search --quiet --yara rules.yar case
if grep -q 'built without YARA' err; then
    check 4 "built without YARA: install the package libyara-dev and build it with -DBURIN_YARA=ON" "search --yara in a build without YARA"
    expect 0 "" list --yara case
    [ "$failures" -gt 0 ] || skip "this build has no YARA"
    finish
fi
check 0 "" "search --yara"
cp out found
# Names of rules and objects, as the program yara has them.
burin carve --quiet --out carved case
yara -r rules.yar carved | sed 's#carved/##' | sort >want
[ "$(wc -l <want)" -ge 8 ] && grep -q '^joined ' want || fail "yara finds little: $(cat want)"
cut -f 2,7 found | tr '\t' ' ' | sort >have
diff want have >differ || fail "yara says otherwise: $(cat differ)"
[ "$(cut -f 2,4 found | sort -u | grep -c -e '^hex	picture,lossless$' -e '^joined	archive$')" -eq 2 ] || fail "tags: $(cat found)"
# The offset is that of the image, behind the seam too.
while IFS=$'\t' read -r id rule _ _ offset string _; do
    case $rule in
    hex) printf '\x89PNG' >text ;;
    joined) printf 'in the second piece' >text ;;
    *) continue ;;
    esac
    head -c "$(stat -c %s text)" <(tail -c "+$((offset + 1))" image) | cmp -s text - || fail "object $id, rule $rule: $string is not at $offset"
done <found
burin list --yara case
sort found >want
sort out | cmp -s want - || fail "list --yara: $(cat out)"
burin list --yara --json case
python3 -c 'import json,sys; r=json.load(open("out")); sys.exit(len(r) != int(sys.argv[1]))' "$(wc -l <found)" || fail "JSON: $(cat out)"
# What is wrong is told with its line, and includes are not followed.
printf 'rule a { condition: true }\nrule b { condition: nothing }\n' >bad.yar
expect 3 'bad.yar:2: ' search --yara bad.yar case
printf 'include "rules.yar"\n' >include.yar
expect 3 'include.yar:1: includes are disabled' search --yara include.yar case
expect 3 'missing.yar' search --yara missing.yar case
expect 2 '--features says nothing with --yara' search --yara rules.yar --features email case
expect 2 '--yara-time goes with --yara' search --yara-time 3 image word
# A rule that does not end is no rule that is not met; what another one met stays.
printf 'rule slow { condition: filesize < 300 and for all i in (1..10000000000) : (i > 0) }\n' >slow.yar
burin search --quiet --yara slow.yar --yara-time 1 case
check 1 'not decided' "a slow rule"
grep -q '	YARA took more than 1 second	' out || fail "a slow rule: $(cat out)"
burin list --yara case
[ "$(grep -c '^[0-9]*	hex	' out)" -eq "$(grep -c '^[0-9]*	hex	' found)" ] || fail "rows are lost: $(cat out)"
# The first 256 MiB of an object are looked at, and no byte more.
python3 - large <<'PY'
import struct, sys
len_, most = 260 << 20, 256 << 20
with open(sys.argv[1], "wb") as out:
    out.write(b"RIFF" + struct.pack("<I", len_ - 8) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data" + struct.pack("<I", len_ - 44))
    for at, text in ((most - 10, b"the l"), (most - 2, b"one")):
        out.seek(at)
        out.write(text)
    out.truncate(len_)
PY
printf 'rule seen { strings: $a = "the l" condition: $a }\nrule behind { strings: $a = "one" condition: $a }\n' >large.yar
burin scan --quiet --case large.case large
burin search --quiet --yara large.yar large.case
check 1 "not by all bytes" "a large object"
[ "$(cut -f 2,4,5 out)" = "seen	-	268435446
-	its first 268435456 of 272629760 bytes were looked at	0" ] || fail "a large object: $(cat out)"
burin verify --quiet case
check 0 "" "verify"
finish
