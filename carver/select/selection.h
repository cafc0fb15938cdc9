/* SPDX-License-Identifier: Apache-2.0
 * carver/select/selection.h - which objects of a case are wanted: the words that list and carve
 * share.
 *
 *   selection = selection_all();
 *   selection_take(&selection, id, value, err)   for each option of SELECTION_OPTIONS
 *   selection_check(&selection, err)             what the command line alone tells
 *   selection_read(&selection, err)              the file of --ids; before files are given up
 *   selection_open(&selection, db, err)          what the words mean in this case
 *   selection_has(&selection, &object)           for each object of a cursor
 *   selection_close(&selection)
 *
 * An object is wanted when it meets all conditions. While objects are asked about, each condition
 * counts those that meet it, so that an empty answer can be explained.
 */
#ifndef BURIN_CARVER_SELECT_SELECTION_H
#define BURIN_CARVER_SELECT_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/cli/json_write.h"
#include "carver/select/ids.h"
#include "carver/select/types.h"
#include "db/case.h"

enum {
    SELECTION_TYPES = 't',
    SELECTION_CATEGORY = 1024, /* ids of args.h from here on are a selection's */
    SELECTION_STATE,
    SELECTION_KNOWN,
    SELECTION_MIN,
    SELECTION_MAX,
    SELECTION_RANGE,
    SELECTION_PARTITION,
    SELECTION_PLACE,
    SELECTION_WHERE,
    SELECTION_HAS,
    SELECTION_AFTER,
    SELECTION_BEFORE,
    SELECTION_IDS,
    SELECTION_SORT,
    SELECTION_LIMIT,
    SELECTION_PARTITIONS_MAX = 64,
};

/* Rows for a table of args.h. */
/* clang-format off */
#define SELECTION_OPTIONS                                                                          \
    { "types", SELECTION_TYPES, "LIST" },       { "category", SELECTION_CATEGORY, "LIST" },        \
    { "state", SELECTION_STATE, "LIST" },       { "known", SELECTION_KNOWN, "LIST" },              \
    { "min-size", SELECTION_MIN, "SIZE" },      { "max-size", SELECTION_MAX, "SIZE" },             \
    { "range", SELECTION_RANGE, "RANGE" },      { "partition", SELECTION_PARTITION, "N" },         \
    { "place", SELECTION_PLACE, "LIST" },       { "where", SELECTION_WHERE, "SQL" },               \
    { "has", SELECTION_HAS, "LIST" },           { "after", SELECTION_AFTER, "DATE" },              \
    { "before", SELECTION_BEFORE, "DATE" },     { "ids", SELECTION_IDS, "FILE" },                  \
    { "sort", SELECTION_SORT, "BY" },           { "limit", SELECTION_LIMIT, "N" }
/* clang-format on */

#define SELECTION_TEXT                                                                             \
    "Which objects (those that meet all of these; lists are comma-separated):\n"                   \
    "  -t, --types LIST     of these types: names, groups, extensions or categories, as for "      \
    "burin\n"                                                                                      \
    "                       scan, and those of the rules in this case\n"                           \
    "  --category LIST      of these categories: pictures, video, sound, documents, mail,\n"       \
    "                       databases, archives, keys, system, programs, other\n"                  \
    "  --state LIST         of these states: complete, footer, truncated, fragmented\n"            \
    "  --known LIST         that sets of known files call so: good, bad, known, unknown,\n"        \
    "                       unchecked (see burin scan --known)\n"                                  \
    "  --min-size SIZE      of at least SIZE bytes\n"                                              \
    "  --max-size SIZE      of at most SIZE bytes\n"                                               \
    "  --range RANGE        that begin in these bytes of their image: START:LENGTH, or START "     \
    "alone\n"                                                                                      \
    "                       for all from there on\n"                                               \
    "  --partition N        that begin in the partition that mmls and burin info IMAGE give "      \
    "this\n"                                                                                       \
    "                       number (repeatable: in one of them)\n"                                 \
    "  --place LIST         that begin in such a place, as file systems say: file, deleted, "      \
    "slack,\n"                                                                                     \
    "                       unallocated, allocated, metadata, unpartitioned, or unknown\n"         \
    "  --where SQL          for which this SQL expression over v_objects is true, such as\n"       \
    "                       \"len > 100000 AND path LIKE '%.jpg'\"\n"                              \
    "  --has LIST           that say one of these of themselves: taken, gps, author, ... "         \
    "(burin(1)\n"                                                                                  \
    "                       lists them)\n"                                                         \
    "  --after DATE         whose own date, as the file says, is DATE or later: 2024, 2024-05,\n"  \
    "                       2024-05-31 or 2024-05-31T12:00:00Z\n"                                  \
    "  --before DATE        whose own date is before DATE\n"                                       \
    "  --ids FILE           with the numbers in FILE, one a line, as the first column of burin "   \
    "list\n"                                                                                       \
    "                       has them (-: standard input)\n"                                        \
    "  --sort BY            in this order: offset (the default), size (largest first), type\n"     \
    "  --limit N            the first N of them\n"

