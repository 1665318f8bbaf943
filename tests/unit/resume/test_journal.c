/* test_journal.c: an entry is there whole or not at all, whatever is missing or damaged.
 * Run: build/dev/tests/test_journal */
#include "support/scratch.h"

#include "resume/journal.h"

#include <errno.h>

#define ENTRIES 4
#define MOST    4096

static uint8_t file[MOST];
static uint64_t ends[ENTRIES]; /* of the file after each entry */

/* The contents of entry i: i parts. */
static const char *const words[] = {"first", "and ", "second", "third "};

static int append(struct gsi_journal *journal, uint32_t i)
{
    struct iovec parts[ENTRIES];
    for (uint32_t part = 0; part < i; part++)
        parts[part] =
            (struct iovec){.iov_base = (void *)words[part], .iov_len = strlen(words[part])};
    return gsi_journal_append(journal, 10 + i, parts, (int)i);
}

static struct gsi_journal open_empty(const char *name)
{
    return (struct gsi_journal){.fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600)};
}

static void make_file(void)
{
    struct gsi_journal journal = open_empty("journal");
    for (uint32_t i = 0; i < ENTRIES; i++) {
        assert_int_equal(append(&journal, i), 0);
        ends[i] = journal.end;
    }
    close(journal.fd);
    assert_int_equal(get_bytes("journal", file, MOST), ends[ENTRIES - 1]);
}

/* How many entries can be read of a file of these bytes; each has to be what was written. */
static uint32_t count_entries(const uint8_t *bytes, uint64_t size)
{
    struct gsi_journal_entry entry;
    uint32_t count = 0;
    bool is_there;
    char text[64], found[64];
    put_bytes("copy", bytes, size);
    struct gsi_journal journal = {.fd = open("copy", O_RDONLY)};
    assert_int_equal(gsi_journal_next(&journal, &entry, &is_there), 0);
    while (is_there) {
        uint32_t i = count++;
        text[0] = '\0';
        for (uint32_t part = 0; part < i; part++)
            strcat(text, words[part]);
        assert_int_equal(entry.type, 10 + i);
        assert_int_equal(entry.bytes, strlen(text));
        assert_int_equal(pread(journal.fd, found, entry.bytes, (off_t)entry.off), entry.bytes);
        assert_memory_equal(found, text, entry.bytes);
        assert_int_equal(journal.end, ends[i]);
        assert_int_equal(gsi_journal_next(&journal, &entry, &is_there), 0);
    }
    close(journal.fd);
    return count;
}

static void test_journal__cut_anywhere__holds_what_was_whole(void **state)
{
    (void)state;
    make_file();
    for (uint64_t size = 0; size <= ends[ENTRIES - 1]; size++) {
        uint32_t whole = 0;
        while (whole < ENTRIES && ends[whole] <= size)
            whole++;
        if (count_entries(file, size) != whole)
            test_fail("%llu bytes do not hold %u entries", (unsigned long long)size, whole);
    }
}

/* Longer than what goes through memory at one time. */
static void test_journal__long_entry__is_read_whole(void **state)
{
    (void)state;
    static uint8_t data[100001];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7);
    struct gsi_journal journal = open_empty("journal"), from = {.fd = journal.fd};
    const struct iovec part = {.iov_base = data, .iov_len = sizeof data};
    struct gsi_journal_entry entry;
    bool is_there;
    assert_int_equal(gsi_journal_append(&journal, 1, &part, 1), 0);
    assert_int_equal(gsi_journal_next(&from, &entry, &is_there), 0);
    assert_true(is_there);
    assert_int_equal(entry.bytes, sizeof data);
    assert_int_equal(from.end, journal.end);
    for (size_t at = 16380; at < sizeof data; at += 16384) {
        struct gsi_journal again = {.fd = journal.fd};
        uint8_t other = data[at] ^ 1;
        assert_int_equal(pwrite(journal.fd, &other, 1, (off_t)(entry.off + at)), 1);
        assert_int_equal(gsi_journal_next(&again, &entry, &is_there), 0);
        assert_false(is_there);
        assert_int_equal(pwrite(journal.fd, &data[at], 1, (off_t)(24 + at)), 1);
    }
    close(journal.fd);
}

