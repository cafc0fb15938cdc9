/* SPDX-License-Identifier: Apache-2.0
 * cluster/claims.c - see claims.h. */
#include "cluster/claims.h"

#include <stdlib.h>

enum claims_state { CLAIMS_FREE, CLAIMS_GIVEN, CLAIMS_DONE };

struct claims_part {
    uint8_t state; /* enum claims_state */
    uint8_t tries; /* that failed */
    bool bad;      /* a rank of bad_host could not read all of it */
    uint32_t bad_host;
    uint32_t ranks[2]; /* that do it, or CLAIMS_NONE */
    uint64_t since_ms;
};

struct claims {
    uint32_t count, rank_count, done;
    uint64_t taken_ms, measured; /* of parts that were done, and how many */
    int status;
    uint32_t failed;
    const uint32_t *hosts; /* owned, as the rest */
    uint32_t *doing;       /* [rank_count]: a part, or CLAIMS_NONE */
    struct claims_part parts[];
};

struct claims *claims_open(uint32_t count, uint32_t rank_count, const uint32_t *hosts)
{
    struct claims *claims = calloc(1, sizeof *claims + count * sizeof claims->parts[0]);
    uint32_t *numbers = calloc(2 * (size_t)rank_count, sizeof *numbers);

    if (claims == NULL || numbers == NULL) {
        free(claims);
        free(numbers);
        return NULL;
    }
    for (uint32_t i = 0; i < rank_count; i++) {
        numbers[i] = CLAIMS_NONE;
        numbers[rank_count + i] = hosts[i];
    }
    claims->count = count;
    claims->rank_count = rank_count;
    claims->doing = numbers;
    claims->hosts = numbers + rank_count;
    for (uint32_t i = 0; i < count; i++)
        claims->parts[i].ranks[0] = claims->parts[i].ranks[1] = CLAIMS_NONE;
    return claims;
}

void claims_close(struct claims *claims)
{
    if (claims == NULL)
        return;
    free(claims->doing);
    free(claims);
}

void claims_set_done(struct claims *claims, uint32_t part)
{
    if (part < claims->count && claims->parts[part].state == CLAIMS_FREE) {
        claims->parts[part].state = CLAIMS_DONE;
        claims->done++;
    }
}

/* Whether there is a rank on another host than this one. */
static bool claims_other_host(const struct claims *claims, uint32_t host)
{
    for (uint32_t i = 0; i < claims->rank_count; i++)
        if (claims->hosts[i] != host)
            return true;
    return false;
}

static bool claims_slow(const struct claims *claims, const struct claims_part *part,
                        uint64_t now_ms)
{
    const uint64_t mean = claims->measured > 0 ? claims->taken_ms / claims->measured : 0;

    return claims->measured > 0 && now_ms - part->since_ms > 2 * mean + CLAIMS_SLOW_MS;
}

/* The part that has been under way longest by one rank alone, and is slow. */
static uint32_t claims_slowest(const struct claims *claims, uint64_t now_ms)
{
    uint32_t found = CLAIMS_NONE;

    for (uint32_t i = 0; i < claims->count; i++) {
        const struct claims_part *part = &claims->parts[i];

        if (part->state == CLAIMS_GIVEN && part->ranks[1] == CLAIMS_NONE && !part->bad &&
            claims_slow(claims, part, now_ms) &&
            (found == CLAIMS_NONE || part->since_ms < claims->parts[found].since_ms))
            found = i;
    }
    return found;
}

uint32_t claims_next(struct claims *claims, uint32_t rank, uint64_t now_ms)
{
    uint32_t next = CLAIMS_NONE;

    for (uint32_t i = 0; next == CLAIMS_NONE && i < claims->count; i++) {
        const struct claims_part *part = &claims->parts[i];

        if (part->state == CLAIMS_FREE && (!part->bad || part->bad_host != claims->hosts[rank]))
            next = i;
    }
    if (next == CLAIMS_NONE) {
        next = claims_slowest(claims, now_ms);
        if (next == CLAIMS_NONE)
            return next;
        claims->parts[next].ranks[1] = rank;
    } else {
        claims->parts[next].state = CLAIMS_GIVEN;
        claims->parts[next].ranks[0] = rank;
        claims->parts[next].since_ms = now_ms;
    }
    claims->doing[rank] = next;
    return next;
}

static void claims_finish(struct claims *claims, struct claims_part *part, uint64_t now_ms)
{
    part->state = CLAIMS_DONE;
    claims->done++;
    claims->taken_ms += now_ms - part->since_ms;
    claims->measured++;
}

/* A try has failed: again, unless it was tried often, or another rank is at it. */
static void claims_retry(struct claims *claims, struct claims_part *part, int status)
{
    const bool final = status == 2 || status == 3 || ++part->tries >= CLAIMS_TRIES;

    if (part->ranks[0] == CLAIMS_NONE)
        part->state = CLAIMS_FREE;
    if (final && claims->status == 0) {
        claims->status = status > 128 ? 4 : status;
        claims->failed = (uint32_t)(part - claims->parts);
    }
}

uint32_t claims_end(struct claims *claims, uint32_t rank, int status, uint64_t now_ms)
{
    const uint32_t number = claims->doing[rank];
    const uint32_t host = claims->hosts[rank];

    claims->doing[rank] = CLAIMS_NONE;
    if (number == CLAIMS_NONE || claims->parts[number].state != CLAIMS_GIVEN)
        return CLAIMS_NONE;
    struct claims_part *part = &claims->parts[number];
    if (part->ranks[0] == rank)
        part->ranks[0] = part->ranks[1];
    part->ranks[1] = CLAIMS_NONE;
    if (status == 1 && !part->bad && claims_other_host(claims, host)) {
        part->bad = true;
        part->bad_host = host;
        part->state = part->ranks[0] == CLAIMS_NONE ? CLAIMS_FREE : CLAIMS_GIVEN;
    } else if (status == 0 || status == 1) {
        claims_finish(claims, part, now_ms);
        return part->ranks[0];
    } else {
        claims_retry(claims, part, status);
    }
    return CLAIMS_NONE;
}

uint32_t claims_part(const struct claims *claims, uint32_t rank)
{
    return claims->doing[rank];
}

uint32_t claims_done(const struct claims *claims)
{
    return claims->done;
}

int claims_failed(const struct claims *claims, uint32_t *part)
{
    *part = claims->failed;
    return claims->status;
}
