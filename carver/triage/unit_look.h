/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/unit_look.h - what one unit of a sample holds: its class, files that begin in it,
 * known blocks, keywords.
 *
 *   bytes of a unit ──► class (block_class.h)
 *                  ├──► headers ──► validators, as far as the unit reaches
 *                  ├──► hashes of its blocks ──► known sets
 *                  └──► keywords
 *
 * A file counts where its header stands on a sector and its validator finds nothing wrong with what
 * the unit has of it; where that is little, its header must be long.
 *
 * Threads: one at a time uses a looker. Several may share what unit_look_open is given.
 */
#ifndef BURIN_CARVER_TRIAGE_UNIT_LOOK_H
#define BURIN_CARVER_TRIAGE_UNIT_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/keyword/keyword.h"
#include "carver/known/known_blocks.h"
#include "carver/known/known_scan.h"
#include "carver/plan/patterns.h"
#include "carver/triage/block_class.h"
#include "match/matcher.h"
#include "signatures/sig.h"

enum {
    UNIT_LEAST = 4096,
    UNIT_MOST = 64 * 1024,
    UNIT_CHECKS_MAX = 512, /* validators that are asked about one unit */
    UNIT_FOUND_MAX = 1024, /* things that are told of one unit */
    UNIT_HEADER_BITS = 32, /* of a header that counts before its validator has found more right */
};

/* What to look for: the caller's, for all lookers. */
struct unit_aim {
    const struct sig *const *sigs; /* of files; by number of the patterns */
    const struct patterns *files;
    const struct match_matcher *file_matcher;
    const struct keyword_set *keywords; /* NULL: none */
    const struct match_matcher *keyword_matcher;
    const struct known_scan *known; /* sets of blocks; none where its count is 0 */
    uint32_t unit;                  /* bytes, a power of two */
    uint64_t image_size;
};

enum unit_kind { UNIT_FILE, UNIT_KNOWN, UNIT_KEYWORD };

/* What a file says of itself, as far as the unit reaches (signatures/fact.h). */
enum {
    UNIT_CAMERA = 1, /* the camera that took it */
    UNIT_GPS = 2,    /* where it was taken */
    UNIT_DATE = 4,   /* a date: taken, modified or created, the first of these that it has */
    UNIT_SAYS = 3,   /* of the kinds of these */
};

/* Something that was found. */
struct unit_found {
    enum unit_kind kind;
    uint64_t offset; /* of the image */
    uint64_t len;    /* bytes: of the file, where all of it was seen, else 0; of block or keyword */
    const struct sig *sig;       /* UNIT_FILE */
    const struct sig_type *type; /* UNIT_FILE */
    uint32_t says;               /* UNIT_FILE: UNIT_CAMERA | ... */
    int64_t date;                /* UNIT_DATE: seconds since 1970, by the clock of the file */
    uint32_t number;             /* UNIT_KNOWN: of the set; UNIT_KEYWORD: of the keyword */
    struct known_found known;    /* UNIT_KNOWN; the name is the set's */
    uint8_t digest[DIGEST_MAX];  /* UNIT_KNOWN */
};

struct unit_seen {
    enum block_class what;
    struct unit_found *found; /* the looker's, until it looks at another unit */
    uint32_t found_count;
    bool full; /* there is more than is told */
};

struct unit_looker; /* owned by the caller of unit_look_open */

ERR_MUST_CHECK enum err_code unit_look_open(const struct unit_aim *aim, struct unit_looker **out,
                                            struct err *err);
void unit_look_close(struct unit_looker *looker); /* NULL is a no-op */

/*
 * Looks at len bytes from image offset `offset` on, at most those of a unit, all of which could be
 * read. Errors: ERR_ENV; ERR_INTERRUPTED.
 */
ERR_MUST_CHECK enum err_code unit_look(struct unit_looker *looker, uint64_t offset,
                                       const uint8_t *bytes, uint32_t len, struct unit_seen *out,
                                       struct err *err);

/*
 * The same for several units, no two of which have a byte in common: looks up the blocks of all of
 * them, which together takes a tenth of the time, and then, for each, looks at the rest.
 */
ERR_MUST_CHECK enum err_code unit_look_blocks(struct unit_looker *looker,
                                              const struct known_piece *units, uint32_t count,
                                              struct err *err);
ERR_MUST_CHECK enum err_code unit_look_rest(struct unit_looker *looker,
                                            const struct known_piece *unit, struct unit_seen *out,
                                            struct err *err);

#endif
