/* SPDX-License-Identifier: Apache-2.0
 * io/filesystem/lvm_text.c - the text that describes a group of LVM2: see lvm.h.
 *
 *   group { extent_size = 8192 logical_volumes { root { segment1 { stripes = ["pv0", 0] } } } }
 *
 * It is gone through once, word by word; where a word stands is known from the names of the
 * sections around it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "io/filesystem/lvm.h"

enum {
    TEXT_DEPTH = 8,    /* of sections in one another */
    TEXT_SECTOR = 512, /* bytes: the unit of sizes */
};
#define TEXT_EXTENTS_MAX (UINT64_C(1) << 40)

/* The words that a text consists of. */
enum text_kind { TEXT_END, TEXT_NAME, TEXT_STRING, TEXT_NUMBER, TEXT_SIGN };

struct text {
    const char *at, *end;
    enum text_kind kind;
    char word[LVM_NAME_MAX]; /* cut off, when it is longer */
    uint64_t number;
    struct lvm_group *group;
    struct err *err;
    char sections[TEXT_DEPTH][LVM_NAME_MAX];
    uint32_t depth;
    char key[LVM_NAME_MAX];
    uint32_t item; /* of a list, from 0 */
};

static bool text_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '+';
}

static void text_skip(struct text *text)
{
    while (text->at < text->end) {
        if (*text->at == '#')
            while (text->at < text->end && *text->at != '\n')
                text->at++;
        else if (*text->at == ' ' || *text->at == '\n' || *text->at == '\t' || *text->at == '\r')
            text->at++;
        else
            return;
    }
}

static void text_put(struct text *text, uint32_t *len, char c)
{
    if (*len + 1 < sizeof text->word)
        text->word[(*len)++] = c;
    text->word[*len] = '\0';
}

/* Takes the next word. */
static void text_next(struct text *text)
{
    uint32_t len = 0;

    text_skip(text);
    text->word[0] = '\0';
    text->number = 0;
    if (text->at == text->end || *text->at == '\0') {
        text->kind = TEXT_END;
    } else if (*text->at == '"') {
        text->kind = TEXT_STRING;
        for (text->at++; text->at < text->end && *text->at != '"'; text->at++) {
            text->at += *text->at == '\\' && text->at + 1 < text->end;
            text_put(text, &len, *text->at);
        }
        text->at += text->at < text->end;
    } else if (text_is_name(*text->at)) {
        text->kind = *text->at >= '0' && *text->at <= '9' ? TEXT_NUMBER : TEXT_NAME;
        for (; text->at < text->end && text_is_name(*text->at); text->at++)
            text_put(text, &len, *text->at);
        for (const char *c = text->word; text->kind == TEXT_NUMBER && *c != '\0'; c++) {
            if (*c < '0' || *c > '9')
                text->kind = TEXT_NAME;
            else if (text->number <= TEXT_EXTENTS_MAX)
                text->number = text->number * 10 + (uint64_t)(*c - '0');
        }
    } else {
        text->kind = TEXT_SIGN;
        text_put(text, &len, *text->at++);
    }
}

/* Room for one more of `*items`, of `size` bytes each. */
static enum err_code text_grow(struct text *text, void *items, uint32_t count, size_t *room,
                               size_t size, uint32_t most)
{
    if (count >= most)
        return ERR_RAISE(text->err, ERR_INPUT, "its group has too many volumes");
    return grow_items(items, count, room, size, text->err);
}

static bool text_in(const struct text *text, uint32_t depth, const char *list)
{
    return text->depth == depth && (list == NULL || strcmp(text->sections[1], list) == 0);
}

/* A section begins: text->sections[depth - 1] is its name. */
static enum err_code text_open(struct text *text)
{
    struct lvm_group *group = text->group;
    const char *name = text->sections[text->depth - 1];
    enum err_code rc = ERR_OK;

