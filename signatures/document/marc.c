/* SPDX-License-Identifier: Apache-2.0
 * signatures/document/marc.c - records of library catalogues: MARC 21, UNIMARC (ISO 2709).
 *
 *   leader, 24 bytes: length of the record 5 digits | status, kind | "22" at 10 | place of the data
 * 5 digits | ... | "4500" at 20 directory: tag 3 | length 4 digits | place 5 digits, a line each;
 * 1e | fields, each ends with 1e | 1d
 *
 * A file is records one behind the other; it ends behind the last that no other one follows.
 */
#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    MARC_LEADER = 24,
    MARC_LINE = 12,
    MARC_END_OF_FIELD = 0x1e,
    MARC_END_OF_RECORD = 0x1d,
};

struct marc_state {
    uint64_t at; /* the record being read */
};

static bool marc_number(const uint8_t *text, uint32_t len, uint32_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *value = *value * 10 + (text[i] - '0');
    }
    return true;
}

/* The record at `at`; *len: how long it says it is, as soon as its leader is right, else 0. */
static enum step marc_record(struct sig_input *in, uint64_t at, uint32_t *len)
{
    const uint8_t *p = sig_bytes(in, at, MARC_LEADER);
    uint32_t told, data;

    *len = 0;
    if (p == NULL)
        return STEP_WAIT;
    if (!marc_number(p, 5, &told) || !marc_number(p + 12, 5, &data) || p[10] != '2' ||
        p[11] != '2' || p[20] != '4' || p[21] != '5' || p[22] != '0' || data <= MARC_LEADER ||
        (data - 1 - MARC_LEADER) % MARC_LINE != 0 || told < data + 1)
        return STEP_BAD;
    p = sig_bytes(in, at, data);
    if (p == NULL)
        return STEP_WAIT;
    if (p[data - 1] != MARC_END_OF_FIELD)
        return STEP_BAD;
    *len = told;
    /* A record has at most 99999 bytes, more than can be asked for at a time: the lines are read
     * one by one. */
    for (uint32_t line = MARC_LEADER; line < data - 1; line += MARC_LINE) {
        uint32_t size, place;

        p = sig_bytes(in, at + line, MARC_LINE);
        if (p == NULL)
            return STEP_WAIT;
        if (!marc_number(p + 3, 4, &size) || !marc_number(p + 7, 5, &place) || size == 0 ||
            data + place + size >= told)
            return STEP_BAD;
        p = sig_bytes(in, at + data + place + size - 1, 1);
        if (p == NULL)
            return STEP_WAIT;
        if (*p != MARC_END_OF_FIELD)
            return STEP_BAD;
    }
    p = sig_bytes(in, at + told - 1, 1);
    if (p == NULL)
        return STEP_WAIT;
    return *p == MARC_END_OF_RECORD ? STEP_DONE : STEP_BAD;
}

static struct sig_result marc_check(struct sig_input *in, void *memory)
{
    struct marc_state *state = memory;

    for (;;) {
        uint32_t len;
        const enum step step = marc_record(in, state->at, &len);

        if (state->at > 0 && ((step == STEP_BAD && len == 0) ||
                              (step == STEP_WAIT && sig_add(state->at, MARC_LEADER) > in->limit)))
            return sig_complete(in, state->at, "the records follow one another");
        if (len > 0)
            sig_valid(in, state->at + MARC_LEADER);
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "directory and fields of a record contradict each other");
        state->at += len;
        sig_valid(in, state->at);
    }
}

const struct sig sig_marc = {
    .name = "mrc",
    .what = "library catalogue records (MARC, ISO 2709)",
    .proves = "every field of each record ends where the directory says, and each record where "
              "its leader says",
    .source = "ISO 2709:2008; Library of Congress, MARC 21 Specifications for Record Structure",
    .types = (const struct sig_type[]){ { "mrc", "mrc" }, { 0 } },
    .headers = { SIG_MASKED(
        "00000\0\0\0\0\0"
        "22"
        "00000\0\0\0"
        "450",
        "\xf0\xf0\xf0\xf0\xf0\0\0\0\0\0\xff\xff\xf0\xf0\xf0\xf0\xf0\0\0\0\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_STREAM,
    .size_min = MARC_LEADER + 2,
    .size_max = UINT64_C(1) << 36,
    .state_size = sizeof(struct marc_state),
    .check = marc_check,
};
