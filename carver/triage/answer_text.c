/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_text.c - answers for people; see answer_print.h. */
#include <inttypes.h>
#include <time.h>

#include "carver/cli/print_safe.h"
#include "carver/triage/answer_print.h"
#include "carver/triage/answer_words.h"

enum { TEXT_TYPES = 5 /* of a category that are named */ };

static void text_total(FILE *out, const struct answer *answer, const struct tally_count *count)
{
    const struct answer_number total = answer_total(answer, count);

    if (answer_is_exact(answer)) {
        text_exact(out, count->count);
        return;
    }
    fputs("about ", out);
    text_about(out, total.value);
    fputs(" (", out);
    text_about(out, total.low);
    fputs(" to ", out);
    text_about(out, total.high);
    fputc(')', out);
}

static void text_volume(FILE *out, const struct answer *answer, uint32_t index)
{
    const struct io_volume v = io_volumes_get(answer->facts.volumes, index);
    char number[TEXT_NUMBER] = "disk";

    if (v.kind != IO_VOLUME_PARTITION && v.kind != IO_VOLUME_ALL && v.kind != IO_VOLUME_LOGICAL)
        return;
    if (v.kind != IO_VOLUME_ALL)
        snprintf(number, sizeof number, "%s %" PRIu32,
                 v.kind == IO_VOLUME_LOGICAL ? "volume in" : "slot", v.number);
    text_head(out, disk_facts_locked(&v) ? "AMBER" : "", number);
    print_safe(out, v.content[0] != '\0' ? v.content : "nothing known");
    if (v.label[0] != '\0') {
        fputs(" \"", out);
        print_safe(out, v.label);
        fputc('"', out);
    }
    fputs(", ", out);
    text_bytes(out, v.content_len != 0 ? v.content_len : v.len);
    if (answer->facts.free[index] != UINT64_MAX) {
        fputs(", free ", out);
        text_bytes(out, answer->facts.free[index]);
    }
    if (v.why[0] != '\0') {
        fputs(": ", out);
        print_safe(out, v.why);
    }
    fputc('\n', out);
}

static void text_sampled(FILE *out, const struct answer *answer)
{
    text_head(out, "", "looked at");
    text_exact(out, answer->whole.units + answer->rest.units);
    fputs(" of ", out);
    text_exact(out, answer->strata.units);
    fprintf(out, " places of %" PRIu32 " KiB in %.1f s (seed %" PRIu64 ", ", answer->unit / 1024,
            (double)answer->elapsed / 1e9, answer->strata.seed);
    if (answer_is_exact(answer))
        fputs("all of the image)\n", out);
    else
        fprintf(out, "%" PRIu32 " sweep%s%s)\n", answer->sweeps, plural_s(answer->sweeps),
                answer->part ? " and a part of one" : "");
}

static void text_known(FILE *out, const struct answer *answer, uint32_t set)
{
    const struct known_about *about = &answer->known->sets[set].about;
    const struct tally_count met = answer_met(&answer->whole.sets[set], &answer->rest.sets[set]);
    char detail[ANSWER_DETAIL_MAX] = "";

    if (met.count == 0)
        return;
    for (uint32_t i = 0; i < answer->found_count && detail[0] == '\0'; i++) {
        const struct unit_found *found = &answer->found[i].found;

        if (found->kind == UNIT_KNOWN && found->number == set && found->offset == met.first)
            answer_detail(answer, found, detail);
    }
    text_head(out,
              about->verdict == KNOWN_BAD    ? "RED"
              : about->verdict == KNOWN_GOOD ? ""
                                             : "AMBER",
              about->verdict == KNOWN_BAD    ? "known bad"
              : about->verdict == KNOWN_GOOD ? "known good"
                                             : "known");
    fprintf(out, "%" PRIu64 " block%s in %" PRIu64 " place%s, set \"", met.count,
            plural_s(met.count), met.units, plural_s(met.units));
    print_safe(out, about->label[0] != '\0' ? about->label : answer->known->sets[set].path);
    fprintf(out, "\", first at %" PRIu64, met.first);
    if (detail[0] != '\0') {
        fputs(" (", out);
        print_safe(out, detail);
        fputc(')', out);
    }
    fputs(": proof\n", out);
}

