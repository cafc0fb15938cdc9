/* SPDX-License-Identifier: Apache-2.0
 * carver/report/case_nodes.c - see case_nodes.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "carver/report/case_nodes.h"

void case_node_begin(struct case_nodes *nodes, const char *class, const char *uuid)
{
    char text[CASE_ID];
    const char *colon = strchr(class, ':');

    case_id_text(colon + 1, uuid, text);
    json_open_object(&nodes->json, NULL);
    json_string(&nodes->json, "@id", text);
    json_string(&nodes->json, "@type", class);
}

void case_node_begin_part(struct case_nodes *nodes, const char *class, const char *owner)
{
    char uuid[CASE_UUID];

    case_id_uuid(nodes->id, uuid, owner, class, NULL);
    case_node_begin(nodes, class, uuid);
}

void case_node_typed(struct json *json, const char *key, const char *type, const char *value)
{
    json_open_object(json, key);
    json_string(json, "@type", type);
    json_string(json, "@value", value);
    json_close_object(json);
}

void case_node_number(struct json *json, const char *key, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    case_node_typed(json, key, "xsd:integer", text);
}

void case_node_reference(struct json *json, const char *key, const char *class, const char *uuid)
{
    char text[CASE_ID];

    case_id_text(class, uuid, text);
    json_open_object(json, key);
    json_string(json, "@id", text);
    json_close_object(json);
}

void case_node_hash(struct case_nodes *nodes, const char *owner, const char *kind,
                    const char *digest)
{
    char uuid[CASE_UUID];

    case_id_uuid(nodes->id, uuid, owner, "hash", kind, NULL);
    case_node_begin(nodes, "uco-types:Hash", uuid);
    json_string(&nodes->json, "uco-types:hashMethod", kind);
    case_node_typed(&nodes->json, "uco-types:hashValue", "xsd:hexBinary", digest);
    json_close_object(&nodes->json);
}

void case_node_relation(struct case_nodes *nodes, const char *source, const char *kind,
                        const char *target_class, const char *target)
{
    struct json *json = &nodes->json;
    char uuid[CASE_UUID];

    case_id_uuid(nodes->id, uuid, source, kind, target, NULL);
    case_node_begin(nodes, "uco-observable:ObservableRelationship", uuid);
    case_node_reference(json, "uco-core:source", "ContentData", source);
    case_node_reference(json, "uco-core:target", target_class, target);
    json_string(json, "uco-core:kindOfRelationship", kind);
    json_bool(json, "uco-core:isDirectional", true);
}

void case_node_time(struct json *json, const char *key, const char *time)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";

    if (time == NULL || strlen(time) != sizeof form - 1)
        return;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == 'd' ? time[i] < '0' || time[i] > '9' : time[i] != form[i])
            return;
    case_node_typed(json, key, "xsd:dateTime", time);
}
