/* fits_card.c: parses cards: keyword, "= ", value, " / comment". */
#include "input/fits/fits_card.h"

#include "base/text.h"

#include <string.h>

#define KEYWORD 8u
#define VALUE   10u

bool gsi_fits_is(const uint8_t *card, const char *keyword)
{
    size_t length = strlen(keyword);
    for (size_t i = length; i < KEYWORD; i++)
        if (card[i] != ' ')
            return false;
    return memcmp(card, keyword, length) == 0;
}

uint32_t gsi_fits_index(const uint8_t *card, const char *stem)
{
    size_t at = strlen(stem);
    uint32_t value = 0;
    if (memcmp(card, stem, at) != 0 || card[at] == '0')
        return 0;
    for (; at < KEYWORD && card[at] != ' '; at++) {
        if (card[at] < '0' || card[at] > '9')
            return 0;
        value = value * 10 + (card[at] - '0');
    }
    return value <= 999 ? value : 0;
}

/* Returns the offset of the value; 0: there is none. */
static uint32_t value_at(const uint8_t *card)
{
    uint32_t at = VALUE;
    if (card[KEYWORD] != '=' || card[KEYWORD + 1] != ' ')
        return 0;
    while (at < GSI_FITS_CARD && card[at] == ' ')
        at++;
    return at < GSI_FITS_CARD ? at : 0;
}

bool gsi_fits_number(const uint8_t *card, uint64_t *value)
{
    uint32_t at = value_at(card), begin;
    *value = 0;
    if (at > 0 && card[at] == '+')
        at++;
    for (begin = at; at > 0 && at < GSI_FITS_CARD && card[at] >= '0' && card[at] <= '9'; at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, card[at] - '0', value))
            return false;
    return at > begin && (at == GSI_FITS_CARD || card[at] == ' ' || card[at] == '/');
}

bool gsi_fits_string(const uint8_t *card, char text[GSI_FITS_NAME_BYTES])
{
    uint32_t at = value_at(card), length = 0;
    if (at == 0 || card[at] != '\'')
        return false;
    for (at++; at < GSI_FITS_CARD; at++) {
        if (card[at] == '\'' && (at + 1 == GSI_FITS_CARD || card[at + 1] != '\''))
            break;
        at += card[at] == '\'';
        text[length++] = (char)card[at];
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    return at < GSI_FITS_CARD;
}

double gsi_fits_real(const uint8_t *card)
{
    char text[GSI_FITS_CARD + 1];
    uint32_t at = value_at(card), length = 0;
    for (; at > 0 && at < GSI_FITS_CARD && card[at] != ' ' && card[at] != '/'; at++)
        text[length++] = card[at] == 'D' ? 'E' : (char)card[at];
    text[length] = '\0';
    double value = 0;
    char *end;
    return gsi_plain_real(text, &end, &value) ? value : 0;
}

bool gsi_fits_is_true(const uint8_t *card)
{
    uint32_t at = value_at(card);
    return at > 0 && card[at] == 'T';
}
