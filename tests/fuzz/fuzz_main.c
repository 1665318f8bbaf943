/* fuzz_main.c: runs a fuzz target without a fuzzer. It passes every file of some corpora, then the
 * same files with some damage, which is the same in every run.
 *
 *     fuzz_X [-rounds=N] [-seed=S] [-max_total_time=SECONDS] CORPUS...
 *
 * N damaged copies of each file (default 1); with a time, that again and again, other copies each
 * time. The options are libFuzzer's but for the first, so that tools/dev/fuzz.sh runs either;
 * others of libFuzzer's are passed over. At the end it says how often the target ran, as libFuzzer
 * does. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>

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

struct settings {
    unsigned rounds, seed, seconds;
    time_t end; /* with seconds */
};

static unsigned long runs;

static bool is_over(const struct settings *settings)
{
    return settings->seconds > 0 && time(NULL) >= settings->end;
}

static void run(const uint8_t *data, size_t bytes)
{
    runs++;
    LLVMFuzzerTestOneInput(data, bytes);
}

static void run_file(const char *path, const struct settings *settings, unsigned pass)
{
    static uint8_t data[FILE_MAX_BYTES], damaged[FILE_MAX_BYTES];
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file != NULL);
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    state = bytes + ((uint64_t)settings->seed << 32) + ((uint64_t)pass << 20);
    run(data, bytes);
    for (unsigned i = 0; i < settings->rounds && !is_over(settings); i++) {
        memcpy(damaged, data, bytes);
        run(damaged, damage(damaged, bytes));
    }
}

/* Every file of a corpus once; how many there are. */
static unsigned run_corpus(const char *corpus, const struct settings *settings, unsigned pass)
{
    unsigned files = 0;
    DIR *dir = opendir(corpus);
    if (dir == NULL) {
        fprintf(stderr, "fuzz_main: '%s': %s\n", corpus, strerror(errno));
        exit(2);
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        run_file(path, settings, pass);
        files++;
    }
    closedir(dir);
    return files;
}

static void take_option(const char *text, struct settings *settings)
{
    unsigned value;
    if (sscanf(text, "-rounds=%u", &value) == 1)
        settings->rounds = value;
    else if (sscanf(text, "-seed=%u", &value) == 1)
        settings->seed = value;
    else if (sscanf(text, "-max_total_time=%u", &value) == 1)
        settings->seconds = value;
}

int main(int argc, char **argv)
{
    struct settings settings = {.rounds = 1};
    int first = 1;
    while (first < argc && argv[first][0] == '-')
        take_option(argv[first++], &settings);
    settings.end = time(NULL) + (time_t)settings.seconds;
    unsigned pass = 0;
    do {
        unsigned files = 0;
        for (int i = first; i < argc; i++)
            files += run_corpus(argv[i], &settings, pass);
        FUZZ_CHECK(files > 0);
        pass++;
    } while (settings.seconds > 0 && !is_over(&settings));
    printf("stat::number_of_executed_units: %lu\n", runs);
    return 0;
}
