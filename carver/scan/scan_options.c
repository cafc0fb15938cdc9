/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_options.c - see scan_options.h. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/scan/image_hash.h"
#include "carver/scan/scan_options.h"

enum {
    OPT_FORCE = SCAN_OPT_OWN,
    OPT_RESUME,
    OPT_IMAGE,
    OPT_TYPES,
    OPT_DICTIONARY,
    OPT_COMPAT,
    OPT_ALIGN,
    OPT_ALL_HITS,
    OPT_HITS_ONLY,
    OPT_KNOWN,
    OPT_KNOWN_STEP,
    OPT_PARTITION,
    OPT_UNALLOCATED,
    OPT_SLACK,
    OPT_NO_FILE_SYSTEMS,
    OPT_NO_ASSEMBLE,
    OPT_HASH,
    OPT_PART,
    OPT_PARTS,
    OPT_KEEP_PARTS,
    OPT_SINCE,
    OPT_CHANGED,
};

static const struct args_option scan_options_table[] = {
    SCAN_COMMON_OPTIONS,
    { "force", OPT_FORCE, NULL },
    { "resume", OPT_RESUME, NULL },
    { "image", OPT_IMAGE, "PATH" },
    { "types", OPT_TYPES, "LIST" },
    { "dictionary", OPT_DICTIONARY, "FILE" },
    { "compat", OPT_COMPAT, "TOOL" },
    { "align", OPT_ALIGN, "BYTES" },
    { "all-hits", OPT_ALL_HITS, NULL },
    { "hits-only", OPT_HITS_ONLY, NULL },
    { "known", OPT_KNOWN, "SET" },
    { "known-step", OPT_KNOWN_STEP, "BYTES" },
    { "partition", OPT_PARTITION, "N" },
    { "unallocated", OPT_UNALLOCATED, NULL },
    { "slack", OPT_SLACK, NULL },
    { "no-file-systems", OPT_NO_FILE_SYSTEMS, NULL },
    { "no-assemble", OPT_NO_ASSEMBLE, NULL },
    { "hash", OPT_HASH, "KINDS" },
    { "part", OPT_PART, "K/N" },
    { "parts", OPT_PARTS, "DIR" },
    { "keep-parts", OPT_KEEP_PARTS, "DIR" },
    { "since", OPT_SINCE, "DIR" },
    { "changed", OPT_CHANGED, "MAPFILE" },
    { NULL, 0, NULL },
};

static enum err_code scan_options_number(const char *option, const char *text, uint64_t min,
                                         uint64_t max, uint32_t *out, struct err *err)
{
    uint64_t value = 0;
    const enum err_code rc = args_size(option, text, min, max, &value, err);

    *out = (uint32_t)value;
    return rc;
}

static enum err_code scan_options_compat(const char *text, enum sig_compat *out, struct err *err)
{
    if (strcmp(text, "scalpel") == 0)
        *out = SIG_COMPAT_SCALPEL;
    else if (strcmp(text, "foremost") == 0)
        *out = SIG_COMPAT_FOREMOST;
    else
        return ERR_RAISE(err, ERR_ARG, "--compat %s: write scalpel or foremost", text);
    return ERR_OK;
}

static enum err_code scan_options_partition(struct scan_pick_options *pick, const char *text,
                                            struct err *err)
{
    uint64_t number = 0;
    const enum err_code rc = args_count("--partition", text, 0, UINT32_MAX, &number, err);

    if (rc == ERR_OK && pick->partition_count == SCAN_PARTITIONS_MAX)
        return ERR_RAISE(err, ERR_ARG, "--partition: at most %d are allowed", SCAN_PARTITIONS_MAX);
    if (rc == ERR_OK)
        pick->partitions[pick->partition_count++] = (uint32_t)number;
    return rc;
}

