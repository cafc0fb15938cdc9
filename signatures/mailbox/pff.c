/* SPDX-License-Identifier: Apache-2.0
 * signatures/mailbox/pff.c - Outlook's personal and offline stores: pst, ost.
 *
 *   header: "!BDN" | CRC of the 471 bytes from 8 on | "SM" (pst) or "SO" (ost) | version 14, 15
 * (ANSI), 23 (Unicode), 36 (pages of 4096) root: size of the file, place of the last allocation
 * map, places of the two B-trees: nodes, blocks | 128 + 128 bytes | 0x80 allocation maps: the first
 * at 0x4400, then one every 253,952 bytes pages of 512 bytes end with: type twice, signature, CRC,
 * id; blocks, padded to 64 bytes, end likewise
 *
 * The size is in the header, under the header's CRC. Every allocation map is looked at while the
 * file passes; then both trees are followed and every page's CRC and id compared, and in files of
 * ordinary size every block's as well. The 4096-byte pages of Outlook 2013 are not published: of
 * those only the header and the types of the two root pages are checked.
 */
#include <isa-l.h>
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PFF_HEAD = 564,
    PFF_HEAD_CRC = 471, /* bytes from 8 on */
    PFF_PAGE = 512,
    PFF_BIG_PAGE = 4096,
    PFF_MAP_FIRST = 0x4400,
    PFF_MAP_EVERY = 253952, /* 496 bytes of bits, 64 bytes each */
    PFF_IS_MAP = 0x84,
    PFF_IS_NODES = 0x81,
    PFF_IS_BLOCKS = 0x80,
    PFF_LEVELS = 8,
    PFF_BLOCK_MAX = 8192,
    PFF_BLOCKS_BUDGET = 64 << 20, /* bytes of a file whose blocks are all read */
};

enum pff_phase { PFF_AT_HEAD, PFF_AT_MAPS, PFF_AT_BLOCKS, PFF_AT_NODES, PFF_AT_END };
/* A page on the way down the tree: where it is, its next entry. */
struct pff_level {
    uint64_t at, id;
    uint32_t next;
};

struct pff_state {
    uint32_t phase;
    bool wide, big; /* 64-bit places; pages of 4096 bytes */
    uint64_t size, map_last;
    uint64_t tree_at[2], tree_id[2]; /* nodes, blocks */
    uint64_t at;
    uint64_t pages; /* that may still be followed */
    uint64_t bad_at;
    uint32_t depth; /* levels on the way; 0: none begun */
    struct pff_level levels[PFF_LEVELS];
};

static const struct sig_type pff_types[] = { { "pst", "pst" }, { "ost", "ost" }, { 0 } };

/* The polynomial of gzip, without its inversions. */
static uint32_t pff_crc(const uint8_t *bytes, uint32_t len)
{
    return ~crc32_gzip_refl(UINT32_MAX, bytes, len);
}

static uint64_t pff_word(const struct pff_state *state, const uint8_t *p)
{
    return state->wide ? bytes_u64le(p) : bytes_u32le(p);
}

static enum step pff_bad(struct pff_state *state, uint64_t at)
{
    state->bad_at = at;
    return STEP_BAD;
}

