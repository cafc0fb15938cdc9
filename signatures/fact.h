/* SPDX-License-Identifier: Apache-2.0
 * signatures/fact.h - facts: what a file says of itself (when a photo was taken and where, who
 * wrote a document, how large a picture is).
 *
 * A signature may have a reader of facts (sig.facts). It is asked once, when the validator has
 * given its verdict, with all bytes of the object at hand, and tells what it finds. So nothing is
 * read of what is no file, facts do not depend on how the bytes were cut, and an object that was
 * put together from pieces is asked as a whole.
 *
 * Nothing vouches for facts: a file may lie, and clocks may be wrong.
 *
 * Everything is bounded: SIG_FACTS_MAX facts of an object, SIG_FACT_LEN bytes of each, a budget of
 * bytes that are read, and one of bytes that are unpacked. A reader that runs out of one sees no
 * more, as if the file ended there.
 *
 * Threads: a struct sig_facts belongs to one thread at a time.
 */
#ifndef BURIN_SIGNATURES_FACT_H
#define BURIN_SIGNATURES_FACT_H

#include <stdbool.h>
#include <stdint.h>

#include "signatures/sig.h"

enum {
    SIG_FACTS_MAX = 16,           /* of an object */
    SIG_FACT_LEN = 256,           /* bytes of a value */
    SIG_FACT_READ = 64 << 10,     /* bytes that may be read of any object, */
    SIG_FACT_READ_SHARE = 8,      /* and one in so many of its own, */
    SIG_FACT_READ_MAX = 2 << 20,  /* up to so many */
    SIG_FACT_PAGE = 4096,         /* bytes of the object that count as one place; */
    SIG_FACT_PAGE_COST = 512,     /* going to another place counts as so many bytes, */
    SIG_FACT_CALL_COST = 16,      /* and each request as so many */
    SIG_FACT_SCRATCH = 128 << 10, /* bytes of memory that a reader may use */
};

enum sig_fact_key {
#define FACT(symbol, word) SIG_FACT_##symbol,
#define FACT_DATE(symbol, word) SIG_FACT_##symbol, SIG_FACT_##symbol##_LOCAL,
#include "signatures/facts.def"
#undef FACT_DATE
#undef FACT
    SIG_FACT_KEYS
};

struct sig_fact {
    enum sig_fact_key key;
    bool has_number;
    /*
     * Of a date: seconds since 1970 in UTC, or, of a key that ends with ".local", as if its clock
     * showed UTC. Of a place: degrees times 10^7, millimetres. Otherwise a count.
     */
    int64_t number;
    uint64_t reach;              /* the fact lies in the first so many bytes of the object */
    char text[SIG_FACT_LEN + 1]; /* UTF-8 without control characters, as the file has it */
};

/* The facts of one object. It is large: owners keep one, and use it again. */
struct sig_facts {
    struct sig_input in;   /* the object: its limit is its length */
    uint64_t budget, page; /* bytes that may still be read; the place read last, + 1 */
    uint64_t unpack;       /* bytes that may still be unpacked */
    uint32_t count;        /* each key at most once */
    struct sig_fact items[SIG_FACTS_MAX];
    _Alignas(64) uint8_t scratch[SIG_FACT_SCRATCH]; /* of the reader; holds anything at first */
};

/* "taken", "gps.lat": static text. */
const char *sig_fact_word(enum sig_fact_key key);

/*
 * The date that a text is: YEAR:MONTH:DAY HOUR:MINUTE:SECOND as Exif has it, with - or / for the
 * first colons and T for the blank, fractions of a second, and Z or +HH:MM behind it; the parts
 * behind the day may be missing. *seconds: since 1970, in UTC where there is a zone, else as if its
 * clock showed UTC. False: it is none.
 */
bool sig_fact_date(const char *text, size_t len, int64_t *seconds, bool *zone);

/*
 * Asks for the facts of an object: len bytes at image offset start, type as its validator gave it.
 * source shows all of them. A signature without a reader gives none. An error of the source shows
 * as bytes that are not there: the owner looks for it.
 */
void sig_facts_read(const struct sig *sig, const struct sig_type *type, struct sig_source *source,
                    uint64_t start, uint64_t len, struct sig_facts *facts);

#endif
