/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_registry.c - what every built-in signature says of itself: complete, within
 * bounds, and no two alike.
 *
 * Method: every rule of signatures/sig.h that can be read off a record is asked of every record, so
 * that a new format that breaks one is named here before it misleads a scan or its user.
 */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "signatures/list.h"

enum {
    PATH_LEN = 512,
    PROVES_MAX = 140,
    STRONG_BYTES = 4, /* of a header, with at least so many fixed bits in all */
    STRONG_BITS = 24,
};

typedef void (*registry_look)(const struct sig *sig, const char *family);

static void each(registry_look look)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++)
        look(all[i], sig_builtin_family(i));
}

static bool is_text(const char *text)
{
    return text != NULL && text[0] != '\0' && strpbrk(text, "\t\n") == NULL;
}

static void describe(const struct sig *sig, const char *family)
{
    if (!is_text(sig->name))
        fail_msg("a signature of %s has no name", family);
    if (!is_text(sig->what) || !is_text(sig->source))
        fail_msg("%s: what and source are wanted, a line each", sig->name);
    if (sig->types == NULL || sig->types[0].name == NULL)
        fail_msg("%s: no types", sig->name);
    if ((sig->check != NULL) != (sig->proves != NULL))
        fail_msg("%s: a validator and what it proves go together", sig->name);
    if (sig->proves != NULL &&
        (!is_text(sig->proves) || strlen(sig->proves) > PROVES_MAX ||
         sig->proves[strlen(sig->proves) - 1] == '.' ||
         (isupper((unsigned char)sig->proves[0]) && islower((unsigned char)sig->proves[1]))))
        fail_msg(
            "%s: what it proves is a line of at most %d bytes, without a capital and a full stop",
            sig->name, (int)PROVES_MAX);
}

static void every_signature_is_described(void **state)
{
    (void)state;
    each(describe);
}

static void measure(const struct sig *sig, const char *family)
{
    (void)family;
    if (sig->size_max == 0 || sig->size_min > sig->size_max)
        fail_msg("%s: sizes from %llu to %llu", sig->name, (unsigned long long)sig->size_min,
                 (unsigned long long)sig->size_max);
    if (sig->state_size > SIG_STATE_MAX || sig->state_thorough > SIG_STATE_MAX)
        fail_msg("%s: a state of %u and %u bytes", sig->name, sig->state_size, sig->state_thorough);
    if (sig->state_thorough != 0 && sig->state_thorough < sig->state_size)
        fail_msg("%s: to be thorough needs no smaller state", sig->name);
    if ((sig->length_rule != NULL) != (sig->check == sig_by_length) ||
        (sig->length_rule != NULL && sig->state_size != SIG_BY_LENGTH_STATE))
        fail_msg("%s: what sig_by_length reads goes with it, and with its state", sig->name);
    if (sig->check != NULL && sig->footer.len > 0)
        fail_msg("%s: a footer beside a validator is never looked at", sig->name);
}

static void sizes_are_in_bounds(void **state)
{
    (void)state;
    each(measure);
}

static uint32_t fixed_bits(const struct sig_pattern *header, uint32_t *bytes)
{
    uint32_t bits = 0;

    *bytes = 0;
    for (uint32_t i = 0; i < header->len; i++) {
        const uint8_t mask = header->mask == NULL ? 0xff : (uint8_t)header->mask[i];

        bits += (uint32_t)__builtin_popcount(mask);
        *bytes += mask != 0;
    }
    return bits;
}

static void look_at_headers(const struct sig *sig, const char *family)
{
    uint32_t count = 0;

    (void)family;
    for (; count < SIG_HEADERS_MAX && sig->headers[count].len > 0; count++) {
        uint32_t bytes;
        const uint32_t bits = fixed_bits(&sig->headers[count], &bytes);

        if (bits == 0)
            fail_msg("%s: header %u matches anything", sig->name, count);
        if (sig->check != NULL && (bytes < STRONG_BYTES || bits < STRONG_BITS) &&
            (sig->flags & SIG_SECTOR_ALIGNED) == 0)
            fail_msg("%s: header %u has %u fixed bits in %u bytes and is looked for anywhere",
                     sig->name, count, bits, bytes);
    }
    if ((count == 0) != ((sig->flags & SIG_NO_HEADER) != 0))
        fail_msg("%s: %u headers", sig->name, count);
    for (; count < SIG_HEADERS_MAX; count++)
        if (sig->headers[count].len > 0)
            fail_msg("%s: a header behind the end of the list", sig->name);
}

