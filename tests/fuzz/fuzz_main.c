/* fuzz_main.c: runs a fuzz target without a fuzzer: every file of a corpus as it is, and each with
 * some damage, the same at every run. fuzz_X CORPUS ROUNDS: ROUNDS damaged copies of each file. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>

#define FILE_MAX_BYTES 65536u

static uint64_t state;

/* SplitMix64 (S. Vigna, public domain). */
static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t n)
{
    return n > 0 ? next() % n : 0;
}

/* Bytes that sit at the borders of numbers and formats. */
static uint8_t odd_byte(void)
{
    static const uint8_t odd[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '\n', '\'', ':', '-', '%'};
    return next() % 2 ? odd[below(sizeof odd)] : (uint8_t)next();
}

/* One to four damages; the length stays within FILE_MAX_BYTES. */
static size_t damage(uint8_t *data, size_t bytes)
{
    for (size_t times = 1 + below(4); times > 0; times--) {
        size_t at = below(bytes), length = below(bytes - at);
        switch (next() % 5) {
        case 0:
            if (bytes > 0)
                data[at] ^= (uint8_t)(1u << below(8));
            break;
        case 1:
            if (bytes > 0)
                data[at] = odd_byte();
            break;
        case 2: /* cut a piece out */
            memmove(data + at, data + at + length, bytes - at - length);
            bytes -= length;
            break;
        case 3: /* a piece twice */
            length = length < FILE_MAX_BYTES - bytes ? length : FILE_MAX_BYTES - bytes;
            memmove(data + at + length, data + at, bytes - at);
            bytes += length;
            break;
        default:
            bytes = at;
        }
    }
    return bytes;
}

static void run_file(const char *path, unsigned rounds)
{
    static uint8_t data[FILE_MAX_BYTES], damaged[FILE_MAX_BYTES];
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL);
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    state = bytes;
    LLVMFuzzerTestOneInput(data, bytes);
    for (unsigned i = 0; i < rounds; i++) {
        memcpy(damaged, data, bytes);
        LLVMFuzzerTestOneInput(damaged, damage(damaged, bytes));
    }
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    DIR *corpus = argc == 3 ? opendir(argv[1]) : NULL;
    if (corpus == NULL) {
        fprintf(stderr, "usage: %s CORPUS ROUNDS: %s\n", argv[0], strerror(errno));
        return 2;
    }
    for (const struct dirent *entry; (entry = readdir(corpus)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        run_file(path, (unsigned)strtoul(argv[2], NULL, 10));
        files++;
    }
    closedir(corpus);
    FUZZ_CHECK(files > 0);
    return 0;
}
