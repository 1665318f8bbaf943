/* key_type.h: the element types, one table row each, and how the program chooses one. */
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
    const char *name; /* as in --type */
    uint32_t bytes;   /* 4, 8 or 16 */
    enum gsi_key_kind kind;
    const char *suffix; /* how data sets name it at the end of a file name: "..._uint64" */
};

extern const struct gsi_key_type gsi_key_types[];
extern const size_t gsi_key_type_count;

/* NULL if there is no such type. */
const struct gsi_key_type *gsi_key_type_find(const char *name);

/* gsi_name_is_zst: whether the name says that the file is packed by zstd. */
bool gsi_name_is_zst(const char *path);

/* gsi_name_is_npy: whether it says that the file is one of NumPy's, packed or not. */
bool gsi_name_is_npy(const char *path);

/* gsi_key_type_of_file: by extension ("x.f64") or by data set suffix ("books_200M_uint64"), with
 * .zst behind it or not; NULL if the name says nothing. */
const struct gsi_key_type *gsi_key_type_of_file(const char *path);

#ifdef __cplusplus
}
#endif
#endif
