/* option_take.h: values of options, as texts. Each fails with GS_E_USAGE and a line that names the
 * option. */
#ifndef GSI_OPTION_TAKE_H
#define GSI_OPTION_TAKE_H

#include "option/option.h"
#include "option/options.h"

/* gsi_take_number: a whole number from `least` to `most`.
 * gsi_take_word: one of `choices`; with a number behind it, where that may be: "zstd:3". *number is
 *                0 without one. */
enum gs_status gsi_take_number(const char *name, const char *text, uint32_t least, uint32_t most,
                               uint32_t *number, struct gs_error *error);
enum gs_status gsi_take_word(const char *name, const char *text, const struct gs_choice *choices,
                             int *value, uint32_t *number, struct gs_error *error);

/* Options that set more than one member: each is the `take` of a row (option_other.c). */
enum gs_status gsi_take_merge(struct gsi_options *options, const char *text,
                              struct gs_error *error);
enum gs_status gsi_take_region(struct gsi_options *options, const char *text,
                               struct gs_error *error);
enum gs_status gsi_take_range(struct gsi_options *options, const char *text,
                              struct gs_error *error);
enum gs_status gsi_take_part(struct gsi_options *options, const char *text, struct gs_error *error);
enum gs_status gsi_take_into(struct gsi_options *options, const char *text, struct gs_error *error);
enum gs_status gsi_take_argsort(struct gsi_options *options, const char *text,
                                struct gs_error *error);
enum gs_status gsi_take_top(struct gsi_options *options, const char *text, struct gs_error *error);
enum gs_status gsi_take_shuffle(struct gsi_options *options, const char *text,
                                struct gs_error *error);
enum gs_status gsi_take_sample(struct gsi_options *options, const char *text,
                               struct gs_error *error);
enum gs_status gsi_take_memory(struct gsi_options *options, const char *text,
                               struct gs_error *error);
enum gs_status gsi_take_device(struct gsi_options *options, const char *text,
                               struct gs_error *error);

/* gsi_place_parse: gs_size_parse of a number of bytes that others lie behind, which has no
 * fraction. */
bool gsi_place_parse(const char *text, uint64_t *bytes);

#endif
