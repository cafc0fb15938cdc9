/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/wad.c - archives of games: WAD of Doom, WAD2 and WAD3 of Quake and Half-Life,
 * PAK of Quake.
 *
 *   "IWAD", "PWAD", "WAD2", "WAD3" | u32le entries | u32le place of the directory
 *   "PACK" | u32le place of the directory | u32le its bytes
 *
 * All integers of an entry are u32le; a name ends with zeros. The file ends with the directory or
 * with the last entry's bytes, whichever is later.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum { WAD_HEAD = 12, WAD_ENTRY_MAX = 64, WAD_ENTRIES_MAX = 65535 };

/* Where an entry of the directory has what. */
struct wad_layout {
    uint32_t bytes, place, size, name, name_bytes;
};

struct wad_state {
    uint64_t used; /* bytes that entries hold so far */
    uint64_t end;  /* object offset behind the last byte of an entry, or of the directory */
    uint32_t entry;
};

static const struct sig_type wad_types[] = { { "wad", "wad" }, { "pak", "pak" }, { 0 } };

static bool wad_name(const uint8_t *name, uint32_t bytes)
{
    uint32_t i = 0;

    while (i < bytes && name[i] > ' ' && name[i] < 0x7f)
        i++;
    return i > 0 && (i == bytes || name[i] == 0);
}

/* One entry: its bytes must lie behind the header and outside of the directory. */
static enum step wad_entry(struct sig_input *in, const struct wad_layout *layout, uint64_t from,
                           uint64_t to, struct wad_state *state)
{
    const uint8_t *entry =
        sig_bytes(in, from + (uint64_t)state->entry * layout->bytes, layout->bytes);

    if (entry == NULL)
        return STEP_WAIT;
    const uint64_t place = bytes_u32le(entry + layout->place),
                   size = bytes_u32le(entry + layout->size);
    if (!wad_name(entry + layout->name, layout->name_bytes) ||
        (size > 0 && (place < WAD_HEAD || (place < to && place + size > from))))
        return STEP_BAD;
    if (size > 0 && place + size > state->end)
        state->end = place + size;
    state->used += size;
    state->entry++;
    return STEP_DONE;
}

static struct sig_result wad_check(struct sig_input *in, void *memory)
{
    static const struct wad_layout doom = { 16, 0, 4, 8, 8 }, quake = { 32, 0, 4, 16, 16 },
                                   pak = { 64, 56, 60, 0, 56 };
    struct wad_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, WAD_HEAD);

    if (head == NULL)
        return sig_short(in);
    const bool is_pak = memcmp(head, "PACK", 4) == 0;
    const struct wad_layout *layout = is_pak ? &pak : head[0] == 'W' ? &quake : &doom;
    const uint64_t from = bytes_u32le(head + (is_pak ? 4 : 8));
    const uint32_t count = is_pak ? bytes_u32le(head + 8) / pak.bytes : bytes_u32le(head + 4);
    const uint64_t to = from + (uint64_t)count * layout->bytes;
    in->type = &wad_types[is_pak];
    if (from < WAD_HEAD || count == 0 || count > WAD_ENTRIES_MAX)
        return sig_reject("invalid place or length of the directory");
    if (state->end == 0)
        state->end = to;
    while (state->entry < count) {
        const enum step step = wad_entry(in, layout, from, to, state);

        if (step == STEP_WAIT && state->entry > 0)
            sig_valid(in, from < in->limit ? from : in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_reject("invalid entry of the directory");
    }
    /* Padding is less than what is stored; entries may share bytes. */
    if (state->used == 0 || state->used < (state->end - (to - from)) / 2)
        return sig_reject("the entries leave most of the file empty");
    sig_valid(in, to < in->limit ? to : in->limit);
    return sig_believe(in, state->end, "the directory and its entries lead to the end");
}

const struct sig sig_wad = {
    .name = "wad",
    .what = "archive of a game: WAD of Doom, Quake or Half-Life, PAK of Quake",
    .proves = "the directory's names, places and sizes lead to the end; content is not read",
    .source =
        "The Unofficial Doom Specs 1.666 (M. Fell), 2; Quake Specifications v3.4 (O. Montanuy), 3",
    .types = wad_types,
    .headers = { SIG_MASKED("IWAD\0\0\0\0", "\xff\xff\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("PWAD\0\0\0\0", "\xff\xff\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("WAD2\0\0\0\0", "\xff\xff\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("WAD3\0\0\0\0", "\xff\xff\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("PACK\0\0\0\0\0\0\0\0", "\xff\xff\xff\xff\0\0\0\0\x3f\0\xc0\xff") },
    .flags = SIG_CONTAINER | SIG_SECTOR_ALIGNED,
    .size_min = WAD_HEAD + 16 + 1,
    .size_max = UINT64_C(1) << 32,
    .state_size = sizeof(struct wad_state),
    .check = wad_check,
};
