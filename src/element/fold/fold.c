/* fold.c: folds the fields of one group after another. Integers are summed in 256 bits, floats as
 * fixed-point numbers of the smallest double's units (exact_sum.h), so nothing on the way is
 * rounded or wraps. */
#include "element/fold/fold.h"

#include "element/key_order.h"
#include "element/tally/tally_block.h"

#include <string.h>

static bool is_float(const struct gsi_fold_field *folded)
{
    return folded->field.type->kind == GSI_KEY_FLOAT;
}

/* Returns the format in which a float field is added up. */
static struct gsi_exact_format counted_format(const struct gsi_field *field)
{
    return field->type->bytes == 4 ? GSI_EXACT_F32 : GSI_EXACT_F64;
}

/* Returns the format of a float field in the record. */
static struct gsi_exact_format stored_float_format(const struct gsi_field *field)
{
    if (field->number->part == GSI_PART_F16)
        return GSI_EXACT_F16;
    return field->number->part == GSI_PART_BF16 ? GSI_EXACT_BF16 : counted_format(field);
}

/* ---- memory ---- */

static void clear_value(struct gsi_fold_value *value)
{
    uint64_t *limbs = value->limbs;
    *value = (struct gsi_fold_value){.limbs = limbs, .is_all_negative_zero = true};
    if (limbs != NULL)
        memset(limbs, 0, GSI_EXACT_LIMBS * sizeof *limbs);
}

void gsi_folder_alloc(struct gsi_folder *folder, const struct gsi_fold *fold, struct gsi_bump *bump)
{
    uint64_t *limbs = NULL;
    *folder = (struct gsi_folder){.fold = fold};
    GSI_BUMP_ALLOC(bump, folder->values, 2 * (uint64_t)fold->count);
    GSI_BUMP_ALLOC(bump, limbs, 2 * (uint64_t)fold->float_count * GSI_EXACT_LIMBS);
    if (folder->values == NULL)
        return;
    folder->totals = folder->values + fold->count;
    for (uint32_t i = 0; i < 2 * fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i % fold->count];
        if (folded->kind == GSI_FOLD_SUM && is_float(folded)) {
            folder->values[i].limbs = limbs;
            limbs += GSI_EXACT_LIMBS;
        }
        clear_value(&folder->values[i]);
    }
}

void gsi_folder_restart(struct gsi_folder *folder)
{
    for (uint32_t i = 0; i < 2 * folder->fold->count; i++)
        clear_value(&folder->values[i]);
    folder->count = 0;
    folder->overflow = NULL;
}

/* ---- numbers ---- */

/* Returns the field's value, extended to 16 bytes with its sign. */
static gsi_u128 load(const struct gsi_field *field, const uint8_t *element)
{
    _Alignas(16) uint8_t number[16];
    gsi_field_number(field, element, number);
    uint32_t bytes = field->type->bytes;
    if (bytes == 16)
        return gsi_block_load_u128(number, 0);
    uint64_t word = gsi_block_load(number, 0, bytes);
    if (field->type->kind != GSI_KEY_SIGNED)
        return word;
    int64_t value = bytes == 4 ? (int32_t)word : (int64_t)word;
    return (gsi_u128)(gsi_i128)value;
}

