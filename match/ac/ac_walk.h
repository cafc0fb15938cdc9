/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_walk.h - the inner loop of ac.c, once for each size of cells. Define AC_WALK (the
 * function's name), AC_CELL, and AC_CLASS, the cell of a byte.
 *
 * Literals that end in text [at, at + 8 * stride). Eight states, one for each stream, are eight
 * variables: as an array they would not stay in registers.
 */
static inline __attribute__((always_inline)) bool AC_WALK(const struct ac_scan *scan, uint32_t at,
                                                          uint32_t stride)
{
    const AC_CELL *table = scan->ac->table;
    const uint8_t *p = scan->text->bytes + at;
    const uint32_t flag = scan->ac->flag;
    uint32_t s[AC_STREAMS];

    for (uint32_t k = 0; k < AC_STREAMS; k++)
        s[k] = ac_state(scan, at + k * stride);
#define AC_STEP(k) s[k] = table[s[k] + AC_CLASS(p[(size_t)k * stride + i])];
#define AC_LOOK(k)                                                                                 \
    if (__builtin_expect(s[k] >= flag, 0) && !ac_report(scan, s[k], at + (k)*stride + i + 1))      \
        return false;
    for (uint32_t i = 0; i < stride; i++) {
        AC_STEP(0)
        AC_STEP(1)
        AC_STEP(2)
        AC_STEP(3)
        AC_STEP(4)
        AC_STEP(5)
        AC_STEP(6)
        AC_STEP(7)
        if (__builtin_expect((s[0] | s[1] | s[2] | s[3] | s[4] | s[5] | s[6] | s[7]) < flag, 1))
            continue; /* flag is a bit of its own */
        AC_LOOK(0)
        AC_LOOK(1)
        AC_LOOK(2)
        AC_LOOK(3)
        AC_LOOK(4)
        AC_LOOK(5)
        AC_LOOK(6)
        AC_LOOK(7)
    }
#undef AC_STEP
#undef AC_LOOK
    return true;
}
