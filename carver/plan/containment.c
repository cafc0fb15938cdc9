/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/containment.c - see containment.h. */
#include <assert.h>
#include <stdlib.h>

#include "base/limits.h"
#include "carver/case/record.h"
#include "carver/case/sums_late.h"
#include "carver/plan/clusters.h"
#include "carver/plan/containment.h"
#include "signatures/crc64.h"

/* Bytes found right that make a file inside of another one more than a chance. One that breaks has
 * a cluster at least, if it is in pieces. */
enum { CONTAINMENT_WHOLE_LEN = 64, CONTAINMENT_BROKEN_LEN = 1024 };

enum { CONTAINMENT_STORE = 4096 /* rows, where not all of them stay in memory */ };

enum { CONTAINMENT_READ = 1 << 20 /* bytes read again at a time */ };

enum { CONTAINMENT_CLUSTER_LEAST = 64 /* proven files, before their clusters are believed */ };

/* Said of what a validator may have taken zeros in for data: it proves nothing. */
static const char containment_hole[] = "some of its bytes could not be read: zeros stand for them";

struct containment_outer {
    int64_t id, parent_id;
    uint64_t offset, end;
    const struct sig *sig;
    const char *doubt; /* why it is truncated; or NULL */
    bool complete, proven, container;
    bool cut, has_crc64; /* at its end; what is left of it has this CRC-64 */
    uint64_t crc64;
};

/*
 * When other bytes than zeros behind an end mean anything: so many proven objects must have zeros
 * there and so few anything else, and so many of those that are not proven must have other bytes.
 * Where few have, as few are fragmented, and chance explains as many.
 */
enum {
    CONTAINMENT_SLACK_LEAST = 32,
    CONTAINMENT_SLACK_OTHER_PERCENT = 3,
    CONTAINMENT_SLACK_FOREIGN_PERCENT = 10
};

/* Numbers of complete objects, by what stands behind their end. */
struct containment_slack {
    uint64_t zeros, other;      /* proven ones */
    uint64_t believed, foreign; /* others: zeros, and other bytes */
};

struct containment {
    struct db_case *db;       /* NULL: all comes from memory */
    containment_rows_fn each; /* NULL: rows stay until the end */
    void *arg;
    const struct containment_image *image;
    bool zeros;               /* the rest of a file's last sector is zeros on this image */
    bool tells;               /* and files that have other bytes there are fragmented */
    uint32_t cluster, phase;  /* files begin at multiples of the one, plus the other */
    struct clusters clusters; /* of proven files that lie in no other one */
    struct containment_outer outer[CONTAINMENT_DEPTH_MAX];
    uint32_t depth;
    struct sums_late around; /* objects around the present place, of the first walk */
    const struct unread *unread;
    uint8_t *bytes;                 /* CONTAINMENT_READ of them */
    uint64_t left;                  /* that may be read again */
    struct containment_slack slack; /* of the first walk */
    struct containment_rows *rows;  /* to be stored */
};

static const struct sig *containment_sig(const struct containment_image *image,
                                         int64_t signature_id)
{
    const int64_t at = image->sig_count > 0 ? signature_id - image->signature_ids[0] : -1;

    if (at >= 0 && at < image->sig_count && image->signature_ids[at] == signature_id)
        return image->sigs[at]; /* a scan numbers its signatures in their order */
    for (uint32_t i = 0; i < image->sig_count; i++)
        if (image->signature_ids[i] == signature_id)
            return image->sigs[i];
    return NULL;
}

static void containment_count_slack(struct containment_slack *slack, const struct db_place *object)
{
    if (!object->complete)
        return;
    slack->zeros += object->slack == DB_SLACK_ZEROS && object->proven;
    slack->believed += object->slack == DB_SLACK_ZEROS && !object->proven;
    slack->other += object->slack == DB_SLACK_OTHER;
    slack->foreign += object->slack == DB_SLACK_FOREIGN;
}

