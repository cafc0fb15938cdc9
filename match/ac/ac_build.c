/* SPDX-License-Identifier: Apache-2.0
 * match/ac/ac_build.c - a dictionary into the tables of ac.h.
 *
 * Literals become a tree (ac_trie.c), the tree an automaton in which every state knows its
 * successor for every class of bytes, so that a scan never follows a failure link. Literals are
 * short, so the table of 100,000 long patterns fits in memory; of more, or with many half-masked
 * bytes, it may not, then literals with fewer variants are chosen, and more is left to be compared.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "match/ac/ac.h"
#include "match/ac/ac_trie.h"
#include "match/pattern/literals.h"

enum {
    BUILD_TABLE_MAX = 1 << 30,   /* bytes of states */
    BUILD_NODES_MAX = 1 << 23,   /* of the tree: 200 MiB */
    BUILD_NARROW_FLAG = 1 << 15, /* flag of 16-bit cells */
    BUILD_HUGE_PAGE = 2 << 20,
};

static const struct anchor_limits build_limits[] = {
    { .len = ANCHOR_LEN, .variants = 16 },
    { .len = ANCHOR_LEN, .variants = 4 },
    { .len = ANCHOR_LEN, .variants = 1 }, /* fits: 100,000 * ANCHOR_LEN states of 256 cells */
};
enum { BUILD_LIMITS_COUNT = sizeof build_limits / sizeof build_limits[0] };

struct build {
    struct ac *ac;
    struct ac_trie trie;
    uint8_t fold[256];
    uint32_t *rows;          /* [node_count]: where the state of a node is in the table */
    uint32_t plain, finding; /* states of the two kinds */
};

