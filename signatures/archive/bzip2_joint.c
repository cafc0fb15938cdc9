/* SPDX-License-Identifier: Apache-2.0
 * signatures/archive/bzip2_joint.c - where a block that lies in two pieces is cut, in one pass over
 * each of them.
 *
 * The header of the block says by which table each of its codes is read, and how many there are but
 * for the last 50. So the codes are followed forwards from the header, over the place where the
 * piece ends and beyond; and backwards from the mark behind the block: which bits may be the code
 * before, and the one before that. Backwards nearly all bits of some fifty codes lead on at a time,
 * since codes that are begun anywhere soon fall into step; so they are followed together, as the
 * bits of a map. Where a table is given, one code begins at each bit, if any: those that begin with
 * a code of so many bits are the map's, shifted by as many, where such a code begins. At each place
 * where a piece may end or begin, both ways know the number of the code there: where it is the
 * same, the block may be cut. Bytes of another file have such a number by chance, in one place of
 * some hundred.
 *
 * Of the selectors all are taken to be used, as bzip2 writes them.
 */
#include <stdlib.h>

#include "signatures/archive/bzip2.h"

enum {
    JOINT_MARK = 48,  /* bits of the numbers that begin a block, and stand behind it */
    JOINT_WORD = 64,  /* bits of a word of a map */
    JOINT_WORDS = 64, /* of a map: ways back that are farther from each other are lost */
    JOINT_SHORT = 10, /* bits by which short codes are looked up */
};

/* Where a piece may end: so many codes are before it, and some bits of the next one. */
struct joint_end {
    uint32_t number, place, bits;
};

/* Where a piece may begin: the first code behind, and the bits before that. */
struct joint_begin {
    uint32_t number, place, bits;
};

/* Where codes of a table begin in a word of there, by their bits; the codes of the end are none. */
struct joint_begun {
    uint64_t word; /* its number, plus 1; 0: none */
    uint64_t by_bits[BZIP2_CODE_MAX + 1];
};

struct joint_reader {
    uint32_t shortest, longest;         /* bits of the table's codes */
    uint8_t bits[1 << JOINT_SHORT];     /* of the code that such bits begin with; 0: it is longer */
    struct joint_begun at[JOINT_WORDS]; /* the word of number n is in n % JOINT_WORDS */
};

/* Bits of there: bit b of word n, which is in n % JOINT_WORDS, is bit n * 64 + b. */
struct joint_map {
    uint64_t words[JOINT_WORDS];
    uint64_t low, high; /* words that may have bits: from low up to high */
};

struct joint {
    const struct sig_joint_job *job;
    struct bzip2_codes codes;
    uint64_t codes_at; /* bit of here */
    bool first;        /* the block is the first one of its stream */
    struct joint_end *ends;
    struct joint_begin *begins; /* with descending numbers */
    uint32_t end_count, begin_count, begin_room;
    struct joint_map ways[2];                  /* where a code begins that leads to the end */
    struct joint_reader readers[BZIP2_TABLES]; /* made when they are first asked for */
};

static struct bzip2_bits joint_bits(const uint8_t *bytes, uint32_t len, uint64_t at)
{
    return (struct bzip2_bits){ .bytes = bytes, .len = (uint64_t)len * 8, .at = at };
}

static uint32_t joint_next(const uint8_t *bytes, uint32_t len, uint64_t at)
{
    const struct bzip2_bits bits = joint_bits(bytes, len, at);

    return (uint32_t)(bzip2_peek(&bits) >> (64 - BZIP2_CODE_MAX));
}

static const struct bzip2_table *joint_table(const struct joint *joint, uint32_t number)
{
    return &joint->codes.tables[joint->codes.selectors[number / BZIP2_GROUP]];
}

