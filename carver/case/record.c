/* SPDX-License-Identifier: Apache-2.0
 * carver/case/record.c - see record.h. What the thread behind it does is in record_rows.c. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/object_name.h"
#include "carver/case/record_places.h"
#include "carver/case/record_writer.h"

#define RECORD_COMMIT_MAX_NS UINT64_C(5000000000)

_Static_assert((int)RECORD_NAME_MAX == (int)OBJECT_NAME_MAX, "a name has room");
_Static_assert((int)SIG_NAME_MAX == (int)OBJECT_NAME_WORD, "a type's name is kept whole");

enum {
    RECORD_COMMIT_MIN_NS = 50000000, /* between commits, at least, */
    RECORD_COMMIT_SHARE = 20,        /* or so many times as long as the last one took */
};

struct record {
    struct record_rows rows;
    struct record_batch batches[RECORD_BATCHES];
    uint32_t opened;           /* of them: more, when the writer has all of these */
    struct record_batch *fill; /* one of them; the others are at the writer, or empty */
    struct record_writer *writer;
    struct db_seal_ahead *ahead; /* of the hits; NULL: the seal will read them */
    struct db_case *db;          /* the writer's until record_end */
    int64_t last_hit_id;
    struct record_totals totals;
    struct record_places places;
    struct record_heads heads;
    struct db_bad_range bad; /* the last one so far; len 0: none */
    enum io_bad_source bad_source;
    uint64_t bad_put;      /* its first bytes that were put into a batch */
    uint64_t position;     /* image offset: the end of the last part */
    uint64_t committed_ns; /* monotonic time of the last commit */
    uint64_t took_ns;      /* that one commit took, of late */
    bool last;             /* all has gone to the writer */
};

void record_name(char out[RECORD_NAME_MAX], const struct sig_type *type, uint64_t offset)
{
    object_name(out, type->name, type->extension, offset);
}

enum err_code record_open(struct db_case *db, const struct record_rows *rows, struct record **out,
                          struct err *err)
{
    struct record *record = calloc(1, sizeof *record);
    enum err_code rc = ERR_OK;

    *out = NULL;
    if (record == NULL)
        return ERR_NO_MEMORY(err, sizeof *record);
    record->rows = *rows;
    record->position = rows->position;
    record->fill = &record->batches[record->opened++];
    rc = record_batch_open(record->fill, err);
    if (rc == ERR_OK)
        rc = db_hit_last_id(db, &record->last_hit_id, err);
    record->rows.first_hit_id = record->last_hit_id + 1;
    record->db = db;
    if (rc == ERR_OK && !rows->linked)
        record->ahead = db_seal_ahead_take(db, record->rows.first_hit_id);
    record->heads.lost = !rows->headers;
    if (rc == ERR_OK)
        rc = record_places_open(db, rows, &record->places, err);
    if (rc == ERR_OK)
        rc = db_begin(db, err);
    if (rc == ERR_OK)
        rc = record_writer_open(db, &record->rows, &record->writer, err);
    record->committed_ns = clock_now(CLOCK_MONOTONIC);
    if (rc == ERR_OK)
        *out = record;
    else
        record_close(record);
    return rc;
}

void record_close(struct record *record)
{
    if (record == NULL)
        return;
    record_writer_close(record->writer);
    for (uint32_t i = 0; i < record->opened; i++)
        record_batch_close(&record->batches[i]);
    record_places_release(&record->places);
    record_heads_release(&record->heads);
    db_seal_ahead_close(record->ahead);
    free(record);
}

int64_t record_image_id(const struct record *record)
{
    return record->rows.image_id;
}

const struct db_place *record_places(struct record *record, uint32_t *count)
{
    return record_places_sorted(&record->places, count);
}

const struct record_header *record_headers(const struct record *record, uint32_t *count)
{
    *count = record->heads.count;
    return record->heads.lost ? NULL : record->heads.items;
}

const struct record_totals *record_totals(const struct record *record)
{
    return &record->totals;
}

/* How long after a commit the next one comes: soon where the disk is quick. */
static uint64_t record_apart(uint64_t commit_ns)
{
    const uint64_t apart =
        commit_ns < RECORD_COMMIT_MAX_NS ? commit_ns * RECORD_COMMIT_SHARE : RECORD_COMMIT_MAX_NS;

    return apart < RECORD_COMMIT_MIN_NS   ? RECORD_COMMIT_MIN_NS
           : apart < RECORD_COMMIT_MAX_NS ? apart
                                          : RECORD_COMMIT_MAX_NS;
}

/* A batch to fill: the one that was written last, which the cache still has, or a new one. Where
 * there is no room for that, the writer is waited for. */
static enum err_code record_next(struct record *record, struct err *err)
{
    struct record_batch *next = record_writer_take(record->writer);
    enum err_code rc = ERR_OK;

