/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_facts.c - which application a SQLite database is of, by the names of
 * its tables.
 *
 * The names are those in the statements of the schema: in the text of the first page, where the
 * schema begins, or of the leaves that the first page names. Source:
 * https://www.sqlite.org/fileformat2.html; the tables of the applications from their sources, or as
 * their files have them.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/database/database_facts.h"
#include "signatures/facts/tell.h"

enum {
    SQLITE_FACTS_HEAD = 100,
    SQLITE_FACTS_PAGES = 12,  /* of the schema, that are looked at */
    SQLITE_FACTS_WORDS = 3,   /* tables of an application that tell it, at most */
    SQLITE_FACTS_NAMES = 512, /* of tables, that are looked at */
    SQLITE_FACTS_NAME = 64,   /* bytes of a name, with its NUL */
};

/* All of these tables are there; the first application counts. */
static const struct sqlite_facts_application {
    const char *name, *tables[SQLITE_FACTS_WORDS];
} sqlite_facts_applications[] = {
    { "chrome-history", { "urls", "visits", "keyword_search_terms" } },
    { "chrome-cookies", { "cookies", "meta", NULL } },
    { "chrome-logins", { "logins", "stats", "meta" } },
    { "chrome-web-data", { "autofill", "keywords", "meta" } },
    { "chrome-favicons", { "favicon_bitmaps", "icon_mapping", NULL } },
    { "chrome-top-sites", { "top_sites", "meta", NULL } },
    { "firefox-places", { "moz_places", "moz_historyvisits", NULL } },
    { "firefox-cookies", { "moz_cookies", NULL, NULL } },
    { "firefox-formhistory", { "moz_formhistory", NULL, NULL } },
    { "firefox-favicons", { "moz_icons", "moz_icons_to_pages", NULL } },
    { "firefox-permissions", { "moz_perms", NULL, NULL } },
    { "firefox-keys", { "nssPrivate", "metaData", NULL } },
    { "safari-history", { "history_items", "history_visits", NULL } },
    { "whatsapp-msgstore", { "message", "jid", "chat" } },
    { "whatsapp-msgstore", { "messages", "chat_list", NULL } },
    { "whatsapp-ios", { "ZWAMESSAGE", "ZWACHATSESSION", NULL } },
    { "whatsapp-contacts", { "wa_contacts", NULL, NULL } },
    { "signal-desktop", { "conversations", "sessions", "signedPreKeys" } },
    { "signal-android", { "recipient", "thread", "identities" } },
    { "telegram-android", { "messages_v2", "dialogs", NULL } },
    { "telegram-android", { "enc_tasks_v4", "dialogs", NULL } },
    { "skype", { "Conversations", "Messages", "CallMembers" } },
    { "viber", { "Messages", "ChatInfo", "Contact" } },
    { "ios-sms", { "chat_message_join", "handle", "message" } },
    { "ios-calls", { "ZCALLRECORD", NULL, NULL } },
    { "ios-contacts", { "ABPerson", "ABMultiValue", NULL } },
    { "ios-notes", { "ZICCLOUDSYNCINGOBJECT", NULL, NULL } },
    { "ios-photos", { "ZASSET", "ZADDITIONALASSETATTRIBUTES", NULL } },
    { "ios-photos", { "ZGENERICASSET", "ZADDITIONALASSETATTRIBUTES", NULL } },
    { "ios-calendar", { "CalendarItem", "Participant", NULL } },
    { "ios-manifest", { "Files", "Properties", NULL } },
    { "apple-knowledge", { "ZSTRUCTUREDMETADATA", "ZOBJECT", NULL } },
    { "android-sms", { "canonical_addresses", "threads", "sms" } },
    { "android-contacts", { "raw_contacts", "mimetypes", NULL } },
    { "android-calls", { "calls", "voicemail_status", NULL } },
    { "android-calendar", { "CalendarCache", "Events", "Attendees" } },
    { "android-downloads", { "request_headers", "downloads", NULL } },
    { "macos-quarantine", { "LSQuarantineEvent", NULL, NULL } },
    { "macos-tcc", { "access_overrides", "access", "admin" } },
    { "windows-timeline", { "Activity_PackageId", "ActivityOperation", NULL } },
    { "windows-notifications", { "NotificationHandler", "Notification", NULL } },
    { "thunderbird-global", { "messagesText_content", "conversations", "contacts" } },
    { "lightroom", { "Adobe_images", "AgLibraryFile", NULL } },
    { "burin-case", { "image_samples", "known_blocks", "signatures" } },
};

