"""The faults of OpenDP's amplification by sampling, `combinators.make_population_amplification`."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from reports.audit.fault import Fault, Kind, Route

__all__ = ["FAULTS"]

_AMPLIFICATION = "combinators.make_population_amplification"


def _hit_by_two(exact: bool) -> float:
    """ln(1 + h (e - 1)), h the chance that two of six records are in a sample of two, counted or by factorials."""
    if exact:
        hit = 1 - Fraction(math.comb(4, 2), math.comb(6, 2))
        return math.log1p(float(hit) * math.expm1(1.0))
    samples = list(itertools.combinations(range(6), 2))
    share = sum(bool({0, 1} & {*sample}) for sample in samples) / len(samples)
    lie = 1 / (1 + math.e)
    return math.log((share * (1 - lie) + (1 - share) * lie) / lie)


def _asked_twice_by_outcomes() -> float:
    """The largest log-ratio of the four pairs of answers, over all samples of two of six records, one of them a 1."""
    truth = math.e / (1 + math.e)

    def chance(answers: tuple[bool, ...], holds: bool) -> float:
        return math.prod(truth if answer is holds else 1 - truth for answer in answers)

    samples = list(itertools.combinations(range(6), 2))
    losses = []
    for answers in itertools.product((False, True), repeat=2):
        one = math.fsum(chance(answers, 0 in sample) for sample in samples) / len(samples)
        losses.append(abs(math.log(one / chance(answers, False))))
    return max(losses)


FAULTS = (
    Fault(
        key="amplification_two_changes",
        kind=Kind.WRONG_NUMBER,
        entry=_AMPLIFICATION,
        says="The map of make_population_amplification is too small where two changed records cost what one does",
        why=(
            "The map is ln(1 + n/N (exp(epsilon(d_in)) - 1)) at every d_in. With two changed records the "
            "chance that the sample has one of them is nearly 2n/N. Where epsilon(2) = 2 epsilon(1) this is "
            "paid for; where the inner map does not grow with d_in, as behind randomized response, it is "
            "not. A sample of 2 of 6: 0.453 is claimed, 0.709 is true. A fixed delta, n/N delta at every "
            "d_in, has the same defect. At one changed record the map is right."
        ),
        fix=(
            "Amplify the map at one changed record and multiply, or mix the maps at 0, 1, ..., d_in with the "
            "hypergeometric weights; or refuse d_in above one change."
        ),
        routes=(
            Route("binomial coefficients, in fractions", lambda: _hit_by_two(True)),
            Route("all 15 samples, one by one", lambda: _hit_by_two(False)),
        ),
        tolerance=1e-9,
    ),
    Fault(
        key="amplified_on_one_sample",
        kind=Kind.WRONG_NUMBER,
        entry=_AMPLIFICATION,
        says="Amplified measurements are added up as if each of them had a sample of its own",
        why=(
            "Compositors and filters send all their queries to one data set, hence to one sample, and add the "
            "amplified maps. A second answer tells more of whether a record is in the sample, so that the sum "
            "is too small. Two answers of randomized response with epsilon = 1, on a sample of 2 of 6: a "
            "filter with d_out=1.0 grants both and reports 0.906, and 1.141 is true. It is reported upstream "
            "too, as issue 2933."
        ),
        fix=(
            "Amplify the composition and not its parts: refuse amplified measurements in compositors and "
            "odometers, and say so in the docstring."
        ),
        routes=(
            Route(
                "ln(1 + n/N (exp(2 epsilon) - 1)), the amplification of the sum",
                lambda: math.log1p(math.expm1(2.0) * 2 / 6),
            ),
            Route("all 15 samples and all 4 pairs of answers, one by one", _asked_twice_by_outcomes),
        ),
        tolerance=1e-9,
    ),
)
