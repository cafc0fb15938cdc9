/* SPDX-License-Identifier: Apache-2.0
 * match/kernel/search.h - the steps of the automaton, and the comparing of what it finds, the same
 * on host and device.
 *
 * The kernels of ac0 to ac5 differ in how bytes come to search_step and states go out; what a
 * found state means is said here.
 */
#ifndef BURIN_MATCH_KERNEL_SEARCH_H
#define BURIN_MATCH_KERNEL_SEARCH_H

#include "match/kernel/tables.h"
#include "match/pattern/letter.h"

/* Arguments of every search kernel. */
struct search {
    struct tables tables;
    struct ring_view view;
};

HOST_DEVICE uint32_t search_step(const struct tables *tables, uint32_t state, uint8_t byte)
{
    const uint32_t cell =
        state * tables->width + (tables->classes != 0 ? tables->classes[byte] : byte);

    return tables->narrow != 0 ? tables->narrow[cell] : tables->wide[cell];
}

HOST_DEVICE bool search_compare(const struct tables *tables, uint32_t pattern, uint32_t len,
                                const uint8_t *text)
{
    const struct tables_pattern p = tables->patterns[pattern];
    const uint8_t *bytes = tables->blob + p.at;

    for (uint32_t i = 0; i < len; i++) {
        const uint8_t mask = p.flags & TABLES_MASKED ? bytes[len + i] : 0xff;

        if (((text[i] ^ bytes[i]) & mask) == 0)
            continue;
        if (!(p.flags & TABLES_FOLDED) || ((text[i] ^ match_other_case(bytes[i])) & mask) != 0)
            return false;
    }
    return true;
}

HOST_DEVICE void search_emit(const struct ring_view *view, uint32_t start, uint32_t pattern,
                             uint32_t len)
{
#ifdef __CUDA_ARCH__
    const uint32_t at = atomicAdd(&view->found->count, 1);
#else
    const uint32_t at = view->found->count++;
#endif

    if (at < view->hits_max) {
        view->hits[at].start = start;
        view->hits[at].what = pattern << 8 | len;
    }
}

/* Hits of threads in shared memory, which go to device memory together: one by one, they would wait
 * for each other there. */
struct search_near {
    uint32_t count; /* also of those that there was no room for, and that went at once */
    uint32_t max;
    uint32_t at; /* among all hits */
    struct ring_hit *hits;
};

/* near: NULL on the host. */
HOST_DEVICE void search_keep(const struct ring_view *view, struct search_near *near, uint32_t start,
                             uint32_t pattern, uint32_t len)
{
#ifdef __CUDA_ARCH__
    if (near != nullptr) {
        const uint32_t at = atomicAdd(&near->count, 1);

        if (at < near->max) {
            near->hits[at] = { start, pattern << 8 | len };
            return;
        }
    }
#else
    (void)near;
#endif
    search_emit(view, start, pattern, len);
}

/* The automaton is in a state that finds, having read text up to index end. */
HOST_DEVICE void search_report(const struct search *s, struct search_near *near, uint32_t state,
                               uint32_t end)
{
    const struct tables *tables = &s->tables;
    const struct ring_view *view = &s->view;

    for (uint32_t f = state - tables->finding; f != TABLES_NONE; f = tables->found[f].link) {
        const struct tables_found found = tables->found[f];

        for (uint32_t i = 0; i < found.count; i++) {
            const struct tables_output o = tables->outputs[found.first + i];
            const uint32_t start = end - o.end,
                           stop = start + o.len; /* a start before the text has a huge index */

            if (end < o.end || stop > view->len || stop <= view->from || stop > view->to)
                continue;
            if (o.exact || search_compare(tables, o.pattern, o.len, view->text + start))
                search_keep(view, near, start, o.pattern, o.len);
        }
    }
}

/* Index of the first byte with which a run can end that belongs to a match in the view. */
HOST_DEVICE uint32_t search_first(const struct search *s)
{
    const uint32_t before = s->tables.longest - 1;

    return s->view.from > before ? s->view.from - before : 0;
}

/* Reports what ends with a run whose last byte is in text [from, to). */
HOST_DEVICE void search_walk(const struct search *s, struct search_near *near, uint32_t from,
                             uint32_t to)
{
    uint32_t state = 0;

    for (uint32_t i = from > s->tables.warm ? from - s->tables.warm : 0; i < from; i++)
        state = search_step(&s->tables, state, s->view.text[i]);
    for (uint32_t i = from; i < to; i++) {
        state = search_step(&s->tables, state, s->view.text[i]);
        if (state >= s->tables.finding)
            search_report(s, near, state, i + 1);
    }
}

#endif
