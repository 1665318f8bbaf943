/* key_type.c: the table of element types and look-up by name. */
#include "element/key_type.h"

#include "element/number_rows.h"
#include "element/width.h"

#include <string.h>

#define ELEMENT(name, bytes, kind, part) {name, GSI_WIDTH(bytes), GSI_KEY_##kind},

const struct gsi_key_type gsi_key_types[] = {
    GSI_NUMBER_ROWS(ELEMENT, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW, GSI_NO_ROW)};
const size_t gsi_key_type_count = sizeof gsi_key_types / sizeof gsi_key_types[0];

const struct gsi_key_type *gsi_key_type_find(const char *name)
{
    for (size_t i = 0; i < gsi_key_type_count; i++)
        if (strcmp(name, gsi_key_types[i].name) == 0)
            return &gsi_key_types[i];
    return NULL;
}

#define ZST_SUFFIX ".zst"

bool gsi_name_is_zst(const char *path)
{
    size_t length = strlen(path), suffix = sizeof ZST_SUFFIX - 1;
    return length > suffix && strcmp(path + length - suffix, ZST_SUFFIX) == 0;
}

/* Whether a name of `length` bytes ends in `separator` and `word`. */
static bool ends_in(const char *name, size_t length, char separator, const char *word)
{
    size_t word_length = strlen(word);
    return length > word_length && name[length - word_length - 1] == separator &&
           memcmp(name + length - word_length, word, word_length) == 0;
}

const char *gsi_name_base(const char *path, size_t *length)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    *length = strlen(name) - (gsi_name_is_zst(name) ? sizeof ZST_SUFFIX - 1 : 0);
    return name;
}

bool gsi_name_ends(const char *path, const char *word)
{
    size_t length;
    const char *name = gsi_name_base(path, &length);
    return ends_in(name, length, '.', word);
}
