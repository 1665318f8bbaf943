/* option_parse.h: parses and prints the values of options, and finds the lists of texts among them.
 * Calls that fail return GS_E_USAGE with a line that names the option. */
#ifndef GSI_OPTION_PARSE_H
#define GSI_OPTION_PARSE_H

#include "option/option.h"
#include "option/options.h"

/* gsi_parse_number: a whole number from `least` to `most`.
 * gsi_parse_word: one of `choices`; with a number after it, if it may have one: "zstd:3". *number
 * is
 *                0 without one. */
enum gs_status gsi_parse_number(const char *name, const char *text, uint32_t least, uint32_t most,
                                uint32_t *number, struct gs_error *error);
enum gs_status gsi_parse_word(const char *name, const char *text, const struct gs_choice *choices,
                              int *value, uint32_t *number, struct gs_error *error);

/* Functions for options that set more than one member. Each is the `apply` of its row in the table
 * of options; option_other.c defines them. */
enum gs_status gsi_apply_merge(struct gsi_options *options, const char *text,
                               struct gs_error *error);
enum gs_status gsi_apply_region(struct gsi_options *options, const char *text,
                                struct gs_error *error);
enum gs_status gsi_apply_range(struct gsi_options *options, const char *text,
                               struct gs_error *error);
enum gs_status gsi_apply_part(struct gsi_options *options, const char *text,
                              struct gs_error *error);
enum gs_status gsi_apply_into(struct gsi_options *options, const char *text,
                              struct gs_error *error);
enum gs_status gsi_apply_argsort(struct gsi_options *options, const char *text,
                                 struct gs_error *error);
enum gs_status gsi_apply_top(struct gsi_options *options, const char *text, struct gs_error *error);
enum gs_status gsi_apply_shuffle(struct gsi_options *options, const char *text,
                                 struct gs_error *error);
enum gs_status gsi_apply_sample(struct gsi_options *options, const char *text,
                                struct gs_error *error);
enum gs_status gsi_apply_memory(struct gsi_options *options, const char *text,
                                struct gs_error *error);
enum gs_status gsi_apply_device(struct gsi_options *options, const char *text,
                                struct gs_error *error);

/* gsi_byte_count_parse: parses a number of bytes as gs_size_parse does, but without a
 * fraction. */
bool gsi_byte_count_parse(const char *text, uint64_t *bytes);

struct gsi_text_list {
    const char *const **texts; /* in the options */
    size_t count;
};

/* gsi_option_texts: the lists of `options`, which may be changed there; returns how many there
 * are. */
size_t gsi_option_texts(struct gsi_options *options, struct gsi_text_list lists[GSI_OPT_COUNT]);

/* gsi_texts_bytes: the memory of a list of texts, with its pointers. */
uint64_t gsi_texts_bytes(const char *const *texts, size_t count);

/* gsi_compress_text: writes a choice as --compress spells it, with a level if it has one (0: the
 * default). */
void gsi_compress_text(enum gsi_compress_choice choice, uint32_t level, char *text, size_t bytes);

#endif