    if (next == NULL && record->opened < RECORD_BATCHES) {
        next = &record->batches[record->opened];
        if (record_batch_open(next, NULL) == ERR_OK) {
            record->opened++;
        } else {
            record_batch_close(next);
            next = NULL;
        }
    }
    if (next == NULL) {
        rc = record_writer_wait(record->writer, err);
        next = record_writer_take(record->writer);
    }
    record->fill = next;
    return rc;
}

/* The batch that fills goes to the writer, and the next one fills. */
static enum err_code record_flush(struct record *record, struct err *err)
{
    record->fill->last_hit_id = record->last_hit_id;
    db_seal_ahead_add(record->ahead, record->fill->hits, record->fill->hit_count);
    const enum err_code rc = record_writer_put(record->writer, record->fill, err);
    const enum err_code late = record_next(record, rc == ERR_OK ? err : NULL);

    return rc != ERR_OK ? rc : late;
}

enum err_code record_hit(struct record *record, uint32_t row, uint64_t offset, uint32_t len,
                         bool footer, int64_t *id, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (record->fill->hit_count == RECORD_HITS)
        rc = record_flush(record, err);
    if (rc != ERR_OK)
        return rc;
    *id = ++record->last_hit_id;
    record->totals.hits++;
    if (!footer)
        record_heads_add(&record->heads, &(struct record_header){ *id, offset, row });
    if (record->rows.linked)
        return ERR_OK;
    record->fill->hits[record->fill->hit_count++] =
        (struct db_hit){ .id = *id,
                         .image_id = record->rows.image_id,
                         .signature_id = record->rows.signature_ids[row],
                         .offset = offset,
                         .len = len,
                         .footer = footer };
    return ERR_OK;
}

enum err_code record_object(struct record *record, const struct record_object *object,
                            const struct pack *facts, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (record->fill->object_count == RECORD_OBJECTS || record->fill->facts.len >= RECORD_FACTS)
        rc = record_flush(record, err);
    if (rc != ERR_OK)
        return rc;
    record->totals.objects++;
    record_places_add(&record->places,
                      &(struct db_place){ .id = object->hit_id,
                                          .signature_id = record->rows.signature_ids[object->sig],
                                          .offset = object->offset,
                                          .len = object->len,
                                          .validated = object->validated,
                                          .proven = object->proven,
                                          .container = object->container,
                                          .complete = strcmp(object->state, "complete") == 0,
                                          .slack = object->slack });
    struct record_batch *fill = record->fill;
    struct record_object *row = &fill->objects[fill->object_count++];
    *row = *object;
    row->facts = facts != NULL ? fact_pack_copy(&fill->facts, facts, object->facts)
                               : (struct fact_place){ 0 };
    return fill->facts.failed ? ERR_NO_MEMORY(err, object->facts.len) : ERR_OK;
}

bool record_hits_stay(struct record *record, uint32_t count, int64_t *first)
{
    if (!record->rows.linked || !record->heads.lost)
        return false;
    *first = record->last_hit_id + 1;
    record->last_hit_id += count;
    record->totals.hits += count;
    return true;
}

void record_object_stays(struct record *record, uint32_t sig, const struct db_place *place)
{
    struct db_place one = *place;

    one.signature_id = record->rows.signature_ids[sig];
    record->totals.objects++;
    record_places_add(&record->places, &one);
}

enum err_code record_crc64(struct record *record, int64_t hit_id, uint64_t crc64, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (record->fill->sum_count == RECORD_SUMS)
        rc = record_flush(record, err);
    if (rc == ERR_OK)
        record->fill->sums[record->fill->sum_count++] = (struct record_sum){ hit_id, crc64 };
    return rc;
}

/* Makes sure that the batch that fills has room for one more of its asides. */
static enum err_code record_room(struct record *record, struct err *err)
{
    return record->fill->aside_count == RECORD_ASIDES ? record_flush(record, err) : ERR_OK;
}

static enum err_code record_aside(struct record *record, const struct record_aside *aside,
                                  struct err *err)
{
    const enum err_code rc = record_room(record, err);

    if (rc == ERR_OK)
        record->fill->asides[record->fill->aside_count++] = *aside;
    return rc;
}

static enum err_code record_log(struct record *record, const char *kind, const char *text,
                                struct err *err)
{
    const enum err_code rc = record_room(record, err);

    if (rc != ERR_OK)
        return rc;
    struct record_aside *aside = &record->fill->asides[record->fill->aside_count];
    *aside =
        (struct record_aside){ .kind = RECORD_LOG, .log = { .kind = kind, .text = strdup(text) } };
    if (aside->log.text == NULL)
        return ERR_NO_MEMORY(err, strlen(text));
    record->fill->aside_count++;
    return ERR_OK;
}

