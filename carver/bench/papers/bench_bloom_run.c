/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_bloom_run.c - times the forms of one kind of filter and compares what
 * they made. See bench_bloom.h. */
#include <stdio.h>
#include <stdlib.h>

#include "carver/bench/papers/bench_bloom.h"

static enum err_code bench_bloom_differ(const char *form, const char *what, struct err *err)
{
    return ERR_RAISE(err, ERR_ENV,
                     "%s: %s not those of the other forms: this is a defect, please report it",
                     form, what);
}

/* Times inserting and asking for the first row->keys keys; the table stays as the last run left it.
 */
static enum err_code bench_bloom_time(struct bench_bloom *b, struct bench_bloom_row *row,
                                      const struct bloom *table, uint32_t threads, struct err *err)
{
    const struct bloom_view view = bloom_view(table);
    struct bloom_keys part = b->keys;

    part.count = row->keys;
    for (uint64_t run = 0; run <= b->options->runs; run++) { /* the first one does not count */
        const uint64_t at = run > 0 ? run - 1 : 0;
        const enum err_code rc = bench_stopped(err);

        if (rc != ERR_OK)
            return rc;
        if (run == 0 && row->keys > 1000000 && b->kind == BLOOM_SALTED)
            continue; /* takes long enough to need no warming */
        memset(view.words, 0, bloom_size(&view.shape));
        double before = bench_now();
        bloom_insert(&view, &part, threads);
        row->insert[at] = bench_now() - before;
        before = bench_now();
        bloom_query(&view, &part, b->answers, threads);
        row->query[at] = bench_now() - before;
        for (uint64_t i = 0; i < part.count; i++)
            if (b->answers[i] != 1)
                return bench_bloom_differ(row->name,
                                          "its keys are missing from the table; answers are", err);
    }
    return ERR_OK;
}

static void bench_bloom_count(struct bench_bloom *b, const struct bloom *table)
{
    const struct bloom_view view = bloom_view(table);
    uint64_t passed = 0;

    bloom_query(&view, &b->others, b->expected, (uint32_t)b->options->threads);
    for (uint64_t i = 0; i < b->others.count; i++)
        passed += b->expected[i];
    b->measured = (double)passed / (double)b->others.count;
    b->formula = bloom_rate(&b->shape, b->keys.count);
}

enum err_code bench_bloom_host(struct bench_bloom *b, struct bloom **table, struct err *err)
{
    struct bench_bloom_row *serial = &b->rows[b->row_count++], *openmp = &b->rows[b->row_count++];
    struct bloom *one = NULL, *many = NULL;
    enum err_code rc = bloom_open(&b->shape, 1, &one, err);

    *serial = (struct bench_bloom_row){ .name = "serial", .keys = b->serial_keys };
    *openmp = (struct bench_bloom_row){ .name = "openmp", .keys = b->keys.count };
    if (rc == ERR_OK)
        rc = bloom_open(&b->shape, 1, &many, err);
    if (rc == ERR_OK)
        rc = bench_bloom_time(b, serial, one, 1, err);
    if (rc == ERR_OK)
        rc = bench_bloom_time(b, openmp, many, (uint32_t)b->options->threads, err);
    if (rc == ERR_OK && serial->keys == openmp->keys &&
        memcmp(bloom_view(one).words, bloom_view(many).words, bloom_size(&b->shape)) != 0)
        rc = bench_bloom_differ("openmp", "bits of its table are", err);
    if (rc == ERR_OK)
        bench_bloom_count(b, many);
    if (!bloom_threads())
        openmp->missing = "this build has no OpenMP";
    bloom_close(one);
    *table = many;
    return rc;
}

/* Table and answers, about keys of the set and about others, against the host's. */
static enum err_code bench_bloom_compare(struct bench_bloom *b, struct bloom_lab *lab,
                                         const struct bloom *table, struct err *err)
{
    const size_t size = bloom_size(&b->shape);
    uint32_t *words = aligned_alloc(BLOOM_ALIGN, size);
    uint8_t *told = malloc(b->others.count);

    if (words == NULL || told == NULL) {
        free(words);
        free(told);
        return ERR_NO_MEMORY(err, size);
    }
    enum err_code rc = b->others.starts == NULL ? bloom_lab_send(lab, &b->others, err) : ERR_OK;
    if (rc == ERR_OK)
        rc = bloom_lab_read(lab, words, told, err);
    if (rc == ERR_OK && memcmp(words, bloom_view(table).words, size) != 0)
        rc = bench_bloom_differ("device", "bits of its table are", err);
    for (uint64_t i = 0; rc == ERR_OK && i < b->keys.count; i++)
        if (b->answers[i] != 1)
            rc = bench_bloom_differ("device", "its keys are missing from the table; answers are",
                                    err);
    if (rc == ERR_OK && b->others.starts == NULL && memcmp(told, b->expected, b->others.count) != 0)
        rc = bench_bloom_differ("device", "answers about other keys are", err);
    free(words);
    free(told);
    return rc;
}

enum err_code bench_bloom_device(struct bench_bloom *b, const struct bloom *table, struct err *err)
{
    struct bench_bloom_row *rows[2] = { &b->rows[b->row_count++], &b->rows[b->row_count++] };
    const struct bloom_view view = bloom_view(table);
    struct bloom_lab *lab = NULL;
    const char *missing = bloom_lab_missing();

    for (int moves = 0; moves < 2; moves++)
        *rows[moves] =
            (struct bench_bloom_row){ .name = moves ? "device, with copies" : "device, keys there",
                                      .missing = missing,
                                      .keys = b->keys.count };
    if (missing != NULL)
        return ERR_OK;
    enum err_code rc = bloom_lab_open(&view, &b->keys, b->answers, &lab, err);
    if (rc == ERR_OK)
        snprintf(b->device, sizeof b->device, "%s", bloom_lab_device(lab));
    if (rc == ERR_OK)
        rc = bloom_lab_send(lab, &b->keys, err);
    for (uint64_t run = 0; rc == ERR_OK && run <= b->options->runs; run++)
        for (int moves = 0; rc == ERR_OK && moves < 2; moves++) {
            const uint64_t at = run > 0 ? run - 1 : 0;
            double seconds[2] = { 0 };

            rc = bloom_lab_round(lab, moves != 0, seconds, err);
            rows[moves]->insert[at] = seconds[0];
            rows[moves]->query[at] = seconds[1];
        }
    if (rc == ERR_OK)
        rc = bench_bloom_compare(b, lab, table, err);
    bloom_lab_close(lab);
    return rc;
}
