/*
 * signatures/rules.c - header/footer rules for the types of Debian's scalpel.conf that have no checker yet.
 *
 * They are off by default (SIG_OFF), because a rule without a checker invents files. Sizes are those of that file.
 * Where its pattern is plainly wrong, ours is right and a comment says so.
 */
#include "signatures/sig.h"

#define RULES_SCALPEL "scalpel.conf of Scalpel 1.60"
#define RULES_TYPE(name, extension)                                                                                    \
    (const struct sig_type[])                                                                                          \
    {                                                                                                                  \
        { name, extension },                                                                                           \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
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

const struct sig sig_tif = {
    .name = "tif",
    .what = "TIFF picture",
    .source = "TIFF 6.0, section 2: image file header",
    .types = RULES_TYPE("tif", "tif"),
    .headers = { SIG_PATTERN("II\x2a\x00"), SIG_PATTERN("MM\x00\x2a") },
    .flags = SIG_OFF,
    .size_max = 200000000,
};

const struct sig sig_mov = {
    .name = "mov",
    .what = "QuickTime movie",
    .source = "Apple, QuickTime File Format: atoms (u32be size, four letters)",
    .types = RULES_TYPE("mov", "mov"),
    .headers = { SIG_MASKED("\0???moov", "\xff\0\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("????mdat", "\0\0\0\0\xff\xff\xff\xff") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

/*
 * A filler atom at the start of a file is small, and a moov atom below 16 MiB: without these zeros of their sizes the rules would
 * find every English "free" and "skip". Scalpel's fifth letter in "widev" would be the first byte of the next atom's size, at least 1.9 GB: the atom is
 * called wide.
 */
const struct sig sig_mov_atoms = {
    .name = "mov-atoms",
    .what = "QuickTime movie that begins with a filler atom",
    .source = "Apple, QuickTime File Format: wide, skip and free atoms",
    .types = RULES_TYPE("mov", "mov"),
    .headers = { SIG_MASKED("\0\0??wide", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??skip", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??free", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??idsc", "\xff\xff\0\0\xff\xff\xff\xff"),
                 SIG_MASKED("\0\0??pckg", "\xff\xff\0\0\xff\xff\xff\xff") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

const struct sig sig_mpg = {
    .name = "mpg",
    .what = "MPEG program stream",
    .source = "ISO/IEC 11172-1: pack start code, iso end code",
    .types = RULES_TYPE("mpg", "mpg"),
    .headers = { SIG_PATTERN("\x00\x00\x01\xba") },
    .footer = SIG_PATTERN("\x00\x00\x01\xb9"),
    .flags = SIG_OFF,
    .size_max = 50000000,
};

const struct sig sig_mpg_seq = {
    .name = "mpg-seq",
    .what = "MPEG video sequence",
    .source = "ISO/IEC 11172-2: sequence header code, sequence end code",
    .types = RULES_TYPE("mpg", "mpg"),
    .headers = { SIG_PATTERN("\x00\x00\x01\xb3") },
    .footer = SIG_PATTERN("\x00\x00\x01\xb7"),
    .flags = SIG_OFF,
    .size_max = 50000000,
};

const struct sig sig_swf = {
    .name = "swf",
    .what = "Flash animation",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("swf", "swf"),
    .headers = { SIG_PATTERN("FWS") },
    .flags = SIG_OFF,
    .size_max = 4000000,
};

const struct sig sig_doc = {
    .name = "doc",
    .what = "OLE compound file, up to the next one",
    .source = "[MS-CFB] 2.2: header signature",
    .types = RULES_TYPE("doc", "doc"),
    .headers = { SIG_PATTERN("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00") },
    .footer = SIG_PATTERN("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00"),
    .mode = SIG_NEXT,
    .flags = SIG_OFF,
    .size_max = 10000000,
};

const struct sig sig_doc_any = {
    .name = "doc-any",
    .what = "OLE compound file of any kind, up to its maximum",
    .source = "[MS-CFB] 2.2: header signature",
    .types = RULES_TYPE("doc", "doc"),
    .headers = { SIG_PATTERN("\xd0\xcf\x11\xe0\xa1\xb1") },
    .flags = SIG_OFF,
    .size_max = 10000000,
};

/*
 * No file begins with Scalpel's bytes for pst: both kinds of file begin with !BDN, which Scalpel has for ost alone,
 * and the client bytes at offset 8 tell them apart.
 */
const struct sig sig_pst = {
    .name = "pst",
    .what = "Outlook personal store",
    .source = "[MS-PST] 2.2.2.6: dwMagic, wMagicClient",
    .types = RULES_TYPE("pst", "pst"),
    .headers = { SIG_MASKED("!BDN????SM", "\xff\xff\xff\xff\0\0\0\0\xff\xff") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_ost = {
    .name = "ost",
    .what = "Outlook offline store",
    .source = "[MS-PST] 2.2.2.6: dwMagic; libpff, Personal Folder File format: content type",
    .types = RULES_TYPE("ost", "ost"),
    .headers = { SIG_MASKED("!BDN????SO", "\xff\xff\xff\xff\0\0\0\0\xff\xff") },
    .flags = SIG_OFF,
    .size_max = 500000000,
};

const struct sig sig_dbx = {
    .name = "dbx",
    .what = "Outlook Express folder",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("dbx", "dbx"),
    .headers = { SIG_PATTERN("\xcf\xad\x12\xfe\xc5\xfd\x74\x6f") },
    .flags = SIG_OFF,
    .size_max = 10000000,
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

/* Scalpel has a wildcard for the first byte, which is always 0xff. */
const struct sig sig_wpc = {
    .name = "wpc",
    .what = "WordPerfect document",
    .source = "WordPerfect file prefix: FF 57 50 43",
    .types = RULES_TYPE("wpc", "wpc"),
    .headers = { SIG_PATTERN("\xffWPC") },
    .flags = SIG_OFF,
    .size_max = 1000000,
};

const struct sig sig_htm = {
    .name = "htm",
    .what = "HTML page",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("htm", "htm"),
    .headers = { SIG_PATTERN("<html") },
    .footer = SIG_PATTERN("</html>"),
    .flags = SIG_OFF | SIG_NO_CASE,
    .size_max = 50000,
};

const struct sig sig_mail = {
    .name = "mail",
    .what = "AOL mailbox",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("mail", "mail"),
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

/*
 * Behind tag and length of a key comes its version, 3 or 4; scalpel.conf stops before it, and two bytes stand everywhere. Its fourth
 * rule, encrypted data (tag 9), has no further byte to tell it by and is left out.
 */
const struct sig sig_pgp = {
    .name = "pgp",
    .what = "OpenPGP key ring or message",
    .source = "RFC 4880 4.2: packet tags 6, 5 and 9 in the old format",
    .types = RULES_TYPE("pgp", "pgp"),
    .headers = { SIG_MASKED("\x99\x00?\x03", "\xff\xff\x00\xff"), SIG_MASKED("\x99\x00?\x04", "\xff\xff\x00\xff"),
                 SIG_MASKED("\x95\x01?\x03", "\xff\xff\x00\xff"), SIG_MASKED("\x95\x01?\x04", "\xff\xff\x00\xff"),
                 SIG_MASKED("\x95\x00?\x03", "\xff\xff\x00\xff"), SIG_MASKED("\x95\x00?\x04", "\xff\xff\x00\xff") },
    .flags = SIG_OFF,
    .size_max = 100000,
};

const struct sig sig_txt = {
    .name = "txt",
    .what = "OpenPGP armoured text",
    .source = "RFC 4880 6.2: forming ASCII armor",
    .types = RULES_TYPE("txt", "txt"),
    .headers = { SIG_PATTERN("-----BEGIN PGP") },
    .flags = SIG_OFF,
    .size_max = 100000,
};

const struct sig sig_ra = {
    .name = "ra",
    .what = "RealAudio and RealMedia",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("ra", "ra"),
    .headers = { SIG_PATTERN(".ra\xfd"), SIG_PATTERN(".RMF") },
    .flags = SIG_OFF,
    .size_max = 1000000,
};

const struct sig sig_reg = {
    .name = "reg",
    .what = "Windows registry hive",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("reg", "dat"),
    .headers = { SIG_PATTERN("regf"), SIG_PATTERN("CREG") },
    .flags = SIG_OFF,
    .size_max = 4000000,
};

const struct sig sig_java = {
    .name = "java",
    .what = "Java class",
    .source = "Java Virtual Machine Specification 4.1: magic",
    .types = RULES_TYPE("java", "class"),
    .headers = { SIG_PATTERN("\xca\xfe\xba\xbe") },
    .flags = SIG_OFF,
    .size_max = 1000000,
};

const struct sig sig_max = {
    .name = "max",
    .what = "PaperPort picture",
    .source = RULES_SCALPEL,
    .types = RULES_TYPE("max", "max"),
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