enum err_code record_note(struct record *record, const char *text, struct err *err)
{
    return record_log(record, "note", text, err);
}

/* What is new of the open bad range becomes a row, or lengthens its row. */
static enum err_code record_put_bad(struct record *record, struct err *err)
{
    struct record_aside aside = { .kind = RECORD_BAD_RANGE, .bad = record->bad };

    aside.bad.offset += record->bad_put;
    aside.bad.len -= record->bad_put;
    if (aside.bad.len == 0)
        return ERR_OK;
    record->bad_put = record->bad.len;
    return record_aside(record, &aside, err);
}

/* Nothing more belongs to the open bad range: now the log can tell of it. */
static enum err_code record_end_bad(struct record *record, struct err *err)
{
    const struct db_bad_range *bad = &record->bad;
    const bool unread = record->bad_source == IO_BAD_ACQUISITION,
               left_out = record->bad_source == IO_BAD_LEFT_OUT;
    const char *why = bad->cause != 0 ? strerror(bad->cause)
                      : unread        ? "they were not read when the image was made"
                      : left_out      ? "they were left out when the image was made"
                                      : "no cause given";
    const bool tell = record->bad_source != IO_BAD_MAPFILE; /* the map is on record as a whole */
    char text[200];
    enum err_code rc = ERR_OK;

    if (bad->len == 0)
        return ERR_OK;
    snprintf(text, sizeof text,
             "%" PRIu64 " bytes at offset %" PRIu64
             " could not be read (%s: %s); zeros stand for them",
             bad->len, bad->offset, bad->source, why);
    rc = record_put_bad(record, err);
    record->bad = (struct db_bad_range){ 0 };
    record->bad_put = 0;
    return rc == ERR_OK && tell ? record_log(record, "read-error", text, err) : rc;
}

enum err_code record_bad_range(struct record *record, const struct io_bad_range *range,
                               struct err *err)
{
    const char *source = io_bad_source_name(range->source);
    struct db_bad_range *bad = &record->bad;
    enum err_code rc = ERR_OK;

    record->totals.bad_bytes += range->len;
    record->totals.failed_bytes += range->source == IO_BAD_READ ? range->len : 0;
    if (bad->len > 0 && bad->offset + bad->len == range->offset && bad->cause == range->cause &&
        strcmp(bad->source, source) == 0 && bad->status == range->status) {
        bad->len += range->len;
        return ERR_OK;
    }
    rc = record_end_bad(record, err);
    record->totals.bad_ranges++;
    *bad = (struct db_bad_range){ .image_id = record->rows.image_id,
                                  .offset = range->offset,
                                  .len = range->len,
                                  .cause = range->cause,
                                  .source = source,
                                  .status = range->status };
    record->bad_source = range->source;
    return rc;
}

enum err_code record_known_run(struct record *record, const struct db_known_run *run,
                               struct err *err)
{
    struct record_aside aside = { .kind = RECORD_KNOWN_RUN, .known = { .run = *run } };

    snprintf(aside.known.digest, sizeof aside.known.digest, "%s", run->digest);
    aside.known.run.image_id = record->rows.image_id;
    aside.known.run.digest = NULL;
    return record_aside(record, &aside, err);
}

enum err_code record_link(struct record *record, const struct db_linked *linked, struct err *err)
{
    struct record_aside aside = { .kind = RECORD_LINK, .link = { .row = *linked } };
    uint8_t *left_out = NULL;

    if (linked->left_out_len > 0) {
        left_out = malloc(linked->left_out_len);
        if (left_out == NULL)
            return ERR_NO_MEMORY(err, linked->left_out_len);
        memcpy(left_out, linked->left_out, linked->left_out_len);
    }
    snprintf(aside.link.sha256, sizeof aside.link.sha256, "%s", linked->sha256);
    aside.link.row.run_id = record->rows.run_id;
    aside.link.row.sha256 = NULL;
    aside.link.row.left_out = left_out;
    const enum err_code rc = record_aside(record, &aside, err);

    if (rc != ERR_OK)
        free(left_out);
    return rc;
}

enum err_code record_part(struct record *record, const struct db_part *part, struct err *err)
{
    record->position = part->offset + part->len;
    return record_aside(record, &(struct record_aside){ .kind = RECORD_PART, .part = *part }, err);
}

enum err_code record_leaves(struct record *record, uint8_t *leaves, uint64_t first, uint64_t count,
                            struct err *err)
{
    const struct record_aside aside = { .kind = RECORD_LEAVES, .leaves = { leaves, first, count } };
    const enum err_code rc = record_aside(record, &aside, err);

    if (rc != ERR_OK)
        free(leaves);
    return rc;
}

