/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/unit_look.c - see unit_look.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/triage/unit_look.h"
#include "signatures/fact.h"

/* The bytes of the unit for validators: what lies beside it is not there yet. */
struct unit_source {
    struct sig_source source; /* must be the first field */
    uint64_t offset;          /* of the image */
    const uint8_t *bytes;
    uint32_t len;
};

struct unit_looker {
    const struct unit_aim *aim;
    struct match_matcher *files, *keywords; /* shared with those of the aim */
    struct known_blocks *blocks;            /* NULL: no sets */
    struct known_block_list known;          /* of the units of unit_look_blocks */
    struct unit_source source;
    void *state; /* [SIG_STATE_MAX] of validators */
    struct sig_facts *facts;
    uint32_t checks, unpackers; /* that were asked about the unit; those that unpack */
    struct unit_found found[UNIT_FOUND_MAX];
};

static const uint8_t *unit_view(struct sig_source *source, uint64_t at, uint32_t want,
                                uint32_t *have)
{
    const struct unit_source *unit = (const struct unit_source *)source;

    if (at < unit->offset || at - unit->offset >= unit->len ||
        want > unit->len - (at - unit->offset))
        return NULL;
    *have = unit->len - (uint32_t)(at - unit->offset);
    return unit->bytes + (at - unit->offset);
}

enum err_code unit_look_open(const struct unit_aim *aim, struct unit_looker **out, struct err *err)
{
    struct unit_looker *looker = calloc(1, sizeof *looker);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (looker == NULL)
        return ERR_NO_MEMORY(err, sizeof *looker);
    looker->aim = aim;
    looker->source.source.view = unit_view;
    looker->state = aligned_alloc(64, SIG_STATE_MAX);
    looker->facts = aligned_alloc(_Alignof(struct sig_facts), sizeof *looker->facts);
    if (looker->state == NULL || looker->facts == NULL)
        rc = ERR_NO_MEMORY(err, SIG_STATE_MAX);
    if (rc == ERR_OK)
        rc = match_share(aim->file_matcher, 1, &looker->files, err);
    if (rc == ERR_OK && aim->keywords != NULL)
        rc = match_share(aim->keyword_matcher, 1, &looker->keywords, err);
    if (rc == ERR_OK && aim->known->count > 0)
        rc = known_blocks_open(aim->known, NULL, &looker->blocks, err);
    if (rc == ERR_OK)
        *out = looker;
    else
        unit_look_close(looker);
    return rc;
}

void unit_look_close(struct unit_looker *looker)
{
    if (looker == NULL)
        return;
    match_close(looker->files);
    match_close(looker->keywords);
    known_blocks_close(looker->blocks);
    free(looker->known.items);
    free(looker->state);
    free(looker->facts);
    free(looker);
}

static void unit_add(struct unit_seen *seen, const struct unit_found *found)
{
    if (seen->found_count < UNIT_FOUND_MAX)
        seen->found[seen->found_count++] = *found;
    else
        seen->full = true;
}

/* Asks the validator as long as the unit has bytes for it. */
static struct sig_result unit_check(struct unit_looker *looker, const struct sig *sig,
                                    struct sig_input *in)
{
    struct sig_result result;
    uint32_t calls = 0;

    memset(looker->state, 0, sig_state_clean(sig));
    do {
        in->claim_count = 0;
        result = sig_check(sig, in, looker->state);
    } while (result.verdict == SIG_MORE && result.len == 0 && ++calls < UNIT_CHECKS_MAX);
    return result;
}

