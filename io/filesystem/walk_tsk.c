/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/walk_tsk.c - a file system as libtsk sees it: the state of its blocks, its files
 * and their runs; and pools of APFS. See walk.h.
 *
 * Runs are taken from the lists that libtsk keeps for each attribute: no block of a file is read.
 */
#include <string.h>

#include "io/filesystem/walk.h"

struct tsk_walk {
    struct fsmap_walk *walk;
    const TSK_FS_INFO *fs;
    enum io_area_kind kind; /* of a run of blocks in one state, while it grows */
    TSK_DADDR_T block, count;
};

/* Bytes of the file that were written: behind them, what was in its clusters before is still there.
 * Of a compressed file that cannot be told. */
static uint64_t tsk_written(const struct tsk_walk *tsk, const TSK_FS_ATTR *attr)
{
    const uint64_t size = attr->size <= 0 ? 0 : (uint64_t)attr->size;
    const uint64_t unit = tsk->fs->block_size;

    if (attr->flags & TSK_FS_ATTR_COMP)
        return size > UINT64_MAX - unit ? size : (size + unit - 1) / unit * unit;
    return TSK_FS_TYPE_ISNTFS(tsk->fs->ftype) && attr->nrd.initsize >= 0 &&
                   (uint64_t)attr->nrd.initsize < size
               ? (uint64_t)attr->nrd.initsize
               : size;
}

/* The pieces of a file in the order of its bytes; what lies behind its end is slack. */
static void tsk_runs(struct tsk_walk *tsk, const TSK_FS_ATTR *attr, bool deleted)
{
    const uint64_t unit = tsk->fs->block_size, written = tsk_written(tsk, attr);

    for (const TSK_FS_ATTR_RUN *run = attr->nrd.run; run != NULL; run = run->next) {
        if ((run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE)) ||
            run->addr > UINT64_MAX / unit || run->len > UINT64_MAX / unit ||
            run->offset > UINT64_MAX / unit)
            continue;
        const uint64_t at = run->addr * unit, len = run->len * unit, from = run->offset * unit;
        const uint64_t used = from >= written ? 0 : written - from < len ? written - from : len;

        if (deleted) {
            walk_run(tsk->walk, IO_AREA_DELETED, at, len, from);
            continue;
        }
        walk_run(tsk->walk, IO_AREA_FILE, at, used, from);
        if (used <= UINT64_MAX - at)
            walk_run(tsk->walk, IO_AREA_SLACK, at + used, len - used, from + used);
    }
}

/* The bytes of the attribute are those of a plain file and lie in its runs one by one. What libtsk
 * gives for a deleted file of FAT is a guess, and not what the file system says. */
static bool tsk_mapped(const struct tsk_walk *tsk, const TSK_FS_FILE *file, const TSK_FS_ATTR *attr,
                       bool deleted)
{
    const TSK_FS_ATTR_FLAG_ENUM other =
        (TSK_FS_ATTR_FLAG_ENUM)(TSK_FS_ATTR_COMP | TSK_FS_ATTR_ENC | TSK_FS_ATTR_SPARSE);
    const TSK_FS_TYPE_ENUM type = tsk->fs->ftype;

    if (file->meta->type != TSK_FS_META_TYPE_REG || (attr->flags & other) != 0 || attr->size <= 0 ||
        (deleted && (TSK_FS_TYPE_ISFAT(type) || type == TSK_FS_TYPE_EXFAT)))
        return false;
    return (attr->type == TSK_FS_ATTR_TYPE_DEFAULT || attr->type == TSK_FS_ATTR_TYPE_NTFS_DATA ||
            attr->type == TSK_FS_ATTR_TYPE_HFS_DATA) &&
           tsk_written(tsk, attr) >= (uint64_t)attr->size;
}

/* libtsk has 0 for what is not there. */
static int64_t tsk_time(time_t time)
{
    return time != 0 ? (int64_t)time : INT64_MIN;
}

