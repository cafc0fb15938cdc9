/* SPDX-License-Identifier: Apache-2.0
 * match/slot.c - see slot.h. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "match/aligned/aligned.h"
#include "match/pattern/sort.h"
#include "match/slot.h"

enum { SLOT_PAGE = 4096, SLOT_HUGE_PAGE = 2 << 20 };

static size_t slot_round(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/*
 * Maps room for the carry, then the segment. A large segment begins on a huge page and asks for
 * them: a scan touches every page of it in turn, and page faults and address translation would
 * show.
 */
static enum err_code slot_map(struct match_slot *slot, struct err *err)
{
    const size_t len = slot->search->segment_len;
    const size_t unit = len >= SLOT_HUGE_PAGE ? SLOT_HUGE_PAGE : SLOT_PAGE;
    const size_t before = slot_round(slot->search->carry, SLOT_PAGE);

    slot->memory_size = before + unit + slot_round(len, unit);
    slot->memory =
        mmap(NULL, slot->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slot->memory == MAP_FAILED) {
        slot->memory = NULL;
        return ERR_RAISE_LACK(err, ERR_LACK_MEMORY,
                              "no memory for a segment of %zu bytes: %s; close other programs", len,
                              strerror(errno));
    }
    const uintptr_t start = (uintptr_t)slot->memory + before;
    slot->fresh = (uint8_t *)slot->memory + before + (unit - start % unit) % unit;
    if (unit == SLOT_HUGE_PAGE)
        (void)madvise(slot->fresh, slot_round(len, unit),
                      MADV_HUGEPAGE); /* slower without, and no worse */
    return ERR_OK;
}

/* The engine's device, if it has one and there is something to search for. */
static const struct match_offload *slot_offload(const struct match_slot *slot)
{
    return slot->search->program == NULL ? NULL : slot->search->engine->offload;
}

enum err_code match_slot_init(struct match_slot *slot, uint32_t index,
                              const struct match_search *search, struct err *err)
{
    const size_t size = search->sink_max * sizeof *slot->hits;

    *slot = (struct match_slot){ .search = search, .index = index };
    slot->hits = malloc(size);
    if (slot->hits == NULL)
        return ERR_NO_MEMORY(err, size);
    enum err_code rc = slot_map(slot, err);
    if (rc == ERR_OK && slot_offload(slot) != NULL)
        rc = slot_offload(slot)->attach(search->program, index, slot->memory, slot->memory_size,
                                        err);
    return rc;
}

void match_slot_release(struct match_slot *slot)
{
    if (slot->memory != NULL)
        munmap(slot->memory, slot->memory_size);
    free(slot->hits);
}

void match_slot_start(struct match_slot *slot, const struct match_segment *segment)
{
    assert(segment->fresh_len <= slot->search->segment_len);
    assert(segment->carry_len <= slot->search->carry && segment->carry_len <= segment->offset);

    slot->from = segment->carry_len;
    slot->text = (struct match_text){
        .bytes = slot->fresh - segment->carry_len,
        .len = segment->carry_len + segment->fresh_len,
        .offset = segment->offset - segment->carry_len,
    };
    slot->ends_range = segment->ends_range;
    slot->next = 0;
    slot->stretch = slot->text.len;
    slot->count = 0;
    slot->status = ERR_OK;
    if (slot_offload(slot) != NULL)
        slot_offload(slot)->start(slot->search->program, slot->index, &slot->text, slot->from);
}

void match_slot_hurry(const struct match_slot *slot)
{
    if (slot_offload(slot) != NULL)
        slot_offload(slot)->hurry(slot->search->program, slot->index);
}

static bool slot_scan(const struct match_slot *slot, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct match_search *search = slot->search;

    if (slot_offload(slot) != NULL)
        return slot_offload(slot)->take(search->program, slot->index, &slot->text, from, to, sink);
    return search->engine->scan(search->program, &slot->text, from, to, sink);
}

/* Drops the hits from index first on that do not begin in text [from, to). */
static void slot_keep(struct match_slot *slot, struct match_sink *sink, uint32_t first,
                      uint32_t from, uint32_t to)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < sink->count; i++) {
        const uint64_t start = sink->items[i].offset - slot->text.offset;

        assert(start < slot->text.len && sink->items[i].len <= slot->text.len - start);
        if (start >= from && start < to)
            sink->items[kept++] = sink->items[i];
    }
    sink->count = kept;
}

/*
 * Literals that begin in text [from, to). The engine goes by last bytes, so it also finds some that
 * begin elsewhere: it is asked for shorter parts when those do not fit. False when what belongs
 * here does not fit.
 */
