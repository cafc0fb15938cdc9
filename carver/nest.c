/* carver/nest.c - see nest.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/limits.h"
#include "carver/nest.h"

/* Bytes found right that make a file inside of another one more than a chance. */
enum { NEST_WHOLE_LEN = 64, NEST_BROKEN_LEN = 1024 };

struct nest_outer {
    int64_t id;
    uint64_t offset, end;
    bool proven, container;
};

/*
 * When other bytes than zeros behind an end mean anything: so many proven objects must have zeros there and so few anything else, and so many
 * of those that are not proven must have other bytes. Where few have, as few are fragmented, and chance explains as many.
 */
enum { NEST_SLACK_LEAST = 32, NEST_SLACK_OTHER_PERCENT = 3, NEST_SLACK_FOREIGN_PERCENT = 10 };

struct nest {
    struct db_case *db;
    bool zeros; /* the rest of a file's last sector is zeros on this image */
    bool tells; /* and files that have other bytes there are fragmented */
    struct nest_outer outer[NEST_DEPTH_MAX];
    uint32_t depth;
};

/* The object begins on a sector: cuts every outer one whose length was believed and that reaches past its beginning. */
static enum err_code nest_cut(struct nest *nest, const struct db_place *object, struct err *err)
{
    enum err_code rc = ERR_OK;
    char reason[80];

    snprintf(reason, sizeof reason, "another file begins inside, at offset %" PRIu64, object->offset);
    for (uint32_t i = 0; rc == ERR_OK && i < nest->depth; i++) {
        struct nest_outer *outer = &nest->outer[i];

        if (outer->proven || outer->end <= object->offset || outer->offset == object->offset)
            continue;
        outer->end = object->offset;
        rc = db_object_cut(nest->db, outer->id, object->offset - outer->offset, reason, err);
    }
    return rc;
}

/* Whether the object lies in one that was proven: what stands behind it is that one's. */
static bool nest_inside(const struct nest *nest, const struct db_place *object)
{
    for (uint32_t i = nest->depth; i > 0; i--)
        if (nest->outer[i - 1].proven && nest->outer[i - 1].end >= object->offset + object->len)
            return true;
    return false;
}

static enum err_code nest_one(void *arg, const struct db_place *found, struct err *err)
{
    struct nest *nest = arg;
    struct db_place place = *found, *object = &place;
    const uint64_t end = object->offset + object->len;
    const bool embedded = object->offset % LIMIT_SECTOR != 0; /* no file of a file system begins here */
    const struct nest_outer *parent = NULL;
    enum err_code rc = ERR_OK;

    if (object->complete && object->slack == DB_SLACK_FOREIGN && nest->tells && !nest_inside(nest, object)) {
        object->complete = object->proven = false;
        rc = db_object_doubt(nest->db, object->id,
                             "other bytes than zeros behind its end: its last sector lies elsewhere", err);
    }
    if (object->slack == DB_SLACK_FOREIGN && nest->zeros)
        object->proven = false; /* not proven enough to hold what begins on a sector inside */
    if (rc == ERR_OK && object->checked && !embedded &&
        object->len >= (object->complete ? NEST_WHOLE_LEN : NEST_BROKEN_LEN))
        rc = nest_cut(nest, object, err);
    while (nest->depth > 0 && nest->outer[nest->depth - 1].end <= object->offset)
        nest->depth--;
    for (uint32_t i = nest->depth; parent == NULL && i > 0; i--)
        if ((embedded || nest->outer[i - 1].container || nest->outer[i - 1].proven) && nest->outer[i - 1].end >= end)
            parent = &nest->outer[i - 1];
    if (rc == ERR_OK && parent != NULL)
        rc = db_object_set_parent(nest->db, object->id, parent->id, err);
    if (object->checked && object->complete && nest->depth < NEST_DEPTH_MAX)
        nest->outer[nest->depth++] = (struct nest_outer){ .id = object->id,
                                                          .offset = object->offset,
                                                          .end = end,
                                                          .proven = object->proven,
                                                          .container = object->container };
    return rc;
}

enum err_code nest_objects(struct db_case *db, int64_t image_id, struct err *err)
{
    struct nest nest = { .db = db };
    struct db_slack_counts slack;
    enum err_code rc = db_slack_count(db, image_id, &slack, err);

    nest.zeros =
        rc == ERR_OK && slack.zeros >= NEST_SLACK_LEAST && slack.other * 100 <= slack.zeros * NEST_SLACK_OTHER_PERCENT;
    nest.tells = nest.zeros && slack.foreign * 100 >= (slack.believed + slack.foreign) * NEST_SLACK_FOREIGN_PERCENT;
    if (rc == ERR_OK)
        rc = db_places_walk(db, image_id, nest_one, &nest, err);

    if (rc != ERR_OK)
        err_while(err, "looking for objects inside of others");
    return rc;
}
