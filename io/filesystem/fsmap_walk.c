/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/fsmap_walk.c - see fsmap_walk.h: what the process that reads file systems begins
 * with, and how it tells of what it reads.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "io/filesystem/walk.h"
#include "io/image/container.h"

enum { FSMAP_BUFFER = 1 << 16 };

void walk_say(struct fsmap_walk *walk, struct fsmap_record record, const char *text, size_t len)
{
    record.text_len = len < FSMAP_PATH_MAX ? (uint32_t)len : FSMAP_PATH_MAX;
    fwrite(&record, sizeof record, 1, walk->out);
    fwrite(text, 1, record.text_len, walk->out);
}

void walk_say_slot(struct fsmap_walk *walk, const struct walk_slot *slot,
                   const struct content *content)
{
    const char *const texts[FSMAP_SLOT_TEXTS] = { [FSMAP_SLOT_TABLE] = slot->table,
                                                  [FSMAP_SLOT_DESCRIPTION] = slot->description,
                                                  [FSMAP_SLOT_CONTENT] = content->name,
                                                  [FSMAP_SLOT_LABEL] = content->label,
                                                  [FSMAP_SLOT_WHY] = content->note };
    char all[FSMAP_SLOT_TEXTS * CONTENT_LABEL_MAX];
    size_t len = 0;

    walk->slot = (struct fsmap_record){ .word = FSMAP_SLOT,
                                        .kind = slot->kind,
                                        .partition = slot->number,
                                        .offset = slot->offset,
                                        .len = slot->len,
                                        .file_offset = content->size,
                                        .unit = content->block_size,
                                        .sector = slot->sector_size };
    for (uint32_t i = 0; i < FSMAP_SLOT_TEXTS; i++) {
        const size_t part = strnlen(texts[i], CONTENT_LABEL_MAX - 1);

        memcpy(all + len, texts[i], part);
        all[len + part] = '\0';
        len += part + 1;
    }
    walk_say(walk, walk->slot, all, len);
}

void walk_run(struct fsmap_walk *walk, enum io_area_kind kind, uint64_t at, uint64_t len,
              uint64_t file_offset)
{
    uint64_t offset = 0, have = 0;

    while (len > 0 && volume_find(walk->on, at, &offset, &have)) {
        const uint64_t step = have < len ? have : len;

        walk_say(walk,
                 (struct fsmap_record){ .word = FSMAP_RUN,
                                        .kind = kind,
                                        .offset = offset,
                                        .len = step,
                                        .file_offset = file_offset },
                 "", 0);
        at += step;
        len -= step;
        file_offset += step;
    }
}

void walk_give_up(struct fsmap_walk *walk, const char *why)
{
    walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE }, why,
             strnlen(why, FSMAP_NOTE_MAX - 1));
    for (uint32_t i = 0; i < walk->on->count; i++)
        walk_run(walk, IO_AREA_NONE, walk->on->stretches[i].at, walk->on->stretches[i].len, 0);
}

void walk_trouble(struct fsmap_walk *walk, const char *what, char *out)
{
    const char *why = walk->has_lib ? walk->lib.tsk_error_get() : NULL;

    snprintf(out, FSMAP_NOTE_MAX, "%s at offset %" PRIu64 "%s%.*s", what, walk->slot.offset,
             why == NULL ? "" : ": ", why == NULL ? 0 : (int)strcspn(why, "\n"),
             why == NULL ? "" : why);
    if (walk->has_lib)
        walk->lib.tsk_error_reset();
}

static ssize_t walk_image_read(TSK_IMG_INFO *img, TSK_OFF_T offset, char *bytes, size_t len)
{
    const struct volume *volume = ((struct walk_image *)img)->volume;

    if (offset < 0 || (uint64_t)offset >= volume->size)
        return -1;
    if (len > volume->size - (uint64_t)offset)
        len = (size_t)(volume->size - (uint64_t)offset);
    return len <= UINT32_MAX && volume_read(volume, (uint64_t)offset, bytes, (uint32_t)len)
               ? (ssize_t)len
               : -1;
}

static void walk_image_closed(TSK_IMG_INFO *img)
{
    (void)img;
}

static void walk_image_stat(TSK_IMG_INFO *img, FILE *out)
{
    (void)img;
    (void)out;
}

/* libtsk has 2 MB for a cache in it, of which it uses little as a rule: calloc would write zeros to
 * all of it, which took longer than all else that is done for an image without file systems. */
struct walk_image *walk_image_open(struct fsmap_walk *walk, const struct volume *volume,
                                   uint32_t sector_size)
{
    if (!walk->has_lib)
        return NULL;
    struct walk_image *image =
        mmap(NULL, sizeof *image, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (image == MAP_FAILED)
        return NULL;
    image->walk = walk;
    image->volume = volume;
    if (walk->lib.tsk_img_open_external(image, (TSK_OFF_T)volume->size, sector_size,
                                        walk_image_read, walk_image_closed,
                                        walk_image_stat) == NULL) {
        munmap(image, sizeof *image);
        return NULL;
    }
    return image;
}

void walk_image_close(struct walk_image *image)
{
    if (image == NULL)
        return;
    image->walk->lib.tsk_img_close(&image->img);
    munmap(image, sizeof *image);
}

enum err_code fsmap_load(struct err *err)
{
    return io_tsk_load(err);
}

/* All of the image. */
static void walk_image(struct fsmap_walk *walk, const char *path, const char *type)
{
    struct err err = { 0 };

    if (io_image_open_here(path, type, &walk->image, &err) != ERR_OK) {
        walk_say(walk, (struct fsmap_record){ .word = FSMAP_NOTE }, err.text,
                 strnlen(err.text, FSMAP_NOTE_MAX - 1));
        return;
    }
    io_image_max_read(walk->image, walk->max_read, NULL);
    walk->bases = calloc(WALK_VOLUMES_MAX, sizeof *walk->bases);
    if (walk->bases == NULL)
        return;
    walk_tables(walk);
    walk_stack(walk);
    walk_say(walk, (struct fsmap_record){ .word = FSMAP_END }, "", 0);
}

void fsmap_walk(const char *path, const char *type, const char *why_not, bool is_blank,
                uint32_t wants, uint64_t max_read, int fd)
{
    struct fsmap_walk walk = { .wants = wants, .max_read = max_read };
    struct err err = { 0 };

    /* libtsk makes times of FAT, which have no zone, times of the zone that this process is in. */
    setenv("TZ", "UTC0", 1);
    tzset();
    walk.out = fdopen(fd, "w");
    if (walk.out == NULL)
        return;
    setvbuf(walk.out, NULL, _IOFBF, FSMAP_BUFFER);
    if (why_not == NULL && !is_blank && io_tsk_open(&walk.lib, &err) != ERR_OK)
        why_not = err.text;
    walk.has_lib = !is_blank;
    if (why_not != NULL)
        walk_say(&walk, (struct fsmap_record){ .word = FSMAP_NOTE }, why_not,
                 strnlen(why_not, FSMAP_NOTE_MAX - 1));
    else
        walk_image(&walk, path, type);
    fclose(walk.out);
    io_image_close(walk.image);
    free(walk.bases);
}
