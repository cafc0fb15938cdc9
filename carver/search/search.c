/* SPDX-License-Identifier: Apache-2.0
 * carver/search/search.c - `burin search`: where keywords stand in an image.
 *
 * A search goes the way of a scan, with a job of its own: keywords for signatures. Its hits are
 * recorded as a scan's are, and then told with what is known of the places where they stand; or,
 * those of one part of the image, left in a shard.
 */
#include <stdlib.h>
#include <string.h>

#include "carver/case/casefile.h"
#include "carver/case/key_file.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/print_safe.h"
#include "carver/cli/progress.h"
#include "carver/keyword/keyword.h"
#include "carver/keyword/keyword_context.h"
#include "carver/keyword/keyword_sources.h"
#include "carver/scan/scan.h"
#include "carver/scan/scan_keywords.h"
#include "carver/scan/scan_part.h"
#include "carver/search/search_memory.h"
#include "carver/search/search_report.h"
#include "carver/search/search_yara.h"

enum { SEARCH_CONTEXT = 32, SEARCH_COMMAND_LINE_MAX = 16384 };

static const char search_options_text[] =
    "Prints one hit a line, sorted by offset, in columns separated by tabs: offset, keyword, "
    "encoding,\n"
    "object (the innermost one that the case file has there, or \"-\"), place in the file system\n"
    "(\"ntfs:/path (deleted)\", with the partition before it), context, match (\\xHH for bytes "
    "that\n"
    "are not text).\n"
    "\n"
    "What to look for:\n"
    "  KEYWORD...           words in UTF-8; after -- they may begin with a dash\n"
    "  -f, --file FILE      also search for the words of this file, one a line (repeatable;\n"
    "                       -: standard input)\n"
    "  --hex BYTES          also search for these bytes, two hexadecimal digits each, ? for any "
    "digit:\n"
    "                       --hex 'ff d8 ff e?' (repeatable)\n"
    "  --regex EXPR         also search for this regular expression (repeatable); its longest "
    "match "
    "from\n"
    "                       each place on, up to 1024 bytes, and of overlapping ones the first. "
    "One with\n"
    "                       a text in it (AKIA[A-Z2-7]{16}) is as fast as a word; one without "
    "takes 10\n"
    "                       to 25 times as much of the processor\n"
    "  --regex-file FILE    also search for the expressions of this file, one a line (repeatable)\n"
    "  --features LIST      also search for these ready features, comma-separated: email, url, "
    "phone,\n"
    "                       card, iban, ip, btc, key, or all\n"
    "  -i, --ignore-case    take small and capital letters for the same, in all alphabets (in\n"
    "                       expressions: those of ASCII)\n"
    "  --encoding LIST      search for words in these encodings, comma-separated (default\n"
    "                       utf-8,utf-16le; iconv -l lists all)\n"
    "  --yara FILE          instead: the objects of a case file, named in place of IMAGE, that "
    "meet rules of\n"
    "                       YARA in this file (repeatable). Columns: id, rule, namespace, tags, "
    "offset of\n"
    "                       the first string, string, name; \"-\" and why for an object that is "
    "not decided.\n"
    "                       Each has its first 256 MiB looked at. Only --yara-time, --image, "
    "--wait, --sign,\n"
    "                       --no-jail, --quiet and --json go with it\n"
    "  --yara-time SECONDS  time for an object (default 60); then it is not decided\n"
    "  --image PATH         with --yara: read the image here, if it was moved since the scan; for "
    "several\n"
    "                       images once for each, in the order of the case\n"
    "  --range RANGE        search these bytes of the image only: START:LENGTH, or START alone for "
    "all\n"
    "                       bytes from there on\n"
    "  --part K/N           search part K (from 0 on) of N of the image, and leave a shard in the "
    "folder\n"
    "                       of --parts; burin merge makes a case file of all of them\n"
    "  --parts DIR          the folder of the shards\n"
    "Output:\n"
    "  --case FILE          record the hits in this case file, and read its objects; it may be "
    "that of\n"
    "                       a scan (default: name of IMAGE + .burin in the current "
    "directory)\n" CASEFILE_WAIT_TEXT SEAL_TEXT
    "  --context BYTES      bytes of context on each side, 0 to 4096 (default 32)\n"
    "  --no-file-systems    do not ask the file systems, which may take long\n" PROGRESS_TEXT
    "  -q, --quiet          print no progress and no summary\n"
    "  --json               print a JSON array, with ids and lengths too\n"
    "  --help               print this text\n"
    "How:\n" SCAN_HOW_TEXT "\n"
    "Sizes take K, M, G, T (powers of 1024).\n";

