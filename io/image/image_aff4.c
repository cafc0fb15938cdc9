/* SPDX-License-Identifier: Apache-2.0
 * io/image/image_aff4.c - AFF4 images of the standard 1.0, in one file or striped over several.
 *
 * A map says which bytes of which streams the image consists of (aff4_map.h), and every thread
 * unpacks the chunks of streams for itself: image_pieces.c, by the tables of aff4_stream.h. What
 * the map calls unknown or unreadable is a bad range from the start.
 *
 * All tables and the metadata are segments of a ZIP, and each has a CRC-32 there, which is checked:
 * a changed map or text ends it, a changed index costs its bevvy. Chunks have none. Deflate finds
 * out most changes, Snappy and LZ4 few.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "io/image/aff4_blocks.h"
#include "io/image/aff4_facts.h"
#include "io/image/aff4_map.h"

enum {
    AFF4_NEIGHBOURS_MAX = 256, /* files that are looked into for a missing stripe */
    AFF4_SECTOR_MAX = 65536,   /* bytes */
};

/* The table of the image. */
struct aff4_table {
    struct aff4_map map;
    struct aff4_stream *streams; /* [stream_count], owned */
    uint32_t stream_count;
};

struct aff4 {
    const struct io_container *container;
    struct io_pieces *pieces;
    struct aff4_table *table;                      /* the image's, once it has it */
    struct aff4_volume *volumes[AFF4_VOLUMES_MAX]; /* owned; the first is that of the path */
    uint32_t volume_count;
    const char *path;
    const char *image, *stream; /* IRIs */
};

/* ---- reading ---- */

static enum io_bad_source aff4_source(enum aff4_target_kind kind)
{
    return kind == AFF4_UNKNOWN ? IO_BAD_LEFT_OUT : IO_BAD_ACQUISITION;
}

static enum err_code aff4_find(const void *table, uint64_t offset, struct io_piece *piece,
                               struct err *err)
{
    const struct aff4_table *aff4 = table;
    uint64_t end;
    const struct aff4_entry *entry = &aff4->map.items[io_aff4_map_find(&aff4->map, offset, &end)];
    const struct aff4_target *target = &aff4->map.targets[entry->target];

    (void)err;
    if (target->kind != AFF4_STREAM) {
        *piece = (struct io_piece){ .offset = entry->offset,
                                    .len = end - entry->offset,
                                    .how = target->kind != AFF4_FILL ? IO_PIECE_UNREAD
                                           : target->fill == 0       ? IO_PIECE_ZERO
                                                                     : IO_PIECE_FILL,
                                    .source = aff4_source(target->kind),
                                    .fill = target->fill };
        return ERR_OK;
    }
    const uint64_t last = entry->at + (end - entry->offset);
    io_aff4_stream_find(&aff4->streams[target->stream], entry->at + (offset - entry->offset),
                        piece);
    const uint64_t from = piece->offset > entry->at ? piece->offset : entry->at,
                   to = piece->offset + piece->len < last ? piece->offset + piece->len : last,
                   into = from - piece->offset;
    if (piece->how == IO_PIECE_STORED)
        piece->at += into;
    else
        piece->skip = (uint32_t)into;
    piece->len = to - from;
    piece->offset = entry->offset + (from - entry->at);
    return ERR_OK;
}

static uint64_t aff4_together(const void *table, uint64_t offset)
{
    uint64_t end;

    (void)io_aff4_map_find(&((const struct aff4_table *)table)->map, offset, &end);
    return end - offset;
}

static void aff4_table_release(void *arg)
{
    struct aff4_table *table = arg;

    io_aff4_map_release(&table->map);
    for (uint32_t i = 0; i < table->stream_count; i++)
        io_aff4_stream_release(&table->streams[i]);
    free(table->streams);
    free(table);
}

/* ---- opening ---- */

static void aff4_volume_free(struct aff4_volume *volume)
{
    if (volume != NULL)
        io_aff4_volume_release(volume);
    free(volume);
}

/* Adds a file of the image. */
static enum err_code aff4_volume_add(struct aff4 *aff4, const char *path, struct err *err)
{
    struct aff4_volume *volume;
    uint64_t size;

    if (aff4->volume_count == AFF4_VOLUMES_MAX)
        return ERR_RAISE(err, ERR_INPUT, "%s: this AFF4 has more than %d files", aff4->path,
                         AFF4_VOLUMES_MAX);
    enum err_code rc = io_pieces_add_file(aff4->pieces, path, &size, err);
    if (rc != ERR_OK)
        return rc;
    volume = calloc(1, sizeof *volume);
    if (volume == NULL)
        return ERR_NO_MEMORY(err, sizeof *volume);
    const uint32_t file = aff4->volume_count++;
    aff4->volumes[file] = volume;
    path = io_image_part_path(io_pieces_image(aff4->pieces), file);
    return io_aff4_volume_open(aff4->pieces, file, path, size, volume, err);
}

