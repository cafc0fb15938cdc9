/* SPDX-License-Identifier: Apache-2.0
 * match/offload/tables_load.c - see tables_load.h. All tables lie in one block, made on the host as
 * it will be on the device. */
#include <stdlib.h>
#include <string.h>

#include "match/offload/tables_load.h"
#include "match/pattern/anchor.h"

enum { LOAD_ALIGN = 256 };

struct load {
    const struct match_dictionary *dictionary;
    const struct ac *ac;     /* NULL: no rows */
    uint32_t plain, finding; /* states of the two kinds */
    uint32_t outputs;
    size_t blob;
    uint32_t longest; /* pattern, bytes */
    bool classes;     /* rows by class */
    uint32_t width;   /* of a row */
    uint8_t *memory;  /* on the host */
    size_t rows_at, found_at, outputs_at, patterns_at, blob_at, classes_at, size;
};

static void load_count(struct load *load)
{
    const struct ac *ac = load->ac;

    load->plain = ac->plain;
    load->finding = ac->finding;
    for (uint32_t i = 0; i < ac->finding; i++)
        if (load->outputs < ac->found[i].first + ac->found[i].count)
            load->outputs = ac->found[i].first + ac->found[i].count;
}

static void load_count_patterns(struct load *load)
{
    for (uint32_t i = 0; i < match_dictionary_count(load->dictionary); i++) {
        const struct match_pattern *pattern = match_dictionary_get(load->dictionary, i);

        if (pattern->kind != MATCH_LITERAL)
            continue;
        load->blob += pattern->len * (pattern->mask == NULL ? 1u : 2u);
        load->longest = pattern->len > load->longest ? pattern->len : load->longest;
    }
}

static size_t load_place(size_t *at, size_t size)
{
    const size_t place = *at;

    *at = (place + size + LOAD_ALIGN - 1) / LOAD_ALIGN * LOAD_ALIGN;
    return place;
}

static bool load_narrow(const struct load *load)
{
    return load->plain + load->finding <= TABLES_NARROW;
}

static void load_layout(struct load *load)
{
    const size_t states = (size_t)load->plain + load->finding;
    const size_t cell = load_narrow(load) ? sizeof(uint16_t) : sizeof(uint32_t);

    load->rows_at = load_place(&load->size, states * load->width * cell);
    load->found_at = load_place(&load->size, load->finding * sizeof(struct tables_found));
    load->outputs_at = load_place(&load->size, load->outputs * sizeof(struct tables_output));
    load->patterns_at = load_place(&load->size, match_dictionary_count(load->dictionary) *
                                                    sizeof(struct tables_pattern));
    load->blob_at = load_place(&load->size, load->blob);
    load->classes_at = load_place(&load->size, load->classes ? TABLES_ROW : 0);
}

static uint32_t load_number(const struct load *load, uint32_t state)
{
    const struct ac *ac = load->ac;

    return state < ac->flag ? state / ac->width : load->plain + (state - ac->flag) / ac->width;
}

static void load_rows(struct load *load)
{
    const struct ac *ac = load->ac;
    const bool narrow = load_narrow(load);

    for (uint32_t i = 0; i < load->plain + load->finding; i++) {
        const uint32_t state =
            i < load->plain ? i * ac->width : ac->flag + (i - load->plain) * ac->width;

        for (uint32_t byte = 0; byte < TABLES_ROW; byte++) {
            const uint32_t next = load_number(load, ac_next(ac, state, (uint8_t)byte));
            const size_t cell =
                (size_t)i * load->width + (load->classes ? ac->classes[byte] : byte);

            if (narrow)
                ((uint16_t *)(load->memory + load->rows_at))[cell] = (uint16_t)next;
            else
                ((uint32_t *)(load->memory + load->rows_at))[cell] = next;
        }
    }
}

static void load_found(struct load *load)
{
    struct tables_found *found = (struct tables_found *)(load->memory + load->found_at);
    struct tables_output *outputs = (struct tables_output *)(load->memory + load->outputs_at);

    for (uint32_t i = 0; i < load->finding; i++) {
        const struct ac_found *from = &load->ac->found[i];

        found[i] = (struct tables_found){ .first = from->first,
                                          .count = from->count,
                                          .link = from->link == AC_NONE ? (uint32_t)TABLES_NONE
                                                                        : from->link };
    }
    for (uint32_t i = 0; i < load->outputs; i++) {
        const struct ac_output *from = &load->ac->outputs[i];

        outputs[i] = (struct tables_output){
            .pattern = from->pattern, .len = from->len, .end = from->end, .exact = from->exact
        };
    }
}

