/* merge_cut_width.h: computes the co-rank for one key width. merge_cut.c includes it once per width
 * with KEY (type) and WIDE(name) (suffixed name) defined; therefore it has no include guard. */

/* Returns the first index in [low, high) whose key is >= key (lower) or > key (upper). */
static uint64_t WIDE(bound)(const KEY *keys, uint64_t low, uint64_t high, KEY key, bool is_upper)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        bool is_below = is_upper ? keys[middle] <= key : keys[middle] < key;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low;
}

/* Returns the position at which the pivot cuts slice i, given that the cut is in [low, high]. */
static uint64_t WIDE(cut_one)(const struct gsi_slice *slices, uint32_t i, struct gsi_pivot pivot,
                              KEY key, uint64_t low, uint64_t high)
{
    return i == pivot.slice ? pivot.idx
                            : WIDE(bound)(slices[i].keys, low, high, key, i < pivot.slice);
}

/* Performs one round of the selection: moves `low` or `high` of every slice to the pivot. Returns
 * how many elements precede the pivot. */
static uint64_t WIDE(narrow)(const struct gsi_slice *slices, uint32_t k, struct gsi_pivot pivot,
                             uint64_t rank, uint64_t *low, uint64_t *high, uint64_t *scratch)
{
    KEY key = ((const KEY *)slices[pivot.slice].keys)[pivot.idx];
    uint64_t before = 0;
    for (uint32_t i = 0; i < k; i++) {
        scratch[i] =
            low[i] == high[i] ? low[i] : WIDE(cut_one)(slices, i, pivot, key, low[i], high[i]);
        before += scratch[i];
    }
    uint64_t *side = before < rank ? low : high;
    memcpy(side, scratch, k * sizeof *side);
    if (before < rank)
        low[pivot.slice]++; /* the pivot itself also precedes the cut */
    return before;
}

static uint64_t WIDE(cut_at)(const struct gsi_slice *slices, uint32_t k, struct gsi_pivot pivot,
                             uint64_t *cut)
{
    KEY key = ((const KEY *)slices[pivot.slice].keys)[pivot.idx];
    uint64_t rank = 0;
    for (uint32_t i = 0; i < k; i++) {
        cut[i] = WIDE(cut_one)(slices, i, pivot, key, 0, slices[i].count);
        rank += cut[i];
    }
    return rank;
}

static uint64_t WIDE(below)(struct gsi_slice slice, const void *bound, bool is_inclusive)
{
    KEY key;
    memcpy(&key, bound, sizeof key);
    return WIDE(bound)(slice.keys, 0, slice.count, key, is_inclusive);
}

#undef KEY
#undef WIDE