/* NULL: right. */
static const char *pff_head(struct sig_input *in, const uint8_t *head, struct pff_state *state)
{
    const uint32_t version = bytes_u16le(head + 10);

    in->type = &pff_types[head[9] == 'O'];
    state->wide = version >= 20;
    state->big = version >= 36;
    if ((version != 14 && version != 15 && version != 21 && version != 23 && version != 36) ||
        head[14] != 1 || head[15] != 1)
        return "version or platform is out of range";
    if (pff_crc(head + 8, PFF_HEAD_CRC) != bytes_u32le(head + 4))
        return "the CRC of the header is wrong";
    const uint8_t *root = head + (state->wide ? 0xb8 : 0xa8);
    const uint32_t word = state->wide ? 8 : 4;
    state->size = pff_word(state, root);
    state->map_last = pff_word(state, root + word);
    state->tree_id[0] = pff_word(state, root + 4 * word);
    state->tree_at[0] = pff_word(state, root + 5 * word);
    state->tree_id[1] = pff_word(state, root + 6 * word);
    state->tree_at[1] = pff_word(state, root + 7 * word);
    if (head[state->wide ? 0x200 : 0x1cc] != 0x80)
        return "there is no sentinel behind the maps";
    if (state->size <= state->map_last || state->map_last < PFF_MAP_FIRST ||
        state->tree_at[0] >= state->size || state->tree_at[1] >= state->size)
        return "the places in the header lie outside the file";
    if (!state->big && ((state->map_last - PFF_MAP_FIRST) % PFF_MAP_EVERY != 0 ||
                        state->size - state->map_last > PFF_MAP_EVERY))
        return "invalid place of the last allocation map";
    state->at = PFF_MAP_FIRST;
    state->pages = state->size / PFF_PAGE + 16;
    return NULL;
}

/* A page with its trailer: type, id and CRC. */
static enum step pff_page(struct sig_input *in, struct pff_state *state, uint64_t at, uint32_t type,
                          uint64_t id, const uint8_t **page)
{
    const uint8_t *p = sig_bytes(in, at, PFF_PAGE);
    const uint32_t body = state->wide ? 496 : 500;

    if (p == NULL)
        return STEP_WAIT;
    const uint8_t *trailer = p + body;
    const uint32_t crc = bytes_u32le(trailer + (state->wide ? 4 : 8));
    const uint64_t page_id = state->wide ? bytes_u64le(trailer + 8) : bytes_u32le(trailer + 4);
    if (trailer[0] != type || trailer[1] != type || page_id != id || crc != pff_crc(p, body))
        return pff_bad(state, at);
    *page = p;
    return STEP_DONE;
}

static enum step pff_maps(struct sig_input *in, struct pff_state *state)
{
    for (; !state->big && state->at <= state->map_last; state->at += PFF_MAP_EVERY) {
        const uint8_t *page;
        const enum step step = pff_page(in, state, state->at, PFF_IS_MAP, state->at, &page);

        if (step != STEP_DONE)
            return step;
        sig_valid(in, state->at + PFF_PAGE);
    }
    return STEP_DONE;
}

/* The block that a leaf names: its trailer says the same, and the CRC is right. */
static enum step pff_block(struct sig_input *in, struct pff_state *state, uint64_t at, uint64_t id,
                           uint32_t len)
{
    const uint32_t trailer_len = state->wide ? 16 : 12, whole = (len + trailer_len + 63) / 64 * 64;

    if (state->size > PFF_BLOCKS_BUDGET)
        return STEP_DONE;
    if (len == 0 || len > PFF_BLOCK_MAX || whole > state->size || at > state->size - whole)
        return pff_bad(state, at);
    const uint8_t *block = sig_bytes(in, at, whole);
    if (block == NULL)
        return STEP_WAIT;
    const uint8_t *trailer = block + whole - trailer_len;
    const uint64_t block_id = state->wide ? bytes_u64le(trailer + 8) : bytes_u32le(trailer + 4);
    const uint32_t crc = bytes_u32le(trailer + (state->wide ? 4 : 8));
    if (bytes_u16le(trailer) != len || block_id != id || crc != pff_crc(block, len))
        return pff_bad(state, at);
    return STEP_DONE;
}

/* The next entry of the lowest page on the way: goes down, or looks at the block, or back up. */
static enum step pff_entry(struct sig_input *in, struct pff_state *state, uint32_t type)
{
    struct pff_level *level = &state->levels[state->depth - 1];
    const uint8_t *page;
    const enum step step = pff_page(in, state, level->at, type, level->id, &page);

