/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_spots.c - see text_spots.h. */
#include "carver/text/text_spots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/grow.h"
#include "base/limits.h"

enum {
    /* Bytes of a sector of text that are no text: the validator lets twelve pass in 256. */
    SPOTS_ODD_MAX = 24,
};

static bool spots_is_char(uint8_t c)
{
    return c >= 0x80 || (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r') || c == 0x1b;
}

uint32_t text_chars(const uint8_t *bytes, uint32_t len)
{
    uint32_t good = 0;

    while (good < len && spots_is_char(bytes[good]))
        good++;
    return good;
}

/* Bytes that are compared at once; written out, for compilers do not find it in a loop that ends
 * early. */
typedef uint8_t spots_vector __attribute__((vector_size(16)));
typedef uint64_t spots_words __attribute__((vector_size(16)));

/* Whether all of the first 16 bytes are characters of text. */
static inline bool spots_are_chars(const uint8_t *bytes)
{
    spots_vector c;

    memcpy(&c, bytes, sizeof c);
    const spots_words bad =
        (spots_words)((c < '\t') | ((c - 14) < 27 - 14) | ((c - 28) < ' ' - 28) | (c == 0x7f));
    return (bad[0] | bad[1]) == 0;
}

/* Whether a sector whose first TEXT_FIRST bytes are text goes on so to its end, or to zeros that
 * fill its rest: the validator refuses all else. */
static bool spots_is_text(const uint8_t *sector)
{
    const uint8_t *nul = memchr(sector, 0, LIMIT_SECTOR);
    const uint32_t len = nul != NULL ? (uint32_t)(nul - sector) : LIMIT_SECTOR;
    uint32_t odd = 0;

    for (uint32_t i = TEXT_FIRST; i < len && odd <= SPOTS_ODD_MAX; i++)
        odd += !spots_is_char(sector[i]);
    for (uint32_t i = len; i < LIMIT_SECTOR; i++)
        if (sector[i] != 0)
            return false;
    return odd <= SPOTS_ODD_MAX;
}

/* before: whether TEXT_BEFORE bytes in front of it are those of the image there. */
static inline bool spots_may_begin(const uint8_t *sector, bool before)
{
    _Static_assert(TEXT_BEFORE == 16 && TEXT_FIRST == 32, "as spots_are_chars looks at them");
    if (sector[0] >= 0xfe && sector[1] == (sector[0] ^ 1)) /* a byte order mark of UTF-16 */
        return true;
    return spots_are_chars(sector) && spots_are_chars(sector + 16) &&
           !(before && spots_are_chars(sector - TEXT_BEFORE)) && spots_is_text(sector);
}

enum err_code text_sieve(struct text_starts *starts, const uint8_t *bytes, size_t len,
                         uint32_t before, uint64_t offset, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (starts->from == starts->to)
        starts->from = starts->to = offset;
    assert(offset == starts->to && offset % LIMIT_SECTOR == 0);
    for (size_t i = 0; rc == ERR_OK && i + LIMIT_SECTOR <= len; i += LIMIT_SECTOR) {
        if (!spots_may_begin(bytes + i, i + before >= TEXT_BEFORE))
            continue;
        rc = grow_items(&starts->items, starts->count, &starts->room, sizeof *starts->items, err);
        if (rc == ERR_OK)
            starts->items[starts->count++] = offset + i;
    }
    starts->to = offset + len / LIMIT_SECTOR * LIMIT_SECTOR;
    return rc;
}

void text_sieve_zeros(struct text_starts *starts, uint64_t from, uint64_t to)
{
    text_starts_clear(starts);
    starts->from = from;
    starts->to = to;
}

void text_starts_cut(struct text_starts *starts, uint64_t to)
{
    if (starts->to <= to)
        return;
    starts->to = to < starts->from ? starts->from : to;
    while (starts->count > 0 && starts->items[starts->count - 1] >= to)
        starts->count--;
    while (starts->said_count > 0 && starts->said[starts->said_count - 1].at >= to)
        starts->said_count--;
}

void text_starts_clear(struct text_starts *starts)
{
    starts->count = starts->said_count = 0;
    starts->from = starts->to = 0;
}

void text_starts_release(struct text_starts *starts)
{
    free(starts->items);
    free(starts->said);
    *starts = (struct text_starts){ 0 };
}

static enum err_code spots_see(struct text_spots *spots, uint64_t from, uint64_t to,
                               struct err *err)
{
    struct io_range *last = spots->seen_count > 0 ? &spots->seen[spots->seen_count - 1] : NULL;

    if (last != NULL && last->offset + last->len == from) {
        last->len += to - from;
        return ERR_OK;
    }
    const enum err_code rc =
        grow_items(&spots->seen, spots->seen_count, &spots->seen_room, sizeof *spots->seen, err);
    if (rc == ERR_OK)
        spots->seen[spots->seen_count++] = (struct io_range){ from, to - from };
    return rc;
}

static enum err_code spots_say(struct text_spots *spots, const struct text_starts *starts,
                               struct err *err)
{
    enum err_code rc = ERR_OK;

    for (size_t i = 0; rc == ERR_OK && i < starts->said_count && spots->said_count < TEXT_SAID_MAX;
         i++) {
        rc = grow_items(&spots->said, spots->said_count, &spots->said_room, sizeof *spots->said,
                        err);
        if (rc == ERR_OK)
            spots->said[spots->said_count++] = starts->said[i];
    }
    return rc;
}

enum err_code text_spots_add(struct text_spots *spots, const struct text_starts *starts,
                             bool *added, struct err *err)
{
    enum err_code rc = ERR_OK;

    *added = starts->from != starts->to && spots->count + starts->count <= TEXT_SPOTS_MAX;
    if (!*added)
        return ERR_OK;
    for (size_t i = 0; rc == ERR_OK && i < starts->count; i++) {
        rc = grow_items(&spots->at, spots->count, &spots->room, sizeof *spots->at, err);
        if (rc == ERR_OK)
            spots->at[spots->count++] = starts->items[i];
    }
    if (rc == ERR_OK)
        rc = spots_say(spots, starts, err);
    return rc == ERR_OK ? spots_see(spots, starts->from, starts->to, err) : rc;
}

void text_spots_release(struct text_spots *spots)
{
    free(spots->at);
    free(spots->said);
    free(spots->seen);
    *spots = (struct text_spots){ 0 };
}

static bool spots_before(const void *item, uint64_t at)
{
    const uint64_t *spot = item;

    return *spot < at;
}

static bool spots_said_before(const void *item, uint64_t at)
{
    const struct text_said *said = item;

    return said->at < at;
}

const struct text_said *text_spots_said(const struct text_spots *spots, uint64_t at)
{
    const size_t i =
        bisect(spots->said, spots->said_count, sizeof *spots->said, spots_said_before, at);

    return i < spots->said_count && spots->said[i].at == at ? &spots->said[i] : NULL;
}

static bool spots_ends(const void *item, uint64_t at)
{
    const struct io_range *range = item;

    return range->offset + range->len <= at;
}

uint64_t text_spots_next(const struct text_spots *spots, uint64_t at)
{
    const size_t i = bisect(spots->seen, spots->seen_count, sizeof *spots->seen, spots_ends, at);

    if (i == spots->seen_count || spots->seen[i].offset > at)
        return at;
    const uint64_t end = spots->seen[i].offset + spots->seen[i].len;
    const size_t k = bisect(spots->at, spots->count, sizeof *spots->at, spots_before, at);

    return k < spots->count && spots->at[k] < end ? spots->at[k] : end;
}
