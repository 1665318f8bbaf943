# Literals at the boundaries of every type, rounded once, in --where, --find and --split-at. Of CI a random third each day.
python3 "$CASES/literals.py" "$GS_TEST_SEED" "$(sized $((${GS_TEST_THIRD:+2} + 1)) 11)"