/* Counts where proven files begin that lie in no other one. */
static enum err_code containment_count(void *arg, const struct db_place *object, struct err *err)
{
    struct containment *c = arg;
    bool deep = false;
    enum err_code rc = sums_depth_next(&c->around, object->offset, object->offset + object->len,
                                       SUMS_LATE_MAX, &deep, err);

    if (rc == ERR_OK && deep)
        rc = c->db != NULL ? db_object_set_crc64(c->db, object->id, false, 0, err)
                           : containment_rows_add_deep(c->rows, object->id, err);
    if (rc != ERR_OK)
        return rc;
    containment_count_slack(&c->slack, object);
    if (object->complete && object->proven)
        clusters_see(&c->clusters, object->offset, object->len);
    return ERR_OK;
}

/* Whether a file of a file system can begin here. */
static bool containment_begins(const struct containment *c, uint64_t offset)
{
    return offset % c->cluster == c->phase;
}

/* Whether a member of the outer one begins where the object does. */
static enum err_code containment_member(const struct containment *c,
                                        const struct containment_outer *outer,
                                        const struct db_place *object, bool *member,
                                        struct err *err)
{
    uint8_t before[SIG_BEFORE];
    enum err_code rc = ERR_OK;

    *member = false;
    if (object->offset < sizeof before)
        return ERR_OK;
    rc = io_salvage_read(c->image->image, object->offset - sizeof before, before, sizeof before,
                         NULL, NULL, err);
    *member = rc == ERR_OK && outer->sig->holds(before);
    return rc;
}

/* The CRC-64 of what is left of an object that was cut, while there are bytes left to read. */
static enum err_code containment_sum(struct containment *c, struct containment_outer *outer,
                                     struct err *err)
{
    uint64_t value = 0, at = outer->offset;
    enum err_code rc = ERR_OK;

    if (outer->end - outer->offset > c->left)
        return ERR_OK;
    c->left -= outer->end - outer->offset;
    while (rc == ERR_OK && at < outer->end) {
        const size_t len =
            outer->end - at < CONTAINMENT_READ ? (size_t)(outer->end - at) : CONTAINMENT_READ;

        rc = unread_read(c->unread, c->image->image, at, c->bytes, len, NULL, NULL, err);
        if (rc == ERR_OK)
            value = crc64_add(value, c->bytes, len);
        at += len;
    }
    outer->has_crc64 = rc == ERR_OK;
    outer->crc64 = value;
    return rc;
}

/* No more is said of this object: what was said is to be stored. */
static enum err_code containment_said(struct containment *c, const struct containment_outer *of,
                                      struct err *err)
{
    const bool hole = unread_bytes(c->unread, of->offset, of->end - of->offset) > 0;
    const struct db_nested row = { .id = of->id,
                                   .parent_id = of->parent_id,
                                   .state = of->cut || of->doubt != NULL ? "truncated" : NULL,
                                   .reason = of->doubt != NULL ? of->doubt
                                             : hole            ? containment_hole
                                                               : NULL,
                                   .cut = of->cut,
                                   .len = of->end - of->offset,
                                   .has_crc64 = of->has_crc64,
                                   .crc64 = of->crc64 };
    enum err_code rc = ERR_OK;

    if (of->parent_id != 0 || row.state != NULL || hole)
        rc = containment_rows_add(c->rows, &(struct containment_row){ row, of->end }, err);
    if (rc != ERR_OK || c->each == NULL || c->rows->count < CONTAINMENT_STORE)
        return rc;
    containment_rows_sort(c->rows);
    return c->each(c->arg, c->rows, err);
}

/* The object begins where a file can: cuts every outer one that does not hold it and that reaches
 * past its beginning. */
static enum err_code containment_cut(struct containment *c, const struct db_place *object,
                                     struct err *err)
{
    enum err_code rc = ERR_OK;
    bool held = false; /* by one that lies deeper */

