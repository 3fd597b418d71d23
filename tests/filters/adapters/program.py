"""A program that decides over JSON lines, whose faults are switched on by a word of its command line."""

import sys
from pathlib import Path

import filterproof as fp
from filterproof.filters.adapters.bridged import BridgedFilter

PROGRAM = """
import json, os, sys, time
fault = sys.argv[1]
spent, due, last, hoarded, denied = {}, {}, {}, {}, set()
can = {"forgets": ["state", "restart"], "pledges": ["commit"], "describes": ["teleport"]}
can["grows"] = can["counts"] = can["hoards"] = can["weakens"] = can["forgets"]
can |= {"observes": ["observe"], "observes and restarts": ["observe", *can["forgets"]]}
LINES = {
    "rubbish": "hello",
    "list": '{"id": 2, "answers": [1, 1]}',
    "endless": "x" * 70000,
}
def answer(c):
    do, run = c["do"], c.get("run")
    if do == "version": return {"protocol": {"version": 2, "says true": True}.get(fault, 1)}
    if do == "describe": return {"can": can.get(fault, [])}
    if do == "open": spent[run] = 0.0
    if do == "open" and fault == "is full": return {"error": "no more budgets"}
    if do == "restart": spent[run] = 0.0 if fault == "forgets" else float(c["state"])
    if do == "state":
        kept = repr(spent[run] + hoarded.get(run, 0))
        return {"state": {"grows": "x" * 70000, "counts": 3}.get(fault, kept)}
    if do == "commit": spent[run] += due.pop(run)
    if do == "observe" and float(c["loss"]) > 0: spent[run] += due.get(run, 0.25)
    if do == "ask":
        if fault == "errors": return {"error": "no such mechanism"}
        if fault == "both": return {"error": "no such mechanism", "granted": True}
        if fault == "words": return {"granted": "yes"}
        if fault == "silence": return {}
        if fault == "hangs": time.sleep(60)
        if fault == "dies": sys.exit("Error: out of cheese")
        if fault in ("relents", "weakens") and run in denied: return {"granted": True}
        size = c["request"]["epsilon"]
        mood = (fault == "fickle" and run > 1) or (fault == "rises" and size < last.get(run, 0.0))
        if mood or spent[run] + size > 1.0:
            denied.add(run)
            return {"granted": False}
        due[run], last[run] = size, size
        account = hoarded if fault == "hoards" else spent
        if fault not in ("pledges", "observes", "observes and restarts"): account[run] = account.get(run, 0) + size
        return {"granted": True}
    return {}
for line in sys.stdin:
    asked = json.loads(line)
    answers = [answer(c) for c in asked["batch"]]
    number, late = asked["id"], asked["id"] > 1
    if fault == "short" and late: answers = answers[1:]
    if fault == "long" and late: answers.append({})
    told = {"id": number + (fault == "misnumbers" and late), "answers": answers}
    text = json.dumps(told)
    if late and fault in LINES: text = LINES[fault]
    print(text, flush=True, end="" if late and fault == "endless" else "\\n")
    if fault == "hasty":
        os.read(0, 10)
        print(json.dumps({"id": 2, "answers": [{}] * 1000}), flush=True)
"""


def bridged(folder: Path, fault: str, seconds: float = 30.0) -> BridgedFilter:
    """The filter of the program, which is written into the folder."""
    path = folder / "bridge.py"
    path.write_text(PROGRAM)
    return fp.from_command([sys.executable, str(path), fault], fp.PureDP(1.0), seconds=seconds)
