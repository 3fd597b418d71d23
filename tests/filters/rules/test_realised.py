"""Filters that look at losses: the order of events, the menu, why the naive rule fails, pure DP by realised losses."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.theory.stopping_level import kappa

STEP = fp.Gaussian(mu=0.5)  # sigma = 2


def play(filt: fp.PrivacyFilter, pair: fp.DominatingPair, losses: list[float]) -> int:
    """How many releases are granted when the releases realise these losses."""
    state = filt.start(1)
    for done, loss in enumerate(losses):
        if not filt.admits(state, pair)[0]:
            return done
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return len(losses)


def after_losses(
    filt: fp.RealisationFilter, pair: fp.DominatingPair, losses: list[float], state: Any = None
) -> Any:
    """The state after releases with these losses, and one more, after which the last of them counts."""
    state = filt.start(1) if state is None else state
    for loss in (*losses, 0.0):
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return state


def test_what_remains_is_the_way_to_the_limit() -> None:
    # the setting of Taylor et al., Figure 2: sigma = 2, N = 48
    filt = fp.RealisationFilter(10.0, 1e-5, 48, (STEP,))
    limit, session = float(kappa(10.0, 2.0, filt.dhat, filt.theta)), filt.open()  # type: ignore[arg-type]
    for loss, before in ((1.5, 0.0), (-4.0, 1.5), (0.0, -2.5)):
        assert session.request(STEP)
        session.observe(loss)
        assert session.remaining() == pytest.approx(limit - abs(before), rel=1e-9)
    assert play(filt, STEP, [0.0] * 49) == 48
    assert filt.remaining(after_losses(filt, STEP, [0.0] * 47))[0] == 0.0
    lopsided = fp.FinitePair((0.5, 0.5), (0.25, 0.75))
    one, other = (fp.RealisationFilter(2.0, 0, 5, (pair,)) for pair in (lopsided, lopsided.swapped))
    for loss in (0.25, -0.25):
        left = one.remaining(after_losses(one, lopsided, [loss]))
        turned = other.remaining(after_losses(other, lopsided.swapped, [-loss]))
        assert left == turned == pytest.approx(2 - max(2 * math.log(2) + loss, 2 * math.log(1.5) - loss))


@given(st.floats(0.1, 3.0), st.lists(st.floats(-2.0, 2.0), max_size=6), st.integers(1, 5))
def test_kappa_decides_by_the_exact_loss_before_the_last_release(
    limit: float, losses: list[float], rounds: int
) -> None:
    for path in (
        [*losses, *[0.0] * 6],
        [limit, 0.0, 0.0],
        [-limit, 0.0, 0.0],
        [math.nextafter(-limit, 0.0), 0.0, 0.0, 0.0],
    ):
        due = 0
        while due < min(rounds, len(path)):
            known = sum(map(Fraction, path[: max(due - 1, 0)]), Fraction(0))
            if abs(abs(known) - Fraction(limit)) < 1e-12 and due > 2:  # sums are doubles
                return
            if not abs(known) < limit:
                break
            due += 1
        assert play(KappaFilter(limit, rounds), STEP, path) == due


def test_the_naive_rule_never_stops_erasures() -> None:
    with fp.suppress_unsound_warning():
        filt = fp.NaiveRealisationFilter(1.0, 0.01)
    assert filt.open().remaining() == 1.0
    assert play(filt, fp.Erasure(0.01), [0.0] * 500) == 500
    assert play(filt, fp.Erasure(0.011), [0.0]) == 0
    assert play(filt, fp.Erasure(0.01), [0.0, math.inf, 0.0]) == 2


@pytest.mark.parametrize("earlier", [0, 36])
def test_the_realisation_filter_denies_what_rounding_alone_would_let_through(earlier: int) -> None:
    """Losses and quantiles whose exact sum is past epsilon by less than its rounding: denied, in both directions."""
    rng = np.random.default_rng(5)
    let_through = 0
    for _ in range(30 if earlier else 120):
        # where many losses are added up, the quantiles add to half a nat without rounding
        last, most = (0.25, 0.25) if earlier else sorted(rng.uniform(0.05, 0.3, 2).tolist())
        filt = fp.RealisationFilter(
            2.0, 0.25, 40, (fp.RandomizedResponse(last), fp.RandomizedResponse(most)), dhat=0.01, theta=0.001
        )
        losses = [1.2, *rng.uniform(-0.02, 0.02, earlier - 1).tolist()] if earlier else []
        room = 2 - sum(map(Fraction, (*losses, last, most)), Fraction(0))
        losses.append(math.nextafter(float(room), math.inf) if earlier else 2.0 - (last + most))
        if Fraction(losses[-1]) <= room:
            continue
        let_through += sum(losses) + (last + most) <= 2.0  # one by one, as the filter adds them
        for sign in (1.0, -1.0):
            state = after_losses(filt, fp.RandomizedResponse(last), [sign * loss for loss in losses])
            assert not filt.admits(state, fp.RandomizedResponse(last))[0]
    assert let_through > 5


ROUNDED = (
    fp.RandomizedResponse.from_ratio(Fraction(5, 4)),
    fp.Erasure(1e-3),
    fp.KOV(0.125, 1e-3),
    fp.Gaussian(0.125),
    fp.Laplace(8.0),
    type("Ours", (fp.RandomizedResponse,), {})(0.125),
    fp.PairPerRun((fp.RandomizedResponse(0.125), fp.Gaussian(0.125)), np.array([0])),
)


@pytest.mark.parametrize("pair", [fp.RandomizedResponse(0.125), *ROUNDED], ids=repr)
def test_only_losses_that_are_doubles_take_the_realisation_filter_to_its_limit(
    pair: fp.DominatingPair,
) -> None:
    """Told losses of anything else are rounded: no sum here is, and the limit itself is not reached."""
    filt = fp.RealisationFilter(2.0, 0.25, 40, (fp.RandomizedResponse(0.25),), dhat=0.2, theta=1e-3)
    for loss, granted in ((1.5, pair not in ROUNDED), (1.5 - 1e-9, True)):
        state = filt.observe(filt.spend(filt.start(1), pair), np.array([loss]))
        state = after_losses(filt, fp.RandomizedResponse(0.25), [], state)
        assert filt.admits(state, fp.RandomizedResponse(0.25))[0] == granted


@given(st.floats(0, 0.3), st.floats(0, 0.05), st.integers(1, 9))
def test_a_split_is_refused_exactly_if_it_spends_more_than_delta(
    dhat: float, theta: float, rounds: int
) -> None:
    spent = 1 - (1 - Fraction(dhat)) * (1 - rounds * Fraction(theta))

    def made() -> fp.RealisationFilter:
        return fp.RealisationFilter(2.0, 0.25, rounds, (fp.RandomizedResponse(0.25),), dhat=dhat, theta=theta)

    if spent <= Fraction(0.25):
        assert (made().dhat, made().theta) == (dhat, theta)
    else:
        with pytest.raises(ValueError, match=r"dhat and theta must satisfy .* <= delta"):
            made()


def test_the_first_release_is_decided_by_true_quantiles() -> None:
    """Of Laplace(b) the largest loss is 1/b, of which the double may lie below it: as BasicFilter decides."""
    for b in map(float, range(1, 40)):
        pair, whole = fp.Laplace(b), fp.BasicFilter(1 / b)
        granted = bool(whole.admits(whole.start(1), pair)[0])
        assert granted == (Fraction(1 / b) >= Fraction(1) / Fraction(b))
        for menu in ((pair,), (fp.RandomizedResponse(1 / b),)):
            filt = fp.RealisationFilter(1 / b, 0, 5, menu)
            assert filt.admits(filt.start(1), pair)[0] == granted, (b, menu)
    whole = fp.RealisationFilter(
        float(fp.Gaussian(0.3).loss_isf(1e-5)), 0.01, 5, (fp.Gaussian(0.3),), dhat=1e-5, theta=1e-5
    )
    assert not whole.admits(whole.start(1), fp.Gaussian(0.3))[0]


UNIT, ROUNDS = 0.25, 5
PATHS = tuple(product((1, -1), repeat=ROUNDS))


def response(level: int) -> fp.DominatingPair:
    """Randomised response whose loss is so many quarters of a nat: sums of them are doubles."""
    return fp.RandomizedResponse(level * UNIT)


def printed(limit: int, levels: Sequence[int], signs: Sequence[int], largest: Sequence[int]) -> int:
    """How many outputs (15) releases: losses in units, `largest` of each allowable set."""
    for t in range(1, len(levels) + 1):
        past = sum(level * sign for level, sign in zip(levels[: max(t - 2, 0)], signs, strict=False))
        last = levels[t - 2] if t > 1 else 0
        if abs(past) + last + largest[t - 1] > limit:
            return t - 1
    return len(levels)


def released(filt: fp.PrivacyFilter, levels: Sequence[int]) -> list[int]:
    """The same, of each path of signs, by the filter."""
    n = len(PATHS)
    state, alive, count = filt.start(n), np.ones(n, dtype=bool), np.zeros(n, dtype=int)
    for level, signs in zip(levels, np.array(PATHS).T, strict=True):
        alive &= filt.admits(state, response(level))
        count += alive
        state = filt.observe(filt.spend(state, response(level)), level * signs * UNIT)
    return count.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("limit", [3, 4, 5, 7])
def test_exactly_what_15_allows_is_released(limit: int) -> None:
    """All requests of two levels and all outputs: no sum here is rounded, so that the limit itself is reached."""
    small, large = response(1), response(2)
    fixed = fp.RealisationFilter(limit * UNIT, 0, 40, (small, large))
    # after a request, no dearer one
    after = {small: (small,), large: (small, large)}
    chosen = fp.RealisationFilter(limit * UNIT, 0, 40, (small, large), after=after)
    more = 0
    for levels in product((1, 2), repeat=ROUNDS):
        counts = [printed(limit, levels, signs, [2] * ROUNDS) for signs in PATHS]
        assert released(fixed, levels) == counts
        # (13), classical composition, adds up the largest of each set: it releases the fewest
        assert min(counts) >= sum(2 * t <= limit for t in range(1, ROUNDS + 1))
        if all(later <= earlier for earlier, later in pairwise(levels)):
            further = [printed(limit, levels, signs, [2, *levels[:-1]]) for signs in PATHS]
            assert released(chosen, levels) == further
            assert all(one >= other for one, other in zip(further, counts, strict=True))
            more += further != counts
    assert more


def test_what_is_no_pure_mechanism_is_denied() -> None:
    filt = fp.RealisationFilter(1.0, 0, 5, (response(1),))
    assert filt.promise == fp.PureDP(1.0)
    assert not filt.admits(filt.start(1), fp.Erasure(1e-300))[0]
