/* json.c: commas, indentation, escapes. */
#include "report/json.h"

#include "base/utf8.h"

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

void gsi_json_word(struct gsi_json *json, const char *key, const char *text)
{
    json_key(json, key);
    fputs(text, json->file);
}
