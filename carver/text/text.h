/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text.h - the last stage of a scan: plain text, which nothing marks, where no other
 * object is.
 *
 *   case file ──► occupied   what objects have, where clusters begin
 *   scan      ──► spots      sectors that may begin text, noted when it read them, and what the
 *                            validator says of most of them (text_teller.h)
 *   image     ──► threads: each cluster that nobody has: what was said of it? Or else: does text
 *                 begin here? ──► its validator
 *                 ──► in the order of the image ──► case file: a hit and an object for each text
 *
 * Text begins at the first byte of a cluster, behind bytes that are no text. What a file system
 * says is the middle of a living file is no beginning, nor is what lies behind a block of block
 * numbers: ext2 puts one in the way of a file, behind its first twelve blocks. Where a text ends,
 * and what it is, its validator says (SIG_NO_HEADER). What is found depends on the image and on the
 * objects of the case file alone, and changes none of them: so it is the same however the image
 * was scanned.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_H
#define BURIN_CARVER_TEXT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/unread.h"
#include "carver/text/text_spots.h"
#include "db/case.h"
#include "io/fsmap.h"
#include "io/image.h"
#include "io/reader.h"
#include "signatures/sig.h"

struct text_image {
    struct db_case *db; /* in a transaction of the caller's */
    struct io_image *image;
    uint32_t threads;               /* at least 1; the caller's stores what they find */
    const struct io_fsmap *map;     /* what its file systems say; NULL: they are not asked */
    const struct text_spots *spots; /* of the image; NULL: nothing was looked at before */
    const struct sig *sig;          /* of the flag SIG_NO_HEADER */
    int64_t image_id, signature_id;
    const struct unread *unread;   /* what its scan could not read */
    const struct io_range *ranges; /* [range_count]: ascending; where a text may begin */
    uint32_t range_count;
    uint64_t end;   /* image offset that nothing is read behind */
    uint64_t align; /* bytes; a text begins at a multiple of it */
    /* Whether objects of this type are wanted; NULL: all are. Threads: many at a time. */
    bool (*wanted)(void *arg, const struct sig *sig, const struct sig_type *type);
    void *wanted_arg;
    bool (*stop)(void); /* true ends it with ERR_INTERRUPTED; or NULL. Threads: as above */
    /* Told now and then, if it is not NULL: bytes of the ranges so far, and texts. */
    void (*tick)(void *arg, uint64_t bytes_done, uint64_t found);
    void *tick_arg;
};

struct text_totals {
    uint64_t found;  /* texts */
    uint64_t reread; /* bytes of the image that were read for them */
};

/*
 * Finds and stores the texts. Where the image has some of them already, all
 * are there, and nothing is done. Reads what may begin a text, and what nobody has looked at.
 *
 * Memory  16 bytes a piece of an object; 8 times 100 KiB for each thread, and where texts lie close
 *         together up to 3 MiB.
 * Errors  ERR_INTERRUPTED; those of image and case file. What was stored is then to be rolled back.
 */
ERR_MUST_CHECK enum err_code text_image(const struct text_image *job, struct text_totals *totals,
                                        struct err *err);

#endif
