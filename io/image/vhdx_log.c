/* SPDX-License-Identifier: Apache-2.0
 * io/image/vhdx_log.c - see vhdx_log.h.
 *
 * An entry is a head of 64 bytes and a descriptor of 32 for each change, filled up to 4,096; then a
 * sector of 4,096 for each change that is no zeros. Of such a sector the first eight bytes and the
 * last four have a mark and the entry's number, and what belongs there stands in the descriptor.
 */
#include "io/image/vhdx_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/grow.h"
#include "io/image/crc32c.h"

enum {
    LOG_HEAD_LEN = 64,
    LOG_AT_SUM = 4,     /* u32le, CRC-32C of the entry */
    LOG_AT_LEN = 8,     /* u32le, of the entry */
    LOG_AT_TAIL = 12,   /* u32le, place in the log of the first entry that may be to be made */
    LOG_AT_NUMBER = 16, /* u64le */
    LOG_AT_COUNT = 24,  /* u32le, descriptors */
    LOG_AT_ID = 32,
    LOG_AT_FLUSHED = 48, /* u64le, bytes of the file that are on the disk */
    LOG_AT_LAST = 56,    /* u64le, bytes of the file that are in use */
    LOG_CHANGE_LEN = 32,
    LOG_CHANGE_AT_TAIL = 4, /* the last four bytes of a sector */
    LOG_CHANGE_AT_HEAD = 8, /* the first eight; of zeros: u64le, their number */
    LOG_CHANGE_AT = 16,     /* u64le, place in the file */
    LOG_CHANGE_NUMBER = 24, /* u64le, of the entry */
    LOG_SECTOR_HEAD = 8,
    LOG_SECTOR_TAIL = 4,
    LOG_WORK = 16, /* times its length are summed up of a log: entries do not lie in one another */
};

/* The entry that begins in a sector of the log; len 0: there is none that is whole. */
struct log_place {
    uint64_t number;
    uint32_t len, tail;
};

struct log_reader {
    const struct io_pieces *pieces;
    const char *path;
    struct vhdx_log *log;
    uint8_t *bytes;           /* of the log, owned */
    uint8_t *entry;           /* one entry, without the end of the ring in it; owned */
    struct log_place *places; /* of each sector, owned */
    uint64_t work;            /* bytes that were summed up */
    bool damaged;             /* an entry is not what it was */
};

/* A run of entries whose numbers follow one another. */
struct log_run {
    uint64_t number;        /* of the last one; 0: there is none */
    uint32_t first, last;   /* places in the log of the first and the last entry */
    uint32_t entries, tail; /* tail: as the last one says */
    uint32_t end;           /* place behind the last one */
};

static enum err_code log_refused(const struct log_reader *r, const char *why, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this VHDX was not closed, and the changes in its log cannot be made: %s; "
                     "have them made in a copy of it (qemu-img check -r all COPY) and give that",
                     r->path, why);
}

/* Copies len bytes of the ring. */
static void log_copy(const struct log_reader *r, uint32_t at, uint32_t len, uint8_t *out)
{
    const uint32_t first = r->log->len - at < len ? r->log->len - at : len;

    memcpy(out, r->bytes + at, first);
    memcpy(out + first, r->bytes, len - first);
}

/* Whether every descriptor of the entry, and its sector, is of this entry. */
static bool log_changes_are_sound(const uint8_t *entry, uint32_t len, uint32_t count)
{
    const uint64_t number = bytes_u64le(entry + LOG_AT_NUMBER);
    uint64_t sector = (LOG_HEAD_LEN + (uint64_t)count * LOG_CHANGE_LEN + VHDX_LOG_SECTOR - 1) /
                      VHDX_LOG_SECTOR * VHDX_LOG_SECTOR;

    if (sector > len)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *change = entry + LOG_HEAD_LEN + (size_t)i * LOG_CHANGE_LEN;
        const bool zeros = memcmp(change, "zero", 4) == 0;

        if ((!zeros && memcmp(change, "desc", 4) != 0) ||
            bytes_u64le(change + LOG_CHANGE_NUMBER) != number ||
            bytes_u64le(change + LOG_CHANGE_AT) % VHDX_LOG_SECTOR != 0 ||
            (zeros && bytes_u64le(change + LOG_CHANGE_AT_HEAD) % VHDX_LOG_SECTOR != 0))
            return false;
        if (zeros)
            continue;
        if (len - sector < VHDX_LOG_SECTOR || memcmp(entry + sector, "data", 4) != 0 ||
            bytes_u32le(entry + sector + 4) != number >> 32 ||
            bytes_u32le(entry + sector + VHDX_LOG_SECTOR - 4) != (uint32_t)number)
            return false;
        sector += VHDX_LOG_SECTOR;
    }
    return true;
}

static bool log_has_magic(const struct log_reader *r, uint32_t at)
{
    return memcmp(r->bytes + at, "loge", 4) == 0;
}

static bool log_has_id(const struct log_reader *r, uint32_t at)
{
    return memcmp(r->bytes + at + LOG_AT_ID, r->log->id, VHDX_ID_LEN) == 0;
}

