/* SPDX-License-Identifier: Apache-2.0
 * io/image/aff4_volume.c - see aff4_volume.h. */
#include "io/image/aff4_volume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AFF4_MAJOR = 1, AFF4_MINOR_MAX = 1 };

/* Its IRI stands in a segment of its own, or in the comment of the ZIP, or in both. */
static enum err_code volume_iri(struct aff4_volume *volume, struct err *err)
{
    const struct io_zip_member *member = io_zip_find(&volume->zip, "container.description");
    uint8_t *bytes = NULL;
    const char *from = volume->zip.comment;

    if (member != NULL) {
        const enum err_code rc = io_zip_load(&volume->zip, member, &bytes, err);
        if (rc != ERR_OK)
            return rc;
        from = (const char *)bytes;
    }
    const size_t len = strcspn(from, "\r\n");
    const bool right = len < sizeof volume->iri && strncmp(from, "aff4://", 7) == 0;
    if (right) {
        memcpy(volume->iri, from, len);
        volume->iri[len] = '\0';
    }
    free(bytes);
    return right ? ERR_OK
                 : ERR_RAISE(err, ERR_INPUT,
                             "%s: this AFF4 is damaged: its name, aff4://..., is missing; copy it "
                             "again from its source",
                             volume->zip.path);
}

/* A number of the segment version.txt; UINT32_MAX: it is not there. */
static uint32_t volume_version(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at == NULL ? UINT32_MAX : (uint32_t)strtoul(at + strlen(name), NULL, 10);
}

static enum err_code volume_check_version(struct aff4_volume *volume, struct err *err)
{
    const struct io_zip_member *member = io_zip_find(&volume->zip, "version.txt");
    uint8_t *bytes = NULL;

    if (member == NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 is older than the standard 1.0, which is read here; export "
                         "it as E01 or raw with the tool that made it",
                         volume->zip.path);
    const enum err_code rc = io_zip_load(&volume->zip, member, &bytes, err);
    if (rc != ERR_OK)
        return rc;
    const char *text = (const char *)bytes, *tool = strstr(text, "tool=");
    const uint32_t major = volume_version(text, "major="), minor = volume_version(text, "minor=");
    if (tool != NULL)
        snprintf(volume->tool, sizeof volume->tool, "%.*s", (int)strcspn(tool + 5, "\r\n"),
                 tool + 5);
    free(bytes);
    if (major == AFF4_MAJOR && minor <= AFF4_MINOR_MAX)
        return ERR_OK;
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: is an AFF4 of version %u.%u, and versions 1.0 and 1.1 are read here; "
                     "export it as E01 or raw with the tool that made it",
                     volume->zip.path, major, minor);
}

static enum err_code volume_turtle(struct aff4_volume *volume, struct err *err)
{
    const struct io_zip_member *member = io_zip_find(&volume->zip, "information.turtle");
    uint8_t *bytes = NULL;

    if (member == NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 is damaged: its metadata, information.turtle, are missing; "
                         "copy it again from its source",
                         volume->zip.path);
    enum err_code rc = io_zip_load(&volume->zip, member, &bytes, err);
    if (rc == ERR_OK)
        rc = io_turtle_read(volume->zip.path, bytes, (size_t)member->len, &volume->turtle, err);
    free(bytes);
    return rc;
}

enum err_code io_aff4_volume_name(const struct io_pieces *pieces, uint32_t file, const char *path,
                                  uint64_t size, struct aff4_volume *out, struct err *err)
{
    const enum err_code rc = io_zip_open(pieces, file, path, size, &out->zip, err);

    return rc == ERR_OK ? volume_iri(out, err) : rc;
}

enum err_code io_aff4_volume_open(const struct io_pieces *pieces, uint32_t file, const char *path,
                                  uint64_t size, struct aff4_volume *out, struct err *err)
{
    enum err_code rc = io_aff4_volume_name(pieces, file, path, size, out, err);

    if (rc == ERR_OK)
        rc = volume_check_version(out, err);
    return rc == ERR_OK ? volume_turtle(out, err) : rc;
}

const struct io_zip_member *io_aff4_segment(const struct aff4_volume *volume, const char *iri,
                                            const char *rest)
{
    const size_t own = strlen(volume->iri);
    char name[AFF4_IRI_MAX + 32];

    if (strncmp(iri, volume->iri, own) == 0 && iri[own] == '/')
        iri += own + 1;
    const int len = snprintf(name, sizeof name, "%s%s", iri, rest);
    return len < 0 || (size_t)len >= sizeof name ? NULL : io_zip_find(&volume->zip, name);
}

/* aff4:NAME; false: it is too long to be one that is looked for. */
static bool volume_schema(const char *name, char iri[AFF4_IRI_MAX])
{
    const int len = snprintf(iri, AFF4_IRI_MAX, AFF4 "%s", name);

    return len > 0 && len < AFF4_IRI_MAX;
}

bool io_aff4_is(const struct aff4_volume *volume, const char *subject, const char *type)
{
    const struct turtle_term *term;
    char iri[AFF4_IRI_MAX];

    if (!volume_schema(type, iri))
        return false;
    for (uint32_t i = 0; (term = io_turtle_get(&volume->turtle, subject, AFF4_RDF_TYPE, i)) != NULL;
         i++)
        if (strcmp(term->text, iri) == 0)
            return true;
    return false;
}

const char *io_aff4_text(const struct aff4_volume *volume, const char *subject, const char *name)
{
    char iri[AFF4_IRI_MAX];

    if (!volume_schema(name, iri))
        return NULL;
    const struct turtle_term *term = io_turtle_get(&volume->turtle, subject, iri, 0);
    return term == NULL ? NULL : term->text;
}

bool io_aff4_number(const struct aff4_volume *volume, const char *subject, const char *name,
                    uint64_t *value)
{
    const char *text = io_aff4_text(volume, subject, name);

    *value = 0;
    if (text == NULL || text[0] == '\0')
        return false;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || *value > (UINT64_MAX - 9) / 10)
            return false;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return true;
}

void io_aff4_volume_release(struct aff4_volume *volume)
{
    io_zip_release(&volume->zip);
    io_turtle_release(&volume->turtle);
}
