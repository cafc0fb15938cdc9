/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/tell.h - what readers of facts call: bytes of the object, and one function for
 * each kind of value.
 *
 * The first fact of a key counts; later ones of the key, those without a value, and those for which
 * there is no room are left out.
 */
#ifndef BURIN_SIGNATURES_FACTS_TELL_H
#define BURIN_SIGNATURES_FACTS_TELL_H

#include "signatures/fact.h"

/*
 * Returns len bytes (1..SIG_BYTES_MAX) at object offset at, valid until the next call. NULL: the
 * object does not have them, they cannot be read, or the budget is used up: no fact from here.
 */
const uint8_t *tell_bytes(struct sig_facts *facts, uint64_t at, uint32_t len);

/* The object's length. */
static inline uint64_t tell_len(const struct sig_facts *facts)
{
    return facts->in.limit;
}

/* Whether there is a fact of the key. */
bool tell_has(const struct sig_facts *facts, enum sig_fact_key key);

/*
 * A text of len bytes, up to a NUL: UTF-8, and what is none as U+FFFD. Control characters count as
 * blanks, blanks at its ends are left out.
 */
void tell_text(struct sig_facts *facts, enum sig_fact_key key, const void *text, size_t len);
/* The same of a text of one byte a character, ISO 8859-1. */
void tell_latin1(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *text, size_t len);
/* The same of `len` bytes of UTF-16. */
void tell_utf16(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *bytes, size_t len,
                bool big);

/* A count; 0 tells nothing. */
void tell_count(struct sig_facts *facts, enum sig_fact_key key, uint64_t count);
/* Pixels; both, or neither. */
void tell_size(struct sig_facts *facts, uint64_t width, uint64_t height);

/* A moment in UTC, with ISO 8601 as its value; 0 and what lies outside of the years 1 to 9999 tells
 * nothing. */
void tell_moment(struct sig_facts *facts, enum sig_fact_key key, int64_t unix_time);

/*
 * A date as text: see sig_fact_date. zone: such a text for the zone where `text` has none; len 0:
 * there is none. Without a zone the key is the one with ".local". A date that cannot be tells
 * nothing.
 */
void tell_date(struct sig_facts *facts, enum sig_fact_key key, const char *text, size_t len,
               const char *zone, size_t zone_len);

/* A number with `digits` digits behind the point: scaled is number times 10^digits. */
void tell_scaled(struct sig_facts *facts, enum sig_fact_key key, int64_t scaled, uint32_t digits);

#endif
