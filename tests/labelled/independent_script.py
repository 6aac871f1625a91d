"""Accuracy, Brier score and calibration errors of a run's raw answers: ``GOLD RAW_FOLDER``. Uses nothing of ours."""

import json
import math
import sys
from pathlib import Path

gold = {row["case"]: row["answers"] for row in map(json.loads, Path(sys.argv[1]).read_text("utf-8").splitlines())}
right, squares, tops, yes = [], [], [], []
for file in sorted(Path(sys.argv[2]).glob("*.json")):
    asked = json.loads(file.read_text("utf-8"))
    case, key = asked["task"].split("::")
    answer, label = json.loads(asked["exchanges"][0]["received"])["answers"]["q"], gold[case][key]
    p = answer["probabilities"] if "probabilities" in answer else {"True": answer["noul"], "False": 1 - answer["noul"]}
    total = sum(p.values())
    p = {name: q / total if abs(total - 1) > 0.001 else q for name, q in p.items()}
    best = [name for name, q in p.items() if q == max(p.values())]
    right.append(float(best == [str(label)]))
    squares.append(sum((q - (name == str(label))) ** 2 for name, q in p.items()))
    tops.append(max(p.values()))
    yes += [(p["True"], float(label))] if "True" in p else []


def ece(pairs):
    bins = [[pair for pair in pairs if min(math.floor(pair[0] * 10), 9) == b] for b in range(10)]
    return sum(abs(sum(p - hit for p, hit in inside)) for inside in bins) / len(pairs)


figures = {"n": len(right), "accuracy": sum(right) / len(right), "brier": sum(squares) / len(squares)}
figures |= {"ece_top_label": ece(list(zip(tops, right, strict=True))), "ece_positive": ece(yes), "nouls": len(yes)}
sys.stdout.write(json.dumps(figures))
