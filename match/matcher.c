/* SPDX-License-Identifier: Apache-2.0
 * match/matcher.c - see matcher.h: slots, and the contract of both sides.
 *
 * Slots submitted and not yet collected stand in a ring, oldest first.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/aligned/aligned.h"
#include "match/matcher.h"
#include "match/pattern/crowd.h"
#include "match/slot.h"

enum {
    MATCHER_HITS_MIN = 4096,
    MATCHER_BYTES_PER_HIT = 256, /* of a segment; real disks have one hit in some thousand bytes, */
    MATCHER_BYTES_PER_WORD = 8,  /* and text has one in ten when a million words are looked for */
};

struct match_matcher {
    struct match_search search;
    bool shares; /* what it searches with belongs to another matcher */
    uint32_t slot_count;
    uint32_t queue_first, queue_count;
    uint32_t *queue; /* [slot_count]: slots in flight, a ring */
    struct match_slot slots[];
};

static enum err_code matcher_measure(struct match_search *search,
                                     const struct match_dictionary *dictionary,
                                     const struct match_options *options, struct err *err)
{
    struct match_crowd crowd;
    const uint32_t patterns = match_dictionary_count(dictionary);
    uint32_t hits = options->hits_max;

    for (uint32_t i = 0; i < patterns; i++) {
        const struct match_pattern *pattern = match_dictionary_get(dictionary, i);

        if (pattern->kind == MATCH_LITERAL && pattern->len > search->longest)
            search->longest = pattern->len;
    }
    if (hits == 0)
        hits = options->segment_len / MATCHER_BYTES_PER_HIT;
    if (options->hits_max == 0 && hits < MATCHER_HITS_MIN)
        hits = MATCHER_HITS_MIN;
    if (options->hits_max == 0 && hits < patterns)
        hits = patterns < options->segment_len / MATCHER_BYTES_PER_WORD
                   ? patterns
                   : options->segment_len / MATCHER_BYTES_PER_WORD;
    const enum err_code rc = match_crowd(dictionary, &crowd, err);
    if (rc != ERR_OK)
        return rc;
    search->hits_max = hits > crowd.begin ? hits : crowd.begin;
    search->sink_max = search->hits_max + crowd.end;
    search->carry = match_dictionary_carry(dictionary);
    search->finder = match_dictionary_finder(dictionary);
    search->segment_len = options->segment_len;
    search->stop = options->stop;
    return ERR_OK;
}

static enum err_code matcher_compile(struct match_search *search,
                                     const struct match_dictionary *dictionary,
                                     const struct match_options *options, struct err *err)
{
    const struct match_setup setup = { .threads = options->threads,
                                       .segment_len = search->segment_len,
                                       .slots = options->slots,
                                       .carry = search->carry,
                                       .hits_max = search->sink_max,
                                       .strategy = options->strategy,
                                       .device_mask = options->device_mask,
                                       .devices_later = options->devices_later,
                                       .devices_auto = options->devices_auto,
                                       .device_delay = options->device_delay,
                                       .devices = options->devices };
    enum err_code rc = match_regexes_open(dictionary, options->threads, &search->regexes, err);

    if (rc == ERR_OK)
        rc = match_aligned_open(dictionary, &search->aligned, err);
    if (rc == ERR_OK && search->longest > 0)
        rc = match_compile(search->engine, dictionary, &setup, &search->program, err);
    if (rc != ERR_OK)
        err_while(err, "compiling %u patterns for engine %s", match_dictionary_count(dictionary),
                  search->engine->name);
    return rc;
}

void match_needs(const struct match_dictionary *dictionary, const char *engine,
                 struct match_needs *out)
{
    const struct match_engine *named = match_engine_named(engine);

    if (named == NULL)
        named = match_auto_first(dictionary);
    *out = (struct match_needs){ .engine = named != NULL ? named->name : "auto" };
    if (named != NULL && named->bytes != NULL)
        out->bytes = named->bytes(dictionary);
}

static enum err_code matcher_add_slot(struct match_matcher *matcher, struct err *err)
{
    const uint32_t index = matcher->slot_count++;

    return match_slot_init(&matcher->slots[index], index, &matcher->search, err);
}

