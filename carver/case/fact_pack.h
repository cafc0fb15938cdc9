/* SPDX-License-Identifier: Apache-2.0
 * carver/case/fact_pack.h - facts of objects on their way into the case file, as bytes: most
 * objects have few, and none has all that there is room for in a struct sig_facts.
 */
#ifndef BURIN_CARVER_CASE_FACT_PACK_H
#define BURIN_CARVER_CASE_FACT_PACK_H

#include "base/pack.h"
#include "db/case.h"
#include "signatures/fact.h"

/* Facts of one object among others in a pack. Zeroed: none. */
struct fact_place {
    uint32_t at, len; /* bytes */
};

/* Appends the facts; see pack->failed. */
struct fact_place fact_pack(struct pack *out, const struct sig_facts *facts);

/* Appends facts that stand in another pack. */
struct fact_place fact_pack_copy(struct pack *out, const struct pack *from,
                                 struct fact_place place);

/*
 * The facts as rows, those alone that lie in the first len bytes of the object: out[SIG_FACTS_MAX].
 * Returns their number. Texts stay where they are.
 */
uint32_t fact_unpack(const struct pack *from, struct fact_place place, uint64_t len,
                     struct db_fact *out);

/* The same of facts that were not packed. */
uint32_t fact_rows(const struct sig_facts *facts, uint64_t len, struct db_fact *out);

/* Packed facts one by one: the one at *at, 0 for the first; *at goes on behind it. False: there is
 * none any more. */
bool fact_next(const struct pack *from, struct fact_place place, uint32_t *at,
               struct sig_fact *out);

#endif
