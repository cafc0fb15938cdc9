/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac_space.c - Table 3: tables of transitions beside the plain one of
 * 256 integers a state. See bench_pfac.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/bench/papers/bench_pfac.h"

/* The paper's compression rates: without division, with division, MFPH. */
static const double space_paper[BENCH_PFAC_SETS][3] = {
    { 0.062, 0.043, 0.019 }, { 0.061, 0.040, 0.020 }, { 0.046, 0.027, 0.020 },
    { 0.063, 0.043, 0.020 }, { 0.062, 0.042, 0.019 }, { 0.046, 0.026, 0.019 },
};

struct space_row {
    const struct bench_pfac_set *set;
    const double *paper;
    struct pfac *pfac;
    double rates[PFAC_KINDS];
    uint64_t slots, bound; /* of MFPH, and Theorem 1's */
};

static void space_print(const struct space_row *row)
{
    printf("%8u %8u %7u %11.3f (%.3f) %11.3f (%.3f) %11.4f (%.3f) %11.4f %9" PRIu64 " %9" PRIu64
           "\n",
           row->pfac->states, row->set->finals, pfac_leaves(row->pfac),
           row->rates[PFAC_PH_RECIPROCAL], row->paper[0], row->rates[PFAC_PH], row->paper[1],
           row->rates[PFAC_MFPH], row->paper[2], row->rates[PFAC_LINKED], row->slots, row->bound);
}

static void space_json(struct json *json, const struct space_row *row)
{
    json_open_object(json, NULL);
    json_uint(json, "states", row->pfac->states);
    json_uint(json, "finals", row->set->finals);
    json_uint(json, "leaves", pfac_leaves(row->pfac));
    for (enum pfac_kind kind = PFAC_2D; kind < PFAC_KINDS; kind++)
        json_double(json, pfac_kind_name(kind), row->rates[kind]);
    json_double(json, "paper_ph_reciprocal", row->paper[0]);
    json_double(json, "paper_ph", row->paper[1]);
    json_double(json, "paper_mfph", row->paper[2]);
    json_uint(json, "mfph_slots", row->slots);
    json_uint(json, "mfph_bound", row->bound);
    json_close_object(json);
}

static enum err_code space_row(struct space_row *row, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (enum pfac_kind kind = PFAC_2D; rc == ERR_OK && kind < PFAC_KINDS; kind++) {
        struct pfac_table table;

        rc = pfac_table_build(row->pfac, kind, &table, err);
        if (rc != ERR_OK)
            return rc;
        row->rates[kind] = pfac_table_rate(row->pfac, &table);
        if (kind == PFAC_MFPH)
            row->slots = table.slots;
        pfac_table_release(&table);
    }
    row->bound = pfac_mfph_bound(row->pfac);
    return rc;
}

enum err_code bench_pfac_space(const struct bench_pfac *bench, struct err *err)
{
    enum err_code rc = ERR_OK;

    if (bench->json == NULL)
        printf("\nTable 3: bytes of tables beside 256 integers a state; the paper's figures in "
               "brackets\n"
               "%8s %8s %7s %19s %19s %19s %11s %9s %9s\n",
               "states", "patterns", "leaves", "ph-reciprocal", "ph", "mfph", "mfph-linked", "S_MF",
               "Theorem 1");
    else
        json_open_array(bench->json, "table3");
    for (uint32_t i = 0; rc == ERR_OK && i < BENCH_PFAC_SETS; i++) {
        struct space_row row = { .set = &bench_pfac_sets[i], .paper = space_paper[i] };
        struct bench_dictionary dictionary;

        rc = bench_pfac_made(row.set, &dictionary, err);
        if (rc != ERR_OK)
            return rc;
        rc = pfac_build(dictionary.patterns, &row.pfac, err);
        if (rc == ERR_OK)
            rc = space_row(&row, err);
        if (rc == ERR_OK && bench->json == NULL)
            space_print(&row);
        else if (rc == ERR_OK)
            space_json(bench->json, &row);
        pfac_destroy(row.pfac);
        bench_dictionary_close(&dictionary);
    }
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}
