/* SPDX-License-Identifier: Apache-2.0
 * signatures/lib/rule.h - words that the files of header/footer rules share. */
#ifndef BURIN_SIGNATURES_LIB_RULE_H
#define BURIN_SIGNATURES_LIB_RULE_H

#define RULES_TESTDISK "C. Grenier, testdisk: src/"
#define RULES_TYPE(name, extension)                                                                \
    (const struct sig_type[])                                                                      \
    {                                                                                              \
        { name, extension },                                                                       \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

#endif
