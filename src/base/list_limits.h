/* list_limits.h: how long the lists of options and reports may get, and texts in them. */
#ifndef GSI_LIST_LIMITS_H
#define GSI_LIST_LIMITS_H

#define GSI_FIELDS_MAX    64 /* fields of a record: keys, or those with statistics */
#define GSI_QUANTILES_MAX 64
#define GSI_BINS_MAX      1024 /* of a histogram */
#define GSI_SPLIT_MAX     256  /* files of an output */
#define GSI_VALUES_MAX    16   /* files that are sorted along */

/* A text of a key or field, as given or as a .npy header names it; a longer one without its middle.
 */
#define GSI_FIELD_TEXT_BYTES 96
#define GSI_VALUE_TEXT_BYTES 128

#endif
