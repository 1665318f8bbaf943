# Positions and fields in place of elements, against a model, in every way.
python3 "$CASES/written_model.py" 1 "$(sized 60 20)"
