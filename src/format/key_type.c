/* key_type.c: the table of element types and look-up by name. */
#include "format/key_type.h"

#include <string.h>

const struct gsi_key_type gsi_key_types[] = {
    {"u32", 4, GSI_KEY_UNSIGNED, "uint32"},    {"i32", 4, GSI_KEY_SIGNED, "int32"},
    {"f32", 4, GSI_KEY_FLOAT, "float32"},      {"u64", 8, GSI_KEY_UNSIGNED, "uint64"},
    {"i64", 8, GSI_KEY_SIGNED, "int64"},       {"f64", 8, GSI_KEY_FLOAT, "float64"},
    {"u128", 16, GSI_KEY_UNSIGNED, "uint128"},
};
const size_t gsi_key_type_count = sizeof gsi_key_types / sizeof gsi_key_types[0];

const struct gsi_key_type *gsi_key_type_find(const char *name)
{
    for (size_t i = 0; i < gsi_key_type_count; i++)
        if (strcmp(name, gsi_key_types[i].name) == 0)
            return &gsi_key_types[i];
    return NULL;
}

const struct gsi_key_type *gsi_key_type_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (dot != NULL) {
        const struct gsi_key_type *type = gsi_key_type_find(dot + 1);
        if (type != NULL)
            return type;
    }
    const char *underscore = strrchr(name, '_');
    if (underscore == NULL)
        return NULL;
    for (size_t i = 0; i < gsi_key_type_count; i++)
        if (strcmp(underscore + 1, gsi_key_types[i].suffix) == 0)
            return &gsi_key_types[i];
    return NULL;
}