    if (text->depth == 1) {
        memcpy(group->name, name, sizeof group->name);
    } else if (text_in(text, 3, "physical_volumes")) {
        rc = text_grow(text, &group->physical, group->physical_count, &group->physical_room,
                       sizeof *group->physical, LVM_VOLUMES_MAX);
        if (rc == ERR_OK) {
            struct lvm_physical *physical = &group->physical[group->physical_count++];

            *physical = (struct lvm_physical){ 0 };
            memcpy(physical->name, name, sizeof physical->name);
        }
    } else if (text_in(text, 3, "logical_volumes")) {
        rc = text_grow(text, &group->logical, group->logical_count, &group->logical_room,
                       sizeof *group->logical, LVM_VOLUMES_MAX);
        if (rc == ERR_OK) {
            struct lvm_logical *logical = &group->logical[group->logical_count++];

            *logical = (struct lvm_logical){ .first = group->segment_count };
            memcpy(logical->name, name, sizeof logical->name);
        }
    } else if (text_in(text, 4, "logical_volumes") && group->logical_count > 0) {
        rc = text_grow(text, &group->segments, group->segment_count, &group->segment_room,
                       sizeof *group->segments, LVM_SEGMENTS_MAX);
        if (rc == ERR_OK) {
            group->segments[group->segment_count++] = (struct lvm_segment){ 0 };
            group->logical[group->logical_count - 1].count++;
        }
    }
    return rc;
}

static void text_uuid(const char *word, char out[LVM_UUID_MAX])
{
    uint32_t len = 0;

    for (; *word != '\0' && len + 1 < LVM_UUID_MAX; word++)
        if (*word != '-')
            out[len++] = *word;
    out[len] = '\0';
}

/* A value of a segment; items of a list come one by one. */
static void text_segment(struct text *text, struct lvm_segment *segment)
{
    const bool number = text->kind == TEXT_NUMBER;

    if (strcmp(text->key, "start_extent") == 0 && number) {
        segment->start = text->number;
    } else if (strcmp(text->key, "extent_count") == 0 && number) {
        segment->count = text->number;
    } else if (strcmp(text->key, "stripe_size") == 0 && number) {
        segment->stripe_len = text->number * TEXT_SECTOR;
    } else if (strcmp(text->key, "type") == 0) {
        memcpy(segment->type, text->word, sizeof segment->type);
    } else if (strcmp(text->key, "stripes") == 0 && text->item / 2 < LVM_STRIPES_MAX) {
        const uint32_t stripe = text->item / 2;

        if (text->item % 2 == 0) {
            segment->place[stripe] = UINT32_MAX;
            for (uint32_t i = 0; i < text->group->physical_count; i++)
                if (strcmp(text->group->physical[i].name, text->word) == 0)
                    segment->place[stripe] = i;
        } else {
            segment->extent[stripe] = text->number;
            segment->stripes = stripe + 1;
        }
    } else if (strcmp(text->key, "stripes") == 0) {
        segment->stripes = UINT32_MAX; /* too many */
    }
}

/* A value, or an item of a list. */
static void text_value(struct text *text)
{
    struct lvm_group *group = text->group;

    if (text_in(text, 1, NULL)) {
        if (strcmp(text->key, "extent_size") == 0 && text->number <= UINT32_MAX)
            group->extent_len = text->number * TEXT_SECTOR;
        else if (strcmp(text->key, "id") == 0)
            text_uuid(text->word, group->uuid);
    } else if (text_in(text, 3, "physical_volumes") && group->physical_count > 0) {
        struct lvm_physical *physical = &group->physical[group->physical_count - 1];

        if (strcmp(text->key, "id") == 0)
            text_uuid(text->word, physical->uuid);
        else if (strcmp(text->key, "pe_start") == 0)
            physical->start = text->number * TEXT_SECTOR;
    } else if (text_in(text, 3, "logical_volumes") && group->logical_count > 0) {
        if (strcmp(text->key, "status") == 0 && strcmp(text->word, "VISIBLE") == 0)
            group->logical[group->logical_count - 1].visible = true;
    } else if (text_in(text, 4, "logical_volumes") && group->segment_count > 0) {
        text_segment(text, &group->segments[group->segment_count - 1]);
    }
}

