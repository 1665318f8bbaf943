# Positions and fields in place of elements, against a model, in every way.
python3 "$CASES/written_model.py" "$GS_TEST_SEED" "$(sized 60 20)"
