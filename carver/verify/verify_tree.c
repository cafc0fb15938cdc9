/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_tree.c - an image against the tree hash that its scan has taken: which MiB
 * are not what they were. See verify.h and carver/scan/tree_hash.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/scan/tree_hash.h"
#include "carver/verify/verify.h"
#include "io/storage.h"

enum { TREE_TOLD = 32 /* runs that people are told of */ };

static void tree_tell(struct verify *verify, int64_t image_id, const char *path, uint64_t first,
                      uint64_t count, uint64_t size, uint32_t told)
{
    const uint64_t offset = first * TREE_HASH_LEAF;
    const uint64_t left = size - offset, most = count * TREE_HASH_LEAF;
    const uint64_t len = left < most ? left : most;

    if (verify->as_json) {
        json_open_object(&verify->json, NULL);
        json_uint(&verify->json, "offset", offset);
        json_uint(&verify->json, "length", len);
        json_close_object(&verify->json);
    } else if (told < TREE_TOLD) {
        verify_say(verify, "image %" PRId64 ": %s: bytes %" PRIu64 "+%" PRIu64 " changed", image_id,
                   path, offset, len);
    }
}

/* Leaves that are others, as runs; how many leaves. */
static uint64_t tree_compare(struct verify *verify, int64_t image_id, const char *path,
                             const uint8_t *were, const struct image_hash_result *are)
{
    uint64_t changed = 0;
    uint32_t told = 0;

    for (uint64_t i = 0; i < are->leaf_count;) {
        const uint64_t first = i;

        while (i < are->leaf_count && memcmp(were + i * TREE_HASH_SIZE,
                                             are->leaves + i * TREE_HASH_SIZE, TREE_HASH_SIZE) != 0)
            i++;
        if (i > first)
            tree_tell(verify, image_id, path, first, i - first, are->bytes, told++);
        changed += i - first;
        i += i == first;
    }
    return changed;
}

enum err_code verify_tree(struct verify *verify, struct db_case *db, int64_t image_id,
                          struct io_image *image, const char *path, struct err *err)
{
    struct image_hash_result are = { 0 };
    uint64_t count = 0, changed = 0;
    uint8_t *were = NULL;
    enum err_code rc = db_leaves_get(db, image_id, 0, &were, &count, err);

    if (rc == ERR_OK && were == NULL)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "image %" PRId64 ": %s: no tree hash of it is in the case file; burin scan "
                       "--hash tree takes one",
                       image_id, path);
    if (rc == ERR_OK) {
        io_storage_stop_read_ahead(image);
        rc = verify_hash(verify, image, path, IMAGE_HASH_TREE, &are, err);
    }
    if (rc == ERR_OK && are.leaf_count != count)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "image %" PRId64 ": %s: its tree hash in the case file has %" PRIu64
                       " MiB, and the image %" PRIu64,
                       image_id, path, count, are.leaf_count);
    if (rc == ERR_OK) {
        if (verify->as_json)
            json_open_array(&verify->json, "changed");
        changed = tree_compare(verify, image_id, path, were, &are);
        if (verify->as_json)
            json_close_array(&verify->json);
        verify->failed = verify->failed || changed > 0;
        verify_say(verify, "image %" PRId64 ": %s: %" PRIu64 " of %" PRIu64 " MiB changed%s",
                   image_id, path, changed, count,
                   are.filled > 0 ? " (zeros stand for bytes that could not be read)" : "");
    }
    free(are.leaves);
    free(were);
    return rc;
}
