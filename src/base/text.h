/* text.h: recognises valid UTF-8, and parses numbers with a decimal point in any locale. */
#ifndef GSI_TEXT_H
#define GSI_TEXT_H

#include <stdbool.h>

/* gsi_utf8_bytes: returns how many bytes the character at `text` has; 0: it is not valid UTF-8
 * (Unicode 15, table 3-7). A NUL ends the text. */
static inline int gsi_utf8_bytes(const unsigned char *text)
{
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    int bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || (first == 0xe0 && text[1] < 0xa0) ||
        (first == 0xed && text[1] > 0x9f) || (first == 0xf0 && text[1] < 0x90) ||
        (first == 0xf4 && text[1] > 0x8f))
        return 0;
    for (int i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return bytes;
}

/* gsi_parse_double, gsi_parse_long_double: parse a number as strtod and strtold do in the locale
 * "C". Return false if there is no memory; then they set nothing. Any thread.
 * out   end: the end of the number; value: the number */
bool gsi_parse_double(const char *text, char **end, double *value);
bool gsi_parse_long_double(const char *text, char **end, long double *value);

#endif
