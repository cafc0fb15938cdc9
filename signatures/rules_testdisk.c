/* SPDX-License-Identifier: Apache-2.0
 * signatures/rules_testdisk.c - headers of formats whose length nobody can tell from the file, as
 * PhotoRec knows them; and of the files of Telegram that are encrypted to their end.
 *
 * They are off by default (SIG_OFF), as those of rules.c. Sizes are policy.
 */
#include "signatures/lib/rule.h"
#include "signatures/sig.h"

#define RULE_MB UINT64_C(1000000)
#define RULE(symbol, word, text, ending, most, from, ...)                                          \
    const struct sig sig_##symbol = {                                                              \
        .name = word,                                                                              \
        .what = text,                                                                              \
        .source = from,                                                                            \
        .types = RULES_TYPE(word, ending),                                                         \
        .headers = { __VA_ARGS__ },                                                                \
        .flags = SIG_OFF,                                                                          \
        .size_max = (most)*RULE_MB,                                                                \
    }

RULE(freehand, "freehand", "drawing of FreeHand 5 to 11", "fh", 100,
     RULES_TESTDISK "file_fh5.c, file_fh10.c", SIG_PATTERN("AGD1"), SIG_PATTERN("AGD2"),
     SIG_PATTERN("AGD3"), SIG_PATTERN("AGD4"),
     SIG_PATTERN("\034\001\000\000\002\000\004\034\001\024\000\002\000\024\034\001\026\000\002\000"
                 "\010\034\001\036\000\012FreeHand"));
