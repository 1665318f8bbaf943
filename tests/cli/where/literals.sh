# Literals at the boundaries of every type, rounded once, in --where, --find and --split-at.
python3 "$CASES/literals.py" "$GS_TEST_SEED" "$(sized 1 11)"
