/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/tar_member.h - what lies in a tar archive, which has no check sums of it: a
 * thorough check sees bytes there that are another file's.
 *
 *   a file whose format is known      its validator reads it
 *   text                              has no NUL
 *   anything but a tar archive        has no header of a member where one might stand
 */
#ifndef BURIN_SIGNATURES_ARCHIVE_TAR_MEMBER_H
#define BURIN_SIGNATURES_ARCHIVE_TAR_MEMBER_H

#include "signatures/lib/inner.h"

enum {
    TAR_BLOCK = 512,
    TAR_MEMBER_STATE = 96 * 1024, /* bytes of the state of a member's validator */
};

/* Kept between calls; begun: false before the first call for a member. */
struct tar_member {
    bool begun, text, tar;
    uint64_t at;           /* object offset: what is before it was looked at */
    const struct sig *sig; /* NULL: its format is not known */
    struct inner inner;
    _Alignas(16) uint8_t state[TAR_MEMBER_STATE];
};

/* Whether a block is the header of a member. */
bool tar_is_header(const uint8_t *block);

/*
 * Looks at a member, which has size bytes at object offset from. STEP_DONE: it may be one;
 * STEP_BAD: it is none. After both *member is as before the first call.
 */
enum step tar_member_look(struct sig_input *in, struct tar_member *member, uint64_t from,
                          uint64_t size);

#endif
