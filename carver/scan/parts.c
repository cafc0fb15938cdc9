/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/parts.c - see parts.h.
 *
 * Pieces that are under way stand in a ring, in the order of the image: first <= next. The oldest
 * one may always have a further part, so that the others, whose parts wait for it, cannot stop it.
 *
 * In turns, the next one to read is the oldest piece that wants to. What lies behind a part, and an
 * object of it reaches into, is read by its validator when the turns have come past it; or when all
 * threads would wait, which happens where objects are longer than the pieces under way.
 */
#include "carver/scan/parts.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/steady.h"
#include "base/thread.h"
#include "carver/scan/pace.h"
#include "carver/scan/part_hole.h"

enum {
    PARTS_LEN_MIN = 8 << 20,  /* bytes of a piece: what crosses its end costs less than it */
    PARTS_LEN_MAX = 64 << 20, /* what is lost by a kill, and the rows in memory, stay few */
    PARTS_ROWS = 128 << 20,   /* bytes of rows of all parts together */
    PARTS_EACH = 48,          /* pieces for each thread, */
    PARTS_LAST = 2,           /* and at least so many of what is left: all end at about one time */
    PARTS_LAST_MIN = 4 << 20, /* bytes of the last pieces */
    /* Parts for each thread that may be done or under way before the oldest one is recorded: that
     * one may have a large file to follow to its end. */
    PARTS_AHEAD = 32,
    PARTS_BEHIND = 4, /* batches of rows that wait: they are many */
    PARTS_NICE = 2, /* steps that those who scan give way to who stitches and who writes: for these
                     * all wait at the end, and with one processor left they share it */
};

struct parts_piece {
    struct plan_part place;
    struct part *done, **done_end; /* its parts that nobody has taken yet */
    bool hole;                     /* it is zeros, and not read */
    bool wants;                    /* to read, and has not begun */
    bool ended;
    enum err_code rc;
    struct err err;
};

struct parts_thread {
    struct parts *parts;
    struct part_scanner *scanner;
    struct thread thread;
};

struct parts {
    struct parts_options options;
    uint64_t part_len;
    uint64_t turn_len; /* bytes of a part that is read in turn */
    struct part_holes holes;
    _Atomic uint64_t bytes, hole_bytes, waited_ns;
    atomic_bool stop;
    uint32_t thread_count;

    pthread_mutex_t lock;
    pthread_cond_t work, done; /* to the threads, from the threads */
    uint32_t range;            /* the next piece begins in this one */
    uint64_t at;               /* at this image offset */
    uint64_t random;           /* see options.seed */
    uint64_t first, next;      /* pieces */
    struct pace pace;
    uint32_t reading; /* parts */
    uint32_t waiting; /* threads that do, or have ended */
    uint32_t behind;  /* batches of rows that wait to be written */
    uint64_t read_to; /* image offset up to which parts have been read in turn */
    uint32_t ring_len, part_max, part_count;
    struct part *spare;
    struct parts_piece *ring;
    struct parts_thread threads[];
};

static struct parts_piece *parts_piece(struct parts *parts, uint64_t number)
{
    return &parts->ring[number % parts->ring_len];
}

static uint64_t parts_random(struct parts *parts)
{
    parts->random ^= parts->random << 13;
    parts->random ^= parts->random >> 7;
    parts->random ^= parts->random << 17;
    return parts->random;
}

/* Whether threads take turns at reading. Called with the lock held. */
static bool parts_in_turns(const struct parts *parts)
{
    return parts->pace.at_once < parts->thread_count;
}

/* Waits for a change, in a thread that scans. Called with the lock held. */
static void parts_wait(struct parts *parts)
{
    if (++parts->waiting == parts->thread_count)
        pthread_cond_broadcast(&parts->work); /* see parts_wait_read */
    pthread_cond_wait(&parts->work, &parts->lock);
    parts->waiting--;
}

