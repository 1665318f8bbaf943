/* ranks.h: computes statistics that follow from the order: quantiles, histograms, the number of
 * distinct values, and the most frequent value. They are read from the windows of the last merge:
 *
 *     merger -> first K -> check -> ranks -> ..
 *
 * Quantiles and histograms cost next to nothing: a few elements are copied, and a few borders are
 * searched. Different values of numbers are counted where windows are made, on all threads or on
 * the GPU. The most frequent value is searched only in windows that may have it. With records, all
 * this is about the first key, and neighbours are compared on the owner's thread. NaNs, which are
 * at one end, are left out, as they are from minimum and maximum. */
#ifndef GSI_RANKS_H
#define GSI_RANKS_H

#include "base/choices.h"
#include "element/quantile/quantile.h"
#include "element/record/element_report.h"
#include "element/tally/tally_sums.h"
#include "output/target.h"

/* A quantile: of n elements that are no NaNs the one of rank ceil(p n), at least 1; and, between
 * elements, the value at place (n - 1) p, as NumPy's default. */
struct gsi_quantile_report {
    char text[24];     /* as it was asked for */
    uint64_t rank;     /* from 1 on; 0: there are no numbers, and none of the following */
    uint8_t value[16]; /* an element of the report's type, or of a field; it occurs */
    double between;
    int64_t between_time; /* of times: the same, rounded once to a whole unit */
};

/* A bin of a histogram: values from this one on, up to that of the next bin. The borders are min +
 * i (max - min) / bins: exact of integers, in double precision of floats; the last bin has its
 * upper end, too. */
struct gsi_bin {
    uint8_t from[16]; /* the least value that may be in it, an element as in gsi_quantile_report */
    uint64_t count;
};

/* Quantiles, a histogram, distinct values and the mode. */
struct gsi_order_report {
    struct gsi_quantile_report quantiles[GSI_QUANTILES_MAX];
    size_t quantile_count;         /* 0: none was asked for */
    uint32_t passes;               /* over the inputs, where nothing was sorted; else 0 */
    bool has_no_bins;              /* a histogram was asked for, and there are no numbers */
    struct gsi_field_report field; /* of records: the field they are of */
    bool has_groups;               /* the following are there */
    uint64_t distinct_count;       /* values, as with `unique`, without NaNs */
    uint64_t mode_count;           /* how often the most frequent value is there */
    uint8_t mode_value[16];        /* of several, the first in order; if mode_count > 0 */
    /* 0: none was asked for, there are no numbers, or the least or greatest is infinite. */
    uint32_t bin_count;
    struct gsi_bin bins[GSI_BINS_MAX];
};

struct gsi_ranks {
    const struct gsi_layout *layout;
    const struct gsi_field *key; /* of records; NULL: numbers */
    const struct gsi_key_type *type;
    struct gsi_order_report *report;
    bool is_wanted, is_descending, has_groups;
    bool has_repeats;      /* digests count them */
    uint64_t seen;         /* elements that have passed */
    uint64_t first, count; /* of those that are no NaNs */
    struct gsi_quantile quantiles[GSI_QUANTILES_MAX];
    struct gsi_rank_positions {
        uint64_t nearest, low, high; /* in the output */
        double part;
        uint8_t low_value[16], high_value[16];
    } places[GSI_QUANTILES_MAX];
    struct gsi_histogram histogram;
    uint32_t border;  /* the next one to be found, in the order of the output */
    uint8_t last[16]; /* the value of the last group so far */
    uint64_t group_count;
};

/* gsi_ranks_check: checks a request for order statistics, of a sort or a merge, or of data that are
 * only read.
 * fails GS_E_USAGE */
enum gs_status gsi_ranks_check(const struct gsi_order_statistics *asked, bool is_sort,
                               const struct gsi_layout *layout, struct gs_error *error);

/* gsi_ranks_field: returns the field whose values have ranks: the first key if it has statistics,
 * else the first field that has. NULL: no field has. */
const struct gsi_field *gsi_ranks_field(const struct gsi_record *record);

/* gsi_ranks_begin: computes the wanted places, after everything was read and counted.
 * gsi_ranks_link: returns a link that inspects windows.
 * gsi_ranks_end: fills in the report after the last window. */
void gsi_ranks_begin(struct gsi_ranks *ranks, const struct gsi_order_statistics *asked,
                     const struct gsi_layout *layout, const struct gsi_tally_report *tally,
                     const struct gsi_tally_report *fields, struct gsi_order_report *report);
struct gsi_link gsi_ranks_link(struct gsi_ranks *ranks);
void gsi_ranks_end(struct gsi_ranks *ranks);

/* gsi_ranks_wanted: returns whether any order statistic was requested. */
static inline bool gsi_ranks_wanted(const struct gsi_order_statistics *asked)
{
    return asked->quantile_count > 0 || asked->bins > 0 || asked->distinct || asked->mode;
}

#endif
