/* SPDX-License-Identifier: Apache-2.0
 * carver/report/html/texts.h - texts that many objects share, each kept once and named by a number.
 *
 * A text is kept as print_safe writes it. Number 0 is the empty text.
 */
#ifndef BURIN_CARVER_REPORT_HTML_TEXTS_H
#define BURIN_CARVER_REPORT_HTML_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { TEXTS_MAX = 1 << 29 /* bytes of all texts */ };

struct texts {
    char *text;   /* owned: one text behind the other */
    uint32_t *at; /* owned: where each begins; at[count] is where the last one ends */
    uint32_t *slots;
    size_t used, room, count, at_room, slot_count;
    char *safe; /* one text, as print_safe writes it */
    size_t safe_room;
};

/* The number of the text. ERR_ENV: no memory; ERR_FULL: there are more texts than TEXTS_MAX. A
 * texts of zeros is empty. */
ERR_MUST_CHECK enum err_code texts_put(struct texts *texts, const char *text, uint32_t *out,
                                       struct err *err);
/* A text is not ended by a NUL. */
const char *texts_text(const struct texts *texts, uint32_t number, size_t *len);
void texts_close(struct texts *texts); /* of a zeroed one: a no-op */

#endif
