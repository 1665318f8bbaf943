# Conditions that are none, and options that do not go with --where: a line each, exit 2.
gsort-gen -d uniform -t u64 -n 100 -o x.u64
gsort-gen -d uniform -t f32 -n 100 -o x.f32
refuse() {
    local code=0
    gsort "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
for condition in '' '5' '=5' '>' '>-1' '>x' '>0x' '>18446744073709551616' '> 5' '>5 ' '0:u64>5' '>1.5'; do
    refuse x.u64 --where "$condition"
done
for condition in '>nan' '<=NAN' '>1e99' '>' '>1,5' '==1x'; do
    refuse x.f32 --where "$condition"
done
for condition in '>5' '0:u9>5' '0:uint8>256' '7:i16>1' '0:int8<-129' '0:b2==abc' '0:b2==0xabc' '0:b2==0xgg' '0:uint8:desc>1' 'price>5'; do
    refuse -R 8 x.u64 --where "$condition"
done
refuse -t u128 x.u64 --where '>340282366920938463463374607431768211456'
refuse x.u64 --where '>5' --resume dir
for arguments in --check "--head 3"; do
    code=0
    gsort x.u64 --where '>5' $arguments || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
refuse $(for _ in $(seq 65); do echo --where '>5'; done) x.u64
[ ! -e out ]
