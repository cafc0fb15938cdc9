/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_options.c - see mount_options.h. */
#include "carver/mount/mount_options.h"
#include "carver/case/confine.h"
#include "carver/case/key_file.h"
#include "carver/cli/args.h"
#include "carver/cli/cpus.h"
#include "carver/mount/serve.h"

const char mount_options_text[] =
    "Shows the objects of a case as read-only files in the empty folder DIR; nothing is copied.\n"
    "Goes to the background when the files are there. Ends when DIR is unmounted (fusermount3 -u "
    "DIR),\n"
    "or on SIGTERM or SIGINT.\n"
    "\n"
    "  DIR/TYPE/OFFSET.EXT  what burin carve would write with the same options, by the same names\n"
    "  DIR/by/HOW/WHAT/     all that burin list prints with them: by category, date, image, "
    "known,\n"
    "                       offset, partition, place, size, state, type\n"
    "  DIR/inside/FILE/     the objects inside a file, as by/type/FILE has it\n"
    "  DIR/carvpath/        bytes of the image by a name such as 4096+8192_20480+512\n"
    "  DIR/image/1.raw      the whole image\n"
    "\n"
    "What could not be read gives an error (EIO), and never zeros. What the case says of an "
    "object is in\n"
    "extended attributes of its file: getfattr -d FILE.\n"
    "\n"
    "Options:\n"
    "  -f, --foreground     stay in the foreground\n"
    "  --embedded           objects inside other objects, too, in DIR/TYPE\n"
    "  --truncated          objects that are broken or cut short, too, in DIR/truncated/TYPE\n"
    "  --image PATH         read the image here, if it was moved since the scan; for several "
    "images\n"
    "                       once for each, in the order of the case\n"
    "  --check              compare each file with the scan when it is opened first: all of it is\n"
    "                       read. Without it that is done where the image is known to have "
    "changed\n"
    "  --direct             past the page cache of the mount: large pieces cost half of the "
    "processor's\n"
    "                       time, and small ones are read many times slower\n"
    "  --no-xattr           no extended attributes: ls -l of many files is faster\n"
    "  --allow-other        let other users read the files; for users but root this needs\n"
    "                       user_allow_other in /etc/fuse.conf\n"
    "  --threads N          answer so many requests at a time (default: two for each CPU)\n"
    "  -q, --quiet          print no notice\n" KEY_FILE_TEXT CONFINE_TEXT
    "  --help               print this text\n"
    "\n" SELECTION_TEXT;

enum {
    MOUNT_EMBEDDED = ARGS_LONG,
    MOUNT_TRUNCATED,
    MOUNT_IMAGE,
    MOUNT_CHECK,
    MOUNT_DIRECT,
    MOUNT_NO_XATTR,
    MOUNT_OTHERS,
    MOUNT_THREADS,
    MOUNT_NO_JAIL,
};

static const struct args_option mount_table[] = {
    { "foreground", 'f', NULL },
    SELECTION_OPTIONS,
    { "embedded", MOUNT_EMBEDDED, NULL },
    { "truncated", MOUNT_TRUNCATED, NULL },
    { "image", MOUNT_IMAGE, "PATH" },
    KEY_FILE_OPTION,
    { "check", MOUNT_CHECK, NULL },
    { "direct", MOUNT_DIRECT, NULL },
    { "no-xattr", MOUNT_NO_XATTR, NULL },
    { "allow-other", MOUNT_OTHERS, NULL },
    { "threads", MOUNT_THREADS, "N" },
    { "no-jail", MOUNT_NO_JAIL, NULL },
    { "quiet", 'q', NULL },
    { 0 },
};

static enum err_code mount_take_option(struct mount_options *out, int id, const char *value,
                                       struct err *err)
{
    uint64_t count = 0;

    if (selection_is(id))
        return selection_take(&out->choice.selection, id, value, err);
    switch (id) {
    case 'f':
        out->foreground = true;
        break;
    case MOUNT_EMBEDDED:
        out->choice.embedded = true;
        break;
    case MOUNT_TRUNCATED:
        out->choice.truncated = true;
        break;
    case MOUNT_IMAGE:
        return args_more_files("--image", value, out->images, MOUNT_IMAGES_MAX, &out->image_count,
                               err);
    case MOUNT_CHECK:
        out->check = true;
        break;
    case MOUNT_DIRECT:
        out->direct = true;
        break;
    case MOUNT_NO_XATTR:
        out->no_xattrs = true;
        break;
    case MOUNT_OTHERS:
        out->others = true;
        break;
    case MOUNT_THREADS: {
        const enum err_code rc = args_count("--threads", value, 1, SERVE_THREADS_MAX, &count, err);

        out->threads = (uint32_t)count;
        return rc;
    }
    case KEY_FILE:
        out->key_file = value;
        return args_file("--key-file", value, err);
    case MOUNT_NO_JAIL:
        out->no_jail = true;
        break;
    default:
        out->quiet = true;
        break;
    }
    return ERR_OK;
}

enum err_code mount_read_options(int argc, char **argv, struct mount_options *out, struct err *err)
{
    const uint32_t threads = 2 * cpus_count();
    struct args args;
    const char *value;
    char **operands;
    int id, count;
    enum err_code rc;

    *out = (struct mount_options){ .choice = { .selection = selection_all() },
                                   .threads =
                                       threads < SERVE_THREADS_MAX ? threads : SERVE_THREADS_MAX };
    args_begin(&args, "mount", mount_table, argc, argv);
    while ((rc = args_next(&args, &id, &value, err)) == ERR_OK && id != ARGS_END)
        if ((rc = mount_take_option(out, id, value, err)) != ERR_OK)
            break;
    if (rc == ERR_OK)
        rc = carve_choice_check(&out->choice, err);
    if (rc == ERR_OK)
        rc = args_operands(&args, 2, 2, "CASE DIR", &operands, &count, err);
    if (rc == ERR_OK)
        rc = args_file("CASE", out->case_path = operands[0], err);
    if (rc == ERR_OK)
        rc = args_file("DIR", out->folder = operands[1], err);
    return rc;
}