static void tsk_name(struct tsk_walk *tsk, const TSK_FS_FILE *file, const char *path,
                     const TSK_FS_ATTR *attr, bool deleted)
{
    const TSK_FS_META *meta = file->meta;
    const uint32_t mapped = tsk_mapped(tsk, file, attr, deleted) ? FSMAP_FILE_MAPPED : 0;
    char text[FSMAP_PATH_MAX];
    const bool stream = attr->type == TSK_FS_ATTR_TYPE_NTFS_DATA && attr->name != NULL &&
                        attr->name[0] != '\0' && strcmp(attr->name, "$Data") != 0;
    const int len = snprintf(text, sizeof text, "/%s%s%s%s", path, file->name->name,
                             stream ? ":" : "", stream ? attr->name : "");

    walk_say(tsk->walk,
             (struct fsmap_record){ .word = FSMAP_FILE,
                                    .kind = (deleted ? FSMAP_FILE_DELETED : 0) | mapped,
                                    .offset = meta->addr,
                                    .len = attr->size > 0 ? (uint64_t)attr->size : 0,
                                    .file_offset = (uint64_t)tsk_time(meta->mtime) },
             text,
             len < 0                     ? 0
             : (size_t)len < sizeof text ? (size_t)len
                                         : sizeof text - 1);
    walk_say(tsk->walk,
             (struct fsmap_record){ .word = FSMAP_TIMES,
                                    .offset = (uint64_t)tsk_time(meta->atime),
                                    .len = (uint64_t)tsk_time(meta->ctime),
                                    .file_offset = (uint64_t)tsk_time(meta->crtime) },
             "", 0);
}

/*
 * The blocks that say where a file lies are no bytes of it. libtsk gives them as another attribute,
 * that of extents with lengths that are none: they reach over what belongs to others.
 */
static bool tsk_is_content(const TSK_FS_ATTR *attr)
{
    return (attr->flags & TSK_FS_ATTR_NONRES) != 0 && attr->type != TSK_FS_ATTR_TYPE_UNIX_INDIR &&
           attr->type != TSK_FS_ATTR_TYPE_UNIX_EXTENT;
}

