/*
 * io/filesystem/fsmap_walk.c - see fsmap_walk.h: partitions, file systems, files and their runs, as
 * libtsk sees them.
 *
 * Records go out while the walk goes on, so that this process needs no memory of its own. Runs are
 * taken from the lists that libtsk keeps for each attribute: no block of a file is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/fsmap_walk.h"
#include "io/image/container.h"
#include "io/system/lib_tsk.h"

enum { FSMAP_BUFFER = 1 << 16 };

struct fsmap_walk {
    TSK_IMG_INFO img; /* first: libtsk's callbacks get this */
    struct io_tsk lib;
    struct io_image *image;
    FILE *out;
    const TSK_FS_INFO *fs;
    struct fsmap_record run; /* of blocks in one state, while it grows */
    bool file_said;          /* the file has been named */
};

static void walk_say(struct fsmap_walk *walk, struct fsmap_record record, const char *text,
                     size_t len)
{
    record.text_len = len < FSMAP_PATH_MAX ? (uint32_t)len : FSMAP_PATH_MAX;
    fwrite(&record, sizeof record, 1, walk->out);
    fwrite(text, 1, record.text_len, walk->out);
}

static void walk_note(struct fsmap_walk *walk, const char *what, uint64_t offset)
{
    char note[FSMAP_NOTE_MAX];
    const char *why = walk->lib.tsk_error_get();
    const int len = snprintf(note, sizeof note, "%s at offset %" PRIu64 ": %.*s", what, offset,
                             why == NULL ? 0 : (int)strcspn(why, "\n"), why == NULL ? "" : why);

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE }, note,
             (size_t)len < sizeof note ? (size_t)len : sizeof note - 1);
}

static ssize_t walk_read(TSK_IMG_INFO *img, TSK_OFF_T offset, char *bytes, size_t len)
{
    struct fsmap_walk *walk = (struct fsmap_walk *)img;
    const uint64_t size = io_image_size(walk->image);
    struct err err = { 0 };

    if (offset < 0 || (uint64_t)offset >= size)
        return -1;
    if (len > size - (uint64_t)offset)
        len = (size_t)(size - (uint64_t)offset);
    return io_image_read_at(walk->image, (uint64_t)offset, (uint8_t *)bytes, len, &err) == ERR_OK
               ? (ssize_t)len
               : -1;
}

static void walk_close(TSK_IMG_INFO *img)
{
    (void)img;
}

static void walk_stat(TSK_IMG_INFO *img, FILE *out)
{
    (void)img;
    (void)out;
}

/* A run of the file system's blocks, cut off at the end of the image. */
static void walk_run(struct fsmap_walk *walk, enum io_area_kind kind, TSK_DADDR_T block,
                     TSK_DADDR_T count, uint64_t file_offset)
{
    const uint64_t size = io_image_size(walk->image), block_size = walk->fs->block_size;
    const uint64_t start = (uint64_t)walk->fs->offset,
                   blocks = block_size == 0 || start > size ? 0 : (size - start) / block_size;

    if (block >= blocks || count == 0)
        return;
    if (count > blocks - block)
        count = blocks - block;
    walk_say(walk,
             (struct fsmap_record){ .word = FSMAP_RUN,
                                    .kind = kind,
                                    .offset = (uint64_t)walk->fs->offset + block * block_size,
                                    .len = count * block_size,
                                    .file_offset = file_offset },
             "", 0);
}

/* The pieces of a file in the order of its bytes; of the last one, what lies behind the file's end
 * is slack. */
static void walk_runs(struct fsmap_walk *walk, const TSK_FS_ATTR *attr, bool deleted)
{
    const uint64_t block_size = walk->fs->block_size;
    const uint64_t blocks = attr->size <= 0 || block_size == 0
                                ? 0
                                : ((uint64_t)attr->size + block_size - 1) / block_size;
    const uint64_t tail =
        attr->size <= 0 || block_size == 0 ? 0 : (uint64_t)attr->size % block_size;

    for (const TSK_FS_ATTR_RUN *run = attr->nrd.run; run != NULL; run = run->next) {
        if (run->flags & (TSK_FS_ATTR_RUN_FLAG_FILLER | TSK_FS_ATTR_RUN_FLAG_SPARSE))
            continue;
        const uint64_t used = run->offset >= blocks             ? 0
                              : blocks - run->offset < run->len ? blocks - run->offset
                                                                : run->len;

        walk_run(walk, deleted ? IO_AREA_DELETED : IO_AREA_FILE, run->addr, used,
                 run->offset * block_size);
        if (!deleted && tail != 0 && used > 0 &&
            run->offset + used == blocks) /* the reader cuts the last block there */
            walk_say(walk,
                     (struct fsmap_record){ .word = FSMAP_RUN,
                                            .kind = IO_AREA_SLACK,
                                            .offset = (uint64_t)walk->fs->offset +
                                                      (run->addr + used - 1) * block_size + tail,
                                            .len = block_size - tail,
                                            .file_offset = (uint64_t)attr->size },
                     "", 0);
        if (used < run->len)
            walk_run(walk, deleted ? IO_AREA_DELETED : IO_AREA_SLACK, run->addr + used,
                     run->len - used, (run->offset + used) * block_size);
    }
}

