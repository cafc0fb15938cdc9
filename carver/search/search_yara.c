/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_yara.c - see search_yara.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "carver/case/casefile.h"
#include "carver/case/seal.h"
#include "carver/cli/print_safe.h"
#include "carver/list/list_yara.h"
#include "carver/search/search_yara.h"
#include "carver/yara/tries.h"
#include "carver/yara/tries_case.h"

/* All of one run of the command; released in one place. */
struct yara_search {
    const struct search_yara *options;
    struct yara_rules *rules; /* owned */
    struct tries_case of;
    struct seal_signer signer;
};

static enum err_code yara_rules(struct yara_search *s, struct err *err)
{
    const struct search_yara *o = s->options;
    enum err_code rc = ERR_OK;

    s->rules = calloc(1, sizeof *s->rules);
    if (s->rules == NULL)
        return ERR_NO_MEMORY(err, sizeof *s->rules);
    for (uint32_t i = 0; rc == ERR_OK && i < o->file_count; i++)
        rc = yara_rules_add(s->rules, o->files[i], "default", err);
    return rc == ERR_OK ? yara_rules_open(s->rules, (uint32_t)o->seconds, err) : rc;
}

static enum err_code yara_open(struct yara_search *s, struct err *err)
{
    const struct search_yara *o = s->options;
    const struct tries_where where = { .command = "search",
                                       .case_path = o->case_path,
                                       .images = o->images,
                                       .image_count = o->image_count,
                                       .reach = o->images,
                                       .reach_count = o->image_count,
                                       .wait = o->wait,
                                       .no_jail = o->no_jail };
    const enum err_code rc = seal_signer_open(o->sign, o->case_path, &s->signer, err);

    return rc == ERR_OK ? tries_case_open(&where, &s->of, err) : rc;
}

static enum err_code yara_work(struct yara_search *s, enum exit_status *status, struct err *err)
{
    const struct search_yara *o = s->options;
    const struct tries_job job = { .db = s->of.db,
                                   .images = &s->of.images,
                                   .rules = s->rules,
                                   .command = "search",
                                   .command_line = o->command_line,
                                   .note = s->of.confine.note };
    struct tries_totals totals;
    struct err late = { 0 };
    int64_t run_id = 0;
    uint64_t lines = 0;
    enum err_code rc = tries_run(&job, &totals, &run_id, err);

    if (run_id == 0)
        return rc;
    const enum err_code late_rc = seal_case(s->of.db, o->case_path, NULL, &s->signer, &late);
    if (rc == ERR_OK && late_rc != ERR_OK) {
        rc = late_rc;
        *err = late;
    }
    if (rc == ERR_OK)
        rc = list_yara(s->of.db, run_id, stdout, o->json, &lines, err);
    if (rc == ERR_OK && totals.left > 0)
        *status = EXIT_PARTLY;
    if (rc == ERR_OK && totals.left > 0)
        print_safe_line(stderr,
                        "burin: search: %s: %" PRIu64
                        " object%s not decided, or not by all bytes; the lines without a rule say "
                        "why",
                        o->case_path, totals.left, totals.left == 1 ? " is" : "s are");
    if (rc == ERR_OK && !o->quiet)
        print_safe_line(stderr, "%s: %" PRIu64 " match%s in %" PRIu64 " object%s, recorded there",
                        o->case_path, totals.met, totals.met == 1 ? "" : "es", totals.objects,
                        plural_s(totals.objects));
    return rc == ERR_OK && !o->quiet ? casefile_tell_last(o->case_path, s->of.db, err) : rc;
}

enum err_code search_yara(const struct search_yara *options, enum exit_status *status,
                          struct err *err)
{
    struct yara_search s = { .options = options };
    enum err_code rc = yara_rules(&s, err);

    if (rc == ERR_OK)
        rc = yara_open(&s, err);
    if (rc == ERR_OK)
        rc = yara_work(&s, status, err);
    tries_case_close(&s.of);
    seal_signer_close(&s.signer);
    if (s.rules != NULL)
        yara_rules_close(s.rules);
    free(s.rules);
    return rc;
}
