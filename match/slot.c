/* match/slot.c - see slot.h. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "match/aligned/aligned.h"
#include "match/pattern/sort.h"
#include "match/slot.h"

enum { LANE_PAGE = 4096, LANE_HUGE_PAGE = 2 << 20 };

static size_t lane_round(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

/*
 * Maps room for the carry, then the segment. A large segment begins on a huge page and asks for
 * them: a scan touches every page of it in turn, and page faults and address translation would
 * show.
 */
static enum err_code lane_map(struct match_lane *lane, struct err *err)
{
    const size_t len = lane->search->segment_len;
    const size_t unit = len >= LANE_HUGE_PAGE ? LANE_HUGE_PAGE : LANE_PAGE;
    const size_t before = lane_round(lane->search->carry, LANE_PAGE);

    lane->memory_size = before + unit + lane_round(len, unit);
    lane->memory =
        mmap(NULL, lane->memory_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lane->memory == MAP_FAILED) {
        lane->memory = NULL;
        return ERR_RAISE_LACK(err, ERR_LACK_MEMORY,
                              "no memory for a segment of %zu bytes: %s; close other programs", len,
                              strerror(errno));
    }
    const uintptr_t start = (uintptr_t)lane->memory + before;
    lane->fresh = (uint8_t *)lane->memory + before + (unit - start % unit) % unit;
    if (unit == LANE_HUGE_PAGE)
        (void)madvise(lane->fresh, lane_round(len, unit),
                      MADV_HUGEPAGE); /* slower without, and no worse */
    return ERR_OK;
}

/* The engine's device, if it has one and there is something to search for. */
static const struct match_offload *lane_offload(const struct match_lane *lane)
{
    return lane->search->program == NULL ? NULL : lane->search->engine->offload;
}

/* The job of the pool: arg is the lane. */
static void lane_work(void *arg)
{
    struct match_lane *lane = arg;
    const struct match_search *search = lane->search;
    const bool read = lane->status == ERR_OK; /* filling may change that */

    match_lane_fill(lane);
    if (search->look != NULL && read)
        search->look(search->look_arg, lane->index, lane->fresh, lane->text.len - lane->from);
}

enum err_code match_lane_init(struct match_lane *lane, uint32_t index,
                              const struct match_search *search, struct err *err)
{
    const size_t size = search->sink_max * sizeof *lane->hits;

    *lane = (struct match_lane){ .search = search,
                                 .index = index,
                                 .job = { .run = lane_work, .arg = lane },
                                 .touch = { .run = match_lane_touch, .arg = lane } };
    lane->hits = malloc(size);
    if (lane->hits == NULL)
        return ERR_NO_MEMORY(err, size);
    enum err_code rc = lane_map(lane, err);
    if (rc == ERR_OK && lane_offload(lane) != NULL)
        rc = lane_offload(lane)->attach(search->program, index, lane->memory, lane->memory_size,
                                        err);
    return rc;
}

void match_lane_release(struct match_lane *lane)
{
    if (lane->memory != NULL)
        munmap(lane->memory, lane->memory_size);
    free(lane->hits);
}

void match_lane_touch(void *arg)
{
    const struct match_lane *lane = arg;

#ifdef MADV_POPULATE_WRITE
    (void)madvise(lane->fresh, lane_round(lane->search->segment_len, LANE_PAGE),
                  MADV_POPULATE_WRITE); /* or later */
#else
    (void)lane;
#endif
}

/* The buffer holds the segment. */
static void lane_begin(struct match_lane *lane, const struct match_segment *segment)
{
    assert(segment->fresh_len <= lane->search->segment_len);
    assert(segment->carry_len <= lane->search->carry && segment->carry_len <= segment->offset);

    lane->from = segment->carry_len;
    lane->text = (struct match_text){
        .bytes = lane->fresh - segment->carry_len,
        .len = segment->carry_len + segment->fresh_len,
        .offset = segment->offset - segment->carry_len,
    };
    lane->ends_range = segment->ends_range;
    lane->next = 0;
    lane->stretch = lane->text.len;
    lane->count = 0;
    lane->collected = false;
    lane->status = ERR_OK;
    if (lane_offload(lane) != NULL)
        lane_offload(lane)->start(lane->search->program, lane->index, &lane->text, lane->from);
}

/* What comes before the job of the pool, where the source has a read: arg is the lane. */
static void lane_read(void *arg)
{
    struct match_lane *lane = arg;
    struct match_segment segment = { 0 };
    const enum err_code rc = lane->source.read(lane->source.arg, lane->index, &segment, &lane->err);

    if (rc != ERR_OK)
        segment = (struct match_segment){ 0 };
    lane_begin(lane, &segment);
    lane->status = rc;
}

