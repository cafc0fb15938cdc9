/* SPDX-License-Identifier: Apache-2.0
 * carver/report/case.c - CASE/UCO 1.4.0 as JSON-LD: each object with its hash and with the bytes of
 * the image that it is made of, the images, the runs and the programs that found them.
 *
 * All nodes have names (case_id.h), all numbers types, so that no reader takes them for floats.
 * Source: https://ontology.caseontology.org/ and https://ontology.unifiedcyberontology.org/, 1.4.0.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "carver/report/case_nodes.h"
#include "carver/report/report.h"
#include "signatures/category.h"
#include "signatures/media.h"

/* An object that was written: what is said of all of them comes behind the last one. */
struct case_object {
    int64_t id, parent_id, image_id;
    char uuid[CASE_UUID];
};

struct case_report {
    struct case_nodes nodes;
    struct db_case *db;
    char (*images)[CASE_UUID]; /* of image i + 1 */
    uint32_t image_count;
    struct case_object *objects;
    size_t count, room;
    char tool[CASE_UUID]; /* that was written last */
};

static void case_range(struct case_report *report, const char *source, const char *image,
                       const struct db_extent *extent)
{
    struct json *json = &report->nodes.json;

    case_node_relation(&report->nodes, source, "Contained_Within", "Image", image);
    json_open_array(json, "uco-core:hasFacet");
    case_node_begin_part(&report->nodes, "uco-observable:DataRangeFacet", source);
    case_node_number(json, "uco-observable:rangeOffset", extent->offset);
    case_node_number(json, "uco-observable:rangeSize", extent->len);
    json_close_object(json);
    json_close_array(json);
    json_close_object(json);
}

static void case_pieces(struct case_report *report, const struct db_object *object,
                        const char *uuid, const char *image)
{
    struct json *json = &report->nodes.json;

    if (object->extent_count == 1) {
        case_range(report, uuid, image, &object->extents[0]);
        return;
    }
    for (uint32_t i = 0; i < object->extent_count; i++) {
        char number[16], piece[CASE_UUID];

        snprintf(number, sizeof number, "%" PRIu32, i);
        case_id_uuid(report->nodes.id, piece, uuid, "piece", number, NULL);
        case_node_begin(&report->nodes, "uco-observable:ContentData", piece);
        json_close_object(json);
        case_node_relation(&report->nodes, uuid, "Has_Fragment", "ContentData", piece);
        json_open_array(json, "uco-core:hasFacet");
        case_node_begin_part(&report->nodes, "uco-observable:FragmentFacet", piece);
        case_node_number(json, "uco-observable:fragmentIndex", i);
        case_node_number(json, "uco-observable:totalFragments", object->extent_count);
        json_close_object(json);
        json_close_array(json);
        json_close_object(json);
        case_range(report, piece, image, &object->extents[i]);
    }
}

static const char *case_recovered(const char *state)
{
    return strcmp(state, "truncated") == 0 ? "partially recovered"
           : strcmp(state, "footer") == 0  ? "unknown"
                                           : "recovered";
}

static void case_facets(struct case_report *report, const struct report_object *found,
                        const char *uuid)
{
    const struct db_object *object = found->object;
    const struct db_fact *width = facts_find(found->facts, "width"),
                         *height = facts_find(found->facts, "height");
    struct json *json = &report->nodes.json;

    json_open_array(json, "uco-core:hasFacet");
    case_node_begin_part(&report->nodes, "uco-observable:RecoveredObjectFacet", uuid);
    json_string(json, "uco-observable:contentRecoveredStatus", case_recovered(object->state));
    json_string(json, "uco-observable:nameRecoveredStatus", "unknown");
    json_string(json, "uco-observable:metadataRecoveredStatus", "unknown");
    json_close_object(json);
    case_node_begin_part(&report->nodes, "uco-observable:ContentDataFacet", uuid);
    case_node_number(json, "uco-observable:sizeInBytes", object->len);
    if (sig_media_type(object->type) != NULL)
        json_string(json, "uco-observable:mimeType", sig_media_type(object->type));
    if (object->sha256 != NULL) {
        json_open_array(json, "uco-observable:hash");
        case_node_hash(&report->nodes, uuid, "SHA256", object->sha256);
        json_close_array(json);
    }
    json_close_object(json);
    if (sig_category_of(object->type) == SIG_CATEGORY_PICTURES && width != NULL && height != NULL &&
        width->has_number && height->has_number && width->number > 0 && height->number > 0) {
        case_node_begin_part(&report->nodes, "uco-observable:RasterPictureFacet", uuid);
        case_node_number(json, "uco-observable:pictureWidth", (uint64_t)width->number);
        case_node_number(json, "uco-observable:pictureHeight", (uint64_t)height->number);
        json_string(json, "uco-observable:pictureType", object->type);
        json_close_object(json);
    }
    json_close_array(json);
}

