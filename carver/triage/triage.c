/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage.c - `burin triage`: what is on a disk, in a minute; see triage.h. */
#include "carver/triage/triage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carver/case/casefile.h"
#include "carver/case/seal.h"
#include "carver/cli/args.h"
#include "carver/scan/scan_case.h"
#include "carver/select/types.h"
#include "carver/triage/answer_print.h"

enum { TRIAGE_COMMAND_LINE_MAX = 16384 };

static enum err_code triage_confine(struct triage *triage, struct err *err)
{
    const struct scan_how *how = &triage->options->how;
    struct confine confine = { 0 };

    confine_open(&confine, how->no_jail, CONFINE_ALL);
    for (int i = 0; i < how->image_count; i++)
        confine_evidence(&confine, how->images[i]);
    for (uint32_t i = 0; i < triage->options->known_count; i++)
        confine_read(&confine, triage->options->known[i]);
    if (how->mapfile != NULL)
        confine_read(&confine, how->mapfile);
    confine_case(&confine, how->case_path);
    const enum err_code rc = confine_enter(&confine, err);
    memcpy(triage->jail, confine.note, sizeof confine.note);
    return rc;
}

/* Before rights are given up: iconv reads its tables where it likes, and words may be anywhere. */
static enum err_code triage_read_words(struct triage *triage, struct err *err)
{
    const struct triage_options *o = triage->options;
    enum err_code rc = ERR_OK;

    if (o->keyword_file_count > 0 || o->features != 0)
        rc = keyword_set_open(o->encodings, o->ignore_case, &triage->keywords, err);
    for (uint32_t i = 0; rc == ERR_OK && i < o->keyword_file_count; i++)
        rc = keyword_add_file(&triage->keywords, o->keyword_files[i], keyword_add, err);
    if (rc == ERR_OK && o->features != 0)
        rc = keyword_add_features(&triage->keywords, o->features, err);
    return rc;
}

static enum err_code triage_open_known(struct triage *triage, struct err *err)
{
    const struct triage_options *o = triage->options;
    const enum err_code rc =
        known_scan_open(o->known, o->known_count, o->known_step, &triage->known, err);

    for (uint32_t i = 0; rc == ERR_OK && i < triage->known.count; i++)
        if (triage->known.sets[i].about.block_len == 0)
            return ERR_RAISE(err, ERR_INPUT,
                             "--known %s: it has hashes of whole files, and a sample has blocks; "
                             "make a set of blocks (burin known build --block 4096)",
                             o->known[i]);
    return rc;
}

static enum err_code triage_matcher(const struct triage *triage, const struct patterns *patterns,
                                    struct match_matcher **out, struct err *err)
{
    const struct match_options options = { .engine = triage->options->how.engine,
                                           .threads = triage->options->how.threads,
                                           .slots = 1,
                                           .segment_len = UNIT_MOST };

    return match_open(patterns->dictionary, &options, out, err);
}

static enum err_code triage_compile(struct triage *triage, struct types_selection *types,
                                    struct err *err)
{
    enum err_code rc = types_select(NULL, types, err);

    triage->sigs = types->sigs;
    if (rc == ERR_OK)
        rc = patterns_build(types->sigs, types->count, &triage->files, err);
    if (rc == ERR_OK)
        rc = triage_matcher(triage, &triage->files, &triage->file_matcher, err);
    if (rc == ERR_OK && triage->keywords.count > 0)
        rc = keyword_patterns(&triage->keywords, &triage->words, err);
    if (rc == ERR_OK && triage->keywords.count > 0)
        rc = triage_matcher(triage, &triage->words, &triage->word_matcher, err);
    return rc;
}

static enum err_code triage_open_case(struct triage *triage, struct err *err)
{
    const struct scan_job job = { .command = "triage",
                                  .command_line = triage->command_line,
                                  .how = &triage->options->how };
    struct db_lock *lock = NULL;
    enum err_code rc = casefile_lock("triage", job.how->case_path, job.how->wait, &lock, err);

    if (rc == ERR_OK)
        rc = scan_case_open(&job, &lock, &triage->db, err);
    db_lock_release(lock);
    return rc;
}

