/* SPDX-License-Identifier: Apache-2.0
 * signatures/registry.c - the registry: list.def as a table. */
#include "signatures/list.h"

#define SIG(family, symbol) extern const struct sig symbol;
#include "signatures/list.def"
#undef SIG

#define SIG(family, symbol) &symbol,
static const struct sig *const list_signatures[] = {
#include "signatures/list.def"
};
#undef SIG

#define SIG(family, symbol) #family,
static const char *const list_families[] = {
#include "signatures/list.def"
};
#undef SIG

const struct sig *const *sig_builtin(uint32_t *count)
{
    *count = sizeof list_signatures / sizeof list_signatures[0];
    return list_signatures;
}

const char *sig_builtin_family(uint32_t index)
{
    return list_families[index];
}
