/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search_report.c - see search_report.h. */
#include <inttypes.h>
#include <stdio.h>

#include "carver/cli/interrupt.h"
#include "carver/cli/print_place.h"
#include "carver/cli/print_safe.h"
#include "carver/scan/scan_keywords.h"
#include "carver/search/search_report.h"

void search_report_name(void *arg, uint32_t number, struct scan_name *out)
{
    const struct search_report *s = arg;

    scan_keywords_name(s->keywords, number, out);
}

static void search_report_put_json(struct search_report *s, const struct db_hit *hit,
                                   const struct keyword *keyword, const struct object_place *object,
                                   const struct io_area *area)
{
    json_open_object(&s->json, NULL);
    json_int(&s->json, "id", hit->id);
    json_uint(&s->json, "offset", hit->offset);
    json_uint(&s->json, "length", hit->len);
    json_string(&s->json, "keyword", keyword->text);
    json_string(&s->json, "encoding", keyword->encoding);
    object_place_json(object, &s->json);
    if (area->kind != IO_AREA_NONE) {
        json_open_object(&s->json, "area");
        json_string(&s->json, "kind", io_area_kind_name(area->kind));
        json_uint(&s->json, "partition", area->partition);
        json_string(&s->json, "file_system", area->file_system);
        json_string(&s->json, "path", area->path);
        json_uint(&s->json, "inode", area->inode);
        json_uint(&s->json, "file_offset", area->file_offset);
        json_close_object(&s->json);
    } else {
        json_null(&s->json, "area");
    }
}

static void search_report_put_line(const struct db_hit *hit, const struct keyword *keyword,
                                   const struct object_place *object, const struct io_area *area)
{
    printf("%" PRIu64 "\t", hit->offset);
    print_safe(stdout, keyword->text);
    printf("\t%s\t", keyword->encoding);
    print_safe(stdout, object != NULL ? object->name : "-");
    putchar('\t');
    print_place(stdout, area->partition, area->file_system, area->path,
                io_area_kind_name(area->kind));
}

/* What a feature is, however it is written there: in JSON alone. */
static enum err_code search_report_put_value(struct search_report *s, const struct db_hit *hit,
                                             const struct keyword *keyword, struct err *err)
{
    char value[FEATURE_LEN_MAX + 1];
    const uint8_t *bytes;

    if (!s->how->json || !keyword->feature)
        return ERR_OK;
    const enum err_code rc = keyword_context_bytes(s->around, hit->offset, hit->len, &bytes, err);
    if (rc == ERR_OK) {
        feature_value(keyword->pack, bytes, hit->len, keyword->zeros_before, keyword->zeros_after,
                      value);
        json_string(&s->json, "value", value);
    }
    return rc;
}

/* File systems are asked when there is something to ask them. */
static enum err_code search_report_open_areas(struct search_report *s, struct err *err)
{
    if (s->no_file_systems || s->fsmap != NULL)
        return ERR_OK;
    const enum err_code rc = io_fsmap_open(s->image, interrupt_requested, NULL, &s->fsmap, err);
    if (rc == ERR_OK && io_fsmap_note(s->fsmap)[0] != '\0' && !s->how->quiet)
        print_safe_line(stderr, "burin: search: %s: %s", s->how->images[0],
                        io_fsmap_note(s->fsmap));
    return rc;
}

static enum err_code search_report_tell(void *arg, const struct db_hit *hit, struct err *err)
{
    struct search_report *s = arg;

    if (interrupt_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; all hits are in %s",
                         s->how->case_path);
    if (ferror(stdout))
        return ERR_OK; /* main.c says so */
    /* Signatures of a run are numbered without a gap. */
    const struct keyword *keyword = &s->keywords->items[hit->signature_id - s->ids->signatures[0]];
    const struct object_place *object = object_places_at(s->places, hit->offset);
    enum err_code rc = search_report_open_areas(s, err);
    if (rc != ERR_OK)
        return rc;
    const struct io_area area = s->fsmap != NULL
                                    ? io_fsmap_find(s->fsmap, hit->offset)
                                    : (struct io_area){ .file_system = "", .path = "" };
    s->told++;
    if (s->how->json)
        search_report_put_json(s, hit, keyword, object, &area);
    else
        search_report_put_line(hit, keyword, object, &area);
    rc = keyword_context_put(s->around, hit->offset, hit->len, s->context, keyword,
                             s->how->json ? &s->json : NULL, stdout, err);
    if (rc == ERR_OK)
        rc = search_report_put_value(s, hit, keyword, err);
    if (s->how->json)
        json_close_object(&s->json);
    else
        putchar('\n');
    return rc;
}

enum err_code search_report(void *arg, const struct scan_done *done, struct err *err)
{
    struct search_report *s = arg;
    const struct scan_ids *ids = done->ids;
    enum err_code rc = object_places_open(done->db, ids->image, &s->places, err);

    s->ids = ids;
    s->image = done->image;
    if (rc == ERR_OK)
        rc = keyword_context_open(done->image, s->keywords, &s->around, err);
    if (rc == ERR_OK && s->how->json) {
        json_init(&s->json, stdout, 1);
        json_open_array(&s->json, NULL);
    }
    if (rc == ERR_OK)
        rc = db_hits_walk(done->db, ids->image, ids->before, search_report_tell, s, err);
    if (rc == ERR_OK && s->how->json) {
        json_close_array(&s->json);
        json_end(&s->json);
    }
    if (rc == ERR_OK && !s->how->quiet)
        scan_keywords_tell(s->how, done, s->told);
    io_fsmap_close(s->fsmap);
    keyword_context_close(s->around);
    object_places_close(s->places);
    return rc;
}
