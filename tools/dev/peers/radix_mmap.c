/* radix_mmap.c: implements bsort's method (github.com/pelotoncycle/bsort). It maps a copy of the
 * file and sorts its records in place. This is an "American flag sort" by the bytes of keys, the
 * first byte first. It sorts few records by insertion.
 *
 *     radix_mmap FILE RECORD_BYTES KEY_BYTES      the key begins the record; one thread, as bsort's
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FEW 16

static size_t record_bytes, key_bytes;

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t kept[65536];
    memcpy(kept, a, record_bytes);
    memcpy(a, b, record_bytes);
    memcpy(b, kept, record_bytes);
}

static void insert(uint8_t *base, size_t n, size_t at)
{
    for (size_t i = 1; i < n; i++)
        for (uint8_t *p = base + i * record_bytes;
             p > base && memcmp(p - record_bytes + at, p + at, key_bytes - at) > 0;
             p -= record_bytes)
            swap(p - record_bytes, p);
}

/* Records that agree in the first `at` bytes of their keys. */
static void sort(uint8_t *base, size_t n, size_t at)
{
    size_t count[256] = {0}, next[256], end[256], sum = 0;
    if (at == key_bytes || n < 2)
        return;
    if (n <= FEW) {
        insert(base, n, at);
        return;
    }
    for (size_t i = 0; i < n; i++)
        count[base[i * record_bytes + at]]++;
    for (int b = 0; b < 256; b++) {
        next[b] = sum;
        end[b] = sum += count[b];
    }
    for (int b = 0; b < 256; b++)
        while (next[b] < end[b]) {
            uint8_t *record = base + next[b] * record_bytes;
            int owner = record[at];
            if (owner == b)
                next[b]++;
            else
                swap(record, base + next[owner]++ * record_bytes);
        }
    for (int b = 0; b < 256; b++)
        sort(base + (end[b] - count[b]) * record_bytes, count[b], at + 1);
}

int main(int argc, char **argv)
{
    struct stat info;
    int fd = argc == 4 ? open(argv[1], O_RDWR) : -1;
    record_bytes = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    key_bytes = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    if (fd < 0 || fstat(fd, &info) != 0 || record_bytes == 0 || record_bytes > 65536 ||
        key_bytes > record_bytes) {
        fputs("radix_mmap FILE RECORD_BYTES KEY_BYTES\n", stderr);
        return 2;
    }
    size_t bytes = (size_t)info.st_size;
    uint8_t *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return 1;
    sort(data, bytes / record_bytes, 0);
    return msync(data, bytes, MS_SYNC) != 0 || close(fd) != 0;
}