/* Behind "name =": a value, or a list of them. */
static enum err_code text_values(struct text *text)
{
    text_next(text);
    text->item = 0;
    if (text->kind != TEXT_SIGN) {
        text_value(text);
        return ERR_OK;
    }
    if (text->word[0] != '[')
        return ERR_RAISE(text->err, ERR_INPUT, "its metadata is no text of LVM");
    for (text_next(text); text->kind != TEXT_END; text_next(text)) {
        if (text->kind != TEXT_SIGN) {
            text_value(text);
            text->item++;
        } else if (text->word[0] == ']') {
            return ERR_OK;
        }
    }
    return ERR_RAISE(text->err, ERR_INPUT, "its metadata ends in the middle");
}

static enum err_code text_section(struct text *text)
{
    if (text->depth == TEXT_DEPTH)
        return ERR_RAISE(text->err, ERR_INPUT, "its metadata is nested too deeply");
    memcpy(text->sections[text->depth++], text->key, sizeof text->key);
    return text_open(text);
}

static enum err_code text_statement(struct text *text)
{
    if (text->kind == TEXT_SIGN && text->word[0] == '}' && text->depth > 0) {
        text->depth--;
        return ERR_OK;
    }
    if (text->kind == TEXT_SIGN)
        return ERR_RAISE(text->err, ERR_INPUT, "its metadata is no text of LVM");
    memcpy(text->key, text->word, sizeof text->key);
    text_next(text);
    if (text->kind == TEXT_SIGN && text->word[0] == '{')
        return text_section(text);
    if (text->kind == TEXT_SIGN && text->word[0] == '=')
        return text_values(text);
    return ERR_RAISE(text->err, ERR_INPUT, "its metadata is no text of LVM");
}

/* Segments whose bytes are read here, and nothing that does not add up. */
static enum err_code text_check(const struct lvm_group *group, struct err *err)
{
    if (group->extent_len == 0)
        return ERR_RAISE(err, ERR_INPUT, "its metadata does not say how long an extent is");
    for (uint32_t i = 0; i < group->physical_count; i++)
        if (group->physical[i].start > (TEXT_EXTENTS_MAX + 1) * 10 * TEXT_SECTOR)
            return ERR_RAISE(err, ERR_INPUT, "its metadata has sizes that cannot be");
    for (uint32_t i = 0; i < group->segment_count; i++) {
        struct lvm_segment *segment = &group->segments[i];
        const uint64_t most = UINT64_MAX / 4 / group->extent_len;
        bool right = segment->stripes <= LVM_STRIPES_MAX && segment->start < most &&
                     segment->count < most && strcmp(segment->type, "striped") == 0 &&
                     (segment->stripes == 1 || segment->stripe_len > 0);

        for (uint32_t k = 0; right && k < segment->stripes; k++)
            right = segment->place[k] < group->physical_count && segment->extent[k] < most;
        if (!right)
            segment->stripes = 0;
    }
    return ERR_OK;
}

enum err_code lvm_parse(const char *bytes, uint32_t len, struct lvm_group *out, struct err *err)
{
    struct text text = { .at = bytes, .end = bytes + len, .group = out, .err = err };
    enum err_code rc = ERR_OK;

    *out = (struct lvm_group){ 0 };
    for (text_next(&text); rc == ERR_OK && text.kind != TEXT_END; text_next(&text))
        rc = text_statement(&text);
    if (rc == ERR_OK && text.depth != 0)
        rc = ERR_RAISE(err, ERR_INPUT, "its metadata ends in the middle");
    return rc == ERR_OK ? text_check(out, err) : rc;
}