/* The types of a category that were met, the commonest first. */
static void text_types(FILE *out, const struct answer *answer, enum sig_category category)
{
    const struct tally *whole = &answer->whole;
    bool told[512] = { false };

    for (uint32_t k = 0; k < TEXT_TYPES; k++) {
        uint32_t best = UINT32_MAX;

        for (uint32_t i = 0; i < whole->type_count && i < sizeof told; i++)
            if (!told[i] && !whole->types[i].stream && whole->types[i].category == category &&
                (best == UINT32_MAX ||
                 whole->types[i].count.count > whole->types[best].count.count))
                best = i;
        if (best == UINT32_MAX)
            return;
        told[best] = true;
        fprintf(out, "%s%s ", k == 0 ? ": " : ", ", whole->types[best].type->name);
        if (answer_is_exact(answer))
            text_exact(out, whole->types[best].count.count);
        else
            text_about(out, answer_total(answer, &whole->types[best].count).value);
    }
}

static void text_category(FILE *out, const struct answer *answer, enum sig_category category)
{
    const struct tally_count *whole = &answer->whole.categories[category];
    const struct tally_count met = answer_met(whole, &answer->rest.categories[category]);

    const struct tally_count pieces =
        answer_met(&answer->whole.streams[category], &answer->rest.streams[category]);

    if (met.count == 0 && pieces.count == 0)
        return;
    text_head(out, "", sig_category_name(category));
    if (met.count == 0) {
        fprintf(out, "pieces of streams in %" PRIu64 " place%s, first at %" PRIu64 "\n",
                pieces.units, plural_s(pieces.units), pieces.first);
    } else if (whole->count > 0) {
        text_total(out, answer, whole);
        text_types(out, answer, category);
        fprintf(out, "; first at %" PRIu64 "%s\n", met.first,
                answer_is_exact(answer) ? "" : "; 95 %");
    } else {
        fprintf(out, "%" PRIu64 " met, first at %" PRIu64 "\n", met.count, met.first);
    }
}

/* What files say of themselves: photos, and the newest date. */
static void text_says(FILE *out, const struct answer *answer)
{
    const struct tally_count camera = answer_says(answer, 0), gps = answer_says(answer, 1);
    const struct tally_count met = answer_met(&answer->whole.categories[SIG_CATEGORY_PICTURES],
                                              &answer->rest.categories[SIG_CATEGORY_PICTURES]);
    int64_t seconds = 0;
    uint64_t at = 0;

    if (camera.count + gps.count > 0) {
        text_head(out, "", "photos");
        fprintf(out,
                "%" PRIu64 " of %" PRIu64 " pictures looked at name a camera, %" PRIu64
                " say where they were taken",
                camera.count, met.count, gps.count);
        if (gps.count > 0)
            fprintf(out, ", the first at %" PRIu64, gps.first);
        fputc('\n', out);
    }
    if (answer_newest(answer, &seconds, &at)) {
        const time_t when = (time_t)seconds;
        char text[TEXT_NUMBER] = "";
        struct tm tm;

        if (gmtime_r(&when, &tm) != NULL)
            strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
        text_head(out, "", "newest");
        fprintf(out, "%s, as the file at %" PRIu64 " says\n", text, at);
    }
}

/* What lies beside known blocks. */
static void text_around(FILE *out, const struct answer *answer)
{
    const struct answer_around *around = &answer->around;

    if (around->units == 0)
        return;
    text_head(out, "", "beside");
    fprintf(out, "%" PRIu64 " of %" PRIu64 " places next to %s hold blocks of the same set\n",
            around->known, around->units, around->places == 1 ? "it" : "them");
}

