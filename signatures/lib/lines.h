/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/lines.h - formats that are lines of text, each of which can be told from what is
 * none. The format says of a line what it is; here they are read, up to the end of the file.
 */
#ifndef BURIN_SIGNATURES_LIB_LINES_H
#define BURIN_SIGNATURES_LIB_LINES_H

#include "signatures/lib/chars.h"
#include "signatures/sig.h"

enum lines_word {
    LINES_ON,      /* a line of the file, which goes on behind it */
    LINES_MAY_END, /* the same, and the file may end behind it */
    LINES_LAST,    /* the file ends with it, and with the line ends behind it */
    LINES_WRONG,   /* no line of the file: it ended before, or is broken */
};

/* A validator keeps it in its state between calls. It is zeroed before the first call. */
struct lines {
    struct chars text;
    uint64_t
        count; /* lines so far; a line of more than CHARS_WANT_MAX characters counts as several */
    uint64_t end; /* object offset behind the last line that the file may end with; 0: none */
    bool ended;
};

struct lines_format {
    /*
     * What the line is; the count-th, counted from 0. It may change `state`. *last: characters of
     * the last line that belong to the file, all of them if it is not changed.
     */
    enum lines_word (*line)(void *state, const struct chars_line *line, uint64_t count,
                            uint32_t *last);
    uint64_t broken_min; /* with fewer lines than these what breaks is no file of the format */
    const char *whole;   /* the reason of a whole file; */
    const char *wrong;   /* of one that breaks */
};

/* The verdict on lines from the object's beginning on. state: what format->line is given. */
struct sig_result lines_check(struct sig_input *in, struct lines *lines,
                              const struct lines_format *format, void *state);

/* Whether the line begins with this word, in this case. */
bool lines_begins(const struct chars_line *line, const char *word);

/* The same of the word that ends the file; *last becomes its length. */
bool lines_mark(const struct chars_line *line, const char *word, uint32_t *last);

/* Whether the line has this word anywhere; *last becomes the characters up to its end. */
bool lines_has(const struct chars_line *line, const char *word, uint32_t *last);

/* Whether the line ends with this word, in this case, but for spaces. */
bool lines_ends(const struct chars_line *line, const char *word);

#endif
