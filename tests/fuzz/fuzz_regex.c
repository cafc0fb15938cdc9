/* SPDX-License-Identifier: Apache-2.0
 * tests/fuzz/fuzz_regex.c - an expression and a text of any bytes.
 *
 * The first byte says whether case is folded, whether there are escapes in brackets, and how many
 * zeros stand around bytes; the expression ends at the first 0xff, the rest is text. Found:
 * crashes, expressions that the oracle of the tests can read and the program takes for wrong,
 * starts whose match is not what the oracle says, and ways of looking that do not agree.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "match/regex/regex_item.h"
#include "match/regex/regex_parse.h"
#include "tests/match/regex_oracle.h"

enum {
    FUZZ_TEXT_MAX = 1400,
    FUZZ_WORK_MAX = 3000, /* of the oracle for one start, */
    FUZZ_WORK_ALL =
        8000, /* and for all of a text: what comes behind is compared by our own ways alone */
    FUZZ_CACHE = REGEX_DFA_WORDS_MIN,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
    if (!right)
        abort();
}

struct fuzz {
    struct regex_item item;
    struct regex_dfa dfa;
    struct regex_dfa_work work;
    uint32_t cache[FUZZ_CACHE];
    struct oracle oracle;
    struct regex_tree read, tree;
    struct hit hits[FUZZ_TEXT_MAX];
    uint32_t found[FUZZ_TEXT_MAX]; /* bytes of the match of each start */
};

/* What the oracle knows: bytes by themselves, and brackets of POSIX. */
static bool fuzz_known(struct fuzz *f, const struct match_pattern *pattern)
{
    return pattern->zeros_before + pattern->zeros_after == 0 && !pattern->escapes &&
           oracle_read(&f->oracle, pattern->bytes, pattern->len, pattern->fold_case);
}

static bool fuzz_tree(struct fuzz *f, const struct match_pattern *pattern)
{
    struct regex_fault fault;

    if (!regex_parse(pattern->bytes, pattern->len, pattern->fold_case, pattern->escapes, &f->read,
                     &fault))
        return false;
    regex_tree_widen(&f->read, pattern->zeros_before, pattern->zeros_after, &f->tree);
    return true;
}

/* The same by all starts at a time. */
static void check_all(struct fuzz *f, bool rows, const uint8_t *bytes, uint32_t len)
{
    const size_t size = rows ? regex_rows_size(&f->item.rows) : regex_table_size();
    const struct match_text text = { .bytes = bytes, .len = len };
    struct match_sink sink = { .items = f->hits, .max = FUZZ_TEXT_MAX };
    const struct regex_task task = { .nfa = &f->item.nfa,
                                     .window = f->item.window,
                                     .text = &text,
                                     .to = len,
                                     .sink = &sink,
                                     .memory = aligned_alloc(64, (size + 63) / 64 * 64) };
    uint32_t given = 0;

    must(task.memory != NULL);
    memset(task.memory, 0xa5, size);
    must((rows ? regex_rows_scan(&f->item.rows, &task) : regex_table_scan(&f->item.table, &task)) ==
         len);
    free(task.memory);
    for (uint32_t at = 0; at < len; at++)
        if (f->found[at] > 0) {
            must(given < sink.count && f->hits[given].offset == at &&
                 f->hits[given].len == f->found[at]);
            given++;
        }
    must(given == sink.count);
}

static void check_text(struct fuzz *f, struct arena *arena, const struct match_pattern *pattern,
                       const uint8_t *bytes, uint32_t len)
{
    bool known = fuzz_known(f, pattern);
    const char *why = "";
    int64_t effort = 0;
    uint32_t work = 0;

    f->oracle.most = FUZZ_WORK_MAX;
    regex_dfa_init(&f->dfa, &f->item.nfa, &f->work, f->cache, FUZZ_CACHE);
    for (uint32_t at = 0; at < len; at++) {
        const uint32_t window = len - at < f->item.window ? len - at : f->item.window;
        const uint32_t found =
            regex_dfa_match(&f->dfa, bytes + at, window, f->item.shortest, &effort);
        const uint32_t want = known ? oracle_match(&f->oracle, bytes + at, len - at) : found;

        known &= f->oracle.work < FUZZ_WORK_MAX; /* else it is too slow for the rest as well */
        must(!known || found == want);
        work += f->oracle.work;
        known &= work < FUZZ_WORK_ALL;
        must(found == 0 || regex_set_has(&f->item.begins, bytes[at]));
        if (f->item.need.len > 0 && found > 0)
            must(regex_need_find(&f->item.need, bytes, at + f->item.need.near, len) <=
                 at + f->item.need.far);
        f->found[at] = found;
    }
    if (f->item.table.states > 0)
        check_all(f, false, bytes, len);
    must(fuzz_tree(f, pattern));
    must(regex_rows_build(&f->tree, &f->item.nfa, arena, &f->item.rows, &why));
    if (why == NULL)
        check_all(f, true, bytes, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 1 ? memchr(data + 1, 0xff, size - 1) : NULL;
    const size_t len = end == NULL ? 0 : (size_t)(end - data) - 1;
    struct match_pattern pattern = { .kind = MATCH_REGEX, .bytes = data + 1, .len = (uint32_t)len };
    struct arena arena;
    struct err err = { .code = ERR_OK };
    uint32_t at = 0;

    if (len == 0 || len > LIMIT_PATTERN_LEN)
        return 0;
    pattern.fold_case = (data[0] & 1) != 0;
    pattern.escapes = (data[0] & 2) != 0;
    if ((data[0] & 4) != 0)
        pattern.zeros_before = data[0] >> 6;
    else
        pattern.zeros_after = data[0] >> 6;
    struct fuzz *f = malloc(sizeof *f);
    must(f != NULL);
    arena_init(&arena, 16 << 20);
    const enum err_code rc = regex_item_compile(&pattern, 0, &arena, &f->item, &at, &err);
    if (rc == ERR_OK) {
        const size_t left = size - len - 2;

        check_text(f, &arena, &pattern, end + 1,
                   (uint32_t)(left < FUZZ_TEXT_MAX ? left : FUZZ_TEXT_MAX));
    } else {
        must(rc == ERR_INPUT && at < len && strlen(err.text) > 20);
        if (fuzz_known(f, &pattern))
            must(fuzz_tree(f, &pattern));
    }
    arena_release(&arena);
    free(f);
    return 0;
}