static enum err_code case_keep(struct case_report *report, const struct db_object *object,
                               const char *uuid, struct err *err)
{
    if (report->count == report->room) {
        const size_t room = report->room == 0 ? 1024 : 2 * report->room;
        struct case_object *objects = realloc(report->objects, room * sizeof *objects);

        if (objects == NULL)
            return ERR_NO_MEMORY(err, room * sizeof *objects);
        report->objects = objects;
        report->room = room;
    }
    struct case_object *to = &report->objects[report->count++];
    *to = (struct case_object){ object->id, object->parent_id, object->image_id, "" };
    memcpy(to->uuid, uuid, CASE_UUID);
    return ERR_OK;
}

static enum err_code case_object(void *arg, const struct report_object *found, struct err *err)
{
    struct case_report *report = arg;
    const struct db_object *object = found->object;
    struct json *json = &report->nodes.json;
    char uuid[CASE_UUID], text[CASE_ID];

    if (object->image_id < 1 || object->image_id > report->image_count)
        return ERR_RAISE(err, ERR_INPUT,
                         "object %" PRId64 " lies in image %" PRId64 ", which is not there",
                         object->id, object->image_id);
    const char *image = report->images[object->image_id - 1];
    case_id_object(report->nodes.id, image, object, uuid);
    case_id_text("ContentData", uuid, text);
    json_open_object(json, NULL);
    json_string(json, "@id", text);
    json_open_array(json, "@type");
    json_string(json, NULL, "uco-observable:ContentData");
    json_string(json, NULL, "uco-observable:RecoveredObject");
    json_close_array(json);
    json_string(json, "uco-core:name", found->name);
    json_string(json, "uco-core:description", object->reason);
    case_facets(report, found, uuid);
    json_close_object(json);
    case_pieces(report, object, uuid, image);
    return case_keep(report, object, uuid, err);
}

/* ---- the images ---- */

struct case_medium {
    struct case_report *report;
    char sha256[DB_SHA256_HEX + 1]; /* "": not known */
};

static enum err_code case_take_hash(void *arg, const struct db_image_hash *hash, struct err *err)
{
    struct case_medium *medium = arg;

    (void)err;
    if (strcmp(hash->kind, "sha256") == 0 && hash->filled == 0 &&
        strlen(hash->digest) == DB_SHA256_HEX)
        memcpy(medium->sha256, hash->digest, DB_SHA256_HEX + 1);
    return ERR_OK;
}

/* Its name is that of its bytes, or, where they were not hashed, of its path and size. */
static enum err_code case_image(struct case_report *report, int64_t number, struct err *err)
{
    struct case_medium medium = { .report = report };
    struct json *json = &report->nodes.json;
    struct db_image image;
    char *uuid = report->images[number - 1], size[24];
    enum err_code rc = db_image_hashes(report->db, number, case_take_hash, &medium, err);

    if (rc == ERR_OK)
        rc = db_image_get(report->db, number, &image, err);
    if (rc != ERR_OK)
        return rc;
    snprintf(size, sizeof size, "%" PRIu64, image.size);
    if (medium.sha256[0] != '\0')
        case_id_uuid(report->nodes.id, uuid, "image", medium.sha256, NULL);
    else
        case_id_uuid(report->nodes.id, uuid, "image", size, image.path, NULL);
    case_node_begin(&report->nodes, "uco-observable:Image", uuid);
    json_open_array(json, "uco-core:hasFacet");
    case_node_begin_part(&report->nodes, "uco-observable:ImageFacet", uuid);
    json_string(json, "uco-observable:imageType", image.format);
    json_close_object(json);
    case_node_begin_part(&report->nodes, "uco-observable:FileFacet", uuid);
    json_string(json, "uco-observable:filePath", image.path);
    json_close_object(json);
    case_node_begin_part(&report->nodes, "uco-observable:ContentDataFacet", uuid);
    case_node_number(json, "uco-observable:sizeInBytes", image.size);
    if (medium.sha256[0] != '\0') {
        json_open_array(json, "uco-observable:hash");
        case_node_hash(&report->nodes, uuid, "SHA256", medium.sha256);
        json_close_array(json);
    }
    json_close_object(json);
    json_close_array(json);
    json_close_object(json);
    return ERR_OK;
}

static enum err_code case_images(struct case_report *report, struct err *err)
{
    enum err_code rc = db_image_count(report->db, &report->image_count, err);

    if (rc == ERR_OK)
        report->images = calloc((size_t)report->image_count + 1, sizeof *report->images);
    if (rc == ERR_OK && report->images == NULL)
        rc = ERR_NO_MEMORY(err, report->image_count * sizeof *report->images);
    for (uint32_t i = 0; rc == ERR_OK && i < report->image_count; i++)
        rc = case_image(report, (int64_t)i + 1, err);
    return rc;
}

/* ---- behind the objects ---- */

static int case_by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct case_object *)a)->id, y = ((const struct case_object *)b)->id;

    return (x > y) - (x < y);
}