/* The longest that the next piece may be so that all threads end at about the same time; left:
 * bytes of its range. */
static uint64_t parts_last_len(const struct parts *parts, uint64_t left)
{
    const uint64_t len = left / parts->thread_count / PARTS_LAST / PART_ALIGN * PART_ALIGN;

    if (parts->options.part_len != 0 || parts->range + 1 < parts->options.range_count)
        return UINT64_MAX;
    return len < PARTS_LAST_MIN ? PARTS_LAST_MIN : len;
}

/* The length of the next piece. Called with the lock held. */
static uint64_t parts_piece_len(struct parts *parts, uint64_t left)
{
    const uint64_t last = parts_last_len(parts, left);
    uint64_t most = last < parts->part_len ? last : parts->part_len;

    if (parts_in_turns(parts) && parts->turn_len < most)
        most = parts->turn_len;
    return parts->options.seed == 0 ? most
                                    : (1 + parts_random(parts) % (most / PART_ALIGN)) * PART_ALIGN;
}

/* Takes the next piece of the image; false: there is none. Called with the lock held. */
static bool parts_take(struct parts *parts, uint64_t *number)
{
    if (parts->range == parts->options.range_count || atomic_load(&parts->stop))
        return false;
    const struct io_range *range = &parts->options.ranges[parts->range];
    const uint64_t end = range->offset + range->len, left = end - parts->at;
    const uint64_t len = parts_piece_len(parts, left);
    uint64_t to = len < left ? parts->at + len : end;
    const bool hole = part_hole_at(&parts->holes, parts->at, end, &to);

    if (!hole)
        to = part_hole_next(&parts->holes, parts->at, len < left ? parts->at + len : end, end);
    *number = parts->next++;
    struct parts_piece *piece = parts_piece(parts, *number);
    const struct io_range *whole = &parts->options.whole;
    *piece =
        (struct parts_piece){ .place = { whole->offset, whole->offset + whole->len, parts->at, to },
                              .hole = hole,
                              .wants = !hole };
    piece->done_end = &piece->done;
    parts->at = to;
    if (to == end && ++parts->range < parts->options.range_count)
        parts->at = parts->options.ranges[parts->range].offset;
    return true;
}

/* An empty part for the piece; waits while too many are under way. NULL: stopped, or *err. */
static struct part *parts_room(struct parts *parts, uint64_t number, enum err_code *rc,
                               struct err *err)
{
    struct part *part = NULL;

    pthread_mutex_lock(&parts->lock);
    while (parts->spare == NULL && parts->part_count >= parts->part_max && number != parts->first &&
           !atomic_load(&parts->stop))
        parts_wait(parts);
    part = parts->spare;
    if (part != NULL)
        parts->spare = part->next;
    else
        parts->part_count++;
    pthread_mutex_unlock(&parts->lock);
    *rc = part != NULL
              ? ERR_OK
              : part_open(&parts->options.scanner.job->plan, parts->options.lookback, &part, err);
    return part;
}

/* The thread that scanned the part goes on with the next one: what is asked of the sums now must
 * not come from its memory. */
static void parts_publish(struct parts *parts, uint64_t number, struct part *part)
{
    struct parts_piece *piece = parts_piece(parts, number);

    if (part->sums != NULL)
        sums_attach(part->sums, parts->options.lookback);
    pthread_mutex_lock(&parts->lock);
    *piece->done_end = part;
    piece->done_end = &part->next;
    pthread_cond_signal(&parts->done);
    pthread_mutex_unlock(&parts->lock);
}

void parts_give_back(struct parts *parts, struct part *part)
{
    pthread_mutex_lock(&parts->lock);
    part->next = parts->spare;
    parts->spare = part;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
}

/* Whether the piece is the next one to read. Called with the lock held. */
static bool parts_is_next(struct parts *parts, uint64_t number)
{
    bool next = parts->reading < parts->pace.at_once;

    for (uint64_t i = parts->first; next && parts_in_turns(parts) && i < number; i++)
        next = !parts_piece(parts, i)->wants;
    return next;
}