static void headers_are_there_and_strong_enough(void **state)
{
    (void)state;
    each(look_at_headers);
}

static void look_at_types(const struct sig *sig, const char *family)
{
    uint32_t count = 0;

    (void)family;
    for (; sig->types[count].name != NULL; count++) {
        const char *name = sig->types[count].name, *extension = sig->types[count].extension;

        if (count == SIG_TYPES_MAX)
            fail_msg("%s: more than %d types", sig->name, (int)SIG_TYPES_MAX);
        if (!is_text(name) || strlen(name) >= SIG_NAME_MAX || strpbrk(name, "/, ") != NULL ||
            name[0] == '.')
            fail_msg("%s: type %u is no name of a folder", sig->name, count);
        if (extension == NULL || strlen(extension) >= SIG_NAME_MAX ||
            strpbrk(extension, "/, ") != NULL)
            fail_msg("%s: type %s has no extension", sig->name, name);
        for (const char *c = extension; *c != '\0'; c++)
            if (isupper((unsigned char)*c))
                fail_msg("%s: type %s: the extension %s is not in lower case", sig->name, name,
                         extension);
        for (uint32_t k = 0; k < count; k++)
            if (strcasecmp(name, sig->types[k].name) == 0 &&
                strcmp(extension, sig->types[k].extension) != 0)
                fail_msg("%s: type %s with two extensions", sig->name, name);
    }
}

static void types_can_be_folders_and_extensions(void **state)
{
    (void)state;
    each(look_at_types);
}

/* What is one thing to its user in two formats, each of which has its family: XML and binary, plain
 * and compressed, two containers. */
static bool is_shared(const char *type)
{
    static const char *const shared[] = { "plist", "pf", "mj2" };

    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++)
        if (strcmp(type, shared[i]) == 0)
            return true;
    return false;
}

static const char *common_type(const struct sig *a, const struct sig *b)
{
    for (uint32_t i = 0; a->types[i].name != NULL; i++)
        for (uint32_t k = 0; b->types[k].name != NULL; k++)
            if (strcasecmp(a->types[i].name, b->types[k].name) == 0 && !is_shared(a->types[i].name))
                return a->types[i].name;
    return NULL;
}

/* A name stands for one thing: a signature, and a type of one family only. */
static void names_are_unique(void **state)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            if (all[i] == all[k] || strcasecmp(all[i]->name, all[k]->name) == 0)
                fail_msg("two signatures are called %s", all[i]->name);
            if (strcmp(sig_builtin_family(i), sig_builtin_family(k)) == 0)
                continue;
            const char *type = common_type(all[i], all[k]);
            if (type != NULL)
                fail_msg("%s and %s both claim the type %s", all[i]->name, all[k]->name, type);
        }
}

/* Does FILE.fields name this signature? */
static bool is_of(const char *path, const struct sig *sig)
{
    char line[256], name[64];
    FILE *file = fopen(path, "r");
    bool found = false;

    if (file == NULL)
        fail_msg("%s cannot be opened", path);
    while (fgets(line, sizeof line, file) != NULL)
        found |= sscanf(line, "sig %63s", name) == 1 && strcmp(name, sig->name) == 0;
    fclose(file);
    return found;
}

/* test_samples reads them; here it is asked that each signature, and not only each family, has one.
 */
static void look_for_samples(const struct sig *sig, const char *family)
{
    char folder[PATH_LEN / 2], path[PATH_LEN];
    uint32_t samples = 0;

    if (sig->check == NULL)
        return;
    snprintf(folder, sizeof folder, "tests/samples/%s", family);
    DIR *dir = opendir(folder);
    if (dir == NULL)
        fail_msg("%s: no folder %s", sig->name, folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t len = strlen(entry->d_name);

        if (entry->d_name[0] == '.' || (len > 7 && strcmp(entry->d_name + len - 7, ".fields") == 0))
            continue;
        snprintf(path, sizeof path, "%s/%.200s.fields", folder, entry->d_name);
        samples += is_of(path, sig);
    }
    closedir(dir);
    if (samples == 0)
        fail_msg("%s: no sample of it in %s", sig->name, folder);
}

static void every_validator_has_a_sample(void **state)
{
    (void)state;
    each(look_for_samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signature_is_described),
        cmocka_unit_test(sizes_are_in_bounds),
        cmocka_unit_test(headers_are_there_and_strong_enough),
        cmocka_unit_test(types_can_be_folders_and_extensions),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(every_validator_has_a_sample),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
