/* SPDX-License-Identifier: Apache-2.0
 * signatures/rules.c - header/footer rules for the types of Debian's scalpel.conf that have no
 * validator.
 *
 * They are off by default (SIG_OFF), because a rule without a validator invents files. Sizes are
 * those of that file. Where its pattern is plainly wrong, ours is right and a comment says so.
 */
#include "signatures/sig.h"

#define RULES_SCALPEL "scalpel.conf of Scalpel 1.60"
#define RULES_TYPE(name, extension)                                                                \
    (const struct sig_type[])                                                                      \
    {                                                                                              \
        { name, extension },                                                                       \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

const struct sig sig_art = {
    .name = "art",
    .what = "AOL compressed picture",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("art", "art"),
    .headers = { SIG_PATTERN("JG\x04\x0e") },
    .footer = SIG_PATTERN("\xcf\xc7\xcb"),
    .flags = SIG_OFF,
    .size_max = 150000,
};

const struct sig sig_art_old = {
    .name = "art-old",
    .what = "AOL compressed picture, older form",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("art", "art"),
    .headers = { SIG_PATTERN("JG\x03\x0e") },
    .footer = SIG_PATTERN("\xd0\xcb\x00\x00"),
    .flags = SIG_OFF,
    .size_max = 150000,
};

const struct sig sig_idx = {
    .name = "idx",
    .what = "Outlook Express 4 index",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("idx", "idx"),
    .headers = { SIG_PATTERN("JMF9") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

const struct sig sig_mbx = {
    .name = "mbx",
    .what = "Outlook Express 4 mailbox",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("mbx", "mbx"),
    .headers = { SIG_PATTERN("JMF6") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

const struct sig sig_mail = {
    .name = "aol-mail",
    .what = "AOL mailbox",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("aol-mail", "mail"),
    .headers = { SIG_PATTERN("AOLVM") },
    .flags = SIG_OFF,
    .size_max = 500000,
};

const struct sig sig_pgd = {
    .name = "pgd",
    .what = "PGP disk",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("pgd", "pgd"),
    .headers = { SIG_PATTERN("PGPdMAIN\x60\x01") },
    .flags = SIG_OFF,
    .size_max = 500000,
};

const struct sig sig_ra = {
    .name = "ra",
    .what = "RealAudio",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("ra", "ra"),
    .headers = { SIG_PATTERN(".ra\xfd") },
    .flags = SIG_OFF,
    .size_max = 1000000,
};

const struct sig sig_max = {
    .name = "paperport",
    .what = "PaperPort picture",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("paperport", "max"),
    .headers = { SIG_PATTERN("ViGFk\x1a\x00\x00\x00\x00") },
    .footer = SIG_PATTERN("\x00\x00\x05\x80\x00\x00"),
    .flags = SIG_OFF,
    .size_max = 1000000,
};

const struct sig sig_pins = {
    .name = "pins",
    .what = "PINs passwords",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("pins", "pins"),
    .headers = { SIG_PATTERN("PINS 4.20\r") },
    .flags = SIG_OFF,
    .size_max = 8000,
};
