/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/zip_facts.c - facts of ZIP archives: whether members are encrypted, and what
 * documents of new Office programs and OpenDocument have in docProps/core.xml, docProps/app.xml and
 * meta.xml.
 *
 * A program of Android or Java that is signed has a file of sums and one of signatures in META-INF
 * (v1); one of Android says in a block before the directory by which other schemes it is signed:
 * u64le bytes behind it | u64le bytes, u32le scheme, data ... | u64le bytes
 * again | "APK Sig Block 42".
 *
 * Sources: PKWARE, APPNOTE 6.3.10; Oracle, JAR File Specification (signed JAR file); Android Open
 * Source Project, APK Signature Scheme v2 and v3;
 * ECMA-376 part 2, 11 (core properties) and part 1, 22.2 (extended properties); OASIS
 * OpenDocument 1.3 part 3, 4.3.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "signatures/archive/archive_facts.h"
#include "signatures/facts/markup.h"
#include "signatures/facts/unpack.h"

enum {
    ZIP_FACTS_END = 22,       /* bytes of the end record */
    ZIP_FACTS_COMMENT = 1024, /* bytes of a comment behind it that are looked through */
    ZIP_FACTS_ENTRY = 46,     /* bytes of an entry of the directory, without its name */
    ZIP_FACTS_LOCAL = 30,     /* bytes of a local header, without its name */
    ZIP_FACTS_NAME = 64,      /* bytes of a name that is looked at, at most */
    ZIP_FACTS_ENTRIES = 8192, /* that are looked at, at most */
    ZIP_FACTS_SIGNED = 24,    /* bytes of the end of a block of signatures */
    ZIP_FACTS_PAIRS = 64,     /* parts of such a block that are looked at, at most */
    ZIP_FACTS_ENCRYPTED = 1,  /* flag */
    ZIP_FACTS_STORED = 0,
    ZIP_FACTS_DEFLATED = 8,
};

struct zip_facts_entry {
    uint32_t flags, method, size, at;
};

static void zip_facts_core(struct sig_facts *facts, const struct markup *text)
{
    markup_date(facts, SIG_FACT_CREATED, text, "dcterms:created");
    markup_date(facts, SIG_FACT_MODIFIED, text, "dcterms:modified");
    markup_date(facts, SIG_FACT_PRINTED, text, "cp:lastPrinted");
    markup_text(facts, SIG_FACT_TITLE, text, "dc:title");
    markup_text(facts, SIG_FACT_SUBJECT, text, "dc:subject");
    markup_text(facts, SIG_FACT_AUTHOR, text, "dc:creator");
    markup_text(facts, SIG_FACT_LAST_AUTHOR, text, "cp:lastModifiedBy");
}

static void zip_facts_app(struct sig_facts *facts, const struct markup *text)
{
    markup_text(facts, SIG_FACT_SOFTWARE, text, "Application");
    markup_text(facts, SIG_FACT_COMPANY, text, "Company");
}

/* In OpenDocument dc:date and dc:creator are of the last change. */
static void zip_facts_meta(struct sig_facts *facts, const struct markup *text)
{
    markup_date(facts, SIG_FACT_CREATED, text, "meta:creation-date");
    markup_date(facts, SIG_FACT_MODIFIED, text, "dc:date");
    markup_date(facts, SIG_FACT_PRINTED, text, "meta:print-date");
    markup_text(facts, SIG_FACT_TITLE, text, "dc:title");
    markup_text(facts, SIG_FACT_SUBJECT, text, "dc:subject");
    markup_text(facts, SIG_FACT_AUTHOR, text, "meta:initial-creator");
    markup_text(facts, SIG_FACT_LAST_AUTHOR, text, "dc:creator");
    markup_text(facts, SIG_FACT_SOFTWARE, text, "meta:generator");
}

