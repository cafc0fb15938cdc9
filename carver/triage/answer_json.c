/* SPDX-License-Identifier: Apache-2.0
 * carver/triage/answer_json.c - answers for programs; see answer_print.h. */
#include <stdio.h>

#include "carver/info/info.h"
#include "carver/triage/answer_print.h"

const char *answer_kind(enum unit_kind kind)
{
    static const char *const names[] = {
        [UNIT_FILE] = "file", [UNIT_KNOWN] = "known", [UNIT_KEYWORD] = "keyword"
    };

    return names[kind];
}

const char *answer_what(const struct answer *answer, const struct unit_found *found)
{
    switch (found->kind) {
    case UNIT_FILE:
        return found->type->name;
    case UNIT_KEYWORD:
        return answer->keywords->items[found->number].text;
    default: {
        const struct known_set *set = &answer->known->sets[found->number];

        return set->about.label[0] != '\0' ? set->about.label : set->path;
    }
    }
}

void answer_detail(const struct answer *answer, const struct unit_found *found,
                   char out[ANSWER_DETAIL_MAX])
{
    char digest[2 * DIGEST_MAX + 1];

    out[0] = '\0';
    if (found->kind == UNIT_KEYWORD)
        snprintf(out, ANSWER_DETAIL_MAX, "%s", answer->keywords->items[found->number].encoding);
    if (found->kind != UNIT_KNOWN)
        return;
    const struct known_about *about = &answer->known->sets[found->number].about;
    known_hex(found->digest, digest_len(about->hash), digest);
    if (found->known.name != NULL)
        snprintf(out, ANSWER_DETAIL_MAX, "%s, block %llu of %.255s", digest,
                 (unsigned long long)found->known.block, found->known.name);
    else
        snprintf(out, ANSWER_DETAIL_MAX, "%s", digest);
}

static const char *json_basis(const struct answer *answer)
{
    return answer_is_exact(answer) ? "exact" : "sample";
}

/* An interval, and what it was worked out from. */
static void json_number(struct json *json, const struct answer *answer,
                        const struct answer_number *number)
{
    json_double(json, "value", number->value);
    json_double(json, "low", number->low);
    json_double(json, "high", number->high);
    json_double(json, "confidence", answer_is_exact(answer) ? 1 : ANSWER_CONFIDENCE);
    json_string(json, "basis", json_basis(answer));
}

static void json_share(struct json *json, const struct answer *answer, const char *name,
                       uint64_t units)
{
    const struct answer_number share = answer_share(answer, units);

    json_open_object(json, NULL);
    json_string(json, "class", name);
    json_uint(json, "units", units);
    json_number(json, answer, &share);
    json_close_object(json);
}

static void json_volumes(struct json *json, const struct answer *answer)
{
    json_open_array(json, "volumes");
    for (uint32_t i = 0; i < io_volumes_count(answer->facts.volumes); i++) {
        const struct io_volume volume = io_volumes_get(answer->facts.volumes, i);

        info_volume_json(json, &volume);
    }
    json_close_array(json);
    json_open_array(json, "places");
    for (uint32_t i = 0; i < answer->whole.place_count; i++) {
        const struct tally_place *place = &answer->whole.places[i];
        const bool volume = i + 1 < answer->whole.place_count;

        json_open_object(json, NULL);
        if (volume)
            json_uint(json, "number", io_volumes_get(answer->facts.volumes, i).number);
        else
            json_null(json, "number");
        if (volume && answer->facts.free[i] != UINT64_MAX)
            json_uint(json, "free", answer->facts.free[i]);
        else
            json_null(json, "free");
        json_bool(json, "suspected", volume && answer_suspects(answer, i));
        json_uint(json, "units", place->units);
        json_uint(json, "hits", place->hits);
        for (int k = 0; k < BLOCK_CLASSES; k++)
            json_uint(json, block_class_name((enum block_class)k), place->classes[k]);
        json_close_object(json);
    }
    json_close_array(json);
}

/* What was met, and whether. */
static void json_met(struct json *json, const struct answer *answer,
                     const struct tally_count *whole, const struct tally_count *rest)
{
    const struct tally_count met = answer_met(whole, rest);

    json_uint(json, "met", met.count);
    json_uint(json, "places", met.units);
    if (met.count > 0) {
        json_uint(json, "first", met.first);
        json_string(json, "basis", "proof");
        return;
    }
    json_null(json, "first");
    json_uint(json, "high", answer_unseen_bytes(answer));
    json_double(json, "confidence", answer->confidence);
    json_string(json, "basis", json_basis(answer));
}

/* Files of a type or a category. */
static void json_files(struct json *json, const struct answer *answer, const char *key,
                       const char *name, const struct tally_count *whole,
                       const struct tally_count *rest)
{
    const struct tally_count met = answer_met(whole, rest);
    const struct answer_number total = answer_total(answer, whole);

    json_open_object(json, NULL);
    json_string(json, key, name);
    json_uint(json, "met", met.count);
    json_uint(json, "places", met.units);
    json_uint(json, "count", whole->count);
    json_uint(json, "squares", whole->squares);
    if (met.count > 0)
        json_uint(json, "first", met.first);
    else
        json_null(json, "first");
    json_number(json, answer, &total);
    json_close_object(json);
}

