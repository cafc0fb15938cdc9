/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_allow.c - an allow list of any bytes.
 *
 * Found: crashes, and entries that are not what allow.h promises, or let pass what they must not.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carver/audit/allow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct allow allow = { 0 };
    struct err err = { 0 };
    char *text = malloc(size > 0 ? size : 1);

    must(text != NULL);
    memcpy(text, data, size);
    const enum err_code rc = allow_parse(&allow, "fuzz", text, size, &err);
    free(text);
    must(rc == ERR_OK || (rc == ERR_INPUT && strncmp(err.text, "fuzz:", 5) == 0));
    for (size_t i = 0; i < allow.count && rc == ERR_OK; i++) {
        const struct allow_entry *entry = &allow.entries[i];
        const bool rule = entry->rule != NULL;
        const size_t len = strlen(entry->fingerprint);

        must(len == (rule ? 16 : 64) && strspn(entry->fingerprint, "0123456789abcdef") == len);
        must(entry->why[0] != '\0' && (!rule || entry->rule[0] != '\0'));
        must(i == 0 || entry->line > allow.entries[i - 1].line);
        const struct allow_entry *found =
            allow_find(&allow, entry->until - 1, rule ? entry->rule : "x",
                       rule ? entry->fingerprint : "", rule ? NULL : entry->fingerprint);
        must(found != NULL && entry->until - 1 < found->until);
        must(allow_find(&allow, 0, "no such rule", rule ? entry->fingerprint : "", NULL) == NULL);
    }
    allow_release(&allow);
    return 0;
}
