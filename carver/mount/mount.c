/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount.c - `burin mount`: the objects of a case as files, and nothing copied.
 *
 *   background ──► keeper (may mount) ──► jail ──► case ──► images ──► tree ──► mount ──► answers
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/carve_images.h"
#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/case/evidence.h"
#include "carver/case/key_file.h"
#include "carver/case/unfinished.h"
#include "carver/cli/about.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/mount/case_facts.h"
#include "carver/mount/content.h"
#include "carver/mount/detach.h"
#include "carver/mount/keeper.h"
#include "carver/mount/mount_options.h"
#include "carver/mount/mount_record.h"
#include "carver/mount/mount_tree.h"
#include "carver/mount/serve.h"

enum { MOUNT_COMMAND_LINE_MAX = 16384 };

/* All of one mount; released in one place. */
struct mount {
    struct mount_options options;
    struct lib_fuse fuse;
    struct detach detach;
    struct keeper keeper;
    struct confine confine;
    struct db_case *db;
    struct carve_images images;
    struct unfinished unfinished;
    struct tree tree;
    struct case_facts facts;
    struct content content;
    struct serve *serve;
    struct mount_record record;
    char *help;      /* README.txt */
    char *case_full; /* absolute; malloc */
    char *folder;    /* likewise */
    bool writable;   /* the case is open for writing */
    char command_line[MOUNT_COMMAND_LINE_MAX];
    char started[ABOUT_TIME_MAX];
};

/* The folder must be there and empty: what is in it could not be seen while it is mounted. */
static enum err_code mount_check_folder(struct mount *mount, struct err *err)
{
    const char *path = mount->options.folder;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool empty = true;

