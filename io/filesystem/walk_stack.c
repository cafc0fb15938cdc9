/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk_stack.c - volumes that lie in others: arrays of md, and logical volumes of
 * LVM2. See walk.h.
 *
 * An array may be a member of a group, so arrays come first; each is looked at as a partition is.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/filesystem/walk.h"

enum { STACK_NAME = 2 * LVM_NAME_MAX + 2 };

/* Tells of a volume, of which nothing can be read. */
static void stack_unread(struct fsmap_walk *walk, const struct walk_slot *slot, const char *why)
{
    const struct content content = { .name = "", .note = why };

    walk_say_slot(walk, slot, &content);
    walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE }, why, strlen(why));
}

static bool stack_together(const struct walk_base *a, const struct walk_base *b)
{
    return b->is_md && memcmp(a->md.uuid, b->md.uuid, MD_UUID) == 0;
}

/* The members of the array in the order of their roles; false: one is missing, or there twice. */
static bool stack_members(const struct fsmap_walk *walk, const struct walk_base *one,
                          const struct walk_base *members[MD_MEMBERS_MAX])
{
    memset(members, 0, MD_MEMBERS_MAX * sizeof(struct walk_base *));
    for (uint32_t i = 0; i < walk->base_count; i++) {
        const struct walk_base *base = &walk->bases[i];

        if (!stack_together(one, base) || base->md.role >= one->md.members)
            continue;
        if (members[base->md.role] != NULL)
            return false;
        members[base->md.role] = base;
    }
    for (uint32_t i = 0; i < one->md.members; i++)
        if (members[i] == NULL)
            return false;
    return true;
}

/* Members one behind another; each without what is no whole chunk. */
static enum err_code stack_linear(const struct walk_base *const *members, uint32_t count,
                                  struct volume *volume, struct err *err)
{
    enum err_code rc = ERR_OK;
    uint64_t at = 0;

    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        const struct md_member *md = &members[i]->md;
        const uint64_t chunk = md->chunk_len == 0 ? 1 : md->chunk_len;
        struct volume_place place = { members[i]->bytes, md->offset };
        const struct volume_stretch stretch = {
            .at = at, .len = md->len / chunk * chunk, .stripes = 1, .places = &place
        };

        volume->size += stretch.len;
        rc = volume_add(volume, &stretch, err);
        at += stretch.len;
    }
    return rc;
}

/* Chunks of all members in turn. Where they are not of one length, kernels differ in what follows.
 */
static enum err_code stack_striped(const struct walk_base *const *members, uint32_t count,
                                   struct volume *volume, struct err *err)
{
    struct volume_place places[MD_MEMBERS_MAX];
    const uint64_t chunk = members[0]->md.chunk_len;
    const uint64_t each = chunk == 0 ? 0 : members[0]->md.len / chunk * chunk;

    for (uint32_t i = 0; i < count; i++) {
        if (each == 0 || members[i]->md.chunk_len != chunk ||
            members[i]->md.len / chunk * chunk != each)
            return ERR_RAISE(err, ERR_INPUT, "members of different lengths");
        places[i] = (struct volume_place){ members[i]->bytes, members[i]->md.offset };
    }
    const struct volume_stretch stretch = {
        .len = each * count, .stripe_len = chunk, .stripes = count, .places = places
    };
    volume->size = stretch.len;
    return volume_add(volume, &stretch, err);
}

/* An array of all its members; of a mirror, each member shows it by itself. */
static enum err_code stack_array(const struct fsmap_walk *walk, const struct walk_base *one,
                                 struct volume *volume, struct err *err)
{
    const struct walk_base *members[MD_MEMBERS_MAX];
    const int32_t level = one->md.level;

    *volume = volume_begin(walk->image, 0);
    if (level == 1) {
        struct volume_place place = { one->bytes, one->md.offset };
        const struct volume_stretch stretch = { .len = one->md.size,
                                                .stripes = 1,
                                                .places = &place };

        volume->size = stretch.len;
        return volume_add(volume, &stretch, err);
    }
    if (level != 0 && level != MD_LINEAR)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for RAID %" PRId32, level);
    if (one->md.members == 0 || one->md.members > MD_MEMBERS_MAX)
        return ERR_RAISE(err, ERR_INPUT, "too many members");
    if (!stack_members(walk, one, members))
        return ERR_RAISE(err, ERR_INPUT, "members of it are not in this image");
    return level == 0 ? stack_striped(members, one->md.members, volume, err)
                      : stack_linear(members, one->md.members, volume, err);
}

/* Whether the array was told with a member before. */
static bool stack_is_told(const struct fsmap_walk *walk, uint32_t index)
{
    if (walk->bases[index].md.level == 1)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (stack_together(&walk->bases[index], &walk->bases[i]))
            return true;
    return false;
}

static void stack_tell(struct fsmap_walk *walk, struct walk_slot *slot, struct volume *volume,
                       enum err_code rc, const struct err *why)
{
    uint64_t have = 0;

    if (rc == ERR_OK && !volume_find(volume, 0, &slot->offset, &have))
        slot->offset = 0;
    slot->kind = IO_VOLUME_LOGICAL;
    slot->len = volume->size;
    slot->sector_size = io_image_sector_size(walk->image);
    if (rc == ERR_OK) {
        walk_volume(walk, slot, volume);
        return;
    }
    stack_unread(walk, slot, why->text);
    volume_release(volume);
}

