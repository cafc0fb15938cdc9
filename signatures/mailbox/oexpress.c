/* SPDX-License-Identifier: Apache-2.0
 * signatures/mailbox/oexpress.c - Outlook Express folders: dbx.
 *
 *   header: CF AD 12 FE | C5, C6 or 30 ... class id of the kind | ... | 7C u32le length of the file
 * | ... | C4 entries | ... | E4 root of their tree objects begin with their own place node of a
 * tree: its place | 0 | child, parent | id | 17 entries | ... | 20 entries below the child | 24
 * entries of 12 bytes: value, child, entries below
 *
 * The length is the header's. The tree of messages or folders is followed: every node and every
 * value must begin with its place, and there must be as many values as the header says. The
 * segments of the messages themselves are not looked at.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DBX_HEADER = 0x24bc,
    DBX_NODE = 24,
    DBX_NODE_ENTRY = 12,
    DBX_NODE_ENTRIES = 51,
    DBX_LEVELS = 16,
};

struct dbx_level {
    uint32_t node, next; /* next: entry; its child first, then its value */
};

struct dbx_state {
    uint32_t len, values, expected, nodes, depth;
    bool begun;
    struct dbx_level levels[DBX_LEVELS];
};

/* Goes down to the child at `place`, unless there is none. */
static enum step dbx_down(struct dbx_state *state, uint32_t place)
{
    if (place == 0)
        return STEP_DONE;
    if (state->depth == DBX_LEVELS || place < DBX_HEADER || place > state->len - DBX_NODE ||
        state->nodes++ > state->expected)
        return STEP_BAD;
    state->levels[state->depth++] = (struct dbx_level){ .node = place };
    return STEP_DONE;
}

/* One step in the lowest node on the way. next 0: the child before all entries; then each entry's
 * value and child. */
static enum step dbx_node(struct sig_input *in, struct dbx_state *state)
{
    struct dbx_level *level = &state->levels[state->depth - 1];
    const uint8_t *node = sig_bytes(in, level->node, DBX_NODE);

    if (node == NULL)
        return STEP_WAIT;
    const uint32_t count = node[17], child = bytes_u32le(node + 8);
    if (bytes_u32le(node) != level->node || count == 0 || count > DBX_NODE_ENTRIES)
        return STEP_BAD;
    if (level->next == 0) {
        level->next = 1;
        return dbx_down(state, child);
    }
    if (level->next > count) {
        state->depth--;
        return STEP_DONE;
    }
    const uint8_t *entry = sig_bytes(
        in, level->node + DBX_NODE + (level->next - 1) * (uint64_t)DBX_NODE_ENTRY, DBX_NODE_ENTRY);
    if (entry == NULL)
        return STEP_WAIT;
    const uint32_t value = bytes_u32le(entry), below = bytes_u32le(entry + 4);
    if (value > state->len - 4)
        return STEP_BAD;
    const uint8_t *object = sig_bytes(in, value, 4);
    if (object == NULL)
        return STEP_WAIT;
    if (bytes_u32le(object) != value)
        return STEP_BAD;
    level->next++;
    state->values++;
    return dbx_down(state, below);
}

static struct sig_result dbx_check(struct sig_input *in, void *memory)
{
    struct dbx_state *state = memory;
    const uint8_t *head = sig_bytes(in, 0, DBX_HEADER);

    if (head == NULL)
        return sig_short(in);
    if (!state->begun) {
        const uint32_t root = bytes_u32le(head + 0xe4);

        state->len = bytes_u32le(head + 0x7c);
        state->expected = bytes_u32le(head + 0xc4);
        if (memcmp(head + 5, "\xfd\x74\x6f\x66\xe3\xd1\x11\x9a\x4e\0\xc0\x4f\xa3\x09\xd4", 15) !=
                0 &&
            head[4] != 0x30)
            return sig_reject("unknown kind of file");
        if (state->len < DBX_HEADER || state->expected > state->len / DBX_NODE_ENTRY ||
            (root == 0) != (state->expected == 0))
            return sig_reject("the length or the number of entries is out of range");
        if (dbx_down(state, root) == STEP_BAD)
            return sig_reject("the root of the tree lies outside the file");
        state->begun = true;
    }
    while (state->depth > 0) {
        const enum step step = dbx_node(in, state);

        if (state->values > 0)
            sig_valid(in, DBX_HEADER);
        if (step == STEP_WAIT && in->wanted > in->limit && state->values > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD)
            return sig_breaks(in, "a node or entry of the tree is not where the tree points");
    }
    if (state->values != state->expected)
        return sig_breaks(in, "the number of entries differs from the header");
    if (state->expected == 0)
        return sig_believe(in, state->len, "the header gives the length; there are no entries");
    return sig_complete(in, state->len, "every entry of the tree is in its place");
}

const struct sig sig_oexpress = {
    .name = "oexpress",
    .what = "Outlook Express folder (dbx)",
    .proves =
        "every node and entry of the tree begins with its own place, as many as the header counts",
    .source = "Arne Schloh, Outlook Express dbx file format: file header, tree, indexed info",
    .types = (const struct sig_type[]){ { "dbx", "dbx" }, { 0 } },
    .headers = { SIG_PATTERN("\xcf\xad\x12\xfe\xc5\xfd\x74\x6f"),
                 SIG_PATTERN("\xcf\xad\x12\xfe\xc6\xfd\x74\x6f"),
                 SIG_PATTERN("\xcf\xad\x12\xfe\x30\x9d\xfe\x26") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER,
    .size_min = DBX_HEADER,
    .size_max = UINT32_MAX,
    .state_size = sizeof(struct dbx_state),
    .check = dbx_check,
};
