/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2_unpack.c - decompresses one block of a bzip2 file, to compare its CRC.
 *
 * The codes of a block are undone into moves to the front and runs, those into the last column of a
 * sorted table of all rotations of the text (Burrows and Wheeler), from which the text is read row
 * by row; in it four equal bytes are followed by the number of more. All of that needs the whole
 * block, in memory that lives as long as one call. Nothing is put out: only the CRC is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/archive/bzip2.h"

enum {
    UNPACK_VIEW = 4096,       /* bytes read at a time */
    UNPACK_SELECTORS = 18010, /* one for each 50 codes of the largest block, and some spare */
    UNPACK_RUN = 4,           /* equal bytes that a count of more follows */
};
#define UNPACK_POLYNOMIAL UINT32_C(0x04c11db7)

/* A Huffman code. */
struct unpack_table {
    uint32_t limit[BZIP2_CODE_MAX + 2]; /* by length: codes of it are below, aligned to 20 bits */
    int32_t offset[BZIP2_CODE_MAX + 1]; /* by length: from a code to its place in symbols */
    uint16_t symbols[BZIP2_SYMBOLS];
};

struct unpack {
    struct sig_input *in;
    uint64_t at;    /* object offset of the next byte */
    uint64_t word;  /* the next bits, topmost first */
    uint32_t count; /* of them */
    uint8_t bytes[UNPACK_VIEW];
    uint32_t have, used; /* of bytes */

    uint32_t crc, origin, size, len;     /* of the block: as told; bytes that fit, and are there */
    uint32_t tables, symbols, selectors; /* numbers of them */
    uint8_t selector[UNPACK_SELECTORS];
    struct unpack_table table[BZIP2_TABLES];
    uint8_t front[256]; /* bytes that the block uses, the last used first */
    uint32_t text[];    /* a byte each, and above it the place of the next one */
};

/* The next byte; behind the last one zeros. */
static uint8_t unpack_byte(struct unpack *unpack)
{
    if (unpack->used == unpack->have) {
        const uint64_t rest = unpack->at < unpack->in->limit ? unpack->in->limit - unpack->at : 0;
        uint32_t len = 0;
        const uint8_t *bytes =
            rest == 0 ? NULL : sig_span_to(unpack->in, unpack->at, unpack->at + UNPACK_VIEW, &len);

        if (bytes == NULL)
            return 0;
        memcpy(unpack->bytes, bytes, len);
        unpack->have = len;
        unpack->used = 0;
        unpack->at += len;
    }
    return unpack->bytes[unpack->used++];
}

/* The next 20 bits. */
static uint32_t unpack_peek(struct unpack *unpack)
{
    while (unpack->count < BZIP2_CODE_MAX) {
        unpack->word |= (uint64_t)unpack_byte(unpack) << (56 - unpack->count);
        unpack->count += 8;
    }
    return (uint32_t)(unpack->word >> (64 - BZIP2_CODE_MAX));
}

/* Takes up to 16 bits. */
static uint32_t unpack_take(struct unpack *unpack, uint32_t count)
{
    const uint32_t value = unpack_peek(unpack) >> (BZIP2_CODE_MAX - count);

    unpack->word <<= count;
    unpack->count -= count;
    return value;
}

static uint32_t unpack_take32(struct unpack *unpack)
{
    const uint32_t high = unpack_take(unpack, 16);

    return high << 16 | unpack_take(unpack, 16);
}

static bool unpack_make(struct unpack_table *table, const uint8_t *lengths, uint32_t symbols)
{
    uint32_t code = 0, place = 0;

    for (uint32_t len = 1; len <= BZIP2_CODE_MAX; len++) {
        table->offset[len] = (int32_t)place - (int32_t)(code >> (BZIP2_CODE_MAX - len));
        for (uint32_t i = 0; i < symbols; i++)
            if (lengths[i] == len) {
                table->symbols[place++] = (uint16_t)i;
                code += 1u << (BZIP2_CODE_MAX - len);
            }
        if (code > 1u << BZIP2_CODE_MAX)
            return false;
        table->limit[len] = code;
    }
    table->limit[BZIP2_CODE_MAX + 1] = UINT32_MAX;
    return true;
}

/* What stands before the codes, behind the origin. */
static bool unpack_head(struct unpack *unpack)
{
    const uint32_t map = unpack_take(unpack, 16);
    uint8_t order[BZIP2_TABLES] = { 0, 1, 2, 3, 4, 5 }, lengths[BZIP2_SYMBOLS];
    uint32_t used = 0;

    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t part = (map >> (15 - i) & 1) != 0 ? unpack_take(unpack, 16) : 0;

        for (uint32_t k = 0; k < 16; k++)
            if ((part >> (15 - k) & 1) != 0)
                unpack->front[used++] = (uint8_t)(i * 16 + k);
    }
    unpack->symbols = used + 2;
    unpack->tables = unpack_take(unpack, 3);
    unpack->selectors = unpack_take(unpack, 15);
    if (used == 0 || unpack->tables > BZIP2_TABLES || unpack->selectors > UNPACK_SELECTORS)
        return false;
    for (uint32_t i = 0; i < unpack->selectors; i++) {
        uint32_t ones = 0;

        while (ones < unpack->tables && unpack_take(unpack, 1) != 0)
            ones++;
        if (ones == unpack->tables)
            return false;
        const uint8_t table = order[ones];
        memmove(order + 1, order, ones);
        order[0] = table;
        unpack->selector[i] = table;
    }
    for (uint32_t i = 0; i < unpack->tables; i++) {
        uint32_t length = unpack_take(unpack, 5);

        for (uint32_t k = 0; k < unpack->symbols; k++) {
            while (length >= 1 && length <= BZIP2_CODE_MAX && unpack_take(unpack, 1) != 0)
                length += unpack_take(unpack, 1) != 0 ? -1u : 1u;
            if (length < 1 || length > BZIP2_CODE_MAX)
                return false;
            lengths[k] = (uint8_t)length;
        }
        if (!unpack_make(&unpack->table[i], lengths, unpack->symbols))
            return false;
    }
    return true;
}

