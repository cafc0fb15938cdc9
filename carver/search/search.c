/*
 * carver/search/search.c - `burin search`: where keywords stand in an image.
 *
 * A search goes the way of a scan, with a job of its own: keywords for signatures. Its hits are
 * recorded as a scan's are, and then told with what is known of the places where they stand.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carver/case/casefile.h"
#include "carver/cli/args.h"
#include "carver/cli/command.h"
#include "carver/cli/json.h"
#include "carver/cli/stop.h"
#include "carver/cli/text.h"
#include "carver/keyword/keyword.h"
#include "carver/scan/scan.h"
#include "carver/search/search_context.h"
#include "carver/search/search_places.h"
#include "io/areas.h"

enum { SEARCH_CONTEXT = 32, SEARCH_COMMAND_LINE_MAX = 16384 };

static const char search_options_text[] =
    "One hit a line, sorted by offset, separated by tabs: offset, keyword, encoding, object (the\n"
    "innermost one that the case file knows there, or \"-\"), what the file system says of the "
    "place\n"
    "(\"ntfs:/path (deleted)\", with the partition before it), context (\\xHH for what is no "
    "text).\n"
    "\n"
    "What to look for:\n"
    "  KEYWORD...           words in UTF-8; after -- they may begin with a dash\n"
    "  -f, --file FILE      the words of this file too, one a line (repeatable; -: standard "
    "input)\n"
    "  --hex BYTES          these bytes too, two hexadecimal digits each, ? for any digit:\n"
    "                       --hex 'ff d8 ff e?' (repeatable)\n"
    "  -i, --ignore-case    small and capital letters are the same, in all alphabets\n"
    "  --encoding LIST      how words may be written, comma-separated (default\n"
    "                       utf-8,utf-16le; iconv -l lists what there is)\n"
    "  --range RANGE        only these bytes of the image: START:LENGTH, or START alone for all\n"
    "                       from there\n"
    "Output:\n"
    "  --case FILE          record the hits in this case file, and take its objects; it may be "
    "that of\n"
    "                       a scan (default: IMAGE's name + .burin in the current "
    "directory)\n" CASEFILE_WAIT_TEXT
    "  --context BYTES      context on each side, 0 to 4096 (default 32)\n"
    "  --no-file-systems    do not ask file systems, which may take a while\n"
    "  -q, --quiet          no progress, no summary\n"
    "  --json               a JSON array, with ids and lengths too\n"
    "  --help               this text\n"
    "How:\n" SCAN_HOW_TEXT "\n"
    "Sizes take K, M, G, T (powers of 1024).\n";

enum { SEARCH_HEX = SCAN_OPT_OWN, SEARCH_ENCODING, SEARCH_CONTEXT_BYTES, SEARCH_NO_FILE_SYSTEMS };

static const struct args_option search_table[] = {
    SCAN_COMMON_OPTIONS,
    { "file", 'f', "FILE" },
    { "hex", SEARCH_HEX, "BYTES" },
    { "ignore-case", 'i', NULL },
    { "encoding", SEARCH_ENCODING, "LIST" },
    { "context", SEARCH_CONTEXT_BYTES, "BYTES" },
    { "no-file-systems", SEARCH_NO_FILE_SYSTEMS, NULL },
    { 0 },
};

/* Options that wait until all have been read, for words depend on --encoding and -i. */
struct search_source {
    int id;
    const char *value;
};

struct search {
    struct scan_how how;
    const char *encodings;
    bool ignore_case, no_file_systems;
    uint64_t context;
    struct search_source *sources; /* --file and --hex in their order */
    uint32_t source_count;
    char **words;
    int word_count;
    struct keyword_set keywords;

    /* While hits are told. */
    const struct scan_ids *ids;
    struct io_image *image;
    struct io_areas *areas; /* NULL: not asked */
    struct search_places *places;
    struct search_context *around;
    struct json json;
    uint64_t told;
};

/* A list of words; one of them may come from standard input. */
static enum err_code search_take_file(struct search *s, const char *value, struct err *err)
{
    for (uint32_t i = 0; i < s->source_count && strcmp(value, "-") == 0; i++)
        if (s->sources[i].id == 'f' && strcmp(s->sources[i].value, "-") == 0)
            return ERR_RAISE(err, ERR_ARG,
                             "--file - is given twice, and standard input can be read only once");
    s->sources[s->source_count++] = (struct search_source){ 'f', value };
    return value[0] != '\0' ? ERR_OK : args_file("--file", value, err);
}

static enum err_code search_take(struct search *s, int id, const char *value, struct err *err)
{
    switch (id) {
    case 'f':
        return search_take_file(s, value, err);
    case SEARCH_HEX:
        s->sources[s->source_count++] = (struct search_source){ id, value };
        return ERR_OK;
    case 'i':
        s->ignore_case = true;
        return ERR_OK;
    case SEARCH_ENCODING:
        s->encodings = value;
        return ERR_OK;
    case SEARCH_CONTEXT_BYTES:
        return args_count("--context", value, 0, SEARCH_CONTEXT_MAX, &s->context, err);
    case SEARCH_NO_FILE_SYSTEMS:
        s->no_file_systems = true;
        return ERR_OK;
    default:
        return scan_how_take(&s->how, id, value, err);
    }
}

