/* SPDX-License-Identifier: Apache-2.0
 * signatures/key/pgp.c - OpenPGP packets: key rings (gpg), encrypted messages (pgp), detached
 * signatures (sig).
 *
 *   packet: tag | length | body; the length in 1, 2, 4 or 5 bytes, or in parts
 *   ring:     (public or secret key, [signatures], (user, signatures) ..., (subkey, signatures)
 *             ...) ...
 *   message:  session keys ..., then the encrypted data
 *
 * Nothing says how many packets there are: the file ends behind the last one that may follow the
 * one before it and whose body is what its tag promises (versions, algorithms, numbers that fill
 * it). Key rings and messages are told by their first packet.
 */
#include <string.h>

#include "base/bytes.h"
#include "signatures/lib/plausible.h"
#include "signatures/lib/step.h"
#include "signatures/sig.h"

enum {
    PGP_SESSION = 1,
    PGP_SIGNATURE = 2,
    PGP_PASSWORD = 3,
    PGP_SECRET = 5,
    PGP_PUBLIC = 6,
    PGP_SECRET_SUB = 7,
    PGP_ENCRYPTED_OLD = 9,
    PGP_TRUST = 12,
    PGP_USER = 13,
    PGP_PUBLIC_SUB = 14,
    PGP_ATTRIBUTE = 17,
    PGP_ENCRYPTED = 18,
    PGP_AEAD = 20,
    PGP_KEY_MAX = 16384, /* bytes of a key or a signature */
    PGP_USER_MAX = 2048,
    PGP_TAIL = 64, /* bytes at the end of a packet that are looked at, too */
    PGP_LOOK = 24, /* bytes of a body that are looked at */
};

struct pgp_state {
    uint64_t at; /* the packet to be read */
    uint32_t packets, users, last;
    bool message, ring, foreign; /* foreign: the last packet holds other data */
    uint64_t data;               /* where the encrypted data of a message begins */
    /* of a body that comes in parts, and goes on for gigabytes: the parts stepped over; 0: none yet
     */
    uint64_t parts_end, part_len;
    bool part_partial;
    struct plausible plausible;
};

struct pgp_packet {
    uint32_t tag, head; /* bytes before the body */
    uint64_t len;       /* of the body, or of its first part */
    bool partial;
};

static const struct sig_type pgp_types[] = {
    { "gpg", "gpg" }, { "pgp", "pgp" }, { "sig", "sig" }, { 0 }
};

/* The length of a packet in the new format, or of a further part, at bytes; how many bytes it
 * takes, 0: wrong. */
static uint32_t pgp_length(const uint8_t *bytes, struct pgp_packet *packet)
{
    packet->partial = false;
    if (bytes[0] < 192) {
        packet->len = bytes[0];
        return 1;
    }
    if (bytes[0] < 224) {
        packet->len = ((uint64_t)(bytes[0] - 192) << 8) + bytes[1] + 192;
        return 2;
    }
    if (bytes[0] == 255) {
        packet->len = bytes_u32be(bytes + 1);
        return 5;
    }
    packet->partial = true;
    packet->len = UINT64_C(1) << (bytes[0] & 31);
    return 1;
}

static enum step pgp_head(struct sig_input *in, uint64_t at, struct pgp_packet *packet)
{
    uint32_t have = 6;

    while (have > 2 && (in->limit < have || at > in->limit - have))
        have--;
    const uint8_t *bytes = sig_bytes(in, at, have);
    uint8_t head[6] = { 0 };

