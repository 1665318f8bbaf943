# --print=header: a line of names above what is printed, also above nothing; not where the job fails.
printf 'AAPL\1\0\0\0IBM\0\2\0\0\0IBM\0\2\0\0\0' >trades
gsort -R 8 -k 4:u32:desc -k 0:b4 trades --print=header
gsort -R 8 -k 0:b4 trades -u --count --print=header
gsort -R 8 -k 0:b4 trades --argsort --print=header
gsort -R 8 -k 0:b4 --head 1 --tail 1 --print=header trades
gsort -R 8 --head 1 --print=header trades
gsort -t u32 --top 1 trades --print=header
gsort -t u32 -u --count trades --print=header
: >empty
gsort -t time64[ms] empty --print=header
gsort -R 8 -k 0:b4 empty -u --count --print=header
gsort -t u64 -R 8 -k 0:b4 trades --print=header || echo $?
gsort -t u64 no_such --print=header || echo $?
