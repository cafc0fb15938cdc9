/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_facts.c - which application a SQLite database is of, by the names of
 * its tables.
 *
 * The names are those in the statements of the schema: in the text of the first page, where the
 * schema begins, or of the leaves that the first page names.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/database/database_facts.h"
#include "signatures/database/sqlite_application.h"
#include "signatures/facts/tell.h"

enum {
    SQLITE_FACTS_HEAD = 100,
    SQLITE_FACTS_PAGES = 12, /* of the schema, that are looked at */
};

/* Pages of the schema: the first one, and the leaves that it names where it names some. */
struct sqlite_facts_schema {
    uint32_t page_size, count;
    uint32_t pages[SQLITE_FACTS_PAGES];
};

static void sqlite_facts_schema(struct sig_facts *facts, struct sqlite_facts_schema *schema)
{
    const uint8_t *head = tell_bytes(facts, SQLITE_FACTS_HEAD, 12);

    schema->count = 1;
    schema->pages[0] = 1;
    if (head == NULL || head[0] != 5)
        return;
    const uint32_t cells = bytes_u16be(head + 3);
    schema->pages[0] = bytes_u32be(head + 8);
    for (uint32_t i = 0; i < cells && schema->count < SQLITE_FACTS_PAGES; i++) {
        const uint8_t *place = tell_bytes(facts, SQLITE_FACTS_HEAD + 12 + UINT64_C(2) * i, 2);
        const uint8_t *cell = place != NULL ? tell_bytes(facts, bytes_u16be(place), 4) : NULL;

        if (cell == NULL)
            return;
        schema->pages[schema->count++] = bytes_u32be(cell);
    }
}

void sqlite_facts(struct sig_facts *facts)
{
    const uint8_t *head = tell_bytes(facts, 0, SQLITE_FACTS_HEAD);
    struct sqlite_tables tables = { 0 };
    struct sqlite_facts_schema schema;

    schema.page_size = head != NULL ? bytes_u16be(head + 16) : 0;
    schema.page_size = schema.page_size == 1 ? SIG_BYTES_MAX : schema.page_size;
    if (schema.page_size < 512)
        return;
    sqlite_facts_schema(facts, &schema);
    for (uint32_t i = 0; i < schema.count; i++) {
        const uint8_t *page =
            schema.pages[i] > 0
                ? tell_bytes(facts, ((uint64_t)schema.pages[i] - 1) * schema.page_size,
                             schema.page_size)
                : NULL;

        if (page != NULL)
            sqlite_application_take(&tables, page, schema.page_size);
    }
    const char *application = sqlite_application(&tables);
    if (application != NULL)
        tell_text(facts, SIG_FACT_APPLICATION, application, strlen(application));
}
