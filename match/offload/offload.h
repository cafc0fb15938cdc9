/* SPDX-License-Identifier: Apache-2.0
 * match/offload/offload.h - what all engines with devices behind them share: the automaton's tables
 * on each device, a ring of segments for each device, and a CPU engine that searches while no
 * device is ready and when all devices are lost. A form that has no use for the automaton takes
 * long lists, for which it would be too large.
 *
 * A form is what one such engine adds: how it searches a text that is on the device.
 */
#ifndef BURIN_MATCH_OFFLOAD_OFFLOAD_H
#define BURIN_MATCH_OFFLOAD_OFFLOAD_H

#include "match/ac/ac.h"
#include "match/device/device.h"
#include "match/engine.h"
#include "match/kernel/tables.h"
#include "match/lab.h"

/* Tables of a form: the same bytes on the host and on the device. */
struct offload_extra {
    void *host, *device;
    size_t size;      /* bytes */
    uint64_t texture; /* 0: the form wants no texture, or the cells do not fit into one */
};

/* The part of an extra that is to be read through a texture. */
struct offload_texture {
    size_t at;          /* offset of the first cell in the extra, bytes */
    uint64_t cells;     /* number of cells */
    uint32_t cell_size; /* bytes */
};

struct offload_form {
    const char *name;

    /* Bytes of device memory that the search of one text needs; NULL: it needs none. */
    size_t (*scratch)(uint32_t text_max);

    enum tables_rows rows; /* the form that the automaton's rows have on the device */

    /* As in struct ring_search, with the automaton as a further argument. */
    size_t (*output)(const struct tables *tables, uint32_t text_len);
    bool (*collect)(const struct ac *ac, const void *output, const struct match_text *text,
                    uint32_t from, uint32_t to, struct match_sink *sink);
    bool in_place;

    /*
     * Makes further tables for the device: *size bytes, allocated with malloc; the caller frees
     * them. NULL: the form needs none.
     */
    enum err_code (*extra)(const struct match_dictionary *dictionary, void **extra, size_t *size,
                           struct err *err);

    struct offload_texture (*texture)(const void *extra); /* NULL: the form wants no texture */

    /* Enqueues the search of a view. */
    enum err_code (*enqueue)(const struct tables *tables, const struct offload_extra *extra,
                             struct device_stream *stream, const struct ring_view *view,
                             struct err *err);

    /* The launches that enqueue accepts in view->launch, [launch_count]. NULL: it ignores the
     * launch. */
    const struct match_launch *launches;
    uint32_t launch_count;
};

/*
 * These implement compile and release of struct match_engine, and attach of struct match_offload.
 */
ERR_MUST_CHECK enum err_code offload_compile(const struct offload_form *form,
                                             const struct match_dictionary *dictionary,
                                             const struct match_setup *setup, void **program,
                                             struct err *err);
void offload_release(void *program);
ERR_MUST_CHECK enum err_code offload_attach(void *program, uint32_t slot, void *memory, size_t size,
                                            struct err *err);

extern const struct match_offload offload_calls; /* the offload of every such engine */

#endif