    if (bytes == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    memcpy(head, bytes, have);
    if ((head[0] & 0x80) == 0)
        return STEP_BAD;
    if (head[0] & 0x40) {
        packet->tag = head[0] & 0x3f;
        packet->head = 1 + pgp_length(head + 1, packet);
        return STEP_DONE;
    }
    packet->tag = head[0] >> 2 & 15;
    packet->partial = false;
    switch (head[0] & 3) {
    case 0:
        packet->head = 2;
        packet->len = head[1];
        return STEP_DONE;
    case 1:
        packet->head = 3;
        packet->len = bytes_u16be(head + 1);
        return STEP_DONE;
    case 2:
        packet->head = 5;
        packet->len = bytes_u32be(head + 1);
        return STEP_DONE;
    default:
        return STEP_BAD; /* of no known length */
    }
}

/* Multi-precision numbers from `at` on in a body of len bytes: how many bytes `count` of them take;
 * 0: they do not fit. */
static enum step pgp_numbers(struct sig_input *in, uint64_t body, uint64_t len, uint64_t at,
                             uint32_t count, bool fill)
{
    for (uint32_t i = 0; i < count; i++) {
        if (at + 3 > len)
            return STEP_BAD;
        const uint8_t *number = sig_bytes(in, body + at, 3);
        if (number == NULL)
            return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
        const uint32_t bits = bytes_u16be(number);
        /* the first bit counted is set */
        if (bits == 0 || number[2] >> ((bits - 1) % 8) != 1)
            return STEP_BAD;
        at += 2 + (bits + 7) / 8;
        if (at > len)
            return STEP_BAD;
    }
    return !fill || at == len ? STEP_DONE : STEP_BAD;
}

/* A key of version 3 or 4 whose numbers are all there; `fill`: and nothing else, as in a public
 * key. */
static enum step pgp_key(struct sig_input *in, uint64_t body, uint64_t len, const uint8_t *bytes,
                         bool fill)
{
    const uint32_t from = bytes[0] == 4 ? 5 : 7, algorithm = bytes[from];

    if ((bytes[0] != 4 && bytes[0] != 3) || len < 12 || len > PGP_KEY_MAX)
        return STEP_BAD;
    switch (algorithm) {
    case 1:
    case 2:
    case 3:
        return pgp_numbers(in, body, len, from + 1, 2, fill);
    case 16:
    case 20:
        return pgp_numbers(in, body, len, from + 1, 3, fill);
    case 17:
        return pgp_numbers(in, body, len, from + 1, 4, fill);
    case 18:
    case 19:
    case 22: {
        const uint32_t oid = bytes[from + 1];

        if (oid < 3 || oid > 16)
            return STEP_BAD;
        return pgp_numbers(in, body, len, from + 2 + oid, 1, fill && algorithm != 18);
    }
    default:
        return STEP_BAD;
    }
}

/* A signature: subpackets of the told lengths and the numbers behind them. */
static enum step pgp_signature(struct sig_input *in, uint64_t body, uint64_t len,
                               const uint8_t *bytes)
{
    uint64_t at;
    uint32_t algorithm;

    if (len < 19 || len > PGP_KEY_MAX)
        return STEP_BAD;
    if (bytes[0] == 3) {
        if (bytes[1] != 5)
            return STEP_BAD;
        algorithm = bytes[15];
        at = 19;
    } else if (bytes[0] == 4) {
        algorithm = bytes[2];
        if (bytes[3] == 0 || bytes[3] > 14)
            return STEP_BAD;
        at = 6 + (uint64_t)bytes_u16be(bytes + 4);
        if (at + 2 > len)
            return STEP_BAD;
        const uint8_t *hashed = sig_bytes(in, body + at, 2);
        if (hashed == NULL)
            return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
        at += 2 + (uint64_t)bytes_u16be(hashed) + 2;
    } else {
        return STEP_BAD;
    }
    const bool rsa = algorithm == 1 || algorithm == 3;
    if (!rsa && algorithm != 17 && algorithm != 19 && algorithm != 22)
        return STEP_BAD;
    return pgp_numbers(in, body, len, at, rsa ? 1 : 2, true);
}

/* A name is text. */
static enum step pgp_user(struct sig_input *in, uint64_t body, uint64_t len)
{
    if (len == 0 || len > PGP_USER_MAX)
        return STEP_BAD;
    const uint8_t *text = sig_bytes(in, body, (uint32_t)len);
    if (text == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    for (uint32_t i = 0; i < len; i++)
        if (text[i] < ' ' || text[i] == 0x7f)
            return STEP_BAD;
    return STEP_DONE;
}

/* Whether a packet of this tag may follow the one before it. */
static bool pgp_follows(const struct pgp_state *state, uint32_t tag)
{
    if (state->packets == 0)
        return tag == PGP_PUBLIC || tag == PGP_SECRET || tag == PGP_SESSION ||
               tag == PGP_PASSWORD || tag == PGP_SIGNATURE;
    if (state->message)
        return (state->last == PGP_SESSION || state->last == PGP_PASSWORD) &&
               (tag == PGP_SESSION || tag == PGP_PASSWORD || tag == PGP_ENCRYPTED ||
                tag == PGP_ENCRYPTED_OLD || tag == PGP_AEAD);
    if (!state->ring)
        return tag == PGP_SIGNATURE;
    return tag == PGP_SIGNATURE || tag == PGP_TRUST || tag == PGP_USER || tag == PGP_ATTRIBUTE ||
           tag == PGP_PUBLIC_SUB || tag == PGP_SECRET_SUB ||
           ((tag == PGP_PUBLIC || tag == PGP_SECRET) && state->users > 0);
}

/* Whether the body is what its tag promises. */
static enum step pgp_body(struct sig_input *in, const struct pgp_packet *packet, uint64_t body)
{
    uint8_t bytes[PGP_LOOK] = { 0 };
    const uint32_t look = packet->len < PGP_LOOK ? (uint32_t)packet->len : PGP_LOOK;

