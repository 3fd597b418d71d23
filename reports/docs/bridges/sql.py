"""A bridge to SQL: the budget is a row, and a transaction checks and charges it."""

import json
import sqlite3
import sys
from typing import Any

database = sqlite3.connect(":memory:", isolation_level=None)
database.execute("CREATE TABLE budget (run INTEGER PRIMARY KEY, spent REAL NOT NULL)")

# The code under test: it charges the row while the sum of pure epsilons is at most 1.
SPEND = "UPDATE budget SET spent = spent + :epsilon WHERE run = :run AND spent + :epsilon <= 1.0"


def spend(run: int, epsilon: float | None) -> bool:
    database.execute("BEGIN IMMEDIATE")
    charged = database.execute(SPEND, {"run": run, "epsilon": epsilon}).rowcount == 1
    database.execute("COMMIT")
    return charged


def answer(do: str, run: int = 0, request: Any = None, state: str = "0", **_: object) -> dict[str, Any]:
    match do:
        case "version":
            return {"protocol": 1}
        case "describe":
            return {"can": ["state", "restart"]}
        case "open" | "restart":
            database.execute("INSERT INTO budget VALUES (?, ?)", (run, float(state)))
        case "ask":
            return {"granted": spend(run, request["epsilon"])}
        case "state":
            (spent,) = database.execute("SELECT spent FROM budget WHERE run = ?", (run,)).fetchone()
            return {"state": repr(spent)}
        case "close":
            database.execute("DELETE FROM budget WHERE run = ?", (run,))
    return {}


for line in sys.stdin:
    received = json.loads(line)
    answers = [answer(**command) for command in received["batch"]]
    print(json.dumps({"id": received["id"], "answers": answers}), flush=True)
