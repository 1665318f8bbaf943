/* joined_tally.h: tallies of reports, added up. */
#ifndef GSORT_JOINED_TALLY_H
#define GSORT_JOINED_TALLY_H

#include "report_read.h"

/* Digits of a sum of 256 bits, and of as many of these as there may be. */
#define JOINED_DIGITS 104

/* A whole number: its sign, and digits, the least significant first. */
struct joined_number {
    bool is_negative;
    size_t count;
    uint8_t digits[JOINED_DIGITS];
};

#define JOINED_TEXT_BYTES 48

/* What is known of elements, or of a field of records. Begin with zeros, and is_float. */
struct joined_tally {
    bool is_float;
    uint64_t count;
    bool has_fingerprint, has_numbers, has_extremes;
    uint64_t fingerprint[2];  /* the low half first */
    struct joined_number sum; /* of integers: a rounded sum of floats adds up to nothing */
    char min[JOINED_TEXT_BYTES], max[JOINED_TEXT_BYTES];
    uint64_t nan_count, positive_infinity_count, negative_infinity_count, negative_zero_count;
};

/* joined_fingerprint: 32 hexadecimal digits. false: they are none. */
bool joined_fingerprint(const json_t *value, uint64_t fingerprint[2]);

/* joined_tally_add: adds the tally `value` of a report. false: it is none. */
bool joined_tally_add(struct joined_tally *tally, const json_t *value);

/* joined_tally_differs: the name of what two tallies disagree about, as far as both know it; NULL:
 * nothing. */
const char *joined_tally_differs(const struct joined_tally *a, const struct joined_tally *b);

/* joined_tally_put: what is known becomes members of `object`, as reports have them. */
void joined_tally_put(json_t *object, const struct joined_tally *tally);

/* joined_put_count, joined_put_fingerprint: one such member. */
void joined_put_count(json_t *object, const char *name, uint64_t count);
void joined_put_fingerprint(json_t *object, const char *name, const uint64_t fingerprint[2]);

#endif
