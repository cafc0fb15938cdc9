#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/tidy/threads.sh - base/thread.c alone starts threads, so that none takes a signal.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."

# Files of the program in tree $1 that start a thread themselves.
search() {
    (cd "$1" && grep -rnwE "pthread_create|pthread_sigmask|pthread_join|thrd_create" base io match signatures db carver cluster) |
        grep -v '^base/thread\.c:' || true
}

found=$(search .)
if [ -n "$found" ]; then
    printf 'use thread_start and thread_join of base/thread.h:\n%s\n' "$found"
    exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy"/{base,io,match,signatures,db,carver,cluster}
echo "pthread_create(&thread, NULL, run, NULL);" >"$copy/match/planted.c"
[ -n "$(search "$copy")" ] || { echo "a planted pthread_create was not noticed"; exit 1; }