static int triage_worse(const void *a, const void *b)
{
    const struct answer *x = a, *y = b;
    const enum answer_word p = answer_word(x), q = answer_word(y);

    if (p != q)
        return p < q ? -1 : 1;
    if (x->found_count != y->found_count)
        return x->found_count > y->found_count ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void triage_print(const struct triage *triage, struct answer *answers, int count)
{
    const struct scan_how *how = &triage->options->how;
    struct json json;

    qsort(answers, (size_t)count, sizeof *answers, triage_worse);
    json_init(&json, stdout, how->image_count > 1 ? 2 : 1);
    if (how->json && how->image_count > 1)
        json_open_array(&json, NULL);
    for (int i = 0; i < count; i++)
        if (how->json)
            answer_print_json(&json, &answers[i]);
        else if (how->image_count > 1)
            answer_print_line(stdout, &answers[i]);
        else
            answer_print(stdout, &answers[i]);
    if (how->json && how->image_count > 1)
        json_close_array(&json);
    if (how->json)
        json_end(&json);
}

/* Image after image; what is known when it is interrupted is told as well. */
static enum err_code triage_images(struct triage *triage, enum exit_status *status, struct err *err)
{
    const struct scan_how *how = &triage->options->how;
    struct answer *answers = calloc((size_t)how->image_count, sizeof *answers);
    enum err_code rc = ERR_OK;
    int done = 0;

    if (answers == NULL)
        return ERR_NO_MEMORY(err, (size_t)how->image_count * sizeof *answers);
    while (rc == ERR_OK && done < how->image_count) {
        rc = triage_image(triage, how->images[done], &answers[done], status, err);
        done++;
    }
    if (rc == ERR_OK || (rc == ERR_INTERRUPTED && answers[done - 1].whole.places != NULL &&
                         answers[done - 1].rest.places != NULL))
        triage_print(triage, answers, done);
    for (int i = 0; i < done; i++)
        answer_release(&answers[i]);
    free(answers);
    return rc;
}

static enum err_code triage_seal(struct triage *triage, struct seal_signer *signer,
                                 enum err_code rc, struct err *err)
{
    const struct scan_how *how = &triage->options->how;

    if (triage->db == NULL)
        return rc;
    const enum err_code late =
        seal_case(triage->db, how->case_path, NULL, signer, rc == ERR_OK ? err : NULL);
    if (rc != ERR_OK || late != ERR_OK)
        return rc != ERR_OK ? rc : late;
    if (how->quiet || how->json)
        return ERR_OK;
    const enum err_code told = casefile_tell_last(how->case_path, triage->db, err);
    return told == ERR_OK && !triage->options->then_scan ? triage_next_print(triage, err) : told;
}

static enum err_code triage_work(const struct triage_options *options, const char *command_line,
                                 enum exit_status *status, struct err *err)
{
    struct triage triage = { .options = options, .command_line = command_line };
    struct types_selection types = { 0 };
    struct seal_signer signer = { 0 };
    enum err_code rc = triage_read_words(&triage, err);

    if (rc == ERR_OK)
        rc = seal_signer_open(options->how.sign, options->how.case_path, &signer, err);
    if (rc == ERR_OK)
        rc = triage_confine(&triage, err); /* before there are threads */
    if (rc == ERR_OK)
        rc = triage_open_known(&triage, err);
    if (rc == ERR_OK)
        rc = triage_compile(&triage, &types, err);
    if (rc == ERR_OK)
        rc = scan_how_check_images(&options->how, err);
    if (rc == ERR_OK)
        rc = triage_open_case(&triage, err);
    if (rc == ERR_OK)
        rc = triage_images(&triage, status, err);
    rc = triage_seal(&triage, &signer, rc, err);
    db_case_close(triage.db);
    seal_signer_close(&signer);
    match_close(triage.word_matcher);
    match_close(triage.file_matcher);
    patterns_release(&triage.words);
    patterns_release(&triage.files);
    types_release(&types);
    keyword_set_close(&triage.keywords);
    known_scan_close(&triage.known);
    return rc;
}

/* --then scan: a scan gives up other rights, so the triage is done by a process of its own. */
static enum err_code triage_then(const struct triage_options *options, const char *command_line,
                                 enum exit_status *status, struct err *err)
{
    const pid_t pid = fork();
    bool scan = false;

    if (pid < 0)
        return ERR_RAISE(err, ERR_ENV, "--then scan: no process for the triage: %s",
                         strerror(errno));
    if (pid == 0)
        return triage_work(options, command_line, status, err);
    const enum err_code rc = triage_then_wait(pid, status, &scan, err);
    return rc == ERR_OK && scan ? triage_then_scan(options, status, err) : rc;
}

static enum err_code triage_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    char command_line[TRIAGE_COMMAND_LINE_MAX];
    struct triage_options options;

    args_quote(argc, argv, command_line, sizeof command_line);
    enum err_code rc = triage_options_read(argc, argv, &options, err);
    if (rc == ERR_OK && options.then_scan)
        rc = triage_then(&options, command_line, status, err);
    else if (rc == ERR_OK)
        rc = triage_work(&options, command_line, status, err);
    return rc;
}

const struct command command_triage = {
    .name = "triage",
    .arguments = "[options] IMAGE...",
    .what = "say in a minute what is on a disk, from a sample: proof or bound",
    .options = triage_options_text,
    .run = triage_run,
};