    if (folder == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s; %s an empty folder", path, strerror(errno),
                         errno == ENOENT ? "make it, or name" : "name");
    while (empty && (entry = readdir(folder)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    if (!empty)
        return ERR_RAISE(err, ERR_INPUT, "%s: not empty; name an empty folder", path);
    mount->folder = realpath(path, NULL);
    mount->case_full = realpath(mount->options.case_path, NULL);
    if (mount->folder == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", path, strerror(errno));
    if (mount->case_full == NULL)
        return ERR_RAISE(err, ERR_INPUT, "%s: %s", mount->options.case_path, strerror(errno));
    return ERR_OK;
}

/* What a confined process can do no more: load a library, mount. */
static enum err_code mount_prepare(struct mount *mount, struct err *err)
{
    const struct mount_options *o = &mount->options;
    enum err_code rc = mount_check_folder(mount, err);

    if (rc == ERR_OK && access("/dev/fuse", F_OK) != 0)
        rc = ERR_RAISE(err, ERR_ENV,
                       "/dev/fuse: %s: this system has no file systems of programs (FUSE); in a "
                       "container it has to be let in",
                       strerror(errno));
    if (rc == ERR_OK)
        rc = lib_fuse_open(&mount->fuse, err);
    return rc == ERR_OK ? keeper_start(&mount->keeper, &mount->fuse, mount->folder,
                                       mount->case_full, o->others, err)
                        : rc;
}

/* Before the case file is opened, which may mean harm itself. */
static enum err_code mount_confine_case(struct mount *mount, struct err *err)
{
    confine_open(&mount->confine, mount->options.no_jail, CONFINE_WRITING);
    confine_case(&mount->confine, mount->case_full);
    return confine_enter(&mount->confine, err);
}

/* And what is read: the case file names its images. */
static enum err_code mount_confine(struct mount *mount, struct err *err)
{
    const struct mount_options *o = &mount->options;

    confine_open(&mount->confine, o->no_jail, CONFINE_ALL);
    enum err_code rc =
        carve_images_confine(mount->db, o->images, o->image_count, &mount->confine, err);
    confine_case(&mount->confine, mount->case_full);
    if (rc == ERR_OK)
        rc = confine_enter(&mount->confine, err);
    jail_rules_close(&mount->confine.rules);
    return rc;
}

/* For writing, to be on record there; else for reading, and it is said. */
static enum err_code mount_open_case(struct mount *mount, struct err *err)
{
    struct err why = { 0 };

    mount->writable = casefile_open("mount", mount->case_full, false, &mount->db, &why) == ERR_OK;
    if (mount->writable)
        return ERR_OK;
    const enum err_code rc = db_case_open(mount->case_full, DB_READ, &mount->db, err);
    if (rc == ERR_OK && !mount->options.quiet)
        print_safe_line(stderr, "burin: mount: this mount is not on record in the case file: %s",
                        why.text);
    return rc;
}

static enum err_code mount_open_images(struct mount *mount, struct err *err)
{
    const struct mount_options *o = &mount->options;
    enum err_code rc = carve_images_open(mount->db, o->images, o->image_count, &mount->images, err);

    if (rc != ERR_OK)
        return rc;
    rc = tree_init(&mount->tree, mount->images.count, err);
    for (uint32_t i = 0; i < mount->images.count && rc == ERR_OK; i++) {
        mount->tree.image_sizes[i] = io_image_size(mount->images.items[i]);
        rc = evidence_refuse_output(mount->images.items[i], mount->folder, "the mount", err);
        if (rc == ERR_OK && mount->writable)
            rc = casefile_refuse_evidence(mount->images.items[i], mount->case_full, err);
        if (rc == ERR_OK && mount->images.notes[i] != NULL && !o->quiet)
            print_safe_line(
                stderr, "burin: mount: %s%s", mount->images.notes[i],
                mount->images.changed[i] ? "; files whose bytes changed cannot be opened" : "");
    }
    return rc;
}

static enum err_code mount_write_help(struct mount *mount, struct err *err)
{
    size_t len = 0;
    FILE *out = open_memstream(&mount->help, &len);

    if (out == NULL)
        return ERR_NO_MEMORY(err, PATH_MAX);
    fprintf(out,
            "The objects that burin found, as files that lie in the image itself; nothing is "
            "copied, and\nnothing can be written.\n\ncase   %s\n",
            mount->case_full);
    for (uint32_t i = 0; i < mount->images.count; i++)
        fprintf(out, "image  %s (image/%u.raw)\n", mount->images.paths[i], i + 1);
    fprintf(out,
            "\nTYPE/       what burin carve writes, by the same names\n"
            "by/         all that burin list prints, by category, date, state, size, place, ...\n"
            "inside/     what lies inside other files: inside/TYPE/FILE/...\n"
            "carvpath/   any bytes by name: carvpath/4096+8192_20480+512\n"
            "image/      the images as raw files\n\n"
            "getfattr -d FILE says what the case file has about a file. A read that fails with\n"
            "\"Input/output error\" is of bytes that could not be read, or that changed since the "
            "scan.\n\nTo end: fusermount3 -u %s\n",
            mount->folder);
    return fclose(out) == 0 ? ERR_OK : ERR_NO_MEMORY(err, len);
}

static enum err_code mount_load(struct mount *mount, struct err *err)
{
    struct mount_options *o = &mount->options;

    enum err_code rc = mount_tree_load(&mount->tree, mount->db, mount->case_full, &o->choice, err);
    if (rc == ERR_OK)
        rc = unfinished_find(mount->db, &mount->unfinished, err);
    if (rc == ERR_OK && !o->quiet) {
        unfinished_tell(&mount->unfinished, "mount");
        if (o->choice.chosen == 0)
            selection_tell_none(&o->choice.selection, "mount", o->case_path);
    }
    carve_choice_close(&o->choice);
    return rc == ERR_OK ? mount_write_help(mount, err) : rc;
}

/* The case is left to others, and from now on only read. */
static enum err_code mount_record_start(struct mount *mount, struct err *err)
{
    enum err_code rc = ERR_OK;

    mount->record = (struct mount_record){ .case_path = mount->case_full,
                                           .folder = mount->folder,
                                           .command_line = mount->command_line,
                                           .started = mount->started,
                                           .jail = mount->confine.note,
                                           .choice = &mount->options.choice,
                                           .images = &mount->images };
    if (!mount->writable)
        return ERR_OK;
    rc = mount_record_begin(&mount->record, mount->db, err);
    db_case_close(mount->db);
    mount->db = NULL;
    return rc == ERR_OK ? db_case_open(mount->case_full, DB_READ, &mount->db, err) : rc;
}

static enum err_code mount_start(struct mount *mount, struct err *err)
{
    const struct mount_options *o = &mount->options;
    struct serve_options serve = { .fuse = &mount->fuse,
                                   .tree = &mount->tree,
                                   .content = &mount->content,
                                   .facts = &mount->facts,
                                   .help = mount->help,
                                   .keeper = o->direct ? NULL : &mount->keeper,
                                   .threads = o->threads,
                                   .direct = o->direct,
                                   .xattrs = !o->no_xattrs };

    case_facts_open(&mount->facts, mount->db, &mount->tree, &mount->images);
    enum err_code rc =
        content_open(&mount->images, &mount->tree, &mount->facts, o->check, &mount->content, err);
    if (rc == ERR_OK)
        rc = keeper_mount(&mount->keeper, &serve.fd, err);
    if (rc == ERR_OK)
        rc = serve_start(&serve, &mount->serve, err);
    if (rc == ERR_OK)
        keeper_ahead(&mount->keeper);
    return rc;
}

/* From here on the mount is there; returns when it is no more. */
static enum err_code mount_serve(struct mount *mount, struct err *err)
{
    struct serve_totals totals;

    if (chdir("/") != 0) /* no folder is kept busy */
        return ERR_RAISE(err, ERR_ENV, "/: %s", strerror(errno));
    detach_ready(&mount->detach);
    const bool unmounted = serve_wait(mount->serve);
    keeper_end(&mount->keeper);
    serve_end(mount->serve, &totals);
    mount->serve = NULL;
    case_facts_close(&mount->facts);
    db_case_close(mount->db);
    mount->db = NULL;
    return mount_record_end(&mount->record, &totals, unmounted, err);
}

static void mount_close(struct mount *mount)
{
    keeper_end(&mount->keeper);
    serve_end(mount->serve, NULL);
    case_facts_close(&mount->facts);
    content_close(&mount->content);
    tree_close(&mount->tree);
    unfinished_release(&mount->unfinished);
    carve_images_close(&mount->images);
    carve_choice_close(&mount->options.choice);
    db_case_close(mount->db);
    free(mount->help);
    free(mount->folder);
    free(mount->case_full);
}

static enum err_code mount_work(struct mount *mount, struct err *err)
{
    const char *key = mount->options.key_file;
    enum err_code rc = mount_prepare(mount, err);

    if (rc == ERR_OK && key != NULL)
        rc = key_file_take(key, err);
    if (rc == ERR_OK)
        rc = mount_confine_case(mount, err);
    if (rc == ERR_OK)
        rc = mount_open_case(mount, err);
    if (rc == ERR_OK)
        rc = carve_choice_open(&mount->options.choice, mount->db, err);
    if (rc == ERR_OK)
        rc = mount_confine(mount, err);
    if (rc == ERR_OK)
        rc = mount_open_images(mount, err);
    if (rc == ERR_OK)
        rc = mount_load(mount, err);
    if (rc == ERR_OK)
        rc = mount_record_start(mount, err);
    (void)malloc_trim(0); /* a mount is there for long, and needs far less than to be made */
    if (rc == ERR_OK)
        rc = mount_start(mount, err);
    return rc == ERR_OK ? mount_serve(mount, err) : rc;
}

static enum err_code mount_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    struct mount mount = { .detach = { .pipe = -1 } };
    bool parent = false;

    args_quote(argc, argv, mount.command_line, sizeof mount.command_line);
    about_now(mount.started);
    enum err_code rc = mount_read_options(argc, argv, &mount.options, err);
    if (rc == ERR_OK)
        rc = selection_read(&mount.options.choice.selection, err);
    if (rc == ERR_OK && !mount.options.foreground)
        rc = detach_start(&mount.detach, &parent, status, err);
    if (rc == ERR_OK && !parent)
        rc = mount_work(&mount, err);
    mount_close(&mount);
    return rc;
}

const struct command command_mount = {
    .name = "mount",
    .arguments = "[options] CASE DIR",
    .what = "show the objects of a case file as read-only files; nothing is copied",
    .options = mount_options_text,
    .run = mount_run,
};
