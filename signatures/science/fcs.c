/* SPDX-License-Identifier: Apache-2.0
 * signatures/science/fcs.c - FCS: flow cytometry, cells counted by their light.
 *
 *   "FCS2.0" or "FCS3.x" | 4 blanks | first and last byte of TEXT, DATA, ANALYSIS: 8 characters
 * each TEXT: a delimiter | keyword | delimiter | value | delimiter ...
 *
 * Where DATA do not fit in 8 characters, $BEGINDATA and $ENDDATA of TEXT tell their places. FCS 3
 * may have eight digits behind the last segment: a CRC, or zeros for none. $NEXTDATA leads to the
 * head of another data set.
 */
#include <string.h>

#include "signatures/lib/chars.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { FCS_HEAD = 58, FCS_OFFSET = 8, FCS_CRC = 8, FCS_SETS_MAX = 1024 };
#define FCS_SIZE_MAX (UINT64_C(1) << 40)

struct fcs_state {
    uint64_t set; /* where the data set begins */
    uint32_t sets;
};

/* A number of at most len characters, with blanks around it. False: it is none. */
static bool fcs_number(const uint8_t *p, uint32_t len, uint64_t *value)
{
    uint32_t i = 0, digits = 0;

    *value = 0;
    while (i < len && p[i] == ' ')
        i++;
    for (; i < len && chars_is_digit(p[i]) && digits < 18; i++, digits++)
        *value = *value * 10 + (p[i] - '0');
    while (i < len && p[i] == ' ')
        i++;
    return i == len;
}

/* The number that follows a keyword in TEXT; 0: it is not there. */
static uint64_t fcs_value(const uint8_t *text, uint32_t len, const char *keyword)
{
    const uint32_t word = (uint32_t)strlen(keyword);
    uint64_t value;

    for (uint32_t i = 0; i + word + 2 < len; i++) {
        if (text[i] != text[0] || text[i + word + 1] != text[0] ||
            memcmp(text + i + 1, keyword, word) != 0)
            continue;
        const uint8_t *from = text + i + word + 2,
                      *to = memchr(from, text[0], (size_t)(text + len - from));
        return to != NULL && fcs_number(from, (uint32_t)(to - from), &value) ? value : 0;
    }
    return 0;
}

/* A data set; *end: behind its last segment, *next: the place of the next one from it, 0: none. */
static enum step fcs_set(struct sig_input *in, uint64_t from, uint64_t *end, uint64_t *next)
{
    const uint8_t *p = sig_bytes(in, from, FCS_HEAD);
    uint64_t place[6];

    if (p == NULL)
        return STEP_WAIT;
    if (memcmp(p, "FCS", 3) != 0 || memcmp(p + 6, "    ", 4) != 0)
        return STEP_BAD;
    for (uint32_t i = 0; i < 6; i++)
        if (!fcs_number(p + 10 + i * FCS_OFFSET, FCS_OFFSET, &place[i]))
            return STEP_BAD;
    if (place[0] < FCS_HEAD || place[1] <= place[0] + 16 || place[3] < place[2] ||
        place[5] < place[4])
        return STEP_BAD;
    const uint64_t len = place[1] + 1 - place[0];
    const uint32_t seen = len < SIG_BYTES_MAX ? (uint32_t)len : SIG_BYTES_MAX;
    p = sig_bytes(in, from + place[1], 1);
    if (p == NULL)
        return STEP_WAIT;
    const uint8_t last = *p;
    p = sig_bytes(in, from + place[0], seen);
    if (p == NULL)
        return STEP_WAIT;
    if (p[0] != last || chars_is_digit(p[0]) || chars_is_letter(p[0]))
        return STEP_BAD;
    const uint64_t data = fcs_value(p, seen, "$ENDDATA");
    *next = fcs_value(p, seen, "$NEXTDATA");
    const uint64_t more = fcs_value(p, seen, "$ENDANALYSIS"),
                   extra = fcs_value(p, seen, "$ENDSTEXT");
    if (fcs_value(p, seen, "$PAR") == 0 || (place[3] != 0 && data != 0 && data != place[3]))
        return STEP_BAD;
    *end = place[1];
    const uint64_t ends[] = { place[3], place[5], data, more, extra };
    for (uint32_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i] > *end)
            *end = ends[i];
    if (*end > FCS_SIZE_MAX || *next > FCS_SIZE_MAX || (*next != 0 && *next <= *end))
        return STEP_BAD;
    *end += from + 1;
    return STEP_DONE;
}

static struct sig_result fcs_check(struct sig_input *in, void *memory)
{
    struct fcs_state *state = memory;
    uint64_t end, next, crc;

    for (;;) {
        const enum step step = fcs_set(in, state->set, &end, &next);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD || state->sets == FCS_SETS_MAX)
            return sig_breaks(in, "segments of a data set do not agree");
        sig_valid(in, state->set + FCS_HEAD);
        if (next == 0)
            break;
        state->set += next;
        state->sets++;
    }
    const uint8_t *p = sig_bytes(in, end, FCS_CRC);
    if (p == NULL && in->wanted <= in->limit)
        return sig_short(in);
    if (p != NULL && chars_is_digit(p[0]) && chars_is_digit(p[FCS_CRC - 1]) &&
        fcs_number(p, FCS_CRC, &crc))
        end += FCS_CRC;
    return sig_believe(in, end, "the segments give the length");
}

const struct sig sig_fcs = {
    .name = "fcs",
    .what = "FCS, flow cytometry",
    .proves = "segments lie behind one another, keywords agree with the head; events are not read",
    .source = "ISAC, Data File Standard for Flow Cytometry: FCS 2.0, 3.0, 3.1",
    .types = (const struct sig_type[]){ { "fcs", "fcs" }, { 0 } },
    .headers = { SIG_PATTERN("FCS2.0    "),
                 SIG_MASKED("FCS3.0    ", "\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = FCS_HEAD + 16,
    .size_max = FCS_SIZE_MAX,
    .state_size = sizeof(struct fcs_state),
    .check = fcs_check,
};
