/* SPDX-License-Identifier: Apache-2.0
 * tests/signatures/test_rules.c - the built-in header/footer rules.
 *
 * Goal: each finds the beginning of a file of its type and is off by default. Method: first bytes
 * written down from the formats' descriptions, not from rules.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "signatures/list.h"
#include "signatures/sig.h"

#define BYTES(literal) literal, sizeof(literal) - 1

static const struct {
    const char *name, *type, *extension;
    const char *head;
    size_t len;
} files[] = {
    { "art", "art", "art", BYTES("JG\x04\x0e\0\0") },
    { "art-old", "art", "art", BYTES("JG\x03\x0e\0\0") },
    { "idx", "idx", "idx", BYTES("JMF9\0") },
    { "mbx", "mbx", "mbx", BYTES("JMF6\0") },
    { "aol-mail", "aol-mail", "mail", BYTES("AOLVM100") },
    { "pgd", "pgd", "pgd", BYTES("PGPdMAIN`\x01") },
    { "ra", "ra", "ra", BYTES(".ra\xfd\0\x03") },
    { "paperport", "paperport", "max", BYTES("ViGFk\x1a\0\0\0\0") },
    { "pins", "pins", "pins", BYTES("PINS 4.20\r\n") },
    { "gho", "gho", "gho", BYTES("\376\357\001\002") },
    { "tib", "tib", "tib", BYTES("\264nhD\000") },
    { "tib", "tib", "tib", BYTES("\316$\271\242 \000\000\000") },
    { "spf", "spf", "spf", BYTES("SPFI\000\002\000\000A\000") },
    { "dar", "dar", "dar", BYTES("\000\000\000{name") },
    { "qdf", "qdf", "qdf", BYTES("\254\236\275\217\000\000\001") },
    { "nsf", "nsf", "nsf", BYTES("\032\000\000\004\000\000+\000") },
    { "fp5", "fp5", "fp5",
      BYTES("\000\001\000\000\000\002\000\001\000\005\000\002\000\002\300HBAM") },
    { "c4d", "c4d", "c4d", BYTES("QC4DC4D6\000") },
    { "skp", "skp", "skp",
      BYTES("\377\376\377\016S\000k\000e\000t\000c\000h\000U\000p\000 \000M\000") },
    { "gp", "gp", "gp5", BYTES("\030FICHIER GUITAR PRO v5.00") },
    { "ptf", "ptf", "ptf", BYTES("\0030010111100101011\000") },
    { "sib", "sib", "sib", BYTES("\017SIBELIUS\000") },
    { "logic", "logic", "logic", BYTES("\253\300G\023\005\027\000\025\000\004") },
    { "rns", "rns", "rns", BYTES("Propellerheads Reason Song File\000") },
    { "shn", "shn", "shn", BYTES("ajkg\002\373") },
    { "ari", "ari", "ari", BYTES("ARRI\0224Vx\000\020\000\000\003\000") },
    { "sitx", "sitx", "sitx", BYTES("StuffIt!\000") },
    { "sitx", "sitx", "sitx", BYTES("StuffIt?\000") },
    { "age", "age", "age", BYTES("age-encryption.org/v1\n-> X25519 ") },
    { "fp7", "fp7", "fp7", BYTES("\0\1\0\0\0\2\0\1\0\5\0\2\0\2\300HBAM7") },
    { "afdesign", "afdesign", "afdesign", BYTES("\0\377KA\6\0") },
    { "ds2", "ds2", "ds2", BYTES("\3ds2\0") },
    { "pgdump", "pgdump", "dump", BYTES("PGDMP\1\16\0") },
    { "hwp3", "hwp3", "hwp", BYTES("HWP Document File V3.00 \032") },
    { "ess", "ess", "ess", BYTES("TESV_SAVEGAME\0") },
    { "n64", "n64", "z64", BYTES("\200\067\022\100\0\0\0\017") },
    { "freehand", "freehand", "fh", BYTES("AGD1\001") },
    { "freehand", "freehand", "fh", BYTES("AGD2\001") },
    { "freehand", "freehand", "fh", BYTES("AGD3\001") },
    { "freehand", "freehand", "fh", BYTES("AGD4\001") },
    { "freehand", "freehand", "fh",
      BYTES("\034\001\000\000\002\000\004\034\001\024\000\002\000\024\034\001\026\000\002\000\010"
            "\034\001\036\000\012FreeHand\001") },
    { "ado", "ado", "ado",
      BYTES("\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001"
            "\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001"
            "\001\001\005Black\000\000\001") },
    { "tdef", "tdef", "tdef", BYTES("TDEF\001") },
    { "qxd", "qxd", "qxd", BYTES("XPR3\001") },
    { "qxd", "qxd", "qxd", BYTES("\001\001IIXPR3\001") },
    { "qxd", "qxd", "qxd", BYTES("\001\001MMXPR3\001") },
    { "cwk", "cwk", "cwk", BYTES("\006\007\341\000BOBO\001") },
    { "gobe", "gobe", "gp2", BYTES("GOBE SCOTT/01/02DOC!\001") },
    { "papyrus", "papyrus", "pap", BYTES("PAP1\001") },
    { "conceptdraw", "conceptdraw", "cdd",
      BYTES("\357\001\001\001\001\001\001\001\001\001\001\001CONCEPT\001") },
    { "vectorworks", "vectorworks", "mcd",
      BYTES("\001\001\001\001\001\001\001\001\001\001\001\001\001\001VectorWorks\001") },
    { "autosketch", "autosketch", "skd", BYTES("AutoSketch drawing database\015\012\001") },
    { "catdrawing", "catdrawing", "catdrawing", BYTES("V5_CFV2\000\000\001") },
    { "ugc", "ugc", "prt", BYTES("#UGC:2 PART \001") },
    { "ugc", "ugc", "prt", BYTES("#UGC:2 ASSEMBLY \001") },
    { "ugc", "ugc", "prt", BYTES("#UGC:2 DRAWING\001") },
    { "ugc", "ugc", "prt", BYTES("#UGC:2 MFG_ASSEM\001") },
    { "alphacam", "alphacam", "amd", BYTES("Licom-APS File V\001") },
    { "alphacam", "alphacam", "amd", BYTES("Licom-APS Tool File \001") },
    { "silhouette", "silhouette", "studio", BYTES("silhouette04;\001") },
    { "zbrush", "zbrush", "zpr", BYTES("ZBrush File.\001") },
    { "opencanvas", "opencanvas", "oci", BYTES("OPIM0\000\000\000\001") },
    { "mdp", "mdp", "mdp", BYTES("mdipack\000\001") },
    { "snag", "snag", "snag", BYTES("\313TSCSNAG\001") },
    { "quicktake", "quicktake", "qkt", BYTES("qktk\000\000\000\010\001") },
    { "contax", "contax", "raw",
      BYTES("\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001"
            "\001\001\001\001ARECOYK\001") },
    { "rollei", "rollei", "rdc", BYTES("DSC-Image\001") },
    { "casio-cam", "casio-cam", "cam", BYTES("\007 MM\001") },
    { "graphprism", "graphprism", "pzf", BYTES("PCFFGRA4\001") },
    { "fcp", "fcp", "fcp", BYTES("\242KeyG\001") },
    { "freeway", "freeway", "freeway",
      BYTES("\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\001\023Freeway 5 Pro "
            "5\001") },
    { "roxio", "roxio", "gi", BYTES("\332\332\376\376\000\006\034\004\000\004\000\000\001") },
    { "powertab", "powertab", "ptb", BYTES("ptab\004\000\001") },
    { "tuxguitar", "tuxguitar", "tg",
      BYTES("\033\000T\000u\000x\000G\000u\000i\000t\000a\000r\000 \000F\000i\000l\000e\000 "
            "\000F\000o\000r\000m\000a\000t\000\001") },
    { "audition", "audition", "ses", BYTES("COOLNESS\001") },
    { "logic-platinum", "logic-platinum", "lso",
      BYTES("\x13G\xc0\xab\x17\x05\x15\0\x03\0\x24\0\x24\0") },
    { "frwd", "frwd", "fwd", BYTES("FRWD0120\x01") },
    { "rt60", "rt60", "dvr", BYTES("RT60\x01\x02\x03\x04XVID") },
    { "navision", "navision", "fdb", BYTES("\x01\x02\x03\x04\x05\0\0\0\x5c\xa0\x83\x02") },
    { "navision-backup", "navision-backup", "fbk", BYTES("TableData 18") },
    { "pinnacle", "pinnacle", "axp",
      BYTES("\xff\xfe<\0?\0x\0m\0l\0 \0v\0e\0r\0s\0i\0o\0n\0=\0\"\0"
            "1\0.\0"
            "0\0\"\0 \0"
            "e\0n\0"
            "c\0o\0"
            "d\0i\0n\0g\0=\0\"\0U\0T\0F\0-\0"
            "1\0"
            "6\0\"\0?\0>\0\r\0\n\0<\0V\0"
            "F\0N\0G\0"
            "D\0o\0"
            "c\0u\0m\0"
            "e\0n\0t\0>\0") },
    { "bvr", "bvr", "bvr", BYTES("BLUE \000\020\000\001") },
    { "axcrypt-bfa", "axcrypt-bfa", "bfa", BYTES("$\010\031\222#\000\025\001\001") },
    { "sdsk", "sdsk", "sdsk",
      BYTES("WARNING: This file is a SafeHouse virtual disk volume.\015\012header version: \001") },
    { "revelation", "revelation", "rvl", BYTES("rvl\000\001") },
    { "roboform", "roboform", "rfp", BYTES("URL3:ver3:\001") },
    { "sunpci", "sunpci", "diskimage",
      BYTES("\001\001\001\001\001\001\001\001\001\001\001\001SPCI\001") },
    { "symbackup", "symbackup", "fbf", BYTES("SymBakUp  1.0\012\032\001\001") },
    { "mig", "mig", "mig", BYTES("1giM\002\000\000\000\001") },
    { "powerarchiver", "powerarchiver", "pa", BYTES("PaFiLe\000\004\001") },
    { "absolutedb", "absolutedb", "abs", BYTES("ABS0LUTEDATABASE\001") },
    { "turbotax", "turbotax", "tax", BYTES("TTFN\001\001\001") },
    { "steuer", "steuer", "steuer", BYTES("R&S\032\021\001\001\000\001") },
    { "ciel", "ciel", "sgcta", BYTES("CamBFile\001\000\000\000\000\000\000\000\001") },
    { "ahnenblatt", "ahnenblatt", "ahn", BYTES("\001\001\001\001\001\001\001\001AHNENBLATT\001") },
    { "heredis", "heredis", "hr9", BYTES("\300\336\312\376\000\000\000\000Heredis\231 \001") },
    { "paf", "paf", "paf", BYTES("500\000500\000PAF\001") },
    { "incredimail", "incredimail", "imb", BYTES("\001\000\000\000Incredimail \001") },
    { "sqm", "sqm", "sqm", BYTES("MSQMx\000\001") },
    { "canon-catalog", "canon-catalog", "ctg", BYTES("\001:\\DCIM\\\001") },
    { "zoombrowser", "zoombrowser", "info",
      BYTES("zbex\004\000\000L\000\000\000\000\000\002\000\000\000\004\000\000\001") },
    { "didson", "didson", "ddf", BYTES("DDF\003\001") },
    { "didson", "didson", "ddf", BYTES("DDF\004\001") },
    { "didson", "didson", "ddf", BYTES("DDF\005\001") },
    { "reson", "reson", "pds",
      BYTES("\014\000\010\000\000\000\000\000\000\000\000\000\000\002\000\000\004[HEADER]\001") },
    { "driftbox", "driftbox", "dbn", BYTES("File created on \001") },
    { "gerber-ga", "gerber-ga", "plt",
      BYTES("\001\001Gerber Scientific Products GRAPHIX ADVANTAGE\001") },
    { "pcbwizard", "pcbwizard", "pcb", BYTES("Dsg\000\012d\012\000\001") },
    { "eosdesign", "eosdesign", "che", BYTES("Compucon EOS Design File\001") },
    { "disc-bim", "disc-bim", "bim", BYTES("\000\037\0014urn:schemas-professionalDisc\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000*\003\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000 \003\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000\276\002\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000\275\002\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000l\002\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000X\002\000\000\001") },
    { "gamemaker", "gamemaker", "gmk", BYTES("\221\325\022\000\022\002\000\000\001") },
    { "gamesfactory", "gamesfactory", "mfa", BYTES("GAPP\007\002\001") },
    { "gamesfactory", "gamesfactory", "mfa", BYTES("MMF2\004\000\000\000\001") },
    { "footballmanager", "footballmanager", "fm", BYTES("\002\001fmf.\007\000\000\001") },
    { "terraria", "terraria", "plr", BYTES("\017wg\376\261J\262\357\374j\233Kx[\364V\001") },
    { "assassins2", "assassins2", "save",
      BYTES("\001\001\001\001\001\001\001\001A\000C\000I\000I\000\001") },
    { "xfi", "xfi", "gct", BYTES("JLGEN2XFI\001") },
    { "njstar", "njstar", "njx", BYTES("\004Nj\017\001") },
    { "apahelper", "apahelper", "apa",
      BYTES("\001\001\001\001\001\001\001\001com.apa.Document\001") },
};

/* rules.c and rules_testdisk.c */
static bool is_rule(uint32_t index)
{
    return strncmp(sig_builtin_family(index), "rules", 5) == 0;
}

