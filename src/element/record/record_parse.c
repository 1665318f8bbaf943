/* record_parse.c: parses options about records, and makes the parts of the normalised key. */
#include "base/checked.h"
#include "element/number_type.h"
#include "element/record/record.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Reads decimal digits at *text, and moves *text after them. Returns false if there are none, or
 * too many. */
static bool take_digits(const char **text, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = *text;
    for (; *at >= '0' && *at <= '9'; at++)
        if ((value = 10 * value + (uint64_t)(*at - '0')) > UINT32_MAX)
            return false;
    if (at == *text)
        return false;
    *text = at;
    *number = (uint32_t)value;
    return true;
}

struct gsi_field gsi_field_of_number(const char *name)
{
    struct gsi_field field = {.text = name};
    field.number = gsi_number_type_find(name, strlen(name), &field.is_big_endian);
    field.bytes = field.number->bytes;
    field.type = gsi_key_type_find(field.number->counted_as);
    return field;
}

/* Reads the name of a type at *text, and moves *text after it. */
static enum gs_status take_type(const char *option, const char **text, struct gsi_field *field,
                                struct gs_error *error)
{
    char hint[GSI_TYPE_HINT_BYTES];
    const char *at = *text;
    size_t length = strcspn(at, ":");
    *text = at + length;
    if (at[0] == 'b' && at[1] >= '0' && at[1] <= '9') {
        at++;
        if (take_digits(&at, &field->bytes) && at == *text)
            return GS_OK;
        if (at + strspn(at, "0123456789") == *text)
            return gsi_fail(error, GS_E_USAGE, 0,
                            "--%s: '%s' has more bytes than a record can have, %u", option,
                            field->text, GSI_RECORD_BYTES_MAX);
    }
    const struct gsi_type_word *word = gsi_type_word_find(*text - length, length);
    if (word == NULL && memchr(*text - length, '[', length) != NULL)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' has no known type; %s", option,
                        field->text, gsi_time_words);
    if (word == NULL)
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--%s: '%s' has no known type%s; types are %s (append be for big endian), and "
            "bN for N bytes",
            option, field->text, gsi_type_word_near(*text - length, length, hint),
            gsi_number_names);
    GSI_TRY(gsi_type_word_check(word, option, field->text, error));
    struct gsi_field number = gsi_field_of_number(word->type);
    number.off = field->off;
    number.text = field->text;
    *field = number;
    return GS_OK;
}

/* Checks that a field is inside its record. */
static enum gs_status check_inside(const char *option, const char *text, uint32_t record_bytes,
                                   uint32_t off, uint32_t bytes, struct gs_error *error)
{
    if (bytes == 0)
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' has 0 bytes; give it at least 1", option,
                        text);
    if ((uint64_t)off + bytes <= record_bytes)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0,
                    "--%s: '%s' needs %u bytes from byte %u, but a record has only %u bytes",
                    option, text, bytes, off, record_bytes);
}

/* Parses OFF:TYPE at `at`, and with `is_key` an optional :asc or :desc. `text` is for
 * messages. */
static enum gs_status parse_place(const char *option, const char *text, const char *at,
                                  uint32_t record_bytes, bool is_key, struct gsi_field *field,
                                  struct gs_error *error)
{
    bool is_item = at != text;
    *field = (struct gsi_field){.text = text};
    bool is_far = !take_digits(&at, &field->off);
    if (is_far && isdigit((unsigned char)*at) && at[strspn(at, "0123456789")] == ':')
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s' begins after byte %u, but a record has only %u bytes", option,
                        text, UINT32_MAX, record_bytes);
    if (is_far || *at++ != ':')
        return is_item
                   ? gsi_names_fail_item(text, error)
                   : gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not OFF:TYPE%s, like 8:u32be%s",
                              option, text, is_key ? "[:desc]" : "",
                              text[0] == '-' && is_key ? "; append :desc for largest first"
                              : isalpha((unsigned char)text[0])
                                  ? "; --fields=NAME=OFF:TYPE gives a field a name"
                                  : "");
    GSI_TRY(take_type(option, &at, field, error));
    bool has_order = is_key && gsi_order_word(at, &field->is_descending);
    if (*at != '\0' && !has_order)
        return gsi_fail(
            error, GS_E_USAGE, 0, "--%s: '%s': '%s' is not expected there; %s", option, text, at,
            is_key ? "append ':asc', ':desc' or nothing to the type" : "write OFF:TYPE");
    return check_inside(option, text, record_bytes, field->off, field->bytes, error);
}

/* ---- names ---- */

