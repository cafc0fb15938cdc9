/* SPDX-License-Identifier: Apache-2.0
 * io/image/facts.c - see facts.h. */
#include "io/image/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "io/image/image_impl.h"

/* The hex digits of a hash of this name; 0: it is no hash. */
static size_t facts_digits(const char *name)
{
    return strcmp(name, "md5") == 0      ? 32
           : strcmp(name, "sha1") == 0   ? 40
           : strcmp(name, "sha256") == 0 ? 64
                                         : 0;
}

static bool facts_fits(const struct io_facts *facts, const char *name, const char *value)
{
    const size_t digits = facts_digits(name), len = strlen(name);

    if (facts->count == IO_FACTS_MAX || len == 0 || len >= IO_FACT_NAME_MAX || value[0] == '\0' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789 ") != len)
        return false;
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(facts->names[i], name) == 0)
            return false;
    if (digits == 0)
        return true;
    for (size_t i = 0; i < digits; i++)
        if (hex_digit(value[i]) < 0)
            return false;
    return value[digits] == '\0';
}

bool io_facts_add(struct io_facts *facts, const char *name, const char *value)
{
    if (!facts_fits(facts, name, value))
        return true;
    char *const own_name = strdup(name), *const own = strndup(value, IO_FACT_VALUE_MAX - 1);

    if (own_name == NULL || own == NULL) {
        free(own_name);
        free(own);
        return false;
    }
    for (char *at = own; facts_digits(name) > 0 && *at != '\0'; at++)
        if (*at >= 'A' && *at <= 'F')
            *at = (char)(*at - 'A' + 'a');
    facts->names[facts->count] = own_name;
    facts->values[facts->count++] = own;
    return true;
}

void io_facts_release(struct io_facts *facts)
{
    for (uint32_t i = 0; i < facts->count; i++) {
        free(facts->names[i]);
        free(facts->values[i]);
    }
    facts->count = 0;
}

bool io_image_fact(const struct io_image *image, uint32_t index, struct io_fact *out)
{
    if (index >= image->facts.count)
        return false;
    *out = (struct io_fact){ image->facts.names[index], image->facts.values[index] };
    return true;
}

const char *io_image_stored_hash(const struct io_image *image, const char *kind)
{
    for (uint32_t i = 0; facts_digits(kind) > 0 && i < image->facts.count; i++)
        if (strcmp(image->facts.names[i], kind) == 0)
            return image->facts.values[i];
    return NULL;
}
