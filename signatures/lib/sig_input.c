/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/sig_input.c - what validators call: bytes of the object, searches, verdicts. See
 * sig.h.
 */
#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "signatures/sig.h"

/* True when [at, at + len) lies inside the object; else notes what would have been needed. */
static bool input_inside(struct sig_input *in, uint64_t at, uint32_t len)
{
    if (at < in->limit && len <= in->limit - at)
        return true;
    in->wanted = UINT64_MAX;
    return false;
}

/* Bytes up to object offset `to` have been returned. */
static void input_reach(struct sig_input *in, uint64_t to)
{
    if (to > in->reached)
        in->reached = to;
}

const uint8_t *sig_bytes(struct sig_input *in, uint64_t at, uint32_t len)
{
    uint32_t have = 0;

    /* A length taken from a file without looking is a validator's mistake; that must not end the
     * scan of a disk. */
    if (len < 1 || len > SIG_BYTES_MAX) {
        in->misused = true;
        in->wanted = UINT64_MAX;
        return NULL;
    }
    if (!input_inside(in, at, len))
        return NULL;
    const uint8_t *bytes = in->source->view(in->source, in->start + at, len, &have);
    if (bytes == NULL)
        in->wanted = at + len;
    else
        input_reach(in, at + len);
    return bytes;
}

const uint8_t *sig_span_to(struct sig_input *in, uint64_t at, uint64_t to, uint32_t *len)
{
    const uint64_t end = to < in->limit ? to : in->limit;

    *len = 0;
    if (!input_inside(in, at, 1))
        return NULL;
    const uint8_t *bytes = in->source->view(in->source, in->start + at, 1, len);
    if (bytes == NULL) {
        in->wanted = at + 1;
        return NULL;
    }
    if (*len > end - at)
        *len = (uint32_t)(end - at);
    input_reach(in, at + *len);
    return bytes;
}

const uint8_t *sig_span(struct sig_input *in, uint64_t at, uint32_t *len)
{
    return sig_span_to(in, at, UINT64_MAX, len);
}

enum sig_found sig_find(struct sig_input *in, uint64_t from, uint64_t to, const void *needle,
                        uint32_t needle_len, uint64_t *at)
{
    uint64_t look = in->find_at > from ? in->find_at : from;

    assert(needle_len >= 1 && needle_len <= SIG_BYTES_MAX);
    if (to > in->limit)
        to = in->limit;
    while (look < to && needle_len <= to - look) {
        uint32_t have = 0;
        const uint8_t *bytes = in->source->view(in->source, in->start + look, needle_len, &have);

        if (bytes == NULL) {
            in->wanted = look + needle_len;
            return SIG_FIND_WAIT;
        }
        if (have > to - look)
            have = (uint32_t)(to - look);
        input_reach(in, look + have);
        const uint8_t *found = memmem(bytes, have, needle, needle_len);
        if (found != NULL) {
            *at = look + (uint64_t)(found - bytes);
            in->find_at = *at;
            return SIG_FOUND;
        }
        look += have - (needle_len - 1);
        in->find_at = look;
    }
    return SIG_FIND_NONE;
}

void sig_valid(struct sig_input *in, uint64_t at)
{
    if (at > in->valid)
        in->valid = at;
}

void sig_sure(struct sig_input *in, uint64_t at)
{
    if (at > in->sure)
        in->sure = at;
}

void sig_open(struct sig_input *in, uint64_t from, uint64_t to)
{
    if (!in->thorough || to <= from)
        return;
    for (uint32_t i = 0; i < in->open_count; i++)
        if (from >= in->open[i].from && to <= in->open[i].to)
            return;
    struct sig_range *last = in->open_count > 0 ? &in->open[in->open_count - 1] : NULL;
    if (last == NULL || (in->open_count < SIG_OPEN_MAX && (from > last->to || to < last->from))) {
        in->open[in->open_count++] = (struct sig_range){ from, to };
        return;
    }
    last->from = from < last->from ? from : last->from;
    last->to = to > last->to ? to : last->to;
}

void sig_open_field(struct sig_input *in, uint64_t from, uint64_t to)
{
    if (to >= from && to - from >= LIMIT_SECTOR)
        sig_open(in, from, to);
}

void sig_doubt(struct sig_input *in, uint64_t from, uint64_t to)
{
    const uint64_t sector = sig_add(from, LIMIT_SECTOR - 1) / LIMIT_SECTOR * LIMIT_SECTOR;

    if (in->thorough && in->doubt == 0 && to >= sector && to - sector >= LIMIT_SECTOR)
        in->doubt = sector;
}

void sig_claim(struct sig_input *in, uint64_t at)
{
    if (at > 0 && in->claim_count < SIG_CLAIMS_MAX)
        in->claims[in->claim_count++] = at;
}

bool sig_claims_full(const struct sig_input *in)
{
    return in->claim_count == SIG_CLAIMS_MAX;
}

/* By how much the rate falls for an object that shares its bytes. */
static uint64_t input_share(const struct sig_input *in)
{
    const uint64_t n = in->sharers < SIG_SHARERS_MAX ? in->sharers : SIG_SHARERS_MAX;

    return (n + 1) * (n + 1);
}

