/* SPDX-License-Identifier: Apache-2.0
 * carver/scan/scan_part.c - see scan_part.h. */
#include "carver/scan/scan_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "carver/case/casefile.h"
#include "carver/case/confine.h"
#include "carver/cli/about.h"
#include "carver/cli/devices.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/scan/scan_crew.h"
#include "carver/scan/scan_text.h"
#include "carver/scan/shard_cut.h"
#include "carver/scan/shard_file.h"
#include "carver/scan/shard_parts.h"
#include "carver/scan/shard_proof.h"

enum { SCAN_PART_TICK_MS = 100 };

struct scan_part {
    const struct scan_job *job;
    struct scan_job own; /* with what is looked at of the image */
    const struct scan_options *options;
    struct io_image *image;
    struct scan_pick pick;
    struct scan_map map;
    struct known_scan known;
    struct lookback lookback; /* of the image, without a segment */
    struct scan_crew crew;
    struct part_hasher *hasher; /* of objects, for sets of files; NULL: there are none */
    struct sample sample;       /* of the image */
    struct shard_about_texts texts;
    struct shard_about about;
    struct shard_new shard;
    struct shard_parts made;
    bool replace;           /* a damaged shard has the name */
    struct shard_end first; /* of another host, which could not read all; bad_bytes 0: none */
    bool dropped;           /* this one could not read other bytes than the first one */
    struct progress progress;
};

static void part_warning(void *arg, const char *line)
{
    struct scan_part *s = arg;

    progress_clear(&s->progress);
    print_safe_line(stderr, "burin: %s: warning: %s", s->job->command, line);
}

static enum err_code part_loop(struct scan_part *s, uint64_t bytes, struct err *err)
{
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && !parts_done(s->crew.parts)) {
        struct part *part = NULL;

        rc = parts_next(s->crew.parts, SCAN_PART_TICK_MS, &part, err);
        if (rc == ERR_OK && part != NULL && s->hasher != NULL)
            rc = part_hasher_take(s->hasher, &part->found, &part->hashes, err);
        if (rc == ERR_OK && part != NULL)
            rc = shard_parts_add(&s->made, &s->shard, part, &s->own.plan, err);
        if (part != NULL)
            parts_give_back(s->crew.parts, part);
        scan_crew_warn(&s->crew, part_warning, s);
        progress_update(&s->progress, parts_bytes(s->crew.parts), s->made.end.hits,
                        s->made.end.objects);
        if (interrupt_requested())
            parts_stop(s->crew.parts);
    }
    return rc == ERR_OK && s->made.end.bytes < bytes
               ? ERR_RAISE(err, ERR_INTERRUPTED,
                           "stopped on request; nothing of the part is kept, and the same command "
                           "scans it again")
               : rc;
}

static enum err_code part_scan_ranges(struct scan_part *s, const struct io_range *ranges,
                                      uint32_t count, struct err *err)
{
    const struct known_scan *known = known_scan_wants(&s->known, true) ? &s->known : NULL;
    const struct scan_crew_image image = { .job = &s->own,
                                           .image = s->image,
                                           .whole = s->pick.whole,
                                           .ranges = ranges,
                                           .range_count = count,
                                           .from = count > 0 ? ranges[0].offset : 0,
                                           .known = known,
                                           .sieve = s->job->assemble && !s->job->plan.hits_only,
                                           .texts = scan_text_wanted(s->job),
                                           .lookback = &s->lookback };
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        bytes += ranges[i].len;
    if (bytes == 0)
        return ERR_OK;
    enum err_code rc = scan_crew_open(&s->crew, bytes, known, err);
    if (rc == ERR_OK && !s->job->plan.hits_only)
        rc = part_hasher_open(&s->known, s->image, s->job->how->threads, bytes, &s->hasher, err);
    if (rc == ERR_OK)
        rc = scan_crew_start(&s->crew, &image, err);
    if (rc != ERR_OK)
        return rc;
    progress_start(&s->progress, s->job->command, bytes,
                   progress_unless_quiet(s->job->how->progress, s->job->how->quiet));
    rc = part_loop(s, bytes, err);
    progress_end(&s->progress);
    return rc;
}

