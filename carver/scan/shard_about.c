/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/shard_about.c - see shard_about.h. */
#include "carver/scan/shard_about.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "carver/cli/about.h"
#include "carver/scan/scan_fingerprint.h"

enum {
    ABOUT_ALL_HITS = 1,
    ABOUT_HITS_ONLY = 2,
    ABOUT_NO_FILE_SYSTEMS = 4,
    ABOUT_NO_ASSEMBLE = 8,
    ABOUT_UNALLOCATED = 16,
    ABOUT_SLACK = 32,
    ABOUT_RANGE = 64,
    ABOUT_TYPES = 128,
    ABOUT_DICTIONARY = 256,
    ABOUT_IMAGE_TYPE = 512,
    ABOUT_SEARCH = 1024,
    ABOUT_FLAGS = 2047,
};

void shard_about_release(struct shard_about *about)
{
    arena_release(&about->arena);
    pack_release(&about->identity);
    *about = (struct shard_about){ 0 };
}

void shard_about_texts_release(struct shard_about_texts *texts)
{
    free(texts->image);
    free(texts->dictionary);
    free(texts->map);
    for (uint32_t i = 0; i < KNOWN_SETS_MAX; i++)
        free(texts->sets[i]);
    for (uint32_t i = 0; i < texts->list_count; i++)
        free(texts->lists[i]);
    free(texts->lists);
    free(texts->sources);
    *texts = (struct shard_about_texts){ 0 };
}

static uint64_t about_flags(const struct shard_about *about)
{
    const struct scan_options *o = &about->options;

    return (about->search.encodings != NULL ? ABOUT_SEARCH : 0) |
           (o->all_hits ? ABOUT_ALL_HITS : 0) | (o->hits_only ? ABOUT_HITS_ONLY : 0) |
           (o->no_file_systems ? ABOUT_NO_FILE_SYSTEMS : 0) |
           (o->no_assemble ? ABOUT_NO_ASSEMBLE : 0) |
           (o->pick.unallocated ? ABOUT_UNALLOCATED : 0) | (o->pick.slack ? ABOUT_SLACK : 0) |
           (o->how.has_range ? ABOUT_RANGE : 0) | (o->types != NULL ? ABOUT_TYPES : 0) |
           (o->dictionary != NULL ? ABOUT_DICTIONARY : 0) |
           (o->how.image_type != NULL ? ABOUT_IMAGE_TYPE : 0);
}

static void about_save_text(struct pack *out, const char *text)
{
    pack_text(out, text != NULL ? text : "");
}

static void about_save_options(const struct shard_about *about, struct pack *out)
{
    const struct scan_options *o = &about->options;

    pack_number(out, about_flags(about));
    about_save_text(out, o->types);
    about_save_text(out, o->how.image_type);
    pack_number(out, o->compat);
    pack_number(out, o->align);
    pack_number(out, o->how.range.offset);
    pack_number(out, o->how.range.len);
    pack_number(out, o->pick.partition_count);
    for (uint32_t i = 0; i < o->pick.partition_count; i++)
        pack_number(out, o->pick.partitions[i]);
    pack_number(out, o->known_step);
    pack_number(out, o->known_count);
}

static void about_save_identity(const struct shard_about *about, struct pack *out)
{
    pack_text(out, about->version);
    pack_text(out, about->build);
    pack_text(out, about->format);
    pack_text(out, about->sample);
    pack_number(out, about->size);
    pack_number(out, about->sector_size);
    about_save_options(about, out);
    for (uint32_t i = 0; i < about->options.known_count; i++)
        pack_text(out, about->known[i]);
    pack_text(out, about->signatures);
    pack_text(out, about->selection);
    pack_text(out, about->mapfile);
    pack_number(out, about->count);
}

static void about_save_search(const struct keyword_sources *search, struct pack *out)
{
    pack_text(out, search->encodings);
    pack_number(out, search->ignore_case);
    pack_number(out, search->packs);
    pack_number(out, search->count);
    for (uint32_t i = 0; i < search->count; i++) {
        pack_number(out, search->items[i].kind);
        pack_text(out, search->items[i].value);
    }
}

