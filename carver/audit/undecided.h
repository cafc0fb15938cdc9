/* SPDX-License-Identifier: Apache-2.0
 * carver/audit/undecided.h - objects of a run on which rules of YARA came to no end: what they met
 * before may be there still. */
#ifndef BURIN_CARVER_AUDIT_UNDECIDED_H
#define BURIN_CARVER_AUDIT_UNDECIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
    UNDECIDED_MAX = 100000,    /* objects that are kept */
    UNDECIDED_VALUE_MAX = 288, /* bytes, the NUL included: a hash and the name of a rule of YARA */
};

struct undecided_object {
    char value[UNDECIDED_VALUE_MAX]; /* its content; see judge_object_value */
    int64_t id, image_id;
    uint64_t offset;
};

/* Zeroed: none. */
struct undecided {
    struct undecided_object *items; /* owned */
    size_t count, room;
    bool many; /* there are more than are kept */
};

ERR_MUST_CHECK enum err_code undecided_add(struct undecided *undecided,
                                           const struct undecided_object *object, struct err *err);
void undecided_settle(struct undecided *undecided); /* before it is asked */
void undecided_release(struct undecided *undecided);

/* The id of one with this content, or that begins there; 0: there is none. */
int64_t undecided_as(const struct undecided *undecided, const char *value);
int64_t undecided_at(const struct undecided *undecided, int64_t image_id, uint64_t offset);

#endif
