/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/found_saved.c - see found_saved.h. */
#include "carver/plan/found_saved.h"

#include <string.h>

#include "base/hit_saved.h"
#include "base/limits.h"
#include "base/utf8.h"

_Static_assert((int)SIG_FACT_KEYS <= 64, "a set of keys fits");

enum { SAVED_COMPLETE = 1, SAVED_PROVEN = 2, SAVED_CRC64 = 4, SAVED_SPENT = 8, SAVED_FLAGS = 15 };

/* What is read. */
struct saved {
    struct found *found;
    const struct plan_options *options;
    const struct plan_part *part;
    struct texts *texts;
    struct sig_facts *facts;
    struct unpack *in;
};

static void saved_put_u64(struct pack *out, uint64_t value)
{
    pack_bytes(out, &value, sizeof value);
}

static uint64_t saved_u64(struct unpack *in)
{
    uint64_t value;

    unpack_bytes(in, &value, sizeof value);
    return value;
}

static void saved_put_type(const struct sig *sig, const struct sig_type *type, struct pack *out)
{
    pack_number(out, (uint64_t)(type - sig->types));
}

static void saved_put_facts(const struct found *found, const struct found_object *object,
                            struct pack *out)
{
    struct sig_fact fact;
    uint32_t at = 0, count = 0;

    while (fact_next(&found->facts, object->facts, &at, &fact))
        count++;
    pack_number(out, count);
    for (at = 0; fact_next(&found->facts, object->facts, &at, &fact);) {
        pack_number(out, (uint64_t)fact.key);
        pack_number(out, fact.reach);
        pack_number(out, fact.has_number);
        saved_put_u64(out, (uint64_t)fact.number);
        pack_text(out, fact.text);
    }
}

static void saved_put_object(const struct found *found, const struct plan_options *options,
                             const struct found_object *object, struct pack *out)
{
    pack_number(out, object->tag);
    pack_number(out, object->len);
    pack_number(out, object->ends_by - object->offset);
    saved_put_type(options->sigs[object->sig], object->type, out);
    pack_text(out, object->why);
    pack_number(out, object->slack);
    pack_number(out, (object->complete ? SAVED_COMPLETE : 0) | (object->proven ? SAVED_PROVEN : 0) |
                         (object->has_crc64 ? SAVED_CRC64 : 0) | (object->spent ? SAVED_SPENT : 0));
    if (object->has_crc64)
        saved_put_u64(out, object->crc64);
    saved_put_facts(found, object, out);
}

static void saved_put_unpack(const struct plan_options *options, const struct found_unpack *unpack,
                             struct pack *out)
{
    pack_number(out, unpack->sig);
    pack_number(out, unpack->start);
    pack_number(out, unpack->ends_by - unpack->start);
    pack_number(out, unpack->len);
    saved_put_type(options->sigs[unpack->sig], unpack->type, out);
    pack_text(out, unpack->why);
    pack_number(out, unpack->verdict);
    pack_number(out, unpack->sharers);
    pack_number(out, unpack->sharers_most);
    pack_number(out, unpack->spent);
}

static void saved_put_notes(const struct found *found, struct pack *out)
{
    uint64_t last = 0;
    uint32_t count = 0, before = 0;

    pack_number(out, found->begin_count);
    for (uint32_t i = 0; i < found->begin_count; i++)
        pack_number(out, found->begins[i].hit);
    pack_number(out, found->step_count);
    for (uint32_t i = 0; i < found->step_count; i++) {
        pack_number(out, found->steps[i].hit);
        saved_put_u64(out, found->steps[i].hash);
    }
    pack_number(out, found->sum_count);
    for (uint32_t i = 0; i < found->sum_count; i++) {
        pack_number(out, found->sums[i].at - last);
        saved_put_u64(out, found->sums[i].value);
        last = found->sums[i].at;
    }
    for (uint32_t i = 0; i < found->sig_count; i++)
        count += found->sigs[i].most != 0 || found->sigs[i].first_start != 0;
    pack_number(out, count);
    for (uint32_t i = 0; i < found->sig_count; i++) {
        if (found->sigs[i].most == 0 && found->sigs[i].first_start == 0)
            continue;
        pack_number(out, i - before);
        pack_number(out, found->sigs[i].most);
        pack_number(out, found->sigs[i].first_start);
        before = i;
    }
}

void found_save(const struct found *found, const struct plan_options *options, struct pack *out)
{
    hit_saved_put(found->hits, found->hit_count, out);
    pack_number(out, found->object_count);
    for (uint32_t i = 0; i < found->object_count; i++)
        saved_put_object(found, options, &found->objects[i], out);
    pack_number(out, found->unpack_count);
    for (uint32_t i = 0; i < found->unpack_count; i++)
        saved_put_unpack(options, &found->unpacks[i], out);
    saved_put_notes(found, out);
}

