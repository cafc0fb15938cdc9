/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_facts.c - see aff4_facts.h. */
#include "io/image/aff4_facts.h"

#include <stdio.h>
#include <string.h>

static const char *const facts_hashes[][4] = {
    /* type; names: of the image; where bytes of it are not known; of a stream */
    { AFF4 "MD5", "md5", "md5 with unread bytes", "stream md5" },
    { AFF4 "SHA1", "sha1", "sha1 with unread bytes", "stream sha1" },
    { AFF4 "SHA256", "sha256", "sha256 with unread bytes", "stream sha256" },
    { AFF4 "blockMapHashSHA256", "block map hash", "block map hash", "block map hash" },
    { AFF4 "blockMapHashSHA512", "block map hash", "block map hash", "block map hash" },
};

static const char *const facts_names[][2] = {
    { "caseNumber", "case number" },      { "evidenceNumber", "evidence number" },
    { "caseDescription", "description" }, { "caseName", "description" },
    { "examiner", "examiner" },           { "startTime", "acquired" },
    { "diskSerial", "serial number" },    { "acquisitionCompletionState", "completion" },
};

/* The hashes that a subject has; form: which of the names. */
static bool facts_add_hashes(const struct aff4_about *about, const char *subject, uint32_t form,
                             struct io_facts *facts)
{
    const struct turtle_term *term;
    bool added = true;

    for (uint32_t n = 0; subject != NULL && (term = io_turtle_get(&about->volume->turtle, subject,
                                                                  AFF4 "hash", n)) != NULL;
         n++)
        for (uint32_t i = 0; i < sizeof facts_hashes / sizeof facts_hashes[0]; i++)
            if (added && term->type != NULL && strcmp(term->type, facts_hashes[i][0]) == 0)
                added = io_facts_add(facts, facts_hashes[i][form], term->text);
    return added;
}

/* All values of one property, whatever has it: one line each, as people write several notes. */
static bool facts_add_all(const struct aff4_about *about, const char *predicate, const char *name,
                          struct io_facts *facts)
{
    const struct turtle *turtle = &about->volume->turtle;
    char value[IO_FACT_VALUE_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < turtle->count && used < sizeof value; i++)
        if (strcmp(turtle->items[i].predicate, predicate) == 0)
            used += (size_t)snprintf(value + used, sizeof value - used, "%s%s",
                                     used == 0 ? "" : "; ", turtle->items[i].object.text);
    return io_facts_add(facts, name, value);
}

/* The first value of a property, whatever has it: there is one image in the file. */
static const char *facts_any(const struct aff4_about *about, const char *name)
{
    const struct turtle *turtle = &about->volume->turtle;

    for (uint32_t i = 0; i < turtle->count; i++)
        if (strncmp(turtle->items[i].predicate, AFF4, sizeof AFF4 - 1) == 0 &&
            strcmp(turtle->items[i].predicate + sizeof AFF4 - 1, name) == 0)
            return turtle->items[i].object.text;
    return "";
}

enum err_code io_aff4_facts(const struct aff4_about *about, struct io_facts *facts, struct err *err)
{
    const uint32_t form = about->whole ? 1 : 2;
    const char *make = facts_any(about, "diskMake"), *model = facts_any(about, "diskModel");
    const struct turtle *turtle = &about->volume->turtle;
    char both[256];

    bool added = facts_add_hashes(about, about->image, form, facts) &&
                 facts_add_hashes(about, about->stream, form, facts);
    for (uint32_t i = 0; added && i < turtle->count; i++)
        if (strcmp(turtle->items[i].predicate, AFF4_RDF_TYPE) == 0 &&
            strcmp(turtle->items[i].object.text, AFF4 "ImageStream") == 0)
            added = facts_add_hashes(about, turtle->items[i].subject, 3, facts);
    for (uint32_t i = 0; added && i < sizeof facts_names / sizeof facts_names[0]; i++)
        added = io_facts_add(facts, facts_names[i][1], facts_any(about, facts_names[i][0]));
    snprintf(both, sizeof both, "%s%s%s", make, make[0] == '\0' ? "" : " ", model);
    added = added && facts_add_all(about, AFF4 "notes", "notes", facts) &&
            io_facts_add(facts, "model", both) && io_facts_add(facts, "tool", about->volume->tool);
    return added ? ERR_OK : ERR_NO_MEMORY(err, IO_FACT_VALUE_MAX);
}
