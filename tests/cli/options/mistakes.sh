# Mistakes that people make, each with the line that it gets and its exit code: COMMAND LINE | EXIT | LINE (a pattern).
# All of it on standard error, in one line, and nothing is written.
printf 'aaaabbbb' >x.u32
printf 'bbbbaaaa' >down.u32
printf 'aaaaaaaa' >twice.u32
printf 'aaaabbbbcccc' >odd.u64
printf 'PAR1\025\004\025' >t.parquet
printf '1\n22\n333\n' >t.txt
printf '12345678' >y.f64
printf '12345678' >y.f32
printf '\223NUMPY\1\0v\0%-117s\n12345678' \
    "{'descr': [('price', '<f8')], 'fortran_order': False, 'shape': (1,)}" >z.npy
printf '\037\213\010\0\0\0\0\0\0\003123456' >z.gz
mkdir dir
count=0
while IFS='|' read -r command exit line; do
    code=0
    eval "gsort $command" >stdout 2>err </dev/null || code=$?
    got=$(cat err)
    line=${line# }
    # shellcheck disable=SC2053
    [ "$code" = "${exit// /}" ] && [[ $got == "gsort: "$line ]] && [ ! -s stdout ] && [ ! -e out ] ||
        { echo "gsort $command: exit $code:" && cat err; }
    count=$((count + 1))
done <<'E'
--memroy=1G x.u32| 2 | '--memroy=1G': unknown option; did you mean --memory?
--revesre x.u32| 2 | '--revesre': unknown option; did you mean --reverse?
--uniq=1 x.u32| 2 | '--uniq=1': takes no argument; remove '=1'
--st x.u32| 2 | '--st': is ambiguous: --strict --stats --stats-only --stats-of
--re x.u32| 2 | '--re': is ambiguous: --record --reverse --region --resume
--sort x.u32| 2 | '--sort': unknown option; *
--frobnicate x.u32| 2 | '--frobnicate': unknown option; see --help
-Z x.u32| 2 | '-Z': unknown option; see --help
x.u32 -S| 2 | -S: needs an argument: -S SIZE; see --help
x.u32 --memory| 2 | --memory: needs an argument: --memory=SIZE; see --help
x.u32 -o| 2 | -o: needs an argument: -o FILE; see --help
x.u32 -k| 2 | -k: needs an argument: -k OFF:TYPE?:desc?; see --help
-S x.u32| 2 | -S: 'x.u32' is not a size like 512M or 4G or 25% (powers of 1024)
--memory x.u32| 2 | --memory: 'x.u32' is not a size like 512M or 4G or 25% (powers of 1024)
-S 4X x.u32| 2 | -S: '4X' is not a size like *
-S 1K x.u32 -o out| 2 | -S: 1024 bytes are too few to sort with; *
--top x.u32| 2 | --top: 'x.u32' is not a count like 1000 or 64K (powers of 1000)
--top 1.5 x.u32| 2 | --top: '1.5' is not a count like *
-R x.u32| 2 | -R: 'x.u32' is not a length of records from 1 to 65536 bytes; *--shuffle=SEED writes the elements in random order
--parallel 0 x.u32| 2 | --parallel: '0' is not a whole number from 1 to 1024
-t f65 x.u32| 2 | -t: there is no type 'f65'; types are uint8 int8 u16 i16 f16 bf16 u32 i32 f32 u64 i64 f64 u128 i128 time64; append be for big endian
-t float x.u32| 2 | -t: 'float' means 4 bytes in some languages and 8 bytes in others; write f32 or f64
-t u8 x.u32| 2 | -t: 'u8' means 8 bits, but 8 bytes in NumPy; write uint8 or uint64
-R 8 -k 0:I8:desc x.u32| 2 | -k: '0:I8:desc' means 8 bits, but 8 bytes in NumPy; write int8 or int64
-R 8 --stats-only --where 0:u8==5 x.u32| 2 | --where: '0:u8' means 8 bits, but 8 bytes in NumPy; write uint8 or uint64
-R 8 -k 0:u32 -u --sum 4:u8 x.u32| 2 | --sum: '4:u8' means 8 bits, but 8 bytes in NumPy; write uint8 or uint64
-R 8 --stats-only --stats-of 4:i8 x.u32| 2 | --stats-of: '4:i8' means 8 bits, but 8 bytes in NumPy; write int8 or int64
-R 8 -k 0:float x.u32| 2 | -k: '0:float' means 4 bytes in some languages and 8 bytes in others; write f32 or f64
-R 8 -k 0:f128 x.u32| 2 | -k: '0:f128' is not a type that gsort can sort
-t f128 x.u32| 2 | -t: 'f128' is not a type that gsort can sort
-k 0:u32 x.u32| 2 | --key cannot be used with numbers: they have no fields; for records, give their length with --record
-R 4 -t u32 x.u32| 2 | --record cannot be used with --type: in records, --key gives the type of each key
-R 4 -k 0 x.u32| 2 | -k: '0' is not OFF:TYPE?:desc?, like 8:u32be
-R 4 -k -0:u32 x.u32| 2 | -k: '-0:u32' is not OFF:TYPE?:desc?, *; append :desc for largest first
-R 4 -k price:descending x.u32| 2 | -k: 'price:descending' is not OFF:TYPE?:desc?, *; --fields=NAME=OFF:TYPE gives a field a name
z.npy -k -price -o out| 2 | -k: 'z.npy' has no field '-price'; for largest first write 'price:desc'
-R 4 -k 0:float64 x.u32| 2 | -k: '0:float64' needs 8 bytes from byte 0, but a record has only 4 bytes
-R 4 -k 0:u32:up x.u32| 2 | -k: '0:u32:up': ':up' is not expected there; append ':asc', ':desc' or nothing to the type
-R 4 -k 2:u32 x.u32| 2 | -k: '2:u32' needs 4 bytes from byte 2, but a record has only 4 bytes
x.u32 y.f64 -o out| 2 | 'y.f64': this name says f64, but 'x.u32' says u32; sort the files one by one, or give one type with --type
x.u32 -o out.f64| 2 | 'out.f64': this name says f64, but 'x.u32' contains u32; choose another name, *
missing.u32 -o out| 2 | 'missing.u32': cannot open: No such file or directory
dir -o out| 2 | 'dir': cannot read: Is a directory
x.u32 -o ''| 2 | the output: its name is empty
-m x.u32 --into ''| 2 | the output: its name is empty
x.u32 -o dir| 3 | 'dir': cannot write: Is a directory
x.u32 -o no/out| 3 | 'no/out': cannot find its directory: No such file or directory
--explain x.u32 -o no/out| 3 | 'no/out': cannot find its directory: No such file or directory
odd.u64 -o out| 2 | 'odd.u64': 4 bytes are left over after 1 elements of 8 bytes, u64; is the file truncated, is there a header (--header=4), *
-R 8 odd.u64 -o out| 2 | 'odd.u64': 4 bytes are left over after 1 records of 8 bytes; is the file truncated, *another --record? *
t.txt -o out| 2 | 't.txt': looks like text, use sort(1); *, and recipes/csv-and-parquet.md converts CSV files to them *
t.parquet -o out| 2 | 't.parquet': looks like Parquet; convert it with DuckDB or pyarrow, as in recipes/csv-and-parquet.md *
z.gz -t u64 -o out| 2 | 'z.gz': looks like gzip; decompress it first: gzip -dc FILE ? gsort -t TYPE *
-m down.u32 -o out| 2 | 'down.u32': is not sorted: element 1 is less than its predecessor; sort the file, or leave --merge out
--check down.u32| 1 | down.u32: element 1 is out of order: * after *
--check -u twice.u32| 1 | twice.u32: element 1 is a duplicate: * again
--check -R 4 -k 0:b4 down.u32| 1 | down.u32: element 1 is out of order, by 0:b4, byte 0: "aaaa" after "bbbb"
--check x.u32 -o out| 2 | --output cannot be used with --check: *
--check --stats-only x.u32| 2 | give only one of --check, --stats-only*
-q -v x.u32| 2 | --quiet and --verbose contradict each other
-o out -o out x.u32| 2 | -o: given twice ('out', 'out')
- - -t u32 -o out| 2 | '-': is given twice, but standard input can be read only once
--count x.u32 -o out| 2 | --count needs --unique: it applies to groups of equal keys
--stats=xml x.u32| 2 | --stats: 'xml' is not one of: text json none
-T no x.u32 --spill always -o out| 3 | 'no': cannot use as temporary directory: No such file or directory
-n x.u32| 2 | '-n': unknown option; numbers are always compared as numbers; *
-rn x.u32| 2 | '-n': unknown option; numbers are always compared as numbers; *
--numeric-sort x.u32| 2 | '--numeric-sort': unknown option; numbers are always compared as numbers; *
-g x.u32| 2 | '-g': unknown option; floats are always compared as floats, *
-z x.u32| 2 | '-z': unknown option; elements have a fixed width *
-b x.u32| 2 | '-b': unknown option; all bytes of a key are compared; *
-f x.u32| 2 | '-f': unknown option; all bytes of a key are compared; *
--ignore-case x.u32| 2 | '--ignore-case': unknown option; all bytes of a key are compared; *
-d x.u32| 2 | '-d': unknown option; all bytes of a key are compared; *
-i x.u32| 2 | '-i': unknown option; all bytes of a key are compared; *
-M x.u32| 2 | '-M': unknown option; it is for text, which sort(1) sorts; *
--version-sort x.u32| 2 | '--version-sort': unknown option; it is for text, *
--random-sort x.u32| 2 | '--random-sort': unknown option; --shuffle=SEED writes the elements in random order
--buffer-size=1G x.u32| 2 | '--buffer-size=1G': unknown option; -S SIZE, or --memory=SIZE, *
--compress-program=gzip x.u32| 2 | '--compress-program=gzip': unknown option; --compress=zstd *
--field-separator=, x.u32| 2 | '--field-separator=,': unknown option; elements have a fixed width *
-D x.u32| 2 | '-D': unknown option; -u --keep=repeated writes every element *
--repeated x.u32| 2 | '--repeated': unknown option; -u --keep=dups writes one *
-j 4 x.u32| 2 | '-j': unknown option; --parallel=N *
-t, x.u32| 2 | -t: ',' is a separator, as in sort(1); elements have a fixed width *
--key=1,2 x.u32| 2 | --key: '1,2' is a field of text lines, as in sort(1); numbers need no key, *
-k 2n x.u32| 2 | -k: '2n' is a field of text lines, as in sort(1); *
-R 4 -k 1,1 x.u32| 2 | -k: '1,1' is a field of text lines, as in sort(1); *
--resume x.u32 -o out| 2 | --resume: 'x.u32' is a file; name a directory for the resume journal: --resume=DIR
-S 5M x.u32 -o out| 2 | -S: 5242880 bytes are too few to sort with; *
--header 0 --header 1 x.u32| 2 | --header: given twice ('0', '1')
-S 20M --memory 1G x.u32 -o out| 2 | -S: given twice ('20M', '1G')
--top 3 --top 4 x.u32 -o out| 2 | --top: given twice ('3', '4')
-r -r x.u32 -o out| 2 | -r: given twice; once is enough
--stats --stats=json x.u32 -o out| 2 | --stats: given twice ('text', 'json')
--where '>1e300' y.f32 -o out| 2 | --where: '>1e300': '1e300' is out of range for f32
--where '<70000' -t f16 x.u32 -o out| 2 | --where: '<70000': '70000' is out of range for f16
--where '>5000000000' x.u32 -o out| 2 | --where: '>5000000000': '5000000000' is out of range for u32
--where '>many' x.u32 -o out| 2 | --where: '>many': 'many' is not a value of type u32
--values y.f32:float=v x.u32 -o out| 2 | --values: 'y.f32:float=v' means 4 bytes in some languages *
--values y.f32:f32 x.u32 -o out| 2 | --values: 'y.f32:f32' is not FILE:BYTES=OUTPUT, *
-c --group 1 -R 4 -k 0:u16 x.u32| 2 | --group needs --unique: it applies to groups *
-c -u --group 3 -R 4 -k 0:u16 x.u32| 2 | --group: 3 keys are more than the 1 of --key
-u --keep=repeated --count x.u32 -o out| 2 | --count cannot be used with --keep=repeated: *
E
echo "$count mistakes"
[ "$(ls -A | tr '\n' ' ')" = "dir down.u32 err odd.u64 stdout t.parquet t.txt twice.u32 x.u32 y.f32 y.f64 z.gz z.npy " ] || ls -A
