/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/islands.h - the free places of an image, where pieces of files can lie.
 *
 * Files begin on clusters. What their size is and where they begin is learnt from the places where
 * proven files begin, so that it is known where no file system is left, too.
 *
 * An island is a run of clusters that nobody owns. File systems fill holes from their beginnings,
 * so a piece of a file mostly begins where an island does, and ends where one ends.
 */
#ifndef BURIN_CARVER_ASSEMBLE_ISLANDS_H
#define BURIN_CARVER_ASSEMBLE_ISLANDS_H

#include "carver/assemble/ground.h"
#include "carver/assemble/owners.h"
#include "carver/assemble/starts.h"

/* Zeroed is empty. */
struct islands {
    uint32_t unit, phase; /* clusters begin at phase + n * unit; unit is 512 where none is seen */
    uint64_t *begins, *ends; /* [count]: image offsets, on clusters, ascending */
    size_t count, room;
    uint64_t *breaks; /* [break_count]: where objects break that are not whole, ascending */
    size_t break_count, break_room;
};

/*
 * Finds the clusters, and the islands of an image of so many bytes in a settled ground. What begins
 * behind a start that is the header of an archive's member (SIG_LOOSE_START) is a member, and tells
 * nothing of clusters. members: what members own, which begin so, or within a cluster, where no
 * file does, is free as well, wherever the rest of their archives may be. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code islands_find(const struct owners *owners, const struct ground *ground,
                                          const struct starts *starts, uint64_t image_len,
                                          bool members, struct islands *out, struct err *err);
void islands_release(struct islands *islands);

/* Bytes of a cluster of the image; LIMIT_SECTOR where none is seen. */
uint32_t islands_unit(const struct owners *owners, const struct starts *starts);
/* The first island that ends behind this offset; count where there is none. */
size_t islands_from(const struct islands *islands, uint64_t offset);
/* Whether an island begins at this offset. */
bool islands_begin(const struct islands *islands, uint64_t offset);
/* Whether a cluster begins at this offset: what begins within one is a part of another file. */
bool islands_on_cluster(const struct islands *islands, uint64_t offset);

#endif