/* Names of tables, in the reader's memory. */
struct sqlite_facts_names {
    uint32_t count;
    char items[SQLITE_FACTS_NAMES][SQLITE_FACTS_NAME];
};
_Static_assert(sizeof(struct sqlite_facts_names) <= SIG_FACT_SCRATCH,
               "the scratch is large enough");

/* The name behind CREATE TABLE: in quotes, or up to what is no part of one. */
static void sqlite_facts_name(struct sqlite_facts_names *names, const uint8_t *text, uint32_t len)
{
    static const char unless[] = "IF NOT EXISTS ";
    const uint32_t skip = sizeof unless - 1;
    uint32_t at = len > skip && memcmp(text, unless, skip) == 0 ? skip : 0, size = 0;

    at += at < len && strchr("\"'`[", text[at]) != NULL && text[at] != 0;
    char *name = names->items[names->count];
    for (; at < len && size < SQLITE_FACTS_NAME - 1; at++, size++) {
        const uint8_t c = text[at];

        if ((uint8_t)((c | 0x20) - 'a') >= 26 && (uint8_t)(c - '0') >= 10 && c != '_')
            break;
        name[size] = (char)c;
    }
    name[size] = '\0';
    names->count += size > 0;
}

/* The tables that statements in this text make, ordinary and virtual ones. */
static void sqlite_facts_take(struct sqlite_facts_names *names, const uint8_t *text, uint32_t len)
{
    static const char words[] = " TABLE ";
    const uint8_t *end = text + len;

    for (const uint8_t *at = text; at < end && names->count < SQLITE_FACTS_NAMES;) {
        at = memmem(at, (size_t)(end - at), words, sizeof words - 1);
        if (at == NULL)
            return;
        const bool makes = (at - text >= 6 && memcmp(at - 6, "CREATE", 6) == 0) ||
                           (at - text >= 14 && memcmp(at - 14, "CREATE VIRTUAL", 14) == 0);
        at += sizeof words - 1;
        if (makes)
            sqlite_facts_name(names, at, (uint32_t)(end - at));
    }
}

static bool sqlite_facts_has(const struct sqlite_facts_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

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
    struct sqlite_facts_names *names = (struct sqlite_facts_names *)(void *)facts->scratch;
    struct sqlite_facts_schema schema;
    const size_t count = sizeof sqlite_facts_applications / sizeof sqlite_facts_applications[0];

    schema.page_size = head != NULL ? bytes_u16be(head + 16) : 0;
    schema.page_size = schema.page_size == 1 ? SIG_BYTES_MAX : schema.page_size;
    if (schema.page_size < 512)
        return;
    sqlite_facts_schema(facts, &schema);
    names->count = 0;
    for (uint32_t i = 0; i < schema.count; i++) {
        const uint8_t *page =
            schema.pages[i] > 0
                ? tell_bytes(facts, ((uint64_t)schema.pages[i] - 1) * schema.page_size,
                             schema.page_size)
                : NULL;

        if (page != NULL)
            sqlite_facts_take(names, page, schema.page_size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sqlite_facts_application *application = &sqlite_facts_applications[i];
        bool all = true;

        for (uint32_t k = 0; k < SQLITE_FACTS_WORDS && application->tables[k] != NULL && all; k++)
            all = sqlite_facts_has(names, application->tables[k]);
        if (all) {
            tell_text(facts, SIG_FACT_APPLICATION, application->name, strlen(application->name));
            return;
        }
    }
}
