/* chunk_shuffle.c: shuffles records of a fixed size by terashuf's method
 * (github.com/alexandres/terashuf). It reads the input in chunks that fit in memory, shuffles each
 * one and writes it to a temporary file. Then it draws each record from a random chunk, with a
 * probability proportional to the records that are left in the chunk. One thread, as terashuf.
 * chunk_shuffle IN OUT TEMPORARY RECORD_BYTES MEMORY_BYTES */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    long off;
    uint64_t left; /* records */
    uint8_t *buffer;
    size_t at, held; /* records of the buffer */
};

static uint64_t state[2] = {0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9};

/* xorshift128+ */
static uint64_t draw(uint64_t below)
{
    uint64_t a = state[0], b = state[1];
    state[0] = b;
    a ^= a << 23;
    state[1] = a ^ b ^ a >> 17 ^ b >> 26;
    return (uint64_t)(((unsigned __int128)(state[1] + b) * below) >> 64);
}

static void shuffle(uint8_t *records, uint64_t n, size_t bytes)
{
    uint8_t kept[65536];
    for (uint64_t i = n; i > 1; i--) {
        uint8_t *one = records + (i - 1) * bytes, *other = records + draw(i) * bytes;
        memcpy(kept, one, bytes);
        memcpy(one, other, bytes);
        memcpy(other, kept, bytes);
    }
}

static int merge(struct chunk *chunks, size_t count, uint64_t left, size_t bytes, size_t room,
                 FILE *temporary, FILE *out)
{
    for (; left > 0; left--) {
        uint64_t drawn = draw(left);
        struct chunk *chunk = chunks;
        for (; drawn >= chunk->left; chunk++)
            drawn -= chunk->left;
        if (chunk->at == chunk->held) {
            chunk->held = chunk->left < room ? chunk->left : room;
            chunk->at = 0;
            if (fseek(temporary, chunk->off, SEEK_SET) != 0 ||
                fread(chunk->buffer, bytes, chunk->held, temporary) != chunk->held)
                return 1;
            chunk->off += (long)(chunk->held * bytes);
        }
        if (fwrite(chunk->buffer + chunk->at++ * bytes, bytes, 1, out) != 1)
            return 1;
        chunk->left--;
    }
    (void)count;
    return fclose(out) != 0;
}

int main(int argc, char **argv)
{
    size_t bytes = argc == 6 ? strtoull(argv[4], NULL, 10) : 0, count = 0, held;
    uint64_t memory = argc == 6 ? strtoull(argv[5], NULL, 10) : 0, all = 0;
    FILE *in = argc == 6 ? fopen(argv[1], "r") : NULL,
         *out = argc == 6 ? fopen(argv[2], "w") : NULL;
    FILE *temporary = argc == 6 ? fopen(argv[3], "w+") : NULL;
    if (in == NULL || out == NULL || temporary == NULL || bytes == 0 || bytes > 65536 ||
        memory < 1 << 20) {
        fputs("chunk_shuffle IN OUT TEMPORARY RECORD_BYTES MEMORY_BYTES\n", stderr);
        return 2;
    }
    static struct chunk chunks[4096];
    uint8_t *data = malloc(memory);
    while (data != NULL && (held = fread(data, bytes, memory / bytes, in)) > 0) {
        shuffle(data, held, bytes);
        if (count == sizeof chunks / sizeof chunks[0] ||
            fwrite(data, bytes, held, temporary) != held)
            return 1;
        chunks[count++] = (struct chunk){.off = (long)(all * bytes), .left = held};
        all += held;
    }
    size_t room = count > 0 ? memory / count / bytes : 0;
    for (size_t i = 0; i < count; i++)
        chunks[i].buffer = data + i * room * bytes;
    return data == NULL || merge(chunks, count, all, bytes, room, temporary, out);
}
