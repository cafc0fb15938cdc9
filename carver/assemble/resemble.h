/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/resemble.h - how well the bytes of two pieces go together, in bits.
 *
 * A window of an image is counted sector by sector. What a run of sectors costs is the length of
 * their bytes in a code that learns how often each value occurs while it goes on (the estimator of
 * Krichevsky and Trofimov, 1981). Sectors of one file share a code: together they cost less than
 * each by itself. Sectors of one value alone, such as zeros, may belong to anything: they cost
 * nothing. So a seam is likely where both pieces share one code, and what lies between them has
 * another one. A sample of the image tells in how many places of it each short string stands: what
 * two pieces have in common of those (grams.h) says more, the rarer they are.
 *
 * Costs are integers, in 256ths of a bit: they are the same on every machine.
 *
 * Threads: a table is read by any number; one thread uses a window, which keeps what was asked for.
 */
#ifndef BURIN_CARVER_ASSEMBLE_RESEMBLE_H
#define BURIN_CARVER_ASSEMBLE_RESEMBLE_H

#include "carver/assemble/edges.h"
#include "carver/assemble/grams.h"
#include "carver/assemble/splice.h"

enum {
    RESEMBLE_SECTORS = 2048, /* of a window, at most */
    RESEMBLE_JOINT = 96,     /* sectors whose cost is asked for at a time, at most */
    RESEMBLE_BIT = 256,      /* a bit, as costs count */
    RESEMBLE_SPOTS = 128,    /* of an image, even far apart, of which a sample is taken, */
    RESEMBLE_PLACES = 2048,  /* places in all of them, */
    RESEMBLE_PLACE = 8,      /* sectors of one, */
    RESEMBLE_LEVELS = 4,     /* of which the first 1, 2, 4 and 8 can be compared */
    RESEMBLE_SHARED = 8,     /* bits for each that shared strings say, */
    RESEMBLE_EDGES = 16,     /* and that the bytes at a seam say */
};

struct resemble_table; /* owned by the caller of resemble_table_make */

/* Errors: ERR_ENV for no memory. */
ERR_MUST_CHECK enum err_code resemble_table_make(struct resemble_table **out, struct err *err);
void resemble_table_free(struct resemble_table *table); /* NULL is a no-op */

/* Zeroed is empty. */
struct resemble {
    const struct resemble_table *table;
    uint32_t sectors;      /* that the window has */
    uint16_t (*sums)[256]; /* [sectors + 1]: how often each value occurs before each sector, less a
                              multiple of 65536: no range has as many */
    uint64_t *alone;       /* [sectors + 1]: what the sectors before each cost, each by itself */
    struct grams *grams;   /* [sectors]: the strings of each that was asked for them */
    uint8_t *bytes;        /* of all sectors; zeros where they could not be read */
};

/* Ranges of sectors of the window, [from, to). */
struct resemble_range {
    uint32_t from, to;
};

/*
 * Counts the window, or less where the image ends. from: on a sector. The splice reads the image.
 * Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code resemble_open(struct resemble *out, const struct resemble_table *table,
                                           struct splice *splice, uint64_t image_len, uint64_t from,
                                           uint32_t sectors, struct err *err);
/* As resemble_open, of sectors anywhere: sectors[count], their image offsets. */
ERR_MUST_CHECK enum err_code resemble_open_at(struct resemble *out,
                                              const struct resemble_table *table,
                                              struct splice *splice, const uint64_t *sectors,
                                              uint32_t count, struct err *err);
void resemble_close(struct resemble *window); /* of a zeroed one: a no-op */

/* Keeps the strings of all sectors: from then on any number of threads may read the window. */
void resemble_keep_grams(const struct resemble *window);

/*
 * What is saved when the sectors of these ranges, RESEMBLE_JOINT at most, share a code. Ranges may
 * be empty.
 */
int64_t resemble_saved(const struct resemble *window, const struct resemble_range *ranges,
                       uint32_t count);
/* What is saved when two ranges do not share a code and each has one of its own: little, or less
 * than nothing, where the one goes on as the other. */
int64_t resemble_apart(const struct resemble *window, struct resemble_range a,
                       struct resemble_range b);

/* The same of a range of each of two windows. */
int64_t resemble_saved_with(const struct resemble *a, struct resemble_range in_a,
                            const struct resemble *b, struct resemble_range in_b);

/* Whether this sector of the window is all of one value. */
bool resemble_is_flat(const struct resemble *window, uint32_t sector);

/* Whether the bytes of this sector look like any bytes: packed or encrypted ones. */
bool resemble_is_dense(const struct resemble *window, uint32_t sector);

/* Whether no byte of these sectors is a control character but those of lines and pages. */
bool resemble_is_text(const struct resemble *window, const struct resemble_range *range);

/* Places all over an image, to be held against one. Read by any number of threads when made. */
struct resemble_sample;

/*
 * A sample is opened, all of its RESEMBLE_SPOTS spots are taken, each once and by any thread, and
 * then it is settled: now it may be read. Of places, whole sectors count that are not all of one
 * value. Errors: ERR_ENV.
 */
ERR_MUST_CHECK enum err_code resemble_sample_open(struct resemble_sample **out, struct err *err);
ERR_MUST_CHECK enum err_code resemble_sample_take(struct resemble_sample *sample, uint32_t spot,
                                                  const struct resemble_table *table,
                                                  struct splice *splice, uint64_t image_len,
                                                  struct err *err);
void resemble_sample_settle(struct resemble_sample *sample);
/* Says that all spots will be read soon. */
void resemble_sample_soon(const struct io_image *image);
void resemble_sample_free(struct resemble_sample *sample); /* NULL is a no-op */

/* Adds the strings of these sectors of the window. */
void resemble_add_grams(const struct resemble *window, struct resemble_range range,
                        struct grams_set *set);

/*
 * What the strings say that the set and these sectors of the window have in common, by the places
 * of the sample in which they stand: RESEMBLE_SHARED times as many bits, in 256ths. kept: NULL, or
 * [window->sectors], zeros at first, which of its strings the set has of each sector that was asked
 * for them: for those who ask about ranges of the same sectors again and again.
 */
int64_t resemble_shared(const struct resemble_sample *sample, const struct resemble *window,
                        const struct grams_set *set, uint64_t *kept, struct resemble_range range);

/* As edges_go_on, RESEMBLE_EDGES times as much. */
int64_t resemble_edges(const struct edges *edges, const uint8_t before[EDGES_BYTES],
                       const uint8_t behind[EDGES_BYTES], uint64_t at);

/* What two pieces are to have in common. */
struct resemble_with {
    const struct grams_set *strings; /* of the first one, */
    const struct edges *edges;       /* what was learnt from it, */
    const uint8_t *before;           /* [EDGES_BYTES]: its last bytes, */
    uint64_t at;                     /* and the object offset behind them */
};

/*
 * The image offsets of the places, RESEMBLE_PLACES at most, whose first sectors go together with
 * the range, and with the first piece, at least as well as the `behind` sectors, 0 to
 * RESEMBLE_PLACE, from `from` on do, those of zeros among them. Where behind is 0, all do. Returns
 * their number.
 */
uint32_t resemble_sample_alike(const struct resemble_sample *sample, const struct resemble *window,
                               const struct resemble_with *with, struct resemble_range range,
                               uint32_t from, uint32_t behind, uint64_t out[RESEMBLE_PLACES]);
/* Places of the sample that are not zeros: that one of zeros would not do as well as another place
 * says nothing for that one. */
uint32_t resemble_sample_count(const struct resemble_sample *sample);

#endif