/*
 * The engine asked for. With devices of the caller's, what this machine has does not count. Whether
 * a device works is seen when it is opened, beside other work: to ask before starts the driver.
 */
static enum err_code matcher_engine(const struct match_options *options,
                                    const struct match_engine **out, struct err *err)
{
    const struct match_engine *engine = match_engine_named(options->engine);

    const bool there = options->devices != NULL || match_device_absent() == NULL;
    if (!there || engine == NULL || engine->offload == NULL)
        return match_engine_find(options->engine, out, err);
    *out = engine;
    return ERR_OK;
}

static enum err_code matcher_add_slots(struct match_matcher *matcher, uint32_t slots,
                                       struct err *err)
{
    enum err_code rc = ERR_OK;

    matcher->queue = calloc(slots, sizeof *matcher->queue);
    if (matcher->queue == NULL)
        return ERR_NO_MEMORY(err, slots * sizeof *matcher->queue);
    while (rc == ERR_OK && matcher->slot_count < slots)
        rc = matcher_add_slot(matcher, err);
    return rc;
}

enum err_code match_open(const struct match_dictionary *dictionary,
                         const struct match_options *options, struct match_matcher **out,
                         struct err *err)
{
    const size_t size = sizeof(struct match_matcher) + options->slots * sizeof(struct match_slot);

    assert(options->threads >= 1 && options->threads <= LIMIT_THREADS);
    assert(options->slots >= 1 && options->slots <= LIMIT_SLOTS);
    assert(options->segment_len >= 1 && options->segment_len <= LIMIT_SLOT_MAX);
    *out = NULL;
    struct match_matcher *matcher = calloc(1, size);
    if (matcher == NULL)
        return ERR_NO_MEMORY(err, size);
    enum err_code rc = matcher_measure(&matcher->search, dictionary, options, err);
    if (rc == ERR_OK)
        rc = matcher_engine(options, &matcher->search.engine, err);
    if (rc == ERR_OK)
        rc = matcher_compile(&matcher->search, dictionary, options, err);
    if (rc == ERR_OK)
        rc = matcher_add_slots(matcher, options->slots, err);
    if (rc != ERR_OK) {
        match_close(matcher);
        return rc;
    }
    *out = matcher;
    return ERR_OK;
}

bool match_can_share(const struct match_matcher *matcher)
{
    return !matcher->search.engine->threads_itself;
}

enum err_code match_share(const struct match_matcher *of, uint32_t slots,
                          struct match_matcher **out, struct err *err)
{
    const size_t size = sizeof(struct match_matcher) + slots * sizeof(struct match_slot);
    struct match_matcher *matcher;

    assert(slots >= 1 && slots <= LIMIT_SLOTS);
    *out = NULL;
    if (!match_can_share(of))
        return ERR_RAISE(err, ERR_ARG, "engine %s cannot be shared by threads",
                         of->search.engine->name);
    matcher = calloc(1, size);
    if (matcher == NULL)
        return ERR_NO_MEMORY(err, size);
    matcher->search = of->search;
    matcher->shares = true;
    const struct match_offload *offload = of->search.engine->offload;
    enum err_code rc = ERR_OK;
    if (offload != NULL && of->search.program != NULL)
        rc = offload->share(of->search.program, slots, &matcher->search.program, err);
    if (rc == ERR_OK)
        rc = matcher_add_slots(matcher, slots, err);
    if (rc == ERR_OK)
        *out = matcher;
    else
        match_close(matcher);
    return rc;
}

void match_expect(struct match_matcher *matcher, uint64_t bytes)
{
    const struct match_search *search = &matcher->search;

    if (search->program != NULL && search->engine->offload != NULL)
        search->engine->offload->expect(search->program, bytes);
}

bool match_beside(const struct match_matcher *matcher)
{
    const struct match_search *search = &matcher->search;

    return search->program != NULL && search->engine->offload != NULL &&
           search->engine->offload->beside(search->program);
}