/* Whether the file at path is the volume of this IRI; what is no AFF4 is not. */
static enum err_code aff4_is_volume(const struct aff4 *aff4, const char *path, const char *iri,
                                    bool *is, struct err *err)
{
    struct aff4_volume *volume = calloc(1, sizeof *volume);
    struct io_pieces *pieces = NULL;
    uint64_t size;

    *is = false;
    if (volume == NULL)
        return ERR_NO_MEMORY(err, sizeof *volume);
    enum err_code rc = io_pieces_begin(aff4->container, &pieces, err);
    if (rc == ERR_OK && io_pieces_add_file(pieces, path, &size, NULL) == ERR_OK)
        *is = io_aff4_volume_name(pieces, 0, path, size, volume, NULL) == ERR_OK &&
              strcmp(volume->iri, iri) == 0;
    if (pieces != NULL)
        io_image_close(io_pieces_image(pieces));
    aff4_volume_free(volume);
    return rc;
}

/* Adds the file of a volume that is not there yet: one of the folder, whatever its name. */
static enum err_code aff4_neighbour(struct aff4 *aff4, const char *iri, struct err *err)
{
    const char *slash = strrchr(aff4->path, '/');
    char folder[LIMIT_PATH], path[LIMIT_PATH + 256];
    uint32_t looked = 0;
    bool is = false;
    enum err_code rc = ERR_OK;

    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 2 : (int)(slash + 1 - aff4->path),
             slash == NULL ? "./" : aff4->path);
    DIR *entries = opendir(folder);
    for (const struct dirent *entry;
         rc == ERR_OK && !is && entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');

        if (dot == NULL || strcasecmp(dot, ".aff4") != 0 || looked++ >= AFF4_NEIGHBOURS_MAX)
            continue;
        snprintf(path, sizeof path, "%s%s", slash == NULL ? "" : folder, entry->d_name);
        if (!io_pieces_has(aff4->pieces, path))
            rc = aff4_is_volume(aff4, path, iri, &is, err);
    }
    if (entries != NULL)
        closedir(entries);
    if (rc == ERR_OK && !is)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: a part of this AFF4 is missing, the volume %s; put the files of one "
                       "image into a folder of their own, with names that end in .aff4",
                       aff4->path, iri);
    return rc == ERR_OK ? aff4_volume_add(aff4, path, err) : rc;
}

/* The volume that has a stream. */
static enum err_code aff4_home(struct aff4 *aff4, const char *iri, const struct aff4_volume **out,
                               struct err *err)
{
    const struct aff4_volume *first = aff4->volumes[0];
    const struct turtle_term *home = io_turtle_get(&first->turtle, iri, AFF4 "stored", 0);

    *out = first;
    if (home == NULL || strcmp(home->text, first->iri) == 0)
        return ERR_OK;
    for (uint32_t i = 1; i < aff4->volume_count; i++) {
        *out = aff4->volumes[i];
        if (strcmp(home->text, (*out)->iri) == 0)
            return ERR_OK;
    }
    const enum err_code rc = aff4_neighbour(aff4, home->text, err);
    *out = rc == ERR_OK ? aff4->volumes[aff4->volume_count - 1] : NULL;
    return rc;
}

static enum err_code aff4_open_stream(struct aff4 *aff4, struct aff4_target *target,
                                      struct err *err)
{
    struct aff4_table *table = aff4->table;
    const struct aff4_volume *volume;
    enum err_code rc = aff4_home(aff4, target->iri, &volume, err);

    if (rc != ERR_OK)
        return rc;
    if (!io_aff4_is(volume, target->iri, "ImageStream"))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: the map of this AFF4 leads to %s, which is no image stream; export "
                         "it as E01 or raw with the tool that made it",
                         aff4->path, target->iri);
    target->stream = table->stream_count++;
    return io_aff4_stream_open(volume, target->iri, &table->streams[target->stream], err);
}

/* Opens the streams that entries of the map are of. */
static enum err_code aff4_streams(struct aff4 *aff4, struct err *err)
{
    struct aff4_table *table = aff4->table;
    const struct aff4_map *map = &table->map;
    enum err_code rc = ERR_OK;

    table->streams = calloc(map->target_count + 1, sizeof *table->streams);
    if (table->streams == NULL)
        return ERR_NO_MEMORY(err, (map->target_count + 1) * sizeof *table->streams);
    bool *used = calloc(map->target_count + 1, sizeof *used);
    if (used == NULL)
        return ERR_NO_MEMORY(err, map->target_count + 1);
    for (uint32_t i = 0; i < map->count; i++)
        used[map->items[i].target] = true;
    for (uint32_t i = 0; rc == ERR_OK && i < map->target_count; i++)
        if (used[i] && map->targets[i].kind == AFF4_STREAM)
            rc = aff4_open_stream(aff4, &map->targets[i], err);
    free(used);
    return rc;
}