/* Reads what stands before the codes: behind a stream's header, or at any bit of the first byte. */
static bool joint_open(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    struct bzip2_bits bits = joint_bits(job->here, job->here_len, 0);

    joint->first = bzip2_peek(&bits) >> 40 == 0x425a68; /* "BZh" */
    joint->codes.level = 9;                             /* at most */
    bits.at = joint->first ? BZIP2_HEAD * 8 : 0;
    for (uint32_t i = 0; bzip2_peek(&bits) >> (64 - JOINT_MARK) != BZIP2_BLOCK; i++) {
        if (joint->first || i == 7)
            return false;
        bits.at++;
    }
    bits.at += JOINT_MARK;
    if (bzip2_block(&bits, &joint->codes) != NULL || bits.at > bits.len)
        return false;
    joint->codes_at = bits.at;
    return true;
}

/* Whether what stands behind the block may stand there: the CRC of a stream of one block is its. */
static bool joint_fits(const struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    struct bzip2_bits bits = joint_bits(job->there, job->there_len, job->end_bit);
    const bool ends = bzip2_peek(&bits) >> (64 - JOINT_MARK) == BZIP2_END;

    bits.at += JOINT_MARK;
    return !ends || !joint->first || bzip2_take(&bits, 32) == joint->codes.crc;
}

/* Follows the codes forwards. */
static void joint_forwards(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    const uint32_t total = joint->codes.selector_count * BZIP2_GROUP;
    uint64_t at = joint->codes_at, place = job->cut;
    bool on = true;

    while (place * 8 < at)
        place += job->step;
    for (uint32_t number = 0; on && number < total && at / 8 < job->here_len; number++) {
        const struct bzip2_table *table = joint_table(joint, number);
        const uint32_t next = joint_next(job->here, job->here_len, at);
        const uint32_t len = bzip2_code(table, next);

        for (; place * 8 < at + len && place < job->here_len; place += job->step)
            joint->ends[joint->end_count++] =
                (struct joint_end){ number, (uint32_t)place, (uint32_t)(place * 8 - at) };
        on = len <= BZIP2_CODE_MAX && !bzip2_is_end(table, next, len);
        at += len;
    }
}

/* Notes a code of this number that is the first one behind a place. False: no memory. */
static bool joint_note(struct joint *joint, uint32_t number, uint32_t place, uint32_t bits)
{
    if (joint->begin_count == joint->begin_room) {
        const uint32_t room = joint->begin_room * 2 + 1024;
        struct joint_begin *more = realloc(joint->begins, room * sizeof *more);

        if (more == NULL)
            return false;
        joint->begins = more;
        joint->begin_room = room;
    }
    joint->begins[joint->begin_count++] = (struct joint_begin){ number, place, bits };
    return true;
}

static uint64_t map_word(const struct joint_map *map, uint64_t word)
{
    return word >= map->low && word < map->high ? map->words[word % JOINT_WORDS] : 0;
}

/* Notes the codes of this number that are the first ones behind a place. False: no memory. */
static bool joint_note_all(struct joint *joint, uint32_t number, const struct joint_map *ways)
{
    const struct sig_joint_job *job = joint->job;
    const uint64_t from = ways->low * (JOINT_WORD / 8), to = ways->high * (JOINT_WORD / 8);
    const uint64_t reach = (BZIP2_CODE_MAX + 7) / 8;
    const uint64_t first = from > reach ? from - reach : 0;
    uint64_t place = job->begin;

    if (first > place)
        place += (first - place + job->step - 1) / job->step * job->step;
    for (; place < to; place += job->step) {
        const uint64_t word = place * 8 / JOINT_WORD, into = place * 8 % JOINT_WORD;
        const uint64_t here = map_word(ways, word) >> into;
        const uint64_t next = into == 0 ? 0 : map_word(ways, word + 1) << (JOINT_WORD - into);
        uint32_t left = (uint32_t)((here | next) & ((1u << BZIP2_CODE_MAX) - 1));

        for (; left != 0; left &= left - 1)
            if (!joint_note(joint, number, (uint32_t)place, (uint32_t)__builtin_ctz(left)))
                return false;
    }
    return true;
}

