/* SPDX-License-Identifier: Apache-2.0
 * carver/plan/found_saved.c - see found_saved.h. */
#include "carver/plan/found_saved.h"

#include <string.h>

#include "base/hit_saved.h"
#include "base/limits.h"
#include "base/object_saved.h"

_Static_assert((int)SIG_FACT_KEYS <= 64, "a set of keys fits");
_Static_assert((int)SIG_FACTS_MAX == (int)OBJECT_SAVED_FACTS, "all facts of an object are kept");
_Static_assert((int)SIG_FACT_LEN == (int)OBJECT_SAVED_TEXT, "a fact is kept whole");
_Static_assert((int)SIG_TYPES_MAX == (int)OBJECT_SAVED_TYPES, "all types can be said");
_Static_assert((int)DB_SLACK_FOREIGN == (int)OBJECT_SAVED_SLACK, "all kinds of slack can be said");

/* What is read. */
struct saved {
    struct found *found;
    const struct plan_options *options;
    const struct plan_part *part;
    struct texts *texts;
    struct sig_facts *facts;
    struct unpack *in;
};

static void saved_put_type(const struct sig *sig, const struct sig_type *type, struct pack *out)
{
    pack_number(out, (uint64_t)(type - sig->types));
}

static void saved_put_object(const struct found *found, const struct plan_options *options,
                             const struct found_object *object, struct pack *out)
{
    struct object_saved saved = { .hit = (uint32_t)object->tag,
                                  .len = object->len,
                                  .sure = object->ends_by - object->offset,
                                  .type =
                                      (uint32_t)(object->type - options->sigs[object->sig]->types),
                                  .why = object->why,
                                  .why_len = (uint32_t)strlen(object->why),
                                  .slack = object->slack,
                                  .complete = object->complete,
                                  .proven = object->proven,
                                  .has_crc64 = object->has_crc64,
                                  .spent = object->spent,
                                  .crc64 = object->crc64 };
    struct sig_fact fact;
    uint32_t at = 0;

    while (fact_next(&found->facts, object->facts, &at, &fact))
        saved.facts++;
    object_saved_put(&saved, out);
    for (at = 0; fact_next(&found->facts, object->facts, &at, &fact);)
        fact_saved_put(&(struct fact_saved){ .key = fact.key,
                                             .reach = fact.reach,
                                             .has_number = fact.has_number,
                                             .number = fact.number,
                                             .text = fact.text,
                                             .len = (uint32_t)strlen(fact.text) },
                       out);
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
        pack_u64(out, found->steps[i].hash);
    }
    pack_number(out, found->sum_count);
    for (uint32_t i = 0; i < found->sum_count; i++) {
        pack_number(out, found->sums[i].at - last);
        pack_u64(out, found->sums[i].value);
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
    const bool fits = count <= (size_t)(in->end - in->at) / HIT_SAVED_LEAST;
    struct hit_saved last = { 0 };
    const enum err_code rc = fits ? found_room_hits(found, count, err) : ERR_OK;

    in->failed = in->failed || !fits;
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
            found->hits[found->hit_count++] = *hit;
    }
    return rc;
}

/* The hit that is the header of a file with a validator. *start: where that begins. */
static void saved_is_header(const struct saved *s, uint32_t index, uint32_t *sig, uint64_t *start)
{
    if (s->in->failed)
        return;
    const struct hit *hit = &s->found->hits[index];
    const struct pattern_use *use = &s->options->patterns->uses[hit->pattern];
    s->in->failed = use->footer || s->options->sigs[use->sig]->check == NULL;
    *sig = use->sig;
    *start = hit->offset - use->at;
}

/* The number of such a hit. */
static uint32_t saved_header(const struct saved *s, uint32_t *sig, uint64_t *start)
{
    const uint32_t count = s->found->hit_count;
    const uint32_t index = (uint32_t)unpack_number(s->in, count - 1u);

    s->in->failed = s->in->failed || count == 0;
    saved_is_header(s, index, sig, start);
    return s->in->failed ? 0 : index;
}

static const struct sig_type *saved_type(const struct saved *s, uint32_t sig, uint64_t index)
{
    const struct sig_type *types = s->options->sigs[sig]->types;

    for (uint64_t i = 0; i <= index && !s->in->failed; i++)
        s->in->failed = types[i].name == NULL;
    return s->in->failed ? NULL : &types[index];
}

static const char *saved_text(const struct saved *s, const char *text, uint32_t len)
{
    const char *kept = !s->in->failed ? texts_keep(s->texts, text, len) : NULL;

    s->in->failed = s->in->failed || kept == NULL;
    return kept;
}