    for (uint32_t i = c->depth; rc == ERR_OK && !held && i > 0; i--) {
        struct containment_outer *outer = &c->outer[i - 1];
        const bool asks = outer->sig != NULL && outer->sig->holds != NULL;

        if (!outer->complete || outer->end <= object->offset || outer->offset == object->offset)
            continue;
        if (asks)
            rc = containment_member(c, outer, object, &held, err);
        else if (outer->proven)
            held = outer->end >= object->offset + object->len;
        if (rc != ERR_OK || held || (outer->proven && !asks))
            continue;
        outer->end = object->offset;
        outer->cut = true;
        rc = containment_sum(c, outer, err);
    }
    return rc;
}

/* Whether the object lies in one that was proven: what stands behind it is that one's. */
static bool containment_inside(const struct containment *c, const struct db_place *object)
{
    for (uint32_t i = c->depth; i > 0; i--)
        if (c->outer[i - 1].proven && c->outer[i - 1].end >= object->offset + object->len)
            return true;
    return false;
}

/* Objects that end at image offset `at` or before are around nothing that comes. */
static enum err_code containment_leave(struct containment *c, uint64_t at, struct err *err)
{
    uint32_t open = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < c->depth; i++) {
        if (c->outer[i].end <= at)
            rc = containment_said(c, &c->outer[i], err);
        else if (open++ < i)
            c->outer[open - 1] = c->outer[i];
    }
    c->depth = open;
    return rc;
}

/* The innermost one that can have the object as a part; begins: a file can begin where it does. */
static const struct containment_outer *containment_parent(const struct containment *c,
                                                          const struct db_place *object,
                                                          bool begins)
{
    const uint64_t end = object->offset + object->len;

    for (uint32_t i = c->depth; i > 0; i--) {
        const struct containment_outer *outer = &c->outer[i - 1];

        if (outer->end >= end &&
            (!begins || (outer->complete && (outer->container || outer->proven))))
            return outer;
    }
    return NULL;
}

/* What is whole can be a parent; what breaks only if it is a container, and not merely because the
 * image ends. */
static bool containment_holds(const struct containment *c, const struct db_place *object)
{
    const uint64_t end = object->offset + object->len;
    const bool broken =
        object->container && object->len >= CONTAINMENT_BROKEN_LEN && end < c->image->end;

    return object->validated && (object->complete || broken) && c->depth < CONTAINMENT_DEPTH_MAX;
}

static enum err_code containment_one(void *arg, const struct db_place *found, struct err *err)
{
    struct containment *c = arg;
    struct db_place place = *found, *object = &place;
    const bool begins = containment_begins(c, object->offset);
    const struct sig *sig =
        object->container ? containment_sig(c->image, object->signature_id) : NULL;
    const uint64_t broken_least =
        c->cluster > CONTAINMENT_BROKEN_LEN ? c->cluster : CONTAINMENT_BROKEN_LEN;
    const char *doubt = NULL;
    enum err_code rc = ERR_OK;

    if (object->complete && object->slack == DB_SLACK_FOREIGN && c->tells &&
        !containment_inside(c, object))
        doubt = "the bytes behind its end are not zero: its last sector is elsewhere";
    if (object->slack == DB_SLACK_FOREIGN && c->zeros)
        object->proven = false; /* not proven enough to hold what begins on a sector inside */
    if (begins && object->validated &&
        object->len >= (object->complete ? CONTAINMENT_WHOLE_LEN : broken_least))
        rc = containment_cut(c, object, err);
    if (rc == ERR_OK)
        rc = containment_leave(c, object->offset, err);
    if (rc != ERR_OK)
        return rc;
    const struct containment_outer *parent = containment_parent(c, object, begins);
    if (object->complete && !begins && parent == NULL && sig != NULL &&
        (sig->flags & SIG_LOOSE_START) != 0)
        doubt = "begins where no file can begin: this is the end of another file";
    if (doubt != NULL)
        object->complete = object->proven = false;
    const struct containment_outer one = { .id = object->id,
                                           .parent_id = parent != NULL ? parent->id : 0,
                                           .offset = object->offset,
                                           .end = object->offset + object->len,
                                           .sig = sig,
                                           .doubt = doubt,
                                           .complete = object->complete,
                                           .proven = object->proven,
                                           .container = object->container };
    if (!containment_holds(c, object))
        return containment_said(c, &one, err);
    c->outer[c->depth++] = one;
    return ERR_OK;
}