/* Sets *name to that of NAME, NAME:asc or NAME:desc; NULL: the text is OFF:TYPE. */
static enum gs_status find_name(const struct gsi_names *names, const char *option, const char *text,
                                bool is_key, const struct gsi_name **name, bool *is_descending,
                                struct gs_error *error)
{
    char alone[GSI_NAME_BYTES];
    size_t length = gsi_names_text_bytes(names, text);
    *is_descending = false;
    *name = gsi_names_find(names, text);
    if (*name == NULL && is_key && text[length] != '\0' && length < sizeof alone) {
        memcpy(alone, text, length);
        alone[length] = '\0';
        *name = gsi_names_find(names, alone);
        gsi_order_word(text + length, is_descending);
    }
    if (*name == NULL)
        return names == NULL || names->count == 0 || text[0] == '\0' ||
                       isdigit((unsigned char)text[0])
                   ? GS_OK
                   : gsi_names_fail_unknown(names, option, text, error);
    if ((*name)->is_scaled && !is_key)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--%s: '%s' is stored with a scale or an offset; write %u:TYPE to use the "
                        "stored numbers",
                        option, text, (*name)->off);
    if ((*name)->place[0] == '\0')
        return gsi_fail(
            error, GS_E_USAGE, 0,
            "--%s: '%s' is not a number that gsort can sort by; write %u:TYPE to use a part of it",
            option, text, (*name)->off);
    return GS_OK;
}

/* Parses OFF:TYPE or a name, and with `is_key` its direction. */
static enum gs_status parse_field(const char *option, const char *text, uint32_t record_bytes,
                                  const struct gsi_names *names, bool is_key,
                                  struct gsi_field *field, struct gs_error *error)
{
    const struct gsi_name *name;
    bool is_descending;
    GSI_TRY(find_name(names, option, text, is_key, &name, &is_descending, error));
    if (name == NULL)
        return parse_place(option, text, text, record_bytes, is_key, field, error);
    GSI_TRY(parse_place(option, text, name->place, record_bytes, is_key, field, error));
    if (text == name->place && name->text[0] != '\0')
        field->text = name->text;
    field->is_descending = is_descending;
    field->name = name;
    return GS_OK;
}

void gsi_field_place(const struct gsi_field *field, char place[GSI_NAME_PLACE_BYTES])
{
    if (field->type == NULL)
        snprintf(place, GSI_NAME_PLACE_BYTES, "%u:b%u", field->off, field->bytes);
    else
        snprintf(place, GSI_NAME_PLACE_BYTES, "%u:%s%s", field->off, field->number->name,
                 field->is_big_endian ? "be" : "");
}

enum gs_status gsi_bytes_parse(const char *option, const char *text, uint32_t record_bytes,
                               uint32_t *off, uint32_t *bytes, struct gs_error *error)
{
    const char *at = text;
    if (!take_digits(&at, off) || *at++ != ':' || !take_digits(&at, bytes) || *at != '\0')
        return gsi_fail(error, GS_E_USAGE, 0, "--%s: '%s' is not OFF:LEN, like 8:4", option, text);
    return check_inside(option, text, record_bytes, *off, *bytes, error);
}

enum gs_status gsi_field_parse(const char *option, const char *text, uint32_t record_bytes,
                               const struct gsi_names *names, struct gsi_field *field,
                               struct gs_error *error)
{
    return parse_field(option, text, record_bytes, names, false, field, error);
}

enum gs_status gsi_field_parse_item(const char *option, const char *item, const char *text,
                                    uint32_t record_bytes, struct gsi_field *field,
                                    struct gs_error *error)
{
    return parse_place(option, item, text, record_bytes, false, field, error);
}

/* Adds a field with statistics. */
static enum gs_status parse_counted(const char *text, uint32_t record_bytes,
                                    const struct gsi_names *names, struct gsi_field *field,
                                    struct gs_error *error)
{
    GSI_TRY(parse_field("stats-of", text, record_bytes, names, false, field, error));
    if (field->type == NULL)
        return gsi_fail(error, GS_E_USAGE, 0,
                        "--stats-of: '%s' is a field of bytes; only numbers have statistics", text);
    return GS_OK;
}

static void add_part(struct gsi_record *record, struct gsi_key_part part)
{
    part.at = record->key_bytes;
    record->parts[record->part_count++] = part;
    record->key_bytes += part.bytes;
}

/* Adds the parts of a number. Unsigned big-endian numbers are bytes. Other numbers of 16 bytes are
 * two of 8; the high one has the sign. */
static void add_key(struct gsi_record *record, const struct gsi_field *field, bool is_inverted)
{
    uint32_t width = field->bytes;
    struct gsi_key_part part = {
        .off = field->off, .bytes = width, .is_big_endian = field->is_big_endian};
    bool is_unsigned = field->type == NULL || field->type->kind == GSI_KEY_UNSIGNED;
    part.is_number = field->type != NULL && !(is_unsigned && (width == 1 || part.is_big_endian));
    if (part.is_number)
        part.map = gsi_field_key_map(field);
    if (is_inverted)
        part.map.invert = part.is_number && width < 8 ? ~(UINT64_MAX >> 8 * width) : UINT64_MAX;
    if (part.is_number && width == 16) {
        part.bytes = 8;
        part.off += part.is_big_endian ? 0 : 8;
        add_part(record, part);
        part.off = 2 * field->off + 8 - part.off;
        part.map.sign = 0;
    }
    add_part(record, part);
}

