"""Filters that look at losses: the order of events, the menu, and why the naive rule fails."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filters as fp
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    Selection,
)
from theory.realisation import kappa

STEP = Gaussian(mu=0.5)  # sigma = 2


def paper() -> fp.RealisationFilter:
    """The setting of 004 Figure 2: (10, 1e-5), sigma = 2, N = 48."""
    return fp.RealisationFilter(10.0, 1e-5, 48, (STEP,))


def play(filt: fp.PrivacyFilter, pair: DominatingPair, losses: list[float]) -> int:
    """How many releases are granted when the releases realise these losses."""
    state = filt.start(1)
    for done, loss in enumerate(losses):
        if not filt.admits(state, pair)[0]:
            return done
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return len(losses)


def responds(epsilon: float) -> DominatingPair:
    """Randomised response, of which every loss is a double."""
    return RandomizedResponse(epsilon)


def after_losses(
    filt: fp.RealisationFilter, pair: DominatingPair, losses: list[float], state: Any = None
) -> Any:
    """The state after releases with these losses, and one more, after which the last of them counts."""
    state = filt.start(1) if state is None else state
    for loss in (*losses, 0.0):
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return state


def test_what_remains_is_the_way_to_the_limit() -> None:
    filt = paper()
    assert filt.dhat is not None
    assert filt.theta is not None
    limit = float(kappa(10.0, 2.0, filt.dhat, filt.theta))
    session = filt.open()
    for loss, before in ((1.5, 0.0), (-4.0, 1.5), (0.0, -2.5)):
        assert session.request(STEP)
        session.observe(loss)
        assert session.remaining() == pytest.approx(limit - abs(before), rel=1e-9)
    assert play(filt, STEP, [0.0] * 49) == 48
    assert filt.remaining(after_losses(filt, STEP, [0.0] * 47))[0] == 0.0
    lopsided = FinitePair((0.5, 0.5), (0.25, 0.75))
    one, other = (fp.RealisationFilter(2.0, 0, 5, (pair,)) for pair in (lopsided, lopsided.swapped))
    for loss in (0.25, -0.25):
        left = one.remaining(after_losses(one, lopsided, [loss]))
        turned = other.remaining(after_losses(other, lopsided.swapped, [-loss]))
        assert left == turned == pytest.approx(2 - max(2 * math.log(2) + loss, 2 * math.log(1.5) - loss))
    assert naive().open().remaining() == 1.0


def naive() -> fp.NaiveRealisationFilter:
    with fp.knowingly():
        return fp.NaiveRealisationFilter(1.0, 0.01)


def test_the_naive_rule_never_stops_erasures() -> None:
    filt = naive()
    assert play(filt, Erasure(0.01), [0.0] * 500) == 500
    assert play(filt, Erasure(0.011), [0.0]) == 0
    assert play(filt, Erasure(0.01), [0.0, math.inf, 0.0]) == 2


def test_the_naive_rule_sees_both_directions() -> None:
    filt = naive()
    pair = RandomizedResponse(0.4)
    assert play(filt, pair, [0.4, 0.4, 0.4]) == 2
    assert play(filt, pair, [-0.4, -0.4, -0.4]) == 2
    assert play(filt, pair, [0.4, -0.4] * 20) == 40


@pytest.mark.parametrize("earlier", [0, 36])
def test_the_realisation_filter_denies_what_rounding_alone_would_let_through(earlier: int) -> None:
    """Losses and quantiles whose exact sum is past epsilon by less than its rounding: denied, in both directions."""
    rng = np.random.default_rng(5)
    let_through = 0
    for _ in range(30 if earlier else 120):
        # where many losses are added up, the quantiles add to half a nat without rounding
        last, most = (0.25, 0.25) if earlier else sorted(rng.uniform(0.05, 0.3, 2).tolist())
        filt = fp.RealisationFilter(2.0, 0.25, 40, (responds(last), responds(most)), dhat=0.01, theta=0.001)
        losses = [1.2, *rng.uniform(-0.02, 0.02, earlier - 1).tolist()] if earlier else []
        room = 2 - sum(map(Fraction, (*losses, last, most)), Fraction(0))
        losses.append(math.nextafter(float(room), math.inf) if earlier else 2.0 - (last + most))
        if Fraction(losses[-1]) <= room:
            continue
        let_through += sum(losses) + (last + most) <= 2.0  # one by one, as the filter adds them
        for sign in (1.0, -1.0):
            state = after_losses(filt, responds(last), [sign * loss for loss in losses])
            assert not filt.admits(state, responds(last))[0]
    assert let_through > 5


@pytest.mark.parametrize(
    "pair",
    [
        *(responds(0.125), RandomizedResponse.from_ratio(Fraction(5, 4)), Erasure(1e-3)),
        *(KOV(0.125, 1e-3), Gaussian(0.125), Laplace(8.0), type("Ours", (RandomizedResponse,), {})(0.125)),
        Selection((responds(0.125), Gaussian(0.125)), np.array([0])),
    ],
    ids=repr,
)
def test_only_losses_that_are_doubles_take_the_realisation_filter_to_its_limit(pair: DominatingPair) -> None:
    """Told losses of anything else are rounded: no sum here is, and the limit itself is not reached."""
    filt = fp.RealisationFilter(2.0, 0.25, 40, (responds(0.25),), dhat=0.2, theta=1e-3)
    for loss, granted in ((1.5, pair == responds(0.125)), (1.5 - 1e-9, True)):
        state = filt.observe(filt.spend(filt.start(1), pair), np.array([loss]))
        state = after_losses(filt, responds(0.25), [], state)
        assert filt.admits(state, responds(0.25))[0] == granted


def test_the_first_release_is_decided_by_true_quantiles() -> None:
    """Of Laplace(b) the largest loss is 1/b, of which the double may lie below it: as BasicFilter decides."""
    for b in map(float, range(1, 40)):
        pair, whole = Laplace(b), fp.BasicFilter(1 / b)
        granted = bool(whole.admits(whole.start(1), pair)[0])
        assert granted == (Fraction(1 / b) >= Fraction(1) / Fraction(b))
        for menu in ((pair,), (responds(1 / b),)):
            filt = fp.RealisationFilter(1 / b, 0, 5, menu)
            assert filt.admits(filt.start(1), pair)[0] == granted, (b, menu)
    whole = fp.RealisationFilter(
        float(Gaussian(0.3).loss_quantile(1e-5)), 0.01, 5, (Gaussian(0.3),), dhat=1e-5, theta=1e-5
    )
    assert not whole.admits(whole.start(1), Gaussian(0.3))[0]


@pytest.mark.parametrize("rounds", [1, 2, 48])
def test_the_split_of_the_realisation_filter_pays_for_every_round(rounds: int) -> None:
    """dhat + theta (1 - dhat) N <= delta, 004 Theorem 1: in rationals, at the largest theta that satisfies it."""
    delta, dhat = 1e-3, 4e-4
    exact = (Fraction(delta) - Fraction(dhat)) / ((1 - Fraction(dhat)) * rounds)
    theta = float(exact)
    if Fraction(theta) > exact:
        theta = math.nextafter(theta, 0.0)
    menu = (Gaussian(0.5),)
    filt = fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=theta)
    assert (filt.dhat, filt.theta, filt.rounds) == (dhat, theta, rounds)
    with pytest.raises(ValueError, match="dhat and theta must satisfy"):
        fp.RealisationFilter(10.0, delta, rounds, menu, dhat=dhat, theta=math.nextafter(theta, 1.0))
    chosen = fp.RealisationFilter(10.0, delta, rounds, menu)
    assert chosen.dhat is not None
    assert chosen.theta is not None
    spent = Fraction(chosen.dhat) + Fraction(chosen.theta) * (1 - Fraction(chosen.dhat)) * rounds
    assert Fraction(delta) * (1 - Fraction(1, 10**12)) <= spent <= Fraction(delta)