/* Calls each for every object of the image by (offset, id). */
static enum err_code containment_walk(struct containment *c, db_place_fn each, struct err *err)
{
    const struct containment_image *image = c->image;
    enum err_code rc = ERR_OK;

    if (image->places == NULL)
        return db_places_walk(c->db, image->id, each, c, err);
    for (uint32_t i = 0; rc == ERR_OK && i < image->place_count; i++)
        rc = each(c, &image->places[i], err);
    return rc;
}

/* What the numbers of the first walk say of the image. */
static void containment_learn(struct containment *c)
{
    const struct containment_slack *slack = &c->slack;

    c->zeros = slack->zeros >= CONTAINMENT_SLACK_LEAST &&
               slack->other * 100 <= slack->zeros * CONTAINMENT_SLACK_OTHER_PERCENT;
    c->tells = c->zeros && slack->foreign * 100 >= (slack->believed + slack->foreign) *
                                                       CONTAINMENT_SLACK_FOREIGN_PERCENT;
    c->cluster = clusters_find(&c->clusters, CONTAINMENT_CLUSTER_LEAST, &c->phase);
}

/* Both walks over the objects. */
static enum err_code containment_look(struct containment *c, struct err *err)
{
    c->left = c->image->end;
    c->bytes = malloc(CONTAINMENT_READ);
    enum err_code rc = c->bytes != NULL ? ERR_OK : ERR_NO_MEMORY(err, CONTAINMENT_READ);

    if (rc == ERR_OK)
        rc = containment_walk(c, containment_count, err);
    containment_learn(c);
    if (rc == ERR_OK)
        rc = containment_walk(c, containment_one, err);
    if (rc == ERR_OK)
        rc = containment_leave(c, UINT64_MAX, err);
    containment_rows_sort(c->rows);
    if (rc == ERR_OK && c->each != NULL)
        rc = c->each(c->arg, c->rows, err);
    sums_late_release(&c->around);
    free(c->bytes);
    if (rc != ERR_OK)
        err_while(err, "looking for objects inside of others");
    return rc;
}

enum err_code containment_find(const struct containment_image *image, const struct unread *unread,
                               struct containment_rows *rows, containment_rows_fn each, void *arg,
                               struct err *err)
{
    struct containment nest = {
        .each = each, .arg = arg, .image = image, .unread = unread, .rows = rows
    };

    assert(image->places != NULL);
    return containment_look(&nest, err);
}

static enum err_code containment_store(void *arg, struct containment_rows *rows, struct err *err)
{
    const enum err_code rc = containment_rows_store(rows, arg, err);

    containment_rows_clear(rows);
    return rc;
}

enum err_code containment_objects(struct db_case *db, const struct containment_image *image,
                                  struct err *err)
{
    struct containment_rows rows = { 0 };
    struct unread unread = { 0 };
    /* What is said of so many objects, that can stay in memory, too. */
    const bool few = image->places != NULL && image->place_count <= RECORD_PLACES_MAX;
    struct containment nest = { .db = few ? NULL : db,
                                .each = few ? NULL : containment_store,
                                .arg = db,
                                .image = image,
                                .unread = &unread,
                                .rows = &rows };
    enum err_code rc = ERR_OK;

    if (image->places == NULL) /* else nothing was said of them before */
        rc = db_nested_clear(db, image->id, err);
    if (rc == ERR_OK)
        rc = unread_load(db, image->id, image->run_id, &unread, err);
    if (rc == ERR_OK)
        rc = containment_look(&nest, err);
    if (rc == ERR_OK)
        rc = containment_rows_store(&rows, db, err);
    containment_rows_release(&rows);
    unread_release(&unread);
    return rc;
}
