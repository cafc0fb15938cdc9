/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_crew.c - see scan_crew.h. */
#include "carver/scan/scan_crew.h"

#include "carver/cli/cpus.h"
#include "carver/cli/interrupt.h"
#include "carver/known/known_blocks.h"
#include "carver/scan/pipeline_slots.h"
#include "carver/scan/pipeline_totals.h"
#include "io/storage.h"

enum { CREW_LEAVES_ONE = 8 /* processors, of which one is left to those who record */ };

void scan_crew_begin(struct scan_crew *crew, const struct scan_job *job)
{
    const struct scan_how *how = job->how;

    *crew = (struct scan_crew){ .job = job };
    crew->slot_count = pipeline_slots(how->threads, how->segment_len, !job->plan.hits_only);
    const struct match_options match = {
        .engine = how->engine,
        .threads = how->threads,
        .slots = crew->slot_count,
        .segment_len = how->segment_len,
        .strategy = how->strategy,
        .device_mask = how->device_mask,
        .devices_later = how->device_auto || how->device_delay > 0,
        .devices_auto = how->device_auto,
        .device_delay = how->device_delay,
        .stop = interrupt_requested,
    };
    pipeline_matcher_begin(&crew->early, job->plan.patterns->dictionary, &match);
}

/*
 * So many threads scan on so many processors. Where they would take all of many, the thread that
 * writes rows would get half of one, and many scans end when it does.
 */
static uint32_t crew_most(uint32_t cpus)
{
    return cpus >= CREW_LEAVES_ONE ? cpus - 1 : cpus;
}

/* The number of threads that scan. An engine that has threads of its own needs one. */
static uint32_t crew_size(const struct scan_crew *crew)
{
    const struct scan_how *how = crew->job->how;
    const uint32_t cpus = cpus_count();
    const uint32_t most = how->threads == cpus ? crew_most(cpus) : how->threads;
    const uint32_t threads = pipeline_threads(most, how->segment_len);
    struct match_engine_info engine;

    return how->engine != NULL && match_engine_look(how->engine, &engine) && engine.threads_itself
               ? 1
               : threads;
}

/*
 * So many of the threads scan. An image in memory is not waited for: more threads than processors
 * would take the processor and its cache from each other. Who says how parts are cut or read gets
 * the threads that were asked for.
 */
static uint32_t crew_pays(const struct scan_crew *crew, const struct io_storage *storage,
                          bool cached)
{
    const struct scan_how *how = crew->job->how;
    const uint32_t most = crew_most(cpus_count());
    const bool pays = (!cached && storage->kind != IO_STORAGE_MEMORY) || how->part_len != 0 ||
                      how->parts_at_once != 0;

    return pays || crew->matcher_count <= most ? crew->matcher_count : most;
}

/* A matcher for each thread: one that was compiled, and others that share it. */
static enum err_code crew_open_matchers(struct scan_crew *crew, uint64_t bytes, struct err *err)
{
    const uint32_t size = crew_size(crew);
    enum err_code rc = pipeline_matcher_take(&crew->early, bytes, &crew->matchers[0], err);

    crew->matcher_count = rc == ERR_OK;
    while (rc == ERR_OK && crew->matcher_count < size) {
        rc = match_share(crew->matchers[0], crew->slot_count, &crew->matchers[crew->matcher_count],
                         err);
        crew->matcher_count += rc == ERR_OK;
    }
    return rc;
}

/* A device that hashes blocks for each thread. */
static enum err_code crew_open_hashers(struct scan_crew *crew, const struct known_scan *known,
                                       struct err *err)
{
    const struct scan_how *how = crew->job->how;
    const uint32_t first = how->device_mask != 0 ? (uint32_t)__builtin_ctz(how->device_mask) : 0;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && how->devices != NULL && crew->hasher_count < crew->matcher_count) {
        rc = known_blocks_open_device(known, NULL, first, crew->slot_count, how->segment_len,
                                      &crew->hashers[crew->hasher_count], err);
        crew->hasher_count += rc == ERR_OK;
    }
    return rc;
}

enum err_code scan_crew_open(struct scan_crew *crew, uint64_t bytes, const struct known_scan *known,
                             struct err *err)
{
    const enum err_code rc = crew_open_matchers(crew, bytes, err);

    return rc == ERR_OK && known != NULL ? crew_open_hashers(crew, known, err) : rc;
}

enum err_code scan_crew_start(struct scan_crew *crew, const struct scan_crew_image *image,
                              struct err *err)
{
    const struct io_range *last = &image->ranges[image->range_count - 1];
    const struct scan_how *how = image->job->how;
    const struct io_storage storage = io_storage_of_image("/sys", image->image);
    const bool cached =
        io_storage_is_cached(image->image, image->from, last->offset + last->len - image->from);
    const uint32_t threads = crew_pays(crew, &storage, cached);
    const struct parts_options options = {
        .whole = image->whole,
        .ranges = image->ranges,
        .range_count = image->range_count,
        .part_len = how->part_len,
        .seed = how->part_seed,
        .scanner = { .job = image->job,
                     .image = image->image,
                     .known = image->known,
                     .sieve = image->sieve,
                     .texts = image->texts,
                     .hash = image->hash },
        .matchers = crew->matchers,
        .hashers = crew->hasher_count > 0 ? crew->hashers : NULL,
        .matcher_count = threads,
        .asked = threads < crew->matcher_count ? how->threads : 0,
        .lookback = image->lookback,
        .from = image->from,
        .one_why = image->hash != NULL  ? "--hash" /* in their order */
                   : how->max_read != 0 ? "--max-read"
                                        : NULL,
        .at_once = how->parts_at_once,
        .storage = storage,
        .cached = cached,
        .gives_way = cpus_count() >= CREW_LEAVES_ONE && threads >= crew_most(cpus_count()),
    };

    return parts_open(&options, &crew->parts, err);
}

void scan_crew_warn(struct scan_crew *crew, void (*tell)(void *arg, const char *line), void *arg)
{
    char line[PIPELINE_WHY_MAX];

    for (uint32_t i = 0; i < crew->matcher_count; i++)
        while (tell != NULL && match_warning(crew->matchers[i], line, sizeof line))
            tell(arg, line);
}

void scan_crew_close(struct scan_crew *crew)
{
    parts_close(crew->parts);
    crew->parts = NULL;
    while (crew->hasher_count > 0)
        match_hasher_close(crew->hashers[--crew->hasher_count]);
    while (crew->matcher_count > 0) /* the first one, which the others share, comes last */
        match_close(crew->matchers[--crew->matcher_count]);
}

void scan_crew_end(struct scan_crew *crew)
{
    scan_crew_close(crew);
    pipeline_matcher_end(&crew->early);
}
