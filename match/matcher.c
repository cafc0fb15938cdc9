/*
 * match/matcher.c - see matcher.h: slots, the pool that works on them, and the contract of both
 * sides.
 *
 * Slots submitted and not yet collected stand in a ring, oldest first. A worker makes the first
 * piece of a slot's hits; the few segments with more than fit in one piece are finished by the
 * caller's own calls of match_collect.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "match/aligned/aligned.h"
#include "match/matcher.h"
#include "match/slot.h"

enum {
    MATCHER_HITS_MIN = 4096,
    MATCHER_LEFT =
        2, /* segments that wait for the caller to scan them; with more, threads are woken */
    MATCHER_BYTES_PER_HIT = 256, /* of a segment; real disks have one hit in some thousand bytes */
};

struct match_matcher {
    struct match_search search;
    struct pool *pool;
    uint32_t threads; /* see match_options */
    bool reads;       /* the threads read what they search; see match_submit */
    uint32_t slot_count;
    uint32_t queue_first, queue_count;
    uint32_t *queue; /* [slot_count]: slots in flight, a ring */
    struct match_slot slots[];
};

static void matcher_measure(struct match_search *search, const struct match_dictionary *dictionary,
                            const struct match_options *options)
{
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
    search->hits_max = hits > patterns ? hits : patterns;
    search->sink_max = search->hits_max + patterns;
    search->carry = match_dictionary_carry(dictionary);
    search->segment_len = options->segment_len;
    search->stop = options->stop;
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
                                       .device_delay = options->device_delay,
                                       .bytes = options->bytes,
                                       .devices = options->devices };
    enum err_code rc = match_regexes_open(dictionary, options->threads, &search->regexes, err);

    if (rc == ERR_OK)
        rc = match_aligned_open(dictionary, &search->aligned, err);
    if (rc == ERR_OK && search->longest > 0)
        rc = search->engine->compile(dictionary, &setup, &search->program, err);
    if (rc != ERR_OK)
        err_while(err, "compiling %u patterns for engine %s", match_dictionary_count(dictionary),
                  search->engine->name);
    return rc;
}

static enum err_code matcher_add_slot(struct match_matcher *matcher, struct err *err)
{
    const uint32_t index = matcher->slot_count++;

    return match_slot_init(&matcher->slots[index], index, &matcher->search, err);
}

/*
 * The engine asked for. With devices of the caller's, what this machine has does not count; and
 * devices that come later are not waited for to see whether they work.
 */
static enum err_code matcher_engine(const struct match_options *options,
                                    const struct match_engine **out, struct err *err)
{
    const struct match_engine *engine = match_engine_named(options->engine);

    const bool later = options->devices_later && match_device_absent() == NULL;
    if ((options->devices == NULL && !later) || engine == NULL || engine->offload == NULL)
        return match_engine_find(options->engine, out, err);
    *out = engine;
    return ERR_OK;
}

/*
 * Where memory is in several places, each thread of the pool has its share of the slots put near to
 * it: else all of them would lie where the reader runs, and be fetched from there by all. With one
 * memory, pages are better made when they are needed.
 */
static void matcher_spread(struct match_matcher *matcher)
{
    if (access("/sys/devices/system/node/node1", F_OK) != 0 ||
        matcher->search.engine->offload != NULL)
        return;
    for (uint32_t i = 0; i < matcher->slot_count; i++)
        pool_submit(matcher->pool, &matcher->slots[i].touch);
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
    matcher->threads = options->threads;
    matcher_measure(&matcher->search, dictionary, options);

    enum err_code rc = matcher_engine(options, &matcher->search.engine, err);
    if (rc == ERR_OK)
        rc = matcher_compile(&matcher->search, dictionary, options, err);
    if (rc == ERR_OK) {
        matcher->queue = calloc(options->slots, sizeof *matcher->queue);
        if (matcher->queue == NULL)
            rc = ERR_NO_MEMORY(err, options->slots * sizeof *matcher->queue);
    }
    while (rc == ERR_OK && matcher->slot_count < options->slots)
        rc = matcher_add_slot(matcher, err);
    if (rc == ERR_OK)
        rc = pool_open(matcher->search.engine->threads_itself ? 1 : options->threads,
                       &matcher->pool, err);
    if (rc != ERR_OK) {
        match_close(matcher);
        return rc;
    }
    matcher_spread(matcher);
    if (matcher->search.engine->offload == NULL && !matcher->search.engine->threads_itself)
        pool_leave(matcher->pool, MATCHER_LEFT);
    *out = matcher;
    return ERR_OK;
}

void match_close(struct match_matcher *matcher)
{
    if (matcher == NULL)
        return;
    for (uint32_t i = 0; matcher->queue != NULL && i < matcher->queue_count; i++)
        match_slot_hurry(
            &matcher->slots[matcher->queue[(matcher->queue_first + i) % matcher->slot_count]]);
    pool_close(matcher->pool);
    if (matcher->search.program != NULL) /* before the slots: it may hold their memory */
        matcher->search.engine->release(matcher->search.program);
    for (uint32_t i = 0; i < matcher->slot_count; i++)
        match_slot_release(&matcher->slots[i]);
    match_aligned_close(matcher->search.aligned);
    match_regexes_close(matcher->search.regexes);
    free(matcher->queue);
    free(matcher);
}

const char *match_engine(const struct match_matcher *matcher)
{
    const struct match_search *search = &matcher->search;

    return search->engine == &match_auto_engine ? match_auto_name(search->program)
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

bool match_can_read(const struct match_matcher *matcher)
{
    const struct match_engine *engine = matcher->search.engine;

    return engine->offload == NULL && !engine->threads_itself && matcher->threads > 1;
}

void match_submit(struct match_matcher *matcher, uint32_t slot, const struct match_source *source)
{
    assert(slot < matcher->slot_count && matcher->queue_count < matcher->slot_count);
    for (uint32_t i = 0; i < matcher->queue_count; i++)
        assert(matcher->queue[(matcher->queue_first + i) % matcher->slot_count] != slot);
    assert(source->read != NULL ? match_can_read(matcher) : !matcher->reads);

    if (source->read != NULL && !matcher->reads) {
        matcher->reads = true;
        pool_share(matcher->pool);
    }
    match_slot_start(&matcher->slots[slot], source);
    matcher->queue[(matcher->queue_first + matcher->queue_count++) % matcher->slot_count] = slot;
    pool_submit(matcher->pool, &matcher->slots[slot].job);
}

static void matcher_wait(struct match_matcher *matcher, struct match_slot *slot)
{
    match_slot_hurry(slot);
    pool_wait(matcher->pool, &slot->job);
}

void match_drain(struct match_matcher *matcher)
{
    for (; matcher->queue_count > 0; matcher->queue_count--) {
        matcher_wait(matcher, &matcher->slots[matcher->queue[matcher->queue_first]]);
        matcher->queue_first = (matcher->queue_first + 1) % matcher->slot_count;
    }
}

void match_set_look(struct match_matcher *matcher, match_look *look, void *arg)
{
    assert(matcher->queue_count == 0);
    matcher->search.look = look;
    matcher->search.look_arg = arg;
}

bool match_help(struct match_matcher *matcher)
{
    return pool_help(matcher->pool);
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

    matcher_wait(matcher, work);
    if (work->collected && match_slot_more(work))
        match_slot_fill(work);
    work->collected = true;
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
