/*
 * match/ac_walk.h - the inner loop of ac.c, once for each size of cells. Define AC_WALK (the function's name) and AC_CELL.
 *
 * Eight streams go through eight pieces of a block at once, for one step of one stream waits for the cache; finds are looked
 * for once in AC_GROUP steps of all. A stream runs on behind its piece so that literals which begin in it are found whole;
 * ac_group leaves out what begins in the next one.
 */
static bool AC_WALK(const struct ac_scan *scan, const uint8_t *classes, uint32_t at)
{
    const AC_CELL *table = scan->ac->table;
    uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;

    for (const uint8_t *p = classes; p < classes + AC_STRIDE + AC_GROUP; p += AC_GROUP) {
        volatile uint32_t states[AC_STREAMS]; /* volatile: on the stack and not in registers, which are short */
        uint32_t all = 0;

        states[0] = s0, states[1] = s1, states[2] = s2, states[3] = s3;
        states[4] = s4, states[5] = s5, states[6] = s6, states[7] = s7;
#pragma GCC unroll 2
        for (uint32_t i = 0; i < AC_GROUP; i++) {
            s0 = table[s0 + p[i + 0 * AC_STRIDE]];
            s1 = table[s1 + p[i + 1 * AC_STRIDE]];
            s2 = table[s2 + p[i + 2 * AC_STRIDE]];
            s3 = table[s3 + p[i + 3 * AC_STRIDE]];
            all |= s0 | s1 | s2 | s3;
            s4 = table[s4 + p[i + 4 * AC_STRIDE]];
            s5 = table[s5 + p[i + 5 * AC_STRIDE]];
            s6 = table[s6 + p[i + 6 * AC_STRIDE]];
            s7 = table[s7 + p[i + 7 * AC_STRIDE]];
            all |= s4 | s5 | s6 | s7;
        }
        if (__builtin_expect((all & scan->ac->flag) != 0, 0) && !ac_group(scan, states, at, (uint32_t)(p - classes)))
            return false;
    }
    return true;
}
