/* SPDX-License-Identifier: Apache-2.0
 * carver/feature/feature.c - see feature.h: names, and features as text. */
#include <string.h>

#include "carver/feature/feature_parts.h"
#include "carver/feature/letter.h"

static const char *const feature_packs[] = {
#define PACK(id, name, what) #name,
#include "carver/feature/packs.def"
#undef PACK
};

static const char feature_names[] = ""
#define PACK(id, name, what) #name ", "
#include "carver/feature/packs.def"
#undef PACK
                                    "all";

const char *feature_name(enum feature_pack pack)
{
    return feature_packs[pack];
}

/* Bits of a name of len characters; 0: it is none. */
static uint32_t feature_named(const char *name, size_t len)
{
    if (len == 3 && memcmp(name, "all", 3) == 0)
        return (1u << FEATURE_PACKS) - 1;
    for (uint32_t i = 0; i < FEATURE_PACKS; i++)
        if (strlen(feature_packs[i]) == len && memcmp(feature_packs[i], name, len) == 0)
            return 1u << i;
    return 0;
}

enum err_code feature_packs_parse(const char *list, uint32_t *packs, struct err *err)
{
    *packs = 0;
    for (const char *word = list; word != NULL;) {
        const size_t len = strcspn(word, ",");
        const uint32_t named = feature_named(word, len);

        if (named == 0)
            return ERR_RAISE(err, ERR_ARG, "--features '%.*s': there is %s", (int)len, word,
                             feature_names);
        *packs |= named;
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return ERR_OK;
}

/* Whether the character is only the way in which a number is printed. */
static bool feature_is_print(enum feature_pack pack, char c)
{
    return (pack == FEATURE_CARD || pack == FEATURE_IBAN || pack == FEATURE_PHONE) &&
           !letter_alnum(c) && c != '+';
}

uint32_t feature_value(enum feature_pack pack, const uint8_t *bytes, uint32_t len,
                       uint32_t zeros_before, uint32_t zeros_after, char out[FEATURE_LEN_MAX + 1])
{
    const uint32_t unit = 1 + zeros_before + zeros_after;
    uint32_t used = 0;
    bool domain = pack == FEATURE_IP;

    for (uint32_t i = 0; i + unit <= len && used < FEATURE_LEN_MAX; i += unit) {
        const char c = (char)bytes[i + zeros_before];

        domain = domain || (pack == FEATURE_EMAIL && c == '@');
        if (feature_is_print(pack, c))
            continue;
        out[used++] = (c == '\r' || c == '\n') ? ' ' : domain ? letter_small(c) : c;
    }
    out[used] = '\0';
    return used;
}
