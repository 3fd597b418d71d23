"""A fixed sequence goes through the filter's own code, and what it reveals is a certified lower bound."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filters.privacy_filter import PrivacyFilter
from mc.examine import sequence
from mc.examine.measure import Measure
from mc.examine.sequence import Sequence, granted
from mc.losses.renyi_low import renyi_low
from tests.mc.losses.enumerated import composed, real
from theory.pairs import FinitePair, Gaussian, Laplace

TILTED = FinitePair(
    (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)), (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5))
)


def gaussian(mu: mpmath.mpf, epsilon: float) -> mpmath.mpf:
    e = real(epsilon)
    return mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mpmath.workdps(60):
        yield


#: What each recording filter was asked: kept outside, for a filter that changes itself is not pure.
_ASKED = {}


class Recording(PrivacyFilter):
    """Admits while the sum of mu^2 is at most 1; what it is asked is recorded."""

    promise = fp.GaussianDP(1.0)

    @property
    def asked(self):
        return _ASKED.setdefault(id(self), [])

    def start(self, n):
        return np.zeros(n)

    def admits(self, state, request):
        self.asked.append(request)
        return state + float(request.mu) ** 2 <= 1.0

    def spend(self, state, request):
        return state + float(request.mu) ** 2


class OwnGrant(Recording):
    """Its grant, which a session asks, allows twice as much as its admits and charges half."""

    def grant(self, state, request):
        cost = float(request.mu) ** 2
        return state + cost <= 2.0, state + cost / 2


class Swallows(Recording):
    """Adds to one: what is below half a last place of 1 is swallowed."""

    def start(self, n):
        return np.ones(n)

    def admits(self, state, request):
        self.asked.append(request)
        return state + float(request.mu) ** 2 <= 2.0


class Counts(Swallows):
    """The same, with a counter of requests, and no more than a million of them."""

    def start(self, n):
        return np.ones(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        return (state[0] + float(request.mu) ** 2 <= 2.0) & (state[1] < 10**6)

    def spend(self, state, request):
        return state[0] + float(request.mu) ** 2, state[1] + 1


class Looks(Recording):
    """Looks at losses."""

    def observe(self, state, loss):
        return state - np.maximum(-loss, 0)


TINY = Gaussian(2.0**-30)


def test_every_request_is_put_to_the_filters_own_code_in_order() -> None:
    filt = Recording()
    steps = ((Gaussian(0.5), 2), (Gaussian(0.25), 3), (Gaussian(0.5), 1))
    assert Sequence(steps).admitted(filt)
    assert filt.asked == [Gaussian(0.5)] * 2 + [Gaussian(0.25)] * 3 + [Gaussian(0.5)]


def test_a_sequence_is_admitted_only_if_its_last_request_is() -> None:
    for times, whole in ((4, True), (5, False)):
        filt = Recording()
        assert Sequence(((Gaussian(0.5), times),)).admitted(filt) is whole
        assert len(filt.asked) == times
    assert not Sequence(((Gaussian(1.5), 1), (Gaussian(0.1), 1))).admitted(Recording())


def test_the_grant_of_a_filter_that_has_one_is_what_counts() -> None:
    assert Sequence(((Gaussian(0.5), 15),)).admitted(OwnGrant())
    assert not Sequence(((Gaussian(0.5), 16),)).admitted(OwnGrant())
    state = granted(OwnGrant(), np.zeros(1), Gaussian(0.5))
    assert state is not None
    assert state.tolist() == [0.125]
    assert granted(OwnGrant(), np.full(1, 2.0), Gaussian(0.5)) is None


@pytest.fixture(autouse=True)
def most_played(monkeypatch: pytest.MonkeyPatch) -> int:
    """So many are played, of twenty thousand."""
    monkeypatch.setattr("mc.examine.sequence.MOST_PLAYED", 500)
    return 500


def test_what_leaves_the_state_as_it_was_is_granted_any_number_of_times(most_played: int) -> None:
    filt = Swallows()
    assert Sequence(((TINY, 10**12),)).admitted(filt)
    assert len(filt.asked) == most_played
    assert Sequence(((Gaussian(0.5), 2), (TINY, 10**12))).admitted(filt)


def test_what_moves_the_state_is_granted_as_often_as_it_was_played_and_no_more(most_played: int) -> None:
    for pair, kind in ((Gaussian(2.0**-20), Swallows), (Gaussian(2.0**-24), Swallows), (TINY, Counts)):
        assert Sequence(((pair, most_played),)).admitted(kind())
        assert not Sequence(((pair, most_played + 1),)).admitted(kind())


def test_of_a_filter_that_looks_at_losses_one_request_is_a_sequence_and_two_are_not() -> None:
    assert Sequence(((Gaussian(0.5), 1),)).admitted(Looks())
    assert not Sequence(((Gaussian(2.0), 1),)).admitted(Looks())
    assert not Sequence(((Gaussian(0.5), 2),)).admitted(Looks())
    assert not Sequence(((Gaussian(0.5), 1), (Gaussian(0.25), 1))).admitted(Looks())


# -- what is revealed ------------------------------------------------------------------------------------------


def test_steps_of_one_pair_are_counted_together() -> None:
    played = Sequence(((Gaussian(0.5), 2), (TILTED, 1), (Gaussian(0.5), 3)))
    assert played.counts == {Gaussian(0.5): 5, TILTED: 1}
    assert played.rounds == 6


def test_a_gaussian_beside_a_finite_pair_is_the_mixture_over_its_outputs() -> None:
    """H of a Gaussian and a finite pair is the mean over outputs of the Gaussian's H at a moved epsilon."""
    mus, epsilon = (0.5, 0.5, 1.0), 1.0
    total = mpmath.sqrt(sum(real(mu) ** 2 for mu in mus))
    played = Sequence((*((Gaussian(mu), 1) for mu in mus), (TILTED, 1)))
    for direction, one in (("PQ", TILTED), ("QP", TILTED.swapped)):
        true = sum(
            real(p) * gaussian(total, real_float(epsilon - mpmath.log(real(p) / real(q))))
            for p, q in composed(one, 1)
        )
        low = played.low(Measure.hockey_stick(epsilon, direction))
        assert true * (1 - 1e-3) <= low <= true


