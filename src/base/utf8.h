/* utf8.h: recognises valid UTF-8 in names and messages. */
#ifndef GSI_UTF8_H
#define GSI_UTF8_H

/* gsi_utf8_bytes: returns the bytes of the character at `text`, which ends with a NUL; 0: it is not
 * valid (Unicode 15, table 3-7). */
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

#endif