void match_lane_start(struct match_lane *lane, const struct match_source *source)
{
    lane->source = *source;
    lane->job.before = source->read != NULL ? lane_read : NULL;
    if (source->read == NULL)
        lane_begin(lane, &source->segment);
}

void match_lane_hurry(const struct match_lane *lane)
{
    if (lane_offload(lane) != NULL)
        lane_offload(lane)->hurry(lane->search->program, lane->index);
}

static bool lane_scan(const struct match_lane *lane, uint32_t from, uint32_t to,
                      struct match_sink *sink)
{
    const struct match_search *search = lane->search;

    if (lane_offload(lane) != NULL)
        return lane_offload(lane)->take(search->program, lane->index, &lane->text, from, to, sink);
    return search->engine->scan(search->program, &lane->text, from, to, sink);
}

/* Drops the hits from index first on that do not begin in text [from, to). */
static void lane_keep(struct match_lane *lane, struct match_sink *sink, uint32_t first,
                      uint32_t from, uint32_t to)
{
    uint32_t kept = first;

    for (uint32_t i = first; i < sink->count; i++) {
        const uint64_t start = sink->items[i].offset - lane->text.offset;

        assert(start < lane->text.len && sink->items[i].len <= lane->text.len - start);
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
static bool lane_literals(struct match_lane *lane, uint32_t from, uint32_t to,
                          struct match_sink *sink)
{
    const struct match_search *search = lane->search;
    const uint32_t tail =
        lane->text.len - to < search->longest - 1 ? lane->text.len - to : search->longest - 1;
    const uint32_t end = to + tail;
    uint32_t at = from > lane->from ? from : lane->from;
    uint32_t part = end > at ? end - at : 0;

    while (at < end) {
        const uint32_t first = sink->count;
        const uint32_t len = part < end - at ? part : end - at;

        if (lane_scan(lane, at, at + len, sink)) {
            lane_keep(lane, sink, first, from, to);
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

/*
 * Expressions that begin in text [from, *to), as far as their longest match is known within this
 * segment. *to becomes smaller when there is no room for all of them.
 */
static bool lane_expressions(struct match_lane *lane, uint32_t from, uint32_t *to,
                             struct match_sink *sink)
{
    const struct match_search *search = lane->search;
    const uint32_t ahead = LIMIT_REGEX_MATCH_LEN - 1;
    const uint32_t known = lane->from > ahead
                               ? lane->from - ahead
                               : 0; /* starts before it: the segment before had them */
    uint32_t unknown = lane->text.len;

    if (!lane->ends_range)
        unknown = lane->text.len > ahead ? lane->text.len - ahead : 0;
    const uint32_t begin = from > known ? from : known, end = *to < unknown ? *to : unknown;
    uint32_t reached = end;
    if (begin >= end)
        return true;
    sink->max = search->hits_max;
    lane->status = match_regexes_scan(search->regexes, &lane->text, begin, &reached, search->stop,
                                      sink, &lane->err);
    if (reached < end) {
        *to = reached;
        lane_keep(lane, sink, 0, from, reached);
    }
    return lane->status == ERR_OK && reached > begin;
}

/* All hits that begin in text [from, to), or in [from, the result); from when there are too many
 * for one piece. */
static uint32_t lane_fits(struct match_lane *lane, uint32_t from, uint32_t to)
{
    struct match_sink sink = { .items = lane->hits, .max = lane->search->sink_max };

    if (lane->search->program != NULL && !lane_literals(lane, from, to, &sink))
        return from;
    if (lane->search->grid != NULL &&
        (!match_grid_scan(lane->search->grid, &lane->text, lane->from, from, to, &sink) ||
         sink.count > lane->search->hits_max))
        return from;
    if (lane->search->regexes != NULL && !lane_expressions(lane, from, &to, &sink))
        return from;
    lane->count = sink.count;
    return to;
}

void match_lane_fill(struct match_lane *lane)
{
    const uint32_t left = lane->text.len - lane->next;
    uint32_t stretch = lane->stretch < left ? lane->stretch : left;
    uint32_t to = lane->next;

    lane->count = 0;
    if (lane->search->stop != NULL && lane->search->stop())
        lane->status = ERR_RAISE(&lane->err, ERR_INTERRUPTED, "stopped on request");
    while (stretch > 0 && lane->status == ERR_OK) {
        to = lane_fits(lane, lane->next, lane->next + stretch);
        if (to > lane->next)
            break;
        assert(stretch > 1 ||
               lane->status != ERR_OK); /* hits_max holds what can begin at one byte */
        stretch /= 2;
    }
    stretch = to - lane->next;
    lane->next = to;
    lane->stretch = stretch < UINT32_MAX / 2 ? stretch * 2 : UINT32_MAX;
    match_sort(lane->hits, lane->count);
}
