"""An outcome as a file tells it: taken only where it is one that its trial or run could have had.

>>> from mc.training.group_run import GroupRun
>>> run = GroupRun(sigma=10.0, clip=2.0, rate=2.0, seed=0, number=0, at=1, epochs=2)
>>> outcome_told(run, {"accuracy": [0.5, 0.5, 2.0]})
Traceback (most recent call last):
...
ValueError: accuracy must be 3 numbers of the type float from 0 to 1; the file is not one of ours
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from mc.training.digits import GROUPS, digits
from mc.training.group_run import DELTA, GroupOutcome, GroupRun
from mc.training.trial import Trained, Trial
from theory.conversions import gaussian_epsilon

__all__ = ["outcome_told"]

#: By which share a spent epsilon may exceed the one promised: both are rounded.
_ROUNDING = 1e-9


def outcome_told(cell: Trial | GroupRun, data: Mapping[str, Any]) -> Trained | GroupOutcome:
    """The outcome of `cell` that `to_data` told, with types, lengths and ranges as `play` gives them, else ValueError.

    Raises KeyError where a part is missing, and TypeError where a part is no mapping. Numbers that could be those of
    the cell are believed: nothing here plays it again.
    """
    return _trained(cell, data) if isinstance(cell, Trial) else _groups(cell, data)


def _trained(trial: Trial, data: Mapping[str, Any]) -> Trained:
    setting = trial.setting
    after = setting.steps + setting.further + 1
    _check("plain", [data["plain"]], 1, float, high=1)
    _check("filtered", [data["filtered"]], 1, float, high=1)
    _check("stopped", [data["stopped"]], 1, int, low=setting.steps, high=after - 1)
    _check("answers", data["answers"], setting.looks, float, low=-math.inf)
    _check("curve", data["curve"], after, float, high=1)
    _check("active", data["active"], after, int, high=digits().people)
    outcome = Trained.of(data)
    best = max((answer, setting.steps + k * setting.every) for k, answer in enumerate(outcome.answers))
    if (outcome.stopped, outcome.filtered) != (best[1], outcome.curve[best[1]]):
        raise _refused("stopped", "the step of the best answer, with its accuracy")
    return outcome


def _groups(run: GroupRun, data: Mapping[str, Any]) -> GroupOutcome:
    people = digits().people
    promised = float(gaussian_epsilon(run.filter.mu, DELTA)) * (1 + _ROUNDING)
    _check("accuracy", data["accuracy"], run.epochs + 1, float, high=1)
    _check("active", data["active"], run.epochs + 1, int, high=people)
    for when in ("groups_before", "groups_after"):
        for name, high in (("train_loss", math.inf), ("test_loss", math.inf), ("epsilon", promised)):
            _check(name, data[when][name], len(GROUPS), float, high=high)
    _check("epsilons", data["epsilons"], people, float, high=promised)
    if any(smaller > larger for smaller, larger in pairwise(data["epsilons"])):
        raise _refused("epsilons", "in increasing order")
    return GroupOutcome.of(data)


def _check(
    name: str,
    values: object,
    many: int,
    kind: type[float] | type[int],
    *,
    low: float = 0,
    high: float = math.inf,
) -> None:
    """ValueError unless `values` is a list of so many finite numbers of exactly that type, from `low` to `high`."""
    if not (
        isinstance(values, list)
        and len(values) == many
        and all(type(value) is kind and low <= value <= high and math.isfinite(value) for value in values)
    ):
        raise _refused(name, f"{many} numbers of the type {kind.__name__} from {low:g} to {high:g}")


def _refused(name: str, what: str) -> ValueError:
    return ValueError(f"{name} must be {what}; the file is not one of ours")
