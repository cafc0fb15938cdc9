/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_words.c - a list of words, a word a line. See known_read.h. */
#include "carver/hashset/known_hash.h"
#include "carver/hashset/known_read.h"

enum err_code known_read_words(const struct known_list *list, enum digest_kind hash,
                               known_entry_fn each, void *arg, struct err *err)
{
    struct known_lines lines;
    struct known_hasher hasher;
    const char *line = NULL;
    size_t len = 0;
    enum err_code rc = known_hasher_init(&hasher, 1u << hash, err);

    if (rc != ERR_OK)
        return rc;
    rc = known_lines_open(list, &lines, err);
    while (rc == ERR_OK && (rc = known_lines_next(&lines, &line, &len, err)) == ERR_OK &&
           line != NULL) {
        uint8_t digests[DIGEST_KINDS][DIGEST_MAX];

        if (len == 0)
            continue;
        rc = known_hasher_begin(&hasher, err);
        if (rc == ERR_OK)
            rc = known_hasher_add(&hasher, line, len, err);
        if (rc == ERR_OK)
            rc = known_hasher_end(&hasher, digests, err);
        const struct known_entry entry = { .digest = digests[hash], .name = line, .name_len = len };
        if (rc == ERR_OK)
            rc = each(arg, &entry, err);
    }
    known_lines_close(&lines);
    known_hasher_release(&hasher);
    return rc;
}
