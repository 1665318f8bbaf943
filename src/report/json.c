/* json.c: commas, indentation, escapes. */
#include "report/json.h"

#include "base/utf8.h"

#include <string.h>

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

void gsi_json_close(struct gsi_json *json, char bracket)
{
    json->depth--;
    fprintf(json->file, "\n%*s%c", 2 * json->depth, "", bracket);
    json->has_member = true;
}

void gsi_json_quote(FILE *file, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    fputc('"', file);
    for (int bytes; at<end; at += bytes> 0 ? bytes : 1) {
        bytes = gsi_utf8_bytes(at);
        if (bytes == 0)
            fputs("\\ufffd", file);
        else if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)bytes, file);
    }
    fputc('"', file);
}

void gsi_json_string(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text == NULL)
        fputs("null", json->file);
    else
        gsi_json_quote(json->file, text, strlen(text));
}

void gsi_json_word(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    fputs(text, json->file);
}