/* With a greater share than this one the validator would have gone another way. */
static void input_share_most(struct sig_input *in, uint64_t most)
{
    if (in->share_most == 0 || most < in->share_most)
        in->share_most = most;
}

/*
 * With a greater share than this one (0: none is too great) the room that was asked for last would
 * have been another one, and made a difference: all of it does before `got` bytes were unpacked
 * into it, got UINT64_MAX; then only whether they filled it.
 */
static uint64_t input_room_share(const struct sig_input *in, uint64_t got)
{
    const uint64_t used = got < in->room ? got + 1 : in->room_most; /* so much room is enough */
    const uint64_t rates = (in->unpacked + used - 1) / SIG_UNPACK_RATE;

    if (got >= in->room && in->room < in->room_most)
        return input_share(in);
    return rates > 0 ? in->room_from / rates : 0;
}

/* What was asked for is used, with so many bytes. */
static void input_use_room(struct sig_input *in, uint64_t got)
{
    const uint64_t most = in->room_most > 0 ? input_room_share(in, got) : 0;

    if (most > 0)
        input_share_most(in, most);
    in->room_most = 0;
}

bool sig_unpacked(struct sig_input *in, uint64_t to, uint64_t bytes)
{
    input_use_room(in, bytes);
    in->unpacked = sig_add(in->unpacked, bytes);
    if (to > in->unpacked_from)
        in->unpacked_from = to;
    /* What an object unpacks is below 2^48, so that the product does not wrap. */
    const uint64_t rates = in->unpacked / SIG_UNPACK_RATE;
    if (rates * input_share(in) >= in->unpacked_from)
        in->spent = true;
    else if (rates > 0)
        input_share_most(in, (in->unpacked_from - 1) / rates);
    return !in->spent;
}

uint32_t sig_sharers_most(const struct sig_input *in)
{
    struct sig_input used = *in;
    uint32_t n = in->sharers;

    input_use_room(&used, UINT64_MAX);
    while (n < SIG_SHARERS_MAX && (used.share_most == 0 || (n + 2) * (n + 2) <= used.share_most))
        n++;
    return n;
}

uint32_t sig_unpack_room(struct sig_input *in, uint64_t to, uint32_t most)
{
    const uint64_t from = to > in->unpacked_from ? to : in->unpacked_from;
    const uint64_t all = (from / input_share(in) + 1) * SIG_UNPACK_RATE;
    const uint64_t room = all > in->unpacked ? all - in->unpacked : SIG_UNPACK_RATE;

    input_use_room(in, UINT64_MAX); /* of a room that nothing was unpacked into */
    in->room_from = from;
    in->room = room < most ? (uint32_t)room : most;
    in->room_most = most;
    return in->room;
}

struct sig_result sig_check(const struct sig *sig, struct sig_input *in, void *state)
{
    struct sig_result result = sig->check(in, state);

    if (in->spent) {
        sig_valid(in, in->unpacked_from);
        result = sig_breaks(in, "read no further: its bytes are unpacked too often, here or by "
                                "files around it");
        result.spent = true;
    }
    if (in->thorough && result.verdict == SIG_COMPLETE && result.proven) {
        if (sig->seam >= SIG_SEAM_UNIT)
            sig_sure(in, result.len);
        result.proven = in->open_count == 0;
    }
    return result;
}

struct sig_result sig_again(const struct sig_input *in)
{
    assert(in->claim_count > 0);
    return (struct sig_result){ .verdict = SIG_MORE, .why = "claims to be taken" };
}

struct sig_result sig_reject(const char *why)
{
    return (struct sig_result){ .verdict = SIG_REJECT, .why = why };
}

struct sig_result sig_breaks(const struct sig_input *in, const char *why)
{
    const uint64_t len = in->valid < in->limit ? in->valid : in->limit;

    if (len == 0)
        return sig_reject(why);
    return (struct sig_result){ .verdict = SIG_BREAKS, .len = len, .why = why };
}

struct sig_result sig_short(struct sig_input *in)
{
    if (in->wanted > in->limit)
        return sig_breaks(in, in->limit == in->sig->size_max
                                  ? "the file is longer than the limit for this type"
                                  : "the image ends before the file does");
    return (
        struct sig_result){ .verdict = SIG_MORE, .len = in->wanted, .why = "more bytes needed" };
}

struct sig_result sig_complete(const struct sig_input *in, uint64_t len, const char *why)
{
    if (len > in->limit) {
        struct sig_input cut = *in;

        sig_valid(&cut, in->limit);
        return sig_breaks(&cut, in->limit == in->sig->size_max
                                    ? "the file is longer than the limit for this type"
                                    : "the image ends before the file does");
    }
    if (len < in->sig->size_min)
        return sig_reject("the file is shorter than the smallest of its type");
    return (struct sig_result){ .verdict = SIG_COMPLETE, .len = len, .why = why, .proven = true };
}

struct sig_result sig_believe(const struct sig_input *in, uint64_t len, const char *why)
{
    struct sig_result result = sig_complete(in, len, why);

    result.proven = false;
    return result;
}
