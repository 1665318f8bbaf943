/* gen_options.c: the table. */
#include "gen_options.h"

#include "gen_data.h"

const struct option_row gen_options[GEN_OPTION_COUNT] = {
    [GEN_DIST] = {0, 'd', "dist", "NAME", "distribution; --list shows them", NULL, NULL},
    [GEN_TYPE] = {0, 't', "type", "T",
                  GEN_TYPES
                  ",\neach with be behind it if big endian; default from the output's name,\n"
                  "else u64",
                  NULL, NULL},
    [GEN_COUNT] = {0, 'n', "count", "N", "number of elements", NULL, NULL},
    [GEN_SIZE] = {0, 's', "size", "SIZE", "bytes, or with K M G T (powers of 1024); whole elements",
                  NULL, NULL},
    [GEN_SEED] = {0, 0, "seed", "S", "0 to 2^64 - 1; default 1", NULL, NULL},
    [GEN_PARALLEL] = {0, 0, "parallel", "N", "threads; default as many as processors", NULL, NULL},
    [GEN_OUTPUT] = {0, 'o', "output", "FILE", "default standard output", NULL, NULL},
    [GEN_LIST] = {0, 'l', "list", NULL, "show the distributions and exit", NULL, NULL},
    [GEN_HELP] = {0, 'h', "help", NULL, "show this and exit", NULL, NULL},
    [GEN_VERSION] = {0, 'V', "version", NULL, "show the version and exit", NULL, NULL},
};