/* Whether the folder has the shard. Errors: ERR_INPUT: it belongs to another scan. */
static enum err_code part_is_there(struct scan_part *s, bool *there, struct err *err)
{
    struct shard_file file = { 0 };
    char path[LIMIT_PATH];
    struct err why = { 0 };
    struct stat st;

    *there = false;
    if (!shard_path(s->options->parts, s->about.number, path))
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", s->options->parts);
    if (lstat(path, &st) != 0)
        return ERR_OK;
    enum err_code rc = shard_file_open(path, &file, &why);
    const char *differs = rc == ERR_OK ? shard_about_differs(&file.about, &s->about) : NULL;
    if (rc == ERR_OK && differs == NULL)
        rc = shard_file_check(&file, &why);
    *there = rc == ERR_OK && differs == NULL;
    if (*there && !shard_proof_there(s->options->parts, &file) &&
        strcmp(file.about.host, s->about.host) != 0) {
        s->first = file.end;
        *there = false;
    }
    if (*there) {
        s->made.end = file.end;
        shard_new_clear(s->options->parts, &s->about);
    }
    s->replace = rc == ERR_INPUT && S_ISREG(st.st_mode);
    if (s->replace)
        print_safe_line(stderr, "burin: %s: warning: %s", s->job->command, why.text);
    shard_file_close(&file);
    if (rc != ERR_OK && !s->replace) {
        *err = why;
        return rc;
    }
    return differs == NULL ? ERR_OK
                           : ERR_RAISE(err, ERR_INPUT,
                                       "%s: %s than this scan; name another folder, or remove it",
                                       path, differs);
}

/* Publishes the shard. *first: see shard_new_keep. */
static enum err_code part_keep(struct scan_part *s, bool *first, struct err *err)
{
    struct shard_new *shard = &s->shard;
    const enum shard_proof proof = shard_proof_of(&s->first, &s->made.end);

    if (s->first.bad_bytes == 0)
        return shard_new_keep(shard, &s->made.end, s->replace, first, err);
    s->dropped = proof == SHARD_UNLIKE;
    if (s->dropped)
        return ERR_OK;
    if (proof == SHARD_PROVEN && !shard_proof_path(s->options->parts, s->about.number, shard->path))
        return ERR_RAISE(err, ERR_INPUT, "%s: its name is too long", s->options->parts);
    return shard_new_keep(shard, &s->made.end, true, first, err);
}

/* Scans the part and publishes its shard. */
static enum err_code part_make(struct scan_part *s, bool *first, struct err *err)
{
    const struct shard_cut cut = { s->pick.whole, s->pick.ranges, s->pick.range_count,
                                   s->about.count };
    struct io_range *ranges = calloc(cut.range_count + 1u, sizeof *ranges);

    if (ranges == NULL)
        return ERR_NO_MEMORY(err, cut.range_count * sizeof *ranges);
    const uint32_t count = shard_cut_ranges(&cut, s->about.number, ranges);
    enum err_code rc = shard_new_open(s->options->parts, &s->about, &s->shard, err);
    if (rc == ERR_OK)
        rc = part_scan_ranges(s, ranges, count, err);
    if (rc == ERR_OK)
        rc = shard_parts_end(&s->made, err);
    if (rc == ERR_OK)
        rc = part_keep(s, first, err);
    shard_new_drop(&s->shard);
    free(ranges);
    return rc;
}

static void part_tell(const struct scan_part *s, bool there, bool first, enum exit_status *status)
{
    const struct shard_about *about = &s->about;

    if (s->made.end.bad_bytes > 0) {
        print_safe_line(
            stderr, "burin: %s: %s: %" PRIu64 " byte%s of part %" PRIu32 " could not be read%s",
            s->job->command, s->job->how->images[0], s->made.end.bad_bytes,
            plural_s(s->made.end.bad_bytes), about->number,
            s->dropped               ? ", others than on the first host; scan it once more"
            : s->first.bad_bytes > 0 ? ", the same as on another host; zeros stand for them"
                                     : "; zeros stand for them, and another host has to try, too");
        *status = EXIT_PARTLY;
    }
    if (s->job->how->quiet)
        return;
    if (there)
        print_safe_line(stderr, "%s: part %" PRIu32 " of %" PRIu32 " is in %s already",
                        s->job->how->images[0], about->number, about->count, s->options->parts);
    else
        print_safe_line(stderr,
                        "%s: part %" PRIu32 " of %" PRIu32 ": %" PRIu64 " bytes, %" PRIu64
                        " hit%s, %" PRIu64 " object%s; %s%s",
                        s->job->how->images[0], about->number, about->count, s->made.end.bytes,
                        s->made.end.hits, plural_s(s->made.end.hits), s->made.end.objects,
                        plural_s(s->made.end.objects), s->shard.path,
                        first ? "" : ", which another process has made meanwhile");
}

