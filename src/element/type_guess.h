/* type_guess.h: guesses a type from the first bytes of numbers of which nothing says the type.
 *
 *     as u64                                       as f64       guess
 *     4607182418800017408, 4611686018427387904     1, 2         f64
 *     5, 3, 9                                      4e-323, ..   none: small u64 */
#ifndef GSI_TYPE_GUESS_H
#define GSI_TYPE_GUESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GSI_GUESS_BYTES 512 /* inspected at most: 64 elements of u64 */

struct gsi_type_guess {
    const char *type; /* as --type takes it; NULL: the numbers may well be u64 */
    bool is_time;     /* it has the same order as u64 */
};

/* gsi_type_guess: returns what the whole u64 in `bytes` of data look like instead. */
struct gsi_type_guess gsi_type_guess(const uint8_t *data, size_t bytes);

/* gsi_type_guess_text: writes the first three numbers as `type`, u64 or a guessed one: "3, 1, 2".
 * ", .." follows if there are more. */
#define GSI_GUESS_TEXT_BYTES 168
void gsi_type_guess_text(char text[GSI_GUESS_TEXT_BYTES], const char *type, const uint8_t *data,
                         size_t bytes);

#endif
