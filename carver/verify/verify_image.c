/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_image.c - an image against the hashes that its container has: see verify.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/confine.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/verify/verify.h"
#include "io/reader.h"
#include "io/storage.h"

enum { VERIFY_SEGMENT = 1 << 20 /* bytes */, VERIFY_AHEAD = 4 };

static uint32_t verify_kinds(const struct io_image *image)
{
    uint32_t kinds = 0;

    for (int i = 0; i < DIGEST_KINDS; i++)
        if (io_image_stored_hash(image, midstate_name((enum digest_kind)i)) != NULL)
            kinds |= 1u << i;
    return kinds;
}

static enum err_code verify_read(struct io_reader *reader, uint8_t *buffers, uint64_t size,
                                 struct image_hash *hash, struct progress *progress,
                                 struct err *err)
{
    uint64_t lent = 0;
    bool more = true;
    enum err_code rc = ERR_OK;

    for (uint64_t taken = 0, at = 0; rc == ERR_OK && at < size; taken++) {
        const struct io_bad_range *bad;
        struct io_segment segment;
        uint32_t count;

        while (rc == ERR_OK && more && lent < taken + VERIFY_AHEAD) {
            rc = io_reader_lend(reader, buffers + lent % VERIFY_AHEAD * VERIFY_SEGMENT, NULL, &more,
                                err);
            lent += more;
        }
        if (rc == ERR_OK)
            rc = io_reader_next(reader, &segment, err);
        if (rc == ERR_OK && interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        if (rc != ERR_OK)
            break;
        io_reader_bad_ranges(reader, &bad, &count);
        image_hash_put(hash, segment.offset, segment.bytes, segment.len, bad, count);
        at = segment.offset + segment.len;
        progress_update(progress, at, UINT64_MAX, UINT64_MAX);
    }
    return rc;
}

enum err_code verify_hash(struct verify *verify, struct io_image *image, const char *path,
                          uint32_t kinds, struct image_hash_result *out, struct err *err)
{
    const struct io_reader_options options = { .segment_len = VERIFY_SEGMENT,
                                               .depth = VERIFY_AHEAD };
    uint8_t *buffers = aligned_alloc(IO_BUFFER_ALIGN, (size_t)VERIFY_AHEAD * VERIFY_SEGMENT);
    struct image_hash *hash = NULL;
    struct io_reader *reader = NULL;
    struct progress progress;
    enum err_code rc = buffers != NULL ? ERR_OK : ERR_NO_MEMORY(err, VERIFY_SEGMENT);

    if (rc == ERR_OK)
        rc = image_hash_open(kinds, &hash, err);
    if (rc == ERR_OK)
        rc = io_reader_open(image, &options, &reader, err);
    if (rc == ERR_OK) {
        progress_start(&progress, "verify", io_image_size(image),
                       progress_unless_quiet(verify->progress, verify->quiet));
        rc = verify_read(reader, buffers, io_image_size(image), hash, &progress, err);
        progress_end(&progress);
    }
    if (rc == ERR_OK)
        rc = image_hash_finish(hash, io_image_size(image), out, err);
    if (rc == ERR_OK && out->kinds == 0)
        rc = ERR_RAISE(err, ERR_ENV, "%s: not all of it was read", path);
    io_reader_close(reader);
    image_hash_close(hash);
    free(buffers);
    return rc;
}

static void verify_answer(struct verify *verify, const struct io_image *image,
                          const struct image_hash_result *result)
{
    if (verify->as_json) {
        json_uint(&verify->json, "bytes", result->bytes);
        json_uint(&verify->json, "filled", result->filled);
        json_open_array(&verify->json, "hashes");
    }
    for (int i = 0; i < DIGEST_KINDS; i++) {
        const char *name = midstate_name((enum digest_kind)i);
        const char *stored = io_image_stored_hash(image, name);

        if ((result->kinds >> i & 1) == 0 || stored == NULL)
            continue;
        const bool same = strcmp(stored, result->digests[i]) == 0;
        verify->failed = verify->failed || !same;
        if (same)
            verify_say(verify, "%s: %s %s, as the image says", verify->path, name, stored);
        else
            verify_say(verify,
                       "%s: %s %s, and the image says %s: its bytes are not those that were "
                       "acquired",
                       verify->path, name, result->digests[i], stored);
        if (verify->as_json) {
            json_open_object(&verify->json, NULL);
            json_string(&verify->json, "kind", name);
            json_string(&verify->json, "digest", result->digests[i]);
            json_string(&verify->json, "stored", stored);
            json_close_object(&verify->json);
        }
    }
    if (verify->as_json)
        json_close_array(&verify->json);
    if (result->filled == 0)
        return;
    /* Sectors that were not read when the image was made stand in it, and in its hash, as zeros. */
    verify_say(verify, "%s: zeros stand for %" PRIu64 " bytes that could not be read", verify->path,
               result->filled);
    verify->failed = true;
}

enum err_code verify_image(struct verify *verify, struct err *err)
{
    struct image_hash_result result;
    struct confine confine = { 0 };
    struct io_image *image = NULL;
    uint64_t blocks = 0;

    confine_open(&confine, verify->no_jail, CONFINE_ALL);
    confine_evidence(&confine, verify->path);
    enum err_code rc = confine_enter(&confine, err);
    if (rc == ERR_OK && verify->image_count != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: no case file; --image belongs to one", verify->path);
    if (rc == ERR_OK && verify->tree)
        rc = ERR_RAISE(err, ERR_INPUT, "%s: no case file; --tree belongs to one", verify->path);
    if (rc == ERR_OK)
        rc = io_image_open(verify->path, verify->image_type, &image, err);
    if (rc == ERR_OK) /* not of an image that is to be read in another way */
        io_storage_stop_read_ahead(image);
    if (rc == ERR_OK && verify->as_json)
        json_string(&verify->json, "image", verify->path);
    if (rc == ERR_OK && verify->image_type == NULL)
        rc = verify_blocks(verify, &blocks, err);
    if (rc == ERR_OK && verify_kinds(image) == 0 && blocks == 0)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: %s: the image has no hash of its own that it could be compared with; "
                       "burin scan --hash records one",
                       verify->path, io_image_format(image));
    if (rc == ERR_OK && verify_kinds(image) != 0) {
        rc = verify_hash(verify, image, verify->path, verify_kinds(image), &result, err);
        if (rc == ERR_OK)
            verify_answer(verify, image, &result);
    }
    io_image_close(image);
    return rc;
}
