/* SPDX-License-Identifier: Apache-2.0
 * signatures/database/sqlite_application.c - which application an SQLite database is of. */
#include <string.h>

#include "signatures/database/sqlite_application.h"

/* All of these tables are there; the first application counts. */
static const struct sqlite_application {
    const char *name, *tables[SQLITE_APPLICATION_TABLES];
} sqlite_applications[] = {
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
    { "firefox-indexeddb", { "object_data", "object_store", "index_data" } },
    { "ios-interactions", { "ZINTERACTIONS", "ZCONTACTS", NULL } },
    { "geopackage", { "gpkg_contents", "gpkg_spatial_ref_sys", NULL } },
    { "mbtiles", { "tiles", "metadata", NULL } },
};

_Static_assert(sizeof sqlite_applications / sizeof sqlite_applications[0] <=
                   SQLITE_APPLICATIONS_MAX,
               "there is a byte for each application");

enum { SQLITE_APPLICATIONS = sizeof sqlite_applications / sizeof sqlite_applications[0] };

static bool sqlite_table_char(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26 || (uint8_t)(c - '0') < 10 || c == '_';
}

/* The name behind CREATE TABLE: in quotes, or up to what is no part of one. */
static void sqlite_application_name(struct sqlite_tables *tables, const uint8_t *text, uint32_t len)
{
    static const char unless[] = "IF NOT EXISTS ";
    const uint32_t skip = sizeof unless - 1;
    uint32_t at = len > skip && memcmp(text, unless, skip) == 0 ? skip : 0, size = 0;

    at += at < len && text[at] != 0 && strchr("\"'`[", text[at]) != NULL;
    while (at + size < len && sqlite_table_char(text[at + size]))
        size++;
    for (uint32_t i = 0; i < SQLITE_APPLICATIONS && size > 0; i++)
        for (uint32_t k = 0; k < SQLITE_APPLICATION_TABLES; k++) {
            const char *name = sqlite_applications[i].tables[k];

            if (name != NULL && strlen(name) == size && memcmp(name, text + at, size) == 0)
                tables->seen[i] |= (uint8_t)(1u << k);
        }
}

void sqlite_application_take(struct sqlite_tables *tables, const uint8_t *page, uint32_t len)
{
    static const char words[] = " TABLE ";
    const uint8_t *end = page + len;

    for (const uint8_t *at = page; at < end;) {
        at = memmem(at, (size_t)(end - at), words, sizeof words - 1);
        if (at == NULL)
            return;
        const bool makes = (at - page >= 6 && memcmp(at - 6, "CREATE", 6) == 0) ||
                           (at - page >= 14 && memcmp(at - 14, "CREATE VIRTUAL", 14) == 0);
        at += sizeof words - 1;
        if (makes)
            sqlite_application_name(tables, at, (uint32_t)(end - at));
    }
}

const char *sqlite_application(const struct sqlite_tables *tables)
{
    for (uint32_t i = 0; i < SQLITE_APPLICATIONS; i++) {
        uint32_t all = 0;

        for (uint32_t k = 0; k < SQLITE_APPLICATION_TABLES; k++)
            all |= sqlite_applications[i].tables[k] != NULL ? 1u << k : 0;
        if (tables->seen[i] == all)
            return sqlite_applications[i].name;
    }
    return NULL;
}
