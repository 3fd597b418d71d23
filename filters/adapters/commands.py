"""The commands of the protocol as text, as a bridge reads them.

>>> import filterproof as fp
>>> request_text(fp.Gaussian(0.5))
'{"mechanism":"Gaussian","epsilon":null,"rho":0.125,"mu":0.5,"parameters":{"mu":0.5}}'
>>> command_text("commit", 3, key="7"), command_text("restart", 3, state="1/2")
('{"do":"commit","run":3,"key":"7"}', '{"do":"restart","run":3,"state":"1/2"}')
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from filterproof.theory.pairs import DominatingPair


def command_text(what: str, run: int, key: str | None = None, **more: str | float) -> str:
    """Return a command about a budget. `key` identifies a client's request; a retry has the same key."""
    arguments = more if key is None else {"key": key, **more}
    return f'{{"do":"{what}","run":{run}{"".join(f",{json.dumps(k)}:{json.dumps(v)}" for k, v in arguments.items())}}}'


def ask_command_text(run: int, pair: DominatingPair, key: str | None = None) -> str:
    """Return the JSON text of the command that requests a mechanism."""
    return f'{command_text("ask", run, key)[:-1]},"request":{request_text(pair)}}}'


@lru_cache(maxsize=1 << 16)
def request_text(pair: DominatingPair) -> str:
    """Return the JSON text of a request, as a bridge receives it.

    Parameters
    ----------
    pair : DominatingPair
        The request.

    Returns
    -------
    str
        The mechanism, its charges (null where it has none), its parameters and its labels.
    """
    labels, pair = pair.labels, pair.unlabelled
    charges = {"epsilon": pair.pure_epsilon, "rho": pair.zcdp_rho, "mu": pair.gdp_mu}
    message: dict[str, Any] = {"mechanism": type(pair).__name__} | {
        name: _json_number(value) for name, value in charges.items()
    }
    message["parameters"] = {name: _json_number(value) for name, value in pair.parameters().items()}
    if labels:
        message["labels"] = {name: _json_number(label) for name, label in labels.items()}
    return json.dumps(message, separators=(",", ":"))


def json_loss(loss: float) -> float | str:
    """Return a loss for JSON, which has no infinite numbers."""
    return loss if math.isfinite(loss) else str(loss)


def _json_number(value: Any) -> Any:
    """Return a number of a request for JSON: null for an infinite one, text for a fraction."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, (tuple, list)):
        return [_json_number(item) for item in value]
    return float(value) if math.isfinite(float(value)) else None
