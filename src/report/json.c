/* json.c: commas, indentation, escapes. */
#include "report/json.h"

#include "base/utf8.h"
#include "report/number.h"

#include <inttypes.h>

#define EXACT_INTEGERS ((uint64_t)1 << 53) /* up to here a JSON reader's doubles are exact */

/* Comma, new line, indentation, key (NULL in arrays). Keys are ours and need no escapes. */
static void json_key(struct gsi_json *json, const char *key)
{
    fprintf(json->file, "%s\n%*s", json->has_member ? "," : "", 2 * json->depth, "");
    if (key != NULL)
        fprintf(json->file, "\"%s\": ", key);
    json->has_member = true;
}

void gsi_json_open(struct gsi_json *json, const char *key, char bracket)
{
    json_key(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->has_member = false;
}

bool gsi_json_open_known(struct gsi_json *json, const char *key, bool is_known)
{
    if (is_known)
        gsi_json_open(json, key, '{');
    else
        gsi_json_string(json, key, NULL);
    return is_known;
}

void gsi_json_close(struct gsi_json *json, char bracket)
{
    json->depth--;
    fprintf(json->file, "\n%*s%c", 2 * json->depth, "", bracket);
    json->has_member = true;
}

/* NULL becomes null. Names of files and keys may be any bytes: those that are no UTF-8 become
 * U+FFFD each, as they do in other programs. */
void gsi_json_string(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text == NULL) {
        fputs("null", json->file);
        return;
    }
    fputc('"', json->file);
    const unsigned char *at = (const unsigned char *)text;
    for (int bytes; *at != '\0'; at += bytes > 0 ? bytes : 1) {
        bytes = gsi_utf8_bytes(at);
        if (bytes == 0)
            fputs("\\ufffd", json->file);
        else if (*at == '"' || *at == '\\')
            fprintf(json->file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(json->file, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)bytes, json->file);
    }
    fputc('"', json->file);
}

void gsi_json_bool(struct gsi_json *json, const char *key, bool value)
{
    json_key(json, key);
    fputs(value ? "true" : "false", json->file);
}

void gsi_json_integer(struct gsi_json *json, const char *key, uint64_t value)
{
    const char *quote = value > EXACT_INTEGERS ? "\"" : "";
    json_key(json, key);
    fprintf(json->file, "%s%" PRIu64 "%s", quote, value, quote);
}

void gsi_json_known(struct gsi_json *json, const char *key, uint64_t value, bool is_known)
{
    if (is_known)
        gsi_json_integer(json, key, value);
    else
        gsi_json_string(json, key, NULL);
}

/* All digits, from an integer: exact, and no locale has a part in it. */
void gsi_json_seconds(struct gsi_json *json, const char *key, uint64_t ns)
{
    json_key(json, key);
    fprintf(json->file, "%" PRIu64 ".%09" PRIu64, ns / 1000000000u, ns % 1000000000u);
}

void gsi_json_value(struct gsi_json *json, const char *key, const struct gs_field *field,
                    const uint8_t value[16], bool is_known)
{
    char text[GS_ELEMENT_TEXT_BYTES];
    if (is_known)
        gs_field_text(field, value, text);
    gsi_json_string(json, key, is_known ? text : NULL);
}

/* As a string, as min and max are; null if it is not known. */
void gsi_json_double(struct gsi_json *json, const char *key, double value, bool is_known)
{
    char text[GSI_NUMBER_BYTES];
    gsi_number_double(text, value);
    gsi_json_string(json, key, is_known ? text : NULL);
}
