/* trailer.h: what the output of a format has behind its elements: zeros, and what the first input
 * has behind its own. */
#ifndef GSI_TRAILER_H
#define GSI_TRAILER_H

#include "input/format/format.h"

/* gsi_trailer_bytes: how long it is, as the header says that was put last. */
uint64_t gsi_trailer_bytes(const struct gsi_inputs *inputs);

/* gsi_trailer_write: writes it to `output`, from byte `off` of the file on, and waits for that.
 * fails GS_E_IO, GS_E_SPACE, GS_E_INPUT: the input has become shorter; GS_E_CANCELED */
enum gs_status gsi_trailer_write(struct gsi_inputs *inputs, const struct gsi_output *output,
                                 uint64_t off);

/* gsi_trailer_is_there: whether what `fd` has from byte `off` on is what was to be written.
 * fails GS_E_IO */
enum gs_status gsi_trailer_is_there(struct gsi_inputs *inputs, int fd, uint64_t off,
                                    bool *is_there);

#endif