void shard_about_save(struct shard_about *about, struct pack *out)
{
    pack_clear(&about->identity);
    about_save_identity(about, &about->identity);
    out->failed = out->failed || about->identity.failed;
    pack_bytes(out, about->identity.bytes, about->identity.len);
    pack_number(out, about->number);
    pack_text(out, about->host);
    pack_text(out, about->user);
    pack_text(out, about->engine);
    pack_text(out, about->started);
    pack_text(out, about->command_line);
    pack_text(out, about->image);
    about_save_text(out, about->options.dictionary);
    about_save_text(out, about->options.how.mapfile);
    for (uint32_t i = 0; i < about->options.known_count; i++)
        pack_text(out, about->options.known[i]);
    if (about->search.encodings != NULL)
        about_save_search(&about->search, out);
}

/* A text of its own, without a NUL in it. */
static const char *about_text(struct unpack *in, struct arena *arena)
{
    const uint32_t len = unpack_count(in);
    const uint8_t *bytes = in->at;

    in->failed = in->failed || len > (size_t)(in->end - in->at) ||
                 (len > 0 && memchr(bytes, '\0', len) != NULL);
    if (in->failed)
        return "";
    const char *text = arena_copy(arena, bytes, len);
    in->at += len;
    in->failed = text == NULL;
    return text != NULL ? text : "";
}

static void about_restore_options(struct unpack *in, struct arena *arena, struct scan_options *o,
                                  bool *search)
{
    const uint64_t flags = unpack_number(in, ABOUT_FLAGS);
    const char *types = about_text(in, arena), *image_type = about_text(in, arena);

    *search = (flags & ABOUT_SEARCH) != 0;
    o->all_hits = (flags & ABOUT_ALL_HITS) != 0;
    o->hits_only = (flags & ABOUT_HITS_ONLY) != 0;
    o->no_file_systems = (flags & ABOUT_NO_FILE_SYSTEMS) != 0;
    o->no_assemble = (flags & ABOUT_NO_ASSEMBLE) != 0;
    o->pick.unallocated = (flags & ABOUT_UNALLOCATED) != 0;
    o->pick.slack = (flags & ABOUT_SLACK) != 0;
    o->how.has_range = (flags & ABOUT_RANGE) != 0;
    o->types = (flags & ABOUT_TYPES) != 0 ? types : NULL;
    o->dictionary = (flags & ABOUT_DICTIONARY) != 0 ? "" : NULL;
    o->how.image_type = (flags & ABOUT_IMAGE_TYPE) != 0 ? image_type : NULL;
    o->compat = (enum sig_compat)unpack_number(in, SIG_COMPAT_FOREMOST);
    o->align = (uint32_t)unpack_number(in, 1 << 30);
    o->how.range.offset = unpack_number(in, UINT64_MAX);
    o->how.range.len = unpack_number(in, UINT64_MAX - o->how.range.offset);
    o->pick.partition_count = (uint32_t)unpack_number(in, SCAN_PARTITIONS_MAX);
    for (uint32_t i = 0; i < o->pick.partition_count; i++)
        o->pick.partitions[i] = (uint32_t)unpack_number(in, UINT32_MAX);
    o->known_step = (uint32_t)unpack_number(in, KNOWN_BLOCK_MAX);
    o->known_count = (uint32_t)unpack_number(in, KNOWN_SETS_MAX);
    in->failed = in->failed || o->align == 0 || (o->types != NULL && o->dictionary != NULL) ||
                 (o->compat != SIG_COMPAT_NONE && o->dictionary == NULL) ||
                 (*search && !o->hits_only);
}

/* No list of words is read from standard input, or from a path that depends on who reads it. */
static void about_restore_search(struct unpack *in, struct arena *arena,
                                 struct keyword_sources *out)
{
    out->encodings = about_text(in, arena);
    out->ignore_case = unpack_flag(in);
    out->packs = (uint32_t)unpack_number(in, (1u << FEATURE_PACKS) - 1);
    out->count = (uint32_t)unpack_number(in, SHARD_WORDS_MAX);
    struct keyword_source *items = arena_alloc(arena, (out->count + 1u) * sizeof *items);

