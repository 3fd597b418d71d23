"""The commands of the protocol as text: what a bridge reads.

>>> import filterproof as fp
>>> request_text(fp.Gaussian(0.5))
'{"mechanism":"Gaussian","epsilon":null,"rho":0.125,"mu":0.5,"parameters":{"mu":0.5}}'
>>> command("commit", 3, key="7"), command("restart", 3, state="1/2")
('{"do":"commit","run":3,"key":"7"}', '{"do":"restart","run":3,"state":"1/2"}')
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.theory.pairs import DominatingPair


def command(what: str, run: int, key: str | None = None, **more: str | int) -> str:
    """A command about a budget, and what it says; key names the client's wish, the same when it is sent once more."""
    said = more if key is None else {"key": key, **more}
    return f'{{"do":"{what}","run":{run}{"".join(f",{json.dumps(k)}:{json.dumps(v)}" for k, v in said.items())}}}'


def ask(run: int, pair: DominatingPair, key: str | None = None) -> str:
    """The command that asks for a request."""
    return f'{command("ask", run, key)[:-1]},"request":{request_text(pair)}}}'


@lru_cache(maxsize=1 << 16)
def request_text(pair: DominatingPair) -> str:
    """A request as a bridge reads it: the mechanism, its charges, null where there is none, and its parameters."""
    labels, pair = pair.labels, pair.asked
    charges = {"epsilon": pair.pure_epsilon, "rho": pair.zcdp_rho, "mu": pair.gdp_mu}
    message: dict[str, Any] = {"mechanism": type(pair).__name__} | {
        name: _plain(value) for name, value in charges.items()
    }
    message["parameters"] = {name: _plain(value) for name, value in pair.parameters().items()}
    if labels:
        message["labels"] = {name: _plain(label) for name, label in labels.items()}
    return json.dumps(message, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """A number of a request in JSON: null for what is infinite, a fraction as text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_plain(one) for one in value]
    return float(value) if math.isfinite(float(value)) else None
