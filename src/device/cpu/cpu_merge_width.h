/* cpu_merge_width.h: merges keys of one width. cpu_merge.c includes it once per width with KEY
 * (type) and WIDE(name) (suffixed name) defined; therefore it has no include guard. */

/* Merges few keys of one side into many of the other: finds the place of each, and copies the keys
 * between the places. `few_first`: among equal keys, the few are first. */
static void WIDE(scatter)(const KEY *few, size_t few_count, const KEY *many, size_t many_count,
                          bool few_first, KEY *out)
{
    for (size_t i = 0; i < few_count; i++) {
        struct gsi_slice rest = {many, many_count};
        size_t before = gsi_merge_below(sizeof(KEY), rest, &few[i], !few_first);
        memcpy(out, many, before * sizeof(KEY));
        out += before;
        many += before;
        many_count -= before;
        *out++ = few[i];
    }
    memcpy(out, many, many_count * sizeof(KEY));
}

/* Merges two sorted arrays, beginning with vectors. The rest is merged key by key: the smallest
 * keys are written from the front while the largest are written from the back. These are two
 * dependency chains that do not wait for each other, and no branch depends on a key. A round of
 * `steps` moves at most 2 * steps <= min(a, b) keys, so neither side can run out within it. Ties: a
 * first. */
static void WIDE(merge_two)(const KEY *a, size_t a_count, const KEY *b, size_t b_count, KEY *out)
{
    const KEY *a_end = a + a_count, *b_end = b + b_count;
    KEY *out_end = out + a_count + b_count;
    struct gsi_merge_ends ends = {a, a_end, b, b_end, out, out_end};
    gsi_merge_bulk(sizeof(KEY), &ends);
    a = ends.a, a_end = ends.a_end, b = ends.b, b_end = ends.b_end;
    out = ends.out, out_end = ends.out_end;
    for (;;) {
        size_t a_left = (size_t)(a_end - a), b_left = (size_t)(b_end - b);
        size_t steps = (a_left < b_left ? a_left : b_left) / 2;
        if (steps < FEW_KEYS)
            break;
        for (size_t i = 0; i < steps; i++) {
            KEY front_a = *a, front_b = *b;
            bool is_b = front_b < front_a;
            *out++ = is_b ? front_b : front_a;
            a += !is_b;
            b += is_b;
            KEY back_a = a_end[-1], back_b = b_end[-1];
            bool is_a = back_b < back_a;
            *--out_end = is_a ? back_a : back_b;
            a_end -= is_a;
            b_end -= !is_a;
        }
    }
    size_t a_left = (size_t)(a_end - a), b_left = (size_t)(b_end - b);
    if (a_left < b_left)
        WIDE(scatter)(a, a_left, b, b_left, true, out);
    else
        WIDE(scatter)(b, b_left, a, a_left, false, out);
}

/* Merges k slices pairwise, level by level, between two arrays so that the last level writes `out`.
 * A slice without a partner is copied. */
static void WIDE(merge_tree)(const struct gsi_slice *slices, uint32_t k, KEY *out, KEY *scratch)
{
    struct gsi_slice level[TREE_SLICES];
    memcpy(level, slices, k * sizeof *slices);
    uint32_t level_count = 0;
    for (uint32_t left = k; left > 1; left = (left + 1) / 2)
        level_count++;
    while (k > 1) {
        KEY *to = level_count % 2 != 0 ? out : scratch;
        uint32_t pairs = 0;
        for (uint32_t i = 0; i < k; i += 2) {
            struct gsi_slice a = level[i], b = i + 1 < k ? level[i + 1] : (struct gsi_slice){0};
            if (b.count > 0)
                WIDE(merge_two)(a.keys, a.count, b.keys, b.count, to);
            else
                memcpy(to, a.keys, a.count * sizeof(KEY));
            level[pairs++] = (struct gsi_slice){to, a.count + b.count};
            to += a.count + b.count;
        }
        k = pairs;
        level_count--;
    }
}

/* Merges many slices by copying them side by side and sorting. The cost does not depend on k. */
static void WIDE(merge_by_sort)(const struct gsi_slice *slices, uint32_t k, KEY *out, void *scratch)
{
    KEY *end = out;
    for (uint32_t i = 0; i < k; i++) {
        memcpy(end, slices[i].keys, slices[i].count * sizeof(KEY));
        end += slices[i].count;
    }
    gsi_sort_keys(sizeof(KEY), out, (size_t)(end - out), scratch);
}

#undef KEY
#undef WIDE
