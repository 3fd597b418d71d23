"""Each fresh broken filter grants a play that exceeds its promise, and each fresh sound one keeps it and denies."""

import inspect
import math

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.contract_checks import checked_admits, checked_spend, checked_start
from tests.instruments.corpus import games
from tests.mc.prove import fresh_broken, fresh_sound


def gaussian(rho: float) -> fp.Gaussian:
    """The Gaussian mechanism of this rho, or a little less."""
    return fp.Gaussian(math.sqrt(2 * rho) * (1 - 1e-9))


def filters(module: object) -> list[type[fp.PrivacyFilter]]:
    """The filters of a collection."""
    classes = [value for _, value in inspect.getmembers(module, inspect.isclass)]
    return [one for one in classes if issubclass(one, fp.PrivacyFilter) and one.__module__ == module.__name__]


BROKEN, SOUND = filters(fresh_broken), filters(fresh_sound)
#: Broken filter -> requests that it grants one after the other and that exceed its promise.
PLAYS = {
    "PriceByVariance": [fp.Laplace(5.0)] * 49,
    "RefundToGaussians": [fp.RandomizedResponse(0.24), fp.Gaussian(0.6)],
    "BankedAfterReset": [fp.Gaussian(0.01), fp.Gaussian(0.9), *[fp.Gaussian(0.01)] * 10] * 2,
    "UpAfterTheScale": [gaussian(0.0019)] * 9,
    "MuFromRho": [fp.RandomizedResponse(0.99)],
    "LesserDirection": [fp.FinitePair((0.001, 0.999), (0.03, 0.97))],
    "BitsTheOtherWay": [fp.RandomizedResponse(0.7)] * 2,
    "GapBetweenTiers": [fp.Gaussian(0.1)] * 150,
    "HalvesInIntegers": [fp.Gaussian(0.07)] * 300,
    "PlanReadTooLate": [fp.Gaussian(0.24), fp.RandomizedResponse(0.9)],
    "WarmUpForEver": [fp.Gaussian(0.07)] * 200,
    "UnsignedRemainder": [fp.RandomizedResponse(0.25)] * 8,
    "OrderTwoTwice": [fp.SubsampledGaussian(0.01, 0.5)],
    "AnyOrder": [fp.Gaussian(0.49)] * 4,
    "PettyInRho": [fp.Gaussian(0.099)] * 150,
    "PursesInterchanged": [fp.RandomizedResponse(0.79)] * 2,
    "HarmonicShares": [gaussian(0.25 / (t + 1)) for t in range(10)],
    "RhoForSquares": [fp.Gaussian(0.28)],
    "OrNegligible": [fp.Gaussian(0.05)] * 200,
    "HalvedForTwo": [fp.Gaussian(1.9)],
}
#: A sound filter is asked for the first of these that it grants.
FIRST = (fp.Gaussian(0.1), fp.RandomizedResponse(0.2))


@pytest.mark.parametrize("broken", BROKEN, ids=lambda one: one.__name__)
def test_broken_filter_grants_a_play_that_exceeds_its_promise(broken: type[fp.PrivacyFilter]) -> None:
    # other promises name an epsilon or an order
    epsilon = 0.5 if isinstance(broken.promise, fp.GaussianDP) else None
    found = games.played(broken(), PLAYS[broken.__name__], epsilon=epsilon)
    assert found.value > found.promised(broken.promise) + 1e-6


@pytest.mark.parametrize("sound", SOUND, ids=lambda one: one.__name__)
def test_sound_filter_grants_then_denies_and_keeps_its_promise(sound: type[fp.PrivacyFilter]) -> None:
    filt, granted, state = sound(), 0, checked_start(sound(), 2)
    pair = next(one for one in FIRST if checked_admits(filt, state, one, 2).all())
    while checked_admits(filt, state, fp.PairPerRun((pair, FIRST[1]), np.zeros(2, dtype=np.int64)), 2).all():
        state, granted = checked_spend(filt, state, pair, 2), granted + 1
        assert granted < 1_000
    asked = [pair] * granted if pair is FIRST[0] else lambda past: pair
    at = {fp.PureDP: 0.3, fp.GaussianDP: 0.5}  # at its epsilon the delta of a pure promise is zero
    found = games.played(filt, asked, epsilon=at.get(type(filt.promise)))
    assert 0 < found.value <= found.promised(filt.promise) * (1 + 1e-12)


def test_each_collection_has_twenty_filters() -> None:
    assert len(SOUND) == len(BROKEN) == len(PLAYS) == 20