enum err_code found_restore_hits(struct found *found, const struct plan_options *options,
                                 const struct plan_part *part, struct unpack *in, struct err *err)
{
    const uint32_t count = unpack_count(in);
    const struct patterns *patterns = options->patterns;
    struct hit_saved last = { 0 };
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++) {
        hit_saved_next(&last, part->to, patterns->count, in);
        const struct hit *hit = &last.hit;

        in->failed =
            in->failed || hit->offset < part->from || hit->len > part->range_end - hit->offset;
        if (in->failed)
            break;
        const struct pattern_use *use = &patterns->uses[hit->pattern];
        in->failed = !use->footer && hit->offset - part->range_begin < use->at;
        if (!in->failed)
            rc = found_add_hit(found, hit, err);
    }
    return rc;
}

/* The number of a hit that is the header of a file with a validator. *start: where that begins. */
static uint32_t saved_header(const struct saved *s, uint32_t *sig, uint64_t *start)
{
    const uint32_t count = s->found->hit_count;
    const uint32_t index = (uint32_t)unpack_number(s->in, count - 1u);

    s->in->failed = s->in->failed || count == 0;
    if (s->in->failed)
        return 0;
    const struct hit *hit = &s->found->hits[index];
    const struct pattern_use *use = &s->options->patterns->uses[hit->pattern];
    s->in->failed = use->footer || s->options->sigs[use->sig]->check == NULL;
    *sig = use->sig;
    *start = hit->offset - use->at;
    return index;
}

static const struct sig_type *saved_type(const struct saved *s, uint32_t sig)
{
    const struct sig_type *types = s->options->sigs[sig]->types;
    const uint64_t index = unpack_number(s->in, SIG_TYPES_MAX - 1);

    for (uint64_t i = 0; i <= index && !s->in->failed; i++)
        s->in->failed = types[i].name == NULL;
    return s->in->failed ? NULL : &types[index];
}

/* UTF-8 without control characters? */
static bool saved_is_text(const char *text, uint32_t len)
{
    uint32_t code = 0;

    for (size_t at = 0, step; at < len; at += step) {
        step = utf8_sequence(text + at, len - at, &code);
        if (step == 0 || code < ' ')
            return false;
    }
    return true;
}

/* Bytes that are a text of at most SIG_FACT_LEN; NULL: they are none. */
static const char *saved_bytes(struct unpack *in, uint32_t *len)
{
    *len = unpack_count(in);
    const char *text = (const char *)in->at;
    in->failed = in->failed || *len > (size_t)(in->end - in->at) || *len > SIG_FACT_LEN ||
                 !saved_is_text(text, *len);
    if (in->failed)
        return NULL;
    in->at += *len;
    return text;
}

static const char *saved_text(const struct saved *s)
{
    uint32_t len = 0;
    const char *text = saved_bytes(s->in, &len);
    const char *kept = text != NULL ? texts_keep(s->texts, text, len) : NULL;

    s->in->failed = s->in->failed || kept == NULL;
    return kept;
}

static enum err_code saved_facts(const struct saved *s, struct fact_place *place, struct err *err)
{
    const uint32_t count = (uint32_t)unpack_number(s->in, SIG_FACTS_MAX);
    uint64_t keys = 0;

    s->facts->count = 0;
    for (uint32_t i = 0; i < count && !s->in->failed; i++) {
        struct sig_fact *fact = &s->facts->items[s->facts->count++];
        uint32_t len = 0;

        fact->key = (enum sig_fact_key)unpack_number(s->in, SIG_FACT_KEYS - 1);
        fact->reach = unpack_number(s->in, UINT64_MAX);
        fact->has_number = unpack_flag(s->in);
        fact->number = (int64_t)saved_u64(s->in);
        const char *text = saved_bytes(s->in, &len);
        s->in->failed = s->in->failed || (keys >> fact->key & 1) != 0;
        if (s->in->failed)
            break;
        keys |= UINT64_C(1) << fact->key;
        memcpy(fact->text, text, len);
        fact->text[len] = '\0';
    }
    if (s->in->failed)
        return ERR_OK;
    *place = fact_pack(&s->found->facts, s->facts);
    return s->found->facts.failed ? ERR_NO_MEMORY(err, sizeof *s->facts) : ERR_OK;
}

static enum err_code saved_object(const struct saved *s, struct err *err)
{
    struct found_object object = { 0 };

