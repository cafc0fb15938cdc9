/* SPDX-License-Identifier: Apache-2.0
 * carver/carve/audit.c - see audit.h. The columns are those that Scalpel 1.60 and 2.x write, white
 * space included. */
#include <inttypes.h>
#include <string.h>

#include "carver/carve/audit.h"
#include "carver/case/known_word.h"
#include "carver/cli/about.h"
#include "carver/cli/print_safe.h"

static void audit_words(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    print_safe(out, text);
    putc('\n', out);
}

void audit_begin(FILE *out, const struct written_run *run)
{
    fprintf(out, "\nburin version %s (build %s) audit file\n", about_version(), about_build());
    fprintf(out, "Started at %s\n", run->started);
    fputs("Command line:\n", out);
    audit_words(out, "", run->command_line);
    audit_words(out, "\nOutput directory: ", run->folder);
    audit_words(out, "Case file: ", run->case_path);
    for (uint32_t i = 0; i < run->unfinished->count; i++)
        audit_words(out, "Not all that could be found: ", run->unfinished->items[i].text);
}

void audit_image(FILE *out, const char *image_path)
{
    fputs("\nOpening target \"", out);
    print_safe(out, image_path);
    fputs("\"\n\nThe following files were carved:\n", out);
    fputs("File\t\t  Start\t\t\tChop\t\tLength\t\tExtracted From\t\tSHA-256\t\tState\n", out);
}

void audit_object(FILE *out, const struct written_object *written, const char *image_path)
{
    const struct db_object *object = written->object;
    const char *base = strrchr(image_path, '/');

    if (written->path == NULL) {
        fprintf(out, "Not written: object %" PRId64 " at offset %" PRIu64 ": ", object->id,
                object->offset);
        print_safe(out, written->error);
        putc('\n', out);
        return;
    }
    print_safe(out, written->path);
    fprintf(out, " %12" PRIu64 "\t\t%s%13" PRIu64 "\t\t", object->offset,
            strcmp(object->state, "truncated") == 0 ? "YES" : "NO ", object->len);
    print_safe(out, base != NULL && base[1] != '\0' ? base + 1 : image_path);
    fprintf(out, "\t\t%s\t", written->sha256);
    print_safe(out, object->state);
    if (written->seams != NULL && written->seams->count > 0) {
        fprintf(out, ", %" PRIu32 " pieces by ", object->extent_count);
        print_safe(out, written->seams->kind);
        fputs(": ", out);
        print_safe(out, written->seams->text);
    }
    if (object->known >= DB_KNOWN_LISTED)
        fprintf(out, ", known%s%s", object->known == DB_KNOWN_LISTED ? "" : " to be ",
                object->known == DB_KNOWN_LISTED ? "" : known_word(object->known));
    if (written->bad_bytes != 0)
        fprintf(out, ", %" PRIu64 " bytes unreadable", written->bad_bytes);
    if (written->shared != 0)
        fprintf(out, ", %" PRIu64 " bytes shared with the image", written->shared);
    putc('\n', out);
}

void audit_end(FILE *out, const struct written_totals *totals)
{
    fprintf(out,
            "\n%" PRIu64 " files, %" PRIu64 " bytes; %" PRIu64 " with unreadable bytes; %" PRIu64
            " not written\n",
            totals->files, totals->bytes, totals->unreadable, totals->failed);
    if (totals->shared != 0)
        fprintf(out,
                "%" PRIu64 " bytes were not copied: the file system shares their blocks between "
                "files and images\n",
                totals->shared);
    fprintf(out,
            "Left out: %" PRIu64 " embedded, %" PRIu64 " truncated, %" PRIu64 " by type or size\n",
            totals->embedded, cut_short_sum(&totals->truncated), totals->other);
    audit_words(out, "Status: ", totals->status);
    fprintf(out, "\nCompleted at %s\n", totals->ended);
}
