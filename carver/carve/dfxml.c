/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/dfxml.c - see dfxml.h. The order of elements is the schema's. */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "carver/carve/dfxml.h"
#include "carver/case/known_word.h"
#include "carver/cli/about.h"
#include "carver/cli/print_safe.h"

static void dfxml_text(FILE *out, int indent, const char *element, const char *text)
{
    fprintf(out, "%*s<%s>", indent, "", element);
    print_safe_xml(out, text);
    fprintf(out, "</%s>\n", element);
}

static void dfxml_number(FILE *out, int indent, const char *element, uint64_t number)
{
    fprintf(out, "%*s<%s>%" PRIu64 "</%s>\n", indent, "", element, number, element);
}

static void dfxml_environment(FILE *out, const struct written_run *run)
{
    struct utsname os;
    char host[ABOUT_NAME_MAX], user[ABOUT_NAME_MAX];

    fputs("    <execution_environment>\n", out);
    if (uname(&os) == 0) {
        dfxml_text(out, 6, "os_sysname", os.sysname);
        dfxml_text(out, 6, "os_release", os.release);
        dfxml_text(out, 6, "os_version", os.version);
    }
    about_host(host);
    about_user(user);
    dfxml_text(out, 6, "host", host);
    if (uname(&os) == 0)
        dfxml_text(out, 6, "arch", os.machine);
    dfxml_text(out, 6, "command_line", run->command_line);
    dfxml_number(out, 6, "uid", geteuid());
    dfxml_text(out, 6, "username", user);
    dfxml_text(out, 6, "start_time", run->started);
    fputs("    </execution_environment>\n", out);
}

void dfxml_begin(FILE *out, const struct written_run *run)
{
    struct library libraries[ABOUT_LIBRARIES_MAX];
    const uint32_t count = about_libraries(libraries);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<dfxml xmlns=\"http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML\"\n"
          "       xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
          "       xmlns:burin=\"" DFXML_OWN_NAMESPACE "\" version=\"2.0.0-beta.0\">\n"
          "  <metadata>\n    <dc:type>Carve Report</dc:type>\n  </metadata>\n"
          "  <creator>\n    <program>burin</program>\n",
          out);
    dfxml_text(out, 4, "version", about_version());
    fputs("    <build_environment>\n", out);
    dfxml_text(out, 6, "compiler", about_compiler());
    fputs("    </build_environment>\n", out);
    dfxml_environment(out, run);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "    <library name=\"%s\" version=\"", libraries[i].name);
        print_safe_xml(out, libraries[i].version);
        fputs("\"/>\n", out);
    }
    fputs("  </creator>\n  <source>\n", out);
    for (uint32_t i = 0; i < run->image_count; i++)
        dfxml_text(out, 4, "image_filename", run->images[i]);
    fputs("  </source>\n", out);
}

static void dfxml_place_time(FILE *out, const char *name, int64_t time)
{
    char text[ABOUT_TIME_MAX];

    if (time != DB_NO_TIME && about_time(time, text))
        fprintf(out, " %s=\"%s\"", name, text);
}

static void dfxml_place(FILE *out, const struct db_found_in *place)
{
    fprintf(out,
            "    <burin:place partition=\"%" PRIu32 "\" inode=\"%" PRIu64
            "\" file_offset=\"%" PRIu64 "\" kind=\"",
            place->slot, place->inode, place->file_offset);
    print_safe_xml(out, place->kind);
    fputs("\" file_system=\"", out);
    print_safe_xml(out, place->file_system);
    putc('"', out);
    dfxml_place_time(out, "modified", place->modified);
    dfxml_place_time(out, "accessed", place->accessed);
    dfxml_place_time(out, "changed", place->changed);
    dfxml_place_time(out, "created", place->created);
    putc('>', out);
    print_safe_xml(out, place->path);
    fputs("</burin:place>\n", out);
}

static void dfxml_seams(FILE *out, const struct seams *seams)
{
    fputs("    <burin:seams kind=\"", out);
    print_safe_xml(out, seams->kind);
    fprintf(out, "\" bits=\"%" PRIu32 "\" tried=\"%" PRIu64 "\">", seams->bits, seams->tried);
    print_safe_xml(out, seams->text);
    fputs("</burin:seams>\n", out);
}

static void dfxml_mtime(FILE *out, int64_t date)
{
    char text[ABOUT_TIME_MAX];

    if (about_time(date, text))
        dfxml_text(out, 4, "mtime", text);
}