    object.tag = saved_header(s, &object.sig, &object.offset);
    if (s->in->failed)
        return ERR_OK;
    object.len = unpack_number(s->in, s->part->range_end - object.offset);
    object.ends_by = object.offset + unpack_number(s->in, UINT64_MAX - object.offset);
    object.type = saved_type(s, object.sig);
    object.why = saved_text(s);
    object.slack = (enum db_slack)unpack_number(s->in, DB_SLACK_FOREIGN);
    const uint64_t flags = unpack_number(s->in, SAVED_FLAGS);
    object.complete = (flags & SAVED_COMPLETE) != 0;
    object.proven = (flags & SAVED_PROVEN) != 0;
    object.has_crc64 = (flags & SAVED_CRC64) != 0;
    object.spent = (flags & SAVED_SPENT) != 0;
    object.crc64 = object.has_crc64 ? saved_u64(s->in) : 0;
    s->in->failed = s->in->failed || object.len == 0;
    const enum err_code rc = saved_facts(s, &object.facts, err);
    return rc == ERR_OK && !s->in->failed ? found_add_object(s->found, &object, err) : rc;
}

static enum err_code saved_unpack(const struct saved *s, struct err *err)
{
    const uint64_t begin = s->part->range_begin, end = s->part->range_end;
    struct found_unpack unpack = { 0 };

    s->in->failed = s->in->failed || s->options->sig_count == 0;
    unpack.sig = (uint32_t)unpack_number(s->in, s->options->sig_count - 1u);
    if (s->in->failed || s->options->sigs[unpack.sig]->check == NULL) {
        s->in->failed = true;
        return ERR_OK;
    }
    unpack.start = unpack_number(s->in, end - 1);
    unpack.ends_by = unpack.start + unpack_number(s->in, UINT64_MAX - unpack.start);
    unpack.len = unpack_number(s->in, end);
    unpack.type = saved_type(s, unpack.sig);
    unpack.why = saved_text(s);
    unpack.verdict = (enum sig_verdict)unpack_number(s->in, SIG_BREAKS);
    unpack.sharers = (uint32_t)unpack_number(s->in, UINT32_MAX / 2);
    unpack.sharers_most = (uint32_t)unpack_number(s->in, UINT32_MAX);
    unpack.spent = unpack_flag(s->in);
    s->in->failed = s->in->failed || unpack.start < begin;
    return s->in->failed ? ERR_OK : found_add_unpack(s->found, &unpack, err);
}

static enum err_code saved_begins(const struct saved *s, struct err *err)
{
    const uint32_t count = unpack_count(s->in);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !s->in->failed; i++) {
        struct found_begin begin = { 0 };

        begin.hit = saved_header(s, &begin.sig, &begin.start);
        if (!s->in->failed)
            rc = found_add_begin(s->found, &begin, err);
    }
    return rc;
}

static enum err_code saved_steps(const struct saved *s, struct err *err)
{
    const uint32_t count = unpack_count(s->in);
    uint64_t start = 0;
    uint32_t next = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !s->in->failed; i++) {
        struct found_step step = { 0 };

        step.hit = saved_header(s, &step.sig, &start);
        step.hash = saved_u64(s->in);
        s->in->failed = s->in->failed || step.hit < next;
        next = step.hit + 1;
        if (!s->in->failed)
            rc = found_add_step(s->found, &step, err);
    }
    return rc;
}

static enum err_code saved_sums(const struct saved *s, struct err *err)
{
    const uint32_t count = unpack_count(s->in);
    uint64_t at = 0;
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !s->in->failed; i++) {
        at += unpack_number(s->in, s->part->range_end - at);
        const struct found_sum sum = { .at = at, .value = saved_u64(s->in) };

        if (!s->in->failed)
            rc = found_add_sum(s->found, &sum, err);
    }
    return rc;
}

static void saved_sigs(const struct saved *s)
{
    const uint32_t all = s->found->sig_count;
    const uint32_t count = (uint32_t)unpack_number(s->in, all);
    uint64_t at = 0;

    for (uint32_t i = 0; i < count && !s->in->failed; i++) {
        at += unpack_number(s->in, all - 1u);
        s->in->failed = s->in->failed || at >= all;
        if (s->in->failed)
            break;
        s->found->sigs[at].most = (uint32_t)unpack_number(s->in, UINT32_MAX / 2);
        s->found->sigs[at].first_start = unpack_number(s->in, UINT64_MAX);
    }
}

enum err_code found_restore(struct found *found, const struct plan_options *options,
                            const struct plan_part *part, struct texts *texts,
                            struct sig_facts *facts, struct unpack *in, struct err *err)
{
    const struct saved s = { found, options, part, texts, facts, in };
    uint32_t count = unpack_count(in);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++)
        rc = saved_object(&s, err);
    count = unpack_count(in);
    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++)
        rc = saved_unpack(&s, err);
    if (rc == ERR_OK)
        rc = saved_begins(&s, err);
    if (rc == ERR_OK)
        rc = saved_steps(&s, err);
    if (rc == ERR_OK)
        rc = saved_sums(&s, err);
    saved_sigs(&s);
    return rc;
}
