/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/tar_member.c - see tar_member.h. */
#include <string.h>

#include "signatures/archive/tar_member.h"

/* Whether bytes are of a text: no control characters but those of its lines, and escapes. */
static bool tar_is_text(const uint8_t *bytes, uint32_t len)
{
    bool text = true;

    for (uint32_t i = 0; i < len; i++)
        text =
            text && (bytes[i] >= ' ' || (bytes[i] >= '\b' && bytes[i] <= '\r') || bytes[i] == 0x1b);
    return text;
}

static enum step tar_member_begin(struct sig_input *in, struct tar_member *member, uint64_t from,
                                  uint64_t size)
{
    const uint32_t len = size < TAR_BLOCK ? (uint32_t)size : TAR_BLOCK;
    const uint8_t *head = sig_bytes(in, from, len);

    if (head == NULL)
        return STEP_WAIT;
    member->begun = true;
    member->at = from;
    member->tar = len == TAR_BLOCK && tar_is_header(head);
    member->text = tar_is_text(head, len);
    member->sig = member->tar ? NULL : inner_find(head, len, TAR_MEMBER_STATE);
    member->inner = (struct inner){ 0 };
    return STEP_DONE;
}

/* Block by block, what no validator reads. */
static enum step tar_member_blocks(struct sig_input *in, struct tar_member *member, uint64_t from,
                                   uint64_t end)
{
    while (member->at < end) {
        const uint32_t len =
            end - member->at < TAR_BLOCK ? (uint32_t)(end - member->at) : TAR_BLOCK;
        const uint8_t *block = sig_bytes(in, member->at, len);

        if (block == NULL)
            return STEP_WAIT;
        if ((member->text && memchr(block, 0, len) != NULL) ||
            (!member->tar && member->at > from && len == TAR_BLOCK && tar_is_header(block)))
            return STEP_BAD;
        member->at += len;
        sig_valid(in, member->at);
    }
    return STEP_DONE;
}

enum step tar_member_look(struct sig_input *in, struct tar_member *member, uint64_t from,
                          uint64_t size)
{
    enum step step = STEP_DONE;

    if (size == 0)
        return STEP_DONE;
    if (!member->begun)
        step = tar_member_begin(in, member, from, size);
    if (step == STEP_DONE)
        step = member->sig != NULL
                   ? inner_check(in, &member->inner, member->state, member->sig, from, size)
                   : tar_member_blocks(in, member, from, from + size);
    member->begun = member->begun && step == STEP_WAIT;
    return step;
}
