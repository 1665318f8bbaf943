/* gen_options.c: the table. */
#include "gen_options.h"

#include "gen_data.h"

const struct gs_option gen_options[GEN_OPTION_COUNT] = {
    [GEN_DIST] = {"dist", 'd', "NAME", .help = "distribution; --list shows them"},
    [GEN_TYPE] =
        {"type", 't', "T",
         .help = GEN_TYPES
         ",\neach with be after it if big-endian; default from the output's name,\nelse u64"},
    [GEN_COUNT] = {"count", 'n', "N", .help = "number of elements"},
    [GEN_SIZE] = {"size", 's', "SIZE",
                  .help = "bytes, or with K M G T (powers of 1024); whole elements"},
    [GEN_SEED] = {"seed", 0, "S", .help = "0 to 2^64 - 1; default 1"},
    [GEN_PARALLEL] = {"parallel", 0, "N", .help = "threads; default one per processor"},
    [GEN_OUTPUT] = {"output", 'o', "FILE", .help = "default standard output"},
    [GEN_LIST] = {"list", 'l', NULL, .help = "show the distributions and exit"},
    [GEN_HELP] = {"help", 'h', NULL, .help = "show this and exit"},
    [GEN_VERSION] = {"version", 'V', NULL, .help = "show the version and exit"},
};