void dfxml_object(FILE *out, const struct written_object *written)
{
    const struct db_object *object = written->object;
    uint64_t at = 0;

    fputs("  <fileobject>\n", out);
    /* Programs that read reports, Autopsy's for one, take it for granted. */
    dfxml_text(out, 4, "filename", written->path != NULL ? written->path : object->name);
    if (written->error != NULL)
        dfxml_text(out, 4, "error", written->error);
    fprintf(out, "    <id>%" PRId64 "</id>\n", object->id);
    dfxml_number(out, 4, "filesize", object->len);
    if (written->date != NULL)
        dfxml_mtime(out, *written->date);
    fputs("    <byte_runs>\n", out);
    for (uint32_t i = 0; i < object->extent_count; i++) {
        fprintf(out,
                "      <byte_run file_offset=\"%" PRIu64 "\" img_offset=\"%" PRIu64
                "\" len=\"%" PRIu64 "\"/>\n",
                at, object->extents[i].offset, object->extents[i].len);
        at += object->extents[i].len;
    }
    fputs("    </byte_runs>\n", out);
    if (written->sha256 != NULL)
        fprintf(out, "    <hashdigest type=\"sha256\">%s</hashdigest>\n", written->sha256);
    dfxml_text(out, 4, "burin:type", object->type);
    dfxml_text(out, 4, "burin:state", object->state);
    dfxml_text(out, 4, "burin:reason", object->reason);
    if (written->seams != NULL && written->seams->count > 0)
        dfxml_seams(out, written->seams);
    if (object->known != DB_KNOWN_UNCHECKED)
        dfxml_text(out, 4, "burin:known", known_word(object->known));
    fprintf(out, "    <burin:image>%" PRId64 "</burin:image>\n", object->image_id);
    if (object->parent_id != 0)
        fprintf(out, "    <burin:parent>%" PRId64 "</burin:parent>\n", object->parent_id);
    if (written->bad_bytes != 0)
        dfxml_number(out, 4, "burin:unreadable_bytes", written->bad_bytes);
    if (written->place != NULL)
        dfxml_place(out, written->place);
    fputs("  </fileobject>\n", out);
}

static void dfxml_usage(FILE *out)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    fputs("  <rusage>\n", out);
    fprintf(out, "    <utime>%ld.%06ld</utime>\n", (long)usage.ru_utime.tv_sec,
            (long)usage.ru_utime.tv_usec);
    fprintf(out, "    <stime>%ld.%06ld</stime>\n", (long)usage.ru_stime.tv_sec,
            (long)usage.ru_stime.tv_usec);
    fprintf(out, "    <maxrss>%ld</maxrss>\n    <minflt>%ld</minflt>\n    <majflt>%ld</majflt>\n",
            usage.ru_maxrss, usage.ru_minflt, usage.ru_majflt);
    fprintf(out,
            "    <nswap>%ld</nswap>\n    <inblock>%ld</inblock>\n    <oublock>%ld</oublock>\n  "
            "</rusage>\n",
            usage.ru_nswap, usage.ru_inblock, usage.ru_oublock);
}

void dfxml_end(FILE *out, const struct written_run *run, const struct written_totals *totals)
{
    dfxml_usage(out);
    fputs("  <burin:end>\n", out);
    for (uint32_t i = 0; i < run->unfinished->count; i++) {
        fprintf(out, "    <burin:unfinished image=\"%" PRId64 "\">",
                run->unfinished->items[i].image_id);
        print_safe_xml(out, run->unfinished->items[i].text);
        fputs("</burin:unfinished>\n", out);
    }
    dfxml_text(out, 4, "burin:status", totals->status);
    dfxml_text(out, 4, "burin:end_time", totals->ended);
    dfxml_number(out, 4, run->folder != NULL ? "burin:files" : "burin:objects", totals->files);
    dfxml_number(out, 4, "burin:bytes", totals->bytes);
    if (run->folder != NULL) {
        dfxml_number(out, 4, "burin:not_written", totals->failed);
        dfxml_number(out, 4, "burin:left_out_embedded", totals->embedded);
        dfxml_number(out, 4, "burin:left_out_truncated", cut_short_sum(&totals->truncated));
        dfxml_number(out, 4, "burin:left_out_by_option", totals->other);
    }
    fputs("  </burin:end>\n</dfxml>\n", out);
}