static void store(const struct gsi_field *field, uint8_t *element, gsi_u128 value)
{
    uint8_t *at = element + field->off;
    for (uint32_t i = 0; i < field->bytes; i++)
        at[field->is_big_endian ? field->bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static bool is_negative(const struct gsi_field *field, gsi_u128 value)
{
    return field->type->kind == GSI_KEY_SIGNED && value >> 127 != 0;
}

static void wide_add(struct gsi_wide *into, struct gsi_wide x)
{
    into->low += x.low;
    into->high += x.high + (into->low < x.low);
}

static struct gsi_wide widen(const struct gsi_field *field, gsi_u128 value)
{
    return (struct gsi_wide){value, is_negative(field, value) ? ~(gsi_u128)0 : 0};
}

/* Returns whether a sum is a number of `bytes` bytes. */
static bool fits(const struct gsi_field *field, struct gsi_wide sum, uint32_t bytes)
{
    bool is_signed = field->type->kind == GSI_KEY_SIGNED;
    if (bytes >= 32)
        return true;
    if (!is_signed)
        return sum.high == 0 && (bytes == 16 || sum.low >> 8 * bytes == 0);
    gsi_u128 rest = (gsi_u128)((gsi_i128)sum.low >> (8 * bytes - 1)); /* copies of the sign */
    return sum.high == (gsi_u128)((gsi_i128)sum.low >> 127) && (rest == 0 || rest == ~(gsi_u128)0);
}

/* ---- floats ---- */

static void add_float(struct gsi_fold_value *value, uint64_t bits, struct gsi_exact_format format)
{
    uint64_t fraction = bits & (((uint64_t)1 << format.fraction_bits) - 1);
    uint64_t last = ((uint64_t)1 << format.exponent_bits) - 1;
    uint64_t exponent = bits >> format.fraction_bits & last;
    bool is_below = bits >> (format.fraction_bits + format.exponent_bits) != 0;
    if (exponent == last && fraction != 0) {
        value->nans++;
        return;
    }
    if (exponent == last) {
        value->positive_infinities += !is_below;
        value->negative_infinities += is_below;
    } else {
        uint64_t implicit = exponent > 0 ? (uint64_t)1 << format.fraction_bits : 0;
        size_t place = format.unit_off + (exponent > 0 ? exponent - 1 : 0);
        gsi_exact_fixed_add(value->limbs, fraction | implicit, place, is_below);
    }
    value->has_number = true;
    value->is_all_negative_zero =
        value->is_all_negative_zero && is_below && exponent == 0 && fraction == 0;
}

/* Returns the sum as bits of the format; *is_over: the sum is finite but too large. */
static uint64_t round_float(const struct gsi_fold_value *value, struct gsi_exact_format format,
                            bool *is_over)
{
    uint64_t sign = (uint64_t)1 << (format.fraction_bits + format.exponent_bits);
    uint64_t limbs[GSI_EXACT_LIMBS];
    uint64_t infinity = (((uint64_t)1 << format.exponent_bits) - 1) << format.fraction_bits;
    uint64_t quiet = (uint64_t)1 << (format.fraction_bits - 1);
    *is_over = false;
    if (!value->has_number || (value->positive_infinities > 0 && value->negative_infinities > 0))
        return infinity | quiet;
    if (value->positive_infinities > 0 || value->negative_infinities > 0)
        return infinity | (value->negative_infinities > 0 ? sign : 0);
    if (value->is_all_negative_zero)
        return sign;
    memcpy(limbs, value->limbs, sizeof limbs);
    bool is_below = gsi_exact_fixed_magnitude(limbs);
    uint64_t bits = gsi_exact_fixed_round(format, limbs);
    *is_over = bits == infinity;
    return bits | (is_below ? sign : 0);
}

/* ---- extremes ---- */

static gsi_u128 key_of(const struct gsi_fold_field *folded, const uint8_t *element)
{
    uint32_t bytes = folded->field.type->bytes;
    gsi_u128 value = load(&folded->field, element);
    return bytes == 16 ? value ^ (gsi_u128)folded->map.sign << 64
                       : gsi_block_key(folded->map, (uint64_t)value, bytes);
}

/* Returns whether a value is a NaN, or a time64's NaT, which is the least i64. */
static bool is_nan(const struct gsi_fold_field *folded, gsi_u128 key)
{
    if (folded->field.number->part == GSI_PART_TIME)
        return key == 0;
    return is_float(folded) && key > folded->map.nan_above;
}

bool gsi_fold_is_nan(const struct gsi_fold_field *folded, const uint8_t *element)
{
    return is_nan(folded, key_of(folded, element));
}

static void add_extreme(struct gsi_fold_value *value, const struct gsi_fold_field *folded,
                        const uint8_t *element)
{
    gsi_u128 key = key_of(folded, element);
    if (is_nan(folded, key))
        return;
    bool is_better = folded->kind == GSI_FOLD_MIN ? key < value->key : key > value->key;
    if (value->has_extreme && !is_better)
        return;
    value->has_extreme = true;
    value->key = key;
    memcpy(value->extreme, element + folded->field.off, folded->field.bytes);
}

/* ---- two by two ---- */

bool gsi_fold_may_join(const struct gsi_fold *fold)
{
    return fold->float_count == 0 && fold->wide_bytes == 0 && !fold->changes_order;
}

/* A field whose bytes in the record are those of a number in memory, as in most jobs. */
static bool join_words(const struct gsi_field *field, uint8_t *first, const uint8_t *record,
                       bool *is_over)
{
    int64_t a, b, sum;
    uint64_t c, d, total;
    if (field->bytes != 8 || field->is_big_endian)
        return false;
    if (field->type->kind == GSI_KEY_SIGNED) {
        memcpy(&a, first + field->off, 8);
        memcpy(&b, record + field->off, 8);
        *is_over = __builtin_add_overflow(a, b, &sum);
        if (!*is_over)
            memcpy(first + field->off, &sum, 8);
    } else {
        memcpy(&c, first + field->off, 8);
        memcpy(&d, record + field->off, 8);
        *is_over = __builtin_add_overflow(c, d, &total);
        if (!*is_over)
            memcpy(first + field->off, &total, 8);
    }
    return true;
}

static bool join_sum(const struct gsi_field *field, uint8_t *first, const uint8_t *record)
{
    bool is_over;
    if (join_words(field, first, record, &is_over))
        return !is_over;
    struct gsi_wide sum = widen(field, load(field, first));
    wide_add(&sum, widen(field, load(field, record)));
    if (!fits(field, sum, field->bytes))
        return false;
    store(field, first, sum.low);
    return true;
}

/* Subtracts a sum that was joined. */
static void unjoin_sum(const struct gsi_field *field, uint8_t *first, const uint8_t *record)
{
    store(field, first, load(field, first) - load(field, record));
}

static void join_extreme(const struct gsi_fold_field *folded, uint8_t *first, const uint8_t *record)
{
    gsi_u128 old = key_of(folded, first), new = key_of(folded, record);
    if (is_nan(folded, new))
        return;
    if (is_nan(folded, old) || (folded->kind == GSI_FOLD_MIN ? new < old : new > old))
        memcpy(first + folded->field.off, record + folded->field.off, folded->field.bytes);
}

bool gsi_fold_join(const struct gsi_fold *fold, uint8_t *first, const uint8_t *record)
{
    for (uint32_t i = 0; i < fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i];
        if (folded->kind != GSI_FOLD_SUM || join_sum(&folded->field, first, record))
            continue;
        while (i-- > 0)
            if (fold->fields[i].kind == GSI_FOLD_SUM)
                unjoin_sum(&fold->fields[i].field, first, record);
        return false;
    }
    for (uint32_t i = 0; i < fold->count; i++)
        if (fold->fields[i].kind != GSI_FOLD_SUM)
            join_extreme(&fold->fields[i], first, record);
    return true;
}

/* ---- groups ---- */

static void fold_value(struct gsi_fold_value *value, const struct gsi_fold_field *folded,
                       const uint8_t *element)
{
    const struct gsi_field *field = &folded->field;
    if (folded->kind != GSI_FOLD_SUM)
        add_extreme(value, folded, element);
    else if (is_float(folded))
        add_float(value, (uint64_t)load(field, element), counted_format(field));
    else
        wide_add(&value->sum, widen(field, load(field, element)));
}

/* Adds integers of 4 and 8 bytes whose bytes in the record are those in memory, as in most jobs.
 * `bytes` and `is_signed` are constants. The sum of all records in memory is less than 2^127. */
GSI_INLINE struct gsi_wide sum_words(const uint8_t *at, size_t n, uint32_t step, uint32_t bytes,
                                     bool is_signed)
{
    gsi_i128 sum = 0;
    for (; n > 0; n--, at += step) {
        uint64_t word = 0;
        memcpy(&word, at, bytes);
        int64_t number = bytes == 4 ? (int32_t)word : (int64_t)word;
        sum += is_signed ? (gsi_i128)number : (gsi_i128)word;
    }
    return (struct gsi_wide){(gsi_u128)sum, sum < 0 ? ~(gsi_u128)0 : 0};
}

/* Returns false for all other fields. */
static bool add_words(struct gsi_fold_value *value, const struct gsi_fold_field *folded,
                      const uint8_t *elements, size_t n, uint32_t step)
{
    const struct gsi_field *field = &folded->field;
    const uint8_t *at = elements + field->off;
    const bool is_signed = field->type->kind == GSI_KEY_SIGNED;
    if (folded->kind != GSI_FOLD_SUM || is_float(folded) || field->is_big_endian ||
        field->bytes != field->type->bytes || (field->bytes != 4 && field->bytes != 8))
        return false;
    if (field->bytes == 4)
        wide_add(&value->sum,
                 is_signed ? sum_words(at, n, step, 4, true) : sum_words(at, n, step, 4, false));
    else
        wide_add(&value->sum,
                 is_signed ? sum_words(at, n, step, 8, true) : sum_words(at, n, step, 8, false));
    return true;
}

void gsi_folder_add(struct gsi_folder *folder, const uint8_t *first, const uint8_t *elements,
                    size_t n)
{
    const struct gsi_fold *fold = folder->fold;
    const uint32_t bytes = fold->record_bytes;
    for (uint32_t i = 0; i < fold->count; i++) {
        if (folder->count == 1)
            fold_value(&folder->values[i], &fold->fields[i], first);
        if (add_words(&folder->values[i], &fold->fields[i], elements, n, bytes))
            continue;
        for (size_t k = 0; k < n; k++)
            fold_value(&folder->values[i], &fold->fields[i], elements + k * bytes);
    }
    folder->count += n;
}

/* Reads a wide sum from its entry. */
static struct gsi_wide load_wide(const struct gsi_fold_field *folded, const uint8_t *entry)
{
    struct gsi_wide put = {0};
    memcpy(&put, entry + folded->wide_off, folded->wide_bytes);
    bool is_signed = folded->field.type->kind == GSI_KEY_SIGNED;
    if (is_signed && folded->wide_bytes == 8)
        put.low = (gsi_u128)(gsi_i128)(int64_t)put.low;
    return folded->wide_bytes < 32 ? widen(&folded->field, put.low) : put;
}

/* Adds sums as they were written to the totals: reads them from the entry again. */
static void end_integer(struct gsi_fold_value *value, struct gsi_fold_value *total,
                        const struct gsi_fold_field *folded, bool *is_over, uint8_t *entry)
{
    const struct gsi_field *field = &folded->field;
    uint32_t bytes = folded->wide_bytes > 0 ? folded->wide_bytes : field->bytes;
    *is_over = !fits(field, value->sum, bytes);
    if (folded->wide_bytes == 0) {
        store(field, entry, value->sum.low);
        wide_add(&total->sum, widen(field, load(field, entry)));
        return;
    }
    memcpy(entry + folded->wide_off, &value->sum, bytes);
    wide_add(&total->sum, load_wide(folded, entry));
}

static void end_float(struct gsi_fold_value *value, struct gsi_fold_value *total,
                      const struct gsi_fold_field *folded, bool *is_over, uint8_t *entry)
{
    bool is_wide = folded->wide_bytes > 0;
    uint64_t bits =
        round_float(value, is_wide ? GSI_EXACT_F64 : stored_float_format(&folded->field), is_over);
    if (is_wide)
        memcpy(entry + folded->wide_off, &bits, sizeof bits);
    else
        store(&folded->field, entry, bits);
    gsi_exact_fixed_join(total->limbs, value->limbs, false);
    total->nans += value->nans;
    total->positive_infinities += value->positive_infinities;
    total->negative_infinities += value->negative_infinities;
}

void gsi_folder_end(struct gsi_folder *folder, uint8_t *entry)
{
    const struct gsi_fold *fold = folder->fold;
    for (uint32_t i = 0; i < fold->count; i++) {
        const struct gsi_fold_field *folded = &fold->fields[i];
        struct gsi_fold_value *value = &folder->values[i], *total = &folder->totals[i];
        bool is_over = false, is_alone = folder->count == 1;
        if (is_alone && folded->wide_bytes == 0) {
            fold_value(total, folded, entry);
            continue;
        }
        if (is_alone)
            fold_value(value, folded, entry);
        if (folded->kind != GSI_FOLD_SUM) {
            if (value->has_extreme)
                memcpy(entry + folded->field.off, value->extreme, folded->field.bytes);
            add_extreme(total, folded, entry);
        } else if (is_float(folded)) {
            end_float(value, total, folded, &is_over, entry);
        } else {
            end_integer(value, total, folded, &is_over, entry);
        }
        if (is_over && folder->overflow == NULL)
            folder->overflow = folded;
        clear_value(value);
    }
}

/* ---- groups that several threads folded ---- */

static void join_value(struct gsi_fold_value *into, const struct gsi_fold_field *folded,
                       const struct gsi_fold_value *from)
{
    if (folded->kind != GSI_FOLD_SUM) {
        bool is_better =
            folded->kind == GSI_FOLD_MIN ? from->key < into->key : from->key > into->key;
        if (!from->has_extreme || (into->has_extreme && !is_better))
            return;
        into->has_extreme = true;
        into->key = from->key;
        memcpy(into->extreme, from->extreme, sizeof into->extreme);
    } else if (is_float(folded)) {
        gsi_exact_fixed_join(into->limbs, from->limbs, false);
        into->nans += from->nans;
        into->positive_infinities += from->positive_infinities;
        into->negative_infinities += from->negative_infinities;
        into->has_number = into->has_number || from->has_number;
        into->is_all_negative_zero = into->is_all_negative_zero && from->is_all_negative_zero;
    } else {
        wide_add(&into->sum, from->sum);
    }
}

void gsi_folder_go_on(struct gsi_folder *folder, const uint8_t *first, uint64_t count,
                      const struct gsi_folder *more, const uint8_t *more_first, uint64_t more_count)
{
    for (uint32_t i = 0; i < folder->fold->count; i++) {
        const struct gsi_fold_field *folded = &folder->fold->fields[i];
        if (count == 1)
            fold_value(&folder->values[i], folded, first);
        if (more_count == 1)
            fold_value(&folder->values[i], folded, more_first);
        else
            join_value(&folder->values[i], folded, &more->values[i]);
    }
}

void gsi_folder_follow(struct gsi_folder *folder, const struct gsi_folder *next)
{
    for (uint32_t i = 0; i < folder->fold->count; i++) {
        const struct gsi_fold_field *folded = &folder->fold->fields[i];
        join_value(&folder->totals[i], folded, &next->totals[i]);
        join_value(&folder->values[i], folded, &next->values[i]);
    }
    if (folder->overflow == NULL)
        folder->overflow = next->overflow;
}

/* ---- totals ---- */

/* With infinities, or with NaNs only, a tally's sum is an infinity or NaN. The sum of -0 only is
 * -0, which limbs cannot express. */
static bool is_same_float(const struct gsi_fold_value *total, const struct gsi_tally_report *tally)
{
    const double sum = gsi_exact_fixed_f64(total->limbs);
    uint64_t bits, wanted;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&wanted, &tally->sum_float, sizeof wanted);
    bool is_finite = tally->count > tally->nan_count &&
                     total->positive_infinities + total->negative_infinities == 0;
    bool are_zeros = (bits | wanted) << 1 == 0;
    return (!is_finite || bits == wanted || are_zeros) && total->nans == tally->nan_count &&
           total->positive_infinities == tally->positive_infinity_count &&
           total->negative_infinities == tally->negative_infinity_count;
}

