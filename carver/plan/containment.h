/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment.h - which object lies inside which other one.
 *
 * An object that lies wholly inside the bytes of a whole file that was checked (a thumbnail in a
 * JPEG, a member of a ZIP archive, the colour profile of a document) has that one as its parent; of
 * several, the innermost. What only a header/footer rule found is nobody's parent, and neither is
 * an object whose length was merely believed, unless it is of a kind that holds other files or the
 * other one begins where no file can.
 *
 * Files begin on sectors, and where nearly all proven ones begin on clusters of one size, on
 * clusters. When a file that a validator has read begins there inside an object whose length was
 * believed (the pixels of a bitmap, the samples of a WAVE file), the two cannot both be right: the
 * outer one is fragmented, and is cut where the inner one begins. So it is with an archive of which
 * only the members' headers were checked, when no member begins there. An archive that itself
 * begins on no cluster, and lies in nothing, is the end of one in pieces.
 *
 * What lies between clusters inside of the right part of a container that breaks is a member of it.
 *
 * File systems fill the rest of a file's last sector with zeros. Where nearly all proven files of
 * an image have them there, and many others have not, a file whose own last bytes prove nothing and
 * that has other bytes behind it is fragmented: that sector is another file's, and it is truncated.
 *
 * What is cut gets the CRC-64 of what is left of it, read again from the image: as many bytes in
 * all as were scanned, at most, so that an image made of objects inside of each other takes no
 * longer than others. And objects that begin in too many others lose theirs: see sums_late.h.
 */
#ifndef BURIN_CARVER_PLAN_CONTAINMENT_H
#define BURIN_CARVER_PLAN_CONTAINMENT_H

#include "base/err.h"
#include "carver/case/unread.h"
#include "carver/plan/containment_rows.h"
#include "db/case.h"
#include "io/image.h"
#include "signatures/sig.h"

enum {
    CONTAINMENT_DEPTH_MAX = 64
}; /* containers inside of each other; deeper ones count as children of the deepest */

struct containment_image {
    struct io_image *image;
    int64_t id;     /* in the case file */
    int64_t run_id; /* likewise: the scan that found its objects */
    uint64_t end;   /* image offset: was scanned up to here */
    const struct sig *const *sigs;
    const int64_t *signature_ids; /* in the case file, of sigs */
    uint32_t sig_count;
    /* All its objects by (offset, id), [place_count]; NULL: they are read from the case file. */
    const struct db_place *places;
    uint32_t place_count;
};

/* Takes rows, and leaves empty ones. */
typedef enum err_code (*containment_rows_fn)(void *arg, struct containment_rows *rows,
                                             struct err *err);

/*
 * What containment_objects stores, of objects that are all in memory (image->places): rows is
 * empty, and then has it, sorted. each: not NULL, and it takes them, some thousands at a time, each
 * time sorted, nearly all behind those before. unread: what the scan could not read. It needs no
 * case file.
 */
ERR_MUST_CHECK enum err_code containment_find(const struct containment_image *image,
                                              const struct unread *unread,
                                              struct containment_rows *rows,
                                              containment_rows_fn each, void *arg, struct err *err);

/*
 * Sets the parents, and cuts what holds the beginning of another file, for all objects of the
 * image, beside what their validators said; what an earlier call said is forgotten. Linear in their
 * number. Inside a transaction of the caller.
 */
ERR_MUST_CHECK enum err_code containment_objects(struct db_case *db,
                                                 const struct containment_image *image,
                                                 struct err *err);

#endif