/* Gives up what is not needed; then sees whether the devices are there. */
static enum err_code part_confine(const struct scan_part *s, struct err *err)
{
    const struct scan_how *how = s->job->how;
    struct confine confine = { 0 };

    confine_open(&confine, how->no_jail, CONFINE_ALL);
    confine_evidence(&confine, how->images[0]);
    for (uint32_t i = 0; i < s->job->known_count; i++)
        confine_read(&confine, s->job->known[i]);
    if (how->mapfile != NULL)
        confine_read(&confine, how->mapfile);
    confine_folder(&confine, s->options->parts);
    if (scan_how_on_device(how))
        confine_devices(&confine);
    const enum err_code rc = confine_enter(&confine, err);
    return rc == ERR_OK && how->devices != NULL ? devices_check(how->devices, how->device_mask, err)
                                                : rc;
}

/* Opens what the job names. */
static enum err_code part_open_image(struct scan_part *s, struct err *err)
{
    const struct scan_job *job = s->job;
    const struct scan_how *how = job->how;
    char path[LIMIT_PATH];
    enum err_code rc = scan_how_check_images(how, err);

    if (rc == ERR_OK)
        rc = known_scan_open(job->known, job->known_count, job->known_step, &s->known, err);
    if (rc == ERR_OK)
        rc = io_image_open(how->images[0], how->image_type, &s->image, err);
    if (rc == ERR_OK) {
        io_image_be_patient(s->image);
        scan_how_set(how, s->image);
    }
    if (rc == ERR_OK && how->mapfile != NULL)
        rc = scan_map_apply(how->mapfile, s->image, &s->map, err);
    if (rc == ERR_OK) {
        io_storage_stop_read_ahead(s->image);
        rc = scan_pick_open(&job->pick, how, s->image, how->images[0], &s->pick, err);
    }
    if (rc == ERR_OK && shard_path(s->options->parts, s->options->part_number, path))
        rc = casefile_refuse_evidence(s->image, path, err);
    s->lookback.image = s->image;
    s->own.plan.runs = s->pick.some ? &s->pick.runs : NULL;
    return rc;
}

enum err_code scan_part(const struct scan_job *job, const struct scan_options *options,
                        enum exit_status *status, struct err *err)
{
    struct scan_part *s = calloc(1, sizeof *s);
    bool there = false, first = true;

    if (s == NULL)
        return ERR_NO_MEMORY(err, sizeof *s);
    s->job = job;
    s->own = *job;
    s->options = options;
    enum err_code rc = shard_folder(options->parts, err);
    if (rc == ERR_OK)
        rc = part_confine(s, err); /* before there are threads */
    if (rc == ERR_OK) {
        scan_crew_begin(&s->crew, job);
        rc = part_open_image(s, err);
        if (rc == ERR_OK)
            rc = shard_about_make(job, options, s->image, &s->sample, &s->pick, &s->map, &s->known,
                                  &s->texts, &s->about, err);
        if (rc == ERR_OK) {
            struct pack all = { 0 };

            shard_about_save(&s->about, &all); /* for its identity */
            pack_release(&all);
            rc = part_is_there(s, &there, err);
        }
        if (rc == ERR_OK && !there)
            rc = part_make(s, &first, err);
        scan_crew_end(&s->crew);
    }
    if (rc == ERR_OK)
        part_tell(s, there, first, status);
    else
        err_while(err, "scanning part %" PRIu32 " of %s", options->part_number,
                  job->how->images[0]);
    shard_parts_release(&s->made);
    shard_about_release(&s->about);
    shard_about_texts_release(&s->texts);
    sample_release(&s->sample);
    part_hasher_close(s->hasher);
    known_scan_close(&s->known);
    scan_pick_release(&s->pick);
    io_image_close(s->image);
    free(s);
    return rc;
}
