/*
 * carver/report/csv.c - a line for each object, for spreadsheets and data frames.
 *
 * Source: RFC 4180; https://owasp.org/www-community/attacks/CSV_Injection for formulas. A tab or
 * a line end, which begin a formula or a line, are not in a field: they stand as \x09 and \x0A.
 */
#include "carver/case/known_word.h"
#include "carver/cli/print_number.h"
#include "carver/report/put_text.h"
#include "carver/report/report.h"
#include "signatures/category.h"

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

static void csv_place(FILE *out, const struct db_found_in *place)
{
    putc(',', out);
    if (place == NULL) {
        fputs(",,,,,", out);
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
}

static enum err_code csv_object(void *arg, const struct report_object *report, struct err *err)
{
    const struct db_object *object = report->object;
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
    fputs("\r\n", out);
    return ERR_OK;
}

enum err_code report_csv(struct report *report, struct err *err)
{
    fputs("id,image,type,category,extension,state,reason,offset,length,extents,sha256,known,parent,"
          "name,place,partition,file_system,path,inode,file_offset\r\n",
          report->out);
    return report_objects(report, csv_object, report->out, err);
}
