/* SPDX-License-Identifier: Apache-2.0
 * io/leftover/guess.c - volumes whose boot sectors and superblocks are gone: where their clusters
 * lie, by the votes of what their records say and of where headers lie. See leftover_impl.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "io/leftover/guess.h"
#include "io/leftover/votes.h"

/* What there is to guess about: for each kind of file system one place of clusters. */
static const struct guess_kind {
    enum leftover_spot spot, other; /* of its records */
    uint64_t first;                 /* number of the first cluster */
    uint32_t least, most;           /* bytes of a cluster, each size twice the one before */
    bool same;                      /* firsts[0] are those of every size */
} guess_kinds[GEOMETRY_KINDS] = {
    [GEOMETRY_NTFS] = { LEFTOVER_SPOT_RECORD, LEFTOVER_SPOT_RECORD, 0, LIMIT_SECTOR, GUESS_UNIT_MAX,
                        false },
    [GEOMETRY_EXT] = { LEFTOVER_SPOT_LIST, LEFTOVER_SPOT_INODE, 0, GUESS_BLOCK_MIN, GUESS_BLOCK_MAX,
                       false },
    [GEOMETRY_FAT] = { LEFTOVER_SPOT_FAT, LEFTOVER_SPOT_FAT, 2, LIMIT_SECTOR, GUESS_UNIT_MAX,
                       true },
    [GEOMETRY_EXFAT] = { LEFTOVER_SPOT_EXFAT, LEFTOVER_SPOT_EXFAT, 2, LIMIT_SECTOR, GUESS_UNIT_MAX,
                         true },
};

struct guess {
    struct leftover *walk;
    bool wanted[GEOMETRY_KINDS];
    struct guess_found found[GEOMETRY_KINDS];
    /* Headers, as many as vote, and these with folders of FAT that say where they lie; ascending */
    uint64_t *starts, *starts_fat;
    uint64_t start_count, fat_count;
    struct votes_poll polls[GEOMETRY_KINDS * GUESS_SIZES];
    enum geometry_kind asked[GEOMETRY_KINDS * GUESS_SIZES]; /* of each poll */
    uint32_t poll_count;
};

static int guess_compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* The headers of the hint, as many as vote. */
static void guess_starts(struct guess *guess)
{
    const struct io_leftover_hint *hint = guess->walk->hint;
    const struct guess_list *selves = &guess->found[GEOMETRY_FAT].selves;
    const uint64_t step = (hint->start_count + VOTES_STARTS - 1) / VOTES_STARTS;

    for (uint64_t i = 0; i < hint->start_count; i += step)
        guess->starts[guess->start_count++] = hint->starts[i];
    if (!guess->wanted[GEOMETRY_FAT])
        return;
    for (uint64_t i = 0; i < guess->start_count; i++)
        guess->starts_fat[guess->fat_count++] = guess->starts[i];
    for (size_t i = 0; i < selves->count && i < GUESS_SELVES_MAX; i++)
        guess->starts_fat[guess->fat_count++] = selves->items[i];
    if (guess->fat_count > 1)
        qsort(guess->starts_fat, (size_t)guess->fat_count, sizeof *guess->starts_fat,
              guess_compare);
}

/* Asks clusters of each size that the kind may have. */
static void guess_polls(struct guess *guess, enum geometry_kind kind)
{
    const struct guess_kind *about = &guess_kinds[kind];
    const bool fat = kind == GEOMETRY_FAT;

    for (uint32_t unit = about->least; unit <= about->most; unit *= 2) {
        const uint32_t size = about->same ? 0 : (uint32_t)__builtin_ctz(unit / LIMIT_SECTOR);
        const struct guess_list *firsts = &guess->found[kind].firsts[size];

        guess->asked[guess->poll_count] = kind;
        guess->polls[guess->poll_count++] =
            (struct votes_poll){ .firsts = firsts->items,
                                 .count = (uint32_t)firsts->count,
                                 .starts = fat ? guess->starts_fat : guess->starts,
                                 .start_count = fat ? guess->fat_count : guess->start_count,
                                 .unit = unit };
    }
}

/* What was voted for: the place where most headers lie, with the smallest clusters of those alike.
 * It becomes a volume, from its first cluster to the end of the image. */
static void guess_volume(struct guess *guess, enum geometry_kind kind)
{
    struct leftover *walk = guess->walk;
    struct geometry best = { 0 };
    uint32_t kept = 0;

    for (uint32_t i = 0; i < guess->poll_count; i++) {
        if (guess->asked[i] != kind || guess->polls[i].hits <= best.weight)
            continue;
        best.weight = guess->polls[i].hits;
        best.unit = guess->polls[i].unit;
        best.unit_at = guess->polls[i].at;
    }
    if (best.weight == 0)
        return;
    for (uint32_t i = 0; i < walk->volume_count; i++)
        if (walk->volumes[i].kind != kind)
            walk->volumes[kept++] = walk->volumes[i];
    walk->volume_count = kept < LEFTOVER_VOLUMES_MAX ? kept : LEFTOVER_VOLUMES_MAX - 1;
    best.guessed = true;
    best.kind = kind;
    best.first = guess_kinds[kind].first;
    best.base = kind == GEOMETRY_FAT || kind == GEOMETRY_EXFAT ? 0 : best.unit_at;
    best.size = walk->size - best.base;
    best.units = (walk->size - best.unit_at) / best.unit;
    best.area = (struct io_range){ best.unit_at, walk->size - best.unit_at };
    walk->volumes[walk->volume_count++] = best;
}

static bool guess_wanted(const struct leftover *walk, enum geometry_kind kind)
{
    const struct guess_kind *about = &guess_kinds[kind];

    for (uint32_t i = 0; i < walk->volume_count; i++)
        if (walk->volumes[i].kind == kind && walk->volumes[i].weight > LEFTOVER_DOUBTFUL)
            return false;
    return walk->spots[about->spot].count + walk->spots[about->other].count > 0;
}

static void guess_all(struct guess *guess)
{
    struct leftover *walk = guess->walk;

    guess_look(walk, guess->wanted, guess->found);
    guess_starts(guess);
    for (int kind = 0; kind < GEOMETRY_KINDS; kind++)
        if (guess->wanted[kind])
            guess_polls(guess, (enum geometry_kind)kind);
    if (walk->rc == ERR_OK)
        walk->rc = votes_all(guess->polls, guess->poll_count, walk->hint->threads, walk->err);
    for (int kind = 0; walk->rc == ERR_OK && kind < GEOMETRY_KINDS; kind++)
        if (guess->wanted[kind])
            guess_volume(guess, (enum geometry_kind)kind);
}

void leftover_guess(struct leftover *walk)
{
    struct guess guess = { .walk = walk };
    bool any = false;

    for (int kind = 0; kind < GEOMETRY_KINDS; kind++) {
        guess.wanted[kind] = guess_wanted(walk, (enum geometry_kind)kind);
        any = any || guess.wanted[kind];
    }
    if (!any)
        return;
    guess.starts = malloc(VOTES_STARTS * sizeof *guess.starts);
    guess.starts_fat = malloc((VOTES_STARTS + GUESS_SELVES_MAX) * sizeof *guess.starts_fat);
    if (guess.starts == NULL || guess.starts_fat == NULL)
        walk->rc = ERR_NO_MEMORY(walk->err, VOTES_STARTS * sizeof *guess.starts);
    else
        guess_all(&guess);
    for (int kind = 0; kind < GEOMETRY_KINDS; kind++)
        guess_found_release(&guess.found[kind]);
    free(guess.starts);
    free(guess.starts_fat);
}