def real_float(x: mpmath.mpf) -> Fraction:
    return Fraction(mpmath.nstr(x, 40))


def test_what_may_reveal_all_counts_in_the_direction_in_which_it_does() -> None:
    reveals = FinitePair((Fraction(1, 4), Fraction(3, 4)), (Fraction(0), Fraction(1)))
    played = Sequence(((reveals, 2), (Gaussian(0.1), 1)))
    assert played.low(Measure.hockey_stick(500.0)) == pytest.approx(7 / 16, rel=1e-12)
    assert played.low(Measure.hockey_stick(500.0, "QP")) == 0
    assert played.low(Measure.renyi(2.0)) == math.inf
    # D_2(Q || P) = log E_P[(Q/P)^2] = log(4/3) each
    true = 2 * mpmath.log(real(Fraction(4, 3))) + real(0.1) ** 2
    low = played.low(Measure.renyi(2.0, "QP"))
    assert true * (1 - 1e-10) <= low <= true


@pytest.mark.parametrize("order", [1.1, 2.0, 32.0])
def test_renyi_divergences_add_and_those_of_gaussians_are_exact(order: float) -> None:
    played = Sequence(((Gaussian(0.5), 3), (Gaussian(0.1), 7)))
    true = real(order) * (3 * real(0.5) ** 2 + 7 * real(0.1) ** 2) / 2
    low = played.low(Measure.renyi(order))
    assert low <= true <= low * (1 + 1e-15)
    mixed = Sequence((*played.steps, (TILTED, 2), (Laplace(2.0), 1)))
    rest = 2 * real(renyi_low(TILTED, order)) + real(renyi_low(Laplace(2.0), order))
    low = mixed.low(Measure.renyi(order))
    assert low <= true + rest <= low * (1 + 1e-15)


def test_nothing_reveals_nothing() -> None:
    for measure in (Measure.hockey_stick(0.0), Measure.renyi(2.0)):
        assert Sequence(()).low(measure) == 0


# -- data ------------------------------------------------------------------------------------------------------


def test_what_cannot_lose_more_than_epsilon_is_not_composed_and_what_may_by_a_rounding_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Composing dozens of kinds that reveal nothing at a pure promise had taken a third of an examination."""

    def composed(counts: object) -> None:
        raise RuntimeError("composed")

    monkeypatch.setattr(sequence, "Composition", composed)
    at_one, tenth = Measure.hockey_stick(1.0), fp.RandomizedResponse(0.1)
    kinds = tuple((fp.RandomizedResponse(1 / (k * (k + 1))), 1) for k in range(2, 50))
    assert Sequence(kinds).low(at_one, 0.0) == 0.0
    assert Sequence(((tenth, 9), (fp.RandomizedResponse(0.09), 1))).low(at_one) == 0.0
    # ten times the double next to 0.1 is more than 1, though the sum in doubles is less
    for more in ((tenth, 10),), ((tenth, 9), (fp.Erasure(1e-9), 1)), ((fp.Gaussian(1e-3), 1),):
        with pytest.raises(RuntimeError, match="composed"):
            Sequence(more).low(at_one)