static void joint_reader_make(struct joint_reader *reader, const struct bzip2_table *table)
{
    reader->shortest = BZIP2_CODE_MAX;
    for (uint32_t len = 1; len <= BZIP2_CODE_MAX; len++)
        if (table->limit[len - 1] < table->limit[len]) {
            reader->shortest = len < reader->shortest ? len : reader->shortest;
            reader->longest = len;
        }
    for (uint32_t i = 0; i < 1 << JOINT_SHORT; i++) {
        const uint32_t len = bzip2_code(table, i << (BZIP2_CODE_MAX - JOINT_SHORT));

        reader->bits[i] = len <= JOINT_SHORT ? (uint8_t)len : 0;
    }
}

/* Where codes of a table begin in this word of there. */
static const struct joint_begun *joint_begun(struct joint *joint, uint32_t number, uint64_t word)
{
    const struct bzip2_table *table = joint_table(joint, number);
    struct joint_reader *reader = &joint->readers[table - joint->codes.tables];
    struct joint_begun *begun = &reader->at[word % JOINT_WORDS];
    struct bzip2_bits bits = joint_bits(joint->job->there, joint->job->there_len, 0);

    if (begun->word == word + 1)
        return begun;
    *begun = (struct joint_begun){ .word = word + 1 };
    for (uint32_t byte = 0; byte < JOINT_WORD / 8; byte++) {
        bits.at = word * JOINT_WORD + byte * 8;
        const uint64_t around = bzip2_peek(&bits);

        for (uint32_t bit = 0; bit < 8; bit++) {
            const uint32_t next = (uint32_t)(around << bit >> (64 - BZIP2_CODE_MAX));
            uint32_t len = reader->bits[next >> (BZIP2_CODE_MAX - JOINT_SHORT)];

            if (len == 0)
                len = bzip2_code(table, next);
            if (len <= BZIP2_CODE_MAX && !bzip2_is_end(table, next, len))
                begun->by_bits[len] |= UINT64_C(1) << (byte * 8 + bit);
        }
    }
    return begun;
}

/* Follows the codes of this number: where they begin that end where those behind them begin. */
static void joint_before(struct joint *joint, uint32_t number, const struct joint_map *behind,
                         struct joint_map *ways)
{
    const struct bzip2_table *table = joint_table(joint, number);
    struct joint_reader *reader = &joint->readers[table - joint->codes.tables];

    if (reader->longest == 0)
        joint_reader_make(reader, table);
    ways->high = behind->high;
    ways->low = behind->low - (behind->low > 0 && behind->low < behind->high);
    if (ways->high - ways->low > JOINT_WORDS)
        ways->low = ways->high - JOINT_WORDS;
    for (uint64_t word = ways->low; word < ways->high; word++) {
        const uint64_t here = map_word(behind, word), next = map_word(behind, word + 1);
        uint64_t all = 0;

        if (here != 0 || next != 0) {
            const struct joint_begun *begun = joint_begun(joint, number, word);

            for (uint32_t len = reader->shortest; len <= reader->longest; len++)
                all |= (here >> len | next << (JOINT_WORD - len)) & begun->by_bits[len];
        }
        ways->words[word % JOINT_WORDS] = all;
    }
    while (ways->low < ways->high && ways->words[ways->low % JOINT_WORDS] == 0)
        ways->low++;
    while (ways->low < ways->high && ways->words[(ways->high - 1) % JOINT_WORDS] == 0)
        ways->high--;
}

/* Adds a bit that lies behind all others. */
static void map_add(struct joint_map *map, uint64_t bit)
{
    const uint64_t word = bit / JOINT_WORD;

    if (map->low == map->high)
        map->low = map->high = word;
    for (; map->high <= word; map->high++)
        map->words[map->high % JOINT_WORDS] = 0;
    if (map->high - map->low > JOINT_WORDS)
        map->low = map->high - JOINT_WORDS;
    map->words[word % JOINT_WORDS] |= UINT64_C(1) << bit % JOINT_WORD;
}