/* Whether this sector of the log says that an entry of the disk's last use begins. */
static bool log_begins(const struct log_reader *r, uint32_t at)
{
    return log_has_magic(r, at) && log_has_id(r, at);
}

/*
 * Looks whether a whole entry begins at `at` of the log, and copies it to r->entry. One whose
 * checksum is that of an entry of the last use, but whose magic or id is not, is one that was
 * changed.
 */
static struct log_place log_look(struct log_reader *r, uint32_t at)
{
    static const struct log_place nothing = { 0 };
    static const uint8_t none[4] = { 0 };
    const uint8_t *head = r->bytes + at;
    const uint32_t count = bytes_u32le(head + LOG_AT_COUNT);
    const struct log_place place = { .number = bytes_u64le(head + LOG_AT_NUMBER),
                                     .len = bytes_u32le(head + LOG_AT_LEN),
                                     .tail = bytes_u32le(head + LOG_AT_TAIL) };

    if ((!log_has_magic(r, at) && !log_has_id(r, at)) || place.len == 0 ||
        place.len % VHDX_LOG_SECTOR != 0 || place.len > r->log->len ||
        count > place.len / LOG_CHANGE_LEN || place.number == 0 || place.tail >= r->log->len ||
        place.tail % VHDX_LOG_SECTOR != 0)
        return nothing;
    r->work += place.len;
    if (r->work > (uint64_t)r->log->len * LOG_WORK)
        return nothing;
    log_copy(r, at, place.len, r->entry);
    memcpy(r->entry, "loge", 4);
    memcpy(r->entry + LOG_AT_ID, r->log->id, VHDX_ID_LEN);
    uint32_t crc = io_crc32c(0, r->entry, LOG_AT_SUM);
    crc = io_crc32c(crc, none, sizeof none);
    crc = io_crc32c(crc, r->entry + LOG_AT_SUM + 4, place.len - LOG_AT_SUM - 4);
    if (crc != bytes_u32le(r->entry + LOG_AT_SUM) ||
        !log_changes_are_sound(r->entry, place.len, count))
        return nothing;
    r->damaged = r->damaged || !log_begins(r, at);
    return place;
}

static const struct log_place *log_place(const struct log_reader *r, uint32_t at)
{
    return &r->places[at / VHDX_LOG_SECTOR];
}

static uint32_t log_behind(const struct log_reader *r, uint32_t at)
{
    return (uint32_t)(((uint64_t)at + log_place(r, at)->len) % r->log->len);
}

/* The run that begins at `at`; its number is 0 where none does. */
static struct log_run log_run_from(const struct log_reader *r, uint32_t at)
{
    struct log_run run = { .first = at, .end = at };
    uint64_t used = 0;
    bool has_tail = false;

    for (const struct log_place *place = log_place(r, at);
         place->len > 0 && (run.number == 0 || place->number == run.number + 1) &&
         place->len <= r->log->len - used;
         place = log_place(r, run.end)) {
        used += place->len;
        run.number = place->number;
        run.tail = place->tail;
        run.last = run.end;
        run.end = log_behind(r, run.end);
        run.entries++;
        if (used == r->log->len)
            break;
    }
    /* What the last one says must be the place of one of them. */
    for (uint32_t i = 0, place = run.first; i < run.entries; i++, place = log_behind(r, place))
        has_tail = has_tail || place == run.tail;
    if (!has_tail)
        run.number = 0;
    return run;
}

static enum err_code log_add(struct log_reader *r, const struct vhdx_change *change,
                             struct err *err)
{
    struct vhdx_log *log = r->log;

    if (log->count == VHDX_CHANGES_MAX)
        return log_refused(r, "there are too many", err);
    const enum err_code rc =
        grow_items(&log->items, log->count, &log->room, sizeof *log->items, err);
    if (rc != ERR_OK)
        return rc;
    log->items[log->count] = *change;
    if (change->bytes != NULL) {
        log->items[log->count].bytes = malloc(VHDX_LOG_SECTOR);
        if (log->items[log->count].bytes == NULL)
            return ERR_NO_MEMORY(err, VHDX_LOG_SECTOR);
        memcpy(log->items[log->count].bytes, change->bytes, VHDX_LOG_SECTOR);
    }
    log->count++;
    return ERR_OK;
}

/* The changes of the entry in r->entry. */
static enum err_code log_take(struct log_reader *r, struct err *err)
{
    const uint32_t count = bytes_u32le(r->entry + LOG_AT_COUNT);
    uint8_t *sector =
        r->entry + (LOG_HEAD_LEN + (size_t)count * LOG_CHANGE_LEN + VHDX_LOG_SECTOR - 1) /
                       VHDX_LOG_SECTOR * VHDX_LOG_SECTOR;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const uint8_t *item = r->entry + LOG_HEAD_LEN + (size_t)i * LOG_CHANGE_LEN;
        struct vhdx_change change = { .at = bytes_u64le(item + LOG_CHANGE_AT),
                                      .len = VHDX_LOG_SECTOR };

