/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_e01.c - EnCase images (E01) of EnCase 2 to 7, FTK Imager and linen, split or not.
 *
 * Every thread inflates chunks for itself: image_pieces.c, by the tables of e01_table.h. Images of
 * EnCase 1 and SMART keep their chunks in another place, and are read by libewf: image_ewf.c.
 *
 * The body of a section "volume" ("disk" in some, and "data" repeats it) is 1,052 bytes that end in
 * their Adler-32. Source: libewf, "Expert Witness Compression Format (EWF)", "Volume section".
 */
#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/image/e01_facts.h"
#include "io/image/e01_table.h"
#include "io/image/file.h"
#include "io/image/image_pieces.h"

enum {
    VOLUME_LEN = 1052,
    VOLUME_AT_COUNT = 4,    /* u32le, chunks */
    VOLUME_AT_CHUNK = 8,    /* u32le, sectors */
    VOLUME_AT_SECTOR = 12,  /* u32le, bytes */
    VOLUME_AT_SECTORS = 16, /* u64le, of the image */
    VOLUME_AT_SET = 64,     /* 16 bytes, the same in all files of an image */
    VOLUME_SET_LEN = 16,
    VOLUME_AT_SUM = VOLUME_LEN - 4,
    VOLUME_SECTOR_MAX = 65536, /* bytes */
};

struct e01 {
    struct io_pieces *pieces;
    struct e01_tables *tables; /* the image's, once it has them */
    struct io_ewf_unread unread;
    uint8_t volume[VOLUME_LEN]; /* the first that is sound */
    bool has_volume;
    uint32_t sector_size; /* bytes */
    uint32_t file;        /* part that is looked at */
};

/* The first section that is neither text nor the medium's form says how chunks are kept. */
bool io_container_is_e01(const struct io_probe *probe)
{
    static const char *const before[] = {
        "header", "header2", "xheader", "volume", "disk", "data"
    };
    uint64_t at = IO_EWF_HEADER_LEN;

    while (at + IO_EWF_SECTION_LEN <= probe->head_len) {
        char type[IO_EWF_TYPE_LEN + 1] = { 0 };
        const uint64_t next = bytes_u64le(probe->head + at + IO_EWF_TYPE_LEN);
        bool is_before = false;

        memcpy(type, probe->head + at, IO_EWF_TYPE_LEN);
        for (uint32_t i = 0; i < sizeof before / sizeof before[0]; i++)
            is_before = is_before || strcmp(type, before[i]) == 0;
        if (!is_before)
            return strcmp(type, "table") != 0;
        if (next <= at || next > INT64_MAX)
            break;
        at = next;
    }
    return true;
}

static enum err_code e01_damaged(const struct io_ewf_section *section, const char *what,
                                 uint64_t value, struct err *err)
{
    return ERR_RAISE(err, ERR_INPUT,
                     "%s: this E01 file is damaged: %s %" PRIu64 "; copy it again from its source",
                     section->path, what, value);
}

/* The form of the medium, of the first section that has it. */
static enum err_code e01_form(struct e01 *e01, const struct io_ewf_section *section,
                              struct err *err)
{
    const uint32_t chunk = bytes_u32le(e01->volume + VOLUME_AT_CHUNK),
                   sector = bytes_u32le(e01->volume + VOLUME_AT_SECTOR);
    const uint64_t sectors = bytes_u64le(e01->volume + VOLUME_AT_SECTORS);

    if (sector < LIMIT_SECTOR || sector > VOLUME_SECTOR_MAX)
        return e01_damaged(section, "bytes of a sector:", sector, err);
    if (chunk == 0 || chunk > E01_CHUNK_MAX / sector)
        return e01_damaged(section, "sectors of a chunk:", chunk, err);
    if (sectors == 0)
        return ERR_RAISE(err, ERR_INPUT, "%s: the image in it is empty", section->path);
    if ((sectors - 1) / chunk >= E01_CHUNKS_MAX)
        return e01_damaged(section, "sectors, more than any disk has:", sectors, err);
    e01->sector_size = sector;
    e01->tables->chunk_len = chunk * sector;
    e01->tables->size = sectors * sector;
    e01->has_volume = true;
    return ERR_OK;
}

/* One that is damaged is passed over: it comes by twice in an image. */
static enum err_code e01_volume(struct e01 *e01, const struct io_ewf_section *section,
                                struct err *err)
{
    uint8_t volume[VOLUME_LEN];

    if (section->end < section->at || section->end - section->at < sizeof volume ||
        io_file_pread(section->fd, section->at, volume, sizeof volume) != 0 ||
        libdeflate_adler32(1, volume, VOLUME_AT_SUM) != bytes_u32le(volume + VOLUME_AT_SUM))
        return ERR_OK;
    if (!e01->has_volume) {
        memcpy(e01->volume, volume, sizeof volume);
        return e01_form(e01, section, err);
    }
    if (memcmp(volume + VOLUME_AT_SET, e01->volume + VOLUME_AT_SET, VOLUME_SET_LEN) != 0 ||
        memcmp(volume + VOLUME_AT_CHUNK, e01->volume + VOLUME_AT_CHUNK,
               VOLUME_AT_SECTORS + 8 - VOLUME_AT_CHUNK) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this part is of another E01 image than the one before it; put the "
                         "parts of one image into a folder of its own",
                         section->path);
    return ERR_OK;
}

