"""STUB until h-check has it."""
from pathlib import Path
from types import SimpleNamespace
import json
def read_folder(path):
    d=json.loads((Path(path)/"manifest.json").read_text())
    return SimpleNamespace(game=d["game"], strategies=[SimpleNamespace(**one) for one in d["strategies"]])
