/* SPDX-License-Identifier: Apache-2.0
 * signatures/program/luajit.c - programs compiled by LuaJIT.
 *
 *   1b "LJ" | u8 version 1, 2 | numbers of 7 bits a byte: flags | unless they say 2: bytes of the
 * name, name | functions: bytes | as many; a 0 ends them
 */
#include "base/bytes.h"
#include "signatures/lib/number.h"
#include "signatures/sig.h"

enum {
    LUAJIT_MAGIC = 4,
    LUAJIT_FLAGS_MAX = 31,
    LUAJIT_STRIPPED = 2,
    LUAJIT_NAME_MAX = 4096,
    LUAJIT_FUNCTION_MIN = 7, /* flags, parameters, frame, upvalues and three counts */
    LUAJIT_FUNCTION_MAX = 16 << 20,
};

struct luajit_state {
    uint64_t at; /* the next function; 0: not begun */
    uint32_t functions;
};

static struct sig_result luajit_check(struct sig_input *in, void *memory)
{
    struct luajit_state *state = memory;
    uint64_t at = LUAJIT_MAGIC, number;

    if (state->at == 0) {
        enum step step = number_read(in, &at, &number);
        const bool stripped = step == STEP_DONE && (number & LUAJIT_STRIPPED) != 0;

        if (step == STEP_DONE && number > LUAJIT_FLAGS_MAX)
            return sig_reject("unknown flags");
        if (step == STEP_DONE && !stripped) {
            step = number_read(in, &at, &number);
            if (step == STEP_DONE && (number == 0 || number > LUAJIT_NAME_MAX))
                return sig_reject("invalid name");
            at += step == STEP_DONE ? number : 0;
        }
        if (step != STEP_DONE)
            return step == STEP_WAIT ? sig_short(in) : sig_reject("invalid number");
        state->at = at;
    }
    for (;;) {
        at = state->at;
        const enum step step = number_read(in, &at, &number);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_DONE && number == 0 && state->functions > 0)
            return sig_complete(in, at, "functions lead to the end mark");
        if (step == STEP_BAD || number < LUAJIT_FUNCTION_MIN || number > LUAJIT_FUNCTION_MAX)
            return sig_breaks(in, "invalid length of a function");
        at += number;
        if (sig_bytes(in, at - 1, 1) == NULL)
            return sig_short(in);
        state->at = at;
        state->functions++;
        sig_valid(in, at);
    }
}

const struct sig sig_luajit = {
    .name = "luajit",
    .what = "program compiled by LuaJIT",
    .proves = "functions lead to the end mark; code is not read",
    .source = "LuaJIT 2.1, src/lj_bcdump.h",
    .types = (const struct sig_type[]){ { "luajit", "ljbc" }, { 0 } },
    .headers = { SIG_MASKED("\x1bLJ\1\0", "\xff\xff\xff\xff\xe0"),
                 SIG_MASKED("\x1bLJ\2\0", "\xff\xff\xff\xff\xe0") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = LUAJIT_MAGIC + 2 + LUAJIT_FUNCTION_MIN,
    .size_max = 1 << 28,
    .state_size = sizeof(struct luajit_state),
    .check = luajit_check,
};