/* Waits until the piece may be read. *to: where a part of it ends. */
static struct part_way parts_turn(struct parts *parts, uint64_t number, uint64_t from, uint64_t *to)
{
    pthread_mutex_lock(&parts->lock);
    struct parts_piece *piece = parts_piece(parts, number);

    piece->wants = true;
    while (!atomic_load(&parts->stop) && !parts_is_next(parts, number))
        parts_wait(parts);
    piece->wants = false;
    parts->reading++;
    const bool in_turn = parts_in_turns(parts);
    /* In turns, what a validator has read behind a part is not to be read again. */
    const struct part_way way = { in_turn, in_turn || parts->pace.slow };
    if (in_turn && *to - from > parts->turn_len)
        *to = from + parts->turn_len;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    return way;
}

static void parts_has_read(void *arg, struct part *part)
{
    struct parts *parts = arg;

    pthread_mutex_lock(&parts->lock);
    parts->reading--;
    if (parts->read_to < part->place.to)
        parts->read_to = part->place.to;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
}

/* Waits until the turns have come past this image offset, or nobody else goes on. */
static void parts_wait_read(void *arg, uint64_t offset)
{
    struct parts *parts = arg;

    pthread_mutex_lock(&parts->lock);
    while (parts->read_to <= offset && parts_in_turns(parts) &&
           parts->waiting + 1 < parts->thread_count && !atomic_load(&parts->stop))
        parts_wait(parts);
    pthread_mutex_unlock(&parts->lock);
}

/* A piece of zeros is one part, which is there at once. */
static enum err_code parts_hole(struct parts_thread *thread, uint64_t number,
                                const struct plan_part *place, struct err *err)
{
    struct parts *parts = thread->parts;
    enum err_code rc = ERR_OK;
    struct part *part = parts_room(parts, number, &rc, err);

    if (part == NULL)
        return rc;
    part_begin(part, place);
    rc = part_scan_hole(thread->scanner, part, err);
    atomic_fetch_add_explicit(&parts->hole_bytes, place->to - place->from, memory_order_relaxed);
    if (rc == ERR_OK)
        parts_publish(parts, number, part);
    else
        parts_give_back(parts, part);
    return rc;
}

/* Scans a piece as one part, or as several. */
static enum err_code parts_scan(struct parts_thread *thread, uint64_t number,
                                struct plan_part place, struct err *err)
{
    struct parts *parts = thread->parts;
    enum err_code rc = ERR_OK;

    for (uint64_t to = place.to; rc == ERR_OK && place.from < to;) {
        struct part *part = parts_room(parts, number, &rc, err);

        if (part == NULL)
            return rc;
        place.to = to;
        const struct part_way way = parts_turn(parts, number, place.from, &place.to);
        part_begin(part, &place);
        rc = part_scan(thread->scanner, part, way, err);
        place.from = part->place.to;
        if (part->whole)
            parts_publish(parts, number, part);
        else
            parts_give_back(parts, part);
        if (rc == ERR_OK && place.from < to && atomic_load(&parts->stop))
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "stopped on request");
    }
    return rc;
}

/* Whether there is more to record than who does it keeps up with. Called with the lock held. */
static bool parts_is_behind(struct parts *parts)
{
    const bool waits = parts->first < parts->next && parts_piece(parts, parts->first)->done != NULL;

    return parts->behind >= PARTS_BEHIND ||
           (waits && parts->next - parts->first > 2 * parts->thread_count);
}

/* Whether the thread is to wait before it takes a further piece. Called with the lock held. */
static bool parts_holds(const struct parts_thread *thread)
{
    struct parts *parts = thread->parts;

    if (atomic_load(&parts->stop) || parts->range == parts->options.range_count)
        return false;
    return parts->next - parts->first >= parts->ring_len ||
           (parts->options.gives_way && parts->thread_count == parts->options.matcher_count &&
            thread == &parts->threads[parts->thread_count - 1] && parts_is_behind(parts));
}

