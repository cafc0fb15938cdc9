/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_said.c - see text_said.h. */
#include "carver/text/text_said.h"

#include <string.h>

#include "base/limits.h"
#include "signatures/plain_why.h"

static const char *const said_why[TEXT_SAID_KINDS] = {
    [TEXT_SAID_ALL] = PLAIN_WHY_ZEROS,
    [TEXT_SAID_CUT] = PLAIN_WHY_CUT,
    [TEXT_SAID_PART] = PLAIN_WHY_PART,
};

static uint8_t said_kind(const struct text_row *row)
{
    uint8_t kind = TEXT_SAID_NONE;

    if (row->type == NULL)
        return kind;
    do
        kind++;
    while (kind < TEXT_SAID_KINDS && strcmp(said_why[kind], row->why) != 0);
    return kind;
}

bool text_said_of(const struct sig *sig, const struct text_row *row, uint64_t reach,
                  struct text_said *out)
{
    const uint64_t over = reach - (row->offset + row->len);

    *out = (struct text_said){ .at = row->offset,
                               .crc64 = row->type != NULL ? row->crc64 : 0,
                               .len = (uint32_t)row->len,
                               .over = (uint16_t)over,
                               .kind = said_kind(row),
                               .type = row->type != NULL ? (uint8_t)(row->type - sig->types) : 0 };
    return row->len <= UINT32_MAX && over <= UINT16_MAX && out->kind < TEXT_SAID_KINDS;
}

static bool said_has_type(const struct sig *sig, uint8_t type)
{
    uint8_t i = 0;

    while (i < type && sig->types[i].name != NULL)
        i++;
    return sig->types[i].name != NULL;
}

void text_said_row(const struct sig *sig, const struct text_said *said, struct text_row *out)
{
    const bool whole = said->kind == TEXT_SAID_ALL;

    *out = (struct text_row){ .offset = said->at, .len = said->len };
    if (said->kind == TEXT_SAID_NONE || !said_has_type(sig, said->type))
        return;
    out->type = &sig->types[said->type];
    out->complete = whole;
    out->slack = whole && (said->at + said->len) % LIMIT_SECTOR != 0;
    out->why = said_why[said->kind];
    out->crc64 = said->crc64;
}
