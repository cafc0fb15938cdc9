/* SPDX-License-Identifier: Apache-2.0
 * signatures/drawing/binvox.c - binvox: a body of cubes.
 *
 *   "#binvox 1" | "dim" depth height width | "translate" x y z | "scale" s | "data" | pairs: 0 or
 * 1, how many
 *
 * The pairs make up as many cubes as the dimensions say.
 */
#include "signatures/lib/chars.h"
#include "signatures/lib/words.h"
#include "signatures/sig.h"

enum { BINVOX_SIDE_MAX = 1 << 13, BINVOX_LINES_MAX = 16, BINVOX_STEP = 4096 };

struct binvox_state {
    struct chars text;
    uint32_t lines;
    uint64_t cubes, done, at;
    bool headed;
};

static bool binvox_header(struct binvox_state *state, const struct chars_line *line)
{
    struct word words[4];
    const uint32_t count = words_split(line, words, 4);
    uint64_t side;

    if (count == 0)
        return false;
    if (word_is(&words[0], "dim") && count == 4) {
        state->cubes = 1;
        for (uint32_t i = 1; i < 4; i++) {
            if (!word_number(&words[i], BINVOX_SIDE_MAX, &side) || side == 0)
                return false;
            state->cubes *= side;
        }
        return true;
    }
    state->headed = word_is(&words[0], "data") && count == 1 && state->cubes > 0;
    return state->headed || word_is(&words[0], "translate") || word_is(&words[0], "scale");
}

static struct sig_result binvox_check(struct sig_input *in, void *memory)
{
    struct binvox_state *state = memory;

    if (chars_open(in, &state->text) == CHARS_WAIT)
        return sig_short(in);
    while (!state->headed) {
        struct chars_line line;

        if (chars_next_line(in, &state->text, &line) == CHARS_WAIT)
            return sig_short(in);
        if (line.all == line.len || state->lines == BINVOX_LINES_MAX ||
            (state->lines > 0 && !binvox_header(state, &line)))
            return sig_reject("a line does not belong to the header");
        state->lines++;
        chars_skip(&state->text, line.all);
        state->at = state->text.at;
    }
    while (state->done < state->cubes) {
        const uint64_t left = state->at < in->limit ? in->limit - state->at : 0;
        const uint32_t len = left > BINVOX_STEP ? BINVOX_STEP : left < 2 ? 2 : (uint32_t)left;
        const uint8_t *p = sig_bytes(in, state->at, len);
        uint32_t i = 0;

        if (p == NULL)
            return sig_short(in);
        for (; i + 1 < len && state->done < state->cubes; i += 2) {
            if (p[i] > 1 || p[i + 1] == 0 || p[i + 1] > state->cubes - state->done) {
                sig_valid(in, state->at + i);
                return sig_breaks(in, "invalid pair");
            }
            state->done += p[i + 1];
        }
        state->at += i;
        sig_valid(in, state->at);
    }
    return sig_complete(in, state->at, "the pairs make up all cubes");
}

const struct sig sig_binvox = {
    .name = "binvox",
    .what = "binvox, a body of cubes",
    .proves = "runs of cubes make up the dimensions",
    .source = "P. Min, BINVOX voxel file format specification",
    .types = (const struct sig_type[]){ { "binvox", "binvox" }, { 0 } },
    .headers = { SIG_PATTERN("#binvox 1") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct binvox_state),
    .check = binvox_check,
};