enum {
    SEARCH_HEX = SCAN_OPT_OWN,
    SEARCH_REGEX,
    SEARCH_REGEX_FILE,
    SEARCH_FEATURES,
    SEARCH_ENCODING,
    SEARCH_CONTEXT_BYTES,
    SEARCH_NO_FILE_SYSTEMS,
    SEARCH_YARA,
    SEARCH_YARA_TIME,
    SEARCH_IMAGE,
    SEARCH_PART,
    SEARCH_PARTS,
};

static const struct args_option search_table[] = {
    SCAN_COMMON_OPTIONS,
    { "file", 'f', "FILE" },
    { "hex", SEARCH_HEX, "BYTES" },
    { "regex", SEARCH_REGEX, "EXPR" },
    { "regex-file", SEARCH_REGEX_FILE, "FILE" },
    { "features", SEARCH_FEATURES, "LIST" },
    { "ignore-case", 'i', NULL },
    { "encoding", SEARCH_ENCODING, "LIST" },
    { "context", SEARCH_CONTEXT_BYTES, "BYTES" },
    { "no-file-systems", SEARCH_NO_FILE_SYSTEMS, NULL },
    { "yara", SEARCH_YARA, "FILE" },
    { "yara-time", SEARCH_YARA_TIME, "SECONDS" },
    { "image", SEARCH_IMAGE, "PATH" },
    { "part", SEARCH_PART, "K/N" },
    { "parts", SEARCH_PARTS, "DIR" },
    { 0 },
};

struct search {
    struct scan_options scan;
    bool no_file_systems;
    uint64_t context; /* bytes on each side */
    /* Read when all options have been: words depend on --encoding and -i. */
    struct keyword_sources sources;
    struct keyword_source *items; /* of sources; owned */
    struct keyword_set keywords;
    struct search_yara yara;
    const char *no_part;   /* the first option that says nothing to one part; NULL: none */
    const char *no_yara;   /* the first option that says nothing to rules of YARA, */
    const char *yara_only; /* and that says nothing without them; NULL: none */
};

static const char *search_name(int id)
{
    const struct args_option *option = search_table;

    while (option->id != id)
        option++;
    return option->name;
}

/* What an option means with rules of YARA. */
static enum err_code search_take_yara(struct search *s, int id, const char *value, struct err *err)
{
    switch (id) {
    case SEARCH_YARA:
        return args_more_files("--yara", value, s->yara.files, YARA_RULES_FILES_MAX,
                               &s->yara.file_count, err);
    case SEARCH_YARA_TIME:
        s->yara_only = "yara-time";
        return args_count("--yara-time", value, 1, YARA_RULES_SECONDS_MAX, &s->yara.seconds, err);
    case SEARCH_IMAGE:
        s->yara_only = "image";
        return args_more_files("--image", value, s->yara.images, SEARCH_YARA_IMAGES_MAX,
                               &s->yara.image_count, err);
    case SCAN_OPT_JSON:
    case SCAN_OPT_WAIT:
    case KEY_FILE:
    case SCAN_OPT_NO_JAIL:
    case SCAN_OPT_SIGN:
    case SCAN_OPT_QUIET:
        return ERR_OK;
    default:
        s->no_yara = s->no_yara != NULL ? s->no_yara : search_name(id);
        return ERR_OK;
    }
}

static void search_add(struct search *s, enum keyword_source_kind kind, const char *value)
{
    s->items[s->sources.count++] = (struct keyword_source){ kind, value };
}

