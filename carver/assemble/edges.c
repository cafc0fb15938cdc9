/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/edges.c - see edges.h. */
#include <stdbool.h>
#include <string.h>

#include "carver/assemble/edges.h"
#include "carver/assemble/resemble_impl.h"

enum {
    EDGES_FAR = 504,       /* bytes that lie so far apart have nothing to do with each other; it is
                              a multiple of every step */
    EDGES_LEAST = 256,     /* what samples say on average, at least: one bit */
    EDGES_FEW = 256,       /* strings that are too few to learn from */
    EDGES_MOST = 24 * 256, /* what is said at most, and as much less than nothing */
};

static const uint8_t edges_steps[EDGES_STEPS] = { 1, 2, 3, 4, 6 };

/* Counts of all steps, by the place of a sample among those of a multiple of every step. */
struct edges_all {
    uint32_t near[EDGES_STEPS][EDGES_PLACES][EDGES_CLASSES], far[EDGES_PLACES][EDGES_CLASSES];
};

/* Counts of one step. */
struct edges_counts {
    uint32_t near[EDGES_STEP_MAX][EDGES_CLASSES], far[EDGES_STEP_MAX][EDGES_CLASSES];
};

static uint32_t edges_class(uint8_t a, uint8_t b)
{
    const int differ = (int8_t)(uint8_t)(a - b);
    const uint32_t size = (uint32_t)(differ < 0 ? -differ : differ);

    return size < 2 ? size : 33 - (uint32_t)__builtin_clz(size - 1);
}

/*
 * What is learnt of samples of one step: *value, what they say on average. One of four bytes that
 * lie apart is taken to be any byte: a piece has seen few of those that other places have.
 */
static void edges_weigh(const struct edges_counts *counts, uint32_t step,
                        int32_t differ[EDGES_STEP_MAX][EDGES_CLASSES], int64_t *value)
{
    static const uint8_t widths[EDGES_CLASSES] = { 1, 2, 2, 4, 8, 16, 32, 64, 127 }; /* of 256 */
    int64_t sum = 0, all = 0;

    for (uint32_t place = 0; place < step; place++) {
        uint32_t count = 0;

        for (uint32_t k = 0; k < EDGES_CLASSES; k++)
            count += counts->near[place][k];
        for (uint32_t k = 0; k < EDGES_CLASSES; k++) {
            const uint32_t near = 4 * counts->near[place][k];
            const uint32_t far = 3 * counts->far[place][k] + count * widths[k] / 256;

            differ[place][k] = (int32_t)resemble_log2(near + 1) - (int32_t)resemble_log2(far + 1);
            sum += (int64_t)differ[place][k] * counts->near[place][k];
        }
        all += count;
    }
    *value = all > 0 ? sum * step / all : 0;
}

/* Counts the samples of all steps at once: each count waits for the one before it. */
static void edges_count(const uint8_t *bytes, uint32_t len, uint64_t at, struct edges_all *all)
{
    uint32_t place = (uint32_t)((at + EDGES_FAR) % EDGES_PLACES);
    uint8_t class[256];

    for (uint32_t i = 0; i < 256; i++)
        class[i] = (uint8_t)edges_class((uint8_t)i, 0);
    for (uint32_t i = EDGES_FAR; i < len; i++) {
        all->far[place][class[(uint8_t)(bytes[i] - bytes[i - EDGES_FAR])]]++;
        for (uint32_t n = 0; n < EDGES_STEPS; n++)
            all->near[n][place][class[(uint8_t)(bytes[i] - bytes[i - edges_steps[n]])]]++;
        place = place + 1 == EDGES_PLACES ? 0 : place + 1;
    }
}

