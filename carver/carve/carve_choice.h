/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/carve_choice.h - which objects of a case carve writes.
 *
 * Objects are asked about in the order of the case (image, offset, id). By default the top-level
 * ones are wanted, but not those that a validator found broken. What lies in an object that is left
 * out as broken counts as top-level: it would be lost otherwise.
 */
#ifndef BURIN_CARVER_CARVE_CARVE_CHOICE_H
#define BURIN_CARVER_CARVE_CARVE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "carver/select/selection.h"
#include "db/case.h"

enum {
    CARVE_CHOICE_DEPTH = 64,        /* left-out objects inside of each other that are remembered */
    CARVE_CHOICE_RUN = 64,          /* numbers of objects in a row that are of one part */
    CARVE_CHOICE_PARTS_MAX = 65536, /* as of a scan */
};

enum carve_answer { CARVE_WRITE, CARVE_EMBEDDED, CARVE_TRUNCATED, CARVE_OTHER };

struct carve_choice {
    struct selection selection;       /* the caller opens it, or carve_choice_open does */
    bool embedded, truncated;         /* write these too, */
    bool likely;                      /* and what is no object, but likely a file in pieces */
    uint32_t part_number, part_count; /* of these, one part by their numbers; count 0: all */
    uint64_t chosen;                  /* to be written, of those asked about */
    struct ids first;                 /* with --sort: the objects that --limit leaves */
    bool sorted;                      /* first is filled */
    /* Left-out objects around the present place that stand in nothing written; innermost last. */
    struct {
        int64_t id, image_id;
        uint64_t end;
    } open[CARVE_CHOICE_DEPTH];
    uint32_t open_count;
};

/* As selection_check; ERR_ARG also for what carve can do nothing with. */
ERR_MUST_CHECK enum err_code carve_choice_check(const struct carve_choice *choice, struct err *err);

/* Opens the selection, and finds the first objects of its order. Errors as selection_open. */
ERR_MUST_CHECK enum err_code carve_choice_open(struct carve_choice *choice, struct db_case *db,
                                               struct err *err);
void carve_choice_close(struct carve_choice *choice); /* more than once is a no-op */

/* Forgets the objects seen: a new walk begins. */
void carve_choice_restart(struct carve_choice *choice);

enum carve_answer carve_choice_ask(struct carve_choice *choice, const struct db_object *object);

#endif
