# --help names every option once; unknown options name themselves.
gsort --help >help
for option in output files0-from zstd raw header type reverse top check check-quiet memory temporary-directory parallel batch-size \
    device device-memory io chunk window spill stats stats-only explain progress quiet verbose \
    help version; do
    grep -q -- "--$option\b" help || echo "--$option is missing"
done
