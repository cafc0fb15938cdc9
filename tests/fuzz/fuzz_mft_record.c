/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_mft_record.c - a FILE record of NTFS, or a block of an index, of any bytes.
 *
 * Found: crashes, runs outside of the record, names without an end, lists of runs that do not end.
 */
#include <stdlib.h>
#include <string.h>

#include "io/leftover/mft_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

/* The numbers at the ends of sectors are made right: a fuzzer would not find them. */
static void fuzz_fix(uint8_t *bytes, size_t size)
{
    const size_t at = (size_t)bytes[4] | (size_t)bytes[5] << 8;

    if (at + 2 > size)
        return;
    for (size_t end = 510; end + 2 <= size; end += 512)
        memcpy(bytes + end, bytes + at, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    struct mft_record record;
    uint64_t cluster = 0, count = 0;
    uint32_t runs = 0;
    bool broken = false;

    must(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    if (size >= 48)
        fuzz_fix(bytes, size);
    must(mft_index_block(bytes, size) <= size);
    if (mft_record_read(bytes, size, &record)) {
        must(record.len <= size && memchr(record.name, 0, sizeof record.name) != NULL);
        if (record.has_data) {
            struct mft_runs list = mft_runs_of(&record);

            must(record.runs > bytes && record.runs + record.runs_len <= bytes + record.len &&
                 record.next_vcn > record.vcn);
            while (mft_runs_next(&list, &cluster, &count, &broken)) {
                must(count > 0 && cluster <= UINT64_C(1) << 52);
                must(++runs <= record.len);
            }
        }
    }
    free(bytes);
    return 0;
}