/* A list of words or expressions; one of them may come from standard input. */
static enum err_code search_take_file(struct search *s, enum keyword_source_kind kind,
                                      const char *value, struct err *err)
{
    const char *name = kind == KEYWORD_FILE ? "--file" : "--regex-file";

    for (uint32_t i = 0; i < s->sources.count && strcmp(value, "-") == 0; i++)
        if (keyword_source_is_file(s->items[i].kind) && strcmp(s->items[i].value, "-") == 0)
            return ERR_RAISE(err, ERR_ARG,
                             "%s - is given twice, and standard input can be read only once", name);
    search_add(s, kind, value);
    return value[0] != '\0' ? ERR_OK : args_file(name, value, err);
}

static enum err_code search_take(struct search *s, int id, const char *value, struct err *err)
{
    switch (id) {
    case 'f':
        return search_take_file(s, KEYWORD_FILE, value, err);
    case SEARCH_REGEX_FILE:
        return search_take_file(s, KEYWORD_REGEX_FILE, value, err);
    case SEARCH_HEX:
    case SEARCH_REGEX:
        search_add(s, id == SEARCH_HEX ? KEYWORD_HEX : KEYWORD_REGEX, value);
        return ERR_OK;
    case SEARCH_FEATURES:
        return feature_packs_parse(value, &s->sources.packs, err);
    case 'i':
        s->sources.ignore_case = true;
        return ERR_OK;
    case SEARCH_ENCODING:
        s->sources.encodings = value;
        return ERR_OK;
    case SEARCH_PART:
        return args_part("--part", value, SCAN_PARTS_MAX, &s->scan.part_number, &s->scan.part_count,
                         err);
    case SEARCH_PARTS:
        s->scan.parts = value;
        return args_file("--parts", value, err);
    case SEARCH_CONTEXT_BYTES:
        s->no_part = "context";
        return args_count("--context", value, 0, KEYWORD_CONTEXT_MAX, &s->context, err);
    case SEARCH_NO_FILE_SYSTEMS:
        s->no_part = "no-file-systems";
        s->no_file_systems = true;
        return ERR_OK;
    case SEARCH_YARA:
    case SEARCH_YARA_TIME:
    case SEARCH_IMAGE:
        return ERR_OK;
    default:
        return scan_how_take(&s->scan.how, id, value, err);
    }
}

static enum err_code search_complete_yara(struct search *s, const struct args *args,
                                          struct err *err)
{
    char **operands;
    int count;

    if (s->no_yara != NULL)
        return ERR_RAISE(err, ERR_ARG,
                         "--%s says nothing with --yara, which looks into the objects of a case "
                         "file: leave it out",
                         s->no_yara);
    enum err_code rc = args_operands(args, 1, 1, "CASE with --yara", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", s->yara.case_path = operands[0], err);
    s->yara.sign = s->scan.how.sign;
    s->yara.wait = s->scan.how.wait;
    s->yara.json = s->scan.how.json;
    s->yara.quiet = s->scan.how.quiet;
    s->yara.no_jail = s->scan.how.no_jail;
    return rc;
}

/* The image, and the words behind it, which are looked for before what the options name. */
static enum err_code search_operands(struct search *s, const struct args *args, int argc,
                                     struct err *err)
{
    char **words = NULL;
    int count = 0;
    const enum err_code rc = args_operands(args, 1, argc, "IMAGE KEYWORD...", &words, &count, err);

    if (rc != ERR_OK)
        return rc;
    s->scan.how.images = words++;
    s->scan.how.image_count = 1;
    count--;
    memmove(s->items + count, s->items, s->sources.count * sizeof *s->items);
    for (int i = 0; i < count; i++)
        s->items[i] = (struct keyword_source){ KEYWORD_WORD, words[i] };
    s->sources.count += (uint32_t)count;
    if (s->sources.count == 0 && s->sources.packs == 0)
        return ERR_RAISE(err, ERR_ARG,
                         "no keyword: name some after the image, or use --file, --hex, --regex or "
                         "--features");
    return ERR_OK;
}

/* What burin merge cannot do again, or does not do, is refused. */
static enum err_code search_check_part(const struct search *s, struct err *err)
{
    const enum err_code rc = scan_options_check_part(&s->scan, err);

