/* SPDX-License-Identifier: Apache-2.0
 * match/aligned/aligned.h - patterns that count only where a file could begin: a fixed distance
 * behind the start of a sector.
 *
 * Headers of two or three bytes stand everywhere by chance, and no engine is fast when half of its
 * candidates are real. On sectors alone there are few places to look at: two bytes of each choose,
 * by one look-up, the patterns that are compared there. So they cost next to nothing beside the
 * engine, and all engines have the same ones.
 */
#ifndef BURIN_MATCH_ALIGNED_ALIGNED_H
#define BURIN_MATCH_ALIGNED_ALIGNED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "match/dictionary.h"
#include "match/engine.h"

struct match_aligned; /* all MATCH_SECTOR_ALIGNED patterns of a dictionary; immutable, shared
                         between threads */

/* *out is NULL when the dictionary has none. The dictionary must outlive it. */
ERR_MUST_CHECK enum err_code match_aligned_open(const struct match_dictionary *dictionary,
                                                struct match_aligned **out, struct err *err);
void match_aligned_close(struct match_aligned *aligned); /* NULL is a no-op */

/*
 * Appends every match that begins at text [from, to) and whose last byte lies in text [fresh,
 * text->len). False, with sink as it was, when there is no room for all of them.
 */
bool match_aligned_scan(const struct match_aligned *aligned, const struct match_text *text,
                        uint32_t fresh, uint32_t from, uint32_t to, struct match_sink *sink);

#endif