/* Follows the codes backwards, as far as those were followed that go forwards. False: no memory. */
static bool joint_backwards(struct joint *joint)
{
    const struct sig_joint_job *job = joint->job;
    const uint32_t total = joint->codes.selector_count * BZIP2_GROUP;
    const struct bzip2_table *last = joint_table(joint, total - 1);
    const uint64_t end_at = job->end_bit - last->end_length;
    bool have = true;

    if (job->end_bit < last->end_length ||
        !bzip2_is_end(last, joint_next(job->there, job->there_len, end_at), last->end_length))
        return true;
    for (uint32_t number = total; have && number-- > joint->ends[0].number;) {
        struct joint_map *ways = &joint->ways[number % 2];

        joint_before(joint, number, &joint->ways[(number + 1) % 2], ways);
        if (number >= total - BZIP2_GROUP)
            map_add(ways, end_at);
        have = joint_note_all(joint, number, ways);
        if (ways->low == ways->high)
            break;
    }
    return have;
}

/* Bits of the code that the cut goes through which lie behind it; UINT32_MAX: it is none. */
static uint32_t joint_rest(const struct joint *joint, const struct joint_end *end,
                           const struct joint_begin *begin)
{
    const struct sig_joint_job *job = joint->job;
    const struct bzip2_table *table = joint_table(joint, end->number);
    const uint32_t there = joint_next(job->there, job->there_len, begin->place * 8ull);
    const uint32_t rest = BZIP2_CODE_MAX - end->bits;

    if (end->bits == 0)
        return 0;
    const uint32_t here = joint_next(job->here, job->here_len, end->place * 8ull - end->bits);
    const uint32_t next = here >> rest << rest | there >> end->bits;
    const uint32_t len = bzip2_code(table, next);
    return len > BZIP2_CODE_MAX || len <= end->bits || bzip2_is_end(table, next, len)
               ? UINT32_MAX
               : len - end->bits;
}

static uint32_t joint_match(const struct joint *joint, struct sig_seam_at *out, uint32_t room)
{
    uint32_t count = 0, left = joint->begin_count;

    for (uint32_t i = 0; i < joint->end_count; i++) {
        const struct joint_end *end = &joint->ends[i];
        const uint32_t number = end->bits == 0 ? end->number : end->number + 1;

        while (left > 0 && joint->begins[left - 1].number < number)
            left--;
        for (uint32_t k = left; k > 0 && joint->begins[k - 1].number == number; k--)
            if (count < room &&
                joint_rest(joint, end, &joint->begins[k - 1]) == joint->begins[k - 1].bits)
                out[count++] = (struct sig_seam_at){ end->place, joint->begins[k - 1].place };
    }
    return count;
}

static bool bzip2_join(const struct sig_joint_job *job, struct sig_seam_at *out, uint32_t room,
                       uint32_t *count)
{
    struct joint *joint = calloc(1, sizeof *joint);
    bool have = joint != NULL;

    *count = 0;
    if (have) {
        joint->job = job;
        joint->ends = malloc((job->here_len / job->step + 1) * sizeof *joint->ends);
        have = joint->ends != NULL;
    }
    if (have && joint_open(joint) && joint_fits(joint)) {
        joint_forwards(joint);
        have = joint->end_count == 0 || joint_backwards(joint);
        if (have)
            *count = joint_match(joint, out, room);
    }
    if (joint != NULL) {
        free(joint->ends);
        free(joint->begins);
    }
    free(joint);
    return have;
}

const struct sig_joint bzip2_joint = {
    .ends = { BZIP2_END, BZIP2_BLOCK },
    .most = 1 << 20, /* 900,000 bytes and a hundredth more, as bzip2 says, and its header */
    .join = bzip2_join,
};