RULE(ado, "ado", "duotone of Photoshop", "ado", 1, RULES_TESTDISK "file_ado.c",
     SIG_MASKED("????????????????????????????????????????????\005Black\000\000",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                "\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(tdef, "tdef", "encrypted files in Telegram's cache", "tdef", 100,
     "Telegram Desktop 4.6, storage/storage_encrypted_file.cpp", SIG_PATTERN("TDEF"));
RULE(qxd, "qxd", "document of QuarkXPress", "qxd", 500, RULES_TESTDISK "file_qxd.c",
     SIG_PATTERN("XPR3"), SIG_MASKED("??IIXPR3", "\0\0\xff\xff\xff\xff\xff\xff"),
     SIG_MASKED("??MMXPR3", "\0\0\xff\xff\xff\xff\xff\xff"));
RULE(cwk, "cwk", "document of AppleWorks", "cwk", 50, RULES_TESTDISK "file_cwk.c",
     SIG_MASKED("\0???BOBO", "\xf8\0\0\0\xff\xff\xff\xff"));
RULE(gobe, "gobe", "document of Gobe Productive", "gp2", 50, RULES_TESTDISK "file_gp2.c",
     SIG_PATTERN("GOBE SCOTT/01/02DOC!"));
RULE(papyrus, "papyrus", "document of Papyrus", "pap", 50, RULES_TESTDISK "file_pap.c",
     SIG_PATTERN("PAP1"));
RULE(conceptdraw, "conceptdraw", "drawing of ConceptDraw", "cdd", 100, RULES_TESTDISK "file_cdt.c",
     SIG_MASKED("\356???????????CONCEPT", "\xff\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"),
     SIG_MASKED("\357???????????CONCEPT", "\xff\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"),
     SIG_MASKED("\360???????????CONCEPT",
                "\xff\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"));
RULE(vectorworks, "vectorworks", "drawing of VectorWorks", "mcd", 200, RULES_TESTDISK "file_mcd.c",
     SIG_MASKED("??????????????VectorWorks",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(autosketch, "autosketch", "drawing of AutoSketch", "skd", 100, RULES_TESTDISK "file_skd.c",
     SIG_PATTERN("AutoSketch drawing database\015\012"));
RULE(catdrawing, "catdrawing", "drawing of CATIA 5", "catdrawing", 500,
     RULES_TESTDISK "file_catdrawing.c", SIG_PATTERN("V5_CFV2\000\000"));
RULE(ugc, "ugc", "part, assembly or drawing of Pro/ENGINEER", "prt", 500,
     RULES_TESTDISK "file_asm.c, file_drw.c, file_mfg.c, file_prt.c", SIG_PATTERN("#UGC:2 PART "),
     SIG_PATTERN("#UGC:2 ASSEMBLY "), SIG_PATTERN("#UGC:2 DRAWING"),
     SIG_PATTERN("#UGC:2 MFG_ASSEM"));
RULE(alphacam, "alphacam", "part or tool of AlphaCAM", "amd", 100, RULES_TESTDISK "file_amd.c",
     SIG_PATTERN("Licom-APS File V"), SIG_PATTERN("Licom-APS Tool File "));
RULE(silhouette, "silhouette", "drawing of a cutting machine (Silhouette Studio)", "studio", 100,
     RULES_TESTDISK "file_studio.c", SIG_PATTERN("silhouette04;"));
RULE(zbrush, "zbrush", "model of ZBrush", "zpr", 500, RULES_TESTDISK "file_zpr.c",
     SIG_PATTERN("ZBrush File."));
RULE(opencanvas, "opencanvas", "picture of openCanvas", "oci", 200, RULES_TESTDISK "file_oci.c",
     SIG_PATTERN("OPIM0\000\000\000"));
RULE(mdp, "mdp", "picture of MediBang Paint", "mdp", 500, RULES_TESTDISK "file_mdp.c",
     SIG_PATTERN("mdipack\000"));
RULE(snag, "snag", "picture of Snagit", "snag", 200, RULES_TESTDISK "file_snag.c",
     SIG_PATTERN("\313TSCSNAG"));
RULE(quicktake, "quicktake", "picture of an Apple QuickTake 100", "qkt", 5,
     RULES_TESTDISK "file_qkt.c", SIG_PATTERN("qktk\000\000\000\010"));
RULE(contax, "contax", "raw picture of a Contax", "raw", 50, RULES_TESTDISK "file_raw.c",
     SIG_MASKED("?????????????????????????ARECOYK",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"));
RULE(rollei, "rollei", "picture of a Rollei camera", "rdc", 50, RULES_TESTDISK "file_rdc.c",
     SIG_PATTERN("DSC-Image"));
RULE(casio_cam, "casio-cam", "picture of a Casio QV", "cam", 10, RULES_TESTDISK "file_cam.c",
     SIG_PATTERN("\007 MM"));
RULE(graphprism, "graphprism", "graph of GraphPrism 4", "pzf", 50, RULES_TESTDISK "file_pzf.c",
     SIG_PATTERN("PCFFGRA4"));
RULE(fcp, "fcp", "project of Final Cut Pro 7", "fcp", 500, RULES_TESTDISK "file_fcp.c",
     SIG_PATTERN("\242KeyG"));
RULE(freeway, "freeway", "site of Freeway 5 Pro", "freeway", 200, RULES_TESTDISK "file_freeway.c",
     SIG_MASKED("????????????????\023Freeway 5 Pro 5",
                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                "\xff\xff\xff\xff"));
RULE(roxio, "roxio", "project of Roxio Creator", "gi", 50, RULES_TESTDISK "file_gi.c",
     SIG_PATTERN("\332\332\376\376\000\006\034\004\000\004\000\000"));
RULE(powertab, "powertab", "music of Power Tab", "ptb", 10, RULES_TESTDISK "file_ptb.c",
     SIG_MASKED("ptab\0\0", "\xff\xff\xff\xff\xf8\xff"));
RULE(tuxguitar, "tuxguitar", "music of TuxGuitar", "tg", 10, RULES_TESTDISK "file_tg.c",
     SIG_PATTERN("\033\000T\000u\000x\000G\000u\000i\000t\000a\000r\000 \000F\000i\000l\000e\000 "
                 "\000F\000o\000r\000m\000a\000t\000"));
RULE(audition, "audition", "session of Cool Edit or Audition", "ses", 50,
     RULES_TESTDISK "file_ses.c", SIG_PATTERN("COOLNESS"));
RULE(bvr, "bvr", "recording of Blue Iris", "bvr", 500, RULES_TESTDISK "file_bvr.c",
     SIG_PATTERN("BLUE \000\020\000"));
RULE(axcrypt_bfa, "axcrypt-bfa", "file encrypted by Blowfish Advanced CS", "bfa", 500,
     RULES_TESTDISK "file_bfa.c", SIG_PATTERN("$\010\031\222#\000\025\001"));
RULE(sdsk, "sdsk", "virtual disk of SafeHouse", "sdsk", 500, RULES_TESTDISK "file_sdsk.c",
     SIG_PATTERN("WARNING: This file is a SafeHouse virtual disk volume.\015\012header version: "));
RULE(revelation, "revelation", "passwords of Revelation", "rvl", 10, RULES_TESTDISK "file_rvl.c",
     SIG_PATTERN("rvl\000"));
RULE(roboform, "roboform", "passwords of RoboForm", "rfp", 1, RULES_TESTDISK "file_rfp.c",
     SIG_PATTERN("URL3:ver3:"));
RULE(sunpci, "sunpci", "disk image of SunPCi", "diskimage", 500, RULES_TESTDISK "file_dim.c",
     SIG_MASKED("????????????SPCI", "\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff"));
RULE(symbackup, "symbackup", "backup of a telephone by Symbian", "fbf", 500,
     RULES_TESTDISK "file_fbf.c", SIG_PATTERN("SymBakUp  1.0\012\032\001"));
RULE(mig, "mig", "migration of Windows' settings (USMT)", "mig", 500, RULES_TESTDISK "file_mig.c",
     SIG_PATTERN("1giM\002\000\000\000"));
RULE(powerarchiver, "powerarchiver", "archive of PowerArchiver", "pa", 500,
     RULES_TESTDISK "file_pa.c", SIG_PATTERN("PaFiLe\000\004"));
RULE(absolutedb, "absolutedb", "database of Absolute Database", "abs", 500,
     RULES_TESTDISK "file_atd.c", SIG_PATTERN("ABS0LUTEDATABASE"));
RULE(turbotax, "turbotax", "return of TurboTax", "tax", 50, RULES_TESTDISK "file_tax.c",
     SIG_PATTERN("TTFN\001\001"));
RULE(steuer, "steuer", "return of WISO Steuer", "steuer", 50, RULES_TESTDISK "file_steuer2014.c",
     SIG_PATTERN("R&S\032\021\001\001\000"));
RULE(ciel, "ciel", "accounts of Ciel", "sgcta", 500, RULES_TESTDISK "file_sgcta.c",
     SIG_PATTERN("CamBFile\001\000\000\000\000\000\000\000"));
RULE(ahnenblatt, "ahnenblatt", "family tree of Ahnenblatt", "ahn", 50, RULES_TESTDISK "file_ahn.c",
     SIG_MASKED("????????AHNENBLATT", "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(heredis, "heredis", "family tree of Heredis", "hr9", 200, RULES_TESTDISK "file_hr9.c",
     SIG_PATTERN("\300\336\312\376\000\000\000\000Heredis\231 "));
RULE(paf, "paf", "family tree of Personal Ancestral File", "paf", 50, RULES_TESTDISK "file_paf.c",
     SIG_PATTERN("500\000500\000PAF"));
RULE(incredimail, "incredimail", "mailbox of IncrediMail", "imb", 500, RULES_TESTDISK "file_imb.c",
     SIG_MASKED("?\000\000\000Incredimail ",
                "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(sqm, "sqm", "log of Windows Live Messenger", "sqm", 1, RULES_TESTDISK "file_sqm.c",
     SIG_PATTERN("MSQMx\000"));
RULE(canon_catalog, "canon-catalog", "catalogue of pictures on a Canon's card", "ctg", 1,
     RULES_TESTDISK "file_ctg.c", SIG_MASKED("?:\\DCIM\\", "\0\xff\xff\xff\xff\xff\xff\xff"));
RULE(zoombrowser, "zoombrowser", "thumbnails of ZoomBrowser", "info", 50,
     RULES_TESTDISK "file_info.c",
     SIG_PATTERN("zbex\004\000\000L\000\000\000\000\000\002\000\000\000\004\000\000"));
RULE(didson, "didson", "recording of a sonar (DIDSON)", "ddf", 500, RULES_TESTDISK "file_ddf.c",
     SIG_PATTERN("DDF\003"), SIG_PATTERN("DDF\004"), SIG_PATTERN("DDF\005"));
RULE(reson, "reson", "recording of a Reson sonar", "pds", 500, RULES_TESTDISK "file_pds.c",
     SIG_PATTERN("\014\000\010\000\000\000\000\000\000\000\000\000\000\002\000\000\004[HEADER]"));
RULE(driftbox, "driftbox", "track of a DriftBox or Race Technology", "dbn", 50,
     RULES_TESTDISK "file_dbn.c", SIG_PATTERN("File created on "));
RULE(gerber_ga, "gerber-ga", "sign of Gerber Graphix Advantage", "plt", 50,
     RULES_TESTDISK "file_plt.c",
     SIG_MASKED("??Gerber Scientific Products GRAPHIX ADVANTAGE",
                "\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                "\xff\xff\xff\xff\xff"));
RULE(pcbwizard, "pcbwizard", "board of PCB Wizard", "pcb", 50, RULES_TESTDISK "file_pcb.c",
     SIG_PATTERN("Dsg\000\012d\012\000"));
RULE(eosdesign, "eosdesign", "design of Compucon EOS", "che", 50, RULES_TESTDISK "file_che.c",
     SIG_PATTERN("Compucon EOS Design File"));
RULE(disc_bim, "disc-bim", "clip of a professional disc (BIM)", "bim", 1,
     RULES_TESTDISK "file_bim.c", SIG_PATTERN("\000\037\0014urn:schemas-professionalDisc"));
RULE(gamemaker, "gamemaker", "game of Game Maker 5 to 8", "gmk", 200, RULES_TESTDISK "file_gm6.c",
     SIG_PATTERN("\221\325\022\000*\003\000\000"), SIG_PATTERN("\221\325\022\000 \003\000\000"),
     SIG_PATTERN("\221\325\022\000\276\002\000\000"),
     SIG_PATTERN("\221\325\022\000\275\002\000\000"), SIG_PATTERN("\221\325\022\000l\002\000\000"),
     SIG_PATTERN("\221\325\022\000X\002\000\000"), SIG_PATTERN("\221\325\022\000\022\002\000\000"));
RULE(gamesfactory, "gamesfactory", "game of the Games Factory or Multimedia Fusion", "mfa", 200,
     RULES_TESTDISK "file_gam.c, file_mfa.c", SIG_PATTERN("GAPP\007\002"),
     SIG_PATTERN("MMF2\004\000\000\000"));
RULE(footballmanager, "footballmanager", "saved game of Football Manager", "fm", 500,
     RULES_TESTDISK "file_fm.c", SIG_PATTERN("\002\001fmf.\007\000\000"));
RULE(terraria, "terraria", "player of Terraria", "plr", 1, RULES_TESTDISK "file_plr.c",
     SIG_PATTERN("\017wg\376\261J\262\357\374j\233Kx[\364V"));
RULE(assassins2, "assassins2", "saved game of Assassin's Creed 2", "save", 10,
     RULES_TESTDISK "file_save.c",
     SIG_MASKED("????????A\000C\000I\000I\000",
                "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(xfi, "xfi", "settings of an engine (XFI)", "gct", 10, RULES_TESTDISK "file_gct.c",
     SIG_PATTERN("JLGEN2XFI"));
RULE(njstar, "njstar", "document of NJStar", "njx", 10, RULES_TESTDISK "file_njx.c",
     SIG_PATTERN("\004Nj\017"));
RULE(
    apahelper, "apahelper", "document of APA Style Helper", "apa", 10, RULES_TESTDISK "file_apa.c",
    SIG_MASKED("????????com.apa.Document",
               "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
RULE(logic_platinum, "logic-platinum", "song of Logic Platinum", "lso", 100,
     RULES_TESTDISK "file_lso.c",
     SIG_PATTERN("\023G\300\253\027\005\025\000\003\000\044\000\044\000"));
RULE(frwd, "frwd", "training by a sports computer (FRWD)", "fwd", 50, RULES_TESTDISK "file_fwd.c",
     SIG_PATTERN("FRWD0120"));
RULE(rt60, "rt60", "recording of an RT60", "dvr", 500, RULES_TESTDISK "file_dvr.c",
     SIG_MASKED("RT60????XVID", "\xff\xff\xff\xff\0\0\0\0\xff\xff\xff\xff"));
RULE(pinnacle, "pinnacle", "project of Pinnacle Studio", "axp", 100, RULES_TESTDISK "file_axp.c",
     SIG_PATTERN("\377\376"
                 "<\000?\000x\000m\000l\000 \000v\000e\000r\000s\000i\000o\000"
                 "n\000=\000\"\0001\000.\0000\000\"\000 \000e\000n\000c\000o\000"
                 "d\000i\000n\000g\000=\000\"\000U\000T\000F\000-\0001\0006\000"
                 "\"\000?\000>\000\r\000\n\000<\000V\000F\000N\000G\000D\000o\000"
                 "c\000u\000m\000e\000n\000t\000>\000"));
RULE(navision, "navision", "database of Navision (Dynamics NAV)", "fdb", 500,
     RULES_TESTDISK "file_fdb.c",
     SIG_MASKED("?????\000\000\000\\\240\203\002", "\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff"));
RULE(navision_backup, "navision-backup", "backup of Navision (Dynamics NAV)", "fbk", 500,
     RULES_TESTDISK "file_fbk.c", SIG_PATTERN("TableData "));
