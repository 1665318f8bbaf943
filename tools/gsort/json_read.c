/* json_read.c: a parser by descent. Texts stay where they are; escapes only make them shorter. */
#include "json_read.h"

#include "common/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values in values in .., at most. */
#define DEPTH_MAX 32

/* Reports are some KiB. */
#define MOST_BYTES ((size_t)1 << 28)

struct parser {
    const char *path;
    struct json_document *document;
    char *begin, *at, *end;
    struct gs_error *error;
};

static enum gs_status fail_at(const struct parser *parser, const char *what)
{
    return gs_fail(parser->error, GS_E_INPUT, 0, "'%s': no JSON: %s at byte %zu", parser->path,
                   what, (size_t)(parser->at - parser->begin));
}

static void skip_space(struct parser *parser)
{
    while (parser->at < parser->end && strchr(" \t\r\n", *parser->at) != NULL &&
           *parser->at != '\0')
        parser->at++;
}

/* Whether `c` comes next; then it is behind us. */
static bool take(struct parser *parser, char c)
{
    skip_space(parser);
    if (parser->at == parser->end || *parser->at != c)
        return false;
    parser->at++;
    return true;
}

/* A new value; its place. */
static enum gs_status add(struct parser *parser, enum json_kind kind, size_t *place)
{
    struct json_document *document = parser->document;
    if (document->count == document->room) {
        size_t room = 2 * document->room + 64;
        struct json_value *values = realloc(document->values, room * sizeof *values);
        if (values == NULL)
            return gs_fail(parser->error, GS_E_MEMORY, 0, "memory: cannot hold '%s'", parser->path);
        document->values = values;
        document->room = room;
    }
    document->values[document->count] = (struct json_value){.kind = kind};
    *place = document->count++;
    return GS_OK;
}

/* Four hexadecimal digits; false: there are none. */
static bool take_code(struct parser *parser, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = parser->at < parser->end ? *parser->at++ : '\0';
        const char digits[] = "0123456789abcdef", *digit = strchr(digits, c | 0x20);
        if (c == '\0' || (c < 'A' && (c < '0' || c > '9')) || digit == NULL)
            return false;
        *code = *code << 4 | (uint32_t)(digit - digits);
    }
    return true;
}

