/* SPDX-License-Identifier: Apache-2.0
 * carver/report/csv.c - a line for each object, for spreadsheets and data frames.
 *
 * Source: RFC 4180; https://owasp.org/www-community/attacks/CSV_Injection for formulas. A tab or
 * a line end, which begin a formula or a line, are not in a field: they stand as \x09 and \x0A.
 */
#include "carver/case/known_word.h"
#include "carver/cli/about.h"
#include "carver/cli/print_number.h"
#include "carver/report/put_text.h"
#include "carver/report/report.h"
#include "signatures/category.h"
#include "signatures/media.h"

static void csv_extents(FILE *out, const struct db_object *object)
{
    for (uint32_t i = 0; i < object->extent_count; i++) {
        putc(i == 0 ? ',' : ' ', out);
        print_uint(out, object->extents[i].offset);
        putc('+', out);
        print_uint(out, object->extents[i].len);
    }
    if (object->extent_count == 0)
        putc(',', out);
}

static void csv_time(FILE *out, int64_t time)
{
    char text[ABOUT_TIME_MAX];

    putc(',', out);
    if (time != DB_NO_TIME && about_time(time, text))
        fputs(text, out);
}

static void csv_place(FILE *out, const struct db_found_in *place)
{
    putc(',', out);
    if (place == NULL) {
        fputs(",,,,,,,,,", out);
        return;
    }
    put_csv(out, place->kind);
    putc(',', out);
    print_uint(out, place->slot);
    putc(',', out);
    put_csv(out, place->file_system);
    putc(',', out);
    put_csv(out, place->path);
    putc(',', out);
    print_uint(out, place->inode);
    putc(',', out);
    print_uint(out, place->file_offset);
    csv_time(out, place->modified);
    csv_time(out, place->accessed);
    csv_time(out, place->changed);
    csv_time(out, place->created);
}

/* The object's own date, and what else it says of itself, as far as there are columns. */
static void csv_facts(FILE *out, const struct facts *facts)
{
    static const char *const keys[] = { "camera.make", "camera.model", "gps.lat", "gps.lon",
                                        "width",       "height",       "title",   "author" };
    const struct db_fact *date = facts_own_date(facts);
    char time[FACTS_TIME_MAX] = "";

    if (date != NULL)
        facts_time(date, time);
    fprintf(out, ",%s,", time);
    put_csv(out, date != NULL ? date->key : "");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct db_fact *fact = facts_find(facts, keys[i]);

        putc(',', out);
        put_csv(out, fact != NULL ? fact->value : "");
    }
}

static enum err_code csv_object(void *arg, const struct report_object *report, struct err *err)
{
    const struct db_object *object = report->object;
    const char *const media_type = sig_media_type(object->type), *const pronom =
                                                                     sig_pronom(object->type);
    FILE *const out = arg;

    (void)err;
    print_int(out, object->id);
    putc(',', out);
    print_int(out, object->image_id);
    putc(',', out);
    put_csv(out, object->type);
    putc(',', out);
    put_csv(out, sig_category_name(sig_category_of(object->type)));
    putc(',', out);
    put_csv(out, object->extension);
    putc(',', out);
    put_csv(out, object->state);
    putc(',', out);
    put_csv(out, object->reason);
    putc(',', out);
    print_uint(out, object->offset);
    putc(',', out);
    print_uint(out, object->len);
    csv_extents(out, object);
    putc(',', out);
    fputs(object->sha256 != NULL ? object->sha256 : "", out);
    putc(',', out);
    fputs(known_word(object->known), out);
    putc(',', out);
    if (object->parent_id != 0)
        print_int(out, object->parent_id);
    putc(',', out);
    put_csv(out, report->name);
    csv_place(out, report->place);
    csv_facts(out, report->facts);
    putc(',', out);
    put_csv(out, media_type != NULL ? media_type : "");
    putc(',', out);
    put_csv(out, pronom != NULL ? pronom : "");
    fputs("\r\n", out);
    return ERR_OK;
}

enum err_code report_csv(struct report *report, struct err *err)
{
    fputs("id,image,type,category,extension,state,reason,offset,length,extents,sha256,known,parent,"
          "name,place,partition,file_system,path,inode,file_offset,file_modified,file_"
          "accessed,file_changed,file_created,date,date_of,camera_make,camera_model,latitude,"
          "longitude,"
          "width,height,title,author,media_type,pronom\r\n",
          report->out);
    return report_objects(report, csv_object, report->out, err);
}