    if (look == 0 || (packet->partial && packet->tag != PGP_ENCRYPTED &&
                      packet->tag != PGP_ENCRYPTED_OLD && packet->tag != PGP_AEAD))
        return STEP_BAD;
    const uint8_t *start = sig_bytes(in, body, look);
    if (start == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    memcpy(bytes, start, look);
    switch (packet->tag) {
    case PGP_PUBLIC:
    case PGP_PUBLIC_SUB:
        return pgp_key(in, body, packet->len, bytes, true);
    case PGP_SECRET:
    case PGP_SECRET_SUB:
        return pgp_key(in, body, packet->len, bytes, false);
    case PGP_SIGNATURE:
        return pgp_signature(in, body, packet->len, bytes);
    case PGP_USER:
        return pgp_user(in, body, packet->len);
    case PGP_SESSION:
        if (bytes[0] != 3 || (bytes[9] != 1 && bytes[9] != 2 && bytes[9] != 16 && bytes[9] != 18) ||
            packet->len > PGP_KEY_MAX)
            return STEP_BAD;
        return pgp_numbers(in, body, packet->len, 10, bytes[9] == 16 ? 2 : 1, bytes[9] != 18);
    case PGP_PASSWORD: /* version, cipher, string-to-key of kind 1 or 3, hash */
        return (bytes[0] == 4 || bytes[0] == 5) && bytes[1] >= 1 && bytes[1] <= 13 &&
                       packet->len >= 12 && packet->len <= 100 &&
                       (bytes[0] == 5 || bytes[2] == 1 || bytes[2] == 3) && bytes[3] <= 14
                   ? STEP_DONE
                   : STEP_BAD;
    case PGP_ENCRYPTED:
        return bytes[0] == 1 || bytes[0] == 2 ? STEP_DONE : STEP_BAD;
    case PGP_AEAD:
        return bytes[0] == 1 && bytes[1] <= 13 && bytes[2] <= 3 ? STEP_DONE : STEP_BAD;
    case PGP_TRUST:
        return packet->len <= 64 ? STEP_DONE : STEP_BAD;
    case PGP_ATTRIBUTE:
        return packet->len > 16 && packet->len < 1 << 20 ? STEP_DONE : STEP_BAD;
    default:
        return packet->len >= 16 ? STEP_DONE : STEP_BAD;
    }
}

/* Steps over the further parts of a body that comes in parts; *at is behind the first. */
static enum step pgp_parts(struct sig_input *in, struct pgp_state *state, struct pgp_packet *packet,
                           uint64_t *at)
{
    if (state->parts_end != 0) {
        *at = state->parts_end;
        packet->len = state->part_len;
        packet->partial = state->part_partial;
    }
    while (packet->partial) {
        uint8_t head[6] = { 0 };
        uint32_t have = 5;

        while (have > 1 && (in->limit < have || *at > in->limit - have))
            have--;
        const uint8_t *bytes = sig_bytes(in, *at, have);
        if (bytes == NULL)
            return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
        memcpy(head, bytes, have);
        *at += pgp_length(head, packet);
        *at = sig_add(*at, packet->len);
        state->parts_end = *at;
        state->part_len = packet->len;
        state->part_partial = packet->partial;
    }
    return STEP_DONE;
}

/* Zeros or text at the end of what is numbers as good as random: the packet's rest is elsewhere. */
static enum step pgp_foreign(struct sig_input *in, struct pgp_state *state,
                             const struct pgp_packet *packet, uint64_t end)
{
    const uint32_t tail = packet->len < PGP_TAIL ? (uint32_t)packet->len : PGP_TAIL;
    uint32_t zeros = 0, text = 0;

    if (packet->tag == PGP_USER || packet->tag == PGP_ATTRIBUTE || state->message ||
        tail < PGP_TAIL)
        return STEP_DONE;
    const uint8_t *bytes = sig_bytes(in, end - tail, tail);
    if (bytes == NULL)
        return in->wanted > in->limit ? STEP_BAD : STEP_WAIT;
    for (uint32_t i = 0; i < tail; i++) {
        zeros += bytes[i] == 0;
        text += bytes[i] >= ' ' || bytes[i] == '\n' || bytes[i] == '\r' || bytes[i] == '\t';
    }
    state->foreign = zeros > tail / 2 || text == tail;
    return state->foreign ? STEP_BAD : STEP_DONE;
}

static enum step pgp_next(struct sig_input *in, struct pgp_state *state)
{
    struct pgp_packet packet;
    enum step step = pgp_head(in, state->at, &packet);

