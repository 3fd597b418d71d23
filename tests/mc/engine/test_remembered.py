"""What is remembered: an answer to an equal question, and to none that differs in anything it depends on."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import filterproof as fp
from filterproof.mc.engine.cached import cache_results


@dataclass(frozen=True)
class Own(fp.Adversary):
    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return fp.Gaussian(0.25)


def test_questions_of_the_librarys_values_are_answered_once_and_on_copies() -> None:
    calls: list[Any] = []

    @cache_results(8)
    def answer(*given: Any) -> list[Any]:
        calls.append(given)
        return [given]

    filt = fp.GaussianFilter(mu=1.0)
    first = answer(filt, np.zeros(2))
    assert answer(fp.GaussianFilter(mu=1.0), np.zeros(2)) is first
    assert calls[0][0] is not filt, "what it holds is nobody else's"
    for other in ((fp.GaussianFilter(mu=2.0), np.zeros(2)), (filt, -np.zeros(2)), (1,), (1.0,)):
        assert answer(*other) is answer(*other)
    assert len(calls) == 5
    for own in (Own(), lambda mu: fp.Gaussian(mu)):
        assert answer(own) is not answer(own)  # it may answer otherwise another time
        assert calls[-1][0] is own
