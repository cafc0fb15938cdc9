/*
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

enum { CARVE_CHOICE_DEPTH = 64 /* left-out objects inside of each other that are remembered */ };

enum carve_answer { CARVE_WRITE, CARVE_EMBEDDED, CARVE_TRUNCATED, CARVE_OTHER };

struct carve_choice {
    struct selection selection; /* by type, size and what is known; the caller opens it */
    bool embedded, truncated;   /* write these too */
    /* Left-out objects around the present place that stand in nothing written; innermost last. */
    struct {
        int64_t id, image_id;
        uint64_t end;
    } open[CARVE_CHOICE_DEPTH];
    uint32_t open_count;
};

/* Forgets the objects seen: a new walk begins. */
void carve_choice_restart(struct carve_choice *choice);

enum carve_answer carve_choice_ask(struct carve_choice *choice, const struct db_object *object);

#endif
