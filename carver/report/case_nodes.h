/* SPDX-License-Identifier: Apache-2.0
 * carver/report/case_nodes.h - nodes of a graph of CASE as JSON-LD, with their names and types.
 */
#ifndef BURIN_CARVER_REPORT_CASE_NODES_H
#define BURIN_CARVER_REPORT_CASE_NODES_H

#include <stdint.h>

#include "carver/cli/json_write.h"
#include "carver/report/case_id.h"

struct case_nodes {
    struct json json;
    struct case_id *id;
};

/* Opens a node; class: "uco-tool:Tool". json_close_object ends it. */
void case_node_begin(struct case_nodes *nodes, const char *class, const char *uuid);
/* A facet, or another node that belongs to the one with this UUID. */
void case_node_begin_part(struct case_nodes *nodes, const char *class, const char *owner);
/* A relation from an object or a piece; facets may follow, and json_close_object. */
void case_node_relation(struct case_nodes *nodes, const char *source, const char *kind,
                        const char *target_class, const char *target);
/* kind: "SHA256"; owner: the UUID of the node that has it. */
void case_node_hash(struct case_nodes *nodes, const char *owner, const char *kind,
                    const char *digest);

/* Values of properties. */
void case_node_typed(struct json *json, const char *key, const char *type, const char *value);
void case_node_number(struct json *json, const char *key, uint64_t value);
void case_node_reference(struct json *json, const char *key, const char *class, const char *uuid);
/* Nothing, unless time is one as burin writes it, YYYY-MM-DDTHH:MM:SSZ; NULL is none. */
void case_node_time(struct json *json, const char *key, const char *time);

#endif
