/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_volumes.c - a volume of any bytes: what it holds, by all readers of ours.
 *
 * Found: crashes, reads outside of the volume, sizes and labels that break what content.h says.
 */
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/content.h"
#include "io/filesystem/md.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Behind the bytes that are given, a volume has zeros. */
#define FUZZ_SIZE (UINT64_C(64) << 20)

struct fuzz_bytes {
    const uint8_t *bytes;
    size_t size;
};

static void must(bool right)
{
    if (!right)
        abort();
}

static bool fuzz_read(void *arg, uint64_t at, void *out, uint32_t len)
{
    const struct fuzz_bytes *from = arg;
    const size_t have = at < from->size ? from->size - (size_t)at : 0;

    must(at <= FUZZ_SIZE && len <= FUZZ_SIZE - at);
    memset(out, 0, len);
    if (have > 0 && len > 0)
        memcpy(out, from->bytes + at, have < len ? have : len);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = { data, size };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };

    const struct content content = content_look(&source);
    must(memchr(content.label, 0, sizeof content.label) != NULL && content.name != NULL &&
         content.note != NULL);
    struct md_member member;
    if (md_member(&source, &member))
        must(member.offset <= source.size && member.len <= source.size - member.offset &&
             member.size <= member.len);

    return 0;
}