static TSK_WALK_RET_ENUM tsk_file(TSK_FS_FILE *file, const char *path, void *arg)
{
    struct tsk_walk *tsk = arg;

    if (file->name == NULL || file->meta == NULL || file->name->name == NULL ||
        TSK_FS_ISDOT(file->name->name))
        return TSK_WALK_CONT;
    const bool deleted = (file->meta->flags & TSK_FS_META_FLAG_UNALLOC) != 0;
    if (!deleted && (file->name->flags & TSK_FS_NAME_FLAG_UNALLOC))
        return TSK_WALK_CONT; /* another file has its inode now */
    const int count = tsk->walk->lib.tsk_fs_file_attr_getsize(file);
    for (int i = 0; i < count; i++) {
        const TSK_FS_ATTR *attr = tsk->walk->lib.tsk_fs_file_attr_get_idx(file, i);

        if (attr == NULL || !tsk_is_content(attr))
            continue;
        tsk_name(tsk, file, path, attr, deleted);
        tsk_runs(tsk, attr, deleted);
    }
    tsk->walk->lib.tsk_error_reset();
    return ferror(tsk->walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

static enum io_area_kind tsk_block_kind(TSK_FS_BLOCK_FLAG_ENUM flags)
{
    if (flags & TSK_FS_BLOCK_FLAG_UNALLOC)
        return IO_AREA_UNALLOCATED;
    return flags & TSK_FS_BLOCK_FLAG_META ? IO_AREA_META : IO_AREA_ALLOCATED;
}

static void tsk_end_run(struct tsk_walk *tsk)
{
    const uint64_t unit = tsk->fs->block_size;

    if (tsk->count > 0 && tsk->block <= UINT64_MAX / unit && tsk->count <= UINT64_MAX / unit)
        walk_run(tsk->walk, tsk->kind, tsk->block * unit, tsk->count * unit, 0);
    tsk->count = 0;
}

static TSK_WALK_RET_ENUM tsk_block(const TSK_FS_BLOCK *block, void *arg)
{
    struct tsk_walk *tsk = arg;
    const enum io_area_kind kind = tsk_block_kind(block->flags);

    if (tsk->count > 0 && (tsk->kind != kind || tsk->block + tsk->count != block->addr))
        tsk_end_run(tsk);
    if (tsk->count == 0) {
        tsk->kind = kind;
        tsk->block = block->addr;
    }
    tsk->count++;
    return ferror(tsk->walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

/* False: libtsk could not tell of all blocks; what it said before does not count. */
static bool tsk_blocks(struct tsk_walk *tsk, TSK_FS_INFO *fs)
{
    const TSK_FS_BLOCK_WALK_FLAG_ENUM flags =
        (TSK_FS_BLOCK_WALK_FLAG_ENUM)(TSK_FS_BLOCK_WALK_FLAG_ALLOC |
                                      TSK_FS_BLOCK_WALK_FLAG_UNALLOC | TSK_FS_BLOCK_WALK_FLAG_CONT |
                                      TSK_FS_BLOCK_WALK_FLAG_META | TSK_FS_BLOCK_WALK_FLAG_AONLY);
    const bool right = tsk->walk->lib.tsk_fs_block_walk(fs, fs->first_block, fs->last_block_act,
                                                        flags, tsk_block, tsk) == 0;

    tsk_end_run(tsk);
    return right;
}

/* False: libtsk could not go through all folders. */
static bool tsk_files(struct tsk_walk *tsk, TSK_FS_INFO *fs)
{
    const TSK_FS_DIR_WALK_FLAG_ENUM flags =
        (TSK_FS_DIR_WALK_FLAG_ENUM)(TSK_FS_DIR_WALK_FLAG_ALLOC | TSK_FS_DIR_WALK_FLAG_UNALLOC |
                                    TSK_FS_DIR_WALK_FLAG_RECURSE | TSK_FS_DIR_WALK_FLAG_NOORPHAN);

    return tsk->walk->lib.tsk_fs_dir_walk(fs, fs->root_inum, flags, tsk_file, tsk) == 0;
}

static void tsk_file_system(struct fsmap_walk *walk, TSK_FS_INFO *fs)
{
    struct tsk_walk tsk = { .walk = walk, .fs = fs };
    const char *name = walk->lib.tsk_fs_type_toname(fs->ftype);
    char why[FSMAP_NOTE_MAX];

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = walk->slot.partition },
             name, strlen(name));
    bool whole = fs->block_size > 0 && tsk_blocks(&tsk, fs);
    if (!whole) {
        walk_trouble(walk, "the map of blocks of the file system", why);
        walk_give_up(walk, why);
    }
    walk->lib.tsk_error_reset();
    if (fs->block_size > 0 && (walk->wants & FSMAP_WANT_FILES) != 0 && !tsk_files(&tsk, fs)) {
        whole = false;
        walk_trouble(walk, "the folders of the file system", why);
        walk_give_up(walk, why);
    }
    if (whole)
        walk_say(walk, (struct fsmap_record){ .word = FSMAP_WHOLE }, "", 0);
}

/* The file system of the image, or NULL. Each kind is asked for by name: libtsk's own detection
 * also reads the first 16 MiB for YAFFS2, and where it finds nothing 7 MiB more, for their
 * entropy. Where two kinds open, none is believed, as there. */
static TSK_FS_INFO *tsk_open(struct fsmap_walk *walk, TSK_IMG_INFO *img)
{
    static const TSK_FS_TYPE_ENUM kinds[] = { TSK_FS_TYPE_NTFS_DETECT, TSK_FS_TYPE_FAT_DETECT,
                                              TSK_FS_TYPE_EXT_DETECT,  TSK_FS_TYPE_FFS_DETECT,
                                              TSK_FS_TYPE_HFS_DETECT,  TSK_FS_TYPE_ISO9660_DETECT };
    TSK_FS_INFO *found = NULL;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        TSK_FS_INFO *fs = walk->lib.tsk_fs_open_img(img, 0, kinds[i]);

        walk->lib.tsk_error_reset();
        if (fs == NULL)
            continue;
        if (found != NULL) {
            walk->lib.tsk_fs_close(fs);
            walk->lib.tsk_fs_close(found);
            return NULL;
        }
        found = fs;
    }
    return found;
}

void walk_tsk(struct fsmap_walk *walk, uint32_t sector_size, const struct content *content)
{
    struct walk_image *image = walk_image_open(walk, walk->on, sector_size);
    TSK_FS_INFO *fs = NULL;
    char why[FSMAP_NOTE_MAX];

    if (image != NULL)
        fs = tsk_open(walk, &image->img);
    if (fs != NULL) {
        tsk_file_system(walk, fs);
        walk->lib.tsk_fs_close(fs);
    } else {
        walk_trouble(walk,
                     content->name[0] != '\0'           ? content->name
                     : walk->slot.kind == IO_VOLUME_ALL ? "no partition table and no file system"
                                                        : "no file system that is known here",
                     why);
        walk_give_up(walk, why);
    }
    walk_image_close(image);
}

/* Runs that no volume of the pool has; all others are in use. */
static bool tsk_pool_runs(struct fsmap_walk *walk, const TSK_POOL_INFO *pool)
{
    TSK_FS_ATTR_RUN *free_runs = walk->lib.tsk_pool_unallocated_runs(pool);
    const uint64_t unit = pool->block_size, blocks = pool->num_blocks;
    uint64_t at = 0;

    if (unit == 0 || blocks > UINT64_MAX / unit || free_runs == NULL)
        return false;
    for (const TSK_FS_ATTR_RUN *run = free_runs; run != NULL; run = run->next) {
        if (run->addr < at || run->addr > blocks || run->len > blocks - run->addr)
            return false;
        walk_run(walk, IO_AREA_ALLOCATED, at * unit, (run->addr - at) * unit, 0);
        walk_run(walk, IO_AREA_UNALLOCATED, run->addr * unit, run->len * unit, 0);
        at = run->addr + run->len;
    }
    walk_run(walk, IO_AREA_ALLOCATED, at * unit, (blocks - at) * unit, 0);
    return true;
}

static void tsk_pool_volumes(struct fsmap_walk *walk, const struct walk_slot *slot,
                             const TSK_POOL_INFO *pool)
{
    uint32_t count = 0;

    for (const TSK_POOL_VOLUME_INFO *volume = pool->vol_list;
         volume != NULL && count < WALK_VOLUMES_MAX; volume = volume->next, count++) {
        const bool locked = (volume->flags & TSK_POOL_VOLUME_FLAG_ENCRYPTED) != 0;
        struct walk_slot one = *slot;
        struct content content = { .name = "apfs", .note = locked ? "encrypted" : "" };

        one.kind = IO_VOLUME_LOGICAL;
        one.table = "APFS";
        one.description = volume->desc != NULL ? volume->desc : "";
        one.len = 0; /* volumes of a pool share its blocks */
        walk_say_slot(walk, &one, &content);
    }
}

void walk_pool(struct fsmap_walk *walk, const struct walk_slot *slot, uint32_t sector_size)
{
    struct walk_image *image = walk_image_open(walk, walk->on, sector_size);
    const TSK_POOL_INFO *pool = NULL;
    char why[FSMAP_NOTE_MAX];

    if (image != NULL)
        pool = walk->lib.tsk_pool_open_img_sing(&image->img, 0, TSK_POOL_TYPE_APFS);
    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = walk->slot.partition },
             "apfs", 4);
    if (pool == NULL) {
        walk_trouble(walk, "the pool of APFS", why);
        walk_give_up(walk, why);
    } else if (walk->wants != 0 && !tsk_pool_runs(walk, pool)) {
        walk_trouble(walk, "the map of blocks of the pool", why);
        walk_give_up(walk, why);
    } else if ((walk->wants & FSMAP_WANT_FILES) != 0) {
        walk_give_up(walk, "no reader here for the files of APFS");
    } else {
        walk_say(walk, (struct fsmap_record){ .word = FSMAP_WHOLE }, "", 0);
    }
    if (pool != NULL)
        tsk_pool_volumes(walk, slot, pool);
    if (image != NULL)
        walk->lib.tsk_error_reset();
    /* Neither is closed: libtsk keeps the image for the pool, and the process ends soon. */
}