static void parts_run(void *arg)
{
    struct parts_thread *thread = arg;
    struct parts *parts = thread->parts;
    uint64_t number = 0;

    thread_give_way(PARTS_NICE);
    pthread_mutex_lock(&parts->lock);
    for (;;) {
        while (parts_holds(thread))
            parts_wait(parts);
        if (!parts_take(parts, &number))
            break;
        struct parts_piece *piece = parts_piece(parts, number);
        const struct plan_part place = piece->place;
        const bool hole = piece->hole;
        struct err err = { 0 };

        pthread_mutex_unlock(&parts->lock);
        const enum err_code rc = hole ? parts_hole(thread, number, &place, &err)
                                      : parts_scan(thread, number, place, &err);
        pthread_mutex_lock(&parts->lock);
        piece->rc = rc;
        piece->err = err;
        piece->ended = true;
        piece->wants = false;
        if (rc == ERR_INTERRUPTED)
            atomic_store(&parts->stop, true);
        else if (rc != ERR_OK) /* what comes before it is still scanned, and nothing behind it */
            parts->range = parts->options.range_count;
        pthread_cond_broadcast(&parts->work);
        pthread_cond_signal(&parts->done);
    }
    parts->waiting++;
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
    part_scanner_end(thread->scanner);
}

uint64_t parts_len(uint64_t bytes, uint32_t threads)
{
    const uint64_t mib = 1 << 20, len = bytes / threads / PARTS_EACH / mib * mib;

    return len < PARTS_LEN_MIN ? PARTS_LEN_MIN : len > PARTS_LEN_MAX ? PARTS_LEN_MAX : len;
}

/*
 * Where a disk is waited for, at most as much is read at a time as may be: behind each end of a
 * part some bytes are read twice, and nothing is asked for between two parts of a thread.
 */
static uint64_t parts_choose_len(const struct parts_options *options)
{
    uint64_t bytes = 0;

    if (options->part_len != 0)
        return options->part_len;
    if (!options->cached && options->storage.kind != IO_STORAGE_MEMORY)
        return PARTS_LEN_MAX;
    for (uint32_t i = 0; i < options->range_count; i++)
        bytes += options->ranges[i].len;
    return parts_len(bytes, options->matcher_count);
}

/* No more threads than there are pieces of the least length, as far as that is known. */
static uint32_t parts_choose_threads(const struct parts *parts)
{
    const uint64_t len = parts->options.part_len != 0 ? parts->part_len : PARTS_LEN_MIN;
    uint64_t pieces = 0;

    for (uint32_t i = 0; i < parts->options.range_count; i++)
        pieces += parts->options.ranges[i].len / len + 1;
    return parts->options.seed == 0 && pieces < parts->options.matcher_count
               ? (uint32_t)pieces
               : parts->options.matcher_count;
}

/* Parts of zeros are known as such where nothing that is looked for is in zeros, and nobody wants
 * to see all bytes. */
static enum err_code parts_find_holes(struct parts *parts, struct err *err)
{
    struct part_scanner *scanner = parts->threads[0].scanner;
    const struct parts_options *options = &parts->options;
    const struct part_holes holes = { .image = options->scanner.image,
                                      .whole = options->whole,
                                      .before = part_scanner_before(scanner) };
    bool some = false, silent = false;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < options->range_count && !some; i++) {
        const struct io_range *range = &options->ranges[i];
        const uint64_t end = range->offset + range->len;
        uint64_t to;

        some = part_hole_at(&holes, range->offset, end, &to) ||
               part_hole_next(&holes, range->offset, end, end) < end;
    }
    if (some && options->scanner.hash == NULL)
        rc = part_scanner_silent(scanner, &silent, err);
    if (silent)
        parts->holes = holes;
    return rc;
}

