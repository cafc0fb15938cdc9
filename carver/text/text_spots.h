/* SPDX-License-Identifier: Apache-2.0
 * carver/text/text_spots.h - sectors that plain text may begin with, noted while somebody else
 * reads the image: what looks for text reads these alone, and what nobody has looked at.
 *
 *   thread, part by part ──► text_sieve ──► text_starts ──► text_spots_add ──► text_spots ──►
 * text.c
 *
 * A sector that is left out begins no text by the rules of text.c and of the validator, unless an
 * object ends right before it.
 *
 * Threads: one at a time has a struct of these.
 */
#ifndef BURIN_CARVER_TEXT_TEXT_SPOTS_H
#define BURIN_CARVER_TEXT_TEXT_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "carver/text/text_said.h"
#include "io/reader.h"

enum {
    TEXT_FIRST = 32,           /* bytes that must be text before the validator is asked */
    TEXT_BEFORE = 16,          /* bytes before a text, of which one is no text */
    TEXT_ZEROS = 2,            /* bytes before a text, through which none goes: one of UTF-16 */
    TEXT_SPOTS_MAX = 16 << 20, /* of an image */
    TEXT_SAID_MAX = 4 << 20,   /* of an image; of the others nothing is kept */
};

/* Those of one stretch that was read in order. Zeroed is empty, and nothing was looked at. */
struct text_starts {
    uint64_t *items; /* [count]: image offsets, ascending; owned */
    size_t count, room;
    uint64_t from, to; /* image offsets: of what was looked at */
    /* [said_count]: what the validator says of some of them, ascending; owned */
    struct text_said *said;
    size_t said_count, said_room;
};

/* Those of an image. Zeroed: nothing was looked at. */
struct text_spots {
    uint64_t *at; /* [count]: image offsets, ascending; owned */
    size_t count, room;
    struct io_range *seen; /* [seen_count]: ascending, not touching; owned */
    size_t seen_count, seen_room;
    struct text_said *said; /* [said_count]: as above */
    size_t said_count, said_room;
};

/* How many of the bytes, from the first one on, are characters of text in some encoding of bytes.
 */
uint32_t text_chars(const uint8_t *bytes, uint32_t len);

/*
 * Judges the whole sectors of bytes[len], which lie at image offset `offset`, a multiple of 512,
 * right behind those that were judged before (or are the first); before: how many bytes in front of
 * bytes[0] are those of the image there. 2 to 10 ns for most sectors. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code text_sieve(struct text_starts *starts, const uint8_t *bytes,
                                        size_t len, uint32_t before, uint64_t offset,
                                        struct err *err);
/* Zeros from image offset from to to, multiples of 512, begin no text. */
void text_sieve_zeros(struct text_starts *starts, uint64_t from, uint64_t to);
/* Forgets what lies from this image offset on. */
void text_starts_cut(struct text_starts *starts, uint64_t to);
void text_starts_clear(struct text_starts *starts); /* its memory stays */
void text_starts_release(struct text_starts *starts);

/*
 * Adds those of a stretch behind all that were added. Memory: 8 bytes for each, 128 MiB at most:
 * what has more of them counts as not looked at, and then, or where nothing was looked at, *added
 * is false; and 32 bytes for what is said of one, 128 MiB at most. Errors: ERR_ENV, no memory.
 */
ERR_MUST_CHECK enum err_code text_spots_add(struct text_spots *spots,
                                            const struct text_starts *starts, bool *added,
                                            struct err *err);
void text_spots_release(struct text_spots *spots);

/* What was said of a text that begins at image offset `at`; NULL: nothing. */
const struct text_said *text_spots_said(const struct text_spots *spots, uint64_t at);

/* The first image offset, from `at` on, where text may begin or that nobody has looked at. */
uint64_t text_spots_next(const struct text_spots *spots, uint64_t at);

#endif
