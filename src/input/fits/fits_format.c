/* fits_format.c: FITS as a format. */
#include "input/fits/fits_format.h"

#include "input/fits/fits.h"

static enum gs_status put(struct gsi_inputs *inputs, uint64_t count)
{
    GSI_TRY(gsi_format_copy_header(inputs));
    gsi_fits_patch(inputs->header.data, inputs->header.bytes, count);
    return GS_OK;
}

static const char *const endings[] = {"fits", "fit", "fts", "FITS", "FIT", NULL};

const struct gsi_format gsi_fits_format = {.name = "a FITS file",
                                           .source = "FITS header",
                                           .endings = endings,
                                           .magic = "SIMPLE  =",
                                           .magic_bytes = 9,
                                           .wanted = gsi_fits_wanted,
                                           .read = gsi_fits_read,
                                           .put = put};
