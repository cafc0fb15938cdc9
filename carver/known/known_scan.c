/* SPDX-License-Identifier: Apache-2.0
 * carver/known/known_scan.c - see known_scan.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/known/known_scan.h"

enum err_code known_scan_open(const char *const *paths, uint32_t count, uint32_t step,
                              struct known_scan *out, struct err *err)
{
    enum err_code rc = ERR_OK;

    *out = (struct known_scan){ .step = step };
    for (uint32_t i = 0; rc == ERR_OK && i < count; i++) {
        rc = known_set_open(paths[i], &out->sets[i], err);
        if (rc != ERR_OK)
            break;
        out->count++;
        rc = known_set_verify(&out->sets[i], err);
        if (rc == ERR_OK && out->sets[i].about.block_len != 0 &&
            step > out->sets[i].about.block_len)
            rc = ERR_RAISE(
                err, ERR_INPUT,
                "--known-step %u: the step is longer than the blocks of %s, which have %u bytes",
                step, paths[i], out->sets[i].about.block_len);
    }
    if (rc == ERR_OK && step != 0 && !known_scan_wants(out, true))
        rc = ERR_RAISE(err, ERR_INPUT,
                       "--known-step %u: it needs a set of blocks, and no --known names one; see "
                       "burin known build --block",
                       step);
    if (rc != ERR_OK)
        known_scan_close(out);
    return rc;
}

void known_scan_close(struct known_scan *scan)
{
    for (uint32_t i = 0; i < scan->count; i++)
        known_set_close(&scan->sets[i]);
    scan->count = 0;
}

uint32_t known_scan_kinds(const struct known_scan *scan)
{
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < scan->count; i++)
        if (scan->sets[i].about.block_len == 0)
            kinds |= 1u << scan->sets[i].about.hash;
    return kinds;
}

bool known_scan_wants(const struct known_scan *scan, bool blocks)
{
    bool wants = false;

    for (uint32_t i = 0; i < scan->count; i++)
        wants = wants || (scan->sets[i].about.block_len != 0) == blocks;
    return wants;
}

enum err_code known_scan_record(struct known_scan *scan, struct db_case *db, int64_t run_id,
                                struct err *err)
{
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < scan->count; i++) {
        const struct known_set *set = &scan->sets[i];
        char sha256[2 * DIGEST_MAX + 1];
        char *path = realpath(set->path, NULL);
        const struct db_known_set row = { .run_id = run_id,
                                          .path = path != NULL ? path : set->path,
                                          .label = set->about.label,
                                          .verdict = known_verdict_name(set->about.verdict),
                                          .hash = known_hash_name(set->about.hash),
                                          .block = set->about.block_len,
                                          .hashes = set->about.count,
                                          .sha256 = sha256 };

        known_hex(set->about.body_sha256, KNOWN_SHA256, sha256);
        rc = db_known_set_add(db, &row, &scan->ids[i], err);
        free(path);
    }
    return rc;
}

struct known_scan_finding {
    struct known_scan *scan;
    uint32_t found;
};

static enum err_code known_scan_found(void *arg, int64_t id, const struct db_known_set *row,
                                      struct err *err)
{
    struct known_scan_finding *finding = arg;
    struct known_scan *scan = finding->scan;
    const uint32_t i = finding->found++;
    char sha256[2 * DIGEST_MAX + 1];

    if (i >= scan->count)
        return ERR_RAISE(err, ERR_INPUT,
                         "--known: the scan was begun with the set %s too; give the same sets",
                         row->path);
    known_hex(scan->sets[i].about.body_sha256, KNOWN_SHA256, sha256);
    if (strcmp(row->sha256, sha256) != 0)
        return ERR_RAISE(err, ERR_INPUT,
                         "--known %s: the scan was begun with another set in this place, %s; give "
                         "the same sets in the same order",
                         scan->sets[i].path, row->path);
    scan->ids[i] = id;
    return ERR_OK;
}

enum err_code known_scan_find(struct known_scan *scan, struct db_case *db, int64_t run_id,
                              struct err *err)
{
    struct known_scan_finding finding = { scan, 0 };
    const enum err_code rc = db_known_sets_walk(db, run_id, known_scan_found, &finding, err);

    if (rc == ERR_OK && finding.found < scan->count)
        return ERR_RAISE(err, ERR_INPUT,
                         "--known %s: the scan was begun without this set; leave it out",
                         scan->sets[finding.found].path);
    return rc;
}