    if (step != STEP_DONE)
        return step;
    const uint8_t *tail = page + (state->wide ? 488 : 496);
    const uint32_t count = tail[0], most = tail[1], entry_len = tail[2], word = state->wide ? 8 : 4;
    const uint32_t below = PFF_LEVELS - state->depth;
    if (count > most || entry_len < 3 * word || count * entry_len > (state->wide ? 488 : 496) ||
        tail[3] > below)
        return pff_bad(state, level->at);
    if (level->next == count) {
        state->depth--;
        return STEP_DONE;
    }
    const uint8_t *entry = page + level->next * entry_len;
    level->next++;
    if (tail[3] > 0) {
        if (state->pages == 0)
            return pff_bad(state, level->at);
        state->pages--;
        state->levels[state->depth++] =
            (struct pff_level){ .id = pff_word(state, entry + word),
                                .at = pff_word(state, entry + 2 * word) };
        return STEP_DONE;
    }
    if (type == PFF_IS_NODES)
        return STEP_DONE;
    const enum step done =
        pff_block(in, state, pff_word(state, entry + word), pff_word(state, entry) & ~UINT64_C(1),
                  bytes_u16le(entry + 2 * word));
    if (done == STEP_WAIT)
        level->next--;
    return done;
}

static enum step pff_tree(struct sig_input *in, struct pff_state *state, uint32_t type)
{
    const uint32_t tree = type == PFF_IS_BLOCKS;

    if (state->big) {
        const uint8_t *tail = sig_bytes(in, state->tree_at[tree] + PFF_BIG_PAGE - 24, 2);

        if (tail == NULL)
            return STEP_WAIT;
        return tail[0] == type && tail[1] == type ? STEP_DONE
                                                  : pff_bad(state, state->tree_at[tree]);
    }
    if (state->depth == 0) {
        state->levels[0] =
            (struct pff_level){ .at = state->tree_at[tree], .id = state->tree_id[tree] };
        state->depth = 1;
    }
    while (state->depth > 0) {
        const enum step step = pff_entry(in, state, type);

        if (step != STEP_DONE)
            return step;
    }
    return STEP_DONE;
}

static struct sig_result pff_check(struct sig_input *in, void *memory)
{
    struct pff_state *state = memory;

    if (state->phase == PFF_AT_HEAD) {
        const uint8_t *head = sig_bytes(in, 0, PFF_HEAD);

        if (head == NULL)
            return sig_short(in);
        const char *why = pff_head(in, head, state);
        if (why != NULL)
            return sig_reject(why);
        state->phase = PFF_AT_MAPS;
    }
    for (; state->phase < PFF_AT_END; state->phase++) {
        const enum step step =
            state->phase == PFF_AT_MAPS
                ? pff_maps(in, state)
                : pff_tree(in, state, state->phase == PFF_AT_BLOCKS ? PFF_IS_BLOCKS : PFF_IS_NODES);

        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && in->valid > 0 && state->bad_at > in->valid &&
            state->bad_at <= in->limit)
            sig_valid(in, state->bad_at);
        if (step == STEP_BAD)
            return sig_breaks(in, "a page or block contradicts the trees");
    }
    if (state->big || state->size > PFF_BLOCKS_BUDGET)
        return sig_believe(in, state->size,
                           "the header gives the size; allocation maps and trees are valid");
    return sig_complete(in, state->size, "every page and block agrees with the trees");
}

const struct sig sig_pff = {
    .name = "pff",
    .what = "Outlook store: personal (pst) and offline (ost) folders",
    .proves = "maps, tree pages and blocks have CRC, id and place; of large stores and 4 KiB pages "
              "not the blocks",
    .source = "[MS-PST] 2.2.2.6 HEADER, 2.2.2.7 pages, 2.2.2.8 blocks, 5.3 CRC; libpff, Personal "
              "Folder File format: "
              "4096-byte pages",
    .types = pff_types,
    .headers = { SIG_MASKED("!BDN????SM??\x13\0\x01\x01",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("!BDN????SO????\x01\x01",
                            "\xff\xff\xff\xff\0\0\0\0\xff\xff\0\0\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = PFF_MAP_FIRST + PFF_PAGE,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct pff_state),
    .check = pff_check,
};