void match_close(struct match_matcher *matcher)
{
    if (matcher == NULL)
        return;
    if (matcher->queue != NULL)
        match_drain(matcher);
    /* Before the slots: it may hold their memory. */
    if (matcher->search.program != NULL &&
        (!matcher->shares || matcher->search.engine->offload != NULL))
        matcher->search.engine->release(matcher->search.program);
    for (uint32_t i = 0; i < matcher->slot_count; i++)
        match_slot_release(&matcher->slots[i]);
    if (!matcher->shares) {
        match_aligned_close(matcher->search.aligned);
        match_regexes_close(matcher->search.regexes);
    }
    free(matcher->queue);
    free(matcher);
}

const char *match_engine(const struct match_matcher *matcher)
{
    const struct match_search *search = &matcher->search;

    if (search->engine == &match_auto_engine)
        return match_auto_name(search->program);
    return search->engine->offload != NULL && search->program != NULL
               ? search->engine->offload->name(search->program)
               : search->engine->name;
}

void match_engine_why(const struct match_matcher *matcher, char *text, size_t size)
{
    const struct match_search *search = &matcher->search;

    if (search->engine == &match_auto_engine)
        match_auto_why(search->program, text, size);
    else
        snprintf(text, size, "engine %s, as asked for", search->engine->name);
    if (search->program == NULL || search->engine->offload == NULL)
        return;
    const size_t used = strlen(text);
    if (used + 2 < size) {
        memcpy(text + used, "; ", 3);
        search->engine->offload->describe(search->program, text + used + 2, size - used - 2);
    }
}

bool match_warning(struct match_matcher *matcher, char *text, size_t size)
{
    const struct match_search *search = &matcher->search;

    return search->program != NULL && search->engine->offload != NULL &&
           search->engine->offload->warning(search->program, text, size);
}

uint32_t match_slot_count(const struct match_matcher *matcher)
{
    return matcher->slot_count;
}

uint32_t match_carry(const struct match_matcher *matcher)
{
    return matcher->search.carry;
}

uint8_t *match_slot_bytes(struct match_matcher *matcher, uint32_t slot)
{
    assert(slot < matcher->slot_count);
    return matcher->slots[slot].fresh;
}

void match_submit(struct match_matcher *matcher, uint32_t slot, const struct match_segment *segment)
{
    assert(slot < matcher->slot_count && matcher->queue_count < matcher->slot_count);
    for (uint32_t i = 0; i < matcher->queue_count; i++)
        assert(matcher->queue[(matcher->queue_first + i) % matcher->slot_count] != slot);

    match_slot_start(&matcher->slots[slot], segment);
    matcher->queue[(matcher->queue_first + matcher->queue_count++) % matcher->slot_count] = slot;
}

void match_drain(struct match_matcher *matcher)
{
    for (; matcher->queue_count > 0; matcher->queue_count--) {
        match_slot_hurry(&matcher->slots[matcher->queue[matcher->queue_first]]);
        if (matcher->search.engine->offload != NULL)
            match_slot_fill(&matcher->slots[matcher->queue[matcher->queue_first]]);
        matcher->queue_first = (matcher->queue_first + 1) % matcher->slot_count;
    }
}

static void matcher_check_hits(const struct match_slot *slot)
{
    for (uint32_t i = 0; i < slot->count; i++) {
        const struct hit *hit = &slot->hits[i];

        assert(hit->len > 0 && hit->offset >= slot->text.offset);
        assert(i == 0 || hit[-1].offset < hit->offset ||
               (hit[-1].offset == hit->offset && hit[-1].pattern < hit->pattern));
    }
}

enum err_code match_collect(struct match_matcher *matcher, uint32_t slot, struct match_hits *out,
                            struct err *err)
{
    assert(matcher->queue_count > 0 && matcher->queue[matcher->queue_first] == slot);
    struct match_slot *work = &matcher->slots[slot];

    match_slot_hurry(work);
    match_slot_fill(work);
    *out = (struct match_hits){ .items = work->hits,
                                .count = work->count,
                                .more = match_slot_more(work) };
    if (!out->more) {
        matcher->queue_first = (matcher->queue_first + 1) % matcher->slot_count;
        matcher->queue_count--;
    }
    matcher_check_hits(work);
    if (work->status != ERR_OK) {
        *out = (struct match_hits){ 0 };
        if (err != NULL)
            *err = work->err;
    }
    return work->status;
}
