/* SPDX-License-Identifier: Apache-2.0
 * tests/carver/plan/test_plan.c - what the planner decides does not depend on how the scan was cut,
 * and stays near-linear.
 *
 * Method: made-up signatures whose validators stay open for a long time and claim headers, over
 * random images with far more headers than may be open at a time; the rows of a scan in one part
 * are compared with those of scans in parts of many lengths, by one thread or several. The CRC of
 * each object is that of its bytes. Without planning again what was planned apart, the rows differ.
 * Labels: slow
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "carver/scan/pipeline.h"
#include "signatures/crc64.h"
#include "tests/asan.h"
#include "tests/carver/run_fixture.h"

enum {
    IMAGE_LEN = 70000,
    ROWS = 100000,
    UNPACKED = 300 /* bytes that each byte of `unpacks` gives: more than two such files may share */
};

/*
 * Calls of the validator of `plain`: the work, measured without a clock. Its objects may be run by
 * any thread.
 */
static _Atomic uint64_t plain_calls;

static void count_call(const struct sig *sig);

/* memcmp, which a sanitizer looks into, would be two fifths of what this test takes. */
static bool is_word(const uint8_t *p, const char *word)
{
    return p[0] == (uint8_t)word[0] && p[1] == (uint8_t)word[1];
}

/* "HD" ... "EN": complete at the first "EN"; "CL" claims the place 2 bytes behind it; "BR" breaks.
 * Reads 1000 bytes at a time. */
static struct sig_result chain_check(struct sig_input *in, void *state)
{
    uint64_t *at = state;

    count_call(in->sig);
    if (*at == 0)
        *at = 2;
    for (;;) {
        const uint8_t *p = sig_bytes(in, *at, 2);

        if (p == NULL)
            return sig_short(in);
        sig_valid(in, *at);
        if (is_word(p, "EN"))
            return sig_complete(in, *at + 2, "EN");
        if (is_word(p, "BR"))
            return sig_breaks(in, "BR");
        if (is_word(p, "CL") && (in->sig->flags & SIG_CLAIMS) != 0) {
            if (sig_claims_full(in))
                return sig_again(in);
            sig_claim(in, *at + 2);
        }
        if ((in->sig->flags & SIG_UNPACKS) != 0 && !sig_unpacked(in, *at, UNPACKED))
            return sig_reject("not taken");
        ++*at;
    }
}

static const struct sig_type chain_types[] = { { "chain", "ch" }, { NULL, NULL } };
static const struct sig chain = { .name = "chain",
                                  .types = chain_types,
                                  .headers = { SIG_PATTERN("HD") },
                                  .size_min = 4,
                                  .size_max = 50000,
                                  .state_size = sizeof(uint64_t),
                                  .flags = SIG_CONTAINER | SIG_CLAIMS,
                                  .check = chain_check };
/* The same without claims: such objects are read by several threads, and may lag behind the hits.
 */
static const struct sig plain = { .name = "plain",
                                  .types = chain_types,
                                  .headers = { SIG_PATTERN("HD") },
                                  .size_min = 4,
                                  .size_max = 50000,
                                  .state_size = sizeof(uint64_t),
                                  .check = chain_check };
static void count_call(const struct sig *sig)
{
    plain_calls += sig == &plain;
}

static const struct sig rule = { .name = "rule",
                                 .types = chain_types,
                                 .headers = { SIG_PATTERN("HD") },
                                 .footer = SIG_PATTERN("EN"),
                                 .size_max = 3000,
                                 .mode = SIG_REVERSE };
/* And a stream: no object of it begins inside an earlier one. */
static const struct sig_type stream_types[] = { { "stream", "st" }, { NULL, NULL } };
static const struct sig stream = { .name = "stream",
                                   .types = stream_types,
                                   .headers = { SIG_PATTERN("HD") },
                                   .size_min = 4,
                                   .size_max = 50000,
                                   .state_size = sizeof(uint64_t),
                                   .flags = SIG_STREAM,
                                   .check = chain_check };
/* And one whose bytes unpack to more. */
static const struct sig unpacks = { .name = "unpacks",
                                    .types = chain_types,
                                    .headers = { SIG_PATTERN("HD") },
                                    .size_min = 4,
                                    .size_max = 50000,
                                    .state_size = sizeof(uint64_t),
                                    .flags = SIG_UNPACKS,
                                    .open_max = 40,
                                    .check = chain_check };
