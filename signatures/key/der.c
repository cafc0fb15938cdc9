/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/der.c - keys and certificates in DER: X.509 certificates (cer), requests,
 * revocation lists, PKCS#12 (pfx), PKCS#7 (p7b), private keys (key).
 *
 *   SEQUENCE, 30 82 and its length in 2 bytes; elements inside, each a tag, a length and that many
 * bytes, to the last byte
 *
 * What is inside of a constructed element fills it, at every depth, and the first elements tell
 * what it is. The length is that of the outermost one.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    DER_DEPTH_MAX = 24,
    DER_HEAD = 48, /* bytes that tell what it is */
    DER_BREAK_MIN = 512,
};

struct der_state {
    uint64_t at;
    uint32_t depth, elements;
    uint64_t ends[DER_DEPTH_MAX];
};

enum { DER_CER, DER_CSR, DER_CRL, DER_PFX, DER_P7B, DER_KEY };
static const struct sig_type der_types[] = { { "cer", "cer" },
                                             { "csr", "csr" },
                                             { "crl", "crl" },
                                             { "pfx", "pfx" },
                                             { "p7b", "p7b" },
                                             { "der-key", "key" },
                                             { 0 } };

/* An element's head at bytes, of which there are have: its length in bytes, 0: wrong. Sets *len to
 * that of what is in it. */
static uint32_t der_head(const uint8_t *bytes, uint32_t have, uint64_t *len)
{
    const uint32_t count = bytes[1] & 0x7f;

    if ((bytes[0] & 0x1f) == 0x1f) /* a tag of several bytes: in none of these */
        return 0;
    if (bytes[1] < 0x80) {
        *len = bytes[1];
        return 2;
    }
    if (count == 0 || count > 4 || have < 2 + count || bytes[2] == 0)
        return 0;
    *len = 0;
    for (uint32_t i = 0; i < count; i++)
        *len = *len << 8 | bytes[2 + i];
    return *len < 0x80 ? 0 : 2 + count;
}

/* One element at state->at. */
static enum step der_element(struct sig_input *in, struct der_state *state)
{
    const uint64_t end = state->ends[state->depth - 1], left = end - state->at;
    const uint32_t have = left < 6 ? (uint32_t)left : 6;
    uint64_t len;

    if (have < 2)
        return STEP_BAD;
    const uint8_t *bytes = sig_bytes(in, state->at, have);
    if (bytes == NULL)
        return STEP_WAIT;
    const uint8_t tag = bytes[0];
    const uint32_t head = der_head(bytes, have, &len);
    if (head == 0 || tag == 0 || len > left - head)
        return STEP_BAD;
    /* universal primitive types have lengths of their own */
    if ((tag == 1 && len != 1) || (tag == 5 && len != 0) || (tag == 2 && len == 0) ||
        (tag == 6 && len < 1) || (tag == 0x17 && (len < 11 || len > 17)) ||
        (tag == 0x18 && (len < 13 || len > 24)))
        return STEP_BAD;
    state->at += head;
    state->elements++;
    if ((tag & 0x20) == 0) {
        state->at += len;
    } else {
        if (state->depth == DER_DEPTH_MAX)
            return STEP_BAD;
        state->ends[state->depth++] = state->at + len;
    }
    while (state->depth > 1 && state->at == state->ends[state->depth - 1])
        state->depth--;
    return STEP_DONE;
}

static bool der_is(const uint8_t *bytes, const char *begin, uint32_t len)
{
    return memcmp(bytes, begin, len) == 0;
}

