/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/cpio.c - cpio archives: SVR4 "newc" and its form with checksums, POSIX octal,
 * old binary of both byte orders.
 *
 *   newc:   "070701" or "070702" | 13 numbers of 8 hexadecimal digits | name | zeros up to 4 | data
 *           | zeros up to 4
 *   octal:  "070707" | numbers of 6 and 11 octal digits | name | data
 *   binary: 0x71c7 | 12 more words, sizes in two of them | name | data, each filled up to 2
 *
 * The last member is named "TRAILER!!!". Zeros from there up to 512 belong to the file, as every
 * cpio but those inside of packages is filled up so. Members stand where the one before ends; data
 * are protected in the form with checksums (a sum of bytes) alone.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    CPIO_BLOCK = 512,
    CPIO_HEAD_NEWC = 110,
    CPIO_HEAD_OCTAL = 76,
    CPIO_HEAD_BINARY = 26,
    CPIO_NAME_MAX = 1 << 15,
    CPIO_TRAILER = 11, /* "TRAILER!!!" and its NUL */
};

enum cpio_form { CPIO_NEWC, CPIO_CRC, CPIO_OCTAL, CPIO_LITTLE, CPIO_BIG };

struct cpio_member {
    uint64_t head, mode, links, name, size, sum; /* bytes of header, of the name, of the data */
};

struct cpio_state {
    uint64_t at, members;
    uint64_t data, end; /* of the member whose bytes are being summed */
    uint32_t sum, sum_told;
    uint32_t form;
    bool ended;
};

static bool cpio_digits(const uint8_t *text, uint32_t len, uint32_t base, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = 0; i < len; i++) {
        const int digit = hex_digit((char)text[i]);

        if (digit < 0 || (uint32_t)digit >= base)
            return false;
        *value = *value * base + (uint32_t)digit;
    }
    return true;
}

static bool cpio_form(const uint8_t *magic, uint32_t *form)
{
    if (memcmp(magic, "07070", 5) == 0 && (magic[5] == '1' || magic[5] == '2' || magic[5] == '7'))
        *form = magic[5] == '1' ? CPIO_NEWC : magic[5] == '2' ? CPIO_CRC : CPIO_OCTAL;
    else if (bytes_u16le(magic) == 070707 || bytes_u16be(magic) == 070707)
        *form = bytes_u16le(magic) == 070707 ? CPIO_LITTLE : CPIO_BIG;
    else
        return false;
    return true;
}

static bool cpio_newc(const uint8_t *head, struct cpio_member *member)
{
    uint64_t fields[13];

    for (uint32_t i = 0; i < 13; i++)
        if (!cpio_digits(head + 6 + 8 * i, 8, 16, &fields[i]))
            return false;
    *member = (struct cpio_member){ CPIO_HEAD_NEWC, fields[1], fields[4],
                                    fields[11],     fields[6], fields[12] };
    return true;
}

static bool cpio_octal(const uint8_t *head, struct cpio_member *member)
{
    uint64_t other;

    *member = (struct cpio_member){ .head = CPIO_HEAD_OCTAL };
    return cpio_digits(head + 6, 12, 8, &other) && cpio_digits(head + 18, 6, 8, &member->mode) &&
           cpio_digits(head + 24, 12, 8, &other) && cpio_digits(head + 36, 6, 8, &member->links) &&
           cpio_digits(head + 42, 6, 8, &other) && cpio_digits(head + 48, 11, 8, &other) &&
           cpio_digits(head + 59, 6, 8, &member->name) &&
           cpio_digits(head + 65, 11, 8, &member->size);
}

/* Words of 16 bits; of two words the upper one comes first in either byte order. */
static void cpio_binary(const uint8_t *head, bool big, struct cpio_member *member)
{
    uint64_t word[CPIO_HEAD_BINARY / 2];

    for (uint32_t i = 0; i < CPIO_HEAD_BINARY / 2; i++)
        word[i] = big ? bytes_u16be(head + 2 * i) : bytes_u16le(head + 2 * i);
    *member = (struct cpio_member){ CPIO_HEAD_BINARY,          word[3], word[6], word[10],
                                    word[11] << 16 | word[12], 0 };
}