/* As UTF-8; what stands for half a character, or ends texts, becomes U+FFFD. */
static char *put_code(char *to, uint32_t code)
{
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

/* What stands behind a backslash. */
static enum gs_status take_escape(struct parser *parser, char **to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    char c = parser->at < parser->end ? *parser->at++ : '\0';
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (name != NULL)
        *(*to)++ = meant[name - names];
    else if (c == 'u' && take_code(parser, &code))
        *to = put_code(*to, code);
    else
        return fail_at(parser, "an escape that is none");
    return GS_OK;
}

/* A string behind its first quote. */
static enum gs_status take_string(struct parser *parser, const char **text, size_t *bytes)
{
    char *to = parser->at;
    *text = to;
    while (parser->at < parser->end && *parser->at != '"') {
        char c = *parser->at++;
        if ((unsigned char)c < 0x20)
            return fail_at(parser, "a control character");
        if (c == '\\')
            TRY(take_escape(parser, &to));
        else
            *to++ = c;
    }
    if (parser->at == parser->end)
        return fail_at(parser, "a string without an end");
    parser->at++;
    *bytes = (size_t)(to - *text);
    return GS_OK;
}

/* A number or a word: what it is worth is for whoever wants it. */
static enum gs_status take_plain(struct parser *parser, struct json_value *value)
{
    static const char *const words[] = {"true", "false", "null"};
    value->text = parser->at;
    while (parser->at < parser->end && *parser->at != '\0' &&
           strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *parser->at) != NULL)
        parser->at++;
    value->text_bytes = (size_t)(parser->at - value->text);
    if (value->text_bytes > 0 && strchr("-0123456789", value->text[0]) != NULL) {
        value->kind = JSON_NUMBER;
        return GS_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (value->text_bytes == strlen(words[i]) &&
            memcmp(value->text, words[i], value->text_bytes) == 0)
            return GS_OK;
    return fail_at(parser, "no value");
}

static enum gs_status take_value(struct parser *parser, int depth, size_t *place);

/* Members of an object or elements of an array, behind its bracket. */
static enum gs_status take_inside(struct parser *parser, int depth, size_t place, char bracket)
{
    size_t last = 0, inside = 0;
    bool is_object = bracket == '}';
    if (take(parser, bracket))
        return GS_OK;
    do {
        const char *name = NULL;
        size_t name_bytes = 0;
        if (is_object && !take(parser, '"'))
            return fail_at(parser, "no name of a member");
        if (is_object)
            TRY(take_string(parser, &name, &name_bytes));
        if (is_object && !take(parser, ':'))
            return fail_at(parser, "no colon");
        TRY(take_value(parser, depth + 1, &inside));
        struct json_value *values = parser->document->values;
        values[inside].name = name;
        values[inside].name_bytes = name_bytes;
        *(last == 0 ? &values[place].first : &values[last].next) = inside;
        last = inside;
    } while (take(parser, ','));
    return take(parser, bracket) ? GS_OK : fail_at(parser, "neither comma nor bracket");
}

static enum gs_status take_value(struct parser *parser, int depth, size_t *place)
{
    if (depth > DEPTH_MAX)
        return fail_at(parser, "too many values inside each other");
    TRY(add(parser, JSON_WORD, place));
    struct json_value *value = &parser->document->values[*place];
    if (take(parser, '"')) {
        value->kind = JSON_STRING;
        return take_string(parser, &value->text, &value->text_bytes);
    }
    if (take(parser, '{')) {
        value->kind = JSON_OBJECT;
        return take_inside(parser, depth, *place, '}');
    }
    if (take(parser, '[')) {
        value->kind = JSON_ARRAY;
        return take_inside(parser, depth, *place, ']');
    }
    return take_plain(parser, value);
}

enum gs_status json_parse(const char *path, char *text, size_t bytes,
                          struct json_document *document, struct gs_error *error)
{
    struct parser parser = {.path = path,
                            .document = document,
                            .begin = text,
                            .at = text,
                            .end = text + bytes,
                            .error = error};
    size_t none, last = 0, place = 0;
    document->text = text;
    TRY(add(&parser, JSON_WORD, &none));
    for (skip_space(&parser); parser.at < parser.end; skip_space(&parser)) {
        TRY(take_value(&parser, 0, &place));
        *(last == 0 ? &document->first : &document->values[last].next) = place;
        last = place;
    }
    return document->first > 0 ? GS_OK : fail_at(&parser, "nothing");
}

enum gs_status json_read(const char *path, struct json_document *document, struct gs_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rbe");
    char *text = NULL;
    size_t bytes = 0, room = 0, moved = 0;
    if (file == NULL)
        return gs_fail(error, GS_E_INPUT, errno, "'%s': cannot open", path);
    do {
        bytes += moved;
        if (bytes == room) {
            room = 2 * room + 65536;
            char *more = room <= MOST_BYTES ? realloc(text, room) : NULL;
            if (more == NULL)
                break;
            text = more;
        }
        moved = fread(text + bytes, 1, room - bytes, file);
    } while (moved > 0);
    int refusal = ferror(file) != 0 ? errno : 0;
    bool is_whole = feof(file) != 0;
    if (!is_stdin)
        fclose(file);
    if (refusal == 0 && is_whole)
        return json_parse(path, text, bytes, document, error);
    free(text);
    return refusal != 0 ? gs_fail(error, GS_E_INPUT, refusal, "'%s': cannot read", path)
                        : gs_fail(error, GS_E_INPUT, 0, "'%s': too large for reports", path);
}

void json_clear(struct json_document *document)
{
    free(document->text);
    free(document->values);
    *document = (struct json_document){0};
}

const struct json_value *json_member(const struct json_document *document,
                                     const struct json_value *object, const char *name)
{
    size_t bytes = strlen(name);
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (size_t i = object->first; i != 0; i = document->values[i].next) {
        const struct json_value *value = &document->values[i];
        bool is_null = value->kind == JSON_WORD && value->text[0] == 'n';
        if (value->name_bytes == bytes && memcmp(value->name, name, bytes) == 0)
            return is_null ? NULL : value;
    }
    return NULL;
}

bool json_is(const struct json_value *value, const char *text)
{
    return value != NULL && value->kind == JSON_STRING && value->text_bytes == strlen(text) &&
           memcmp(value->text, text, value->text_bytes) == 0;
}

bool json_count(const struct json_value *value, uint64_t *count)
{
    uint64_t all = 0;
    if (value == NULL || (value->kind != JSON_NUMBER && value->kind != JSON_STRING) ||
        value->text_bytes == 0)
        return false;
    for (size_t i = 0; i < value->text_bytes; i++) {
        unsigned digit = (unsigned)(value->text[i] - '0');
        if (digit > 9 || all > (UINT64_MAX - digit) / 10)
            return false;
        all = all * 10 + digit;
    }
    *count = all;
    return true;
}
