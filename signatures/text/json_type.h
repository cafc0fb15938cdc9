/* SPDX-License-Identifier: Apache-2.0
 * signatures/text/json_type.h - which kind of JSON document this is, by the names in its first
 * object. */
#ifndef BURIN_SIGNATURES_TEXT_JSON_TYPE_H
#define BURIN_SIGNATURES_TEXT_JSON_TYPE_H

#include "signatures/sig.h"

enum { JSON_NAME_MAX = 24 }; /* bytes of a name that are kept */

/* The name that is being read, and those met so far: a bit each. Zeroed before the first. */
struct json_names {
    uint32_t len; /* of the name, in all */
    char text[JSON_NAME_MAX];
    uint64_t seen;
    bool first_done; /* a name was met */
    uint64_t first;  /* the bit of the first one; 0: it is not known */
};

extern const struct sig_type json_types[];

/* A name of the first object begins; */
void json_name_begin(struct json_names *names);
/* goes on with these characters; */
void json_name_more(struct json_names *names, const uint8_t *chars, uint32_t len);
/* and ends. */
void json_name_end(struct json_names *names);

/* The type of a document with these names; lines: one of several, a line each. */
const struct sig_type *json_type(const struct json_names *names, bool lines);

#endif
