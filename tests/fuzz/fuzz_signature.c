/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_signature.c - every signature of one family (FUZZ_FAMILY) reads arbitrary bytes.
 *
 * The lowest bit of the last byte says whether thoroughly. Found: crashes, reads outside of the
 * input, facts that cannot be, verdicts that depend on how the bytes were cut, requests that never
 * end, work out of all proportion to the input.
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
        const bool thorough = size > 0 && (data[size - 1] & 1) != 0;
        const struct harness_verdict whole =
            harness_run_way(all[i], data, size, (struct harness_way){ .thorough = thorough });
        const struct harness_verdict cut = harness_run_way(
            all[i], data, size,
            (struct harness_way){ .step = 1 + size / 16, .span = 3, .thorough = thorough });

        harness_compare(all[i], &whole, &cut, 1 + size / 16);
        uint32_t types = 0;
        while (all[i]->types[types].name != NULL)
            types++;
        free(harness_facts(all[i], &all[i]->types[size > 0 ? data[size - 1] % types : 0], data,
                           size));
        if (whole.result.len > size || whole.views > VIEWS_PER_BYTE * size + VIEWS_MORE)
            abort();
        uint64_t lead = 0;
        if (all[i]->tail_at != NULL && size >= SIG_TAIL &&
            all[i]->tail_at(data, &lead) == UINT64_MAX)
            abort(); /* no file is so long */
        if (all[i]->tail_fits != NULL && size >= SIG_LEAD &&
            all[i]->tail_fits(data, data + (size - SIG_LEAD)) !=
                all[i]->tail_fits(data, data + (size - SIG_LEAD)))
            abort(); /* it is pure */
        struct sig_unit unit;
        if (all[i]->unit != NULL && size >= SIG_LEAD && all[i]->unit(data, &unit) &&
            (unit.sum_from > unit.sum_to || unit.sum_at > unit.next_at ||
             unit.next_count > SIG_NEXTS))
            abort();
    }
    return 0;
}
