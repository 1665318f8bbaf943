/* sum_print.c: prints exact sums for exact_sum.py. It reads cases from standard input: a type name
 * padded to 8 bytes, a 64-bit count, and the elements. It prints one sum per line, floats in
 * hexadecimal. */
#include "element/tally/tally.h"
#include "report/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int sum_case(const char *name, uint64_t n)
{
    const struct gsi_key_type *type = gsi_key_type_find(name);
    if (type == NULL)
        return 2;
    struct gsi_layout layout = gsi_layout_make(type, false);
    struct gsi_tally *tally = gsi_tally_create(&layout);
    void *elements = malloc(n > 0 ? n * type->bytes : 1);
    int code = tally == NULL || elements == NULL || fread(elements, type->bytes, n, stdin) != n;
    if (code == 0) {
        gsi_tally_add(tally, elements, n);
        struct gsi_tally_report result = gsi_tally_finish(tally);
        char text[GSI_NUMBER_BYTES];
        gsi_number_sum(text, result.sum);
        if (type->kind == GSI_KEY_FLOAT)
            printf("%a\n", result.sum_float);
        else
            printf("%s\n", text);
    }
    free(elements);
    gsi_tally_free(tally);
    return code;
}

int main(void)
{
    struct {
        char name[8];
        uint64_t n;
    } head;
    int code = 0;
    while (code == 0 && fread(&head, sizeof head, 1, stdin) == 1)
        code = sum_case(head.name, head.n);
    return code;
}