static const struct sig *find(const char *name)
{
    uint32_t count;
    const struct sig *const *all = sig_builtin(&count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(all[i]->name, name) == 0 && is_rule(i))
            return all[i];
    fail_msg("no rule %s", name);
    return NULL;
}

static bool begins(const struct sig_pattern *p, const char *head, size_t len)
{
    if (p->len == 0 || p->len > len)
        return false;
    for (uint32_t i = 0; i < p->len; i++)
        if (((p->bytes[i] ^ head[i]) & (p->mask == NULL ? '\xff' : p->mask[i])) != 0)
            return false;
    return true;
}

static void first_bytes_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const struct sig *sig = find(files[i].name);
        uint32_t hits = 0;

        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            hits += begins(&sig->headers[k], files[i].head, files[i].len);
        if (hits != 1)
            fail_msg("%s: row %zu is found %u times", files[i].name, i, hits);
        assert_string_equal(sig->types[0].name, files[i].type);
        assert_string_equal(sig->types[0].extension, files[i].extension);
    }
}

static void rules_are_off_and_whole(void **state)
{
    uint32_t count, rules = 0;
    const struct sig *const *all = sig_builtin(&count);

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_rule(i))
            continue;
        rules++;
        assert_int_equal(all[i]->flags, SIG_OFF);
        assert_null(all[i]->check);
        assert_non_null(all[i]->what);
        assert_non_null(all[i]->source);
        assert_true(all[i]->size_max > 0 && all[i]->size_max <= 500000000);
        for (uint32_t k = 0; k < SIG_HEADERS_MAX; k++)
            assert_int_equal(all[i]->headers[k].at,
                             0); /* pairing wants headers in order of their files' starts */
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(all[i]->name, all[k]->name);
    }
    assert_int_equal(rules, 104);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_bytes_are_found),
        cmocka_unit_test(rules_are_off_and_whole),
    };
    return cmocka_run_group_tests_name("built-in rules", tests, NULL, NULL);
}
