/* SPDX-License-Identifier: Apache-2.0
 * db/seal_ahead.c - see seal_ahead.h, and db_seal_ahead_take in case.h.
 *
 * Ids of hits follow without a gap. A group is known when all its hits were told of: the first one
 * not, where some may have been there before, and the last one not, for more may come.
 */
#include "db/seal_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "db/seal_rows.h"

enum { AHEAD_COLUMNS = 6 };

struct ahead_digest {
    uint8_t sha256[SEAL_SHA256];
};

struct db_seal_ahead {
    struct seal_group group; /* of next_id: of its hits before that, if open */
    bool open;
    int64_t next_id;
    int64_t first;                /* group that is known, or will be */
    struct ahead_digest *digests; /* [count]: of the groups from there on */
    size_t count, room;
    bool lost; /* nothing more will be known */
};

static struct db_seal_ahead *ahead_open(int64_t first_id)
{
    struct db_seal_ahead *ahead = calloc(1, sizeof *ahead);

    if (ahead == NULL)
        return NULL;
    if (seal_group_open(&ahead->group, NULL) != ERR_OK) {
        db_seal_ahead_close(ahead);
        return NULL;
    }
    ahead->next_id = first_id;
    ahead->first = first_id == 1 ? 0 : (first_id - 1) / SEAL_IDS + 1; /* there is no hit 0 */
    return ahead;
}

void db_seal_ahead_close(struct db_seal_ahead *ahead)
{
    if (ahead == NULL)
        return;
    seal_group_close(&ahead->group);
    free(ahead->digests);
    free(ahead);
}

struct db_seal_ahead *db_seal_ahead_take(struct db_case *db, int64_t first_id)
{
    struct db_seal_ahead *ahead = db->ahead;

    db->ahead = NULL;
    if (ahead != NULL && !ahead->lost && ahead->next_id == first_id)
        return ahead;
    db_seal_ahead_close(ahead);
    return ahead_open(first_id);
}

void db_seal_ahead_give(struct db_case *db, struct db_seal_ahead *ahead)
{
    db_seal_ahead_close(db->ahead);
    db->ahead = ahead;
}

/* The last hit of the group has been taken. */
static enum err_code ahead_end_group(struct db_seal_ahead *ahead)
{
    enum err_code rc =
        grow_items(&ahead->digests, ahead->count, &ahead->room, sizeof *ahead->digests, NULL);

    if (rc == ERR_OK)
        rc = seal_group_end(&ahead->group, ahead->digests[ahead->count].sha256, NULL);
    ahead->count += rc == ERR_OK;
    ahead->open = false;
    return rc;
}

static enum err_code ahead_add(struct db_seal_ahead *ahead, const struct db_hit *hit)
{
    const int64_t columns[AHEAD_COLUMNS] = { hit->id,           hit->image_id,
                                             hit->signature_id, (int64_t)hit->offset,
                                             hit->len,          hit->footer };
    enum err_code rc = hit->id == ahead->next_id ? ERR_OK : ERR_INPUT;

    ahead->next_id++;
    if (rc != ERR_OK || hit->id / SEAL_IDS < ahead->first)
        return rc;
    if (!ahead->open)
        rc = seal_group_begin(&ahead->group, NULL);
    ahead->open = true;
    if (rc == ERR_OK)
        rc = seal_group_numbers(&ahead->group, columns, AHEAD_COLUMNS, NULL);
    return rc == ERR_OK && ahead->next_id % SEAL_IDS == 0 ? ahead_end_group(ahead) : rc;
}

void db_seal_ahead_add(struct db_seal_ahead *ahead, const struct db_hit *hits, uint32_t count)
{
    for (uint32_t i = 0; ahead != NULL && !ahead->lost && i < count; i++)
        ahead->lost = ahead_add(ahead, &hits[i]) != ERR_OK;
}

int64_t seal_ahead_next(const struct db_seal_ahead *ahead, int64_t id)
{
    const int64_t first = ahead != NULL ? ahead->first : 0;

    return id <= first * SEAL_IDS ? first : (id - 1) / SEAL_IDS + 1;
}

uint64_t seal_ahead_rows(const struct db_seal_ahead *ahead)
{
    return ahead != NULL ? (uint64_t)ahead->count * SEAL_IDS : 0;
}

bool seal_ahead_group(const struct db_seal_ahead *ahead, int64_t number, uint64_t *rows,
                      const uint8_t **digest)
{
    if (ahead == NULL || number < ahead->first || number - ahead->first >= (int64_t)ahead->count)
        return false;
    *rows = number == 0 ? SEAL_IDS - 1 : SEAL_IDS;
    *digest = ahead->digests[number - ahead->first].sha256;
    return true;
}