/* Which objects lie in which others, of those that were written. */
static void case_parents(struct case_report *report)
{
    if (report->count > 0)
        qsort(report->objects, report->count, sizeof *report->objects, case_by_id);
    for (size_t i = 0; i < report->count; i++) {
        const struct case_object key = { .id = report->objects[i].parent_id };
        const struct case_object *parent =
            key.id != 0 ? bsearch(&key, report->objects, report->count, sizeof key, case_by_id)
                        : NULL;

        if (parent == NULL)
            continue;
        case_node_relation(&report->nodes, report->objects[i].uuid, "Contained_Within",
                           "ContentData", parent->uuid);
        json_close_object(&report->nodes.json);
    }
}

/* What was found in each image. */
static void case_records(struct case_report *report)
{
    struct json *json = &report->nodes.json;

    for (uint32_t i = 0; i < report->image_count; i++) {
        case_node_begin_part(&report->nodes, "case-investigation:ProvenanceRecord",
                             report->images[i]);
        json_string(json, "uco-core:description", "Files that were found in the image");
        json_open_array(json, "uco-core:object");
        for (size_t o = 0; o < report->count; o++)
            if (report->objects[o].image_id == (int64_t)i + 1)
                case_node_reference(json, NULL, "ContentData", report->objects[o].uuid);
        json_close_array(json);
        json_close_object(json);
    }
}

/* The runs over images, and the program of each. */
static enum err_code case_run(void *arg, const struct db_run *run, struct err *err)
{
    struct case_report *report = arg;
    struct json *json = &report->nodes.json;
    char tool[CASE_UUID], uuid[CASE_UUID], record[CASE_UUID], number[24];

    (void)err;
    if (run->image_id < 1 || run->image_id > report->image_count)
        return ERR_OK;
    const char *image = report->images[run->image_id - 1];
    case_id_uuid(report->nodes.id, tool, "tool", run->version, run->build, NULL);
    if (strcmp(tool, report->tool) != 0) {
        memcpy(report->tool, tool, CASE_UUID);
        case_node_begin(&report->nodes, "uco-tool:Tool", tool);
        json_string(json, "uco-core:name", "burin");
        json_string(json, "uco-core:description", run->libraries);
        json_string(json, "uco-tool:toolType", "file carver");
        snprintf(number, sizeof number, "%.20s", run->version);
        json_string(json, "uco-tool:version", number);
        json_close_object(json);
    }
    snprintf(number, sizeof number, "%" PRId64, run->id);
    case_id_uuid(report->nodes.id, uuid, image, "run", number, run->host, run->started, NULL);
    case_id_uuid(report->nodes.id, record, image, "case-investigation:ProvenanceRecord", NULL);
    case_node_begin(&report->nodes, "case-investigation:InvestigativeAction", uuid);
    json_string(json, "uco-core:name", run->command);
    json_string(json, "uco-core:description", run->command_line);
    case_node_time(json, "uco-action:startTime", run->started);
    case_node_time(json, "uco-action:endTime", run->ended);
    case_node_reference(json, "uco-action:instrument", "Tool", tool);
    case_node_reference(json, "uco-action:object", "Image", image);
    case_node_reference(json, "uco-action:result", "ProvenanceRecord", record);
    json_close_object(json);
    return ERR_OK;
}

static void case_context(struct json *json)
{
    static const char *const prefixes[][2] = {
        { "kb", CASE_ID_PREFIX },
        { "case-investigation", "https://ontology.caseontology.org/case/investigation/" },
        { "uco-action", "https://ontology.unifiedcyberontology.org/uco/action/" },
        { "uco-core", "https://ontology.unifiedcyberontology.org/uco/core/" },
        { "uco-observable", "https://ontology.unifiedcyberontology.org/uco/observable/" },
        { "uco-tool", "https://ontology.unifiedcyberontology.org/uco/tool/" },
        { "uco-types", "https://ontology.unifiedcyberontology.org/uco/types/" },
        { "xsd", "http://www.w3.org/2001/XMLSchema#" },
    };

    json_open_object(json, "@context");
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        json_string(json, prefixes[i][0], prefixes[i][1]);
    json_close_object(json);
}

enum err_code report_case(struct report *report, struct err *err)
{
    struct case_report work = { .db = report->db };
    struct json *json = &work.nodes.json;
    enum err_code rc = case_id_open(&work.nodes.id, err);

    json_init(json, report->out, 2);
    json_open_object(json, NULL);
    case_context(json);
    json_open_array(json, "@graph");
    if (rc == ERR_OK)
        rc = case_images(&work, err);
    if (rc == ERR_OK)
        rc = report_objects(report, case_object, &work, err);
    if (rc == ERR_OK) {
        case_parents(&work);
        case_records(&work);
        rc = db_runs_walk(report->db, case_run, &work, err);
    }
    if (rc == ERR_OK)
        rc = case_id_failed(work.nodes.id, err);
    if (rc == ERR_OK) {
        json_close_array(json);
        json_close_object(json);
        json_end(json);
    }
    free(work.objects);
    free(work.images);
    case_id_close(work.nodes.id);
    return rc;
}