enum err_code scan_options_check_part(const struct scan_options *o, struct err *err)
{
    if ((o->part_count > 0) != (o->parts != NULL))
        return ERR_RAISE(err, ERR_ARG,
                         "--part and --parts belong together: --part K/N --parts DIR");
    if (o->part_count == 0)
        return ERR_OK;
    if (o->hash_kinds != 0)
        return ERR_RAISE(err, ERR_ARG,
                         "--part and --hash exclude each other: a hash needs all bytes of the "
                         "image, one after the other");
    if (o->resume || o->force || o->how.case_path[0] != '\0' || o->how.sign != NULL)
        return ERR_RAISE(err, ERR_ARG,
                         "--part goes with none of --resume, --force, --case and --sign: it leaves "
                         "a shard, and the same command again does what is left to do");
    if (o->how.image_count != 1)
        return ERR_RAISE(err, ERR_ARG, "--part is of one image; %d are named", o->how.image_count);
    if (o->dictionary != NULL && strcmp(o->dictionary, "-") == 0)
        return ERR_RAISE(err, ERR_ARG,
                         "--part and --dictionary -: burin merge reads it again; name a file");
    return ERR_OK;
}

/* What a scan cannot have that keeps its parts, or takes over those of another one. */
static enum err_code scan_options_kept(const struct scan_options *o, struct err *err)
{
    const char *name = o->since != NULL ? "--since" : "--keep-parts";

    if ((o->since != NULL) != (o->changed != NULL))
        return ERR_RAISE(err, ERR_ARG,
                         "--since and --changed belong together: --since DIR --changed MAPFILE");
    if (o->since == NULL && o->keep_parts == NULL)
        return ERR_OK;
    if (o->how.image_count != 1)
        return ERR_RAISE(err, ERR_ARG, "%s is of one image; %d are named", name,
                         o->how.image_count);
    if (o->resume || o->parts != NULL || o->pick.unallocated || o->pick.slack ||
        o->pick.partition_count > 0)
        return ERR_RAISE(err, ERR_ARG,
                         "%s goes with none of --resume, --part, --unallocated, --slack and "
                         "--partition",
                         name);
    if (o->since != NULL && o->hash_kinds != 0)
        return ERR_RAISE(err, ERR_ARG,
                         "--since and --hash exclude each other: a hash needs all bytes of the "
                         "image");
    return ERR_OK;
}

static enum err_code scan_options_take(struct scan_options *o, int id, const char *value,
                                       struct err *err)
{
    switch (id) {
    case OPT_FORCE:
        o->force = true;
        return ERR_OK;
    case OPT_RESUME:
        o->resume = true;
        return ERR_OK;
    case OPT_IMAGE:
        if (o->moved_count == SCAN_MOVED_MAX)
            return ERR_RAISE(err, ERR_ARG, "--image: at most %d images are allowed",
                             SCAN_MOVED_MAX);
        o->moved[o->moved_count++] = (char *)(uintptr_t)value;
        return args_file("--image", value, err);
    case OPT_TYPES:
        o->types = value;
        return ERR_OK;
    case OPT_DICTIONARY:
        o->dictionary = value;
        return value[0] != '\0' ? ERR_OK : args_file("--dictionary", value, err);
    case OPT_COMPAT:
        return scan_options_compat(value, &o->compat, err);
    case OPT_ALIGN:
        return scan_options_number("--align", value, 1, 1 << 30, &o->align, err);
    case OPT_KNOWN:
        if (o->known_count == KNOWN_SETS_MAX)
            return ERR_RAISE(err, ERR_ARG,
                             "--known: at most %d sets are allowed; burin known add joins sets",
                             KNOWN_SETS_MAX);
        o->known[o->known_count++] = value;
        return args_file("--known", value, err);
    case OPT_KNOWN_STEP:
        return scan_options_number("--known-step", value, KNOWN_BLOCK_MIN, KNOWN_BLOCK_MAX,
                                   &o->known_step, err);
    case OPT_PARTITION:
        return scan_options_partition(&o->pick, value, err);
    case OPT_UNALLOCATED:
        o->pick.unallocated = true;
        return ERR_OK;
    case OPT_SLACK:
        o->pick.slack = true;
        return ERR_OK;
    case OPT_NO_FILE_SYSTEMS:
        o->no_file_systems = true;
        return ERR_OK;
    case OPT_NO_ASSEMBLE:
        o->no_assemble = true;
        return ERR_OK;
    case OPT_HASH:
        return image_hash_kinds("--hash", value, &o->hash_kinds, err);
    case OPT_PART:
        return args_part("--part", value, SCAN_PARTS_MAX, &o->part_number, &o->part_count, err);
    case OPT_PARTS:
        o->parts = value;
        return args_file("--parts", value, err);
    case OPT_KEEP_PARTS:
        o->keep_parts = value;
        return args_file("--keep-parts", value, err);
    case OPT_SINCE:
        o->since = value;
        return args_file("--since", value, err);
    case OPT_CHANGED:
        o->changed = value;
        return args_file("--changed", value, err);
    case OPT_HITS_ONLY:
        o->hits_only = true;
        return ERR_OK;
    case OPT_ALL_HITS:
        o->all_hits = true;
        return ERR_OK;
    default:
        return scan_how_take(&o->how, id, value, err);
    }
}

