/* bench_ladder_data.c: makes the data of the ladder's bench, and checks the outputs. Sums, minima
 * and maxima must be the host's; merges and sorts must have the order and the contents.
 *
 * Floats are between -1 and 1. Their sums are compared with the host's up to a billionth of the sum
 * of their magnitudes, as every rung adds in its own order. */
#include "bench_ladder.h"

#include "base/checked.h"
#include "device/cpu/cpu_leaf_sort.h"
#include "element/key_order.h"

#include <math.h>
#include <string.h>

/* ---- elements ---- */

/* Reduces the host's bytes, which contain integers or floats. */
static uint64_t key_at(uint32_t width, const void *keys, uint64_t i)
{
    return width == sizeof(uint32_t) ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static double float_at(uint32_t width, const void *elements, uint64_t i)
{
    return width == sizeof(float) ? (double)((const float *)elements)[i]
                                  : ((const double *)elements)[i];
}

static void fill_host(const struct ladder_bench *bench)
{
    void *elements = bench->host_halves;
    for (uint64_t i = 0; i < bench->bytes / sizeof(uint64_t) && !bench->is_float; i++)
        ((uint64_t *)elements)[i] = gsi_mix_u64(i);
    for (uint64_t i = 0; i < bench->n && bench->is_float; i++) {
        double x = (double)(int64_t)gsi_mix_u64(i) * 0x1p-63;
        if (bench->width == sizeof(float))
            ((float *)elements)[i] = (float)x;
        else
            ((double *)elements)[i] = x;
    }
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void reduce_floats(struct ladder_bench *bench)
{
    double sum = 0, magnitude = 0, least = INFINITY, most = -INFINITY;
    for (uint64_t i = 0; i < bench->n; i++) {
        double x = float_at(bench->width, bench->host_halves, i);
        sum += x;
        magnitude += fabs(x);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    bench->references[GSI_LADDER_SUM] =
        (struct ladder_reference){.value = bits_of(sum), .slack = magnitude * 1e-9};
    bench->references[GSI_LADDER_MIN] = (struct ladder_reference){.value = bits_of(least)};
    bench->references[GSI_LADDER_MAX] = (struct ladder_reference){.value = bits_of(most)};
}

static void reduce_integers(struct ladder_bench *bench)
{
    uint64_t sum = 0, least = UINT64_MAX, most = 0;
    for (uint64_t i = 0; i < bench->n; i++) {
        uint64_t x = key_at(bench->width, bench->host_halves, i);
        sum += x;
        least = gsi_min_u64(least, x);
        most = gsi_max_u64(most, x);
    }
    bench->references[GSI_LADDER_SUM] = (struct ladder_reference){.value = sum};
    bench->references[GSI_LADDER_MIN] = (struct ladder_reference){.value = least};
    bench->references[GSI_LADDER_MAX] = (struct ladder_reference){.value = most};
}

/* Returns the sum of the mixes of keys, modulo 2^64, and whether they are in order. */
struct digest {
    uint64_t sum;
    bool is_sorted;
};

static struct digest take_digest(uint32_t width, const void *keys, uint64_t count)
{
    struct digest digest = {.is_sorted = true};
    for (uint64_t i = 0, previous = 0; i < count; i++) {
        uint64_t key = key_at(width, keys, i);
        digest.sum += gsi_mix_u64(key);
        digest.is_sorted = digest.is_sorted && previous <= key;
        previous = key;
    }
    return digest;
}

enum gs_status ladder_data_make(struct ladder_bench *bench, struct gs_error *error)
{
    uint64_t half = bench->n / 2;
    uint8_t *halves = bench->host_halves;
    fill_host(bench);
    CUDA_TRY("copy to the device",
             cudaMemcpy(bench->random, halves, bench->bytes, cudaMemcpyHostToDevice));
    if (bench->is_float) {
        reduce_floats(bench);
        return GS_OK;
    }
    reduce_integers(bench);
    bench->key_sum = take_digest(bench->width, halves, bench->n).sum;
    gsi_leaf_sort(bench->width, halves, half);
    gsi_leaf_sort(bench->width, halves + half * bench->width, half);
    CUDA_TRY("copy to the device",
             cudaMemcpy(bench->halves, halves, bench->bytes, cudaMemcpyHostToDevice));
    return GS_OK;
}

/* ---- checks ---- */

static bool is_sum(const struct ladder_case *c)
{
    return c->kind == LADDER_REDUCE || c->kind == LADDER_CUB_SUM || c->kind == LADDER_CUB_MAX;
}

enum gs_status ladder_spoil(struct ladder_bench *bench, const struct ladder_case *c,
                            struct gs_error *error)
{
    memset(bench->host_out, 0xA5, c->kind == LADDER_HOST_MERGE ? (c->m + c->n) * bench->width : 0);
    CUDA_TRY(c->part, cudaMemset(bench->out, 0xA5, bench->bytes));
    CUDA_TRY(c->part, cudaMemset(bench->scratch, 0xA5, bench->scratch_bytes));
    return GS_OK;
}

/* CUB leaves a maximum as it is, and sums as the rungs do. */
static enum gs_status take_value(struct ladder_bench *bench, const struct ladder_case *c,
                                 uint64_t *value, struct gs_error *error)
{
    if (c->kind == LADDER_REDUCE) {
        CUDA_TRY(c->part, gsi_reduce_ladder[c->rung].result(bench->type, c->operation,
                                                            bench->scratch, NULL, value));
        return GS_OK;
    }
    uint64_t bits = 0;
    bool is_sum_of_words = c->kind == LADDER_CUB_SUM;
    CUDA_TRY(c->part, cudaMemcpy(&bits, bench->out, is_sum_of_words ? sizeof bits : bench->width,
                                 cudaMemcpyDeviceToHost));
    *value = bench->is_float && !is_sum_of_words ? bits_of(float_at(bench->width, &bits, 0)) : bits;
    return GS_OK;
}

static enum gs_status check_value(struct ladder_bench *bench, const struct ladder_case *c,
                                  struct gs_error *error)
{
    const struct ladder_reference *want = &bench->references[c->operation];
    uint64_t got;
    STATUS_TRY(take_value(bench, c, &got, error));
    double distance = fabs(float_at(8, &got, 0) - float_at(8, &want->value, 0));
    if (got == want->value || (want->slack > 0 && distance <= want->slack))
        return GS_OK;
    return gsi_fail(error, GS_E_VERIFY, 0, "%s, %s: not the host's result", c->name, c->part);
}

static enum gs_status check_keys(struct ladder_bench *bench, const struct ladder_case *c,
                                 struct gs_error *error)
{
    bool is_sort = c->kind == LADDER_SORT || c->kind == LADDER_CUB_SORT;
    const uint8_t *b = bench->host_halves + bench->n / 2 * bench->width;
    if (c->kind != LADDER_HOST_MERGE)
        CUDA_TRY("copy from the device",
                 cudaMemcpy(bench->host_out, is_sort ? bench->sorted : bench->out,
                            (c->m + c->n) * bench->width, cudaMemcpyDeviceToHost));
    uint64_t want = c->m + c->n == bench->n
                        ? bench->key_sum
                        : take_digest(bench->width, bench->host_halves, c->m).sum +
                              take_digest(bench->width, b, c->n).sum;
    struct digest got = take_digest(bench->width, bench->host_out, c->m + c->n);
    if (!got.is_sorted || got.sum != want)
        return gsi_fail(error, GS_E_VERIFY, 0, "%s, %s: the output %s", c->name, c->part,
                        got.is_sorted ? "does not hold what the input does" : "is not sorted");
    return GS_OK;
}

enum gs_status ladder_check(struct ladder_bench *bench, const struct ladder_case *c,
                            struct gs_error *error)
{
    if (c->kind == LADDER_COPY)
        return GS_OK;
    return is_sum(c) ? check_value(bench, c, error) : check_keys(bench, c, error);
}
