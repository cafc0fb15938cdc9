/* SPDX-License-Identifier: Apache-2.0
 * match/regex/regex_need.h - a text that each match of an expression holds, so that most of an
 * image can be passed over.
 *
 * The text stands at a distance from the start of the match that is known, or lies between bounds.
 */
#ifndef BURIN_MATCH_REGEX_REGEX_NEED_H
#define BURIN_MATCH_REGEX_REGEX_NEED_H

#include <stdint.h>

#include "match/regex/regex_tree.h"

enum { REGEX_NEED_MAX = 16 }; /* bytes of it that are looked for */

struct regex_need {
    uint8_t len; /* 0: there is none */
    uint8_t mask[REGEX_NEED_MAX],
        value[REGEX_NEED_MAX]; /* byte i is right when byte & mask[i] is value[i] */
    uint8_t rare, second;      /* the two bytes of it that are rarest on disks, or one */
    uint16_t near, far;        /* bytes from the start of the match to the text */
};

void regex_need_choose(const struct regex_tree *tree, struct regex_need *need);

/*
 * The first place at or behind `at` where the text stands, in len bytes; len when it stands
 * nowhere.
 */
uint32_t regex_need_find(const struct regex_need *need, const uint8_t *bytes, uint32_t at,
                         uint32_t len);

#endif
