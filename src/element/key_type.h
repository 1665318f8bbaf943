/* key_type.h: the element types, an ELEMENT of number_rows.h each, and what names of files say of
 * formats. */
#ifndef GSI_KEY_TYPE_H
#define GSI_KEY_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gsi_key_kind { GSI_KEY_UNSIGNED, GSI_KEY_SIGNED, GSI_KEY_FLOAT };

struct gsi_key_type {
    const char *name; /* what people call it: type_names.h */
    uint32_t bytes;   /* a width: width.h */
    enum gsi_key_kind kind;
};

extern const struct gsi_key_type gsi_key_types[];
extern const size_t gsi_key_type_count;

/* NULL if there is no such type. */
const struct gsi_key_type *gsi_key_type_find(const char *name);

/* gsi_name_is_zst: whether the name says that the file is packed by zstd. */
bool gsi_name_is_zst(const char *path);

/* gsi_name_ends: whether it ends in a dot and `word`, packed or not. */
bool gsi_name_ends(const char *path, const char *word);

/* gsi_name_base: the last part of a path, and its length without .zst. */
const char *gsi_name_base(const char *path, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
