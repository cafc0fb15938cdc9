/* SPDX-License-Identifier: Apache-2.0
 * signatures/facts/tell.c - see tell.h. Dates are in tell_date.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "signatures/facts/tell.h"

const uint8_t *tell_bytes(struct sig_facts *facts, uint64_t at, uint32_t len)
{
    const uint64_t page = at / SIG_FACT_PAGE + 1;
    const uint64_t cost =
        len + SIG_FACT_CALL_COST + (page != facts->page ? SIG_FACT_PAGE_COST : UINT64_C(0));

    if (len < 1 || len > SIG_BYTES_MAX || cost > facts->budget)
        return NULL;
    facts->budget -= cost;
    facts->page = page;
    return sig_bytes(&facts->in, at, len);
}

bool tell_has(const struct sig_facts *facts, enum sig_fact_key key)
{
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->items[i].key == key)
            return true;
    return false;
}

/* The place of the next fact; NULL: there is none, or one of the key. */
static struct sig_fact *tell_next(struct sig_facts *facts, enum sig_fact_key key)
{
    if (facts->count == SIG_FACTS_MAX || tell_has(facts, key))
        return NULL;
    struct sig_fact *fact = &facts->items[facts->count];
    fact->key = key;
    fact->has_number = false;
    fact->number = 0;
    fact->reach = facts->in.reached;
    fact->text[0] = '\0';
    return fact;
}

/* A text that is being made, character by character. */
struct tell_line {
    char *text;
    size_t len, end; /* bytes; without the blanks at the end */
    bool full;
};

static void tell_put(struct tell_line *line, uint32_t code)
{
    const bool blank = code <= ' ' || (code >= 0x7f && code <= 0xa0) || code == 0xfeff;
    char bytes[UTF8_MAX];

    if (blank && line->len == 0)
        return;
    const size_t len = utf8_put(blank ? ' ' : code, bytes);
    line->full = line->full || line->len + len > SIG_FACT_LEN;
    if (line->full)
        return;
    memcpy(line->text + line->len, bytes, len);
    line->len += len;
    line->end = blank ? line->end : line->len;
}

static void tell_line_end(struct sig_facts *facts, struct sig_fact *fact,
                          const struct tell_line *line)
{
    fact->text[line->end] = '\0';
    facts->count += line->end > 0;
}

void tell_text(struct sig_facts *facts, enum sig_fact_key key, const void *text, size_t len)
{
    struct sig_fact *fact = tell_next(facts, key);
    const char *bytes = text;

    if (fact == NULL)
        return;
    struct tell_line line = { .text = fact->text };
    for (size_t at = 0; at < len && bytes[at] != '\0' && !line.full;) {
        uint32_t code;
        const size_t step = utf8_sequence(bytes + at, len - at, &code);

        tell_put(&line, step > 0 ? code : UTF8_REPLACEMENT);
        at += step > 0 ? step : 1;
    }
    tell_line_end(facts, fact, &line);
}

void tell_latin1(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *text, size_t len)
{
    struct sig_fact *fact = tell_next(facts, key);

    if (fact == NULL)
        return;
    struct tell_line line = { .text = fact->text };
    for (size_t at = 0; at < len && text[at] != 0 && !line.full; at++)
        tell_put(&line, text[at]);
    tell_line_end(facts, fact, &line);
}

void tell_utf16(struct sig_facts *facts, enum sig_fact_key key, const uint8_t *bytes, size_t len,
                bool big)
{
    struct sig_fact *fact = tell_next(facts, key);
    uint32_t high = 0;

    if (fact == NULL)
        return;
    struct tell_line line = { .text = fact->text };
    for (size_t at = 0; at + 2 <= len && !line.full; at += 2) {
        const uint32_t unit = big ? (uint32_t)bytes[at] << 8 | bytes[at + 1]
                                  : (uint32_t)bytes[at + 1] << 8 | bytes[at];
        const bool low = unit >= 0xdc00 && unit < 0xe000;

        if (unit == 0)
            break;
        if (high != 0 && !low)
            tell_put(&line, UTF8_REPLACEMENT);
        if (unit >= 0xd800 && unit < 0xdc00) {
            high = unit;
            continue;
        }
        tell_put(&line, !low        ? unit
                        : high != 0 ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)
                                    : UTF8_REPLACEMENT);
        high = 0;
    }
    tell_line_end(facts, fact, &line);
}

static void tell_number(struct sig_facts *facts, struct sig_fact *fact, int64_t number)
{
    fact->has_number = true;
    fact->number = number;
    facts->count++;
}

void tell_count(struct sig_facts *facts, enum sig_fact_key key, uint64_t count)
{
    struct sig_fact *fact = count > 0 && count <= INT64_MAX ? tell_next(facts, key) : NULL;

    if (fact == NULL)
        return;
    snprintf(fact->text, sizeof fact->text, "%" PRIu64, count);
    tell_number(facts, fact, (int64_t)count);
}

void tell_size(struct sig_facts *facts, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return;
    tell_count(facts, SIG_FACT_WIDTH, width);
    tell_count(facts, SIG_FACT_HEIGHT, height);
}

void tell_scaled(struct sig_facts *facts, enum sig_fact_key key, int64_t scaled, uint32_t digits)
{
    struct sig_fact *fact = tell_next(facts, key);
    const uint64_t size = scaled < 0 ? 0 - (uint64_t)scaled : (uint64_t)scaled;
    uint64_t one = 1;

    if (fact == NULL)
        return;
    for (uint32_t i = 0; i < digits; i++)
        one *= 10;
    snprintf(fact->text, sizeof fact->text, "%s%" PRIu64 ".%0*" PRIu64, scaled < 0 ? "-" : "",
             size / one, (int)digits, size % one);
    tell_number(facts, fact, scaled);
}