static void edges_learn_samples(struct edges *edges, const uint8_t *bytes, uint32_t len,
                                uint64_t at)
{
    int64_t best = EDGES_LEAST;
    struct edges_all all = { 0 };

    edges_count(bytes, len, at, &all);
    for (uint32_t n = 0; n < EDGES_STEPS; n++) {
        const uint32_t step = edges_steps[n];
        int32_t differ[EDGES_STEP_MAX][EDGES_CLASSES];
        struct edges_counts counts = { 0 };
        int64_t value;

        for (uint32_t place = 0; place < EDGES_PLACES; place++)
            for (uint32_t k = 0; k < EDGES_CLASSES; k++) {
                counts.near[place % step][k] += all.near[n][place][k];
                counts.far[place % step][k] += all.far[place][k];
            }
        edges_weigh(&counts, step, differ, &value);
        if (value <= best)
            continue;
        best = value;
        edges->step = step;
        memcpy(edges->differ, differ, sizeof differ);
    }
}

static uint32_t edges_slot(uint32_t gram)
{
    return gram * UINT32_C(0x9e3779b1) >> (32 - EDGES_SET_BITS);
}

static bool edges_has(const struct edges *edges, uint32_t gram)
{
    const uint32_t slot = edges_slot(gram);

    return (edges->set[slot / 64] >> slot % 64 & 1) != 0;
}

/* The string of the last `count` bytes of one and the first ones of another. */
static uint32_t edges_gram(const uint8_t *before_end, const uint8_t *behind, uint32_t count)
{
    uint32_t gram = 0;

    for (uint32_t i = 0; i < EDGES_GRAM; i++)
        gram = gram << 8 | (i < count ? before_end[(int)i - (int)count] : behind[i - count]);
    return gram;
}

static void edges_learn_strings(struct edges *edges, const uint8_t *bytes, uint32_t len)
{
    uint32_t all = 0, known = 0, by_chance[EDGES_GRAM] = { 0 };

    memset(edges->set, 0, sizeof edges->set);
    for (uint32_t i = 0; i + EDGES_GRAM <= len; i++) {
        const uint32_t gram = edges_gram(bytes, bytes + i, 0), slot = edges_slot(gram);

        if (i >= len / 2 && i >= EDGES_FAR + EDGES_GRAM) {
            all++;
            known += edges_has(edges, gram);
            for (uint32_t k = 1; k < EDGES_GRAM; k++)
                by_chance[k] += edges_has(edges, edges_gram(bytes + i - EDGES_FAR, bytes + i, k));
        }
        edges->set[slot / 64] |= UINT64_C(1) << slot % 64;
    }
    for (uint32_t k = 1; k < EDGES_GRAM && all >= EDGES_FEW; k++) {
        edges->known[k] =
            (int32_t)resemble_log2(2 * known + 1) - (int32_t)resemble_log2(2 * by_chance[k] + 1);
        edges->unknown[k] = (int32_t)resemble_log2(2 * (all - known) + 1) -
                            (int32_t)resemble_log2(2 * (all - by_chance[k]) + 1);
    }
}

void edges_learn(struct edges *edges, const uint8_t *bytes, uint32_t len, uint64_t at)
{
    *edges = (struct edges){ 0 };
    edges_learn_samples(edges, bytes, len, at);
    edges_learn_strings(edges, bytes, len);
}

int64_t edges_go_on(const struct edges *edges, const uint8_t before[EDGES_BYTES],
                    const uint8_t behind[EDGES_BYTES], uint64_t at)
{
    int64_t samples = 0, strings = 0;

    for (uint32_t i = 0; i < edges->step; i++)
        samples += edges->differ[(at + i) % edges->step]
                                [edges_class(behind[i], before[EDGES_BYTES - edges->step + i])];
    for (uint32_t k = 1; k < EDGES_GRAM; k++) {
        const bool known = edges_has(edges, edges_gram(before + EDGES_BYTES, behind, k));

        strings += known ? edges->known[k] : edges->unknown[k];
    }
    const int64_t says = edges->step != 0 ? samples : strings / 2; /* strings overlap */
    return says < -EDGES_MOST ? -EDGES_MOST : says > EDGES_MOST ? EDGES_MOST : says;
}