/* What it is, by the bytes behind the outermost head. */
static const struct sig_type *der_type(const uint8_t *inner)
{
    if (der_is(inner, "\x02\x01\x03\x30", 4))
        return &der_types[DER_PFX];
    if (der_is(inner, "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07", 10))
        return &der_types[DER_P7B];
    if (der_is(inner, "\x02\x01\x00\x02", 4) ||
        der_is(inner, "\x02\x01\x00\x30\x0d\x06\x09\x2a", 8) ||
        der_is(inner, "\x02\x01\x01\x04", 4) ||
        der_is(inner, "\x02\x01\x00\x30\x13\x06\x07\x2a", 8) ||
        der_is(inner, "\x30\x40\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x05\x0d", 13) ||
        der_is(inner, "\x30\x1c\x06\x0a\x2a\x86\x48\x86\xf7\x0d\x01\x0c\x01", 13))
        return &der_types[DER_KEY];
    if (inner[0] != 0x30 || inner[1] < 0x81 || inner[1] > 0x83)
        return NULL;
    inner += 2 + (inner[1] & 0x7f);
    if (der_is(inner, "\xa0\x03\x02\x01", 4) && inner[4] <= 2 && inner[5] == 2)
        return &der_types[DER_CER];
    if (der_is(inner, "\x02\x01\x00\x30", 4))
        return &der_types[DER_CSR];
    if (der_is(inner, "\x02\x01\x01\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01", 15))
        return &der_types[DER_CRL];
    return NULL;
}

static struct sig_result der_check(struct sig_input *in, void *memory)
{
    struct der_state *state = memory;

    if (state->depth == 0) {
        const uint8_t *head = sig_bytes(in, 0, DER_HEAD);

        if (head == NULL)
            return sig_short(in);
        const uint32_t head_len = 2 + (head[1] & 0x7f);
        const uint64_t len =
            head_len == 4 ? bytes_u16be(head + 2) : (uint64_t)head[2] << 16 | bytes_u16be(head + 3);
        if (head_len < 4 || head_len > 5)
            return sig_reject("the length is too short or too long");
        in->type = der_type(head + head_len);
        if (in->type == NULL)
            return sig_reject("neither a certificate nor a key");
        state->at = head_len;
        state->ends[0] = head_len + len;
        state->depth = 1;
    }
    while (state->at < state->ends[0]) {
        const enum step step = der_element(in, state);

        if (step == STEP_WAIT)
            return sig_short(in);
        if (step == STEP_BAD && state->at < DER_BREAK_MIN)
            return sig_reject("the elements do not fill the one around them");
        if (step == STEP_BAD) {
            sig_valid(in, state->at);
            return sig_breaks(in, "the elements do not fill the one around them");
        }
    }
    if (state->at != state->ends[0] || state->depth != 1 || state->elements < 3)
        return sig_reject("the elements do not fill the outermost one");
    return sig_complete(in, state->ends[0], "the elements fill the ones around them");
}

const struct sig sig_der = {
    .name = "der",
    .what = "X.509 certificate, PKCS#12 store and other keys in DER",
    .proves = "elements fill the ones around them to the last byte; signatures are not verified",
    .source = "ITU-T X.690 8 and 10 (DER); RFC 5280 4.1 and 5.1; RFC 2986; RFC 7292; RFC 2315; RFC "
              "8017 A.1.2; RFC "
              "5208; RFC 5915",
    .types = der_types,
    .headers = { SIG_MASKED("\x30\x82??\x30\x82??\xa0\x03\x02\x01",
                            "\xff\xff\0\0\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\x30\x82??\x30\x81?\xa0\x03\x02\x01",
                            "\xff\xff\0\0\xff\xff\0\xff\xff\xff\xff"),
                 SIG_MASKED("\x30\x82??\x30\x82??\x02\x01", "\xff\xff\0\0\xff\xff\0\0\xff\xff"),
                 SIG_MASKED("\x30\x82??\x02\x01?\x30", "\xff\xff\0\0\xff\xff\0\xff"),
                 SIG_MASKED("\x30\x82??\x02\x01\0\x02", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\x30\x82??\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07",
                            "\xff\xff\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
                 SIG_MASKED("\x30\x82??\x30?\x06", "\xff\xff\0\0\xff\0\xff"),
                 SIG_MASKED("\x30\x83???\x02\x01\x03\x30", "\xff\xff\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\x30\x83???\x30\x83???\x02\x01\x01",
                            "\xff\xff\0\0\0\xff\xff\0\0\0\xff\xff\xff"),
                 SIG_MASKED("\x30\x83???\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07",
                            "\xff\xff\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 260,
    .size_max = 1 << 24,
    .seam = SIG_SEAM_PLACES,
    .state_size = sizeof(struct der_state),
    .check = der_check,
};