/* Keys, one by one; then keywords. */
static void text_notable(FILE *out, const struct answer *answer, enum unit_kind kind)
{
    enum { TEXT_LINES = 10 };
    uint32_t count = 0;

    for (uint32_t i = 0; i < answer->found_count; i++) {
        const struct unit_found *found = &answer->found[i].found;
        char detail[ANSWER_DETAIL_MAX];

        if (found->kind != kind || count++ >= TEXT_LINES)
            continue;
        text_head(out, "AMBER",
                  kind == UNIT_FILE                                ? "key"
                  : answer->keywords->items[found->number].feature ? "feature"
                                                                   : "keyword");
        print_safe(out, answer_what(answer, found));
        answer_detail(answer, found, detail);
        if (detail[0] != '\0')
            fprintf(out, " (%s)", detail);
        fprintf(out, " at %" PRIu64 ": proof\n", found->offset);
    }
    if (count > TEXT_LINES) {
        text_head(out, "AMBER", kind == UNIT_FILE ? "key" : "keyword");
        fprintf(out, "%" PRIu32 " more\n", count - TEXT_LINES);
    }
}

static void text_content(FILE *out, const struct answer *answer)
{
    bool first = true;

    text_head(out, "", "content");
    for (int i = 0; i < BLOCK_CLASSES; i++) {
        const uint64_t units = answer_class(answer, (enum block_class)i);
        const struct answer_number share = answer_share(answer, units);

        if (units == 0)
            continue;
        fprintf(out, "%s%s %.1f %%", first ? "" : ", ", block_class_name((enum block_class)i),
                100 * share.value);
        if (!answer_is_exact(answer))
            fprintf(out, " (%.1f to %.1f)", 100 * share.low, 100 * share.high);
        first = false;
    }
    fputs(answer_is_exact(answer) ? "\n" : "; 95 %\n", out);
    for (uint32_t i = 0; i + 1 < answer->whole.place_count; i++) {
        const struct tally_place *place = &answer->whole.places[i];

        if (!answer_suspects(answer, i))
            continue;
        text_head(out, "AMBER", "content");
        fprintf(out,
                "slot %" PRIu32 ", where nothing is known, looks random in %" PRIu64 " of %" PRIu64
                " places: encrypted, wiped with random bytes, or compressed by LZMA\n",
                io_volumes_get(answer->facts.volumes, i).number, place->classes[BLOCK_UNIFORM],
                place->units);
    }
}

static void text_verdict(FILE *out, const struct answer *answer)
{
    const enum answer_word word = answer_word(answer);

    text_head(out, "ANSWER", "");
    fputs(answer_word_name(word), out);
    if (word == ANSWER_CLEAR) {
        fputs(" to ", out);
        text_bytes(out, answer_unseen_bytes(answer));
        fprintf(out, ", %d %%", (int)(100 * answer->confidence + 0.5));
    } else if (word == ANSWER_UNKNOWN && answer->sweeps == 0) {
        fputs(": there was no time for one sweep; give more --time", out);
    } else if (word == ANSWER_UNKNOWN) {
        fputs(": nothing was asked for that could be met or missed; see --known, --keywords and "
              "--features",
              out);
    }
    fputc('\n', out);
}

void answer_print(FILE *out, const struct answer *answer)
{
    static const enum sig_category order[] = {
        SIG_CATEGORY_PICTURES,  SIG_CATEGORY_VIDEO,     SIG_CATEGORY_KEYS,     SIG_CATEGORY_MAIL,
        SIG_CATEGORY_DATABASES, SIG_CATEGORY_DOCUMENTS, SIG_CATEGORY_ARCHIVES, SIG_CATEGORY_SOUND,
        SIG_CATEGORY_PROGRAMS,  SIG_CATEGORY_SYSTEM,
    };

    print_safe(out, answer->path);
    fputs(": ", out);
    text_bytes(out, answer->size);
    fprintf(out, ", %s\n", answer->format);
    for (uint32_t i = 0; i < io_volumes_count(answer->facts.volumes); i++)
        text_volume(out, answer, i);
    text_sampled(out, answer);
    for (uint32_t i = 0; i < answer->whole.set_count; i++)
        text_known(out, answer, i);
    text_around(out, answer);
    text_notable(out, answer, UNIT_FILE);
    text_notable(out, answer, UNIT_KEYWORD);
    text_says(out, answer);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        text_category(out, answer, order[i]);
    if (answer->sweeps > 0) {
        text_content(out, answer);
        answer_print_bounds(out, answer);
    }
    text_verdict(out, answer);
}
