# Names from a file and from standard input, with newlines and dashes in them; the last NUL may be missing.
printf '\3\0\0\0\1\0\0\0' >$'a\nb.u32'
printf '\2\0\0\0' >-x.u32
printf '\1\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0' >want
printf '%s\0' $'a\nb.u32' -x.u32 -x.u32 >names
printf '%s\0%s\0%s' $'a\nb.u32' -x.u32 -x.u32 >names_without_end
gsort --files0-from names -o got
cmp got want
gsort --files0-from=names_without_end -o got
cmp got want
find . -name '*.u32' -print0 | gsort --files0-from=- -o got -t u32
[ "$(stat -c %s got)" = 12 ] || echo "not all that find named"
# Standard input may be named among them, and the output too.
printf '%s\0' - -x.u32 -x.u32 >names
gsort --files0-from=names -t u32 -o -x.u32 <$'a\nb.u32'
cmp -- -x.u32 want