static const struct sig *const sigs[] = { &chain, &rule, &plain, &stream, &unpacks };
enum { SIGS = sizeof sigs / sizeof sigs[0] };

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Mostly filler, with the words that chain_check knows; rare "EN" keeps many objects open. */
static void make_image(uint8_t *image, uint64_t seed, uint32_t rare)
{
    memset(image, '.', IMAGE_LEN);
    for (uint32_t at = 0; at + 40 < IMAGE_LEN; at += 2 + (uint32_t)(next_random(&seed) % 30)) {
        const uint64_t what = next_random(&seed) % (rare + 12);

        memcpy(image + at, what == 0 ? "EN" : what == 1 ? "BR" : what < 4 ? "CL" : "HD", 2);
    }
}

struct row {
    int64_t id;
    uint64_t offset, len;
    bool stream;
    char state[12], reason[RECORD_REASON];
};

/* How to go through the image. */
struct cut {
    uint64_t part_len, seed;
    uint32_t threads, segment_len;
    bool trusts;
    uint32_t
        stops; /* the scan is stopped after some parts, up to so many, and goes on; 0: it is not */
};

static void make_case(const char *path, struct db_case **db, int64_t *image_id, int64_t *run_id)
{
    struct err err = { 0 };
    int64_t id;

    assert_int_equal(db_case_create(path, false, db, &err), ERR_OK);
    assert_int_equal(db_begin(*db, &err), ERR_OK);
    fixture_run(*db, IMAGE_LEN, image_id, run_id);
    for (uint32_t i = 0; i < SIGS; i++)
        assert_int_equal(db_signature_add(*db,
                                          &(struct db_signature){ .run_id = *run_id,
                                                                  .number = i,
                                                                  .name = sigs[i]->name,
                                                                  .kind = "validator",
                                                                  .origin = "test",
                                                                  .header = "HD",
                                                                  .size_max = 1 },
                                          &id, &err),
                         ERR_OK);
    assert_int_equal(db_commit(*db, &err), ERR_OK);
}

static uint32_t read_rows(struct db_case *db, int64_t image_id, const uint8_t *image,
                          struct row *rows)
{
    struct db_object_cursor *cursor;
    struct db_object object;
    struct err err = { 0 };
    uint32_t count = 0;
    bool found;

    assert_int_equal(db_objects_open(db, image_id, &cursor, &err), ERR_OK);
    while (db_objects_next(cursor, &found, &object, &err) == ERR_OK && found) {
        assert_true(count < ROWS);
        assert_true(object.has_crc64);
        assert_int_equal(object.crc64, crc64_add(0, image + object.offset, object.len));
        rows[count] = (struct row){ .id = object.id, .offset = object.offset, .len = object.len };
        rows[count].stream = strcmp(object.type, "stream") == 0;
        snprintf(rows[count].state, sizeof rows[count].state, "%s", object.state);
        snprintf(rows[count++].reason, RECORD_REASON, "%s", object.reason);
    }
    db_objects_close(cursor);
    return count;
}

/* Stops a scan after some of its parts. */
struct stopping {
    uint32_t left; /* 0: never */
};

static bool stop_some_time(void *arg, uint64_t bytes_done, const struct record *record)
{
    struct stopping *stopping = arg;

    (void)bytes_done;
    (void)record;
    return stopping->left > 0 && --stopping->left == 0;
}

struct from {
    struct pipeline_from from;
    struct sums_chain_part parts[IMAGE_LEN / 4096];
    uint64_t position;
};

static enum err_code add_part(void *arg, const struct db_part *part, struct err *err)
{
    struct from *from = arg;

    (void)err;
    assert_true(part->has_crc64 && from->from.part_count < IMAGE_LEN / 4096);
    from->parts[from->from.part_count++] = (struct sums_chain_part){ part->offset, part->crc64 };
    return ERR_OK;
}

/* What the case file has of the scan so far. */
static void load_from(struct db_case *db, int64_t run_id, struct from *out)
{
    struct err err = { 0 };

    *out = (struct from){ 0 };
    assert_int_equal(
        db_state_get(db, run_id, &out->position, &out->from.state, &out->from.len, &err), ERR_OK);
    assert_int_equal(db_parts_walk(db, run_id, 0, add_part, out, &err), ERR_OK);
    out->from.parts = out->parts;
}