static void walk_name(struct fsmap_walk *walk, const TSK_FS_FILE *file, const char *path,
                      const TSK_FS_ATTR *attr)
{
    char text[FSMAP_PATH_MAX];
    const bool stream = attr->type == TSK_FS_ATTR_TYPE_NTFS_DATA && attr->name != NULL &&
                        attr->name[0] != '\0' && strcmp(attr->name, "$Data") != 0;
    const int len = snprintf(text, sizeof text, "/%s%s%s%s", path, file->name->name,
                             stream ? ":" : "", stream ? attr->name : "");

    walk_say(walk, (struct fsmap_record){ .word = FSMAP_FILE, .offset = file->meta->addr }, text,
             len < 0                     ? 0
             : (size_t)len < sizeof text ? (size_t)len
                                         : sizeof text - 1);
}

static TSK_WALK_RET_ENUM walk_file(TSK_FS_FILE *file, const char *path, void *arg)
{
    struct fsmap_walk *walk = arg;

    if (file->name == NULL || file->meta == NULL || file->name->name == NULL ||
        TSK_FS_ISDOT(file->name->name))
        return TSK_WALK_CONT;
    const bool deleted = (file->meta->flags & TSK_FS_META_FLAG_UNALLOC) != 0;
    if (!deleted && (file->name->flags & TSK_FS_NAME_FLAG_UNALLOC))
        return TSK_WALK_CONT; /* another file has its inode now */
    const int count = walk->lib.tsk_fs_file_attr_getsize(file);
    for (int i = 0; i < count; i++) {
        const TSK_FS_ATTR *attr = walk->lib.tsk_fs_file_attr_get_idx(file, i);

        if (attr == NULL || !(attr->flags & TSK_FS_ATTR_NONRES))
            continue;
        walk_name(walk, file, path, attr);
        walk_runs(walk, attr, deleted);
    }
    walk->lib.tsk_error_reset();
    return ferror(walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

static enum io_area_kind walk_block_kind(TSK_FS_BLOCK_FLAG_ENUM flags)
{
    if (flags & TSK_FS_BLOCK_FLAG_UNALLOC)
        return IO_AREA_UNALLOCATED;
    return flags & TSK_FS_BLOCK_FLAG_META ? IO_AREA_META : IO_AREA_ALLOCATED;
}

static void walk_end_run(struct fsmap_walk *walk)
{
    walk_run(walk, (enum io_area_kind)walk->run.kind, walk->run.offset, walk->run.len, 0);
    walk->run.len = 0;
}

/* Here the run counts blocks. */
static TSK_WALK_RET_ENUM walk_block(const TSK_FS_BLOCK *block, void *arg)
{
    struct fsmap_walk *walk = arg;
    const enum io_area_kind kind = walk_block_kind(block->flags);

    if (walk->run.len > 0 &&
        (walk->run.kind != kind || walk->run.offset + walk->run.len != block->addr))
        walk_end_run(walk);
    if (walk->run.len == 0) {
        walk->run.kind = kind;
        walk->run.offset = block->addr;
    }
    walk->run.len++;
    return ferror(walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

/* False: there is no file system that libtsk knows. */
static bool walk_file_system(struct fsmap_walk *walk, TSK_OFF_T offset, uint32_t partition)
{
    TSK_FS_INFO *fs = walk->lib.tsk_fs_open_img(&walk->img, offset, TSK_FS_TYPE_DETECT);

    if (fs == NULL)
        return false;
    const char *name = walk->lib.tsk_fs_type_toname(fs->ftype);
    walk->fs = fs;
    walk_say(walk, (struct fsmap_record){ .word = FSMAP_VOLUME, .partition = partition }, name,
             strlen(name));
    if (fs->block_size > 0 &&
        walk->lib.tsk_fs_block_walk(fs, fs->first_block, fs->last_block_act,
                                    (TSK_FS_BLOCK_WALK_FLAG_ENUM)(TSK_FS_BLOCK_WALK_FLAG_ALLOC |
                                                                  TSK_FS_BLOCK_WALK_FLAG_UNALLOC |
                                                                  TSK_FS_BLOCK_WALK_FLAG_CONT |
                                                                  TSK_FS_BLOCK_WALK_FLAG_META |
                                                                  TSK_FS_BLOCK_WALK_FLAG_AONLY),
                                    walk_block, walk) != 0)
        walk_note(walk, "the map of blocks of the file system", (uint64_t)offset);
    walk_end_run(walk);
    walk->lib.tsk_error_reset();
    if (fs->block_size > 0 &&
        walk->lib.tsk_fs_dir_walk(fs, fs->root_inum,
                                  (TSK_FS_DIR_WALK_FLAG_ENUM)(TSK_FS_DIR_WALK_FLAG_ALLOC |
                                                              TSK_FS_DIR_WALK_FLAG_UNALLOC |
                                                              TSK_FS_DIR_WALK_FLAG_RECURSE |
                                                              TSK_FS_DIR_WALK_FLAG_NOORPHAN),
                                  walk_file, walk) != 0)
        walk_note(walk, "the folders of the file system", (uint64_t)offset);
    walk->lib.tsk_fs_close(fs);
    return true;
}

static TSK_WALK_RET_ENUM walk_partition(TSK_VS_INFO *vs, const TSK_VS_PART_INFO *part, void *arg)
{
    struct fsmap_walk *walk = arg;
    const uint64_t size = io_image_size(walk->image), block = vs->block_size;
    const uint64_t blocks = block == 0 ? 0 : size / block;
    const uint64_t len = part->start >= blocks              ? 0
                         : blocks - part->start < part->len ? blocks - part->start
                                                            : part->len;

    walk->lib.tsk_error_reset();
    if ((part->flags & TSK_VS_PART_FLAG_ALLOC) == 0)
        walk_say(walk,
                 (struct fsmap_record){ .word = FSMAP_RUN,
                                        .kind = IO_AREA_UNPARTITIONED,
                                        .offset = part->start * block,
                                        .len = len * block },
                 "", 0);
    else if (len > 0 &&
             !walk_file_system(walk, (TSK_OFF_T)(part->start * block), (uint32_t)part->addr))
        walk_note(walk, "the partition", part->start * block);
    return ferror(walk->out) ? TSK_WALK_STOP : TSK_WALK_CONT;
}

static void walk_image(struct fsmap_walk *walk)
{
    TSK_VS_INFO *vs = walk->lib.tsk_vs_open(&walk->img, 0, TSK_VS_TYPE_DETECT);

    if (vs == NULL) {
        walk->lib.tsk_error_reset();
        if (!walk_file_system(walk, 0, 0))
            walk_note(walk, "no partition table and no file system", 0);
        return;
    }
    walk->lib.tsk_vs_part_walk(vs, 0, vs->part_count - 1, TSK_VS_PART_FLAG_ALL, walk_partition,
                               walk);
    walk->lib.tsk_vs_close(vs);
}

enum err_code fsmap_load(struct err *err)
{
    return io_tsk_load(err);
}

void fsmap_walk(const char *path, const char *type, const char *why_not, int fd)
{
    struct fsmap_walk *walk = calloc(1, sizeof *walk);
    struct err err = { 0 };

    if (walk == NULL)
        return;
    walk->out = fdopen(fd, "w");
    if (walk->out == NULL) {
        free(walk);
        return;
    }
    setvbuf(walk->out, NULL, _IOFBF, FSMAP_BUFFER);
    if (why_not != NULL || io_tsk_open(&walk->lib, &err) != ERR_OK) {
        const char *why = why_not != NULL ? why_not : err.text;

        walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE }, why,
                 strnlen(why, FSMAP_NOTE_MAX - 1));
    } else if (io_image_open_here(path, type, &walk->image, &err) == ERR_OK) {
        const uint64_t size = io_image_size(walk->image);

        if (walk->lib.tsk_img_open_external(walk, (TSK_OFF_T)size,
                                            io_image_sector_size(walk->image), walk_read,
                                            walk_close, walk_stat) != NULL) {
            walk_image(walk);
            walk_say(walk, (struct fsmap_record){ .word = FSMAP_END }, "", 0);
        }
    }
    fclose(walk->out);
    io_image_close(walk->image);
    free(walk);
}