/* What the file says of itself in the bytes that the unit has. */
static void unit_facts(struct unit_looker *looker, struct unit_found *found)
{
    static const enum sig_fact_key dates[] = { SIG_FACT_TAKEN,    SIG_FACT_TAKEN_LOCAL,
                                               SIG_FACT_MODIFIED, SIG_FACT_MODIFIED_LOCAL,
                                               SIG_FACT_CREATED,  SIG_FACT_CREATED_LOCAL };
    const uint64_t end = looker->source.offset + looker->source.len;
    const uint64_t len =
        found->len != 0 && found->len < end - found->offset ? found->len : end - found->offset;
    const struct sig_facts *facts = looker->facts;
    size_t best = sizeof dates / sizeof dates[0];

    sig_facts_read(found->sig, found->type, &looker->source.source, found->offset, len,
                   looker->facts);
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct sig_fact *fact = &facts->items[i];

        if (fact->key == SIG_FACT_CAMERA_MAKE || fact->key == SIG_FACT_CAMERA_MODEL)
            found->says |= UNIT_CAMERA;
        if (fact->key == SIG_FACT_GPS_LAT || fact->key == SIG_FACT_GPS_LON)
            found->says |= UNIT_GPS;
        for (size_t k = 0; k < best; k++)
            if (fact->key == dates[k] && fact->has_number) {
                found->says |= UNIT_DATE;
                found->date = fact->number;
                best = k;
            }
    }
}

/* A header stands at image offset `at`, where the file begins. */
static void unit_file(struct unit_looker *looker, const struct sig *sig, uint64_t at,
                      uint32_t header_bits, struct unit_seen *seen)
{
    const uint64_t left = looker->aim->image_size - at;
    struct sig_input in = { .source = &looker->source.source,
                            .sig = sig,
                            .type = &sig->types[0],
                            .start = at,
                            .limit = left < sig->size_max ? left : sig->size_max };

    if (++looker->checks > UNIT_CHECKS_MAX) {
        seen->full = true;
        return;
    }
    /* Each further one may unpack less, so that all together stay within what one byte may. */
    if ((sig->flags & SIG_UNPACKS) != 0)
        in.sharers = looker->unpackers < SIG_SHARERS_MAX ? looker->unpackers++ : SIG_SHARERS_MAX;
    const struct sig_result result = unit_check(looker, sig, &in);
    const uint64_t unit_left = looker->source.offset + looker->source.len - at;
    const bool whole = result.verdict == SIG_COMPLETE && result.len <= unit_left;
    /* A validator that has not seen enough may not know yet. */
    const struct sig_type *type = in.type != NULL ? in.type : &sig->types[0];

    if (result.verdict == SIG_REJECT ||
        (result.verdict == SIG_MORE && in.valid == 0 && header_bits < UNIT_HEADER_BITS))
        return;
    struct unit_found found = {
        .kind = UNIT_FILE, .offset = at, .len = whole ? result.len : 0, .sig = sig, .type = type
    };
    unit_facts(looker, &found);
    unit_add(seen, &found);
}

/* Runs a matcher over the unit; each takes a hit. */
static enum err_code unit_match(struct unit_looker *looker, struct match_matcher *matcher,
                                void (*each)(struct unit_looker *looker, const struct hit *hit,
                                             struct unit_seen *seen),
                                struct unit_seen *seen, struct err *err)
{
    const struct unit_source *unit = &looker->source;
    const struct match_segment segment = { .offset = unit->offset,
                                           .fresh_len = unit->len,
                                           .ends_range = true };
    struct match_hits hits = { .more = true };
    enum err_code rc = ERR_OK;

    memcpy(match_slot_bytes(matcher, 0), unit->bytes, unit->len);
    match_submit(matcher, 0, &segment);
    while (rc == ERR_OK && hits.more) {
        rc = match_collect(matcher, 0, &hits, err);
        for (uint32_t i = 0; rc == ERR_OK && i < hits.count; i++)
            each(looker, &hits.items[i], seen);
    }
    return rc;
}

/* Bits that the pattern has fixed: random bytes match it once in 2 to the power of them. */
static uint32_t unit_bits(const struct unit_looker *looker, uint32_t number)
{
    const struct match_pattern *pattern =
        match_dictionary_get(looker->aim->files->dictionary, number);
    uint32_t bits = 0;

    for (uint32_t i = 0; i < pattern->len; i++)
        bits += pattern->mask == NULL ? 8 : (uint32_t)__builtin_popcount(pattern->mask[i]);
    return bits;
}

