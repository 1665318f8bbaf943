/* size.h: sizes as users write them. */
#ifndef GSI_SIZE_H
#define GSI_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* gsi_size_parse: "4096", "64K", "1.5G", "16MiB", "10%": bytes, units are powers of 1024 (K M G T
 * P E, with optional B or iB). A percentage is of `whole`; whole 0 refuses it. false: not a size,
 * negative or too large; *bytes is untouched then. */
bool gsi_size_parse(const char *text, uint64_t whole, uint64_t *bytes);

#endif
