/* SPDX-License-Identifier: Apache-2.0
 * tests/io/image/test_turtle.c - metadata in Turtle give the statements that stand there, or an
 * error.
 *
 * Method: rows of text and what they say, worked out by hand from the grammar of RDF 1.1 Turtle.
 */
#include "io/image/turtle.h"
#include "tests/io/lib_io.h"

#define TYPE "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
#define XSD "http://www.w3.org/2001/XMLSchema#"

struct row {
    const char *text;
    uint32_t count; /* of statements; 0: refused */
    /* the last one; type "-": it is an IRI */
    const char *subject, *predicate, *object, *type;
};

static const struct row rows[] = {
    { "<a:s> <a:p> <a:o> .", 1, "a:s", "a:p", "a:o", "-" },
    { "@prefix : <a:> .\n:s a : .", 1, "a:s", TYPE, "a:", "-" },
    { "@prefix x: <a:> .\nx:s x:p.q x:o .", 1, "a:s", "a:p.q", "a:o", "-" },
    { "@prefix x: <a:> . @prefix x: <b:> . x:s x:p x:o .", 1, "b:s", "b:p", "b:o", "-" },
    { "@base <a://b/> . <s> <p> <c:o> .", 1, "a://b/s", "a://b/p", "c:o", "-" },
    { "<a:s> <a:p> 'x' , \"y\" ;\n <a:q> 'z' ; .", 3, "a:s", "a:q", "z", "" },
    { "<a:s> <a:p> \"x\"^^<" XSD "int> .", 1, "a:s", "a:p", "x", XSD "int" },
    { "<a:s> <a:p> 'x'@en-GB .", 1, "a:s", "a:p", "x", "" },
    { "<a:s> <a:p> '''it's\n'' two''' .", 1, "a:s", "a:p", "it's\n'' two", "" },
    { "<a:s> <a:p> '' .", 1, "a:s", "a:p", "", "" },
    { "<a:s> <a:p> 'a\\tb\\n\\\"\\u00e4\\U0001f600' .", 1, "a:s", "a:p",
      "a\tb\n\"\xc3\xa4\xf0\x9f\x98\x80", "" },
    { "<a:s> <a:p> 42 . # a comment\n", 1, "a:s", "a:p", "42", XSD "decimal" },
    { "<a:s> <a:p> -1.5e+3 .", 1, "a:s", "a:p", "-1.5e+3", XSD "decimal" },
    { "<a:s> <a:p> 7.", 1, "a:s", "a:p", "7", XSD "decimal" },
    { "<a:s> <a:p> true .", 1, "a:s", "a:p", "true", XSD "boolean" },
    { "@prefix true: <a:> . true:s <a:p> true:o .", 1, "a:s", "a:p", "a:o", "-" },
    { "_:b1 <a:p> _:b2 .", 1, "_:b1", "a:p", "_:b2", "-" },
    { "<a:s\\u0041> <a:p> <a:o> .", 1, "a:sA", "a:p", "a:o", "-" },
    { "@prefix x: <a:> . x:s x:p x:a\\,b%20c .", 1, "a:s", "a:p", "a:a,b%20c", "-" },
    { "# nothing but this", 0, NULL, "", NULL, NULL },
    { "<a:s> <a:p> <a:o>", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> <a:o> <a:x> .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> 'x .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> 'x\n' .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> '\\q' .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> '\\ud800' .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> '\\u12' .", 0, NULL, NULL, NULL, NULL },
    { "<a s> <a:p> <a:o> .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> [ ] .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> ( 1 ) .", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> 12x .", 0, NULL, NULL, NULL, NULL },
    { "x:s <a:p> <a:o> .", 0, NULL, NULL, NULL, NULL },
    { "@prefix x <a:> .", 0, NULL, NULL, NULL, NULL },
    { "@prefix x: <a:>", 0, NULL, NULL, NULL, NULL },
    { "<a:s> <a:p> \"x\"^^ .", 0, NULL, NULL, NULL, NULL },
};

static void grammar(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct turtle turtle;
        struct err err = { 0 };
        const enum err_code rc =
            io_turtle_read("test", (const uint8_t *)row->text, strlen(row->text), &turtle, &err);
        const bool empty = row->count == 0 && row->predicate != NULL;

        if ((rc == ERR_OK) != (row->count > 0 || empty) ||
            (rc == ERR_OK && turtle.count != row->count))
            fail_msg("row %u: %u statements, %s", i, turtle.count, err.text);
        if (row->count > 0) {
            const struct turtle_triple *last = &turtle.items[turtle.count - 1];

            assert_string_equal(last->subject, row->subject);
            assert_string_equal(last->predicate, row->predicate);
            assert_string_equal(last->object.text, row->object);
            assert_string_equal(last->object.type == NULL ? "-" : last->object.type, row->type);
            assert_string_equal(io_turtle_get(&turtle, row->subject, row->predicate, 0)->text,
                                turtle.count == 3 ? "z" : row->object);
        }
        assert_null(io_turtle_get(&turtle, "a:s", "a:none", 0));
        io_turtle_release(&turtle);
    }
}

static void every_cut_is_read_or_refused(void **state)
{
    static const char text[] =
        "@prefix x: <a:> .\n<a:s> a x:T ; x:p \"\"\"v\\u00e4\"\"\"^^x:t , 'w'@de , 12.5 , true .\n";
    uint32_t refused = 0;

    (void)state;
    for (size_t len = 0; len < sizeof text; len++) {
        struct turtle turtle;
        struct err err = { 0 };
        uint8_t *own = malloc(len + 1); /* so that a sanitizer sees a byte too many */

        memcpy(own, text, len);
        if (io_turtle_read("test", own, len, &turtle, &err) != ERR_OK) {
            refused++;
            assert_non_null(strstr(err.text, "metadata are damaged: line"));
        }
        io_turtle_release(&turtle);
        free(own);
    }
    /*
     * Sound are: nothing; the prefix, and the end of its line; what ends in "12."; all, with and
     * without the end of its line.
     */
    assert_int_equal(refused, sizeof text - 6);
}

static void what_is_too_much_is_refused(void **state)
{
    struct turtle turtle;
    struct err err = { 0 };
    const size_t len = 4 << 20;
    char *text = malloc(len);

    (void)state;
    memset(text, ' ', len);
    size_t at = (size_t)snprintf(text, len, "@prefix x: <a:");
    memset(text + at, 'b', 1 << 20); /* a long prefix, used many times */
    at += 1 << 20;
    at += (size_t)snprintf(text + at, len - at, "> . ");
    while (at < len - 32)
        at += (size_t)snprintf(text + at, len - at, "x:s x:p x:o . ");
    assert_int_equal(io_turtle_read("test", (const uint8_t *)text, at, &turtle, &err), ERR_INPUT);
    assert_non_null(strstr(err.text, "too much"));
    io_turtle_release(&turtle);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grammar),
        cmocka_unit_test(every_cut_is_read_or_refused),
        cmocka_unit_test(what_is_too_much_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
