/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/avro.c - tables of Apache Avro (object container files).
 *
 *   "Obj\1" | metadata, a map | 16 bytes of a mark | blocks: number of objects, bytes, data, the
 * mark again
 *   A map: count, entries of key and value, ... , 0; a negative count is followed by bytes. A text
 * is a length and its bytes. Numbers are zigzag coded, 7 bits a byte.
 *
 * Nothing counts the blocks: the file ends where none follows.
 */
#include <string.h>

#include "signatures/lib/number.h"
#include "signatures/sig.h"

enum {
    AVRO_HEAD = 4,
    AVRO_MARK = 16,
    AVRO_KEY_MAX = 256,
    AVRO_KEYS_MAX = 4096,
    AVRO_VALUE_MAX = 16 << 20,
    AVRO_BLOCK_MAX = 1 << 30,
};

struct avro_state {
    uint64_t at; /* of the next block; 0: the metadata are not read */
    uint32_t blocks;
    uint8_t mark[AVRO_MARK];
};

/* A number that is not negative and at most `most`. */
static enum step avro_number(struct sig_input *in, uint64_t *at, uint64_t most, uint64_t *value)
{
    enum step step = number_read(in, at, value);

    if (step == STEP_DONE && ((*value & 1) != 0 || *value >> 1 > most))
        step = STEP_BAD;
    *value >>= 1;
    return step;
}

/* A key and its value; *schema: it is the schema, which is JSON. */
static enum step avro_entry(struct sig_input *in, uint64_t *at, bool *schema)
{
    static const char word[] = "avro.schema";
    uint64_t len;
    enum step step = avro_number(in, at, AVRO_KEY_MAX, &len);

    if (step != STEP_DONE || len == 0)
        return step == STEP_WAIT ? STEP_WAIT : STEP_BAD;
    const uint8_t *key = sig_bytes(in, *at, (uint32_t)len);
    if (key == NULL)
        return STEP_WAIT;
    for (uint32_t i = 0; i < len; i++)
        if (key[i] < ' ')
            return STEP_BAD;
    const bool is_schema = len == sizeof word - 1 && memcmp(key, word, len) == 0;
    *at += len;
    step = avro_number(in, at, AVRO_VALUE_MAX, &len);
    if (step != STEP_DONE)
        return step;
    if (is_schema) {
        const uint8_t *value = len > 1 ? sig_bytes(in, *at, 1) : NULL;

        if (len <= 1)
            return STEP_BAD;
        if (value == NULL)
            return STEP_WAIT;
        if (value[0] != '{' && value[0] != '[' && value[0] != '"')
            return STEP_BAD;
        *schema = true;
    }
    *at += len;
    return STEP_DONE;
}

/* The metadata, which hold a schema, and the mark. */
static enum step avro_head(struct sig_input *in, struct avro_state *state)
{
    uint64_t at = AVRO_HEAD, keys = 0;
    bool schema = false;

    for (;;) {
        uint64_t count, bytes;
        enum step step = number_read(in, &at, &count);

        if (step != STEP_DONE)
            return step;
        if (count == 0)
            break;
        const bool sized = (count & 1) != 0;
        count = (count >> 1) + sized; /* zigzag: 1 is -1 */
        keys += count;
        if (count > AVRO_KEYS_MAX || keys > AVRO_KEYS_MAX)
            return STEP_BAD;
        if (sized)
            step = avro_number(in, &at, AVRO_VALUE_MAX, &bytes);
        for (uint64_t i = 0; i < count && step == STEP_DONE; i++)
            step = avro_entry(in, &at, &schema);
        if (step != STEP_DONE)
            return step;
    }
    const uint8_t *mark = sig_bytes(in, at, AVRO_MARK);
    if (mark == NULL)
        return STEP_WAIT;
    if (!schema)
        return STEP_BAD;
    memcpy(state->mark, mark, AVRO_MARK);
    state->at = at + AVRO_MARK;
    return STEP_DONE;
}

/* The block at state->at. STEP_BAD: none begins there. */
static enum step avro_block(struct sig_input *in, struct avro_state *state)
{
    uint64_t at = state->at, count, bytes;
    enum step step = avro_number(in, &at, AVRO_BLOCK_MAX, &count);

    if (step == STEP_DONE && count == 0)
        step = STEP_BAD;
    if (step == STEP_DONE)
        step = avro_number(in, &at, AVRO_BLOCK_MAX, &bytes);
    if (step != STEP_DONE)
        return step;
    const uint8_t *mark = sig_bytes(in, at + bytes, AVRO_MARK);
    if (mark == NULL)
        return STEP_WAIT;
    if (memcmp(mark, state->mark, AVRO_MARK) != 0)
        return STEP_BAD;
    state->at = at + bytes + AVRO_MARK;
    state->blocks++;
    sig_valid(in, state->at);
    return STEP_DONE;
}

static struct sig_result avro_check(struct sig_input *in, void *memory)
{
    struct avro_state *state = memory;
    enum step step = STEP_DONE;

    if (state->at == 0) {
        step = avro_head(in, state);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid metadata, or no schema");
        sig_valid(in, state->at);
    }
    while (step == STEP_DONE && state->at < in->limit)
        step = avro_block(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    return sig_believe(in, state->at, "blocks with the mark of the file follow one another");
}

const struct sig sig_avro = {
    .name = "avro",
    .what = "table of Apache Avro",
    .proves = "metadata hold a schema; blocks have their lengths and the mark of the file, no "
              "other follows",
    .source = "Apache Avro 1.11 Specification: Object Container Files",
    .types = (const struct sig_type[]){ { "avro", "avro" }, { 0 } },
    .headers = { SIG_PATTERN("Obj\1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = AVRO_HEAD + 1 + AVRO_MARK,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct avro_state),
    .check = avro_check,
};
