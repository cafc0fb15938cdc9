/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage_image.c - one image, sweep after sweep; see triage.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "carver/case/live_device.h"
#include "carver/cli/interrupt.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/scan_map.h"
#include "carver/triage/answer_print.h"
#include "carver/triage/around.h"
#include "carver/triage/sampler.h"
#include "carver/triage/triage.h"
#include "io/storage.h"

enum { IMAGE_LINE = 256 };

struct triage_work {
    struct triage *triage;
    struct answer *answer;
    struct unit_aim aim;
    uint64_t begun_ns;
    uint32_t sweep;
    uint64_t bytes; /* looked at */
};

/* A disk that seeks reads 64 KiB in the time of 4, and so does who has to decode. */
static uint32_t image_unit(const struct triage *triage, const struct io_image *image)
{
    const struct io_storage storage = io_storage_of_image("/sys", image);
    struct io_span span;
    uint32_t unit = triage->options->unit;

    if (unit == 0)
        unit = storage.kind == IO_STORAGE_SPINNING ||
                       (io_image_map(image, 0, &span) && span.how == IO_SPAN_ASK)
                   ? UNIT_MOST
                   : UNIT_LEAST;
    for (uint32_t i = 0; i < triage->known.count; i++)
        if (unit < triage->known.sets[i].about.block_len)
            unit = triage->known.sets[i].about.block_len;
    return unit;
}

static bool image_is_notable(const struct triage *triage, const struct unit_found *found)
{
    if (found->kind == UNIT_FILE)
        return tally_is_key(found->type);
    return found->kind == UNIT_KEYWORD ||
           triage->known.sets[found->number].about.verdict != KNOWN_GOOD;
}

static enum err_code image_unit_seen(void *arg, const struct sampler_unit *unit, struct err *err)
{
    struct triage_work *work = arg;
    struct answer *answer = work->answer;

    for (uint32_t i = 0; i < unit->seen.found_count; i++) {
        answer_keep_picture(answer, &unit->seen.found[i]);
        if (answer->found_count < TALLY_NOTABLE_MAX &&
            image_is_notable(work->triage, &unit->seen.found[i]))
            answer->found[answer->found_count++] =
                (struct answer_found){ unit->seen.found[i], work->sweep };
    }
    work->bytes += unit->len;
    progress_update(&work->triage->progress, work->bytes, answer->found_count, UINT64_MAX);
    return tally_unit(&answer->rest, answer->facts.volumes, unit, err);
}

/* What stands after a sweep, for who waits. */
static void image_tell(const struct triage_work *work)
{
    const struct answer *answer = work->answer;
    char bytes[32];

    if (work->triage->options->how.quiet)
        return;
    progress_bytes(answer_unseen_bytes(answer), bytes);
    progress_clear(&work->triage->progress);
    print_safe_line(stderr, "%s: sweep %" PRIu32 ": %" PRIu64 " places, %s, unseen at most %s",
                    answer->path, answer->sweeps, answer->whole.units,
                    answer_word_name(answer_word(answer)), bytes);
}

static bool image_is_enough(const struct triage_work *work)
{
    const struct triage_options *o = work->triage->options;
    const struct answer *answer = work->answer;

    if (o->sweeps != 0)
        return answer->sweeps >= o->sweeps;
    return answer_unseen_bytes(answer) <= o->target;
}

static enum err_code image_sweeps(struct triage_work *work, struct io_image *image,
                                  struct sampler *sampler, struct triage_ids *ids, struct err *err)
{
    struct answer *answer = work->answer;
    const struct triage_options *o = work->triage->options;
    const uint64_t deadline = o->time_ns != 0 ? work->begun_ns + o->time_ns : 0;
    bool whole = true, enough = false;
    enum err_code rc = ERR_OK;

    while (rc == ERR_OK && whole && !enough && answer->sweeps < answer->strata.sweeps) {
        work->sweep = answer->sweeps;
        rc = sampler_sweep(sampler, &answer->strata, work->sweep, image_unit_seen, work, &whole,
                           err);
        if (rc == ERR_OK)
            rc = around_look(image, &work->aim, answer, ids->found, deadline, err);
        answer->elapsed = clock_now(CLOCK_MONOTONIC) - work->begun_ns;
        if (rc != ERR_OK)
            break;
        answer->part = !whole;
        answer->sweeps += whole;
        rc = triage_record_sweep(work->triage, answer, whole ? &answer->rest : NULL, ids, err);
        if (rc == ERR_OK && whole)
            rc = tally_join(&answer->whole, &answer->rest, err);
        if (rc == ERR_OK && whole)
            image_tell(work);
        enough = whole && image_is_enough(work);
    }
    return rc;
}

static enum err_code image_sample(struct triage_work *work, struct io_image *image,
                                  struct triage_ids *ids, struct err *err)
{
    struct triage *triage = work->triage;
    const struct triage_options *o = triage->options;
    const struct sampler_options options = { .image = image,
                                             .aim = &work->aim,
                                             .backend = o->how.io,
                                             .threads = o->how.threads,
                                             .deadline_ns =
                                                 o->time_ns != 0 ? work->begun_ns + o->time_ns : 0,
                                             .stop = interrupt_requested };
    struct sampler *sampler = NULL;

    work->aim = (struct unit_aim){ .sigs = triage->sigs,
                                   .files = &triage->files,
                                   .file_matcher = triage->file_matcher,
                                   .keywords = work->answer->keywords,
                                   .keyword_matcher = triage->word_matcher,
                                   .known = &triage->known,
                                   .unit = work->answer->unit,
                                   .image_size = work->answer->size };
    enum err_code rc = sampler_open(&options, &sampler, err);