static enum err_code parts_start(struct parts *parts, struct err *err)
{
    const uint32_t threads = parts_choose_threads(parts);
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && parts->thread_count < threads) {
        const uint32_t number = parts->thread_count++;
        struct parts_thread *thread = &parts->threads[number];
        struct part_scanner_options options = parts->options.scanner;

        options.matcher = parts->options.matchers[number];
        options.hasher = parts->options.hashers != NULL ? parts->options.hashers[number] : NULL;
        options.rows_max = PARTS_ROWS / parts->part_max;
        options.bytes = &parts->bytes;
        options.stop = &parts->stop;
        options.waited_ns = &parts->waited_ns;
        options.turns = (struct part_turns){ parts_has_read, parts_wait_read, parts };
        thread->parts = parts;
        rc = part_scanner_open(&options, &thread->scanner, err);
    }
    if (rc == ERR_OK)
        rc = parts_find_holes(parts, err);
    if (rc == ERR_OK) {
        const uint32_t at_once = parts->options.at_once;

        parts->turn_len = part_scanner_turn_len(parts->threads[0].scanner);
        if (parts->options.one_why != NULL)
            pace_fix(&parts->pace, threads, 1, parts->options.one_why);
        else
            pace_begin(&parts->pace, threads, at_once < threads ? at_once : threads,
                       &parts->options.storage, parts->options.cached);
        if (parts->options.asked != 0 && threads == parts->options.matcher_count)
            pace_add_asked(&parts->pace, parts->options.asked);
    }
    for (uint32_t i = 0; rc == ERR_OK && i < threads; i++)
        rc = thread_start(&parts->threads[i].thread, "scanner", parts_run, &parts->threads[i], err);
    return rc;
}

/* Goes to where the first piece begins. */
static void parts_skip(struct parts *parts)
{
    const struct parts_options *options = &parts->options;
    const struct io_range *range = options->ranges;

    while (parts->range < options->range_count && range->offset + range->len <= options->from) {
        parts->range++;
        range++;
    }
    if (parts->range < options->range_count)
        parts->at = range->offset > options->from ? range->offset : options->from;
}

enum err_code parts_open(const struct parts_options *options, struct parts **out, struct err *err)
{
    const uint32_t threads = options->matcher_count;
    struct parts *parts = calloc(1, sizeof *parts + threads * sizeof(struct parts_thread));

    *out = NULL;
    if (parts == NULL)
        return ERR_NO_MEMORY(err, sizeof *parts);
    parts->options = *options;
    parts->part_len = parts_choose_len(options);
    parts_skip(parts);
    parts->random = options->seed;
    parts->ring_len = PARTS_AHEAD * threads + 2;
    parts->part_max = PARTS_AHEAD * threads + 2;
    pthread_mutex_init(&parts->lock, NULL);
    pthread_cond_init(&parts->work, NULL);
    steady_init(&parts->done);
    parts->ring = calloc(parts->ring_len, sizeof *parts->ring);
    const enum err_code rc = parts->ring != NULL
                                 ? parts_start(parts, err)
                                 : ERR_NO_MEMORY(err, parts->ring_len * sizeof *parts->ring);
    if (rc == ERR_OK)
        *out = parts;
    else
        parts_close(parts);
    return rc;
}

static void parts_free_list(struct part *part)
{
    while (part != NULL) {
        struct part *next = part->next;

        part_close(part);
        part = next;
    }
}

void parts_close(struct parts *parts)
{
    if (parts == NULL)
        return;
    parts_stop(parts);
    for (uint32_t i = 0; i < parts->thread_count; i++) {
        thread_join(&parts->threads[i].thread);
        part_scanner_close(parts->threads[i].scanner);
    }
    for (; parts->ring != NULL && parts->first < parts->next; parts->first++)
        parts_free_list(parts_piece(parts, parts->first)->done);
    parts_free_list(parts->spare);
    pthread_cond_destroy(&parts->work);
    pthread_cond_destroy(&parts->done);
    pthread_mutex_destroy(&parts->lock);
    free(parts->ring);
    free(parts);
}