enum selection_sort { SELECTION_BY_OFFSET, SELECTION_BY_SIZE, SELECTION_BY_TYPE };

/* How many objects there were, and how many of them met one condition by itself. */
struct selection_counts {
    uint64_t objects, types, categories, states, known, size, range, places, where, has, dates, ids;
};

struct selection {
    /* Words of the command line, the caller's; NULL: all. */
    const char *types, *categories, *states, *known, *places, *where, *has, *after_word,
        *before_word, *ids_file, *sort_word;
    uint64_t size_min, size_max;                                    /* bytes */
    uint64_t range_start, range_len;                                /* bytes */
    uint32_t partitions[SELECTION_PARTITIONS_MAX], partition_count; /* 0: any */
    enum selection_sort sort;
    uint64_t limit; /* objects; UINT64_MAX: all */
    bool all;       /* no condition was given; sort and limit are none */
    struct types_filter filter;
    int64_t after, before;          /* seconds since 1970 */
    struct ids ids, placed, found;  /* of ids_file; of places and partitions; of where */
    struct ids having, dated;       /* of has; of after and before */
    bool placed_unknown;            /* placed has those that are not wanted */
    struct selection_counts counts; /* since selection_restart */
};

/* Everything is wanted. */
struct selection selection_all(void);

/* Whether the id of an option is one of SELECTION_OPTIONS; and what its value says. ERR_ARG. */
bool selection_is(int id);
ERR_MUST_CHECK enum err_code selection_take(struct selection *selection, int id, const char *value,
                                            struct err *err);

/*
 * What can be said before there is a case file. ERR_ARG: a word that is none, or conditions that no
 * object can meet.
 */
ERR_MUST_CHECK enum err_code selection_check(const struct selection *selection, struct err *err);

/* Reads the file of --ids, if there is one. Errors as ids_read. */
ERR_MUST_CHECK enum err_code selection_read(struct selection *selection, struct err *err);

/*
 * Finds out what the words mean in this case. Errors as types_filter_open and db_where; ERR_INPUT:
 * the case knows no places and is asked for some.
 */
ERR_MUST_CHECK enum err_code selection_open(struct selection *selection, struct db_case *db,
                                            struct err *err);
void selection_close(struct selection *selection); /* more than once is a no-op */

/* A new walk over the objects begins. */
void selection_restart(struct selection *selection);
/* Whether the object meets all conditions. Order and limit are the caller's matter: see order.h. */
bool selection_has(struct selection *selection, const struct db_object *object);

/* The conditions as members of the object that is open, for the record of a run. */
void selection_json(const struct selection *selection, struct json *json);

/* One line on standard error that says why nothing matched, after a walk. command: "list". */
void selection_tell_none(const struct selection *selection, const char *command,
                         const char *case_path);

#endif
