"""A bridge in Python; replace `Budget` by your budget."""

import json
import sys
from typing import Any


class Budget:
    """The code under test, which sums pure epsilons."""

    def __init__(self, stored: str = "0") -> None:
        self.spent = float(stored)

    def spend(self, request: dict[str, Any]) -> bool:
        if request["epsilon"] is None or self.spent + request["epsilon"] > 1.0:
            return False
        self.spent += request["epsilon"]
        return True


budgets: dict[int, Budget] = {}


def answer(do: str, run: int = 0, request: Any = None, state: str = "", **_: object) -> dict[str, Any]:
    match do:
        case "version":
            return {"protocol": 1}
        case "describe":
            return {"can": ["state", "restart"]}
        case "open":
            budgets[run] = Budget()
        case "ask":
            return {"granted": budgets[run].spend(request)}
        case "state":
            return {"state": repr(budgets[run].spent)}
        case "restart":
            budgets[run] = Budget(state)
        case "close":
            del budgets[run]
    return {}


for line in sys.stdin:
    received = json.loads(line)
    answers = [answer(**command) for command in received["batch"]]
    print(json.dumps({"id": received["id"], "answers": answers}), flush=True)
