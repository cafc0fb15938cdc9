/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_tree.c - see mount_tree.h. */
#include "carver/mount/mount_tree.h"

#include "base/thread.h"
#include "carver/cli/interrupt.h"

/* Whether list prints it; where --limit is given, what carve writes is all that there is. */
static bool load_listed(struct carve_choice *choice, const struct db_object *object,
                        enum carve_answer answer)
{
    if (answer == CARVE_WRITE)
        return true;
    return answer != CARVE_OTHER && choice->selection.limit == UINT64_MAX &&
           selection_has(&choice->selection, object);
}

static enum err_code load_objects(struct tree *tree, struct db_case *db,
                                  struct carve_choice *choice, struct err *err)
{
    struct db_object_cursor *cursor = NULL;
    struct object_names *names = NULL;
    struct object_path path;
    struct db_object object;
    bool found = false;
    enum err_code rc = db_objects_open(db, 0, &cursor, err);

    carve_choice_restart(choice);
    if (rc == ERR_OK)
        rc = object_names_open(db, &names, err);
    while (rc == ERR_OK && (rc = db_objects_next(cursor, &found, &object, err)) == ERR_OK &&
           found) {
        if (interrupt_requested())
            rc = ERR_RAISE(err, ERR_INTERRUPTED, "interrupted; nothing was mounted");
        else
            rc = object_names_next(names, &object, &path, err);
        if (rc != ERR_OK)
            break;
        const enum carve_answer answer = carve_choice_ask(choice, &object);
        const bool listed = load_listed(choice, &object, answer);
        rc = tree_add(tree, &object, &path, answer == CARVE_WRITE, listed, err);
    }
    object_names_close(names);
    db_objects_close(cursor);
    return rc;
}

static enum err_code load_place(void *arg, const struct db_found_in *place, struct err *err)
{
    return tree_place(arg, place, err);
}

static enum err_code load_date(void *arg, int64_t object_id, const struct db_date *date,
                               struct err *err)
{
    return tree_date(arg, object_id, date->unix_time, err);
}

/* Dates stand among all else that files say of themselves: they are read beside the objects. */
struct load_dates {
    struct tree *tree;
    const char *case_path;
    struct thread thread;
    enum err_code rc;
    struct err err;
};

static void load_dates_run(void *arg)
{
    struct load_dates *dates = arg;
    struct db_case *db = NULL;

    dates->rc = db_case_open(dates->case_path, DB_READ, &db, &dates->err);
    if (dates->rc == ERR_OK)
        dates->rc = db_keep_little(db, &dates->err);
    if (dates->rc == ERR_OK)
        dates->rc = db_dates_walk(db, load_date, dates->tree, &dates->err);
    db_case_close(db);
}

enum err_code mount_tree_load(struct tree *tree, struct db_case *db, const char *case_path,
                              struct carve_choice *choice, struct err *err)
{
    struct load_dates dates = { .tree = tree, .case_path = case_path };
    enum err_code rc = thread_start(&dates.thread, "dates", load_dates_run, &dates, err);

    if (rc == ERR_OK)
        rc = load_objects(tree, db, choice, err);
    thread_join(&dates.thread);
    if (rc == ERR_OK && dates.rc != ERR_OK) {
        rc = dates.rc;
        *err = dates.err;
    }
    if (rc == ERR_OK)
        rc = tree_find_ready(tree, err);
    if (rc == ERR_OK)
        rc = db_found_in_walk(db, load_place, tree, err);
    return rc == ERR_OK ? tree_settle(tree, err) : rc;
}