static enum err_code saved_facts(const struct saved *s, uint32_t count, struct fact_place *place,
                                 struct err *err)
{
    uint64_t keys = 0;

    s->facts->count = 0;
    for (uint32_t i = 0; i < count && !s->in->failed; i++) {
        struct sig_fact *fact = &s->facts->items[s->facts->count++];
        struct fact_saved saved;

        fact_saved_next(s->in, SIG_FACT_KEYS, &saved);
        s->in->failed = s->in->failed || (keys >> saved.key & 1) != 0;
        if (s->in->failed)
            break;
        keys |= UINT64_C(1) << saved.key;
        fact->key = (enum sig_fact_key)saved.key;
        fact->reach = saved.reach;
        fact->has_number = saved.has_number;
        fact->number = saved.number;
        memcpy(fact->text, saved.text, saved.len);
        fact->text[saved.len] = '\0';
    }
    if (s->in->failed)
        return ERR_OK;
    *place = fact_pack(&s->found->facts, s->facts);
    return s->found->facts.failed ? ERR_NO_MEMORY(err, sizeof *s->facts) : ERR_OK;
}

static enum err_code saved_object(const struct saved *s, struct err *err)
{
    struct object_saved saved;
    struct found_object object = { 0 };

    object_saved_next(s->in, s->found->hit_count, &saved);
    saved_is_header(s, saved.hit, &object.sig, &object.offset);
    s->in->failed = s->in->failed || saved.len > s->part->range_end - object.offset ||
                    saved.sure > UINT64_MAX - object.offset;
    if (s->in->failed)
        return ERR_OK;
    object.tag = saved.hit;
    object.len = saved.len;
    object.ends_by = object.offset + saved.sure;
    object.type = saved_type(s, object.sig, saved.type);
    object.why = saved_text(s, saved.why, saved.why_len);
    object.slack = (enum db_slack)saved.slack;
    object.complete = saved.complete;
    object.proven = saved.proven;
    object.has_crc64 = saved.has_crc64;
    object.spent = saved.spent;
    object.crc64 = saved.crc64;
    const enum err_code rc = saved_facts(s, saved.facts, &object.facts, err);
    return rc == ERR_OK && !s->in->failed ? found_add_object(s->found, &object, err) : rc;
}

static enum err_code saved_unpack(const struct saved *s, struct err *err)
{
    const uint64_t begin = s->part->range_begin, end = s->part->range_end;
    struct found_unpack unpack = { 0 };
    uint32_t len = 0;

    s->in->failed = s->in->failed || s->options->sig_count == 0;
    unpack.sig = (uint32_t)unpack_number(s->in, s->options->sig_count - 1u);
    if (s->in->failed || s->options->sigs[unpack.sig]->check == NULL) {
        s->in->failed = true;
        return ERR_OK;
    }
    unpack.start = unpack_number(s->in, end - 1);
    unpack.ends_by = unpack.start + unpack_number(s->in, UINT64_MAX - unpack.start);
    unpack.len = unpack_number(s->in, end);
    unpack.type = saved_type(s, unpack.sig, unpack_number(s->in, SIG_TYPES_MAX - 1));
    const char *why = text_saved_next(s->in, &len);
    unpack.why = saved_text(s, why, len);
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
        step.hash = unpack_u64(s->in);
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
        const struct found_sum sum = { .at = at, .value = unpack_u64(s->in) };

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
        sig_set_add(&s->found->some, (uint32_t)at);
        s->found->sigs[at].most = (uint32_t)unpack_number(s->in, UINT32_MAX / 2);
        s->found->sigs[at].first_start = unpack_number(s->in, UINT64_MAX);
    }
}

enum err_code found_restore_objects(struct found *found, const struct plan_options *options,
                                    const struct plan_part *part, struct texts *texts,
                                    struct sig_facts *facts, struct unpack *in, struct err *err)
{
    const struct saved s = { found, options, part, texts, facts, in };
    const uint32_t count = unpack_count(in);
    enum err_code rc = ERR_OK;

    for (uint32_t i = 0; rc == ERR_OK && i < count && !in->failed; i++)
        rc = saved_object(&s, err);
    return rc;
}

enum err_code found_restore_notes(struct found *found, const struct plan_options *options,
                                  const struct plan_part *part, struct texts *texts,
                                  struct unpack *in, struct err *err)
{
    const struct saved s = { found, options, part, texts, NULL, in };
    const uint32_t count = unpack_count(in);
    enum err_code rc = ERR_OK;

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