    out->items = items;
    in->failed = in->failed || items == NULL || (out->count == 0 && out->packs == 0);
    for (uint32_t i = 0; i < out->count && !in->failed; i++) {
        items[i].kind = (enum keyword_source_kind)unpack_number(in, KEYWORD_KINDS - 1);
        items[i].value = about_text(in, arena);
        in->failed =
            in->failed || (keyword_source_is_file(items[i].kind) && items[i].value[0] != '/');
    }
}

void shard_about_restore(struct unpack *in, struct shard_about *out)
{
    const uint8_t *begin = in->at;

    *out = (struct shard_about){ .options = { .how = scan_how_defaults() } };
    struct arena *arena = &out->arena;
    struct scan_options *o = &out->options;
    bool search = false;
    arena_init(arena, SHARD_TEXTS_MAX);
    out->version = about_text(in, arena);
    out->build = about_text(in, arena);
    out->format = about_text(in, arena);
    out->sample = about_text(in, arena);
    out->size = unpack_number(in, INT64_MAX);
    out->sector_size = (uint32_t)unpack_number(in, UINT32_MAX);
    about_restore_options(in, arena, o, &search);
    for (uint32_t i = 0; i < o->known_count; i++)
        out->known[i] = about_text(in, arena);
    out->signatures = about_text(in, arena);
    out->selection = about_text(in, arena);
    out->mapfile = about_text(in, arena);
    out->count = (uint32_t)unpack_number(in, SHARD_COUNT_MAX);
    if (!in->failed)
        pack_bytes(&out->identity, begin, (size_t)(in->at - begin));
    in->failed = in->failed || out->count == 0;
    out->number = (uint32_t)unpack_number(in, in->failed ? 0 : out->count - 1);
    out->host = about_text(in, arena);
    out->user = about_text(in, arena);
    out->engine = about_text(in, arena);
    out->started = about_text(in, arena);
    out->command_line = about_text(in, arena);
    out->image = about_text(in, arena);
    const char *dictionary = about_text(in, arena), *map = about_text(in, arena);
    o->dictionary = o->dictionary != NULL ? dictionary : NULL;
    o->how.mapfile = map[0] != '\0' ? map : NULL;
    for (uint32_t i = 0; i < o->known_count; i++)
        o->known[i] = about_text(in, arena);
    if (search && !in->failed)
        about_restore_search(in, arena, &out->search);
    in->failed = in->failed || out->image[0] == '\0' || out->identity.failed;
}

const char *shard_about_differs(const struct shard_about *a, const struct shard_about *b)
{
    if (a->identity.len == b->identity.len &&
        memcmp(a->identity.bytes, b->identity.bytes, a->identity.len) == 0)
        return NULL;
    if (strcmp(a->version, b->version) != 0 || strcmp(a->build, b->build) != 0)
        return "was made by another burin";
    if (a->size != b->size || strcmp(a->sample, b->sample) != 0 ||
        strcmp(a->format, b->format) != 0)
        return "is of another image";
    if (a->count != b->count)
        return "is of a scan in another number of parts";
    if (strcmp(a->signatures, b->signatures) != 0)
        return "was made with other signatures, rules or keywords";
    if (strcmp(a->selection, b->selection) != 0)
        return "looked at other bytes: the file systems say of others that they are in use";
    if (strcmp(a->mapfile, b->mapfile) != 0)
        return "was made with another --mapfile";
    return "was made with other options";
}

static enum err_code about_path(const char *path, char **out, struct err *err)
{
    if (path == NULL || path[0] == '\0')
        return ERR_OK;
    *out = io_image_absolute(path);
    return *out != NULL
               ? ERR_OK
               : ERR_RAISE(err, ERR_INPUT, "%s: cannot be found again: %s", path, strerror(errno));
}

