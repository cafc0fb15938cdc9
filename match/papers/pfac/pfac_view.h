/* SPDX-License-Identifier: Apache-2.0
 * match/papers/pfac/pfac_view.h - the failureless automaton on a device: its table and what it
 * finds, and a step in each form of table, the same on host and device.
 */
#ifndef BURIN_MATCH_PAPERS_PFAC_PFAC_VIEW_H
#define BURIN_MATCH_PAPERS_PFAC_PFAC_VIEW_H

#include "match/kernel/search.h"
#include "match/papers/pfac/pfac_hash.h"
#include "match/papers/pfac/pfac_table.h"

/*
 * What tells most places of a text from those at which a walk goes on: a bit for the first two
 * bytes of what is found in one or two, and for hashes of the first three bytes of what is found in
 * three, and of the first four of what goes on. A few strings of three bytes are as well among
 * those of four, with every byte behind them: that saves a look-up for each byte of the text.
 */
struct pfac_sieve {
    uint32_t words;                   /* in all */
    uint32_t two;                     /* words for two bytes: 0, or PFAC_SIEVE_TWO */
    uint32_t three, four;             /* words, each 0 or a power of two */
    uint32_t three_shift, four_shift; /* of the hash, to a number of a bit */
};

enum {
    PFAC_SIEVE_TWO = 65536 / 32,
    PFAC_SIEVE_MIN = 1 << 8,  /* words for three or four bytes */
    PFAC_SIEVE_MAX = 1 << 14, /* the same, at most: it has to fit in shared memory */
    PFAC_SIEVE_BITS = 32,     /* of the sieve for each string of three or four bytes */
    PFAC_SMALL_LETTERS =
        0x20202020, /* a sieve of folded bytes takes more than letters for the same */
};

/* By value among a kernel's arguments; what it points at is on the device. */
struct pfac_view {
    const void *rows, *cells; /* of pfac_table */
    const struct pfac_found *found;
    const struct pfac_output *outputs;
    const uint32_t *sieve_bits;
    double factor;                /* PH */
    uint32_t bins;                /* PH */
    uint32_t start_at, start_tag; /* pfac_table.start_at */
    uint32_t finding, leaf;
    uint32_t folds;
    uint32_t longest; /* of the patterns that begin at one place, only the longest */
    uint32_t certain; /* nothing that is found needs to be compared */
    struct pfac_sieve sieve;
};

/* Arguments of the kernels. */
struct pfac_search {
    struct search search;
    struct pfac_view pfac;
};

/* Where a walk is: the number of a state; or of PFAC_LINKED the cell that led here. */
struct pfac_state {
    uint32_t at, tag;
};

HOST_DEVICE struct pfac_state pfac_start(const struct pfac_view *p)
{
    const struct pfac_state start = { p->start_at, p->start_tag };

    return start;
}

HOST_DEVICE uint32_t pfac_ph_bin(const struct pfac_view *p, uint32_t id, bool divide)
{
    const double x = p->factor * id;

    if (divide)
        return (uint32_t)pfac_mod_divided(pfac_mod_divided(x, PFAC_PH_PRIME), p->bins);
    return (uint32_t)pfac_mod_reciprocal(
        pfac_mod_reciprocal(x, PFAC_PH_PRIME, pfac_reciprocal(PFAC_PH_PRIME)), p->bins,
        pfac_reciprocal(p->bins));
}

HOST_DEVICE bool pfac_step_ph(const struct pfac_view *p, struct pfac_state *state, uint32_t byte)
{
    const uint32_t id = state->at * 256 + byte;
    const struct pfac_ph_row row = ((const struct pfac_ph_row *)p->rows)[pfac_ph_bin(p, id, true)];

    if (row.at < 0)
        return false;
    const double x = pfac_mod_divided((double)row.factor * id, PFAC_PH_PRIME);
    const struct pfac_cell cell =
        ((const struct pfac_cell *)
             p->cells)[(uint32_t)row.at + (uint32_t)pfac_mod_divided(x, row.size)];
    state->at = cell.next;
    return cell.key == id;
}

HOST_DEVICE bool pfac_step_reciprocal(const struct pfac_view *p, struct pfac_state *state,
                                      uint32_t byte)
{
    const uint32_t id = state->at * 256 + byte, bin = pfac_ph_bin(p, id, false);
    const double *numbers = (const double *)p->rows + (size_t)3 * bin;
    const void *places = (const double *)p->rows + (size_t)3 * p->bins;
    const int32_t at = ((const int32_t *)places)[bin];

    if (at < 0)
        return false;
    const double x =
        pfac_mod_reciprocal(numbers[0] * id, PFAC_PH_PRIME, pfac_reciprocal(PFAC_PH_PRIME));
    const struct pfac_cell cell =
        ((const struct pfac_cell *)
             p->cells)[(uint32_t)at + (uint32_t)pfac_mod_reciprocal(x, numbers[1], numbers[2])];
    state->at = cell.next;
    return cell.key == id;
}

