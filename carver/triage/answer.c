/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer.c - see answer.h. */
#include <stdlib.h>
#include <string.h>

#include "carver/triage/answer.h"

#define ANSWER_SUSPECT 0.01 /* of a volume */

void answer_release(struct answer *answer)
{
    disk_facts_close(&answer->facts);
    tally_close(&answer->whole);
    tally_close(&answer->rest);
    free(answer->found);
    *answer = (struct answer){ 0 };
}

void answer_keep_picture(struct answer *answer, const struct unit_found *found)
{
    const bool tells = (found->says & (UNIT_CAMERA | UNIT_GPS)) != 0;
    const uint32_t kept = tells ? answer->telling : answer->picture_count - answer->telling;

    if (found->kind != UNIT_FILE || kept == ANSWER_PICTURES ||
        sig_category_of(found->type->name) != SIG_CATEGORY_PICTURES ||
        (!tells && strcmp(found->type->name, "jpg") != 0))
        return;
    answer->telling += tells;
    answer->pictures[answer->picture_count++] = *found;
}

struct tally_count answer_met(const struct tally_count *whole, const struct tally_count *rest)
{
    struct tally_count met = *whole;

    if (rest->count > 0 && (met.count == 0 || rest->first < met.first))
        met.first = rest->first;
    met.units += rest->units;
    met.count += rest->count;
    met.squares += rest->squares;
    return met;
}

struct tally_count answer_says(const struct answer *answer, uint32_t bit)
{
    return answer_met(&answer->whole.says[bit], &answer->rest.says[bit]);
}

bool answer_newest(const struct answer *answer, int64_t *seconds, uint64_t *at)
{
    const struct tally *whole = &answer->whole, *rest = &answer->rest;
    const bool later = rest->newest_at != UINT64_MAX &&
                       (whole->newest_at == UINT64_MAX || rest->newest > whole->newest);

    *seconds = later ? rest->newest : whole->newest;
    *at = later ? rest->newest_at : whole->newest_at;
    return *at != UINT64_MAX;
}

bool answer_has(const struct answer *answer, enum sig_category category)
{
    return answer->whole.categories[category].count + answer->rest.categories[category].count +
               answer->whole.streams[category].count + answer->rest.streams[category].count >
           0;
}

uint64_t answer_strata(const struct answer *answer)
{
    return answer->sweeps > 0 ? strata_count(&answer->strata, answer->sweeps - 1) : 0;
}

uint64_t answer_size(const struct answer *answer)
{
    return answer->sweeps > 0 ? strata_size(&answer->strata, answer->sweeps - 1)
                              : answer->strata.units;
}

bool answer_is_exact(const struct answer *answer)
{
    return answer->sweeps > 0 && answer_size(answer) == 1;
}

static double answer_least(double a, double b)
{
    return a < b ? a : b;
}

struct answer_number answer_share(const struct answer *answer, uint64_t units)
{
    const uint64_t n = answer_strata(answer);

    if (n == 0)
        return (struct answer_number){ 0, 0, 1 };
    /* The last stratum may reach behind the end: shares are of what is there. */
    const double whole = (double)n * (double)answer_size(answer) / (double)answer->strata.units;
    const double value = answer_least((double)units / (double)n * whole, 1);
    const struct interval between = interval_share(units, n, ANSWER_CONFIDENCE);

    if (answer_is_exact(answer))
        return (struct answer_number){ value, value, value };
    return (struct answer_number){ value, answer_least(between.low * whole, 1),
                                   answer_least(between.high * whole, 1) };
}

struct answer_number answer_total(const struct answer *answer, const struct tally_count *count)
{
    const double each = (double)answer_size(answer), n = (double)count->count;
    /* Those of one unit come together: so many fewer are independent. */
    const double clump = count->count > 0 ? (double)count->squares / n : 1;
    const struct interval between = interval_count(n / clump, ANSWER_CONFIDENCE);

    if (answer_is_exact(answer))
        return (struct answer_number){ n, n, n };
    return (struct answer_number){ n * each, between.low * clump * each,
                                   between.high * clump * each };
}

static uint64_t answer_units(const struct tally *tally, enum block_class what)
{
    uint64_t units = 0;

    for (uint32_t i = 0; i < tally->place_count; i++)
        units += tally->places[i].classes[what];
    return units;
}

uint64_t answer_class(const struct answer *answer, enum block_class what)
{
    return answer_units(&answer->whole, what);
}

uint64_t answer_unreadable(const struct answer *answer)
{
    return answer_units(&answer->whole, BLOCK_UNREADABLE);
}

uint64_t answer_unreadable_rest(const struct answer *answer)
{
    return answer_units(&answer->rest, BLOCK_UNREADABLE);
}

uint64_t answer_unseen(const struct answer *answer)
{
    const uint64_t n = answer_strata(answer), size = answer_size(answer);
    const uint64_t lost = answer_unreadable(answer);

    if (n <= lost)
        return answer->strata.units;
    const uint64_t units = lost * size + interval_unseen(n - lost, size, answer->confidence);
    return units < answer->strata.units ? units : answer->strata.units;
}

uint64_t answer_unseen_bytes(const struct answer *answer)
{
    const uint64_t units = answer_unseen(answer);

    return units >= answer->size / answer->unit ? answer->size : units * answer->unit;
}

uint64_t answer_certain(const struct answer *answer)
{
    return answer->sweeps > 0 ? 2 * answer_size(answer) * answer->unit : 0;
}

bool answer_suspects(const struct answer *answer, uint32_t volume)
{
    const struct tally_place *place = &answer->whole.places[volume];
    const struct io_volume v = io_volumes_get(answer->facts.volumes, volume);

    return disk_facts_blank(&v) && place->units > 0 &&
           interval_share(place->classes[BLOCK_UNIFORM], place->units, ANSWER_CONFIDENCE).low >
               ANSWER_SUSPECT;
}

static bool answer_is_amber(const struct answer *answer)
{
    const uint32_t count =
        answer->facts.volumes != NULL ? io_volumes_count(answer->facts.volumes) : 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct io_volume volume = io_volumes_get(answer->facts.volumes, i);

        if (disk_facts_locked(&volume) ||
            (i < answer->whole.place_count && answer_suspects(answer, i)))
            return true;
    }
    for (uint32_t i = 0; i < answer->found_count; i++) {
        const struct unit_found *found = &answer->found[i].found;

        if (found->kind != UNIT_KNOWN ||
            answer->known->sets[found->number].about.verdict == KNOWN_LISTED)
            return true;
    }
    return false;
}

enum answer_word answer_word(const struct answer *answer)
{
    const bool asked = answer->known->count > 0 || answer->keywords != NULL;

    for (uint32_t i = 0; i < answer->whole.set_count; i++)
        if (answer->known->sets[i].about.verdict == KNOWN_BAD &&
            answer_met(&answer->whole.sets[i], &answer->rest.sets[i]).count > 0)
            return ANSWER_RED;
    if (answer_is_amber(answer))
        return ANSWER_AMBER;
    return asked && answer->sweeps > 0 && answer_unseen(answer) < answer->strata.units
               ? ANSWER_CLEAR
               : ANSWER_UNKNOWN;
}

const char *answer_word_name(enum answer_word word)
{
    static const char *const names[] = { [ANSWER_RED] = "red",
                                         [ANSWER_AMBER] = "amber",
                                         [ANSWER_UNKNOWN] = "unknown",
                                         [ANSWER_CLEAR] = "clear" };

    return names[word];
}
