#!/usr/bin/env bash
# tests/tidy/includes.sh - who may include whom: carver -> {io, match, signatures, db} -> base, and each outside library in one
# folder only.
#
# Method: the rules are grepped from the tree; then a copy with one planted offence for each rule must be refused, so that a
# rule which has stopped looking is noticed.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# Prints every include in tree $1 that a rule forbids.
offences() {
    local folder
    (
        cd "$1"
        for folder in base io match signatures db; do
            grep -rnE '#[[:space:]]*include[[:space:]]*"(base|carver|io|match|signatures|db|tests)/' --include='*.[ch]' --include='*.cu' "$folder" |
                grep -vE "\"(base|$folder)/" || true
        done
        grep -rnE '#[[:space:]]*include[[:space:]]*"tests/' --include='*.[ch]' carver || true
        # What a device and the CPU share stands in match/, and not the other way round.
        grep -nE '#[[:space:]]*include[[:space:]]*"match/cuda/' match/*.[ch] || true
        # What runs a device is match's own; others see its faces.
        grep -rnE '#[[:space:]]*include[[:space:]]*"match/cuda/' --include='*.[ch]' base io signatures db carver || true
        # header, the folders that may name it
        only 'sqlite3\.h' db
        only '(libaio\.h|libewf|tsk/)' io
        only '(isa-l|isal/|igzip)' signatures
        only 'openssl/' '(carver|db)'
        only 'cuda' match
    )
}

only() {
    grep -rnE "#[[:space:]]*include[[:space:]]*[<\"]$1" --include='*.[ch]' --include='*.cu' base io match signatures db carver |
        grep -vE "^$2/" || true
}

found=$(offences .)
if [ -n "$found" ]; then
    printf 'forbidden includes:\n%s\n' "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r base io match signatures db carver "$copy"
status=0
while read -r file include; do
    printf '#include %s\n' "$include" >"$copy/$file"
    if [ -z "$(offences "$copy")" ]; then
        echo "a planted $include in $file was not noticed"
        status=1
    fi
    rm "$copy/$file"
done <<'PLANTED'
base/planted.c "io/image.h"
io/planted.h "match/matcher.h"
match/planted.c "signatures/sig.h"
signatures/planted.c "db/case.h"
db/planted.c "carver/pair.h"
carver/planted.c "tests/signatures/harness.h"
carver/planted.c <sqlite3.h>
carver/planted.c <libaio.h>
signatures/planted.c <tsk/libtsk.h>
carver/planted.c <libewf.h>
io/planted.c <isa-l.h>
carver/planted.c <cuda_runtime.h>
match/planted.c <openssl/evp.h>
match/planted.h "match/cuda/ring.h"
carver/planted.h "match/cuda/device.h"
PLANTED
[ -z "$(offences "$copy")" ] || status=1
exit "$status"
