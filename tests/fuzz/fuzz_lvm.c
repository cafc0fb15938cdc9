/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_lvm.c - a physical volume of LVM2 of any bytes, and its text of any bytes.
 *
 * Found: crashes, segments that point to no physical volume, numbers that overflow.
 */
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/lvm.h"

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

static void check(const struct lvm_group *group)
{
    must(group->extent_len > 0 && group->physical_count <= LVM_VOLUMES_MAX);
    for (uint32_t i = 0; i < group->logical_count; i++)
        must(group->logical[i].first + group->logical[i].count <= group->segment_count);
    for (uint32_t i = 0; i < group->segment_count; i++) {
        const struct lvm_segment *segment = &group->segments[i];

        must(segment->stripes <= LVM_STRIPES_MAX);
        for (uint32_t k = 0; k < segment->stripes; k++)
            must(segment->place[k] < group->physical_count &&
                 segment->extent[k] < UINT64_MAX / 2 / group->extent_len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = { data, size };
    const struct source source = { .read = fuzz_read, .arg = &bytes, .size = FUZZ_SIZE };

    struct lvm_label label;
    struct lvm_group group = { 0 };
    struct err err = { 0 };
    if (lvm_label(&source, &label) && lvm_read(&source, &label, &group, &err) == ERR_OK)
        check(&group);
    lvm_release(&group);
    char *text = malloc(size + 1);
    must(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = 0;
    if (lvm_parse(text, (uint32_t)size, &group, &err) == ERR_OK)
        check(&group);
    lvm_release(&group);
    free(text);

    return 0;
}