/* Scans the image, or the rest of it; returns whether it came to the end. */
static bool plan_run(struct db_case *db, const struct record_rows *rows, struct io_image *source,
                     const struct patterns *patterns, const struct cut *cut, uint32_t left,
                     struct pipeline_totals *totals)
{
    struct stopping stopping = { .left = left };
    struct pipeline *pipeline;
    struct record *record;
    struct from from;
    struct err err = { 0 };
    const struct scan_how how = { .threads = cut->threads,
                                  .segment_len = cut->segment_len,
                                  .part_len = cut->part_len,
                                  .part_seed = cut->seed };
    const struct scan_job job = {
        .how = &how,
        .trusts = cut->trusts,
        .resumable = cut->stops > 0,
        .plan = { .sigs = sigs, .sig_count = SIGS, .patterns = patterns, .align = 1 }
    };
    const struct io_range whole = { 0, IMAGE_LEN };

    load_from(db, rows->run_id, &from);
    assert_int_equal(record_open(db, rows, &record, &err), ERR_OK);
    const struct pipeline_image on = { .image = source,
                                       .whole = whole,
                                       .ranges = &whole,
                                       .range_count = 1,
                                       .from = from.from.state != NULL ? &from.from : NULL,
                                       .record = record,
                                       .tick = stop_some_time,
                                       .arg = &stopping };
    assert_int_equal(pipeline_begin(&job, &pipeline, &err), ERR_OK);
    const enum err_code rc = pipeline_run(pipeline, &on, totals, &err);
    if (rc != ERR_OK && rc != ERR_INTERRUPTED)
        fail_msg("%s", err.text);
    pipeline_end(pipeline);
    assert_int_equal(record_end(record, totals->torn, &err), ERR_OK);
    assert_int_equal(db_commit(db, &err), ERR_OK);
    record_close(record);
    free(from.from.state);
    return rc == ERR_OK;
}

/* Scans the image; returns the objects in order of offset and id. */
static uint32_t plan_rows(const uint8_t *image, const struct cut *cut, struct row *rows,
                          struct pipeline_totals *totals)
{
    char path[] = "/tmp/test_plan_XXXXXX";
    const int64_t ids[SIGS] = { 1, 2, 3, 4, 5 };
    struct patterns patterns;
    struct io_image *source;
    struct db_case *db;
    int64_t image_id, run_id;
    struct err err = { 0 };
    uint32_t runs = 1;

    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    make_case(path, &db, &image_id, &run_id);
    assert_int_equal(patterns_build(sigs, SIGS, &patterns, &err), ERR_OK);
    assert_int_equal(io_image_open_memory(image, IMAGE_LEN, &source, &err), ERR_OK);
    const struct record_rows of = {
        .image_id = image_id, .run_id = run_id, .scan_id = run_id, .signature_ids = ids
    };
    for (uint32_t seed = cut->stops; !plan_run(db, &of, source, &patterns, cut,
                                               cut->stops > 0 ? 1 + seed % cut->stops : 0, totals);
         seed = seed * 1103515245 + 12345)
        runs++;
    if (cut->stops > 0)
        if (runs < 2)
            fail_msg("only %u runs", runs);
    assert_int_equal(totals->bytes, IMAGE_LEN);
    const uint32_t count = read_rows(db, image_id, image, rows);
    patterns_release(&patterns);
    io_image_close(source);
    db_case_close(db);
    assert_int_equal(unlink(path), 0);
    return count;
}

