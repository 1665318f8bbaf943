[ "$(id -u)" -ne 0 ] || { chmod 755 . ..; }
printf 12345678 >secret
chmod 000 secret
code=0
if [ "$(id -u)" -eq 0 ]; then
    need setpriv
    mkdir -m 777 open
    setpriv --reuid=65534 --regid=65534 --clear-groups "$(command -v gsort)" secret -o open/out || code=$?
    [ ! -e open/out ] || echo "wrote an output"
else
    gsort secret -o out || code=$?
fi
exit $code
