/* SPDX-License-Identifier: Apache-2.0
 * carver/info/info_types.c - `burin info --types`: what is told of each type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/info/info.h"
#include "signatures/category.h"

enum { INFO_HEADERS_MAX = 4096 };

static const char *info_type_extension(const struct sig_type *type)
{
    return type->extension;
}

static const char *info_type_name(const struct sig_type *type)
{
    return type->name;
}

static const char *info_type_category(const struct sig_type *type)
{
    return sig_category_name(sig_category_of(type->name));
}

/* What word_of says of all types of a signature, each once, with commas between. */
static void info_type_words(const struct sig *sig, const char *(*word_of)(const struct sig_type *),
                            char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < SIG_TYPES_MAX && sig->types[i].name != NULL; i++) {
        const char *word = word_of(&sig->types[i]);
        bool seen = word[0] == '\0';

        for (uint32_t k = 0; k < i && !seen; k++)
            seen = strcmp(word_of(&sig->types[k]), word) == 0;
        if (!seen && at < size)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at == 0 ? "" : ",", word);
    }
    if (at == 0)
        snprintf(out, size, "-");
}

/* One header in hexadecimal: ?? for any byte, [HH/MM] for one that counts under a mask. */
static size_t info_header(const struct sig_pattern *header, char *out, size_t size)
{
    size_t at = 0;

    for (uint32_t i = 0; i < header->len && at < size; i++) {
        const uint8_t byte = (uint8_t)header->bytes[i],
                      mask = header->mask == NULL ? 0xff : (uint8_t)header->mask[i];

        if (mask == 0)
            at += (size_t)snprintf(out + at, size - at, "??");
        else if (mask != 0xff)
            at += (size_t)snprintf(out + at, size - at, "[%02x/%02x]", byte, mask);
        else
            at += (size_t)snprintf(out + at, size - at, "%02x", byte);
    }
    if (header->at != 0 && at < size)
        at += (size_t)snprintf(out + at, size - at, "@%" PRIu32, header->at);
    return at < size ? at : size - 1;
}

static void info_headers(const struct sig *sig, char *out, size_t size)
{
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < SIG_HEADERS_MAX && sig->headers[i].len != 0 && at + 1 < size; i++) {
        if (i > 0)
            out[at++] = ',';
        at += info_header(&sig->headers[i], out + at, size - at);
    }
}

void info_types(struct json *json)
{
    static const char *const where[] = { "anywhere", "on sectors", "where no other file is" };
    static const char *const seams[] = { "none", "places", "units", "exact" };
    char extensions[SIG_TYPES_MAX * SIG_NAME_MAX], names[SIG_TYPES_MAX * SIG_NAME_MAX],
        categories[SIG_TYPES_MAX * SIG_NAME_MAX], headers[INFO_HEADERS_MAX];
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++) {
        struct info_row row;

        info_type_words(all[i], info_type_extension, extensions, sizeof extensions);
        info_type_words(all[i], info_type_name, names, sizeof names);
        info_type_words(all[i], info_type_category, categories, sizeof categories);
        info_row_begin(&row, json);
        info_field(&row, "name", all[i]->name);
        info_field(&row, "default", all[i]->flags & SIG_OFF ? "off" : "on");
        info_field(&row, "how", all[i]->check != NULL ? "validator" : "rule");
        info_field(&row, "extensions", extensions);
        info_field(&row, "what", all[i]->what);
        info_headers(all[i], headers, sizeof headers);
        info_field(&row, "headers", headers);
        info_field(&row, "where",
                   where[(all[i]->flags & SIG_NO_HEADER) != 0        ? 2
                         : (all[i]->flags & SIG_SECTOR_ALIGNED) != 0 ? 1
                                                                     : 0]);
        info_field(&row, "proves", all[i]->proves != NULL ? all[i]->proves : "-");
        info_field(&row, "source", all[i]->source != NULL ? all[i]->source : "-");
        info_field(&row, "types", names);
        info_field(&row, "seam", seams[all[i]->seam]);
        info_field(&row, "categories", categories);
        info_row_end(&row);
    }
}
