/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/facts/facts_of.h - the facts of bytes in memory, as text: "key=value" or
 * "key=value #number", a line each, in the order in which they are told.
 */
#ifndef BURIN_TESTS_SIGNATURES_FACTS_FACTS_OF_H
#define BURIN_TESTS_SIGNATURES_FACTS_FACTS_OF_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* needs those before it */

#include "signatures/fact.h"
#include "tests/signatures/harness.h"

/* Of a file of signature `name`; the caller frees the struct. */
static inline struct sig_facts *facts_read(const char *name, const void *bytes, size_t len)
{
    return harness_facts(harness_sig(name), NULL, bytes, len);
}

static inline void facts_print(const struct sig_facts *facts, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct sig_fact *fact = &facts->items[i];

        at += (size_t)snprintf(out + at, size - at, "%s=%s", sig_fact_word(fact->key), fact->text);
        if (fact->has_number)
            at += (size_t)snprintf(out + at, size - at, " #%lld", (long long)fact->number);
        at += (size_t)snprintf(out + at, size - at, "\n");
        assert_true(at < size);
    }
}

/* The facts are these. */
static inline void facts_are(const char *name, const void *bytes, size_t len, const char *want)
{
    struct sig_facts *facts = facts_read(name, bytes, len);
    char got[16384];

    facts_print(facts, got, sizeof got);
    assert_string_equal(got, want);
    free(facts);
}

#endif