/* Bytes that len is filled up to. */
static uint64_t cpio_fill(uint32_t form, uint64_t len)
{
    const uint64_t to = form <= CPIO_CRC ? 4 : form == CPIO_OCTAL ? 1 : 2;

    return (len + to - 1) / to * to;
}

/* Reads the header at state->at, of which there are head_len bytes. */
static enum step cpio_head(struct sig_input *in, const struct cpio_state *state,
                           struct cpio_member *member)
{
    const uint32_t len = state->form <= CPIO_CRC     ? CPIO_HEAD_NEWC
                         : state->form == CPIO_OCTAL ? CPIO_HEAD_OCTAL
                                                     : CPIO_HEAD_BINARY;
    const uint8_t *head = sig_bytes(in, state->at, len);
    uint32_t form;

    if (head == NULL)
        return STEP_WAIT;
    if (!cpio_form(head, &form) || form != state->form)
        return STEP_BAD;
    if (form <= CPIO_CRC ? !cpio_newc(head, member)
                         : form == CPIO_OCTAL && !cpio_octal(head, member))
        return STEP_BAD;
    if (form >= CPIO_LITTLE)
        cpio_binary(head, form == CPIO_BIG, member);
    return member->name >= 2 && member->name <= CPIO_NAME_MAX && member->mode <= 0177777 ? STEP_DONE
                                                                                         : STEP_BAD;
}

/* A kind of file that there is, and a name that ends with its only NUL. */
static bool cpio_name_right(const uint8_t *name, uint32_t len, uint64_t mode, bool binary)
{
    const uint64_t kind = mode >> 12;

    if (kind != 1 && kind != 2 && kind != 4 && kind != 6 && kind != 8 && kind != 9 && kind != 10 &&
        kind != 12)
        return false;
    if (memchr(name, 0, len) != name + len - 1)
        return false;
    for (uint32_t i = 0; binary && i < len - 1; i++)
        if (name[i] < ' ' || name[i] == 0x7f)
            return false;
    return true;
}

static enum step cpio_member(struct sig_input *in, struct cpio_state *state)
{
    struct cpio_member member;
    const enum step step = cpio_head(in, state, &member);

    if (step != STEP_DONE)
        return step;
    const uint8_t *name = sig_bytes(in, state->at + member.head, (uint32_t)member.name);
    if (name == NULL)
        return STEP_WAIT;
    const bool last = member.name == CPIO_TRAILER && memcmp(name, "TRAILER!!!", CPIO_TRAILER) == 0;
    if (!(last && member.size == 0) &&
        !cpio_name_right(name, (uint32_t)member.name, member.mode, state->form >= CPIO_LITTLE))
        return STEP_BAD;
    if (state->at > 0) {
        sig_claim(in, state->at);
        sig_valid(in, state->at);
    }
    state->members++;
    state->data = state->at + cpio_fill(state->form, member.head + member.name);
    state->end = state->data + member.size;
    state->at = state->data + cpio_fill(state->form, member.size);
    state->sum = 0;
    state->sum_told = (uint32_t)member.sum;
    if (state->form != CPIO_CRC || member.mode >> 12 != 8)
        state->data = state->end;
    state->ended = last;
    return STEP_DONE;
}

/* The data of a member with a checksum; of hard links the last one alone has data. */
static enum step cpio_sum(struct sig_input *in, struct cpio_state *state)
{
    const bool some = state->data < state->end;
    uint32_t len;

    while (state->data < state->end) {
        const uint8_t *bytes = sig_span_to(in, state->data, state->end, &len);

        if (bytes == NULL)
            return STEP_WAIT;
        for (uint32_t i = 0; i < len; i++)
            state->sum += bytes[i];
        state->data += len;
    }
    return some && state->sum != state->sum_told ? STEP_BAD : STEP_DONE;
}

