/* number_rows.h: lists all types of numbers. number_type.c makes its tables from these rows. Tests
 * compare `--help`, Python and the manual with them (test_types.c).
 *
 *     ELEMENT(name, bytes, kind, part)              devices sort and count such elements
 *     FIELD(name, bytes, part, counted as)          fields of records; elements of such a type are
 *                                                   records of one field (gsi_record_make_number)
 *     BYTE(name, part, counted as)                  the same of one byte, without an order of bytes
 *     TIME(unit)                                    time64 whose unit is known (base/calendar.h)
 *     NUMPY(name, letters)                          NumPy's, after '<' or '>'
 *     ALSO(name, word)                              another word for it, lower case
 *
 * Each type of more than one byte also exists in big endian: its name and "be". */
#ifndef GSI_NUMBER_ROWS_H
#define GSI_NUMBER_ROWS_H

/* clang-format off */
#define GSI_NUMBER_ROWS(ELEMENT, FIELD, BYTE, TIME, NUMPY, ALSO)                                  \
    BYTE("uint8", INT, "u32")            ALSO("uint8", "uint8_t") ALSO("uint8", "u1")             \
                                         ALSO("uint8", "bool")                                    \
    BYTE("int8", INT, "i32")             ALSO("int8", "int8_t") ALSO("int8", "i1")                \
    FIELD("u16", 2, INT, "u32")          NUMPY("u16", "u2") ALSO("u16", "u2")                     \
                                         ALSO("u16", "uint16") ALSO("u16", "uint16_t")            \
    FIELD("i16", 2, INT, "i32")          NUMPY("i16", "i2") ALSO("i16", "i2")                     \
                                         ALSO("i16", "int16") ALSO("i16", "int16_t")              \
    FIELD("f16", 2, F16, "f32")          NUMPY("f16", "f2") ALSO("f16", "f2")                     \
                                         ALSO("f16", "float16") ALSO("f16", "half")               \
    FIELD("bf16", 2, BF16, "f32")        ALSO("bf16", "bfloat16")                                 \
    ELEMENT("u32", 4, UNSIGNED, INT)     NUMPY("u32", "u4") ALSO("u32", "u4")                     \
                                         ALSO("u32", "uint32") ALSO("u32", "uint32_t")            \
    ELEMENT("i32", 4, SIGNED, INT)       NUMPY("i32", "i4") ALSO("i32", "i4")                     \
                                         ALSO("i32", "int32") ALSO("i32", "int32_t")              \
    ELEMENT("f32", 4, FLOAT, F32)        NUMPY("f32", "f4") ALSO("f32", "f4")                     \
                                         ALSO("f32", "float32")                                   \
    ELEMENT("u64", 8, UNSIGNED, INT)     NUMPY("u64", "u8")                                       \
                                         ALSO("u64", "uint64") ALSO("u64", "uint64_t")            \
    ELEMENT("i64", 8, SIGNED, INT)       NUMPY("i64", "i8")                                       \
                                         ALSO("i64", "int64") ALSO("i64", "int64_t")              \
    ELEMENT("f64", 8, FLOAT, F64)        NUMPY("f64", "f8") ALSO("f64", "f8")                     \
                                         ALSO("f64", "float64") ALSO("f64", "double")             \
    ELEMENT("u128", 16, UNSIGNED, INT)   ALSO("u128", "uint128") ALSO("u128", "uint128_t")        \
    ELEMENT("i128", 16, SIGNED, INT)     ALSO("i128", "int128") ALSO("i128", "int128_t")          \
    FIELD("time64", 8, TIME, "i64")      NUMPY("time64", "m8")                                    \
                                         ALSO("time64", "datetime64") ALSO("time64", "timedelta64")\
    TIME(D) TIME(h) TIME(m) TIME(s) TIME(ms) TIME(us) TIME(ns)
/* clang-format on */

/* For rows that an expansion ignores. */
#define GSI_NO_ROW(...)

#endif
