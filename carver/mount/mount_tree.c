/* SPDX-License-Identifier: Apache-2.0
 * carver/mount/mount_tree.c - see mount_tree.h. */
#include "carver/mount/mount_tree.h"
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

enum err_code mount_tree_load(struct tree *tree, struct db_case *db, struct carve_choice *choice,
                              struct err *err)
{
    enum err_code rc = load_objects(tree, db, choice, err);

    if (rc == ERR_OK)
        rc = tree_find_ready(tree, err);
    if (rc == ERR_OK)
        rc = db_found_in_walk(db, load_place, tree, err);
    if (rc == ERR_OK)
        rc = db_dates_walk(db, load_date, tree, err);
    return rc == ERR_OK ? tree_settle(tree, err) : rc;
}