/* Behind the last member. */
static struct sig_result cpio_end(struct sig_input *in, const struct cpio_state *state)
{
    const uint64_t full = (state->at + CPIO_BLOCK - 1) / CPIO_BLOCK * CPIO_BLOCK;
    const uint32_t fill = (uint32_t)(full - state->at);
    const uint8_t *zeros = fill == 0 ? NULL : sig_bytes(in, state->at, fill);
    bool filled = true;

    if (zeros == NULL && fill > 0 && in->wanted <= in->limit)
        return sig_short(in);
    if (zeros == NULL && fill > 0) { /* a file that ends here, or one that the image ends in */
        const uint32_t rest = in->limit > state->at ? (uint32_t)(in->limit - state->at) : 0;

        if (rest == 0)
            return sig_complete(in, state->at, "members lead to the trailer");
        zeros = sig_bytes(in, state->at, rest);
        if (zeros == NULL)
            return sig_short(in);
        for (uint32_t i = 0; i < rest; i++)
            filled &= zeros[i] == 0;
        return filled ? sig_breaks(in, "the image ends before the file does")
                      : sig_complete(in, state->at, "members lead to the trailer");
    }
    for (uint32_t i = 0; i < fill; i++)
        filled &= zeros[i] == 0;
    return sig_complete(in, filled ? full : state->at, "members lead to the trailer");
}

static struct sig_result cpio_check(struct sig_input *in, void *memory)
{
    struct cpio_state *state = memory;

    if (state->members == 0) {
        const uint8_t *magic = sig_bytes(in, 0, 6);
        if (magic == NULL)
            return sig_short(in);
        if (!cpio_form(magic, &state->form))
            return sig_reject("there is no magic number");
    }
    while (!state->ended) {
        enum step step = cpio_sum(in, state);

        if (step == STEP_BAD)
            return sig_breaks(in, "the checksum of a member is wrong");
        if (step == STEP_DONE && sig_claims_full(in))
            return sig_again(in);
        if (step == STEP_DONE)
            step = cpio_member(in, state);
        if (step == STEP_BAD)
            return sig_breaks(in, "a valid member must follow here, and none does");
        if (step == STEP_WAIT && in->wanted > in->limit && in->valid > 0)
            sig_valid(in, in->limit);
        if (step == STEP_WAIT)
            return sig_short(in);
    }
    return cpio_end(in, state);
}

static const struct sig_type cpio_types[] = { { "cpio", "cpio" }, { 0 } };

#define CPIO_SOURCE                                                                                \
    "cpio(5) of libarchive 3.6; IEEE Std 1003.1-2017, pax: cpio interchange format; Linux, "       \
    "initramfs buffer format"

const struct sig sig_cpio = {
    .name = "cpio",
    .what = "cpio archive (SVR4 with and without checksums, POSIX octal)",
    .proves = "members lead to the trailer; sums of data where they are stored",
    .source = CPIO_SOURCE,
    .types = cpio_types,
    .headers = { SIG_PATTERN("070701"), SIG_PATTERN("070702"), SIG_PATTERN("070707") },
    .flags = SIG_SECTOR_ALIGNED | SIG_CONTAINER | SIG_CLAIMS,
    .size_min = CPIO_HEAD_OCTAL + CPIO_TRAILER,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct cpio_state),
    .check = cpio_check,
};

const struct sig sig_cpio_binary = {
    .name = "cpio-binary",
    .what = "cpio archive (old binary form, of either byte order)",
    .proves = "members lead to the trailer; sums of data where they are stored",
    .source = CPIO_SOURCE,
    .types = cpio_types,
    .headers = { SIG_PATTERN("\xc7\x71"), SIG_PATTERN("\x71\xc7") },
    .flags = SIG_CONTAINER | SIG_CLAIMS | SIG_SECTOR_ALIGNED,
    .size_min = CPIO_HEAD_BINARY + CPIO_TRAILER,
    .size_max = UINT64_C(1) << 40,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct cpio_state),
    .check = cpio_check,
};