/* The next symbol; UINT32_MAX: there is no such code. */
static uint32_t unpack_symbol(struct unpack *unpack, const struct unpack_table *table)
{
    const uint32_t next = unpack_peek(unpack);
    uint32_t len = 1;

    while (next >= table->limit[len])
        len++;
    if (len > BZIP2_CODE_MAX)
        return UINT32_MAX;
    const int32_t place = (int32_t)unpack_take(unpack, len) + table->offset[len];
    return table->symbols[place];
}

/* The last column of the sorted table: codes are moves to the front, or digits of a run. */
static bool unpack_column(struct unpack *unpack)
{
    uint32_t run = 0, digit = 1;

    for (uint64_t codes = 0; codes < (uint64_t)unpack->selectors * BZIP2_GROUP; codes++) {
        const uint8_t which = unpack->selector[codes / BZIP2_GROUP];
        const uint32_t symbol = unpack_symbol(unpack, &unpack->table[which]);

        if (symbol <= 1) { /* digits 1 and 2, the lowest first */
            run += digit << symbol;
            digit *= 2;
            if (run > unpack->size)
                return false;
            continue;
        }
        if (run > unpack->size - unpack->len)
            return false;
        for (; run > 0; run--)
            unpack->text[unpack->len++] = unpack->front[0];
        digit = 1;
        if (symbol == unpack->symbols - 1)
            return unpack->origin < unpack->len;
        if (symbol >= unpack->symbols || unpack->len == unpack->size)
            return false;
        const uint8_t byte = unpack->front[symbol - 1];
        memmove(unpack->front + 1, unpack->front, symbol - 1);
        unpack->front[0] = byte;
        unpack->text[unpack->len++] = byte;
    }
    return false;
}

/* Chains the rows: above each byte the place of the one that follows it in the text. */
static void unpack_chain(struct unpack *unpack)
{
    uint32_t place[256] = { 0 }, sum = 0;

    for (uint32_t i = 0; i < unpack->len; i++)
        place[(uint8_t)unpack->text[i]]++;
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t count = place[i];

        place[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < unpack->len; i++)
        unpack->text[place[(uint8_t)unpack->text[i]]++] |= i << 8;
}

/* The CRC of the text, its counts undone; most significant bit first, inverted. */
static uint32_t unpack_crc(const struct unpack *unpack, uint64_t *done)
{
    uint32_t table[256], crc = UINT32_MAX, at = unpack->text[unpack->origin] >> 8, equal = 0;
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i << 24;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] << 1 ^ (table[i] >> 31 != 0 ? UNPACK_POLYNOMIAL : 0);
    }
    for (uint32_t i = 0; i < unpack->len; i++) {
        const uint32_t byte = (uint8_t)unpack->text[at];
        const bool count = equal == UNPACK_RUN;
        const uint32_t times = count ? byte : 1, value = count ? last : byte;

        for (uint32_t k = 0; k < times; k++)
            crc = crc << 8 ^ table[(crc >> 24 ^ value) & 0xff];
        *done += times;
        equal = count ? 0 : byte == last ? equal + 1 : 1;
        last = count ? UINT32_MAX : byte;
        at = unpack->text[at] >> 8;
    }
    return ~crc;
}

enum bzip2_unpacked bzip2_unpack(struct sig_input *in, uint64_t from, uint32_t level,
                                 uint64_t *done)
{
    const uint32_t size = level * BZIP2_LEVEL_SIZE;
    struct unpack *unpack = malloc(sizeof *unpack + size * sizeof unpack->text[0]);
    enum bzip2_unpacked result = BZIP2_WRONG;

    *done = 0;
    if (unpack == NULL)
        return BZIP2_UNKNOWN;
    memset(unpack, 0, sizeof *unpack);
    unpack->in = in;
    unpack->at = from / 8;
    unpack->size = size;
    unpack_take(unpack, from % 8);
    unpack->crc = unpack_take32(unpack);
    const bool randomised = unpack_take(unpack, 1) != 0;
    unpack->origin = unpack_take(unpack, 12) << 12;
    unpack->origin |= unpack_take(unpack, 12);
    if (randomised) {
        result = BZIP2_UNKNOWN;
    } else if (unpack_head(unpack) && unpack_column(unpack)) {
        unpack_chain(unpack);
        *done = unpack->len;
        if (unpack_crc(unpack, done) == unpack->crc)
            result = BZIP2_RIGHT;
    }
    free(unpack);
    return result;
}
