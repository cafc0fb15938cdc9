/* SPDX-License-Identifier: Apache-2.0
 * carver/bench/papers/bench_pfac_tables.c - Tables 4 and 5, with the paper's figures. See
 * bench_pfac.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/bench/papers/bench_pfac.h"

enum {
    TABLES_ONE_LEN = 100000000, /* 100M of Table 4 */
    TABLES_TWO_LEN = 64 << 20,  /* the longest of Table 5 */
};

/* Table 4: 100M of one letter under a pattern of one letter. */
enum err_code bench_pfac_one(const struct bench_pfac *bench, struct err *err)
{
    static const uint32_t lens[] = { 1, 10, 100 };
    static const double paper[2][3][BENCH_PFAC_COLUMNS][BENCH_PFAC_DEVICES] = {
        { { { 103.11, 78.74 }, { 19.67, 25.66 }, { 12.30, 16.23 } },
          { { 15.01, 11.47 }, { 3.58, 5.06 }, { 2.23, 3.10 } },
          { { 1.57, 1.20 }, { 0.39, 0.55 }, { 0.24, 0.34 } } },
        { { { 196.08, 149.05 }, { 38.31, 47.29 }, { 24.33, 30.67 } },
          { { 196.09, 149.07 }, { 66.19, 65.58 }, { 65.38, 63.82 } },
          { { 195.98, 149.06 }, { 65.62, 65.56 }, { 65.37, 63.65 } } },
    };
    uint8_t *text = NULL, pattern[100];
    uint64_t len = 0;
    enum err_code rc = bench_pfac_text(bench, TABLES_ONE_LEN, &text, &len, err);

    memset(pattern, 'a', sizeof pattern);
    bench_pfac_head(bench, "table4", "Table 4: one letter's text under one letter's pattern");
    for (uint32_t letter = 0; rc == ERR_OK && letter < 2; letter++) {
        struct match_resident *resident = NULL;

        memset(text, letter == 0 ? 'a' : 'b', len);
        rc = bench_pfac_resident(bench, text, len, &resident, err);
        for (uint32_t i = 0; rc == ERR_OK && i < sizeof lens / sizeof lens[0]; i++) {
            struct bench_dictionary dictionary = { 0 };
            struct bench_pfac_cell cell = { .bench = bench,
                                            .dictionary = &dictionary,
                                            .resident = resident,
                                            .len = len,
                                            .hits = letter == 0 ? len : 0,
                                            .paper = paper[letter][i] };

            snprintf(cell.name, sizeof cell.name, "%ua, %" PRIu64 "M {%c}", lens[i], len / 1000000,
                     letter == 0 ? 'a' : 'b');
            rc = match_dictionary_create(&dictionary.patterns, err);
            if (rc == ERR_OK)
                rc = bench_dictionary_add(&dictionary, pattern, NULL, lens[i], false, err);
            if (rc == ERR_OK)
                rc = bench_pfac_cell(&cell, err);
            bench_dictionary_close(&dictionary);
        }
        match_resident_close(resident);
    }
    free(text);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}

/* Table 5: the set of 27,754 states on packets and on patterns one behind the other. */
enum err_code bench_pfac_two(const struct bench_pfac *bench, struct err *err)
{
    static const double paper[2][3][BENCH_PFAC_COLUMNS][BENCH_PFAC_DEVICES] = {
        { { { 60.67, 45.97 }, { 8.54, 6.62 }, { 9.35, 8.88 } },
          { { 69.76, 52.60 }, { 7.39, 5.68 }, { 9.33, 8.25 } },
          { { 72.41, 54.51 }, { 7.74, 5.94 }, { 9.66, 8.58 } } },
        { { { 8.45, 6.39 }, { 1.97, 1.66 }, { 1.44, 1.70 } },
          { { 8.89, 6.78 }, { 2.09, 1.82 }, { 1.47, 1.74 } },
          { { 8.97, 6.84 }, { 2.20, 1.92 }, { 1.48, 1.75 } } },
    };
    static const char *const kinds[] = { "regular", "worst" };
    struct bench_dictionary dictionary;
    uint8_t *text = NULL;
    uint64_t all = 0;
    enum err_code rc = bench_pfac_made(&bench_pfac_sets[4], &dictionary, err);

    if (rc != ERR_OK)
        return rc;
    rc = bench_pfac_text(bench, TABLES_TWO_LEN, &text, &all, err);
    bench_pfac_head(bench, "table5", "Table 5: 1,998 patterns, 27,754 states");
    for (uint32_t kind = 0; rc == ERR_OK && kind < 2; kind++) {
        static const uint64_t lens[] = { 2 << 20, 16 << 20, 64 << 20 };
        struct match_resident *resident = NULL;

        (kind == 0 ? bench_pfac_regular : bench_pfac_worst)(&dictionary, text, all);
        rc = bench_pfac_resident(bench, text, all, &resident, err);
        for (uint32_t i = 0;
             rc == ERR_OK && i < sizeof lens / sizeof lens[0] && (i == 0 || lens[i] <= all); i++) {
            struct bench_pfac_cell cell = { .bench = bench,
                                            .dictionary = &dictionary,
                                            .resident = resident,
                                            .len = lens[i] < all ? lens[i] : all,
                                            .paper = paper[kind][i] };

            snprintf(cell.name, sizeof cell.name, "%s %" PRIu64 " KiB", kinds[kind],
                     cell.len >> 10);
            rc = bench_pfac_cell(&cell, err);
        }
        match_resident_close(resident);
    }
    free(text);
    bench_dictionary_close(&dictionary);
    if (bench->json != NULL)
        json_close_array(bench->json);
    return rc;
}
