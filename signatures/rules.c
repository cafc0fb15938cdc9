/* SPDX-License-Identifier: Apache-2.0
 * signatures/rules.c - header/footer rules: for the types of Debian's scalpel.conf that have no
 * validator, and for formats whose length nobody can tell from the file.
 *
 * They are off by default (SIG_OFF), because a rule without a validator invents files. Sizes are
 * those of scalpel.conf, where its pattern is plainly wrong, ours is right and a comment says so;
 * those of the other formats are policy.
 */
#include "signatures/lib/rule.h"
#include "signatures/sig.h"

#define RULES_SCALPEL "scalpel.conf of Scalpel 1.60"

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

const struct sig sig_gho = {
    .name = "gho",
    .what = "backup of Norton Ghost",
    .source = RULES_TESTDISK "file_gho.c",
    .types = RULES_TYPE("gho", "gho"),
    .headers = { SIG_PATTERN("\xfe\xef\x01") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_tib = {
    .name = "tib",
    .what = "backup of Acronis True Image",
    .source = RULES_TESTDISK "file_tib.c",
    .types = RULES_TYPE("tib", "tib"),
    .headers = { SIG_PATTERN("\xb4nhD"), SIG_PATTERN("\xce\x24\xb9\xa2\x20\0\0") },
    .footer = SIG_PATTERN("\0\0\x20\xa2\xb9\x24\xce"),
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_spf = {
    .name = "spf",
    .what = "backup of ShadowProtect",
    .source = RULES_TESTDISK "file_spf.c",
    .types = RULES_TYPE("spf", "spf"),
    .headers = { SIG_PATTERN("SPFI\0\2\0\0") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_dar = {
    .name = "dar",
    .what = "archive of dar",
    .source = RULES_TESTDISK "file_dar.c",
    .types = RULES_TYPE("dar", "dar"),
    .headers = { SIG_PATTERN("\0\0\0\x7b") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_qdf = {
    .name = "qdf",
    .what = "accounts of Quicken",
    .source = RULES_TESTDISK "file_qdf.c",
    .types = RULES_TYPE("qdf", "qdf"),
    .headers = { SIG_PATTERN("\xac\x9e\xbd\x8f\0\0") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_nsf = {
    .name = "nsf",
    .what = "database of Lotus Notes",
    .source = RULES_TESTDISK "file_nsf.c",
    .types = RULES_TYPE("nsf", "nsf"),
    .headers = { SIG_PATTERN("\x1a\0\0\4\0\0") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_fp5 = {
    .name = "fp5",
    .what = "database of FileMaker Pro, 5 and 7",
    .source = RULES_TESTDISK "file_fp5.c",
    .types = RULES_TYPE("fp5", "fp5"),
    .headers = { SIG_PATTERN("\0\1\0\0\0\2\0\1\0\5\0\2\0\2\xc0") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_c4d = {
    .name = "c4d",
    .what = "scene of Cinema 4D",
    .source = RULES_TESTDISK "file_c4d.c",
    .types = RULES_TYPE("c4d", "c4d"),
    .headers = { SIG_PATTERN("QC4DC4D6") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_skp = {
    .name = "skp",
    .what = "model of SketchUp, before 2021",
    .source = RULES_TESTDISK "file_skp.c",
    .types = RULES_TYPE("skp", "skp"),
    .headers = { SIG_PATTERN("\xff\xfe\xff\x0eS\0k\0e\0t\0c\0h\0U\0p\0") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_gp = {
    .name = "gp",
    .what = "music of Guitar Pro, 3 to 5",
    .source = RULES_TESTDISK "file_gp5.c",
    .types = RULES_TYPE("gp", "gp5"),
    .headers = { SIG_PATTERN("\x18"
                             "FICHIER GUITAR PRO v") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

const struct sig sig_ptf = {
    .name = "ptf",
    .what = "session of Pro Tools",
    .source = RULES_TESTDISK "file_ptf.c",
    .types = RULES_TYPE("ptf", "ptf"),
    .headers = { SIG_PATTERN("\003"
                             "0010111100101011") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_sib = {
    .name = "sib",
    .what = "score of Sibelius",
    .source = RULES_TESTDISK "file_sib.c",
    .types = RULES_TYPE("sib", "sib"),
    .headers = { SIG_PATTERN("\x0f"
                             "SIBELIUS") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_logic = {
    .name = "logic",
    .what = "project of Apple Logic",
    .source = RULES_TESTDISK "file_logic.c",
    .types = RULES_TYPE("logic", "logic"),
    .headers = { SIG_PATTERN("\xab\xc0\x47\x13\5\x17\0\x15") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_rns = {
    .name = "rns",
    .what = "song of Reason",
    .source = RULES_TESTDISK "file_rns.c",
    .types = RULES_TYPE("rns", "rns"),
    .headers = { SIG_PATTERN("Propellerheads Reason Song File") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_shn = {
    .name = "shn",
    .what = "sound of Shorten",
    .source = RULES_TESTDISK "file_shn.c",
    .types = RULES_TYPE("shn", "shn"),
    .headers = { SIG_PATTERN("ajkg\2") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_ari = {
    .name = "ari",
    .what = "raw video of ARRI",
    .source = RULES_TESTDISK "file_ari.c",
    .types = RULES_TYPE("ari", "ari"),
    .headers = { SIG_PATTERN("ARRI\x12\x34\x56\x78\0\x10\0\0") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_sitx = {
    .name = "sitx",
    .what = "archive of StuffIt X",
    .source = "The Unarchiver, XADStuffItXParser.m",
    .types = RULES_TYPE("sitx", "sitx"),
    .headers = { SIG_PATTERN("StuffIt!"), SIG_PATTERN("StuffIt?") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_age = {
    .name = "age",
    .what = "file encrypted by age",
    .source = "C2SP, age: The age file encryption format, v1",
    .types = RULES_TYPE("age", "age"),
    .headers = { SIG_PATTERN("age-encryption.org/v1\n-> ") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_fp7 = {
    .name = "fp7",
    .what = "database of FileMaker 7 and later",
    .source = RULES_TESTDISK "file_fp7.c",
    .types = RULES_TYPE("fp7", "fp7"),
    .headers = { SIG_PATTERN("\0\1\0\0\0\2\0\1\0\5\0\2\0\2\xc0HBAM7") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_afdesign = {
    .name = "afdesign",
    .what = "picture of Affinity Designer, Photo, Publisher",
    .source = RULES_TESTDISK "file_afdesign.c",
    .types = RULES_TYPE("afdesign", "afdesign"),
    .headers = { SIG_PATTERN("\0\xffKA") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_ds2 = {
    .name = "ds2",
    .what = "dictation, Digital Speech Standard",
    .source = RULES_TESTDISK "file_ds2.c",
    .types = RULES_TYPE("ds2", "ds2"),
    .headers = { SIG_PATTERN("\x03\x64s2"), SIG_PATTERN("\x02\x64ss") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_pgdump = {
    .name = "pgdump",
    .what = "backup by pg_dump (custom)",
    .source = "PostgreSQL 15, pg_backup_archiver.c: WriteHead",
    .types = RULES_TYPE("pgdump", "dump"),
    .headers = { SIG_PATTERN("PGDMP\1") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_hwp3 = {
    .name = "hwp3",
    .what = "document of Hangul 3",
    .source = "Hancom, Hangul document file format 3.0",
    .types = RULES_TYPE("hwp3", "hwp"),
    .headers = { SIG_PATTERN("HWP Document File V3.0") },
    .flags = SIG_OFF,
    .size_max = 100000000,
};

const struct sig sig_ess = {
    .name = "ess",
    .what = "saved game of Skyrim or Fallout 4",
    .source = "UESP, Skyrim Mod: Save File Format",
    .types = RULES_TYPE("ess", "ess"),
    .headers = { SIG_PATTERN("TESV_SAVEGAME"), SIG_PATTERN("FO4_SAVEGAME") },
    .flags = SIG_OFF,
    .size_max = 200000000,
};

const struct sig sig_n64 = {
    .name = "n64",
    .what = "program of the Nintendo 64",
    .source = "n64brew wiki, ROM Header",
    .types = RULES_TYPE("n64", "z64"),
    .headers = { SIG_PATTERN("\x80\x37\x12\x40\0\0\0\x0f") },
    .flags = SIG_OFF,
    .size_max = 67108864,
};