static void json_types(struct json *json, const struct answer *answer)
{
    static const struct tally_count none;

    json_open_array(json, "categories");
    for (int i = 0; i < SIG_CATEGORY_OTHER; i++)
        json_files(json, answer, "category", sig_category_name((enum sig_category)i),
                   &answer->whole.categories[i], &answer->rest.categories[i]);
    json_close_array(json);
    json_open_array(json, "types");
    for (uint32_t i = 0; i < answer->whole.type_count; i++) /* of whole sweeps */
        json_files(json, answer, "type", answer->whole.types[i].type->name,
                   &answer->whole.types[i].count, &none);
    json_close_array(json);
}

static void json_asked(struct json *json, const struct answer *answer)
{
    json_open_array(json, "known");
    for (uint32_t i = 0; i < answer->whole.set_count; i++) {
        const struct known_about *about = &answer->known->sets[i].about;

        json_open_object(json, NULL);
        json_string(json, "set", answer->known->sets[i].path);
        json_string(json, "label", about->label);
        json_string(json, "verdict", known_verdict_name(about->verdict));
        json_met(json, answer, &answer->whole.sets[i], &answer->rest.sets[i]);
        json_close_object(json);
    }
    json_close_array(json);
    json_open_array(json, "keywords");
    for (uint32_t i = 0; i < answer->whole.keyword_count; i++) {
        json_open_object(json, NULL);
        json_string(json, "keyword", answer->keywords->items[i].text);
        json_string(json, "encoding", answer->keywords->items[i].encoding);
        json_met(json, answer, &answer->whole.keywords[i], &answer->rest.keywords[i]);
        json_close_object(json);
    }
    json_close_array(json);
}

static void json_says(struct json *json, const struct answer *answer)
{
    static const char *const names[UNIT_SAYS] = { "camera", "gps", "date" };
    int64_t seconds = 0;
    uint64_t at = 0;

    json_open_object(json, "says");
    for (uint32_t i = 0; i < UNIT_SAYS; i++) {
        const struct tally_count met = answer_says(answer, i);

        json_open_object(json, names[i]);
        json_uint(json, "met", met.count);
        if (met.count > 0)
            json_uint(json, "first", met.first);
        else
            json_null(json, "first");
        json_close_object(json);
    }
    if (answer_newest(answer, &seconds, &at)) {
        json_open_object(json, "newest");
        json_int(json, "seconds", seconds);
        json_uint(json, "offset", at);
        json_close_object(json);
    } else {
        json_null(json, "newest");
    }
    json_close_object(json);
    json_open_object(json, "beside_known");
    json_uint(json, "places", answer->around.places);
    json_uint(json, "units", answer->around.units);
    json_uint(json, "known", answer->around.known);
    json_close_object(json);
}

static void json_found(struct json *json, const struct answer *answer)
{
    json_open_array(json, "found");
    for (uint32_t i = 0; i < answer->found_count; i++) {
        const struct unit_found *found = &answer->found[i].found;
        char detail[ANSWER_DETAIL_MAX];

        answer_detail(answer, found, detail);
        json_open_object(json, NULL);
        json_uint(json, "offset", found->offset);
        json_uint(json, "length", found->len);
        json_string(json, "kind", answer_kind(found->kind));
        json_string(json, "what", answer_what(answer, found));
        json_string(json, "detail", detail);
        json_uint(json, "sweep", answer->found[i].sweep);
        json_close_object(json);
    }
    json_close_array(json);
}

static void json_sample(struct json *json, const struct answer *answer)
{
    json_open_object(json, "sample");
    json_uint(json, "seed", answer->strata.seed);
    json_uint(json, "unit", answer->unit);
    json_uint(json, "image_units", answer->strata.units);
    json_uint(json, "sweeps", answer->sweeps);
    json_uint(json, "sweeps_all", answer->strata.sweeps);
    json_uint(json, "strata", answer_strata(answer));
    json_uint(json, "stratum_units", answer_size(answer));
    json_uint(json, "units", answer->whole.units);
    json_uint(json, "units_of_a_part", answer->rest.units);
    json_uint(json, "units_cut_short", answer->whole.full + answer->rest.full);
    json_uint(json, "units_unreadable", answer_unreadable(answer));
    json_double(json, "seconds", (double)answer->elapsed / 1e9);
    json_close_object(json);
    json_open_object(json, "unseen");
    json_uint(json, "units", answer_unseen(answer));
    json_uint(json, "high", answer_unseen_bytes(answer));
    json_uint(json, "certain_run", answer_certain(answer));
    json_double(json, "confidence", answer->confidence);
    json_string(json, "basis", json_basis(answer));
    json_close_object(json);
}

void answer_print_json(struct json *json, const struct answer *answer)
{
    json_open_object(json, NULL);
    json_string(json, "image", answer->path);
    json_string(json, "answer", answer_word_name(answer_word(answer)));
    json_string(json, "format", answer->format);
    json_uint(json, "size", answer->size);
    json_sample(json, answer);
    json_volumes(json, answer);
    json_asked(json, answer);
    json_types(json, answer);
    json_says(json, answer);
    json_open_array(json, "content");
    for (int i = 0; i < BLOCK_CLASSES; i++)
        json_share(json, answer, block_class_name((enum block_class)i),
                   answer_class(answer, (enum block_class)i));
    json_close_array(json);
    json_found(json, answer);
    json_close_object(json);
}
