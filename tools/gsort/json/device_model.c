/* device_model.c: a member of the object after the other; the library knows them. */
#include "device_model.h"

#include "common/tool.h"
#include "report_read.h"

#include <stdlib.h>
#include <string.h>

/* Strings without their quotes, numbers as they are; NULL: it is neither, or there is no memory. */
static char *text_of(const json_t *value)
{
    if (json_is_string(value))
        return strlen(json_string_value(value)) == json_string_length(value)
                   ? strdup(json_string_value(value))
                   : NULL;
    return json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17))
                                 : NULL;
}

static enum gs_status add_member(const char *path, const char *name, const json_t *value,
                                 gs_job *job, struct gs_error *error)
{
    char *text = text_of(value), *member = NULL;
    enum gs_status status = GS_E_USAGE;
    if (text == NULL)
        gs_fail(error, status, 0, "--device-model: '%s': %s is neither a number nor a string", path,
                name);
    else if (asprintf(&member, "%s=%s", name, text) < 0)
        status = gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the model");
    else if ((status = gs_job_add(job, "device-model", member)) != GS_OK)
        gs_fail(error, status, 0, "%s; see '%s'", gs_job_error(job)->text, path);
    free(member);
    free(text);
    return status;
}

enum gs_status device_model_read(const char *path, gs_job *job, struct gs_error *error)
{
    json_t *values = json_array(), *object, *value;
    const char *name;
    enum gs_status status;
    if (values == NULL)
        return gs_fail(error, GS_E_MEMORY, 0, "out of memory: cannot hold the model");
    TRY_OR(reports_read(path, values, error), done);
    object = json_array_get(values, 0);
    if (json_array_size(values) != 1 || !json_is_object(object))
        status = gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': is not a single JSON object",
                         path);
    else if (json_object_size(object) == 0)
        status = gs_fail(error, GS_E_USAGE, 0, "--device-model: '%s': has no members", path);
    json_object_foreach(object, name, value)
    {
        if (status == GS_OK)
            status = add_member(path, name, value, job, error);
    }
done:
    json_decref(values);
    return status;
}