/* From the state of that row. */
HOST_DEVICE bool pfac_step_row(const struct pfac_view *p, struct pfac_mfph_row row,
                               struct pfac_state *state, uint32_t byte)
{
    const uint32_t at = row.at + pfac_mfph_cell(row.hash >> 16, row.hash & 0xff, byte);
    const struct pfac_cell cell = ((const struct pfac_cell *)p->cells)[at];

    state->at = cell.next;
    return cell.key == byte;
}

/* From state with the byte; false when there is no edge, and then the state is nothing. */
HOST_DEVICE bool pfac_step(const struct pfac_view *p, enum pfac_kind kind, struct pfac_state *state,
                           uint32_t byte)
{
    if (kind == PFAC_2D) {
        state->at = ((const uint32_t *)p->cells)[(size_t)state->at * 256 + byte];
        return state->at != 0;
    }
    if (kind == PFAC_MFPH)
        return pfac_step_row(p, ((const struct pfac_mfph_row *)p->rows)[state->at], state, byte);
    if (kind == PFAC_LINKED) {
        const uint32_t factor = (state->tag >> PFAC_LINK_FACTOR & 0xff) + 1,
                       mask = state->tag >> PFAC_LINK_SIZE & 0xff;
        const struct pfac_link cell =
            ((const struct pfac_link *)p->cells)[state->at + pfac_mfph_cell(factor, mask, byte)];

        state->at = cell.at;
        state->tag = cell.tag;
        return (cell.tag & PFAC_LINK_BYTE) == byte + 1;
    }
    return kind == PFAC_PH ? pfac_step_ph(p, state, byte) : pfac_step_reciprocal(p, state, byte);
}

HOST_DEVICE bool pfac_finds(const struct pfac_view *p, enum pfac_kind kind,
                            const struct pfac_state *state)
{
    return kind == PFAC_LINKED ? (state->tag & PFAC_LINK_FINDS) != 0 : state->at >= p->finding;
}

HOST_DEVICE bool pfac_ends(const struct pfac_view *p, enum pfac_kind kind,
                           const struct pfac_state *state)
{
    return kind == PFAC_LINKED ? (state->tag & PFAC_LINK_LEAF) != 0 : state->at >= p->leaf;
}

/* Of a state that finds: its index in found. */
HOST_DEVICE uint32_t pfac_index(const struct pfac_view *p, enum pfac_kind kind,
                                const struct pfac_state *state)
{
    if (kind != PFAC_LINKED)
        return state->at - p->finding;
    return state->tag & PFAC_LINK_LEAF ? state->at
                                       : ((const struct pfac_link *)p->cells)[state->at - 1].at;
}

HOST_DEVICE uint32_t pfac_fold(uint32_t byte)
{
    return byte - 'A' < 26 ? byte | 0x20 : byte;
}

HOST_DEVICE uint32_t pfac_sieve_hash(uint32_t window)
{
    return window * 0x9e3779b1u;
}

HOST_DEVICE uint32_t pfac_sieve_bit(const uint32_t *bits, uint32_t bit)
{
    return bits[bit / 32] >> bit % 32 & 1;
}

/* The three questions that a sieve answers of four bytes, the first one lowest; those that it has
 * no words for are not asked. */
HOST_DEVICE uint32_t pfac_sieve_two(const uint32_t *bits, uint32_t window)
{
    return pfac_sieve_bit(bits, window & 0xffff);
}

HOST_DEVICE uint32_t pfac_sieve_three(const struct pfac_sieve *sieve, const uint32_t *bits,
                                      uint32_t window)
{
    return pfac_sieve_bit(bits + sieve->two,
                          pfac_sieve_hash(window & 0xffffff) >> sieve->three_shift);
}

HOST_DEVICE uint32_t pfac_sieve_four(const struct pfac_sieve *sieve, const uint32_t *bits,
                                     uint32_t window)
{
    return pfac_sieve_bit(bits + sieve->two + sieve->three,
                          pfac_sieve_hash(window) >> sieve->four_shift);
}

/* Whether a walk may find something that begins with these four bytes; what is behind the text is
 * any byte. */
HOST_DEVICE bool pfac_sift(const struct pfac_view *p, const uint32_t *bits, uint32_t window)
{
    const struct pfac_sieve *sieve = &p->sieve;

    if (p->folds)
        window |= PFAC_SMALL_LETTERS;
    return (sieve->two != 0 && pfac_sieve_two(bits, window) != 0) ||
           (sieve->three != 0 && pfac_sieve_three(sieve, bits, window) != 0) ||
           (sieve->four != 0 && pfac_sieve_four(sieve, bits, window) != 0);
}

/* Whether an output of a run that begins at text index `begin` is a match in the view. */
HOST_DEVICE bool pfac_matches(const struct pfac_search *s, const struct pfac_output *o,
                              uint32_t begin)
{
    const struct ring_view *view = &s->search.view;
    const uint32_t start = begin - o->at, stop = start + o->len;

    if (begin < o->at || stop > view->len || stop <= view->from || stop > view->to)
        return false;
    return o->exact || search_compare(&s->search.tables, o->pattern, o->len, view->text + start);
}

#endif
