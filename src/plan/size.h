/* size.h: sizes and counts as users write them. Sizes are bytes, and their units powers of 1024;
 * counts are of elements, and their units powers of 1000. */
#ifndef GSI_SIZE_H
#define GSI_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* gsi_size_parse: "4096", "1e6", "64K", "1.5G", "16MiB", "200Mb", "10%": bytes, units are powers of
 * 1024 (K M G T P E, with optional B or iB, in any case). A percentage is of `whole`; whole 0 refuses it. false: not a size,
 * negative or too large; *bytes is untouched then. */
bool gsi_size_parse(const char *text, uint64_t whole, uint64_t *bytes);

/* gsi_count_parse: "1000", "1e6", "10K", "1.5M": units are powers of 1000. false: not a whole number,
 * negative or too large; *count is untouched then. */
bool gsi_count_parse(const char *text, uint64_t *count);

#endif
