"""Charges by Definitions 2.5 and 2.6 of Feldman & Zrnic. Under 2.6 the set of active people reveals the data.

>>> import filterproof as fp
>>> row = fp.figure("per-instance", rounds=3).data.rows()[2]
>>> row["individual"], row["per_instance"], row["halting"]
(0.0, 0.375, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.rules.menu_composition import composed_hockey_stick
from filterproof.filters.rules.several_sums import BasicFilter
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.lines import line
from filterproof.reports.figures.specification import Specification, integer_parameter
from filterproof.theory.pairs import PairPerRun, RandomizedResponse

#: The rules of charging; see `transcript_divergences`.
Accounting: TypeAlias = Literal["individual", "per-instance", "per-instance, halting", "pair by pair"]

_MAX_ROUNDS = 14

#: column -> rule of charging
_ACCOUNTINGS: dict[str, Accounting] = {
    "individual": "individual",
    "per_instance": "per-instance",
    "halting": "per-instance, halting",
    "pair_by_pair": "pair by pair",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PerInstanceCharging(Specification):
    """Delta by round under individual and per-instance charging; the second breaks the guarantee."""

    ratio: int = integer_parameter(3, most=1000, least=2, remedy="pass a smaller one")
    rounds: int = integer_parameter(
        12, most=_MAX_ROUNDS, least=3, remedy="pass fewer; the picture is clear with fewer"
    )

    def data(self) -> FigureData:
        ratio = Fraction(self.ratio)
        deltas_by_name = {
            name: transcript_divergences(accounting, ratio, rounds=self.rounds)
            for name, accounting in _ACCOUNTINGS.items()
        }
        return FigureData.of(
            rounds=range(1, self.rounds + 1),
            **{name: [float(delta) for delta in deltas] for name, deltas in deltas_by_name.items()},
        ).with_facts(
            epsilon=math.log(self.ratio),
            per_instance_exact=str(deltas_by_name["per_instance"][-1]),
            per_instance_at_3_exact=str(deltas_by_name["per_instance"][2]),
            charged_individual=charged_budget_share("individual", ratio, rounds=self.rounds),
            charged_per_instance=charged_budget_share("per-instance", ratio, rounds=self.rounds),
        )

    def caption_values(self, data: FigureData) -> dict[str, Any]:
        return {
            "nobody": 100 * data.number("charged_per_instance"),
            "everyone": 100 * data.number("charged_individual"),
        }

    def draw(self, data: FigureData, axes: Sequence[Axes]) -> None:
        (ax,) = axes
        rounds = data.column("rounds")
        for name, k, marker, size, text, offset, va in (
            ("halting", 1, "D", 5.0, "Definition 2.6, the analysis halts", (0, 7), "baseline"),
            ("per_instance", 3, "o", 6.0, "Definition 2.6,\npeople become inactive", (10, -10), "top"),
            ("individual", 0, "s", 5.0, "Definition 2.5: as promised", (0, 7), "baseline"),
        ):
            look: dict[str, Any] = {"marker": marker, "ms": size, "text": text, "offset": offset, "va": va}
            line(ax, rounds, data.column(name), k, at=min(4, len(rounds) - 1), **look)
        ax.set(ylim=(-0.05, 1.14))
        ax.set_xticks([int(t) for t in rounds if t % 2 == 0 or len(rounds) < 8])


def transcript_divergences(accounting: Accounting, ratio: Fraction, *, rounds: int) -> tuple[Fraction, ...]:
    """Return the hockey-stick divergence of two neighbours' transcripts after each round, exactly.

    One data set has two people with a property, the other has one of them. Each round asks whether any active person
    has the property, and releases randomised response of the answer at log(ratio). Everyone's budget is log(ratio), so
    the promised delta at epsilon = log(ratio) is 0.

    "individual" charges by the worst case over all data sets with the person (Definition 2.5). "per-instance" charges
    D(A(S), A(S^-i)) on the present data set (Definition 2.6), which is zero while another person has the property. A
    person without enough budget is inactive, by `IndividualFilter`. "per-instance, halting" has one filter for all and
    charges it the largest of these values; its denial ends the analysis visibly. "pair by pair" has a filter for each
    pair of neighbours (two people and one, one and none), charged the largest loss of the question on that pair. If one
    filter denies, the analysis ends on every data set.
    A round distinguishes the data sets if its true answers differ. A halt on one of them does so with certainty.
    Source: Feldman & Zrnic, Definitions 2.5 and 2.6, Remark 3.2, and the paragraph before Remark 4.6.
    """
    whole_set, fewer = (_answers_and_charged_share(accounting, ratio, people, rounds)[0] for people in (2, 1))
    response, informative_rounds, deltas = RandomizedResponse.from_ratio(ratio), 0, []
    for answer, other in zip(whole_set, fewer, strict=True):
        if (answer is None) != (other is None) or 1 in deltas:
            deltas.append(Fraction(1))
            continue
        informative_rounds += answer is not other
        deltas.append(composed_hockey_stick((response,), (informative_rounds,), ratio))
    return tuple(deltas)


def charged_budget_share(accounting: Accounting, ratio: Fraction, *, rounds: int) -> float:
    """Return the share of a budget of log(ratio) that was charged on the larger data set after `rounds` questions.

    It is in [0, 1], of a person's budget or, with "halting", of the common budget.
    """
    return _answers_and_charged_share(accounting, ratio, 2, rounds)[1]


def _answers_and_charged_share(
    accounting: Accounting, ratio: Fraction, people: int, rounds: int
) -> tuple[list[bool | None], float]:
    """Return the released true answers (None from a halt on), and the charged share of a budget."""
    free, pair = RandomizedResponse(0.0), RandomizedResponse.from_ratio(ratio)
    dear = accounting == "individual" or people == 1  # otherwise another person gives the same answer
    filt = BasicFilter(float(pair.pure_epsilon))
    if accounting in ("individual", "per-instance"):
        accountant = IndividualFilter(filt, people)
        requests = PairPerRun((pair, free), np.full(people, 0 if dear else 1))
        answers = [bool(accountant.select(requests).any()) for _ in range(rounds)]
        return [*answers], 1 - accountant.report_for(0).remaining / filt.epsilon
    session, alone = filt.open("halt"), filt.open("halt")
    if accounting == "pair by pair":  # two people and one; one and none
        allowed = [not alone.halted and session.request(free) and alone.request(pair) for _ in range(rounds)]
    else:
        allowed = [not session.halted and session.request(pair if dear else free) for _ in range(rounds)]
    return [True if go else None for go in allowed], 1 - session.remaining() / filt.epsilon