static void stack_md(struct fsmap_walk *walk, uint32_t index)
{
    const struct walk_base one = walk->bases[index];
    char name[MD_NAME_MAX + 32];
    struct walk_slot slot = { .number = one.number, .table = "md", .description = name };
    struct volume volume;
    struct err err = { 0 };

    if (stack_is_told(walk, index))
        return;
    if (one.md.level == MD_LINEAR)
        snprintf(name, sizeof name, "linear %s", one.md.name);
    else
        snprintf(name, sizeof name, "RAID %" PRId32 " %s", one.md.level, one.md.name);
    const enum err_code rc = stack_array(walk, &one, &volume, &err);
    stack_tell(walk, &slot, &volume, rc, &err);
}

/* The physical volume of the group among those of the image; NULL: it is not there. */
static const struct walk_base *stack_physical(const struct fsmap_walk *walk,
                                              const struct lvm_physical *physical)
{
    for (uint32_t i = 0; i < walk->base_count; i++)
        if (!walk->bases[i].is_md && strcmp(walk->bases[i].lvm.uuid, physical->uuid) == 0)
            return &walk->bases[i];
    return NULL;
}

static enum err_code stack_segment(const struct fsmap_walk *walk, const struct lvm_group *group,
                                   const struct lvm_segment *segment, struct volume *volume,
                                   struct err *err)
{
    const uint64_t extent = group->extent_len;
    struct volume_place places[LVM_STRIPES_MAX];

    if (segment->stripes == 0)
        return ERR_RAISE(err, ERR_INPUT, "no reader here for LVM's %.*s", 64,
                         segment->type[0] != '\0' ? segment->type : "kind of volume");
    for (uint32_t i = 0; i < segment->stripes; i++) {
        const struct lvm_physical *physical = &group->physical[segment->place[i]];
        const struct walk_base *base = stack_physical(walk, physical);

        if (base == NULL)
            return ERR_RAISE(err, ERR_INPUT, "a physical volume of it is not in this image");
        places[i] =
            (struct volume_place){ base->bytes, physical->start + segment->extent[i] * extent };
    }
    const struct volume_stretch stretch = { .at = segment->start * extent,
                                            .len = segment->count * extent,
                                            .stripe_len = segment->stripe_len,
                                            .stripes = segment->stripes,
                                            .places = places };
    volume->size = stretch.at + stretch.len;
    return volume_add(volume, &stretch, err);
}

static void stack_logical(struct fsmap_walk *walk, const struct lvm_group *group, uint32_t number,
                          const struct lvm_logical *logical)
{
    char name[STACK_NAME];
    struct walk_slot slot = { .number = number, .table = "LVM2", .description = name };
    struct volume volume = volume_begin(walk->image, 0);
    enum err_code rc = ERR_OK;
    struct err err = { 0 };

    snprintf(name, sizeof name, "%s/%s", group->name, logical->name);
    for (uint32_t i = 0; rc == ERR_OK && i < logical->count; i++)
        rc = stack_segment(walk, group, &group->segments[logical->first + i], &volume, &err);
    stack_tell(walk, &slot, &volume, rc, &err);
}

/* Whether a physical volume before this one has told of its group. */
static bool stack_was_read(const char groups[][LVM_UUID_MAX], uint32_t count, const char *uuid)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(groups[i], uuid) == 0)
            return true;
    return false;
}

static void stack_lvm(struct fsmap_walk *walk)
{
    const uint32_t count = walk->base_count;
    char(*groups)[LVM_UUID_MAX] = calloc(count + 1u, sizeof *groups);
    uint32_t group_count = 0;

    for (uint32_t i = 0; groups != NULL && i < count; i++) {
        const struct walk_base base = walk->bases[i];
        struct lvm_group group = { 0 };
        struct err err = { 0 };

        if (base.is_md || base.lvm.metadata_len == 0)
            continue;
        const struct source source = volume_source(base.bytes);
        if (lvm_read(&source, &base.lvm, &group, &err) != ERR_OK) {
            const struct walk_slot slot = {
                .kind = IO_VOLUME_LOGICAL, .number = base.number, .table = "LVM2", .description = ""
            };

            stack_unread(walk, &slot, err.text);
        } else if (!stack_was_read((const char(*)[LVM_UUID_MAX])groups, group_count, group.uuid)) {
            memcpy(groups[group_count++], group.uuid, LVM_UUID_MAX);
            for (uint32_t k = 0; k < group.logical_count; k++)
                if (group.logical[k].visible)
                    stack_logical(walk, &group, base.number, &group.logical[k]);
        }
        lvm_release(&group);
    }
    free(groups);
}

void walk_stack(struct fsmap_walk *walk)
{
    for (uint32_t i = 0; i < walk->base_count; i++) /* an array may be a member of another one */
        if (walk->bases[i].is_md)
            stack_md(walk, i);
    stack_lvm(walk);
    for (uint32_t i = 0; i < walk->base_count; i++) {
        volume_release(walk->bases[i].bytes);
        free(walk->bases[i].bytes);
    }
}