void gsi_record_make_number(uint32_t bytes, const char *name, bool is_reversed,
                            struct gsi_record *record)
{
    const struct gsi_field key = gsi_field_of_number(name);
    *record = (struct gsi_record){
        .bytes = bytes, .key_count = 1, .field_count = 1, .keys = {key}, .fields = {key}};
    add_key(record, &key, is_reversed);
}

void gsi_record_place_nans(struct gsi_record *record, enum gsi_nan_place place)
{
    record->nan_place = place;
    for (uint32_t i = 0; i < record->part_count; i++)
        gsi_key_map_place_nans(&record->parts[i].map, place);
}

/* Returns where the bytes end that begin at `off` and are all in keys; `off` if there are none. */
static uint32_t covered_end(const struct gsi_record *record, uint32_t off)
{
    uint32_t end = off, before;
    do {
        before = end;
        for (uint32_t i = 0; i < record->key_count; i++)
            if (record->keys[i].off <= end)
                end = gsi_max_u32(end, record->keys[i].off + record->keys[i].bytes);
    } while (end > before);
    return end;
}

/* Returns where the next key begins after byte `off`, which is in no key. */
static uint32_t next_key(const struct gsi_record *record, uint32_t off)
{
    uint32_t next = record->bytes;
    for (uint32_t i = 0; i < record->key_count; i++)
        if (record->keys[i].off > off)
            next = (uint32_t)gsi_min_u64(next, record->keys[i].off);
    return next;
}

void gsi_record_break_ties(struct gsi_record *record, bool is_reversed)
{
    if (record->key_count == 0)
        return; /* the record is the key */
    record->ties_by_bytes = true;
    for (uint32_t off = 0, next; (off = covered_end(record, off)) < record->bytes; off = next) {
        next = next_key(record, off);
        add_key(record, &(struct gsi_field){.off = off, .bytes = next - off}, is_reversed);
    }
}

static enum gs_status check_count(const char *option, size_t count, struct gs_error *error)
{
    if (count <= GSI_RECORD_FIELDS_MAX)
        return GS_OK;
    return gsi_fail(error, GS_E_USAGE, 0, "--%s: is given %zu times; the limit is %u", option,
                    count, GSI_RECORD_FIELDS_MAX);
}

/* Adds a key as the field with statistics. Those of a scaled field are of the stored numbers, so
 * they do not have its name. */
static void add_counted_key(struct gsi_record *record, const struct gsi_field *key)
{
    struct gsi_field *field = &record->fields[record->field_count++];
    *field = *key;
    if (key->name != NULL && key->name->is_scaled)
        field->text = key->name->place;
}

enum gs_status gsi_record_make_named(uint32_t bytes, const struct gsi_names *names,
                                     const char *const *keys, size_t key_count,
                                     const char *const *fields, size_t field_count,
                                     bool is_reversed, struct gsi_record *record,
                                     struct gs_error *error)
{
    *record = (struct gsi_record){.bytes = bytes, .names = names};
    if (bytes < GSI_RECORD_BYTES_MIN || bytes > GSI_RECORD_BYTES_MAX)
        return gsi_fail(error, GS_E_USAGE, 0, "--record: %u is not between %u and %u bytes", bytes,
                        GSI_RECORD_BYTES_MIN, GSI_RECORD_BYTES_MAX);
    GSI_TRY(check_count("key", key_count, error));
    GSI_TRY(check_count("stats-of", field_count, error));
    for (size_t i = 0; i < key_count; i++) {
        struct gsi_field *key = &record->keys[record->key_count++];
        GSI_TRY(parse_field("key", keys[i], bytes, names, true, key, error));
        add_key(record, key, key->is_descending != is_reversed);
        if (field_count == 0 && record->field_count == 0 && key->type != NULL)
            add_counted_key(record, key);
    }
    if (key_count == 0)
        add_key(record, &(struct gsi_field){.bytes = bytes}, is_reversed);
    for (size_t i = 0; i < field_count; i++)
        GSI_TRY(
            parse_counted(fields[i], bytes, names, &record->fields[record->field_count++], error));
    return GS_OK;
}

enum gs_status gsi_record_make(uint32_t bytes, const char *const *keys, size_t key_count,
                               const char *const *fields, size_t field_count, bool is_reversed,
                               struct gsi_record *record, struct gs_error *error)
{
    return gsi_record_make_named(bytes, NULL, keys, key_count, fields, field_count, is_reversed,
                                 record, error);
}