void parts_stop(struct parts *parts)
{
    pthread_mutex_lock(&parts->lock);
    atomic_store(&parts->stop, true);
    pthread_cond_broadcast(&parts->work);
    pthread_mutex_unlock(&parts->lock);
}

/* Goes past pieces of which everything has been taken. Called with the lock held. */
static enum err_code parts_pass(struct parts *parts, struct err *err)
{
    while (parts->first < parts->next) {
        struct parts_piece *piece = parts_piece(parts, parts->first);

        if (piece->done != NULL || !piece->ended)
            return ERR_OK;
        if (piece->rc != ERR_OK) {
            *err = piece->err;
            return piece->rc;
        }
        parts->first++;
        pthread_cond_broadcast(&parts->work);
    }
    return ERR_OK;
}

void parts_behind(struct parts *parts, uint32_t batches)
{
    pthread_mutex_lock(&parts->lock);
    if (batches < PARTS_BEHIND && parts->behind >= PARTS_BEHIND)
        pthread_cond_broadcast(&parts->work);
    parts->behind = batches;
    pthread_mutex_unlock(&parts->lock);
}

/* Called with the lock held. */
static bool parts_all_taken(const struct parts *parts)
{
    return parts->first == parts->next &&
           (parts->range == parts->options.range_count || atomic_load(&parts->stop));
}

/* Called with the lock held. */
static void parts_pace_note(struct parts *parts)
{
    const uint64_t read = atomic_load(&parts->bytes) - atomic_load(&parts->hole_bytes);

    if (pace_note(&parts->pace, clock_now(CLOCK_MONOTONIC), read, atomic_load(&parts->waited_ns)))
        pthread_cond_broadcast(&parts->work);
}

enum err_code parts_next(struct parts *parts, uint32_t milliseconds, struct part **out,
                         struct err *err)
{
    const struct timespec until = steady_after(milliseconds);
    enum err_code rc = ERR_OK;
    int waited = 0;

    *out = NULL;
    pthread_mutex_lock(&parts->lock);
    while ((rc = parts_pass(parts, err)) == ERR_OK && !parts_all_taken(parts) &&
           waited != ETIMEDOUT) {
        parts_pace_note(parts);
        struct parts_piece *piece = parts_piece(parts, parts->first);

        if (parts->first < parts->next && piece->done != NULL) {
            *out = piece->done;
            piece->done = (*out)->next;
            if (piece->done == NULL)
                piece->done_end = &piece->done;
            break;
        }
        waited = pthread_cond_timedwait(&parts->done, &parts->lock, &until);
    }
    pthread_mutex_unlock(&parts->lock);
    return rc;
}

bool parts_done(struct parts *parts)
{
    pthread_mutex_lock(&parts->lock);
    const bool done = parts_all_taken(parts);
    pthread_mutex_unlock(&parts->lock);
    return done;
}

uint64_t parts_bytes(const struct parts *parts)
{
    return atomic_load_explicit(&parts->bytes, memory_order_relaxed);
}

const char *parts_pace(const struct parts *parts)
{
    return parts->pace.why;
}

bool parts_many(struct parts *parts)
{
    pthread_mutex_lock(&parts->lock);
    const bool many = parts->pace.state == PACE_SETTLED && parts->pace.at_once > 1;
    pthread_mutex_unlock(&parts->lock);
    return many;
}

const char *parts_backend(const struct parts *parts)
{
    return part_scanner_backend(parts->threads[0].scanner);
}

const char *parts_lost(const struct parts *parts)
{
    const char *lost = "";

    for (uint32_t i = 0; i < parts->thread_count && lost[0] == '\0'; i++)
        lost = part_scanner_lost(parts->threads[i].scanner);
    return lost;
}
