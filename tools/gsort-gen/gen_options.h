/* gen_options.h: the options of gsort-gen. */
#ifndef GEN_OPTIONS_H
#define GEN_OPTIONS_H

#include "common/option_row.h"

enum gen_option {
    GEN_DIST,
    GEN_TYPE,
    GEN_COUNT,
    GEN_SIZE,
    GEN_SEED,
    GEN_PARALLEL,
    GEN_OUTPUT,
    GEN_LIST,
    GEN_HELP,
    GEN_VERSION,
    GEN_OPTION_COUNT
};

extern const struct gs_option gen_options[GEN_OPTION_COUNT];

#endif
