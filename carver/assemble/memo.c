/* SPDX-License-Identifier: Apache-2.0
 * carver/assemble/memo.c - see memo.h. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "carver/assemble/memo.h"

struct memo_slot {
    struct memo_question question; /* its count is 0 where there is none */
    uint8_t answer[MEMO_BYTES];
};

struct memo {
    pthread_mutex_t lock; /* guards the slots */
    struct memo_slot slots[MEMO_SLOTS];
};

enum err_code memo_open(struct memo **out, struct err *err)
{
    *out = memory_sparse(sizeof **out);
    if (*out == NULL)
        return ERR_NO_MEMORY(err, sizeof **out);
    (void)pthread_mutex_init(&(*out)->lock, NULL); /* fails for no attribute but special ones */
    return ERR_OK;
}

void memo_close(struct memo *memo)
{
    if (memo != NULL)
        (void)pthread_mutex_destroy(&memo->lock);
    memory_sparse_free(memo, sizeof *memo);
}

static struct memo_slot *memo_slot(struct memo *memo, const struct memo_question *question)
{
    uint64_t hash = question->count;

    assert(question->count >= 1 && question->count <= MEMO_WORDS);
    for (uint32_t i = 0; i < question->count; i++)
        hash = (hash ^ question->words[i] ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
    return &memo->slots[(hash >> 32) % MEMO_SLOTS];
}

bool memo_knows(struct memo *memo, const struct memo_question *question, void *answer, size_t len)
{
    if (memo == NULL)
        return false;
    const struct memo_slot *slot = memo_slot(memo, question);

    pthread_mutex_lock(&memo->lock);
    const bool known =
        slot->question.count == question->count &&
        memcmp(slot->question.words, question->words, question->count * sizeof(uint64_t)) == 0;
    if (known)
        memcpy(answer, slot->answer, len);
    pthread_mutex_unlock(&memo->lock);
    return known;
}

void memo_keep(struct memo *memo, const struct memo_question *question, const void *answer,
               size_t len)
{
    assert(len <= MEMO_BYTES);
    if (memo == NULL)
        return;
    struct memo_slot *slot = memo_slot(memo, question);

    pthread_mutex_lock(&memo->lock);
    slot->question.count = question->count;
    memcpy(slot->question.words, question->words, question->count * sizeof(uint64_t));
    memcpy(slot->answer, answer, len);
    pthread_mutex_unlock(&memo->lock);
}
