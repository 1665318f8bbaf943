/* set_streams.h: streams that a set operation reads (--merge=SET). It looks at files at any place,
 * so each stream is copied to an unnamed file first, all at the same time. */
#ifndef GSI_SET_STREAMS_H
#define GSI_SET_STREAMS_H

#include "input/inputs.h"

/* gsi_set_streams_copy: makes files of those inputs that are streams, in `temp_dir`; NULL: beside
 * `output`. The inputs were looked at, and keep their names. Needs the engine.
 * fails GS_E_INPUT: a stream ends in its header; GS_E_SPACE, GS_E_IO, GS_E_MEMORY, GS_E_CANCELED */
enum gs_status gsi_set_streams_copy(struct gsi_inputs *inputs, const char *output,
                                    const char *temp_dir);

#endif
