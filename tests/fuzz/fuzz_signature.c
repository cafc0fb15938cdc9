/*
 * tests/fuzz/fuzz_signature.c - every signature of one family (FUZZ_FAMILY) reads arbitrary bytes.
 *
 * Found: crashes, reads outside of the input, verdicts that depend on how the bytes were cut,
 * requests that never end, work out of all proportion to the input.
 */
#include <stdlib.h>
#include <string.h>

#include "signatures/list.h"
#include "tests/signatures/harness.c"

enum { VIEWS_PER_BYTE = 16, VIEWS_MORE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(sig_builtin_family(i), FUZZ_FAMILY) != 0 || all[i]->check == NULL)
            continue;
        const struct harness_verdict whole = harness_run(all[i], data, size, 0, 0);
        const struct harness_verdict cut = harness_run(all[i], data, size, 1 + size / 16, 3);

        harness_compare(all[i], &whole, &cut, 1 + size / 16);
        if (whole.result.len > size || whole.views > VIEWS_PER_BYTE * size + VIEWS_MORE)
            abort();
    }
    return 0;
}
