/* SPDX-License-Identifier: Apache-2.0
 * carver/verify/verify_blocks.c - the blocks of an image against the hashes that its container has
 * of each: see verify.h and io/blocks.h. */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "carver/cli/interrupt.h"
#include "carver/verify/verify.h"
#include "io/blocks.h"

enum { BLOCKS_TOLD = 32 /* blocks that people are told of */, BLOCKS_STREAMS_MAX = 1024 };

struct blocks_check {
    struct verify *verify;
    struct io_blocks *blocks;
    uint8_t *bytes; /* of a block */
    uint64_t checked, wrong;
    bool kinds[IO_BLOCK_KINDS]; /* that a block had a hash of */
};

static void blocks_bad(void *arg, const struct io_bad_range *range)
{
    (void)range;
    *(bool *)arg = true;
}

static void blocks_wrong(struct blocks_check *check, uint64_t offset, uint64_t len, const char *why)
{
    struct verify *verify = check->verify;

    if (check->wrong++ < BLOCKS_TOLD)
        verify_say(verify, "%s: %s: bytes %" PRIu64 "+%" PRIu64 " %s", verify->path,
                   io_blocks_name(check->blocks), offset, len, why);
    verify->failed = true;
    if (!verify->as_json)
        return;
    json_open_object(&verify->json, NULL);
    json_uint(&verify->json, "offset", offset);
    json_uint(&verify->json, "length", len);
    json_close_object(&verify->json);
}

/* One block that the container has hashes of. */
static enum err_code blocks_one(struct blocks_check *check, uint64_t number, struct err *err)
{
    const EVP_MD *const kinds[IO_BLOCK_KINDS] = { EVP_md5(), EVP_sha1(), EVP_sha256(),
                                                  EVP_sha512() };
    const uint64_t offset = number * io_blocks_len(check->blocks);
    const uint64_t left = io_image_size(io_blocks_image(check->blocks)) - offset;
    const size_t len =
        left < io_blocks_len(check->blocks) ? (size_t)left : io_blocks_len(check->blocks);
    bool read = false, unread = false, right = true;
    enum err_code rc = ERR_OK;

    for (uint32_t kind = 0; rc == ERR_OK && kind < IO_BLOCK_KINDS; kind++) {
        uint8_t digest[EVP_MAX_MD_SIZE];
        const uint8_t *want = NULL;

        rc = io_blocks_digest(check->blocks, number, kind, &want, err);
        if (rc != ERR_OK || want == NULL)
            continue;
        if (!read)
            rc = io_salvage_read(io_blocks_image(check->blocks), offset, check->bytes, len,
                                 blocks_bad, &unread, err);
        read = true;
        check->kinds[kind] = true;
        if (rc == ERR_OK && EVP_Digest(check->bytes, len, digest, NULL, kinds[kind], NULL) != 1)
            rc = ERR_RAISE(err, ERR_ENV, "libcrypto cannot hash");
        right = right && memcmp(digest, want, io_blocks_kind(kind)->len) == 0;
    }
    check->checked += read;
    if (rc == ERR_OK && read && (unread || !right))
        blocks_wrong(check, offset, len,
                     unread ? "cannot be read" : "are not those that the image has a hash of");
    return rc;
}

static enum err_code blocks_stream(struct blocks_check *check, struct err *err)
{
    struct io_image *image = io_blocks_image(check->blocks);
    const uint64_t len = io_blocks_len(check->blocks), size = io_image_size(image);
    struct progress progress;
    enum err_code rc = ERR_OK;

    check->bytes = malloc(len);
    if (check->bytes == NULL)
        return ERR_NO_MEMORY(err, len);
    progress_start(&progress, "verify", size,
                   progress_unless_quiet(check->verify->progress, check->verify->quiet));
    for (uint64_t at = 0; rc == ERR_OK && at < size; at += len) {
        rc = blocks_one(check, at / len, err);
        if (rc == ERR_OK && interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        progress_update(&progress, at, UINT64_MAX, UINT64_MAX);
    }
    progress_end(&progress);
    free(check->bytes);
    return rc;
}

/* What the hashes of a stream said. */
static void blocks_answer(const struct blocks_check *check)
{
    char kinds[64] = "";
    size_t len = 0;

    for (uint32_t i = 0; i < IO_BLOCK_KINDS; i++)
        if (check->kinds[i])
            len += (size_t)snprintf(kinds + len, sizeof kinds - len, "%s%s", len > 0 ? ", " : "",
                                    io_blocks_kind(i)->name);
    verify_say(check->verify,
               "%s: %s: %" PRIu64 " blocks have the hashes (%s) that the image says, %" PRIu64
               " have not",
               check->verify->path, io_blocks_name(check->blocks), check->checked - check->wrong,
               kinds, check->wrong);
}

enum err_code verify_blocks(struct verify *verify, uint64_t *checked, struct err *err)
{
    enum err_code rc = ERR_OK;
    bool more = true;

    *checked = 0;
    if (verify->as_json)
        json_open_array(&verify->json, "wrong_blocks");
    for (uint32_t i = 0; rc == ERR_OK && more && i < BLOCKS_STREAMS_MAX; i++) {
        struct blocks_check check = { .verify = verify };

        rc = io_blocks_open(verify->path, i, &check.blocks, err);
        more = check.blocks != NULL;
        if (rc == ERR_OK && more)
            rc = blocks_stream(&check, err);
        if (rc == ERR_OK && check.checked > 0)
            blocks_answer(&check);
        *checked += check.checked;
        io_blocks_close(check.blocks);
    }
    if (verify->as_json) {
        json_close_array(&verify->json);
        json_uint(&verify->json, "blocks", *checked);
    }
    return rc;
}
