/*
 * match/offload/offload.h - what all engines with devices behind them share: the automaton's tables on each device, its ring of
 * segments, and a CPU engine that takes over while no device is ready and when all are lost.
 *
 * A form is what tells them apart: how a text is searched once it is on the device.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_H

#include "match/ac/ac.h"
#include "match/device/device.h"
#include "match/engine.h"
#include "match/kernel/tables.h"
#include "match/lab.h"

/* The same bytes twice. */
struct offload_extra {
    void *host, *device;
    size_t size;
    uint64_t texture; /* 0: none was wanted, or there are more cells than in a texture */
};

/* The cells in an extra that a texture is wanted over. */
struct offload_texture {
    size_t at;
    uint64_t cells;
    uint32_t cell_size;
};

struct offload_form {
    const char *name;

    /* Bytes of device memory that the search of one text needs; NULL: none. */
    size_t (*scratch)(uint32_t text_max);

    enum tables_rows rows; /* of the automaton, as they are wanted on the device */

    /* As in struct ring_search, with the automaton. */
    size_t (*output)(const struct tables *tables, uint32_t text_len);
    bool (*collect)(const struct ac *ac, const void *output, const struct match_text *text, uint32_t from, uint32_t to,
                    struct match_sink *sink);
    bool in_place;

    /* What the form needs on the device besides: *size bytes, made with malloc. NULL: nothing. */
    enum err_code (*extra)(const struct match_dictionary *dictionary, void **extra, size_t *size, struct err *err);

    struct offload_texture (*texture)(const void *extra); /* NULL: none is wanted */

    /* Enqueues the search. */
    enum err_code (*enqueue)(const struct tables *tables, const struct offload_extra *extra,
                             struct device_stream *stream, const struct ring_view *view, struct err *err);

    /* Shapes that enqueue takes in view->shape, NULL: none. */
    const struct match_shape *shapes;
    uint32_t shape_count;
};

ERR_MUST_CHECK enum err_code offload_compile(const struct offload_form *form, const struct match_dictionary *dictionary,
                                             const struct match_setup *setup, void **program, struct err *err);
void offload_release(void *program);
ERR_MUST_CHECK enum err_code offload_attach(void *program, uint32_t lane, void *memory, size_t size, struct err *err);

extern const struct match_offload offload_calls; /* for the engine's offload */

#endif