/* What a search looks for, with absolute paths. */
static enum err_code about_search(const struct keyword_sources *from,
                                  struct shard_about_texts *texts, struct keyword_sources *out,
                                  struct err *err)
{
    size_t bytes = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; i < from->count; i++)
        bytes += strlen(from->items[i].value);
    if (from->count > SHARD_WORDS_MAX || bytes > SHARD_WORDS_BYTES)
        return ERR_RAISE(err, ERR_ARG,
                         "a shard has room for %d keywords of %d bytes in all: write them into a "
                         "file, and name it with --file",
                         SHARD_WORDS_MAX, SHARD_WORDS_BYTES);
    texts->sources = calloc(from->count + 1u, sizeof *texts->sources);
    texts->lists = calloc(from->count + 1u, sizeof *texts->lists);
    if (texts->sources == NULL || texts->lists == NULL)
        return ERR_NO_MEMORY(err, from->count * sizeof *texts->sources);
    texts->list_count = from->count;
    for (uint32_t i = 0; rc == ERR_OK && i < from->count; i++) {
        texts->sources[i] = from->items[i];
        if (!keyword_source_is_file(from->items[i].kind))
            continue;
        rc = about_path(from->items[i].value, &texts->lists[i], err);
        texts->sources[i].value = texts->lists[i];
    }
    *out = *from;
    out->items = texts->sources;
    return rc;
}

static enum err_code about_paths(const struct scan_options *o, const struct io_image *image,
                                 struct shard_about_texts *texts, struct shard_about *out,
                                 struct err *err)
{
    enum err_code rc = about_path(io_image_part_path(image, 0), &texts->image, err);

    if (rc == ERR_OK)
        rc = about_path(o->dictionary, &texts->dictionary, err);
    if (rc == ERR_OK)
        rc = about_path(o->how.mapfile, &texts->map, err);
    for (uint32_t i = 0; rc == ERR_OK && i < o->known_count; i++) {
        rc = about_path(o->known[i], &texts->sets[i], err);
        out->options.known[i] = texts->sets[i];
    }
    out->image = texts->image;
    out->options.dictionary = o->dictionary != NULL ? texts->dictionary : NULL;
    out->options.how.mapfile = texts->map;
    return rc;
}

enum err_code shard_about_make(const struct scan_job *job, const struct scan_options *options,
                               struct io_image *image, struct sample *sample,
                               const struct scan_pick *pick, const struct scan_map *map,
                               const struct known_scan *known, struct shard_about_texts *texts,
                               struct shard_about *out, struct err *err)
{
    *out = (struct shard_about){ .version = about_version(),
                                 .build = about_build(),
                                 .format = io_image_format(image),
                                 .sample = texts->sample,
                                 .size = io_image_size(image),
                                 .sector_size = io_image_sector_size(image),
                                 .signatures = texts->signatures,
                                 .selection = pick->some ? pick->sha256 : "",
                                 .mapfile = map->sha256,
                                 .count = options->part_count,
                                 .number = options->part_number,
                                 .host = texts->host,
                                 .user = texts->user,
                                 .engine = scan_how_engine_name(job->how),
                                 .started = texts->started,
                                 .command_line = job->command_line,
                                 .options = *options };
    arena_init(&out->arena, 0);
    about_host(texts->host);
    about_user(texts->user);
    about_now(texts->started);
    for (uint32_t i = 0; i < known->count; i++) {
        hex_bytes(known->sets[i].about.body_sha256, KNOWN_SHA256, texts->known[i]);
        out->known[i] = texts->known[i];
    }
    enum err_code rc =
        job->keywords != NULL
            ? scan_fingerprint_keywords(job->keywords, texts->signatures, err)
            : scan_fingerprint(job->plan.sigs, job->plan.sig_count, texts->signatures, err);
    if (rc == ERR_OK && job->sources != NULL)
        rc = about_search(job->sources, texts, &out->search, err);
    if (rc == ERR_OK)
        rc = about_paths(options, image, texts, out, err);
    if (rc == ERR_OK && sample != NULL)
        rc = sample_take(image, sample, err);
    return rc == ERR_OK && sample != NULL ? sample_digest(sample, texts->sample, err) : rc;
}