static bool slot_literals(struct match_slot *slot, uint32_t from, uint32_t to,
                          struct match_sink *sink)
{
    const struct match_search *search = slot->search;
    const uint32_t tail =
        slot->text.len - to < search->longest - 1 ? slot->text.len - to : search->longest - 1;
    const uint32_t end = to + tail;
    uint32_t at = from > slot->from ? from : slot->from;
    uint32_t part = end > at ? end - at : 0;

    while (at < end) {
        const uint32_t first = sink->count;
        const uint32_t len = part < end - at ? part : end - at;

        if (slot_scan(slot, at, at + len, sink)) {
            slot_keep(slot, sink, first, from, to);
            at += len;
            part = len * 2;
        } else {
            assert(len > 1); /* sink_max leaves room for what can end at one byte */
            part = len / 2;
        }
        if (sink->count > search->hits_max)
            return false;
    }
    return true;
}

/* Starts in text [from, to) of which this segment knows all that may belong to a match. */
static bool slot_known(const struct match_slot *slot, uint32_t *from, uint32_t *to)
{
    const uint32_t ahead = LIMIT_REGEX_MATCH_LEN - 1;
    const uint32_t known = slot->from > ahead
                               ? slot->from - ahead
                               : 0; /* starts before it: the segment before had them */
    uint32_t unknown = slot->text.len;

    if (!slot->ends_range)
        unknown = slot->text.len > ahead ? slot->text.len - ahead : 0;
    *from = *from > known ? *from : known;
    *to = *to < unknown ? *to : unknown;
    return *from < *to;
}

/*
 * Expressions that begin in text [from, *to), as far as their longest match is known within this
 * segment. *to becomes smaller when there is no room for all of them.
 */
static bool slot_expressions(struct match_slot *slot, uint32_t from, uint32_t *to,
                             struct match_sink *sink)
{
    const struct match_search *search = slot->search;
    uint32_t begin = from, end = *to;

    if (!slot_known(slot, &begin, &end))
        return true;
    uint32_t reached = end;
    sink->max = search->hits_max;
    slot->status = match_regexes_scan(search->regexes, &slot->text, begin, &reached, search->stop,
                                      sink, &slot->err);
    if (reached < end) {
        *to = reached;
        slot_keep(slot, sink, 0, from, reached);
    }
    return slot->status == ERR_OK && reached > begin;
}

/* What the finder finds, under the same rules; false when it does not fit. */
static bool slot_found(const struct match_slot *slot, uint32_t from, uint32_t to,
                       struct match_sink *sink)
{
    const struct match_finder *finder = slot->search->finder;

    sink->max = slot->search->hits_max;
    return !slot_known(slot, &from, &to) || finder->scan(finder->arg, &slot->text, from, to, sink);
}

/* All hits that begin in text [from, to), or in [from, the result); from when there are too many
 * for one piece. */
static uint32_t slot_fits(struct match_slot *slot, uint32_t from, uint32_t to)
{
    struct match_sink sink = { .items = slot->hits, .max = slot->search->sink_max };

    if (slot->search->program != NULL && !slot_literals(slot, from, to, &sink))
        return from;
    if (slot->search->aligned != NULL &&
        (!match_aligned_scan(slot->search->aligned, &slot->text, slot->from, from, to, &sink) ||
         sink.count > slot->search->hits_max))
        return from;
    if (slot->search->finder != NULL && !slot_found(slot, from, to, &sink))
        return from;
    if (slot->search->regexes != NULL && !slot_expressions(slot, from, &to, &sink))
        return from;
    slot->count = sink.count;
    return to;
}

void match_slot_fill(struct match_slot *slot)
{
    const uint32_t left = slot->text.len - slot->next;
    uint32_t stretch = slot->stretch < left ? slot->stretch : left;
    uint32_t to = slot->next;

    slot->count = 0;
    if (slot->search->stop != NULL && slot->search->stop())
        slot->status = ERR_RAISE(&slot->err, ERR_INTERRUPTED, "stopped on request");
    while (stretch > 0 && slot->status == ERR_OK) {
        to = slot_fits(slot, slot->next, slot->next + stretch);
        if (to > slot->next)
            break;
        assert(stretch > 1 ||
               slot->status != ERR_OK); /* hits_max holds what can begin at one byte */
        stretch /= 2;
    }
    stretch = to - slot->next;
    slot->next = to;
    slot->stretch = stretch < UINT32_MAX / 2 ? stretch * 2 : UINT32_MAX;
    match_sort(slot->hits, slot->count);
}