/* The content of a member, as far as it is looked at. */
static void zip_facts_member(struct sig_facts *facts, const struct zip_facts_entry *entry,
                             void (*take)(struct sig_facts *facts, const struct markup *text))
{
    const uint8_t *local = tell_bytes(facts, entry->at, ZIP_FACTS_LOCAL);
    uint32_t len = entry->size < UNPACK_MOST ? entry->size : UNPACK_MOST;

    if (local == NULL || memcmp(local, "PK\3\4", 4) != 0 || len == 0 ||
        (entry->flags & ZIP_FACTS_ENCRYPTED) != 0)
        return;
    const uint64_t at =
        (uint64_t)entry->at + ZIP_FACTS_LOCAL + bytes_u16le(local + 26) + bytes_u16le(local + 28);
    const uint8_t *bytes = NULL;
    if (entry->method == ZIP_FACTS_DEFLATED)
        bytes = unpack_inflate(facts, UNPACK_DEFLATE, at, entry->size, &len);
    else if (entry->method == ZIP_FACTS_STORED)
        bytes = tell_bytes(facts, at, len);
    if (bytes != NULL)
        take(facts, &(struct markup){ (const char *)bytes, len });
}

/* Where the directory begins; UINT64_MAX: there is none that this finds. */
static uint64_t zip_facts_directory(struct sig_facts *facts, uint32_t *count)
{
    const uint64_t len = tell_len(facts);
    const uint32_t most = ZIP_FACTS_END + ZIP_FACTS_COMMENT;
    const uint32_t want = len < most ? (uint32_t)len : most;
    const uint8_t *bytes = tell_bytes(facts, len - want, want);

    for (uint32_t at = want; bytes != NULL && at >= ZIP_FACTS_END; at--) {
        const uint8_t *end = bytes + at - ZIP_FACTS_END;

        if (end[0] != 'P' || memcmp(end, "PK\5\6", 4) != 0)
            continue;
        *count = bytes_u16le(end + 10);
        return bytes_u32le(end + 16);
    }
    return UINT64_MAX;
}

/* How a program is signed, a bit each. */
enum {
    ZIP_SIGNED_SUMS = 1 << 0, /* META-INF/NAME.SF */
    ZIP_SIGNED_KEY = 1 << 1,  /* META-INF/NAME.RSA, .DSA or .EC */
    ZIP_SIGNED_V1 = ZIP_SIGNED_SUMS | ZIP_SIGNED_KEY,
    ZIP_SIGNED_V2 = 1 << 2,
    ZIP_SIGNED_V3 = 1 << 3,
    ZIP_SIGNED_V31 = 1 << 4,
};

/* What the block of signatures that ends where the directory begins has. */
static uint32_t zip_facts_block(struct sig_facts *facts, uint64_t directory)
{
    static const struct {
        uint32_t number, bit;
    } schemes[] = { { 0x7109871a, ZIP_SIGNED_V2 },
                    { 0xf05368c0, ZIP_SIGNED_V3 },
                    { 0x1b93ad61, ZIP_SIGNED_V31 } };
    const uint64_t end = directory < ZIP_FACTS_SIGNED ? 0 : directory - ZIP_FACTS_SIGNED;
    uint32_t seen = 0;

    const uint8_t *p = end == 0 ? NULL : tell_bytes(facts, end, ZIP_FACTS_SIGNED);
    const uint64_t size =
        p == NULL || memcmp(p + 8, "APK Sig Block 42", 16) != 0 ? 0 : bytes_u64le(p);
    uint64_t at = size < ZIP_FACTS_SIGNED || size > directory ? end : directory - size;
    for (uint32_t i = 0; i < ZIP_FACTS_PAIRS && at < end && end - at >= 12; i++) {
        p = tell_bytes(facts, at, 12);
        const uint64_t part = p == NULL ? 0 : bytes_u64le(p);
        if (part < 4 || part > end - at)
            break;
        for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++)
            if (bytes_u32le(p + 8) == schemes[k].number)
                seen |= schemes[k].bit;
        at += 8 + part;
    }
    return seen;
}

