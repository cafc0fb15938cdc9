/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/rar.c - RAR archives: headers with checksums, each followed by its data, up to
 * the end mark.
 *
 *   "Rar!" 1a 07 00 (1.5 to 4) or 1a 07 01 00 (5) | main header | headers with data | end
 *
 * Headers stand where the data before them end. The CRC-32 of files that are stored as they are, or
 * go on in the next volume, is checked; compressed data have to look like that. RAR 5 fills up a
 * volume with a few zeros behind its end mark. Writers before RAR 3 put no end mark: their archives
 * end where no further header stands. Where the headers are encrypted nothing can be walked, and
 * the archive cannot be measured.
 */

#include "signatures/archive/rar.h"
#include "signatures/archive/archive_facts.h"
#include "signatures/lib/crc32.h"
#include "signatures/lib/plausible.h"

enum {
    RAR_MAGIC = 7,
    RAR_FILL_MAX = 24, /* zeros behind the end mark of a volume … */
    RAR_FILL_TO = 512, /* … whose size was given in kilobytes */
};

struct rar_state {
    uint64_t at;   /* object offset of the next header; 0: not begun */
    uint64_t data; /* how far the data of the block before it have been looked at */
    uint64_t files;
    struct rar_block block; /* that block */
    uint32_t crc;
    bool five, has_main, needs_end;
    struct plausible plausible;
};

/* The data of state->block, which end at state->at. */
static enum step rar_data(struct sig_input *in, struct rar_state *state)
{
    if (state->block.compressed && !state->block.has_crc) {
        switch (plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->data,
                                state->at)) {
        case STEP_WAIT:
            return STEP_WAIT;
        case STEP_BAD:
            return STEP_BAD;
        default:
            break;
        }
    }
    if (state->block.has_crc && crc32_add(in, &state->data, state->at, &state->crc) == STEP_WAIT)
        return STEP_WAIT;
    if (state->block.has_crc && state->crc != state->block.crc)
        return STEP_BAD;
    state->data = state->at;
    return STEP_DONE;
}

/* Takes the header at state->at. */
static void rar_take(struct sig_input *in, struct rar_state *state, const struct rar_block *block)
{
    if (state->files > 0)
        sig_valid(in, state->at);
    state->block = *block;
    state->data = sig_add(state->at, block->head_len);
    state->at = sig_add(state->data, block->data_len);
    state->crc = 0;
    state->plausible = (struct plausible){ 0 };
    state->files += block->kind == RAR_FILE;
    state->needs_end |= block->needs_end;
    state->has_main |= block->kind == RAR_MAIN;
}

static struct sig_result rar_broken(struct sig_input *in, const struct rar_state *state,
                                    const char *why)
{
    if (!state->needs_end && state->files > 0)
        return sig_believe(in, state->at,
                           "the files follow one another, and no other header "
                           "follows");
    return sig_breaks(in, why);
}

/* The end mark has been met. */
static struct sig_result rar_end(struct sig_input *in, const struct rar_state *state)
{
    const uint64_t full = (state->at + RAR_FILL_TO - 1) / RAR_FILL_TO * RAR_FILL_TO;
    const uint32_t fill = (uint32_t)(full - state->at);

    if (state->files == 0 && !state->has_main)
        return sig_reject("an end mark comes before any file");
    if (state->block.more_volumes && fill > 0 && fill <= RAR_FILL_MAX) {
        const uint8_t *zeros = sig_bytes(in, state->at, fill);
        bool filled = zeros != NULL;

        if (zeros == NULL && in->wanted <= in->limit)
            return sig_short(in);
        for (uint32_t i = 0; filled && i < fill; i++)
            filled = zeros[i] == 0;
        if (filled)
            return sig_complete(in, full,
                                "headers lead to the end mark of a volume, and zeros fill it");
    }
    return sig_complete(in, state->at, "headers lead to the end mark");
}

static struct sig_result rar_check(struct sig_input *in, void *memory)
{
    struct rar_state *state = memory;
    struct rar_block block;

    if (state->at == 0) {
        const uint8_t *magic = sig_bytes(in, 0, RAR_MAGIC + 1);

        if (magic == NULL)
            return sig_short(in);
        state->five = magic[RAR_MAGIC - 1] == 1;
        state->at = state->five ? RAR_MAGIC + 1 : RAR_MAGIC;
        state->data = state->at;
    }
    while (state->block.kind != RAR_END) {
        enum step step = rar_data(in, state);

        if (step == STEP_BAD)
            return sig_breaks(in, "a file's data have a wrong CRC or do not look compressed");
        if (step == STEP_DONE)
            step = state->five ? rar_5_block(in, state->at, &block)
                               : rar_4_block(in, state->at, &block);
        if (step == STEP_WAIT && in->wanted <= in->limit)
            return sig_short(in);
        if (step == STEP_WAIT && state->at < in->limit && in->valid > 0 && state->needs_end)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return state->at <= in->limit
                       ? rar_broken(in, state, "the image ends before the file does")
                       : sig_short(in);
        if (step == STEP_BAD)
            return rar_broken(in, state, "a valid header must follow a file's data, and none does");
        if (!state->has_main && block.kind != RAR_MAIN && block.kind != RAR_ENCRYPTED)
            return sig_reject("there is no main header");
        if (block.encrypted)
            return sig_reject("the headers are encrypted: the end is unknown");
        rar_take(in, state, &block);
    }
    return rar_end(in, state);
}

const struct sig sig_rar = {
    .name = "rar",
    .what = "RAR archive, versions 1.5 to 7",
    .proves = "headers have their CRCs and lead to the end mark; stored files have their CRC-32",
    .source = "RARLAB, RAR 5.0 archive format; UnRAR 3.9 technote.txt and headers.hpp",
    .types = (const struct sig_type[]){ { "rar", "rar" }, { 0 } },
    .headers = { SIG_PATTERN("Rar!\x1a\x07\0"), SIG_PATTERN("Rar!\x1a\x07\1\0") },
    .flags = SIG_CONTAINER,
    .size_min = RAR_MAGIC + 7,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct rar_state),
    .check = rar_check,
    .facts = rar_facts,
};