static enum err_code search_read_options(int argc, char **argv, struct search *s, struct err *err)
{
    struct args args;
    const char *value = NULL;
    int id = ARGS_END;
    enum err_code rc;

    s->sources = calloc((size_t)argc + 1, sizeof *s->sources);
    if (s->sources == NULL)
        return ERR_NO_MEMORY(err, (size_t)argc * sizeof *s->sources);
    args_begin(&args, "search", search_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = search_take(s, id, value, err)) != ERR_OK)
            return rc;
    if (rc == ERR_OK)
        rc = args_operands(&args, 1, argc, "IMAGE KEYWORD...", &s->words, &s->word_count, err);
    if (rc != ERR_OK)
        return rc;
    s->how.images = s->words++;
    s->how.image_count = 1;
    s->word_count--;
    if (s->word_count == 0 && s->source_count == 0)
        return ERR_RAISE(err, ERR_ARG,
                         "no keyword: name some behind the image, or use --file or --hex");
    return scan_how_complete(&s->how, err);
}

static enum err_code search_read_keywords(struct search *s, struct err *err)
{
    enum err_code rc = keyword_set_open(s->encodings, s->ignore_case, &s->keywords, err);

    for (int i = 0; rc == ERR_OK && i < s->word_count; i++)
        rc = keyword_add(&s->keywords, s->words[i], err);
    for (uint32_t i = 0; rc == ERR_OK && i < s->source_count; i++)
        rc = s->sources[i].id == 'f' ? keyword_add_file(&s->keywords, s->sources[i].value, err)
                                     : keyword_add_hex(&s->keywords, s->sources[i].value, err);
    return rc;
}

static void search_put_json(struct search *s, const struct db_hit *hit,
                            const struct keyword *keyword, const struct search_object *object,
                            const struct io_area *area, const char *context)
{
    json_open_object(&s->json, NULL);
    json_int(&s->json, "id", hit->id);
    json_uint(&s->json, "offset", hit->offset);
    json_uint(&s->json, "length", hit->len);
    json_string(&s->json, "keyword", keyword->text);
    json_string(&s->json, "encoding", keyword->encoding);
    if (object != NULL) {
        json_open_object(&s->json, "object");
        json_int(&s->json, "id", object->id);
        json_string(&s->json, "name", object->name);
        json_close_object(&s->json);
    } else {
        json_null(&s->json, "object");
    }
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
    json_string(&s->json, "context", context);
    json_close_object(&s->json);
}

/* "p2/ntfs:/path (deleted)", "ext4 (unallocated)", "unpartitioned", "-" */
static void search_put_area(const struct io_area *area)
{
    const char *kind = io_area_kind_name(area->kind);

    if (area->partition != 0)
        printf("p%" PRIu32 "/", area->partition);
    if (area->file_system[0] == '\0') {
        fputs(kind, stdout);
        return;
    }
    text_put(stdout, area->file_system);
    if (area->path[0] != '\0') {
        putchar(':');
        text_put(stdout, area->path);
    }
    if (area->kind != IO_AREA_FILE)
        printf(" (%s)", kind);
}

/* File systems are asked when there is something to ask them. */
static enum err_code search_open_areas(struct search *s, struct err *err)
{
    if (s->no_file_systems || s->areas != NULL)
        return ERR_OK;
    const enum err_code rc = io_areas_open(s->image, stop_requested, &s->areas, err);
    if (rc == ERR_OK && io_areas_note(s->areas)[0] != '\0' && !s->how.quiet)
        text_message(stderr, "burin: search: %s: %s", s->how.images[0], io_areas_note(s->areas));
    return rc;
}

static enum err_code search_tell(void *arg, const struct db_hit *hit, struct err *err)
{
    struct search *s = arg;
    const char *context;

    if (stop_requested())
        return ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; all hits are in %s", s->how.case_path);
    if (ferror(stdout))
        return ERR_OK; /* main.c says so */
    /* Signatures of a run are numbered without a gap. */
    const struct keyword *keyword = &s->keywords.items[hit->signature_id - s->ids->signatures[0]];
    const struct search_object *object = search_places_at(s->places, hit->offset);
    enum err_code rc = search_context_text(s->around, hit->offset, keyword, &context, err);
    if (rc == ERR_OK)
        rc = search_open_areas(s, err);
    if (rc != ERR_OK)
        return rc;
    const struct io_area area = s->areas != NULL
                                    ? io_areas_find(s->areas, hit->offset)
                                    : (struct io_area){ .file_system = "", .path = "" };
    s->told++;
    if (s->how.json) {
        search_put_json(s, hit, keyword, object, &area, context);
        return ERR_OK;
    }
    printf("%" PRIu64 "\t", hit->offset);
    text_put(stdout, keyword->text);
    printf("\t%s\t", keyword->encoding);
    text_put(stdout, object != NULL ? object->name : "-");
    putchar('\t');
    search_put_area(&area);
    printf("\t%s\n", context);
    return ERR_OK;
}

