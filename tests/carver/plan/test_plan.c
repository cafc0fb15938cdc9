/*
 * tests/carver/plan/test_plan.c - what the planner decides does not depend on how the scan was cut,
 * and stays near-linear.
 *
 * Method: a made-up signature whose validator stays open for a long time and claims headers, over
 * random images with far more headers than may be open at a time; the rows of a run in one piece
 * are compared with those of runs in pieces of many sizes. The CRC of each object is that of its
 * bytes; what is known of the image's lags behind the hits, so that many are recorded late.
 *
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

#include "carver/plan/plan.h"
#include "signatures/crc64.h"
#include "tests/carver/run_fixture.h"

enum {
    IMAGE_LEN = 150000,
    ROWS = 50000,
    UNPACKED = 300 /* bytes that each byte of `unpacks` gives: more than two such files may share */
};

/*
 * Calls of the validator of `plain`: the work, measured without a clock. Its objects may be run by
 * any thread.
 */
static _Atomic uint64_t plain_calls;

static void count_call(const struct sig *sig);

static bool is_word(const uint8_t *bytes, const char *word)
{
    return bytes[0] == (uint8_t)word[0] && bytes[1] == (uint8_t)word[1];
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

/* What has been read up to front, in whole steps before the end. */
static void collect_sums(struct sums *sums, const uint8_t *image, uint64_t front)
{
    struct err err = { 0 };

    while (sums_front(sums) + SUMS_STEP <= front ||
           (front == IMAGE_LEN && sums_front(sums) < front)) {
        const uint64_t at = sums_front(sums), left = front - at;
        const uint32_t len = left < SUMS_STEP ? (uint32_t)left : SUMS_STEP;

        sums_look(sums, 0, image + at, len);
        assert_int_equal(sums_collect(sums, 0, len, &err), ERR_OK);
    }
}

/* Runs the planner over the image in pieces; returns the objects in order of id and offset. */
static uint32_t plan_rows(const uint8_t *image, uint64_t seed, uint32_t piece, uint32_t threads,
                          struct row *rows, struct plan_totals *totals)
{
    char path[] = "/tmp/test_plan_XXXXXX";
    const int64_t ids[SIGS] = { 1, 2, 3, 4, 5 };
    struct patterns patterns;
    struct lookback lookback = { 0 };
    struct record *record;
    struct io_image *source;
    struct plan *plan;
    struct db_case *db;
    struct db_object_cursor *cursor;
    struct db_object object;
    uint32_t count = 0;
    int64_t image_id, run_id, id;
    bool found;
    static struct hit hits[4 * IMAGE_LEN];
    struct err err = { 0 };

    assert_true(close(mkstemp(path)) == 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(db_case_create(path, false, &db, &err), ERR_OK);
    assert_int_equal(db_begin(db, &err), ERR_OK);
    fixture_run(db, IMAGE_LEN, &image_id, &run_id);
    for (uint32_t i = 0; i < SIGS; i++)
        assert_int_equal(db_signature_add(db,
                                          &(struct db_signature){ .run_id = run_id,
                                                                  .number = i,
                                                                  .name = sigs[i]->name,
                                                                  .kind = "validator",
                                                                  .origin = "test",
                                                                  .header = "HD",
                                                                  .size_max = 1 },
                                          &id, &err),
                         ERR_OK);
    assert_int_equal(db_commit(db, &err), ERR_OK);

    assert_int_equal(patterns_build(sigs, SIGS, &patterns, &err), ERR_OK);
    assert_int_equal(io_image_open_memory(image, IMAGE_LEN, &source, &err), ERR_OK);
    lookback.image = source;
    assert_int_equal(record_open(db, image_id, run_id, ids, &record, &err), ERR_OK);
    struct sums *sums = NULL;
    assert_int_equal(sums_open(&lookback, 1, SUMS_STEP, SUMS_REACH, &sums, &err), ERR_OK);
    const struct plan_options options = { .sigs = sigs,
                                          .sig_count = SIGS,
                                          .patterns = &patterns,
                                          .threads = threads,
                                          .keep = 2,
                                          .align = 1,
                                          .sums = sums };
    assert_int_equal(plan_open(&options, &lookback, record, &plan, &err), ERR_OK);
    assert_int_equal(plan_begin_range(plan, 0, IMAGE_LEN, &err), ERR_OK);
    for (uint64_t at = 0; at < IMAGE_LEN;) {
        const uint64_t len = piece != 0 ? piece : 5000 + next_random(&seed) % 60000;
        const uint64_t front = len < IMAGE_LEN - at ? at + len : IMAGE_LEN;
        uint32_t hit_count = 0;

        for (uint64_t i = at > 0 ? at - 1 : 0; i + 2 <= front; i++)
            for (uint32_t p = 0; p < patterns.count; p++)
                if (is_word(image + i,
                            (const char *)match_dictionary_get(patterns.dictionary, p)->bytes))
                    hits[hit_count++] = (struct hit){ .offset = i, .pattern = p, .len = 2 };
        lookback_push(&lookback, &(struct lookback_segment){ .offset = at,
                                                             .len = (uint32_t)(front - at),
                                                             .bytes = image + at });
        collect_sums(sums, image, front);
        assert_int_equal(plan_summed(plan, &err), ERR_OK);
        assert_int_equal(plan_hits(plan, hits, hit_count, front, front, &err), ERR_OK);
        assert_int_equal(plan_front(plan, front, &err), ERR_OK);
        if (lookback.count > 2) {
            const uint64_t left = lookback_oldest_end(&lookback);

            assert_int_equal(
                plan_leave(plan, left < sums_front(sums) ? left : sums_front(sums), &err), ERR_OK);
            lookback_pop(&lookback); /* its bytes stay: they are the image's */
        }
        at = front;
    }
    assert_int_equal(plan_end_range(plan, &err), ERR_OK);
    assert_int_equal(record_end(record, IMAGE_LEN, &err), ERR_OK);
    *totals = *plan_totals(plan);
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
    plan_close(plan);
    sums_close(sums);
    record_close(record);
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

static void the_rows_do_not_depend_on_the_cuts(void **state)
{
#ifdef __SANITIZE_ADDRESS__ /* several times as slow */
    static const uint32_t pieces[] = { IMAGE_LEN, 4097, 0 };
#else
    static const uint32_t pieces[] = { IMAGE_LEN, 4097, 10000, 65536, 0 };
#endif
    static uint8_t image[IMAGE_LEN];
    static struct row whole[ROWS], cut[ROWS];
    struct plan_totals whole_totals, totals;
    uint64_t evicted = 0, claimed = 0, cut_short = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        make_image(image, seed, seed % 2 == 0 ? 2000 : 20);
        const uint32_t count = plan_rows(image, seed, pieces[0], 1, whole, &whole_totals);

        assert_true(count > 100);
        assert_streams_apart(whole, count);
        evicted += whole_totals.evicted;
        claimed += whole_totals.claimed;
        cut_short += whole_totals.cut - whole_totals.evicted;
        /* 1040 bytes for each byte of the image, times 1 + 1/4 + 1/9 + ... */
        assert_in_range(whole_totals.unpacked, IMAGE_LEN, UINT64_C(1711) * IMAGE_LEN);
        for (size_t i = 1; i < sizeof pieces / sizeof pieces[0]; i++) {
            const uint32_t cut_count =
                plan_rows(image, seed, pieces[i], 1 + (uint32_t)i % 3, cut, &totals);

            assert_int_equal(cut_count, count);
            assert_memory_equal(&totals, &whole_totals, sizeof totals);
            for (uint32_t k = 0; k < count; k++) {
                if (whole[k].id != cut[k].id || whole[k].offset != cut[k].offset ||
                    whole[k].len != cut[k].len || strcmp(whole[k].state, cut[k].state) != 0 ||
                    strcmp(whole[k].reason, cut[k].reason) != 0)
                    fail_msg("seed %" PRIu64 ", pieces of %u: object %u at %" PRIu64 " has %" PRIu64
                             " bytes (%s), in one piece %" PRIu64 " (%s)",
                             seed, pieces[i], k, cut[k].offset, cut[k].len, cut[k].state,
                             whole[k].len, whole[k].state);
            }
        }
    }
    assert_true(evicted > 0 && claimed > 0 && cut_short > 0); /* or the test shows nothing */
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
    struct plan_totals totals;

    (void)state;
    memset(image, '.', IMAGE_LEN);
    for (uint32_t at = 0; at + 16 < IMAGE_LEN; at += 16)
        memcpy(image + at, "HD", 2);
    plain_calls = 0;
    plan_rows(image, 1, IMAGE_LEN, 1, rows, &totals);
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