static void load_patterns(struct load *load)
{
    struct tables_pattern *patterns = (struct tables_pattern *)(load->memory + load->patterns_at);
    uint8_t *blob = load->memory + load->blob_at;
    uint32_t at = 0;

    for (uint32_t i = 0; i < match_dictionary_count(load->dictionary); i++) {
        const struct match_pattern *from = match_dictionary_get(load->dictionary, i);

        patterns[i] = (struct tables_pattern){ .at = at };
        if (from->kind != MATCH_LITERAL)
            continue;
        patterns[i].flags =
            (from->mask == NULL ? 0u : TABLES_MASKED) | (from->fold_case ? TABLES_FOLDED : 0u);
        memcpy(blob + at, from->bytes, from->len);
        at += from->len;
        if (from->mask == NULL)
            continue;
        memcpy(blob + at, from->mask, from->len);
        at += from->len;
    }
}

static enum err_code load_send(const struct load *load, struct tables_load *out, struct err *err)
{
    struct device_stream *stream = NULL;
    enum err_code rc = device_room(out->device, load->size, "table of patterns", err);

    if (rc == ERR_OK)
        rc = device_alloc(out->device, load->size, &out->memory, err);
    if (rc == ERR_OK)
        rc = device_stream_open(out->device, &stream, err);
    if (rc == ERR_OK)
        rc = device_copy_in(stream, out->memory, load->memory, load->size, err);
    if (rc == ERR_OK)
        rc = device_stream_wait(stream, err);
    device_stream_close(stream);
    return rc;
}

/* No texture when there are more cells than in one: the rows are read as memory then. */
static enum err_code load_texture(const struct load *load, struct tables_load *out, struct err *err)
{
    const uint64_t cells = ((uint64_t)load->plain + load->finding) * TABLES_ROW;
    const uint32_t size = load_narrow(load) ? sizeof(uint16_t) : sizeof(uint32_t);

    if (cells > out->device->info.texels_max)
        return ERR_OK;
    return device_texture_open(out->device, (const uint8_t *)out->memory + load->rows_at,
                               (uint32_t)cells, size, &out->tables.texture, err);
}

enum err_code tables_load(struct tables_load *out, struct device *device,
                          const struct match_dictionary *dictionary, const struct ac *ac,
                          enum tables_rows rows, struct err *err)
{
    struct load load = { .dictionary = dictionary, .ac = ac };

    *out = (struct tables_load){ .device = device };
    if (rows != TABLES_WITHOUT)
        load_count(&load);
    load.classes = rows == TABLES_CLASSES && !load_narrow(&load) && ac->width < TABLES_ROW;
    load.width = load.classes ? ac->width : TABLES_ROW;
    load_count_patterns(&load);
    if (load.blob > UINT32_MAX) /* of tables_pattern.at */
        return ERR_RAISE(err, ERR_FULL,
                         "the patterns have %zu bytes, and a device takes %u: split the dictionary",
                         load.blob, UINT32_MAX);
    load_layout(&load);
    load.memory = calloc(1, load.size);
    if (load.memory == NULL)
        return ERR_NO_MEMORY(err, load.size);
    load_rows(&load);
    if (load.classes)
        memcpy(load.memory + load.classes_at, ac->classes, sizeof ac->classes);
    load_found(&load);
    load_patterns(&load);
    enum err_code rc = load_send(&load, out, err);
    if (rc == ERR_OK && rows == TABLES_TEXTURE)
        rc = load_texture(&load, out, err);
    free(load.memory);
    if (rc != ERR_OK) {
        tables_unload(out);
        return rc;
    }
    const uint8_t *at = out->memory;
    out->size = load.size;
    out->tables = (struct tables){
        .texture = out->tables.texture,
        .narrow = load_narrow(&load) ? (const uint16_t *)(at + load.rows_at) : NULL,
        .wide = load_narrow(&load) ? NULL : (const uint32_t *)(at + load.rows_at),
        .found = (const struct tables_found *)(at + load.found_at),
        .outputs = (const struct tables_output *)(at + load.outputs_at),
        .patterns = (const struct tables_pattern *)(at + load.patterns_at),
        .blob = at + load.blob_at,
        .states = load.plain + load.finding,
        .finding = load.plain,
        .warm = ANCHOR_LEN - 1,
        .longest = load.longest,
        .width = load.width,
        .classes = load.classes ? at + load.classes_at : NULL,
    };
    return ERR_OK;
}

void tables_unload(struct tables_load *load)
{
    device_texture_close(load->device, load->tables.texture);
    device_free(load->device, load->memory);
    load->tables.texture = 0;
    load->memory = NULL;
}