static enum err_code scan_options_images(struct args *args, struct scan_options *o, struct err *err)
{
    const int most = o->moved_count > 0 ? 0 : LIMIT_IMAGE_PARTS;
    enum err_code rc = ERR_OK;

    if (o->moved_count > 0 && !o->resume)
        return ERR_RAISE(err, ERR_ARG,
                         "--image needs --resume; an image to be scanned is named without it");
    if (o->resume && o->force)
        return ERR_RAISE(err, ERR_ARG,
                         "--resume and --force exclude each other: --force begins anew");
    rc = args_operands(args, most > 0, most, most > 0 ? "IMAGE..." : "no IMAGE beside --image",
                       &o->how.images, &o->how.image_count, err);
    if (rc == ERR_OK && o->moved_count > 0) {
        o->how.images = o->moved;
        o->how.image_count = (int)o->moved_count;
    }
    return rc;
}

enum err_code scan_options_read(int argc, char **argv, struct scan_options *out, struct err *err)
{
    struct args args;
    const char *value = NULL;
    int id = ARGS_END;
    enum err_code rc;

    *out = (struct scan_options){ .how = scan_how_defaults(), .align = 1 };
    args_begin(&args, "scan", scan_options_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END) {
        rc = scan_options_take(out, id, value, err);
        if (rc != ERR_OK)
            return rc;
    }
    if (rc == ERR_OK)
        rc = scan_options_images(&args, out, err);
    if (rc == ERR_OK && out->compat != SIG_COMPAT_NONE && out->dictionary == NULL)
        rc = ERR_RAISE(
            err, ERR_ARG,
            "--compat needs --dictionary FILE: a compatible scan uses only the rules of that file");
    if (rc == ERR_OK && out->types != NULL && out->dictionary != NULL)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--types and --dictionary exclude each other: with --dictionary the rules "
                       "of the file say what to look for");
    if (rc == ERR_OK && out->known_step != 0 && out->known_count == 0)
        rc = ERR_RAISE(err, ERR_ARG,
                       "--known-step %" PRIu32
                       ": it needs a set of blocks, and no --known names one",
                       out->known_step);
    if (rc == ERR_OK && out->hash_kinds != 0 &&
        (out->how.has_range || out->pick.unallocated || out->pick.slack ||
         out->pick.partition_count > 0))
        rc = ERR_RAISE(err, ERR_ARG,
                       "--hash and %s exclude each other: a hash is one of the whole image",
                       out->how.has_range      ? "--range"
                       : out->pick.unallocated ? "--unallocated"
                       : out->pick.slack       ? "--slack"
                                               : "--partition");
    if (rc == ERR_OK)
        rc = scan_options_check_part(out, err);
    if (rc == ERR_OK)
        rc = scan_options_kept(out, err);
    return rc == ERR_OK ? scan_how_complete(&out->how, err) : rc;
}
