/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/fact.c - see fact.h: the words of the keys, and how a reader is asked. */
#include "signatures/fact.h"

enum { FACT_UNPACK = 64 << 10 /* bytes that may be unpacked of an object */ };

const char *sig_fact_word(enum sig_fact_key key)
{
    static const char *const words[SIG_FACT_KEYS] = {
#define FACT(symbol, word) [SIG_FACT_##symbol] = (word),
#define FACT_DATE(symbol, word)                                                                    \
    [SIG_FACT_##symbol] = (word), [SIG_FACT_##symbol##_LOCAL] = word ".local",
#include "signatures/facts.def"
#undef FACT_DATE
#undef FACT
    };

    return words[key];
}

void sig_facts_read(const struct sig *sig, const struct sig_type *type, struct sig_source *source,
                    uint64_t start, uint64_t len, struct sig_facts *facts)
{
    const uint64_t budget = SIG_FACT_READ + len / SIG_FACT_READ_SHARE;

    facts->count = 0;
    if (sig->facts == NULL || len == 0)
        return;
    facts->in = (struct sig_input){
        .source = source, .sig = sig, .type = type, .start = start, .limit = len
    };
    facts->budget = budget < SIG_FACT_READ_MAX ? budget : SIG_FACT_READ_MAX;
    facts->unpack = FACT_UNPACK;
    facts->page = 0;
    sig->facts(facts);
}
