/* arrow_release.c: gives back what libgsort's Python package has given to others through Arrow's C
 * interfaces (https://arrow.apache.org/docs/format/CDataInterface.html).
 *
 * They call a release from destructors, perhaps while a Python exception is on its way, where a
 * callback in Python would lose it. So releases are here; each drops one reference, which keeps
 * what a struct points to: its private_data. And Ctrl-C may end a callback in Python before its
 * first line, with 0, which of a stream is its end. So what a stream gives is 0 only if Python has
 * written that. Only names of Python's stable ABI are used, without its headers: one build serves
 * every CPython 3. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

typedef struct python_object python_object;
extern int Py_IsInitialized(void);
extern int PyGILState_Ensure(void);
extern void PyGILState_Release(int state);
extern void PyErr_Fetch(python_object **type, python_object **value, python_object **trace);
extern void PyErr_Restore(python_object *type, python_object *value, python_object *trace);
extern void Py_DecRef(python_object *object);
extern void *PyCapsule_GetPointer(python_object *capsule, const char *name);
extern void *PyCapsule_GetContext(python_object *capsule);

struct arrow_schema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct arrow_schema **children, *dictionary;
    void (*release)(struct arrow_schema *schema);
    void *private_data;
};

struct arrow_array {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct arrow_array **children, *dictionary;
    void (*release)(struct arrow_array *array);
    void *private_data;
};

struct arrow_stream {
    int (*get_schema)(struct arrow_stream *stream, struct arrow_schema *schema);
    int (*get_next)(struct arrow_stream *stream, struct arrow_array *array);
    const char *(*get_last_error)(struct arrow_stream *stream);
    void (*release)(struct arrow_stream *stream);
    void *private_data;
};

#define EXPORT __attribute__((visibility("default")))
EXPORT void libgsort_release_schema(struct arrow_schema *schema);
EXPORT void libgsort_release_array(struct arrow_array *array);
EXPORT void libgsort_release_stream(struct arrow_stream *stream);
EXPORT void libgsort_destroy_capsule(python_object *capsule);
EXPORT int libgsort_get_schema(struct arrow_stream *stream, struct arrow_schema *schema);
EXPORT int libgsort_get_next(struct arrow_stream *stream, struct arrow_array *array);

/* In Python, which sets them: each fills a struct, and then *answer. */
extern EXPORT void (*libgsort_fill_schema)(struct arrow_stream *stream, struct arrow_schema *schema,
                                           int *answer);
extern EXPORT void (*libgsort_fill_next)(struct arrow_stream *stream, struct arrow_array *array,
                                         int *answer);
void (*libgsort_fill_schema)(struct arrow_stream *stream, struct arrow_schema *schema, int *answer);
void (*libgsort_fill_next)(struct arrow_stream *stream, struct arrow_array *array, int *answer);

/* From any thread, with the GIL or without; after the interpreter's end nothing is left to drop. */
static void drop(python_object *object)
{
    if (!Py_IsInitialized())
        return;
    int state = PyGILState_Ensure();
    python_object *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_DecRef(object);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(state);
}

/* Children that were moved away have no release any more. */
void libgsort_release_schema(struct arrow_schema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
    schema->release = NULL;
    drop(schema->private_data);
}

void libgsort_release_array(struct arrow_array *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    array->release = NULL;
    drop(array->private_data);
}

void libgsort_release_stream(struct arrow_stream *stream)
{
    stream->release = NULL;
    drop(stream->private_data);
}

int libgsort_get_schema(struct arrow_stream *stream, struct arrow_schema *schema)
{
    int answer = EIO;
    schema->release = NULL;
    libgsort_fill_schema(stream, schema, &answer);
    if (answer != 0 && schema->release != NULL)
        schema->release(schema);
    return answer;
}

int libgsort_get_next(struct arrow_stream *stream, struct arrow_array *array)
{
    int answer = EIO;
    array->release = NULL;
    libgsort_fill_next(stream, array, &answer);
    if (answer != 0 && array->release != NULL)
        array->release(array);
    return answer;
}

/* A stream that no consumer moved is released; the capsule's context keeps its struct. */
void libgsort_destroy_capsule(python_object *capsule)
{
    struct arrow_stream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release != NULL)
        stream->release(stream);
    drop(PyCapsule_GetContext(capsule));
}
