/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/triage_record.c - a triage in the case file: run, sweeps, finds; see triage.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/case/run.h"
#include "carver/scan/scan_case.h"
#include "carver/scan/scan_map.h"
#include "carver/triage/answer_print.h"
#include "carver/triage/triage.h"

static void record_settings(const struct triage *triage, const struct answer *answer,
                            const struct scan_map *map, struct json *json)
{
    const struct triage_options *o = triage->options;

    json_uint(json, "seed", answer->strata.seed);
    json_uint(json, "unit", answer->unit);
    json_uint(json, "image_units", answer->strata.units);
    json_uint(json, "sweeps", o->sweeps);
    json_double(json, "seconds", (double)o->time_ns / 1e9);
    json_uint(json, "target", o->target);
    json_double(json, "confidence", o->confidence);
    json_string(json, "image_type", o->how.image_type);
    json_string(json, "mapfile_sha256", map->sha256[0] != '\0' ? map->sha256 : NULL);
    json_open_array(json, "known");
    for (uint32_t i = 0; i < o->known_count; i++)
        json_string(json, NULL, o->known[i]);
    json_close_array(json);
    json_uint(json, "known_step", o->known_step);
    json_open_array(json, "keywords");
    for (uint32_t i = 0; i < o->keyword_file_count; i++)
        json_string(json, NULL, o->keyword_files[i]);
    json_close_array(json);
    json_open_array(json, "features");
    for (uint32_t i = 0; i < FEATURE_PACKS; i++)
        if ((o->features >> i & 1) != 0)
            json_string(json, NULL, feature_name(i));
    json_close_array(json);
    json_string(json, "encoding", o->encodings);
    json_bool(json, "ignore_case", o->ignore_case);
    json_open_object(json, "work");
    json_uint(json, "threads", o->how.threads);
    json_string(json, "io", o->how.io);
    json_string(json, "engine", scan_how_engine_name(&o->how));
    json_close_object(json);
}

static enum err_code record_run(struct triage *triage, const struct answer *answer,
                                const struct scan_map *map, struct triage_ids *ids, struct err *err)
{
    struct run_settings settings;
    const struct db_run run = { .image_id = ids->image,
                                .command = "triage",
                                .command_line = triage->command_line,
                                .options = settings.text,
                                .engine = scan_how_engine_name(&triage->options->how) };
    enum err_code rc = run_settings_open(&settings, err);

    if (rc != ERR_OK)
        return rc;
    record_settings(triage, answer, map, &settings.json);
    rc = run_settings_close(&settings, err);
    return rc == ERR_OK ? run_begin(triage->db, &run, &ids->run, err) : rc;
}

enum err_code triage_record_begin(struct triage *triage, struct io_image *image,
                                  const struct answer *answer, const struct scan_map *map,
                                  struct triage_ids *ids, struct err *err)
{
    struct db_case *db = triage->db;
    struct sample sample = { 0 };
    enum err_code rc = db_begin(db, err);

    *ids = (struct triage_ids){ 0 };
    if (rc != ERR_OK)
        return rc;
    rc = scan_case_image(db, image, &sample, &ids->image, err);
    sample_release(&sample);
    if (rc == ERR_OK)
        rc = record_run(triage, answer, map, ids, err);
    if (rc == ERR_OK)
        rc = db_log(db, ids->run, "note", triage->jail, err);
    if (rc == ERR_OK)
        rc = known_scan_record(&triage->known, db, ids->run, err);
    if (rc == ERR_OK)
        return db_commit(db, err);
    db_rollback(db);
    err_while(err, "recording the triage of %s", answer->path);
    return rc;
}

