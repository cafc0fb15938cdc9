/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/markup.h - values in XML text that is at hand: <name>value</name>, and
 * name="value".
 *
 * It is no parser: it looks for a name with its prefix, as all writers of such files give it.
 */
#ifndef BURIN_SIGNATURES_FACTS_MARKUP_H
#define BURIN_SIGNATURES_FACTS_MARKUP_H

#include "signatures/facts/tell.h"

struct markup {
    const char *text;
    size_t len;
};

enum { MARKUP_VALUE = 4 * SIG_FACT_LEN /* bytes of a value, at most */ };

/*
 * The value of the first element or attribute of the name, such as "dc:creator": of an element that
 * holds others the first text inside. Entities are characters, blanks stay. Returns its bytes, 0:
 * there is none.
 */
size_t markup_value(const struct markup *markup, const char *name, char out[MARKUP_VALUE]);

/* Tells it as a text, as a date. */
void markup_text(struct sig_facts *facts, enum sig_fact_key key, const struct markup *markup,
                 const char *name);
void markup_date(struct sig_facts *facts, enum sig_fact_key key, const struct markup *markup,
                 const char *name);

#endif
