"""Write theory/kernel/generated/RunningNumbers.v: `python -m tests.filters.certified.write_running_numbers`.

Budgets of the catalogue, and what filters without one budget admit last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from filters.catalogue import (
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RenyiFilter,
    RogersFilter,
    WhitehouseFilter,
    ZCDPFilter,
)
from filters.certified.certify import certify
from filters.certified.running_number import Least, RunningNumber
from filters.certified.two_doubles import limit_of
from filters.contract.filter_base import FilterBase
from tests.filters.certified.running_numbers import cks_lemma, lemma, rocq_text, simple_lemma
from theory.conversions import CKS, SIMPLE

PATH = Path(__file__).parents[3] / "theory/kernel/generated/RunningNumbers.v"

_POINTS = ((1.0, 1e-5), (0.3, 1e-5), (0.5, 1e-5), (0.1, 1e-9), (8.0, 1e-3))
_OTHERS: tuple[FilterBase, ...] = (
    ZCDPFilter(0.5),
    ZCDPFilter(0.1),
    GaussianFilter(0.3),
    RenyiFilter(8.0, 1.0),
    BasicFilter(1.0, 1e-3),
    WhitehouseFilter(1.0, 1e-3),
    WhitehouseFilter(5.0, 1e-3, tail=1e-4, weight=2.0),
    RogersFilter(2.0, 1e-3),
    ApproximateZCDPFilter(0.5, 1e-3),
)
#: Decisions that are written: of these families, from a fresh state.
_WRITTEN = re.compile(
    r": budget$|: last x of (RandomizedResponse|Gaussian|Laplace|KOV|Erasure)\(.*\) admitted, nothing spent$"
)


def in_rocq() -> str:
    """The text of `theory/kernel/generated/RunningNumbers.v`."""
    return rocq_text(_lemmas())


def lemma_of(name: str, number: RunningNumber) -> str | None:
    """The lemma that the number is on its safe side; None where its margin is no formula, or Rocq lacks its functions.

    Raises RefusedError where balls do not show it.
    """
    margin = number.margin
    if number.value is None or number.side == "=":
        return None
    if isinstance(margin, Least) and not margin.balls and not margin.some:
        texts = margin.texts
    elif isinstance(margin, str):
        texts = (margin,)
    else:
        return None
    return lemma(name, number.theorem, number.says, texts, {**number.at, "x": number.value})


def _lemmas() -> Iterator[str]:
    for epsilon, delta in _POINTS:
        for conversion in (SIMPLE, CKS):
            filt = ApproximateDPFilter(epsilon, delta, conversion)
            write, way = (cks_lemma, "cks") if conversion is CKS else (simple_lemma, "simple")
            name = f"approximate_dp_{_word(epsilon)}_{_word(delta)}_{way}"
            yield write(name, f"{filt!r}: budget", limit_of(filt.budget), epsilon, delta)
    for place, other in enumerate(_OTHERS):
        for one in certify(other).numbers:
            if _WRITTEN.search(one.number.says):
                found = lemma_of(_name(other, place, one.number.says), one.number)
                if found is not None:
                    yield found


def _name(filt: FilterBase, place: int, says: str) -> str:
    about = "budget" if says.endswith(": budget") else says.split("last x of ")[1].split(" admitted")[0]
    return f"{_word(type(filt).__name__)}_{place}_{_word(about)}"


def _word(thing: object) -> str:
    return re.sub(r"\W+", "_", str(thing)).strip("_")


if __name__ == "__main__":
    PATH.write_text(in_rocq(), encoding="utf-8")