static int by_offset(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

static void assert_streams_apart(const struct row *rows, uint32_t count)
{
    struct row *sorted = malloc(count * sizeof *rows);
    uint64_t end = 0;
    uint32_t streams = 0;

    memcpy(sorted, rows, count * sizeof *rows);
    qsort(sorted, count, sizeof *rows, by_offset);
    for (uint32_t i = 0; i < count; i++)
        if (sorted[i].stream) {
            assert_true(sorted[i].offset >= end);
            end = sorted[i].offset + sorted[i].len;
            if (strcmp(sorted[i].state, "complete") != 0)
                end -= end % 512; /* where it broke, another file may begin */
            streams++;
        }
    assert_true(streams > 1);
    free(sorted);
}

/* Whether two scans gave the same rows; says which one differs first. */
static bool rows_equal(const struct row *a, uint32_t a_count, const struct row *b, uint32_t b_count,
                       bool tell)
{
    for (uint32_t k = 0; k < a_count && k < b_count; k++)
        if (a[k].id != b[k].id || a[k].offset != b[k].offset || a[k].len != b[k].len ||
            strcmp(a[k].state, b[k].state) != 0 || strcmp(a[k].reason, b[k].reason) != 0) {
            if (tell)
                print_error("object %u: id %" PRId64 " at %" PRIu64 ", %" PRIu64 " bytes (%s), and "
                            "id %" PRId64 " at %" PRIu64 ", %" PRIu64 " bytes (%s)\n",
                            k, a[k].id, a[k].offset, a[k].len, a[k].reason, b[k].id, b[k].offset,
                            b[k].len, b[k].reason);
            return false;
        }
    if (tell && a_count != b_count)
        print_error("%u objects, and %u\n", a_count, b_count);
    return a_count == b_count;
}

static void the_rows_do_not_depend_on_the_cuts(void **state)
{
    static const struct cut cuts[] = {
        { 4096, 0, 2, 65536, false, 0 },  { 8192, 0, 1, 131072, false, 0 },
        { 40960, 1, 3, 65536, false, 0 }, { 20480, 2, 7, 65536, false, 0 },
        { 20480, 3, 1, 65536, false, 0 }, { 61440, 0, 16, 65536, false, 0 },
        { 4096, 0, 1, 65536, false, 3 },  { 8192, 4, 1, 65536, false, 2 },
    };
    static const uint32_t rare[] = { 20, 2000, 5 };
    const uint64_t seeds = ASAN_OR_ALL(2, 3);
    static uint8_t image[IMAGE_LEN];
    static struct row whole[ROWS], cut[ROWS];
    struct pipeline_totals whole_totals, totals;
    uint64_t evicted = 0, claimed = 0, cut_short = 0, again_one = 0, again_all = 0;
    uint32_t unlike = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        make_image(image, seed, rare[seed - 1]);
        const struct cut once = { .part_len = 1 << 20, .threads = 1, .segment_len = 65536 };
        const uint32_t count = plan_rows(image, &once, whole, &whole_totals);

        assert_true(count > 100);
        assert_streams_apart(whole, count);
        evicted += whole_totals.plan.evicted;
        claimed += whole_totals.plan.claimed;
        cut_short += whole_totals.plan.cut - whole_totals.plan.evicted;
        /* 1040 bytes for each byte of the image, times 1 + 1/4 + 1/9 + ... */
        assert_in_range(whole_totals.plan.unpacked, IMAGE_LEN, UINT64_C(1711) * IMAGE_LEN);
        for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
            /* Each run makes all its threads and tables anew. */
            if (seed > 1 && (cuts[i].stops > 0 || i % 2 >= FEW_OR_ALL(1, 1, 2)))
                continue;
            struct cut trusting = cuts[i];
            uint32_t cut_count = plan_rows(image, &cuts[i], cut, &totals);

            if (!rows_equal(whole, count, cut, cut_count, true))
                fail_msg("seed %" PRIu64 ", cut %zu", seed, i);
            again_one += totals.again_one;
            again_all += totals.again_all;
            if (i % 2 == 1 || cuts[i].stops > 0)
                continue;
            trusting.trusts = true;
            cut_count = plan_rows(image, &trusting, cut, &totals);
            unlike += !rows_equal(whole, count, cut, cut_count, false);
        }
    }
    /* or the test shows nothing */
    assert_true(evicted > 0 && claimed > 0 && cut_short > 0);
    assert_true(again_one > 0 && again_all > 0);
    assert_true(unlike > 4);
}

/*
 * Each header of a signature that has PLAN_OPEN_MAX open objects must not run all of them: some
 * validators read from their start again each time. An object is run with each PLAN_ROUND-th header
 * until it is ended, and at the end of the image.
 */
static void many_open_objects_are_run_seldom(void **state)
{
    static uint8_t image[IMAGE_LEN];
    static struct row rows[ROWS];
    const struct cut once = { .part_len = 1 << 20, .threads = 1, .segment_len = 65536 };
    struct pipeline_totals totals;

    (void)state;
    memset(image, '.', IMAGE_LEN);
    for (uint32_t at = 0; at + 16 < IMAGE_LEN; at += 16)
        memcpy(image + at, "HD", 2);
    plain_calls = 0;
    plan_rows(image, &once, rows, &totals);
    const uint64_t headers = IMAGE_LEN / 16;
    if (plain_calls > (PLAN_OPEN_MAX / PLAN_ROUND + 2) * headers)
        fail_msg("%" PRIu64 " calls for %" PRIu64 " headers", plain_calls, headers);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_rows_do_not_depend_on_the_cuts),
                                        cmocka_unit_test(many_open_objects_are_run_seldom) };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