static void test_journal__cannot_be_read__is_no_end(void **state)
{
    (void)state;
    struct gsi_journal_entry entry;
    bool is_there;
    struct gsi_journal journal = {.fd = open(".", O_RDONLY)};
    assert_int_equal(gsi_journal_next(&journal, &entry, &is_there), EISDIR);
    assert_false(is_there);
    close(journal.fd);
}

static void test_journal__any_bit_flipped__ends_before_it(void **state)
{
    (void)state;
    make_file();
    for (uint64_t bit = 0; bit < 8 * ends[ENTRIES - 1]; bit++) {
        uint32_t before = 0;
        while (ends[before] <= bit / 8)
            before++;
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (count_entries(file, ends[ENTRIES - 1]) != before)
            test_fail("bit %llu: not %u entries", (unsigned long long)bit, before);
        file[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* A torn entry is cut off. An entry that another journal left there does not count. */
static void test_journal__goes_on_behind_the_last_whole_entry(void **state)
{
    (void)state;
    make_file();
    struct gsi_journal journal = {.fd = open("journal", O_RDWR)};
    struct gsi_journal_entry entry;
    bool is_there;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(gsi_journal_next(&journal, &entry, &is_there), 0);
        assert_true(is_there);
    }
    assert_int_equal(append(&journal, 2), 0);
    close(journal.fd);
    uint64_t size = get_bytes("journal", file, MOST);
    assert_int_equal(size, ends[2]);
    assert_int_equal(count_entries(file, size), 3);
    memcpy(file + ends[1], file + ends[0], ends[1] - ends[0]);
    assert_int_equal(count_entries(file, size), 2);
}

/* A power failure may keep any sectors of an entry that was not synced. */
static void test_journal__any_sectors_of_the_first_entry__may_be_a_journal(void **state)
{
    (void)state;
    uint32_t numbers[300] = {5}; /* the version, then something in each of three sectors */
    struct iovec part = {.iov_base = numbers, .iov_len = sizeof numbers};
    struct gsi_journal journal = open_empty("journal");
    bool may_be;
    memset(numbers + 1, 0x77, sizeof numbers - sizeof numbers[0]);
    assert_int_equal(gsi_journal_append(&journal, 1, &part, 1), 0);
    close(journal.fd);
    size_t bytes = get_bytes("journal", file, MOST);
    for (unsigned lost = 0; lost < 8; lost++) {
        uint8_t torn[MOST];
        memcpy(torn, file, bytes);
        for (unsigned i = 0; i < 3; i++)
            if ((lost >> i & 1) != 0)
                memset(torn + 512 * i, 0, (i < 2 ? 512 * (i + 1) : bytes) - 512 * i);
        put_bytes("copy", torn, bytes);
        int fd = open("copy", O_RDONLY);
        assert_int_equal(gsi_journal_may_be(fd, 1, 5, &may_be), 0);
        if (!may_be)
            test_fail("without the sectors %x it is taken for another file", lost);
        assert_int_equal(gsi_journal_may_be(fd, 2, 4, &may_be), 0);
        if (may_be && (lost & 1) == 0 && lost != 0)
            test_fail("with another head and without the sectors %x it is a journal", lost);
        close(fd);
    }
}

static void test_journal__disk_refuses__says_why(void **state)
{
    (void)state;
    struct gsi_journal journal = {.fd = open("/dev/full", O_RDWR)};
    assert_int_not_equal(append(&journal, 1), 0);
    close(journal.fd);
    journal = open_empty("journal");
    close(journal.fd);
    journal.fd = open("journal", O_RDONLY);
    assert_int_not_equal(append(&journal, 1), 0);
    assert_int_equal(journal.end, 0);
    close(journal.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_journal__cut_anywhere__holds_what_was_whole),
        cmocka_unit_test(test_journal__long_entry__is_read_whole),
        cmocka_unit_test(test_journal__cannot_be_read__is_no_end),
        cmocka_unit_test(test_journal__any_bit_flipped__ends_before_it),
        cmocka_unit_test(test_journal__goes_on_behind_the_last_whole_entry),
        cmocka_unit_test(test_journal__any_sectors_of_the_first_entry__may_be_a_journal),
        cmocka_unit_test(test_journal__disk_refuses__says_why),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
