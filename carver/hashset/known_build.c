/* SPDX-License-Identifier: Apache-2.0
 * carver/hashset/known_build.c - `burin known build` and `burin known add`. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "carver/cli/interrupt.h"
#include "carver/cli/json_write.h"
#include "carver/cli/print_safe.h"
#include "carver/hashset/known_files.h"
#include "carver/hashset/known_options.h"
#include "carver/hashset/known_write.h"

struct build {
    const struct known_options *options;
    struct known_write_options write_options;
    struct known_write *write;
    struct known_set old;    /* when adding */
    struct known_list first; /* when it was opened for a look at its hash */
    bool adding, looked;
    struct known_files_totals files;
    uint64_t added; /* entries of lists and files */
};

static enum err_code build_add(void *arg, const struct known_entry *entry, struct err *err)
{
    struct build *build = arg;

    build->added++;
    return known_write_add(build->write, entry, err);
}

/* What the set has when its hash was not asked for. */
static enum err_code build_guess_hash(struct build *build, struct err *err)
{
    build->write_options.hash = DIGEST_SHA256;
    if (build->options->files)
        return ERR_OK;
    const enum err_code rc =
        known_list_open(build->options->operands[0], build->options->format, &build->first, err);
    build->looked = rc == ERR_OK;
    if (rc == ERR_OK)
        build->write_options.hash = build->first.hash;
    return rc;
}

/* All that is in the set already. */
static enum err_code build_take_old(struct build *build, struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint64_t i = 0; rc == ERR_OK && i < build->old.about.count; i++) {
        struct known_entry entry;

        if (i % 65536 == 0 && interrupt_requested())
            return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted");
        known_set_entry(&build->old, i, &entry);
        rc = known_write_add(build->write, &entry, err);
    }
    return rc;
}

static enum err_code build_take_lists(struct build *build, struct err *err)
{
    const struct known_options *o = build->options;
    enum err_code rc = ERR_OK;

    for (int i = 0; rc == ERR_OK && i < o->operand_count; i++) {
        struct known_list list = build->first;

        if (i > 0 || !build->looked)
            rc = known_list_open(o->operands[i], o->format, &list, err);
        build->first = (struct known_list){ 0 };
        if (rc == ERR_OK)
            rc = known_list_read(&list, build->write_options.hash, build_add, build, err);
        known_list_close(&list);
    }
    return rc;
}

static enum err_code build_take(struct build *build, struct err *err)
{
    const struct known_options *o = build->options;
    const struct known_files_options files = { .hash = build->write_options.hash,
                                               .block_len = build->write_options.block_len,
                                               .threads = o->threads,
                                               .trouble = known_trouble };
    enum err_code rc = build->adding ? build_take_old(build, err) : ERR_OK;

    if (rc != ERR_OK)
        return rc;
    return o->files ? known_files_read(o->operands, o->operand_count, &files, build_add, build,
                                       &build->files, err)
                    : build_take_lists(build, err);
}

/* What a set that is added to has, and what was asked for now, must agree. */
static enum err_code build_agree(struct build *build, struct err *err)
{
    const struct known_options *o = build->options;
    const struct known_about *old = &build->old.about;
    struct known_write_options *w = &build->write_options;

    if (o->has_hash && o->hash != old->hash)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: a set of %s; make another set for hashes of another kind", o->set,
                         known_hash_name(old->hash));
    if (o->has_block && o->block_len != old->block_len)
        return ERR_RAISE(
            err, ERR_INPUT, "%s: a set of %s; make another one for blocks of %" PRIu32 " bytes",
            o->set, old->block_len == 0 ? "whole files" : "blocks of another length", o->block_len);
    w->hash = old->hash;
    w->block_len = old->block_len;
    w->names = old->has_names || o->names;
    w->verdict = o->has_verdict ? o->verdict : old->verdict;
    w->rate = o->has_rate || !(old->rate > 0 && old->rate < 1) ? o->rate : old->rate;
    w->label = o->has_label ? o->label : old->label;
    return ERR_OK;
}

static enum err_code build_check_new(const struct known_options *o, struct err *err)
{
    struct stat info;

    if (lstat(o->set, &info) != 0)
        return ERR_OK;
    if (!o->force)
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: exists; burin known add adds to it, --force replaces it", o->set);
    if (!S_ISREG(info.st_mode))
        return ERR_RAISE(err, ERR_INPUT, "%s: not a file: it is not replaced", o->set);
    if (!known_about_begins(o->set))
        return ERR_RAISE(err, ERR_INPUT,
                         "%s: exists and is not a hash set of burin: it is not replaced", o->set);
    return ERR_OK;
}

static void build_print(const struct build *build, uint64_t count)
{
    const struct known_options *o = build->options;
    struct json json;

    if (o->json) {
        json_init(&json, stdout, 1);
        json_open_object(&json, NULL);
        json_string(&json, "set", o->set);
        json_string(&json, "hash", known_hash_name(build->write_options.hash));
        json_uint(&json, "block", build->write_options.block_len);
        json_uint(&json, "hashes", count);
        json_uint(&json, "read", build->added);
        json_uint(&json, "files", build->files.files);
        json_uint(&json, "blocks_left_out", build->files.nonprobative);
        json_uint(&json, "unread", build->files.unread);
        json_close_object(&json);
        json_end(&json);
        return;
    }
    if (o->quiet)
        return;
    print_safe(stderr, o->set);
    fprintf(stderr, ": %" PRIu64 " %s hash%s", count, known_hash_name(build->write_options.hash),
            count == 1 ? "" : "es");
    if (build->write_options.block_len != 0)
        fprintf(stderr, " of blocks of %" PRIu32 " bytes", build->write_options.block_len);
    fprintf(stderr, ", from %" PRIu64 " read now", build->added);
    if (o->files)
        fprintf(stderr, " in %" PRIu64 " file%s", build->files.files, plural_s(build->files.files));
    if (build->files.nonprobative > 0)
        fprintf(stderr, "; left out: %" PRIu64 " trivial block%s", build->files.nonprobative,
                plural_s(build->files.nonprobative));
    putc('\n', stderr);
}

enum err_code known_build(const struct known_options *o, bool add, enum exit_status *status,
                          struct err *err)
{
    struct build build = { .options = o, .adding = add };
    uint64_t count = 0;
    enum err_code rc;

    build.write_options = (struct known_write_options){ .hash = o->hash,
                                                        .verdict = o->verdict,
                                                        .block_len = o->block_len,
                                                        .names = o->names,
                                                        .rate = o->rate,
                                                        .memory = (size_t)o->memory,
                                                        .threads = o->threads,
                                                        .label = o->label };
    rc = add ? known_set_open(o->set, &build.old, err) : build_check_new(o, err);
    if (rc == ERR_OK && add)
        rc = build_agree(&build, err);
    else if (rc == ERR_OK && !o->has_hash)
        rc = build_guess_hash(&build, err);
    if (rc == ERR_OK)
        rc = known_write_open(o->set, &build.write_options, &build.write, err);
    if (rc == ERR_OK)
        rc = build_take(&build, err);
    if (rc == ERR_OK)
        rc = known_write_finish(build.write, &count, err);
    known_list_close(&build.first);
    known_write_close(build.write);
    if (rc == ERR_OK)
        build_print(&build, count);
    known_set_close(&build.old);
    if (rc == ERR_OK && build.files.unread > 0)
        *status = EXIT_PARTLY;
    return rc;
}
