/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/acpi.c - programs of ACPI that a machine's firmware hands over (aml): DSDT and
 * SSDT.
 *
 *   "DSDT" or "SSDT" | u32le bytes | revision | u8 sum, which makes all bytes 0 | 6 bytes of maker,
 * 8 of name | u32le revision | 4 bytes of compiler | u32le its revision | code
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/sig.h"

enum { ACPI_HEAD = 36 };

struct acpi_state {
    uint64_t at; /* summed up to here */
    uint8_t sum;
};

static struct sig_result acpi_check(struct sig_input *in, void *memory)
{
    struct acpi_state *state = memory;
    const uint8_t *p = sig_bytes(in, 0, ACPI_HEAD);

    if (p == NULL)
        return sig_short(in);
    const uint64_t end = bytes_u32le(p + 4);
    if (end <= ACPI_HEAD || p[8] < 1 || p[8] > 6)
        return sig_reject("invalid length or revision");
    for (uint32_t i = 10; i < 24; i++)
        if (p[i] != 0 && (p[i] < ' ' || p[i] > '~'))
            return sig_reject("the maker's name is no text");
    while (state->at < end) {
        uint32_t len;

        p = sig_span_to(in, state->at, end, &len);
        if (p == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < len; i++)
            state->sum = (uint8_t)(state->sum + p[i]);
        state->at += len;
    }
    if (state->sum != 0)
        return sig_reject("wrong sum of all bytes");
    return sig_complete(in, end, "the sum of all bytes");
}

const struct sig sig_acpi = {
    .name = "aml",
    .what = "program of ACPI in a machine's firmware (DSDT, SSDT)",
    .proves = "the sum of all bytes, 8 bits of it; code is not read",
    .source = "UEFI Forum, ACPI Specification 6.5, 5.2.6: System Description Table Header",
    .types = (const struct sig_type[]){ { "aml", "aml" }, { 0 } },
    .headers = { SIG_MASKED("DSDT???\0", "\xff\xff\xff\xff\0\0\0\xff"),
                 SIG_MASKED("SSDT???\0", "\xff\xff\xff\xff\0\0\0\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = ACPI_HEAD + 1,
    .size_max = 1 << 24,
    .state_size = sizeof(struct acpi_state),
    .check = acpi_check,
};