static enum err_code record_place(struct triage *triage, const struct answer *answer,
                                  const struct tally *sweep, uint32_t place,
                                  const struct triage_ids *ids, struct err *err)
{
    const struct tally_place *from = &sweep->places[place];
    struct db_triage row = { .sweep = answer->sweeps - 1,
                             .volume = place,
                             .content = "",
                             .units = from->units,
                             .zero = from->classes[BLOCK_ZERO],
                             .fill = from->classes[BLOCK_FILL],
                             .text = from->classes[BLOCK_TEXT],
                             .structured = from->classes[BLOCK_STRUCTURED],
                             .dense = from->classes[BLOCK_DENSE],
                             .uniform = from->classes[BLOCK_UNIFORM],
                             .unreadable = from->classes[BLOCK_UNREADABLE],
                             .hits = from->hits };

    if (place + 1 < sweep->place_count) {
        const struct io_volume volume = io_volumes_get(answer->facts.volumes, place);

        row.slot = volume.number;
        row.content = volume.content;
    }
    return db_triage_add(triage->db, ids->run, &row, err);
}

static enum err_code record_found(struct triage *triage, const struct answer *answer,
                                  struct triage_ids *ids, struct err *err)
{
    const struct unit_found *found = &answer->found[ids->found].found;
    char detail[ANSWER_DETAIL_MAX];
    const struct db_triage_found row = { .number = ids->found,
                                         .offset = found->offset,
                                         .len = found->len,
                                         .kind = answer_kind(found->kind),
                                         .what = answer_what(answer, found),
                                         .detail = detail };

    answer_detail(answer, found, detail);
    ids->found++;
    return db_triage_found_add(triage->db, ids->run, &row, err);
}

/* What a picture tells, as bits of unit_found.says. */
static const char *record_tells(uint32_t says)
{
    static const char *const texts[] = { [0] = "",
                                         [UNIT_CAMERA] = "camera",
                                         [UNIT_GPS] = "place",
                                         [UNIT_CAMERA | UNIT_GPS] = "camera, place" };

    return texts[says & (UNIT_CAMERA | UNIT_GPS)];
}

/* Their numbers stand behind those of all finds there can be. */
static enum err_code record_picture(struct triage *triage, const struct answer *answer,
                                    struct triage_ids *ids, struct err *err)
{
    const struct unit_found *found = &answer->pictures[ids->pictures];
    const struct db_triage_found row = { .number = TALLY_NOTABLE_MAX + ids->pictures,
                                         .offset = found->offset,
                                         .len = found->len,
                                         .kind = "picture",
                                         .what = found->type->name,
                                         .detail = record_tells(found->says) };

    ids->pictures++;
    return db_triage_found_add(triage->db, ids->run, &row, err);
}

enum err_code triage_record_sweep(struct triage *triage, const struct answer *answer,
                                  const struct tally *sweep, struct triage_ids *ids,
                                  struct err *err)
{
    enum err_code rc = db_begin(triage->db, err);

    if (rc != ERR_OK)
        return rc;
    for (uint32_t i = 0; rc == ERR_OK && sweep != NULL && i < sweep->place_count; i++)
        rc = record_place(triage, answer, sweep, i, ids, err);
    while (rc == ERR_OK && ids->found < answer->found_count)
        rc = record_found(triage, answer, ids, err);
    while (rc == ERR_OK && ids->pictures < answer->picture_count)
        rc = record_picture(triage, answer, ids, err);
    if (rc == ERR_OK)
        return db_commit(triage->db, err);
    db_rollback(triage->db);
    return rc;
}

enum err_code triage_record_end(struct triage *triage, const struct triage_ids *ids,
                                enum err_code how, const char *why, struct err *err)
{
    const char *status = run_status(how);
    enum err_code rc = db_begin(triage->db, err);

    if (rc != ERR_OK)
        return rc;
    rc = db_run_finish(triage->db, ids->run, status, err);
    if (rc == ERR_OK)
        rc = db_log(triage->db, ids->run, how == ERR_OK ? "end" : status, why, err);
    if (rc == ERR_OK)
        return db_commit(triage->db, err);
    db_rollback(triage->db);
    return rc;
}