    if (rc == ERR_OK) {
        progress_start(&triage->progress, "triage", 0,
                       progress_unless_quiet(o->how.progress, o->how.quiet));
        rc = image_sweeps(work, image, sampler, ids, err);
        progress_end(&triage->progress);
    }
    sampler_close(sampler);
    return rc;
}

/* What is known before the first byte is sampled. */
static enum err_code image_prepare(struct triage *triage, struct io_image *image,
                                   struct answer *out, struct err *err)
{
    const struct triage_options *o = triage->options;
    enum err_code rc;

    snprintf(out->format, sizeof out->format, "%s", io_image_format(image));
    out->size = io_image_size(image);
    out->unit = image_unit(triage, image);
    out->strata = strata_of(out->size / out->unit + (out->size % out->unit != 0), o->seed);
    out->confidence = o->confidence;
    out->keywords = triage->word_matcher != NULL ? &triage->keywords : NULL;
    out->found = calloc(TALLY_NOTABLE_MAX, sizeof *out->found);
    if (out->found == NULL)
        return ERR_NO_MEMORY(err, TALLY_NOTABLE_MAX * sizeof *out->found);
    rc = disk_facts_open(image, interrupt_requested, &out->facts, err);
    const uint32_t words = out->keywords != NULL ? out->keywords->count : 0;
    if (rc == ERR_OK)
        rc = tally_open(out->facts.volumes, triage->known.count, words, &out->whole, err);
    if (rc == ERR_OK)
        rc = tally_open(out->facts.volumes, triage->known.count, words, &out->rest, err);
    return rc;
}

/* An image that is a device in use changes while it is sampled: people and the log are told. */
static enum err_code image_live(struct triage *triage, const struct io_image *image,
                                const char *path, const struct triage_ids *ids, struct err *err)
{
    struct live_device live;
    char text[LIVE_TEXT + 16];
    enum err_code rc = ERR_OK;

    live_device_of_image(image, &live);
    for (uint32_t i = 0; rc == ERR_OK && i < live.count; i++) {
        print_safe_line(stderr, "burin: triage: warning: %s: %s", path, live.text[i]);
        snprintf(text, sizeof text, "live device: %s", live.text[i]);
        rc = db_log(triage->db, ids->run, "note", text, err);
    }
    return rc;
}

/* What a person must know who reads no answer. */
static void image_warn(const struct triage *triage, const struct answer *answer,
                       struct io_image *image, enum exit_status *status)
{
    const uint64_t lost = answer_unreadable(answer) + answer_unreadable_rest(answer);

    if (io_volumes_note(answer->facts.volumes)[0] != '\0' && !triage->options->how.quiet)
        print_safe_line(stderr, "burin: triage: %s: %s", answer->path,
                        io_volumes_note(answer->facts.volumes));
    if (io_image_trouble(image)[0] != '\0')
        print_safe_line(stderr, "burin: triage: %s: %s", answer->path, io_image_trouble(image));
    if (lost == 0)
        return;
    print_safe_line(stderr,
                    "burin: triage: %s: %" PRIu64
                    " of the places could not be read: nothing is said of them",
                    answer->path, lost);
    *status = EXIT_PARTLY;
}

static enum err_code image_open(struct triage *triage, const char *path, struct io_image **image,
                                struct scan_map *map, struct err *err)
{
    const struct scan_how *how = &triage->options->how;
    enum err_code rc = io_image_open(path, how->image_type, image, err);

    if (rc == ERR_OK && how->mapfile != NULL)
        rc = scan_map_apply(how->mapfile, *image, map, err);
    if (rc == ERR_OK) {
        scan_how_set(how, *image);
        io_storage_stop_read_ahead(*image);
    }
    return rc;
}

enum err_code triage_image(struct triage *triage, const char *path, struct answer *out,
                           enum exit_status *status, struct err *err)
{
    struct triage_work work = { .triage = triage,
                                .answer = out,
                                .begun_ns = clock_now(CLOCK_MONOTONIC) };
    struct triage_ids ids = { 0 };
    struct io_image *image = NULL;
    struct scan_map map = { 0 };
    struct err late = { 0 };
    char line[IMAGE_LINE];
    enum err_code rc;

    *out = (struct answer){ .path = path, .known = &triage->known };
    rc = image_open(triage, path, &image, &map, err);
    if (rc == ERR_OK)
        rc = image_prepare(triage, image, out, err);
    if (rc == ERR_OK)
        rc = triage_record_begin(triage, image, out, &map, &ids, err);
    if (rc == ERR_OK)
        rc = triage_next_see(triage, ids.image, err);
    if (rc == ERR_OK) {
        rc = image_live(triage, image, path, &ids, err);
        if (rc == ERR_OK)
            rc = image_sample(&work, image, &ids, err);
        snprintf(line, sizeof line,
                 "%s; %" PRIu32 " sweeps, %" PRIu64 " units; unseen at most %" PRIu64 " bytes",
                 answer_word_name(answer_word(out)), out->sweeps, out->whole.units,
                 answer_unseen_bytes(out));
        const enum err_code end =
            triage_record_end(triage, &ids, rc, rc == ERR_OK ? line : err->text, &late);

        if (rc == ERR_OK && end != ERR_OK)
            *err = late;
        rc = rc == ERR_OK ? end : rc;
    }
    if (rc == ERR_OK)
        image_warn(triage, out, image, status);
    io_image_close(image);
    if (rc != ERR_OK)
        err_while(err, "the triage of %s", path);
    return rc;
}