    if (rc != ERR_OK || s->scan.parts == NULL)
        return rc;
    if (s->no_part != NULL || s->scan.how.json)
        return ERR_RAISE(err, ERR_ARG,
                         "--%s says nothing with --part, which prints no hits: leave it out; burin "
                         "list --found prints those of the merged case file",
                         s->no_part != NULL ? s->no_part : "json");
    for (uint32_t i = 0; i < s->sources.count; i++)
        if (keyword_source_is_file(s->items[i].kind) && strcmp(s->items[i].value, "-") == 0)
            return ERR_RAISE(err, ERR_ARG,
                             "--part and words from standard input: burin merge reads them again; "
                             "name a file");
    return ERR_OK;
}

static enum err_code search_read_options(int argc, char **argv, struct search *s, struct err *err)
{
    struct args args;
    const char *value = NULL;
    int id = ARGS_END;
    enum err_code rc;

    s->items = calloc((size_t)argc + 1, sizeof *s->items);
    if (s->items == NULL)
        return ERR_NO_MEMORY(err, (size_t)argc * sizeof *s->items);
    s->sources.items = s->items;
    args_begin(&args, "search", search_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = search_take_yara(s, id, value, err)) != ERR_OK ||
            (rc = search_take(s, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK && s->yara.file_count > 0)
        return search_complete_yara(s, &args, err);
    if (rc == ERR_OK && s->yara_only != NULL)
        return ERR_RAISE(err, ERR_ARG, "--%s goes with --yara alone", s->yara_only);
    if (rc == ERR_OK)
        rc = search_operands(s, &args, argc, err);
    if (rc == ERR_OK)
        rc = search_check_part(s, err);
    return rc == ERR_OK ? scan_how_complete(&s->scan.how, err) : rc;
}

/* Has the keywords looked for; the case file may be there already, with scans of the image. */
static enum err_code search_image(struct search *s, const char *command_line,
                                  enum exit_status *status, struct err *err)
{
    struct search_report report = { .how = &s->scan.how,
                                    .keywords = &s->keywords,
                                    .context = (uint32_t)s->context,
                                    .no_file_systems = s->no_file_systems };
    struct patterns patterns = { 0 };
    char memory[SEARCH_MEMORY_NOTE] = "";
    enum err_code rc = keyword_patterns(&s->keywords, &patterns, err);

    if (rc == ERR_OK)
        rc = search_memory(&s->keywords, &patterns, &s->scan.how, memory, err);
    if (rc == ERR_OK && memory[0] != '\0' && !s->scan.how.quiet)
        print_safe_line(stderr, "burin: search: %s", memory);
    if (rc == ERR_OK) {
        const struct scan_job job = {
            .command = "search",
            .command_line = command_line,
            .how = &s->scan.how,
            .plan = scan_keywords_plan(&s->keywords, &patterns),
            .note = memory[0] != '\0' ? memory : NULL,
            .row_count = s->keywords.count,
            .keywords = &s->keywords,
            .sources = &s->sources,
            .name = search_report_name,
            .report = search_report,
            .arg = &report,
        };

        rc = s->scan.parts != NULL ? scan_part(&job, &s->scan, status, err)
                                   : scan_images(&job, status, err);
    }
    patterns_release(&patterns);
    return rc;
}

static enum err_code search_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    char command_line[SEARCH_COMMAND_LINE_MAX];
    struct search s = { .scan = { .how = scan_how_defaults(), .hits_only = true, .align = 1 },
                        .sources = { .encodings = "utf-8,utf-16le" },
                        .context = SEARCH_CONTEXT,
                        .yara = { .command_line = command_line, .seconds = YARA_RULES_SECONDS } };

    args_quote(argc, argv, command_line, sizeof command_line);
    enum err_code rc = search_read_options(argc, argv, &s, err);
    const bool yara = s.yara.file_count > 0;
    if (rc == ERR_OK && yara)
        rc = search_yara(&s.yara, status, err);
    if (rc == ERR_OK && !yara)
        rc = keyword_sources_read(&s.sources, &s.keywords, err);
    if (rc == ERR_OK && !yara)
        rc = search_image(&s, command_line, status, err);
    keyword_set_close(&s.keywords);
    free(s.items);
    return rc;
}

const struct command command_search = {
    .name = "search",
    .arguments = "[options] IMAGE KEYWORD...",
    .what = "find keywords in a disk image, in any encoding, and record them in its case file",
    .options = search_options_text,
    .run = search_run,
};