/* The first statement of this predicate and, unless that is NULL, object; `several`: others follow
 * that name something else. */
static const struct turtle_triple *aff4_only(const struct turtle *turtle, const char *predicate,
                                             const char *object, bool *several)
{
    const struct turtle_triple *found = NULL;

    *several = false;
    for (uint32_t i = 0; i < turtle->count; i++) {
        const struct turtle_triple *triple = &turtle->items[i];

        if (strcmp(triple->predicate, predicate) != 0 ||
            (object != NULL && strcmp(triple->object.text, object) != 0))
            continue;
        if (found == NULL)
            found = triple;
        else if (strcmp(found->subject, triple->subject) != 0 ||
                 strcmp(found->object.text, triple->object.text) != 0)
            *several = true;
    }
    return found;
}

/* What has the bytes of the image: what it names, or else the only map or stream that is there. */
static enum err_code aff4_choose(struct aff4 *aff4, struct err *err)
{
    static const char *const types[] = { AFF4 "Map", AFF4 "ImageStream" };
    const struct turtle *turtle = &aff4->volumes[0]->turtle;
    bool several;
    const struct turtle_triple *found = aff4_only(turtle, AFF4 "dataStream", NULL, &several);

    if (found != NULL) {
        aff4->image = found->subject;
        aff4->stream = found->object.text;
    }
    for (uint32_t i = 0; i < 2 && found == NULL; i++) {
        found = aff4_only(turtle, AFF4_RDF_TYPE, types[i], &several);
        if (found != NULL)
            aff4->stream = found->subject;
    }
    if (found == NULL)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: this AFF4 has no image of a disk: it holds single files (AFF4-L), or "
                         "is encrypted; export it as E01 or raw with the tool that made it",
                         aff4->path);
    if (several)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: has more than one image; export the one that you want as E01 or raw "
                         "with the tool that made it",
                         aff4->path);
    return ERR_OK;
}

static enum err_code aff4_map(struct aff4 *aff4, struct err *err)
{
    const struct aff4_volume *volume = aff4->volumes[0];
    struct aff4_map *map = &aff4->table->map;
    uint64_t size, said;
    enum err_code rc;

    if (io_aff4_is(volume, aff4->stream, "Map"))
        rc = io_aff4_map_open(volume, aff4->stream, map, err);
    else if (io_aff4_number(volume, aff4->stream, "size", &size))
        rc = io_aff4_map_whole(aff4->stream, size, map, err);
    else
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this AFF4 is damaged: it does not say how long the image in it is; "
                       "copy it again from its source",
                       aff4->path);
    if (rc == ERR_OK && aff4->image != NULL && io_aff4_number(volume, aff4->image, "size", &said) &&
        said != map->size)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: this AFF4 is damaged: the image in it has %" PRIu64
                       " bytes, and its map %" PRIu64 "; copy it again from its source",
                       aff4->path, said, map->size);
    if (rc == ERR_OK && map->size > (uint64_t)IO_PIECES_TIB_MAX << 40)
        rc = ERR_RAISE(err, ERR_INPUT,
                       "%s: the image in it has %" PRIu64 " bytes, and is larger than any disk",
                       aff4->path, map->size);
    return rc;
}

/* What nobody tried to read, and what could not be read. */
static enum err_code aff4_unread(const struct aff4_map *map, struct io_bad_list *out,
                                 struct err *err)
{
    for (uint32_t i = 0; i < map->count; i++) {
        const enum aff4_target_kind kind = map->targets[map->items[i].target].kind;
        const uint64_t end = i + 1 < map->count ? map->items[i + 1].offset : map->size;
        const struct io_bad_range range = { map->items[i].offset, end - map->items[i].offset, 0,
                                            aff4_source(kind),
                                            kind == AFF4_UNKNOWN ? IO_STATUS_UNTRIED
                                                                 : IO_STATUS_BAD };

        if (kind == AFF4_UNKNOWN || kind == AFF4_UNREADABLE)
            io_bad_list_add(out, &range);
    }
    return out->failed ? ERR_NO_MEMORY(err, out->room * sizeof *out->items) : ERR_OK;
}

/* What is said of the image besides its bytes. */
static enum err_code aff4_tell(struct aff4 *aff4, struct err *err)
{
    struct io_image *image = io_pieces_image(aff4->pieces);
    const struct aff4_table *table = aff4->table;
    uint32_t unit = AFF4_CHUNK_MAX, damaged = 0;
    uint64_t sector;
    enum err_code rc = aff4_unread(&table->map, &image->unread, err);