/* Reads a value from its field in a record, as a little-endian element. */
static bool is_same_extreme(const struct gsi_fold_value *total, const struct gsi_fold_field *folded,
                            const struct gsi_tally_report *tally)
{
    struct gsi_field field = folded->field;
    uint8_t number[16] = {0};
    if (!total->has_extreme || !tally->has_extremes)
        return total->has_extreme == tally->has_extremes;
    field.off = 0;
    gsi_field_number(&field, total->extreme, number);
    return memcmp(number, folded->kind == GSI_FOLD_MIN ? tally->min : tally->max,
                  field.type->bytes) == 0;
}

const struct gsi_fold_field *gsi_folder_differs(const struct gsi_folder *folder,
                                                const struct gsi_tally_report *fields)
{
    for (uint32_t i = 0; i < folder->fold->count; i++) {
        const struct gsi_fold_field *folded = &folder->fold->fields[i];
        const struct gsi_tally_report *tally = &fields[folded->tally_idx];
        const struct gsi_fold_value *total = &folder->totals[i];
        const uint64_t sum[4] = {(uint64_t)total->sum.low, (uint64_t)(total->sum.low >> 64),
                                 (uint64_t)total->sum.high, (uint64_t)(total->sum.high >> 64)};
        bool is_same = folded->kind != GSI_FOLD_SUM ? is_same_extreme(total, folded, tally)
                       : is_float(folded)           ? is_same_float(total, tally)
                                                    : memcmp(sum, tally->sum, sizeof sum) == 0;
        if (!is_same)
            return folded;
    }
    return NULL;
}
