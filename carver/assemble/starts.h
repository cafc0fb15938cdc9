/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/starts.h - the headers of an image that may begin files in pieces.
 *
 * Files begin on sectors. A header counts whether its validator made an object of it or refused it:
 * where a file breaks early, there is no object.
 */
#ifndef BURIN_CARVER_ASSEMBLE_STARTS_H
#define BURIN_CARVER_ASSEMBLE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/case/record.h"
#include "db/case.h"
#include "io/reader.h"
#include "signatures/sig.h"

enum {
    STARTS_MAX = 8 << 20,    /* of an image; those of weak headers are left out first */
    STARTS_STRONG_BITS = 24, /* a header of so many fixed bits is not weak */
    STARTS_OF_RUNS = 64,     /* that are looked at for one file */
    STARTS_REACH = 64 << 20  /* bytes */
};

struct start {
    uint64_t offset; /* of the file */
    int64_t hit_id, signature_id;
    const struct sig *sig;
    bool object; /* the scan made an object of it */
    bool weak;   /* its header has fewer than STARTS_STRONG_BITS fixed bits */
};

/* Zeroed is empty. */
struct starts {
    struct start *items; /* by (offset, hit_id) */
    size_t count, room;
    uint32_t ats[STARTS_OF_RUNS], at_count; /* how far behind the beginning headers stand */
    bool weak_left_out,
        more; /* there are too many: the weak ones are not here; nor are all others */
};

/* What the scan of an image still has in memory of what it found, all of it. */
struct starts_seen {
    const struct record_header *headers; /* [header_count] */
    uint32_t header_count, object_count;
    const struct db_place *objects; /* [object_count] */
    const struct sig *const *sigs;  /* [sig_count]: of the rows that headers name */
    const int64_t *signature_ids;   /* [sig_count]: in the case file */
    uint32_t sig_count;
};

/*
 * All starts of the image. seen: NULL, and they are read from the case file, which takes many times
 * as long. A signature whose headers stand at several places gives one for each:
 * whether the header stands there is not looked at. threads: that may look at what was seen, the
 * caller's among them. Errors: those of the case file; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code starts_load(struct db_case *db, int64_t image_id,
                                         const struct starts_seen *seen, uint32_t threads,
                                         struct starts *out, struct err *err);
void starts_release(struct starts *starts);

/*
 * The bytes of an image of image_len bytes that lie at most STARTS_REACH behind a start. What may
 * be done for starts goes by them, and not by the size of the image: where that has holes of
 * terabytes, it says nothing about what is there.
 */
uint64_t starts_reach(const struct starts *starts, uint64_t image_len);

/* Those that begin at this offset: the index of the first; *count of them. */
size_t starts_at(const struct starts *starts, uint64_t offset, size_t *count);
/* The same for offsets that ascend from call to call; next: 0 at first, then what was returned. */
size_t starts_at_next(const struct starts *starts, uint64_t offset, size_t next, size_t *count);

/*
 * Those that a file with these pieces may have: where it begins, and where the header of a
 * signature stands behind the beginning, in whichever piece. out: [STARTS_OF_RUNS]; returns their
 * number.
 */
uint32_t starts_of_runs(const struct starts *starts, const struct io_range *runs, uint32_t count,
                        const struct start **out);

#endif