/* What the container says of the image goes with it. */
static bool e01_fact(void *arg, const char *name, const char *value)
{
    return io_facts_add(arg, name, value);
}

static enum err_code e01_section(void *arg, const struct io_ewf_section *section, struct err *err)
{
    struct e01 *e01 = arg;
    enum err_code rc = ERR_OK;

    if (!section->sound)
        return e01_damaged(section, "the checksum is wrong of the section whose body is at byte",
                           section->at, err);
    if (strcmp(section->type, "volume") == 0 || strcmp(section->type, "disk") == 0 ||
        strcmp(section->type, "data") == 0)
        rc = e01_volume(e01, section, err);
    else if (strcmp(section->type, "error2") == 0)
        rc = io_ewf_unread_add(&e01->unread, section->path, section->fd, section->at, section->end,
                               err);
    if (rc == ERR_OK && !io_e01_facts(section, e01_fact, &io_pieces_image(e01->pieces)->facts))
        rc = ERR_NO_MEMORY(err, IO_FACT_VALUE_MAX);
    return rc == ERR_OK ? io_e01_take(e01->tables, section, e01->file, err) : rc;
}

/* Adds a part of the image. *last: none follows. */
static enum err_code e01_part(struct e01 *e01, const char *path, bool *last, struct err *err)
{
    const uint32_t number = e01->file + 1;
    uint64_t size;
    enum err_code rc = io_pieces_add_file(e01->pieces, path, &size, err);

    if (rc == ERR_OK)
        rc = io_ewf_walk(path, io_pieces_fd(e01->pieces, e01->file), size, number, e01_section, e01,
                         last, err);
    e01->file = number;
    return rc;
}

/* All parts, in their order, by their names. */
static enum err_code e01_parts(struct e01 *e01, const char *path, struct err *err)
{
    char name[LIMIT_PATH];
    bool last = false;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && io_ewf_name(path, e01->file + 1, name) && access(name, F_OK) == 0) {
        if (last)
            return ERR_RAISE(err, ERR_INPUT,
                             "%s: the E01 image ends in the part before this one; put the parts of "
                             "one image into a folder of its own",
                             name);
        rc = e01_part(e01, name, &last, err);
    }
    /* The first part is missing, or the name is no E01's: as if the file were the first one. */
    if (rc == ERR_OK && e01->file == 0)
        rc = e01_part(e01, path, &last, err);
    if (rc == ERR_OK && !last)
        rc = io_ewf_missing(path, e01->file + 1, err);
    return rc;
}

/* What is said of the image besides its bytes. */
static enum err_code e01_tell(struct e01 *e01, struct err *err)
{
    struct io_image *image = io_pieces_image(e01->pieces);
    const struct e01_tables *tables = e01->tables;
    const uint64_t size = (tables->size - 1) / tables->chunk_len + 1,
                   said = bytes_u32le(e01->volume + VOLUME_AT_COUNT);
    /* ewfacquire counts, and writes, the end of a file that is no whole sector, as one more. */
    const uint64_t chunks = said > size ? said : size;

    if (tables->repaired > 0)
        snprintf(image->trouble, sizeof image->trouble,
                 "%" PRIu32 " tables of chunks of this E01 image are damaged (the last at byte "
                 "%" PRIu64 " of its file); their copies are sound and were used",
                 tables->repaired, tables->repaired_at);
    else if (tables->chunks > chunks)
        snprintf(image->trouble, sizeof image->trouble,
                 "this E01 image has %" PRIu64 " chunks more than its size says; they are not read",
                 tables->chunks - chunks);
    return io_ewf_unread_bytes(&e01->unread, e01->sector_size, tables->size, &image->unread, err);
}

static void e01_release(void *arg)
{
    io_e01_tables_release(arg);
    free(arg);
}

enum err_code io_image_e01_open(const struct io_container *container, const char *path,
                                struct io_image **out, struct err *err)
{
    static const struct io_piece_ops ops = { .find = io_e01_find,
                                             .second = io_e01_second,
                                             .release = e01_release };
    struct e01 e01 = { .tables = calloc(1, sizeof *e01.tables) };

    if (e01.tables == NULL)
        return ERR_NO_MEMORY(err, sizeof *e01.tables);
    enum err_code rc = io_pieces_begin(container, &e01.pieces, err);
    if (rc == ERR_OK)
        rc = e01_parts(&e01, path, err);
    if (rc == ERR_OK && !e01.has_volume)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this E01 image is damaged: nothing in it says how long it is; copy it "
                       "again from its source",
                       path);
    if (rc == ERR_OK)
        rc = e01_tell(&e01, err);
    if (rc == ERR_OK) {
        io_pieces_sector_size(e01.pieces, e01.sector_size);
        io_pieces_unit(e01.pieces, e01.tables->chunk_len);
        io_pieces_table(e01.pieces, &ops, e01.tables, e01.tables->size);
    } else {
        e01_release(e01.tables);
    }
    io_ewf_unread_release(&e01.unread);
    return io_pieces_finish(e01.pieces, rc, out, err);
}
