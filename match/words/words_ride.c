/* SPDX-License-Identifier: Apache-2.0
 * match/words/words_ride.c - see words_ride.h. */
#include "match/words/words_ride.h"

/* Whether the step for the group looks at all places, at enough bytes. */
static bool ride_carries(const struct words_group *group)
{
    return group->twins == NULL && group->depth >= WORDS_RIDE_DEPTH &&
           (!group->dense_seven || group->sieve != NULL || group->couples != NULL);
}

static void ride_fill(struct words_group *group, struct words_group *rider)
{
    for (uint32_t j = 0; j < WORDS_RIDE_DEPTH; j++)
        for (uint32_t byte = 0; byte < 256; byte++)
            group->ride[j][(byte | (group->couples != NULL ? group->fold & 0xff : 0)) & 63] |=
                rider->sets[j][byte];
    group->rider = rider;
    rider->rides = true;
}

void words_ride(struct words_program *program)
{
    struct words_group *most = &program->groups[0];

    for (uint32_t g = 1; g < program->group_count; g++)
        if (program->groups[g].entry_count > most->entry_count)
            most = &program->groups[g];
    if (!program->form->rider || program->group_count < 2 || !ride_carries(most))
        return;
    for (uint32_t g = 0; g < program->group_count && most->rider == NULL; g++) {
        struct words_group *group = &program->groups[g];

        if (group != most && group->entry_count <= WORDS_RIDE_MAX && group->twins == NULL &&
            group->depth >= WORDS_RIDE_LEAST)
            ride_fill(most, group);
    }
}
