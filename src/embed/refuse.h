/* refuse.h: options that say nothing where data are in the program's memory. */
#ifndef GSI_EMBED_REFUSE_H
#define GSI_EMBED_REFUSE_H

#include "base/status.h"

enum gsi_embed { GSI_EMBED_SORT, GSI_EMBED_LOOK, GSI_EMBED_SORTER };

/* gsi_embed_refuse: fails GS_E_USAGE: one of those that are for files is given; of an array that is
 * sorted in its place, also one with which there is less or more of it afterwards; or nothing says
 * what the elements are. */
enum gs_status gsi_embed_refuse(const struct gs_options *options, enum gsi_embed kind,
                                struct gs_error *error);

#endif