static enum err_code search_report(void *arg, const struct scan_done *done, struct err *err)
{
    struct search *s = arg;
    const struct scan_ids *ids = done->ids;
    const uint64_t bytes = done->totals->bytes;
    enum err_code rc = search_places_open(done->db, ids->image, &s->places, err);

    s->ids = ids;
    s->image = done->image;
    if (rc == ERR_OK)
        rc = search_context_open(done->image, &s->keywords, (uint32_t)s->context, &s->around, err);
    if (rc == ERR_OK && s->how.json) {
        json_init(&s->json, stdout, 1);
        json_open_array(&s->json, NULL);
    }
    if (rc == ERR_OK)
        rc = db_hits_walk(done->db, ids->image, ids->before, search_tell, s, err);
    if (rc == ERR_OK && s->how.json) {
        json_close_array(&s->json);
        json_end(&s->json);
    }
    if (rc == ERR_OK && !s->how.quiet)
        text_message(stderr,
                     "%s: %" PRIu64 " hit%s in %" PRIu64 " byte%s, recorded in %s, by engine %s",
                     s->how.images[0], s->told, text_s(s->told), bytes, text_s(bytes),
                     s->how.case_path, done->totals->engine);
    io_areas_close(s->areas);
    search_context_close(s->around);
    search_places_close(s->places);
    return rc;
}

/* A keyword is recorded as a signature of its own. */
static void search_name(void *arg, uint32_t number, struct scan_name *out)
{
    const struct search *s = arg;
    const struct keyword *keyword = &s->keywords.items[number];
    const struct sig_pattern pattern = { .bytes = (const char *)keyword->bytes,
                                         .mask = (const char *)keyword->mask,
                                         .len = keyword->len };

    out->name = keyword->text;
    out->kind = "rule";
    out->has_footer = false;
    out->size_max = keyword->len;
    scan_name_pattern(&pattern, false, out->header);
    snprintf(out->origin, sizeof out->origin, "keyword %s", keyword->encoding);
}

static bool search_confirm(void *arg, uint32_t pattern, const uint8_t *bytes)
{
    const struct search *s = arg;

    return keyword_confirm(&s->keywords.items[pattern], bytes);
}

/* Signatures for the planner, one for each keyword: it knows nothing of a keyword but that its hits
 * are to be recorded. *out: to be freed. */
static enum err_code search_sigs(const struct search *s, const struct sig ***out, struct err *err)
{
    static const struct sig keyword = { .name = "keyword" };

    *out = calloc(s->keywords.count, sizeof **out);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, s->keywords.count * sizeof **out);
    for (uint32_t i = 0; i < s->keywords.count; i++)
        (*out)[i] = &keyword;
    return ERR_OK;
}

/* Has the keywords looked for; the case file may be there already, with scans of the image. */
static enum err_code search_image(struct search *s, const char *command_line,
                                  enum exit_status *status, struct err *err)
{
    struct patterns patterns = { 0 };
    const struct sig **sigs = NULL;
    enum err_code rc = search_sigs(s, &sigs, err);

    if (rc == ERR_OK)
        rc = keyword_patterns(&s->keywords, &patterns, err);
    if (rc == ERR_OK) {
        const struct scan_job job = {
            .command = "search",
            .command_line = command_line,
            .how = &s->how,
            .plan = { .sigs = sigs,
                      .sig_count = s->keywords.count,
                      .patterns = &patterns,
                      .hits_only = true,
                      .align = 1,
                      .confirm = s->keywords.ignore_case ? search_confirm : NULL,
                      .confirm_arg = s },
            .name = search_name,
            .report = search_report,
            .arg = s,
        };

        rc = scan_images(&job, status, err);
    }
    patterns_release(&patterns);
    free(sigs);
    return rc;
}

static enum err_code search_run(int argc, char **argv, enum exit_status *status, struct err *err)
{
    char command_line[SEARCH_COMMAND_LINE_MAX];
    struct search s = { .how = scan_how_defaults(),
                        .encodings = "utf-8,utf-16le",
                        .context = SEARCH_CONTEXT };

    args_quote(argc, argv, command_line, sizeof command_line);
    enum err_code rc = search_read_options(argc, argv, &s, err);
    if (rc == ERR_OK)
        rc = search_read_keywords(&s, err);
    if (rc == ERR_OK)
        rc = search_image(&s, command_line, status, err);
    keyword_set_close(&s.keywords);
    free(s.sources);
    return rc;
}

const struct command command_search = {
    .name = "search",
    .arguments = "[options] IMAGE KEYWORD...",
    .what = "find keywords in a disk image, in any encoding, and record them in its case file",
    .options = search_options_text,
    .run = search_run,
};