/* What the member of the name is to a signature; capitals and small letters are the same. */
static uint32_t zip_facts_signing(const char *name, uint32_t len)
{
    static const char folder[] = "META-INF/";
    static const struct {
        char end[5];
        uint32_t bit;
    } ends[] = { { ".SF", ZIP_SIGNED_SUMS },
                 { ".RSA", ZIP_SIGNED_KEY },
                 { ".DSA", ZIP_SIGNED_KEY },
                 { ".EC", ZIP_SIGNED_KEY } };
    const size_t lead = sizeof folder - 1;

    if (len <= lead || strncasecmp(name, folder, lead) != 0 ||
        memchr(name + lead, '/', len - lead) != NULL)
        return 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t size = strlen(ends[i].end);

        if (len > lead + size && strncasecmp(name + len - size, ends[i].end, size) == 0)
            return ends[i].bit;
    }
    return 0;
}

static void zip_facts_signed(struct sig_facts *facts, uint32_t seen)
{
    static const struct {
        uint32_t bits;
        const char *word;
    } words[] = { { ZIP_SIGNED_V1, "v1 " },
                  { ZIP_SIGNED_V2, "v2 " },
                  { ZIP_SIGNED_V3, "v3 " },
                  { ZIP_SIGNED_V31, "v3.1 " } };
    char text[sizeof "v1 v2 v3 v3.1 "] = "";
    size_t len = 0;

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if ((seen & words[k].bits) == words[k].bits)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s", words[k].word);
    tell_text(facts, SIG_FACT_SIGNED, text, len);
}

/* Looks at the entries of the directory at `at`. Returns what they are to a signature. */
static uint32_t zip_facts_entries(struct sig_facts *facts, uint64_t at, uint32_t count)
{
    static const struct {
        const char *name;
        void (*take)(struct sig_facts *facts, const struct markup *text);
    } members[] = { { "docProps/core.xml", zip_facts_core },
                    { "docProps/app.xml", zip_facts_app },
                    { "meta.xml", zip_facts_meta } };
    uint32_t seen = 0;

    for (uint32_t i = 0; i < count && i < ZIP_FACTS_ENTRIES; i++) {
        const uint8_t *bytes = tell_bytes(facts, at, ZIP_FACTS_ENTRY);

        if (bytes == NULL || memcmp(bytes, "PK\1\2", 4) != 0)
            break;
        const struct zip_facts_entry entry = { .flags = bytes_u16le(bytes + 8),
                                               .method = bytes_u16le(bytes + 10),
                                               .size = bytes_u32le(bytes + 20),
                                               .at = bytes_u32le(bytes + 42) };
        const uint32_t name_len = bytes_u16le(bytes + 28);
        const uint32_t more = bytes_u16le(bytes + 30) + bytes_u16le(bytes + 32);
        if ((entry.flags & ZIP_FACTS_ENCRYPTED) != 0)
            tell_count(facts, SIG_FACT_ENCRYPTED, 1);
        bytes = name_len > 0 && name_len <= ZIP_FACTS_NAME
                    ? tell_bytes(facts, at + ZIP_FACTS_ENTRY, name_len)
                    : NULL;
        if (bytes != NULL)
            seen |= zip_facts_signing((const char *)bytes, name_len);
        for (size_t k = 0; bytes != NULL && k < sizeof members / sizeof members[0]; k++)
            if (strlen(members[k].name) == name_len &&
                memcmp(bytes, members[k].name, name_len) == 0) {
                zip_facts_member(facts, &entry, members[k].take);
                break;
            }
        at += ZIP_FACTS_ENTRY + (uint64_t)name_len + more;
    }
    return seen;
}

void zip_facts(struct sig_facts *facts)
{
    uint32_t count = 0;
    const uint64_t at = zip_facts_directory(facts, &count);

    if (at != UINT64_MAX) {
        const uint32_t seen = zip_facts_block(facts, at);

        zip_facts_signed(facts, seen | zip_facts_entries(facts, at, count));
    }
}