        if (memcmp(item, "zero", 4) == 0) {
            change.len = bytes_u64le(item + LOG_CHANGE_AT_HEAD);
        } else {
            memcpy(sector, item + LOG_CHANGE_AT_HEAD, LOG_SECTOR_HEAD);
            memcpy(sector + VHDX_LOG_SECTOR - LOG_SECTOR_TAIL, item + LOG_CHANGE_AT_TAIL,
                   LOG_SECTOR_TAIL);
            change.bytes = sector;
            sector += VHDX_LOG_SECTOR;
        }
        if (change.at > INT64_MAX || change.len > INT64_MAX - change.at)
            return log_refused(r, "one leads out of any file", err);
        rc = log_add(r, &change, err);
    }
    return rc;
}

/* Takes the entries of a run from the first one that may be to be made. */
static enum err_code log_take_run(struct log_reader *r, const struct log_run *run,
                                  uint64_t file_size, struct err *err)
{
    uint32_t at = run->tail;
    bool is_last = false;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !is_last) {
        is_last = at == run->last;
        log_copy(r, at, log_place(r, at)->len, r->entry);
        rc = log_take(r, err);
        r->log->entries++;
        if (rc == ERR_OK && is_last && bytes_u64le(r->entry + LOG_AT_FLUSHED) > file_size)
            rc = log_refused(r, "the file is cut short", err);
        if (is_last)
            r->log->file_size = bytes_u64le(r->entry + LOG_AT_LAST);
        at = log_behind(r, at);
    }
    return rc;
}

/* Finds the run with the highest number; *any: the log has entries of the disk's last use. */
static struct log_run log_find(struct log_reader *r, bool *any)
{
    struct log_run best = { 0 };

    *any = false;
    for (uint32_t at = 0; at < r->log->len; at += VHDX_LOG_SECTOR) {
        r->places[at / VHDX_LOG_SECTOR] = log_look(r, at);
        *any = *any || log_begins(r, at);
    }
    for (uint32_t at = 0; at < r->log->len;) {
        const struct log_run run = log_run_from(r, at);

        if (run.number > best.number)
            best = run;
        /* The next one begins where a run ends; one that goes round the ring is the last. */
        if (run.number != 0 && run.end <= at)
            break;
        at = run.number != 0 ? run.end : at + VHDX_LOG_SECTOR;
    }
    return best;
}

static enum err_code log_read(struct log_reader *r, uint64_t file_size, struct err *err)
{
    struct vhdx_log *log = r->log;
    bool any = false;
    enum err_code rc = io_pieces_load(r->pieces, 0, log->at, r->bytes, log->len, "the log", err);

    if (rc != ERR_OK)
        return rc;
    const struct log_run run = log_find(r, &any);
    if (r->damaged)
        return log_refused(r, "an entry is damaged", err);
    if (run.number == 0)
        return any ? log_refused(r, "none of them is whole", err) : ERR_OK;
    for (uint32_t at = 0; at < log->len; at += VHDX_LOG_SECTOR) {
        if (log_place(r, at)->number > run.number)
            return log_refused(r, "an entry in front of a whole one is missing or damaged", err);
        log->incomplete =
            log->incomplete ||
            (log_begins(r, at) && bytes_u64le(r->bytes + at + LOG_AT_NUMBER) > run.number);
    }
    return log_take_run(r, &run, file_size, err);
}

enum err_code io_vhdx_log_read(const struct io_pieces *pieces, const char *path, uint64_t file_size,
                               struct vhdx_log *log, struct err *err)
{
    struct log_reader r = { .pieces = pieces, .path = path, .log = log };
    enum err_code rc;

    log->items = NULL;
    log->count = log->entries = 0;
    log->room = 0;
    log->file_size = file_size;
    r.bytes = malloc(log->len + (size_t)1);
    r.entry = malloc(log->len + (size_t)1);
    r.places = calloc(log->len / VHDX_LOG_SECTOR + (size_t)1, sizeof *r.places);
    if (r.bytes == NULL || r.entry == NULL || r.places == NULL)
        rc = ERR_NO_MEMORY(err, log->len);
    else
        rc = log_read(&r, file_size, err);
    free(r.bytes);
    free(r.entry);
    free(r.places);
    return rc;
}

void io_vhdx_log_make(const void *arg, uint64_t at, uint8_t *bytes, size_t len)
{
    const struct vhdx_log *log = arg;

    for (uint32_t i = 0; i < log->count; i++) {
        const struct vhdx_change *change = &log->items[i];
        const uint64_t from = change->at > at ? change->at : at,
                       to = change->at + change->len < at + len ? change->at + change->len
                                                                : at + len;

        if (from >= to)
            continue;
        if (change->bytes == NULL)
            memset(bytes + (from - at), 0, (size_t)(to - from));
        else
            memcpy(bytes + (from - at), change->bytes + (from - change->at), (size_t)(to - from));
    }
}

void io_vhdx_log_release(struct vhdx_log *log)
{
    for (uint32_t i = 0; i < log->count; i++)
        free(log->items[i].bytes);
    free(log->items);
    log->items = NULL;
    log->count = 0;
}
