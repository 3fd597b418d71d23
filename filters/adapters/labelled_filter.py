"""Budgets by label (site, epoch, block or analyst), and their guarantee for one record.

>>> import filterproof as fp
>>> class Sites:
...     def __init__(self):
...         self.left = {"a": 1.0, "b": 1.0}
...     def deduct(self, epsilon, site):
...         self.left[site] -= epsilon
...         return self.left[site] >= 0
>>> inner = fp.from_budget(Sites, lambda sites, ask: sites.deduct(ask.pure_epsilon, **ask.labels), fp.PureDP(1.0))
>>> filt = fp.LabelledFilter(inner, labels={"site": ("a", "b")}, over={"site": "a"})
>>> session = filt.open("retry")
>>> [session.request(filt.at(fp.RandomizedResponse(0.75), site=site)) for site in ("a", "a", "b")]
[True, False, True]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.adapters.bridged import BridgedFilter
from filterproof.filters.adapters.bridged_service import BridgedServices
from filterproof.filters.adapters.service import MakeService, PromisedService
from filterproof.filters.contract.contract_checks import (
    checked_filter,
    checked_is_reachable_state,
    checked_observe,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.state import State, runs_of, select_runs
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair, LabelledRequest, PairPerRun
from filterproof.theory.pairs.labelled import Label, Where, checked_labels, format_labels, label_tuple

#: The most label combinations of a request.
_MAX_LABELLINGS = 32


@dataclass(frozen=True, eq=False)
class LabelledFilter(PrivacyFilter[Any]):
    """A filter for labelled requests, seen from one record; only requests that read the record cost it.

    Parameters
    ----------
    inner_filter : PrivacyFilter
        The filter that receives `LabelledRequest` requests and decides. It does not learn which record is considered.
    labels : mapping from str to sequence of str or int
        The labels of each dimension. A request has one label in each.
    over : mapping from str to label or tuple of labels
        The labels of the record. A request reads the record if its labels match in each of these dimensions.
    together : sequence of str
        The dimensions in which a request may have one label or all labels, as a tuple.
    promise : Guarantee
        The promise to the record. Default: that of `inner_filter`.

    Raises
    ------
    ValueError
        If no request has the labels of the record, or there are more than 32 label combinations.

    Notes
    -----
    A request that does not read the record has no privacy loss for it, but its grant may change later decisions. A
    request without labels gets those of the record.

    A granted request counts as answered on all its labels, a denied one on none. A request with several labels counts
    as denied where the inner filter grants it and would deny the same mechanism at each of the record's labels alone:
    the answer may then leave the record out. Code that leaves some labels out of its answer is a service that sends
    `fp.services.Release(epoch=...)` for each epoch in the answer.
    """

    inner_filter: PrivacyFilter[Any]
    labels: Mapping[str, Sequence[str | int]] = field(kw_only=True)
    over: Mapping[str, Label] = field(kw_only=True)
    together: Sequence[str] = field(default=(), kw_only=True)
    promise: Guarantee = field(default=cast(Guarantee, None), kw_only=True)
    sound: ClassVar[bool | None] = None
    proof: ClassVar[str] = "none: the rule is that of the inner filter"

    def __post_init__(self) -> None:
        checked_filter(self.inner_filter)
        promise: object = self.inner_filter.promise if self.promise is None else self.promise
        if not isinstance(promise, Guarantee):
            raise TypeError(f"promise must be a guarantee, got {promise!r}; pass e.g. fp.PureDP(1.0)")
        given = {
            name: label_tuple(some if isinstance(some, (str, int)) else tuple(some))
            for name, some in self.labels.items()
        }
        labels, over = dict(checked_labels("labels", given)), dict(checked_labels("over", self.over))
        together = (self.together,) if isinstance(self.together, str) else tuple(self.together)
        for name, record_labels in over.items():
            if strange := {*label_tuple(record_labels)} - {*label_tuple(labels.get(name, ()))}:
                raise ValueError(
                    f"over must name labels of requests, got {name}={min(map(str, strange))}; add it to labels"
                )
        if unknown := {*together} - {*labels}:
            raise ValueError(
                f"together must name dimensions of labels, got {min(unknown)!r}; add it to labels"
            )
        checked_fields = {"promise": promise, "labels": labels, "over": over, "together": together}
        for name, value in checked_fields.items():
            object.__setattr__(self, name, value)
        if len(self.label_combinations) > _MAX_LABELLINGS:
            raise ValueError(
                f"labels must leave at most {_MAX_LABELLINGS} ways to label a request, got "
                f"{len(self.label_combinations)}; "
                "pass fewer labels: two or three of a kind represent all"
            )

    def __repr__(self) -> str:
        return f"LabelledFilter({self.inner_filter!r}, over={dict(self.over)}, {self.promise})"

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The record, and the adversaries that the promise covers."""
        record = format_labels(self._labels_of_record) or "all labels"
        return (
            f"a record at {record} whose place was fixed before the first request, and every adaptive adversary who "
            f"sees all that is released, over mechanisms whose pairs describe them and labels among those given"
        )

    @property
    def command_line_options(self) -> tuple[str, ...] | None:
        """The command-line options that describe the record, or None if the command line cannot describe it.

        It can if a program decides and all labels are text.
        """
        program = bridged_filter_of(self)
        if program is None or any(type(label) is int for some in self.labels.values() for label in some):
            return None
        label_words = {
            k: ("+" if k in self.together else ",").join(map(str, v)) for k, v in self.labels.items()
        }
        words = [
            *program.command_line_options[:-1],
            repr(self.promise),
            "--labels",
            " ".join(f"{k}={v}" for k, v in label_words.items()),
        ]
        return (*words, *(("--over", format_labels(self._labels_of_record)) if self.over else ()))

    @property
    def _labels_of_record(self) -> Where:
        """The labels of the record, as pairs of name and label."""
        return tuple(self.over.items())

    @cached_property
    def label_combinations(self) -> tuple[Where, ...]:
        """The label combinations of a request; the first is that of the record."""
        every: list[list[tuple[str, Label]]] = []
        for name, values in self.labels.items():
            record, joint = label_tuple(self.over.get(name, values[0])), name in self.together
            first = sorted(values, key=[*record, *values].index)
            every.append([(name, (label,) if joint else label) for label in first])
            if joint and len(values) > 1:
                every[-1].append((name, tuple(values)))
        return tuple(product(*every))

    def at(self, mechanism: DominatingPair, **labels: Label) -> LabelledRequest:
        """Return the request for a mechanism with these labels; the default labels are those of the record."""
        where = tuple((dict(self.label_combinations[0]) | labels).items())
        return LabelledRequest(mechanism, self._checked_labels(where), self.reads_record(where))

    def _checked_labels(self, where: Where) -> Where:
        if where not in self.label_combinations:
            ways = "; ".join(map(format_labels, self.label_combinations))
            raise ValueError(
                f"labels must be among {ways}, got {format_labels(where) or 'none'}; add them to labels"
            )
        return where

    def reads_record(self, where: Where) -> bool:
        """Return whether a request with these labels reads the record."""
        named = dict(where)
        return all({*label_tuple(record)} & {*label_tuple(named[name])} for name, record in self.over.items())

    # -- the inner filter's rule --------------------------------------------------------------------------

    @property
    def looks_at_losses(self) -> bool:
        return self.inner_filter.looks_at_losses

    def start(self, n: int) -> State:
        return checked_start(self.inner_filter, n)

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        return self.step(state, request)[0]

    def spend(self, state: State, request: DominatingPair) -> State:
        return checked_spend(self.inner_filter, state, self._inner_request_per_run(request), runs_of(state))

    def step(self, state: State, request: DominatingPair) -> tuple[NDArray[np.bool_], State | None]:
        inner_request, n = self._inner_request_per_run(request), runs_of(state)
        admitted, after = checked_step(self.inner_filter, state, inner_request, n)
        return admitted & self._may_read_record(state, inner_request, n), after

    def _may_read_record(self, state: State, request: DominatingPair, n: int) -> NDArray[np.bool_]:
        """Return False for each run in which the answer on several labels may leave out those of the record."""
        granted = np.ones(n, dtype=np.bool_)
        if self.over.keys().isdisjoint(self.together):
            return granted
        for runs, pair in request.runs_by_family():
            if alone := self._requests_at_record_alone(pair):
                some = state if runs is None else select_runs(state, runs)
                answers = [checked_step(self.inner_filter, some, part, runs_of(some))[0] for part in alone]
                granted[slice(None) if runs is None else runs] = np.any(answers, axis=0)
        return granted

    def _requests_at_record_alone(self, request: DominatingPair) -> list[DominatingPair]:
        """Return the mechanism of a request with several labels at each label of the record, [] for other requests."""
        where = dict(request.labels)
        joint = [name for name in self.over if name in self.together and len(label_tuple(where[name])) > 1]
        if not joint or not self.reads_record(tuple(where.items())):
            return []
        shared = [
            [(label,) for label in label_tuple(self.over[name]) if label in where[name]] for name in joint
        ]
        alone = [where | dict(zip(joint, labels, strict=True)) for labels in product(*shared)]
        return [LabelledRequest(request.unlabelled, tuple(labels.items())) for labels in alone]

    def observe(self, state: State, loss: NDArray[np.float64]) -> State:
        return checked_observe(self.inner_filter, state, loss, runs_of(state))

    def is_reachable_state(self, state: State) -> NDArray[np.bool_]:
        return checked_is_reachable_state(self.inner_filter, state, runs_of(state))

    def _inner_request_per_run(self, request: DominatingPair) -> DominatingPair:
        """Return the request for the inner filter: the mechanism and its labels, whatever it reveals about the
        record."""
        if request.member_index is not None:
            return PairPerRun(tuple(map(self.inner_request, request.members)), request.member_index)
        return self.inner_request(request)

    def inner_request(self, request: DominatingPair) -> DominatingPair:
        """Return the request that `inner_filter` receives.

        Raises
        ------
        ValueError
            If the request states a privacy loss that does not match its labels.
        """
        if not request.labels:
            return LabelledRequest(request, self.label_combinations[0])
        where = self._checked_labels(tuple(request.labels.items()))
        # a counterexample is data: its claim about the labels is not trusted
        if request != (true := LabelledRequest(request.unlabelled, where, self.reads_record(where))):
            raise ValueError(f"request must agree with its labels, got {request!r}; pass {true!r}")
        return LabelledRequest(request.unlabelled, where)


def bridged_filter_of(filt: object) -> BridgedFilter | None:
    """Return the filter whose decisions come from a program, with or without labels, or None."""
    inner = filt.inner_filter if type(filt) is LabelledFilter else filt
    return inner if isinstance(inner, BridgedFilter) else None


def service_of(filt: object) -> MakeService | None:
    """Return the service: `filt` itself, or a service from its program with keys; None without one."""
    if isinstance(filt, PromisedService):
        return filt.make
    program = bridged_filter_of(filt)
    if program is None or "keys" not in program.bridge.stated_abilities or program.looks_at_losses:
        return None
    shown = filt.inner_request if isinstance(filt, LabelledFilter) else lambda pair: pair
    return BridgedServices(program.bridge, shown)
