/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/extract_stream.c - objects for those who write no files; see extract.h. */
#include "carver/carve/extract_parts.h"

enum err_code extract_stream(struct extract *extract, const struct extract_object *object,
                             extract_piece_fn each, void *arg, struct extract_result *result,
                             struct err *err)
{
    struct extract_file file = { .object = object, .result = result, .folder = -1, .back = -1 };
    char ignored[DB_SHA256_HEX + 1];
    struct err second = { 0 };

    *result = (struct extract_result){ 0 };
    enum err_code rc = extract_check_extents(object, &file.len, err);
    file.apart = extract->apart && file.len >= EXTRACT_LARGE;
    if (rc == ERR_OK)
        rc = piece_hash_begin(extract->hash, file.apart, err);
    if (rc != ERR_OK)
        return rc;
    do {
        rc = extract_read(extract, &file, err);
        if (rc == ERR_OK)
            rc = each(arg, file.piece, file.piece_len, err);
    } while (rc == ERR_OK && result->len < file.len);
    if (rc == ERR_OK)
        return extract_settle(extract, &file, err);
    (void)!piece_hash_end(extract->hash, ignored, &second); /* whoever begins one has to end it */
    return rc;
}