enum err_code record_text_spots(struct record *record, uint64_t at, const struct pack *spots,
                                struct err *err)
{
    struct record_aside aside = { .kind = RECORD_TEXT_SPOTS, .spots = { .at = at } };

    pack_bytes(&aside.spots.pack, spots->bytes, spots->len);
    const enum err_code rc = spots->failed || aside.spots.pack.failed
                                 ? ERR_NO_MEMORY(err, spots->len)
                                 : record_aside(record, &aside, err);

    if (rc != ERR_OK)
        pack_release(&aside.spots.pack);
    return rc;
}

uint64_t record_position(const struct record *record)
{
    return record->position;
}

bool record_due(struct record *record)
{
    return !record_writer_commits(record->writer, &record->took_ns) &&
           clock_now(CLOCK_MONOTONIC) - record->committed_ns >= record_apart(record->took_ns);
}

uint32_t record_waiting(struct record *record)
{
    return record_writer_waiting(record->writer);
}

static enum err_code record_flush_commit(struct record *record, const struct pack *state, bool fold,
                                         struct err *err)
{
    const enum err_code rc = record_put_bad(record, err);
    struct record_batch *batch = record->fill;

    if (rc != ERR_OK)
        return rc;
    batch->commit = true;
    batch->fold = fold;
    batch->position = record->position;
    if (state != NULL) {
        pack_bytes(&batch->state, state->bytes, state->len);
        if (batch->state.failed || state->failed)
            return ERR_NO_MEMORY(err, state->len);
    }
    record->committed_ns = clock_now(CLOCK_MONOTONIC);
    return record_flush(record, err);
}

enum err_code record_commit(struct record *record, const struct pack *state, struct err *err)
{
    return record_flush_commit(record, state, true, err);
}

void record_save(const struct record *record, struct pack *out)
{
    const struct record_totals *totals = &record->totals;
    const struct db_bad_range *bad = &record->bad;

    pack_number(out, record->position);
    pack_number(out, totals->hits);
    pack_number(out, totals->objects);
    pack_number(out, totals->bad_ranges);
    pack_number(out, totals->bad_bytes);
    pack_number(out, totals->failed_bytes);
    pack_number(out, bad->len);
    if (bad->len == 0)
        return;
    pack_number(out, bad->offset);
    pack_number(out, (uint64_t)bad->cause);
    pack_number(out, record->bad_source);
    pack_number(out, (uint8_t)bad->status);
}

void record_restore(struct record *record, struct unpack *in)
{
    struct record_totals *totals = &record->totals;
    struct db_bad_range *bad = &record->bad;

    record_heads_release(&record->heads); /* those before are in the case file alone */
    record->position = unpack_number(in, INT64_MAX);
    totals->hits = unpack_number(in, INT64_MAX);
    totals->objects = unpack_number(in, INT64_MAX);
    totals->bad_ranges = unpack_number(in, INT64_MAX);
    totals->bad_bytes = unpack_number(in, UINT64_MAX);
    totals->failed_bytes = unpack_number(in, UINT64_MAX);
    *bad = (struct db_bad_range){ .image_id = record->rows.image_id,
                                  .len = unpack_number(in, INT64_MAX) };
    if (bad->len == 0)
        return;
    bad->offset = unpack_number(in, INT64_MAX - bad->len);
    bad->cause = (int)unpack_number(in, INT32_MAX);
    record->bad_source = (enum io_bad_source)unpack_number(in, IO_BAD_LEFT_OUT);
    bad->source = io_bad_source_name(record->bad_source);
    bad->status = (char)unpack_number(in, INT8_MAX);
    record->bad_put = bad->len;
}

/* What was recorded since the last commit does not count. */
static enum err_code record_drop(struct record *record, struct err *err)
{
    record_batch_empty(record->fill);
    record->fill->drop = true;
    return record_flush(record, err);
}

enum err_code record_last(struct record *record, struct err *err)
{
    enum err_code rc = record->last ? ERR_OK : record_end_bad(record, err);

    if (rc == ERR_OK && !record->last)
        rc = record_flush_commit(record, NULL, false, err);
    record->last = true;
    return rc;
}

void record_then(struct record *record, record_then_fn then, void *arg)
{
    assert(record->last);
    record_writer_then(record->writer, then, arg);
}

enum err_code record_written(struct record *record, struct err *err)
{
    assert(record->last);
    return record_writer_wait(record->writer, err);
}

enum err_code record_end(struct record *record, bool torn, struct err *err)
{
    enum err_code rc = torn ? record_drop(record, err) : record_last(record, err);

    if (rc == ERR_OK)
        rc = record_writer_wait(record->writer, err);
    record_writer_close(record->writer);
    record->writer = NULL;
    if (rc == ERR_OK && !torn) {
        db_seal_ahead_give(record->db, record->ahead);
        record->ahead = NULL;
    }
    return rc;
}