    for (uint32_t i = 0; i < table->stream_count; i++) {
        unit = table->streams[i].chunk < unit ? table->streams[i].chunk : unit;
        damaged += table->streams[i].damaged;
    }
    if (damaged > 0)
        snprintf(image->trouble, sizeof image->trouble,
                 "%" PRIu32 " segments of chunks of this AFF4 image are damaged or missing",
                 damaged);
    io_pieces_unit(aff4->pieces, unit);
    if (aff4->image != NULL &&
        io_aff4_number(aff4->volumes[0], aff4->image, "blockSize", &sector) &&
        sector >= LIMIT_SECTOR && sector <= AFF4_SECTOR_MAX && (sector & (sector - 1)) == 0)
        io_pieces_sector_size(aff4->pieces, (uint32_t)sector);
    const struct aff4_about about = { .volume = aff4->volumes[0],
                                      .image = aff4->image,
                                      .stream = aff4->stream,
                                      .whole = image->unread.count == 0 };
    return rc == ERR_OK ? io_aff4_facts(&about, &image->facts, err) : rc;
}

/* The image becomes one of its streams. */
static enum err_code aff4_keep_stream(struct aff4 *aff4, uint32_t number,
                                      struct io_aff4_alone *alone, struct err *err)
{
    struct aff4_table *table = aff4->table;
    const struct aff4_stream *stream = &table->streams[number];

    for (uint32_t i = 0; i < table->map.target_count; i++)
        if (table->map.targets[i].kind == AFF4_STREAM && table->map.targets[i].iri != NULL &&
            table->map.targets[i].stream == number)
            snprintf(alone->iri, sizeof alone->iri, "%s", table->map.targets[i].iri);
    alone->chunk = stream->chunk;
    alone->per_bevvy = stream->per_bevvy;
    io_aff4_map_release(&table->map);
    table->map = (struct aff4_map){ 0 };
    const enum err_code rc = io_aff4_map_whole(alone->iri, stream->size, &table->map, err);
    if (rc == ERR_OK)
        table->map.targets[0].stream = number;
    io_pieces_unit(aff4->pieces, stream->chunk);
    return rc;
}

/* alone: NULL, or the stream `number` is opened in the place of the image. */
static enum err_code aff4_open(const struct io_container *container, const char *path,
                               uint32_t number, struct io_aff4_alone *alone, struct io_image **out,
                               struct err *err)
{
    static const struct io_piece_ops ops = { .find = aff4_find,
                                             .together = aff4_together,
                                             .release = aff4_table_release };
    struct aff4 aff4 = { .container = container,
                         .table = calloc(1, sizeof *aff4.table),
                         .path = path };

    if (aff4.table == NULL)
        return ERR_NO_MEMORY(err, sizeof *aff4.table);
    enum err_code rc = io_pieces_begin(container, &aff4.pieces, err);
    if (rc == ERR_OK)
        rc = aff4_volume_add(&aff4, path, err);
    if (rc == ERR_OK)
        rc = aff4_choose(&aff4, err);
    if (rc == ERR_OK)
        rc = aff4_map(&aff4, err);
    if (rc == ERR_OK)
        rc = aff4_streams(&aff4, err);
    const bool none = rc == ERR_OK && alone != NULL && number >= aff4.table->stream_count;
    if (rc == ERR_OK && alone == NULL)
        rc = aff4_tell(&aff4, err);
    else if (rc == ERR_OK && !none)
        rc = aff4_keep_stream(&aff4, number, alone, err);
    if (rc == ERR_OK && !none)
        io_pieces_table(aff4.pieces, &ops, aff4.table, aff4.table->map.size);
    else
        aff4_table_release(aff4.table);
    for (uint32_t i = 0; i < aff4.volume_count; i++)
        if (rc == ERR_OK && alone != NULL && !none)
            alone->volumes[alone->volume_count++] = aff4.volumes[i];
        else
            aff4_volume_free(aff4.volumes[i]);
    if (none) {
        io_image_close(io_pieces_image(aff4.pieces));
        return ERR_OK;
    }
    return io_pieces_finish(aff4.pieces, rc, out, err);
}

enum err_code io_image_aff4_open(const struct io_container *container, const char *path,
                                 struct io_image **out, struct err *err)
{
    return aff4_open(container, path, 0, NULL, out, err);
}

enum err_code io_aff4_alone(const char *path, uint32_t number, struct io_aff4_alone *out,
                            struct err *err)
{
    uint32_t count = 0;
    const struct io_container *container = io_container_table(&count);

    *out = (struct io_aff4_alone){ 0 };
    while (container->open != io_image_aff4_open)
        container++;
    return aff4_open(container, path, number, out, &out->image, err);
}

void io_aff4_alone_release(struct io_aff4_alone *alone)
{
    for (uint32_t i = 0; i < alone->volume_count; i++)
        aff4_volume_free(alone->volumes[i]);
    io_image_close(alone->image);
}