static void unit_header(struct unit_looker *looker, const struct hit *hit, struct unit_seen *seen)
{
    const struct pattern_use *use = &looker->aim->files->uses[hit->pattern];
    const struct sig *sig = looker->aim->sigs[use->sig];
    const uint64_t from = looker->source.offset;

    if (use->footer || sig->check == NULL || hit->offset < from + use->at)
        return;
    const uint64_t at = hit->offset - use->at;
    const struct unit_found *last = &seen->found[seen->found_count];
    if (at % LIMIT_SECTOR != 0)
        return;
    for (uint32_t i = seen->found_count; i-- > 0;) /* two headers of one signature */
        if ((--last)->offset == at && last->sig == sig)
            return;
    unit_file(looker, sig, at, unit_bits(looker, hit->pattern), seen);
}

static void unit_keyword(struct unit_looker *looker, const struct hit *hit, struct unit_seen *seen)
{
    const struct keyword *keyword = &looker->aim->keywords->items[hit->pattern];
    const uint64_t at = hit->offset - looker->source.offset;

    /* A feature at an edge may go on behind it, and be no feature then. */
    if (keyword->feature && (at == 0 || at + hit->len == looker->source.len))
        return;
    if (keyword_confirm(keyword, looker->source.bytes + at))
        unit_add(seen, &(struct unit_found){ .kind = UNIT_KEYWORD,
                                             .offset = hit->offset,
                                             .len = hit->len,
                                             .number = hit->pattern });
}

/* Of the blocks that unit_look_blocks has found those of the unit. */
static void unit_known(struct unit_looker *looker, struct unit_seen *seen)
{
    const struct unit_source *unit = &looker->source;

    for (uint32_t i = 0; i < looker->known.count; i++) {
        const struct known_block *block = &looker->known.items[i];

        if (block->offset < unit->offset || block->offset - unit->offset >= unit->len)
            continue;
        struct unit_found found = { .kind = UNIT_KNOWN,
                                    .offset = block->offset,
                                    .len = looker->aim->known->sets[block->set].about.block_len,
                                    .number = block->set,
                                    .known = block->what };

        memcpy(found.digest, block->digest, sizeof found.digest);
        unit_add(seen, &found);
    }
}

enum err_code unit_look_blocks(struct unit_looker *looker, const struct known_piece *units,
                               uint32_t count, struct err *err)
{
    looker->known.count = 0;
    return looker->blocks == NULL
               ? ERR_OK
               : known_blocks_apart(looker->blocks, units, count, &looker->known, err);
}

enum err_code unit_look(struct unit_looker *looker, uint64_t offset, const uint8_t *bytes,
                        uint32_t len, struct unit_seen *out, struct err *err)
{
    const struct known_piece unit = { offset, bytes, len };
    const enum err_code rc = unit_look_blocks(looker, &unit, 1, err);

    return rc == ERR_OK ? unit_look_rest(looker, &unit, out, err) : rc;
}

enum err_code unit_look_rest(struct unit_looker *looker, const struct known_piece *unit,
                             struct unit_seen *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    looker->source.offset = unit->offset;
    looker->source.bytes = unit->bytes;
    looker->source.len = unit->len;
    looker->checks = looker->unpackers = 0;
    *out =
        (struct unit_seen){ .what = block_class(unit->bytes, unit->len), .found = looker->found };
    if (out->what == BLOCK_ZERO)
        return ERR_OK;
    unit_known(looker, out);
    rc = unit_match(looker, looker->files, unit_header, out, err);
    if (rc == ERR_OK && looker->keywords != NULL)
        rc = unit_match(looker, looker->keywords, unit_keyword, out, err);
    return rc;
}
