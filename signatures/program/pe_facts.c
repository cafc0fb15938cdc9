/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/pe_facts.c - facts of Windows programs: when they were linked, for which
 * processor. Source: Microsoft, PE Format: COFF file header. */
#include <string.h>

#include "base/bytes.h"
#include "signatures/facts/tell.h"
#include "signatures/program/program_facts.h"

void pe_facts(struct sig_facts *facts)
{
    static const struct {
        uint16_t number;
        const char *name;
    } machines[] = { { 0x14c, "x86" },    { 0x8664, "x86-64" }, { 0x1c0, "arm" }, { 0x1c4, "arm" },
                     { 0xaa64, "arm64" }, { 0x200, "ia64" },    { 0xebc, "efi" } };
    const uint8_t *head = tell_bytes(facts, 0, 64);
    const uint8_t *coff = head != NULL ? tell_bytes(facts, bytes_u32le(head + 60), 24) : NULL;

    if (coff == NULL || memcmp(coff, "PE\0\0", 4) != 0)
        return;
    tell_moment(facts, SIG_FACT_CREATED, bytes_u32le(coff + 8));
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].number == bytes_u16le(coff + 4))
            tell_text(facts, SIG_FACT_MACHINE, machines[i].name, strlen(machines[i].name));
}
