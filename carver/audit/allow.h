/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/allow.h - allow lists: what an audit may find without saying so.
 *
 *   keys:0123456789abcdef until 2027-06-30   # the test key of the build machine
 *   9f86d081...0f00a08                       # SHA-256 of an object: any rule
 *
 * One entry a line: a fingerprint as the audit prints it, with its rule, or the SHA-256 of an
 * object; the last day on which it holds, if there is one; behind a "#", why. A line that is none
 * of that is an error: an entry that is not understood would let nothing pass, and nobody would
 * know.
 */
#ifndef BURIN_CARVER_AUDIT_ALLOW_H
#define BURIN_CARVER_AUDIT_ALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum {
    ALLOW_BYTES_MAX = 16 << 20, /* of a file */
    ALLOW_ENTRIES_MAX = 200000, /* of all files */
};

struct allow_entry {
    const char *rule;        /* NULL: the SHA-256 of an object, of any rule */
    const char *fingerprint; /* 16 or 64 small hex digits */
    int64_t until;           /* seconds since 1970: it holds before that; INT64_MAX: always */
    const char *why;         /* never "" */
    const char *path;        /* of its file: the caller's */
    uint32_t line;
};

/* Zeroed: an empty list. */
struct allow {
    struct allow_entry *entries; /* in the order of files and lines; owned */
    size_t count, room;
    struct arena arena;
    bool open; /* the arena is there */
};

/*
 * Adds the entries of a file, or of a text in memory. path stays the caller's and must outlive the
 * list. Errors: ERR_INPUT, with file and line; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code allow_read(struct allow *allow, const char *path, struct err *err);
ERR_MUST_CHECK enum err_code allow_parse(struct allow *allow, const char *path, const char *bytes,
                                         size_t len, struct err *err);
void allow_release(struct allow *allow);

/*
 * The entry that lets a finding pass at this time (seconds since 1970); NULL: none does.
 * sha256: of the object, or NULL.
 */
const struct allow_entry *allow_find(const struct allow *allow, int64_t now, const char *rule,
                                     const char *fingerprint, const char *sha256);

#endif