static void build_classes(struct build *build)
{
    struct ac *ac = build->ac;
    uint8_t class_of[256] = { 0 };

    ac->width = 1;
    for (uint32_t i = 1; i < build->trie.tree.node_count; i++)
        class_of[build->trie.tree.nodes[i].byte] = 1;
    for (uint32_t byte = 0; byte < 256; byte++) {
        if (class_of[byte] == 0)
            continue;
        if (ac->width ==
            256) /* all bytes are in literals: the last one takes the class of "in none" */
            class_of[byte] = 0;
        else
            class_of[byte] = (uint8_t)ac->width++;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        ac->classes[byte] = class_of[build->fold[byte]];
}

static bool build_finds(const struct ac_trie *trie, uint32_t node)
{
    return trie->tree.nodes[node].entry != TRIE_NONE || trie->link[node] != 0;
}

static void build_count(struct build *build)
{
    build->plain = build->finding = 0;
    for (uint32_t i = 0; i < build->trie.tree.node_count; i++)
        if (build_finds(&build->trie, i))
            build->finding++;
        else
            build->plain++;
}

/* The tree under the loosest limits whose table fits. */
static enum err_code build_tree(struct build *build, const struct match_dictionary *dictionary,
                                struct err *err)
{
    for (uint32_t i = 0; i < BUILD_LIMITS_COUNT; i++) {
        enum err_code rc = ac_trie_build(&build->trie, dictionary, build->fold, &build_limits[i],
                                         BUILD_NODES_MAX, err);
        if (rc == ERR_OK) {
            build_classes(build);
            build_count(build);
            if ((uint64_t)build->trie.tree.node_count * build->ac->width * sizeof(uint32_t) <=
                BUILD_TABLE_MAX)
                return ERR_OK;
        }
        ac_trie_release(&build->trie);
        if (rc != ERR_OK && rc != ERR_FULL)
            return rc;
    }
    return ERR_RAISE(err, ERR_FULL,
                     "the automaton of %u patterns needs more than %d bytes; split the dictionary",
                     match_dictionary_count(dictionary), BUILD_TABLE_MAX);
}

/* Gives every node its row, in order of depth: states near the root are the ones in use, and lie
 * together. */
static enum err_code build_rows(struct build *build, struct err *err)
{
    struct ac *ac = build->ac;
    const uint64_t cells =
        (uint64_t)(build->plain > build->finding ? build->plain : build->finding) * ac->width;
    const size_t size = build->trie.tree.node_count * sizeof *build->rows;
    uint32_t plain = 0, finding = 0;

    ac->flag = BUILD_NARROW_FLAG;
    while (ac->flag < cells)
        ac->flag *= 2;
    ac->narrow = ac->flag == BUILD_NARROW_FLAG;
    assert(size > 0); /* there is a root */
    build->rows = malloc(size);
    if (build->rows == NULL)
        return ERR_NO_MEMORY(err, size);
    for (uint32_t i = 0; i < build->trie.tree.node_count; i++) {
        const uint32_t node = build->trie.order[i];

        build->rows[node] = build_finds(&build->trie, node) ? ac->flag + finding++ * ac->width
                                                            : plain++ * ac->width;
    }
    ac->plain = plain;
    ac->finding = finding;

    ac->table_size = ((size_t)ac->flag + (size_t)finding * ac->width) *
                     (ac->narrow ? sizeof(uint16_t) : sizeof(uint32_t));
    ac->table = mmap(NULL, ac->table_size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (ac->table == MAP_FAILED) {
        ac->table = NULL;
        return ERR_RAISE(err, ERR_ENV,
                         "no memory for an automaton of %zu bytes: %s; use fewer patterns",
                         ac->table_size, strerror(errno));
    }
    if (ac->table_size >= BUILD_HUGE_PAGE)
        (void)madvise(ac->table, ac->table_size, MADV_HUGEPAGE);
    return ERR_OK;
}

/* A state goes where the state of its failure link goes, but for its own children. */
static void build_table(struct build *build)
{
    const struct ac_trie *trie = &build->trie;
    const struct ac *ac = build->ac;
    const size_t cell_size = ac->narrow ? sizeof(uint16_t) : sizeof(uint32_t);
    uint8_t *table = ac->table;

    for (uint32_t i = 0; i < trie->tree.node_count; i++) {
        const uint32_t node = trie->order[i];
        uint8_t *row = table + build->rows[node] * cell_size;

        if (node != 0)
            memcpy(row, table + build->rows[trie->fail[node]] * cell_size, ac->width * cell_size);
        for (uint32_t child = trie->tree.nodes[node].child; child != 0;
             child = trie->tree.nodes[child].sibling) {
            const uint8_t class = ac->classes[trie->tree.nodes[child].byte];

            if (ac->narrow)
                ((uint16_t *)row)[class] = (uint16_t)build->rows[child];
            else
                ((uint32_t *)row)[class] = build->rows[child];
        }
    }
}

static enum err_code build_found(struct build *build, struct err *err)
{
    const struct ac_trie *trie = &build->trie;
    struct ac *ac = build->ac;
    const size_t size =
        trie->tree.entry_count * sizeof *ac->outputs + build->finding * sizeof *ac->found;
    uint32_t count = 0;

    ac->found = calloc(build->finding + 1, sizeof *ac->found);
    ac->outputs = calloc(trie->tree.entry_count + 1, sizeof *ac->outputs);
    if (ac->found == NULL || ac->outputs == NULL)
        return ERR_NO_MEMORY(err, size);
    for (uint32_t i = 0; i < trie->tree.node_count; i++) {
        if (!build_finds(trie, i))
            continue;
        struct ac_found *found = &ac->found[(build->rows[i] - ac->flag) / ac->width];

        found->first = count;
        found->link =
            trie->link[i] == 0 ? AC_NONE : (build->rows[trie->link[i]] - ac->flag) / ac->width;
        for (uint32_t e = trie->tree.nodes[i].entry; e != TRIE_NONE;
             e = trie->tree.entries[e].next) {
            const struct trie_entry *entry = &trie->tree.entries[e];
            const struct match_pattern *pattern =
                match_dictionary_get(ac->dictionary, entry->pattern);

            ac->outputs[count++] = (struct ac_output){
                .pattern = entry->pattern,
                .len = (uint8_t)pattern->len,
                .end = (uint8_t)(entry->literal.at + entry->literal.len),
                .literal = entry->literal.len,
                .exact = entry->literal.exact,
            };
            if (ac->longest < pattern->len)
                ac->longest = pattern->len;
        }
        found->count = count - found->first;
    }
    return ERR_OK;
}

enum err_code ac_build(const struct match_dictionary *dictionary, struct ac **out, struct err *err)
{
    struct build build = { 0 };

    *out = NULL;
    build.ac = calloc(1, sizeof *build.ac);
    if (build.ac == NULL)
        return ERR_NO_MEMORY(err, sizeof *build.ac);
    build.ac->dictionary = dictionary;
    /* One automaton serves patterns with and without case folding: it folds for all, and those
     * without are compared. */
    (void)match_literals_fold(dictionary, build.fold);
    enum err_code rc = build_tree(&build, dictionary, err);
    if (rc == ERR_OK)
        rc = build_rows(&build, err);
    if (rc == ERR_OK)
        rc = build_found(&build, err);
    if (rc == ERR_OK) {
        build_table(&build);
        *out = build.ac;
    } else {
        ac_destroy(build.ac);
    }
    free(build.rows);
    ac_trie_release(&build.trie);
    return rc;
}

void ac_destroy(struct ac *ac)
{
    if (ac == NULL)
        return;
    if (ac->table != NULL)
        munmap(ac->table, ac->table_size);
    free(ac->found);
    free(ac->outputs);
    free(ac);
}
