/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/claims.h - the layouts that file systems left, and the objects that they are of.
 *
 * A layout is a claim: the image has a header where it begins, and the validator of that header
 * must read its pieces to the end that it says.
 */
#ifndef BURIN_CARVER_ASSEMBLE_CLAIMS_H
#define BURIN_CARVER_ASSEMBLE_CLAIMS_H

#include "carver/assemble/whole.h"
#include "io/leftover.h"

enum {
    CLAIMS_MAX = 1 << 20,      /* of an image; more are left out, and it is said */
    CLAIMS_RUNS_MAX = 8 << 20, /* of all of them together */
    CLAIMS_SLOTS = 1 << 16,    /* that claims are spread over, by where their files begin */
    CLAIMS_MAPPED = 8,         /* one byte in so many is in use, where a file system says what is */
    CLAIM_TEXT = 64,
};

struct claim {
    enum io_layout_source source;
    uint64_t first_run; /* index in struct claims, runs */
    uint32_t run_count;
    bool open_end, in_use;
    uint32_t lead;   /* see struct io_layout, */
    uint64_t listed; /* and where its list lies, image offset */
    bool mapped;     /* its file system says what is in use around it */
    uint32_t same;   /* number + 1 of the claim before it that begins in the same slot; 0: none */
    uint32_t unit;
    uint64_t size;
    struct io_range area;
    char text[CLAIM_TEXT];
};

/* Zeroed is empty. */
struct claims {
    struct claim *items;
    struct io_range *runs;
    size_t count, room, run_count, run_room;
    /* Clusters that hold entries of folders of FAT and exFAT: they are no file's. */
    struct io_range *folders;
    size_t folder_count, folder_room;
    uint32_t *slots; /* [CLAIMS_SLOTS]: number + 1 of the last claim in each */
    bool more;       /* some were left out */
};

/* Gives what file systems say of the image, or waits for it. Errors: as io_fsmap_open. */
typedef enum err_code (*claims_map_fn)(void *arg, const struct io_fsmap **map, struct err *err);

/*
 * Loads those that begin where a start is, or have a lead, but no list of blocks of a file that is
 * in use: the file itself is there. threads: that may help. Errors: those of the image; ERR_ENV.
 */
ERR_MUST_CHECK enum err_code claims_load(struct io_image *image, claims_map_fn map, void *map_arg,
                                         const struct io_leftover_spots *spots,
                                         const struct starts *starts, uint32_t threads,
                                         bool (*stop)(void), struct claims *out, struct err *err);
void claims_release(struct claims *claims);

/* The bytes of pieces. */
uint64_t claim_bytes(const struct io_range *runs, uint32_t count);

/*
 * Whether the validator agrees with the layout, whose pieces have `all` bytes: the file ends where
 * the layout says, or, where that gives only blocks, in its last block.
 */
bool claim_agrees(const struct claim *claim, const struct sig_result *result, uint64_t all);

/*
 * Puts together the file of a claim that has all of its pieces. out->start stays NULL when no
 * validator agrees.
 */
ERR_MUST_CHECK enum err_code claim_try(const struct claims *claims, size_t number,
                                       const struct starts *starts, struct trial *trial,
                                       struct whole *out, struct err *err);

#endif
