/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/holes.h - where pieces of files begin on a volume that has clusters.
 *
 * File systems fill holes from their beginnings, and go on in another hole where one is full: the
 * next one (FAT), the largest one or the one that fits best (NTFS). So a piece ends where its hole
 * does, and the next one begins where a hole does, anywhere on the volume; or behind the last piece
 * of another file that was written into that hole before. Such a piece seldom fills its last
 * cluster, the rest of which is zeros. Where a volume begins there is no piece, nor where nothing
 * was ever written: records of the file system lie there, some of which look like zeros and 0xff
 * alone.
 *
 * Threads: one thread finds them; then any number may read them.
 */
#ifndef BURIN_CARVER_ASSEMBLE_HOLES_H
#define BURIN_CARVER_ASSEMBLE_HOLES_H

#include "carver/assemble/islands.h"
#include "carver/assemble/resemble.h"

enum {
    HOLES_MAX = 4096,      /* beginnings; an image that has more is not searched this way */
    HOLES_LOOKS = 1 << 14, /* clusters whose ends are looked at; where more are free, none is: all
                              of what is free would be read again */
    HOLES_ZEROS = 8,       /* bytes of zeros at the end of a cluster that are no chance */
    HOLES_BLANK = 1 << 14, /* bytes that are all the same, where nothing was ever written */
    HOLES_HEAD = 4,        /* sectors at each beginning that are counted */
};

/* Zeroed is empty. */
struct holes {
    uint64_t *begins; /* [count]: image offsets, ascending */
    size_t count, room;
    struct resemble heads; /* HOLES_HEAD sectors of each, in the same order */
    /* The islands that they were found in; NULL: none so far. */
    uint64_t *of_begins, *of_ends; /* [of_count] */
    size_t of_count;
    uint32_t of_unit, of_phase;
    /* [look_count]: of each cluster what was seen where it begins, enum holes_look; those that were
     * not looked at are 0. It stays where islands change, as long as the clusters are the same. */
    uint8_t *looks;
    size_t look_count;
    uint32_t look_unit, look_phase;
};

/*
 * Finds where pieces may begin. There are none where the image has no clusters, or too many holes.
 * holes: empty, or those that were found before on the same image, which stay where the islands are
 * the same. Errors: those of the image; ERR_ENV: there are none then.
 */
ERR_MUST_CHECK enum err_code holes_find(const struct islands *islands,
                                        const struct resemble_table *table, struct splice *splice,
                                        struct holes *holes, struct err *err);
void holes_release(struct holes *holes);

#endif
