# Modes: new files as the umask says, replaced ones as before.
gsort-gen --dist uniform --type u64 --size 64K -o x
umask 027
gsort -t u64 x -o new
stat -c '%n %a' new
for mode in 600 644 664 755 444; do
    cp x file
    chmod $mode file
    gsort -t u64 file -o file
    stat -c '%n %a' file
done
chmod 4755 file # bits that make a program somebody else's are not kept
gsort -t u64 file -o file
stat -c '%n %a' file
