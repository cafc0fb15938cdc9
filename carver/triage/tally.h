/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/tally.h - what the units of a sample come to: counts by volume and class, files by
 * type, what the sets and the keywords met.
 *
 * Threads: one at a time.
 */
#ifndef BURIN_CARVER_TRIAGE_TALLY_H
#define BURIN_CARVER_TRIAGE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/triage/sampler.h"
#include "io/volumes.h"
#include "signatures/category.h"

enum { TALLY_NOTABLE_MAX = 4096 /* finds that are told one by one; more are counted */ };

/* Of the units that begin in a volume; without a volume, in the last place. */
struct tally_place {
    uint64_t units, hits; /* hits: units with a known block, a keyword or a key */
    uint64_t classes[BLOCK_CLASSES];
};

/* How often something stands in the units. */
struct tally_count {
    uint64_t units;   /* in which it is */
    uint64_t count;   /* of it, in all units */
    uint64_t squares; /* the sum of the squares of the counts of single units */
    uint64_t first;   /* image offset of the first that was met; only where count is not 0 */
};

struct tally_type {
    const struct sig_type *type;
    enum sig_category category;
    bool stream; /* its middle looks like its beginning: pieces are counted, not files */
    struct tally_count count;
};

/* Of some sweeps. */
struct tally {
    struct tally_place *places; /* [place_count]: of the volumes in their order, and of no volume */
    uint32_t place_count;
    struct tally_type *types; /* in the order in which they were met */
    uint32_t type_count;
    size_t type_room;
    struct tally_count categories[SIG_CATEGORY_COUNT]; /* streams left out */
    struct tally_count streams[SIG_CATEGORY_COUNT];    /* pieces of them, by category */
    struct tally_count says[UNIT_SAYS]; /* files that say it: bit i of unit_found.says */
    int64_t newest;                     /* of the dates that are not behind `now` */
    uint64_t newest_at;                 /* image offset of the file that says it */
    int64_t now;                        /* seconds since 1970: later dates are not believed */
    struct tally_count *sets;           /* [set_count] */
    uint32_t set_count;
    struct tally_count *keywords; /* [keyword_count] */
    uint32_t keyword_count;
    uint64_t units, full; /* full: units that held more than is told */
};

/* volumes may be NULL. Errors: ERR_ENV. On an error *out needs no close. */
ERR_MUST_CHECK enum err_code tally_open(const struct io_volumes *volumes, uint32_t set_count,
                                        uint32_t keyword_count, struct tally *out, struct err *err);
void tally_close(struct tally *tally); /* of a zeroed one: a no-op */

ERR_MUST_CHECK enum err_code tally_unit(struct tally *tally, const struct io_volumes *volumes,
                                        const struct sampler_unit *unit, struct err *err);

/* Adds the counts of another one of the same volumes, sets and keywords, and empties that one. */
ERR_MUST_CHECK enum err_code tally_join(struct tally *tally, struct tally *from, struct err *err);

/* Whether the type is one that people look for among keys: not a certificate or a public key, of
 * which every system has hundreds. */
bool tally_is_key(const struct sig_type *type);

/* The volume that the byte lies in: its index; tally->place_count - 1 where it lies in none. */
uint32_t tally_place_of(const struct io_volumes *volumes, uint64_t offset);

#endif
