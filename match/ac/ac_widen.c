/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_widen.c - see ac_widen in ac.h. */
#include <sys/mman.h>

#include "match/ac/ac.h"

enum {
    WIDEN_CELLS = 256,
    WIDEN_ROWS_MAX = 2048, /* 2 MiB */
    WIDEN_HUGE_PAGE = 2 << 20,
};

/* The state in the wide table that stands for one of the automaton. */
static uint32_t widen_state(const struct ac *ac, uint32_t flag, uint32_t state)
{
    return state < ac->flag ? state / ac->width * WIDEN_CELLS
                            : flag + (state - ac->flag) / ac->width * WIDEN_CELLS;
}

static void widen_row(const struct ac *ac, uint32_t flag, uint32_t state, uint32_t *table)
{
    uint32_t *row = table + widen_state(ac, flag, state), next[WIDEN_CELLS] = { 0 };

    for (uint32_t class = 0; class < ac->width; class ++) {
        const size_t cell = (size_t)state + class;

        next[class] = widen_state(ac, flag,
                                  ac->narrow ? ((const uint16_t *)ac->table)[cell]
                                             : ((const uint32_t *)ac->table)[cell]);
    }
    for (uint32_t byte = 0; byte < WIDEN_CELLS; byte++)
        row[byte] = next[ac->classes[byte]];
}

void ac_widen(struct ac *ac)
{
    uint32_t flag = WIDEN_CELLS;

    if (ac->plain + ac->finding > WIDEN_ROWS_MAX)
        return;
    while (flag < ac->plain * WIDEN_CELLS)
        flag *= 2;
    const size_t size = ((size_t)flag + (size_t)ac->finding * WIDEN_CELLS) * sizeof(uint32_t);
    uint32_t *table = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return; /* it works as it is */
    if (size >= WIDEN_HUGE_PAGE)
        (void)madvise(table, size, MADV_HUGEPAGE);
    for (uint32_t r = 0; r < ac->plain; r++)
        widen_row(ac, flag, r * ac->width, table);
    for (uint32_t r = 0; r < ac->finding; r++)
        widen_row(ac, flag, ac->flag + r * ac->width, table);
    munmap(ac->table, ac->table_size);
    ac->table = table;
    ac->table_size = size;
    ac->flag = flag;
    ac->width = WIDEN_CELLS;
    ac->narrow = false;
    ac->direct = true;
    for (uint32_t byte = 0; byte < WIDEN_CELLS; byte++)
        ac->classes[byte] = (uint8_t)byte;
}