    if (step != STEP_DONE || !pgp_follows(state, packet.tag))
        return step == STEP_DONE ? STEP_BAD : step;
    step = pgp_body(in, &packet, state->at + packet.head);
    uint64_t end = sig_add(state->at + packet.head, packet.len);
    if (step == STEP_DONE)
        step = pgp_parts(in, state, &packet, &end);
    if (step == STEP_DONE)
        step = pgp_foreign(in, state, &packet, end);
    if (step != STEP_DONE)
        return step;
    if (state->packets++ == 0) {
        state->ring = packet.tag == PGP_PUBLIC || packet.tag == PGP_SECRET;
        state->message = packet.tag == PGP_SESSION || packet.tag == PGP_PASSWORD;
    }
    if (packet.tag == PGP_PUBLIC || packet.tag == PGP_SECRET)
        state->users = 0;
    state->users += packet.tag == PGP_USER;
    state->data = state->at + packet.head;
    state->last = packet.tag;
    state->at = end;
    state->parts_end = 0;
    return STEP_DONE;
}

static struct sig_result pgp_check(struct sig_input *in, void *memory)
{
    struct pgp_state *state = memory;
    enum step step = STEP_DONE;

    while (step == STEP_DONE && state->at < in->limit)
        step = pgp_next(in, state);
    if (step == STEP_WAIT)
        return sig_short(in);
    in->type = &pgp_types[state->ring ? 0 : state->message ? 1 : 2];
    if (state->packets == 0)
        return sig_reject("no packet that may come first");
    if (state->ring && (state->users == 0 || state->foreign || state->last == PGP_USER ||
                        state->last == PGP_PUBLIC_SUB || state->last == PGP_SECRET_SUB)) {
        if (state->packets < 3)
            return sig_reject("the key has no signed name");
        sig_valid(in, state->at);
        return sig_breaks(in, "the last key is not whole");
    }
    if (state->message && (state->last == PGP_SESSION || state->last == PGP_PASSWORD))
        return sig_reject("the session key has no data behind it");
    if (state->message) {
        const enum step look =
            plausible_check(in, &state->plausible, PLAUSIBLE_COMPRESSED, 1, state->data, state->at);

        if (look == STEP_WAIT)
            return sig_short(in);
        if (look == STEP_BAD) {
            sig_valid(in, state->plausible.at);
            return sig_breaks(in, "the data here do not look encrypted");
        }
        return sig_believe(in, state->at,
                           "the session keys are there, and the data have their "
                           "given length");
    }
    return sig_believe(in, state->at,
                       "the packets follow one another, and their content fills each");
}

const struct sig sig_pgp_packets = {
    .name = "openpgp",
    .what = "OpenPGP key ring, encrypted message or signature",
    .proves = "packets in their order, versions and numbers fill each of them; signatures are not "
              "verified",
    .source = "RFC 4880: 4 Packet Syntax, 5 Packet Types, 11.1 Transferable Public Keys; RFC 6637; "
              "RFC 9580",
    .types = pgp_types,
    .headers = { SIG_MASKED("\x98?\x04", "\xff\0\xff"),
                 SIG_MASKED("\x99??\x04", "\xff\0\0\xff"),
                 SIG_MASKED("\x99?"
                            "?\x03",
                            "\xff\0\0\xff"),
                 SIG_MASKED("\x94?\x04", "\xff\0\xff"),
                 SIG_MASKED("\x95??\x04", "\xff\0\0\xff"),
                 SIG_MASKED("\x95?"
                            "?\x03",
                            "\xff\0\0\xff"),
                 SIG_MASKED("\xc6??\x04", "\xff\0\0\xff"),
                 SIG_MASKED("\xc6?\x04", "\xff\0\xff"),
                 SIG_MASKED("\xc5??\x04", "\xff\0\0\xff"),
                 SIG_MASKED("\xc5?\x04", "\xff\0\xff"),
                 SIG_MASKED("\x84?\x03", "\xff\0\xff"),
                 SIG_MASKED("\x85?"
                            "?\x03",
                            "\xff\0\0\xff"),
                 SIG_MASKED("\xc1??\x03", "\xff\0\0\xff"),
                 SIG_MASKED("\xc1?\x03", "\xff\0\xff"),
                 SIG_MASKED("\x8c?\x04", "\xff\0\xff"),
                 SIG_MASKED("\xc3?\x04", "\xff\0\xff"),
                 SIG_MASKED("\x88?\x04\0", "\xff\0\xff\xff"),
                 SIG_MASKED("\x89??\x04\0", "\xff\0\0\xff\xff"),
                 SIG_MASKED("\xc2?\x04\0", "\xff\0\xff\xff"),
                 SIG_MASKED("\xc2??\x04\0", "\xff\0\0\xff\xff") },
    .flags = SIG_SECTOR_ALIGNED,
    .size_min = 32,
    .size_max = UINT64_C(64) << 30, /* policy */
    .state_size = sizeof(struct pgp_state),
    .check = pgp_check,
};
