"""Each person's epsilon and delta, held against certified compositions, another library, and closed forms."""

import math

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.losses import fourier_inversion, step_moments
from filterproof.mc.losses.step_moments import StepMoments
from filterproof.theory.conversions import gaussian_epsilon

Q, SIGMA = 0.005, 2.0


def accountant(people=1, q=Q, sigma=SIGMA, levels=(0.25, 0.5, 1.0)):
    return fp.people.IndividualAccountant(people, q=q, sigma=sigma, levels=levels)


def played(rows, **options):
    """One person for each mapping of shares to numbers of steps."""
    people = accountant(len(rows), **options)
    for person, row in enumerate(rows):
        for share, steps in row.items():
            shares = np.zeros(len(rows))
            shares[person] = share
            people.add(shares, steps=steps)
    return people


def certified(row, q=Q, sigma=SIGMA):
    return fp.Composition({fp.SubsampledGaussian(q, sigma / share): steps for share, steps in row.items()})


@pytest.mark.parametrize(
    ("q", "sigma", "rows", "epsilons"),
    [
        (0.005, 2.0, [{1.0: 10_000}], (1.0,)),
        (0.05, 1.0, [{1.0: 40}, {0.25: 30, 1.0: 3}], (0.5,)),
        (0.9, 3.0, [{1.0: 5}, {0.5: 20, 0.25: 7}], (0.0, 1.5)),
        (1.0, 1.5, [{0.5: 3, 1.0: 2}], (0.7, 4.0)),
    ],
    ids=["dp-sgd", "larger batches", "nearly all", "full batches"],
)
def test_delta_lies_between_the_bounds_of_certified_compositions(q, sigma, rows, epsilons):
    people = played(rows, q=q, sigma=sigma)
    for epsilon in epsilons:
        low, high = people.delta(epsilon).made_public()
        for row, below, above in zip(rows, low, high, strict=True):
            exact = certified(row, q, sigma).delta(epsilon, relative=1e-2)
            assert below <= exact.high
            assert exact.low <= above
            if exact.low > 1e-250:
                assert above <= below * 1.001, "all shares are levels, so that the bounds are close"


@pytest.mark.parametrize("delta", [1e-4, 1e-10, 1e-30])
def test_delta_at_the_bounds_of_epsilon_encloses_what_was_asked(delta):
    people = played([{1.0: 2000, 0.25: 500}, {0.5: 400}], q=0.02, sigma=1.0)
    low, high = people.epsilon(delta).made_public()
    assert np.all(low < high)
    for person in range(2):
        assert people.delta(float(low[person])).report_for(person).bounds.high >= delta
        assert people.delta(float(high[person])).report_for(person).bounds.low <= delta
    if delta > 1e-20:  # far below, tilts come near to where moments of single large steps explode
        assert np.all(high < low * (1 + 1e-3))


def test_shares_between_levels_lie_between_their_neighbours():
    shares = (1e-3, 0.3, 0.5, 0.7)
    people = accountant(4)
    people.add(np.array(shares), steps=1000)
    low, high = people.epsilon(1e-6).made_public()
    ends = played([{level: 1000} for level in (0.25, 0.5, 1.0)])
    below, above = ends.epsilon(1e-6).made_public()
    # the least level stands above a tiny share, and below it nothing
    assert np.allclose(low, [0.0, below[0], below[1], below[1]], rtol=1e-6, atol=0)
    assert np.allclose(high, [above[0], above[1], above[1], above[2]], rtol=1e-6, atol=0)
    # and the shares themselves lie between
    exact = played([{share: 1000} for share in shares], levels=(*shares, 1.0))
    least, most = exact.epsilon(1e-6).made_public()
    assert np.all(low <= most)
    assert np.all(least <= high)
    assert np.all(most[1:] < least[1:] * (1 + 1e-5))


def test_the_grid_that_is_made_is_geometric():
    levels = fp.people.IndividualAccountant(1, q=Q, sigma=SIGMA).levels
    assert len(levels) == 100
    assert levels[[0, -1]] == pytest.approx([1 / 256, 1.0], rel=1e-15)
    assert np.ptp(levels[1:] / levels[:-1]) < 1e-12


def test_no_step_and_no_share_cost_nothing():
    people = accountant(2)
    people.add([0.0, 1.0], steps=200)
    for result in (people.epsilon(1e-5), people.delta(0.5)):
        assert result.made_public()[:, 0].tolist() == [0.0, 0.0]
    assert accountant(3).epsilon(1e-5).made_public().tolist() == [[0.0] * 3] * 2


def test_a_person_among_others_has_the_epsilon_that_they_have_alone_and_step_by_step(monkeypatch):
    people, rng = 40, np.random.default_rng(3)
    shares = np.minimum(rng.lognormal(-1.5, 1.0, (60, people)), 1.0)
    crowd, alone = (fp.people.IndividualAccountant(n, q=0.02, sigma=1.0) for n in (people, 3))
    for row in shares:
        crowd.add(row, steps=10)
        for _ in range(10):
            alone.add(row[[0, 17, 39]])
    epsilons = crowd.epsilon(1e-6).made_public()
    monkeypatch.setattr(fourier_inversion, "_MAX_HELD", 256)  # a few people at a time
    assert np.allclose(crowd.epsilon(1e-6).made_public(), epsilons, rtol=1e-9, atol=0)
    assert np.allclose(alone.epsilon(1e-6).made_public(), epsilons[:, [0, 17, 39]], rtol=1e-6, atol=0)


ODD = [
    *(({"q": 9e-7}, ValueError), ({"sigma": 0.19}, ValueError), ({"sigma": 1001.0}, ValueError)),
    *(({"levels": levels}, ValueError) for levels in ([0.5], [0.5, 0.5, 1.0], [0.0, 1.0], [9e-7, 1.0])),
    *(({"people": 2**32}, ValueError), ({"delta": 0.0}, ValueError), ({"epsilon": -0.1}, ValueError)),
    *(({"shares": shares}, ValueError) for shares in ([0.5, 1.0000001], [0.5], [0.5, math.nan])),
    *(({"shares": shares}, TypeError) for shares in ("ab", [True, True], [[0.5, 1.0]])),
    ({"shares": np.ma.array([0.5, 1.0], mask=[1, 0])}, TypeError),
    ({"steps": 2**32 - 50}, ValueError),
]


@pytest.mark.parametrize(("given", "error"), ODD, ids=range(len(ODD)))
def test_what_makes_no_accountant_or_no_question_is_refused_and_counts_nothing(given, error):
    ((name, value),) = given.items()
    people = accountant(2)
    people.add([0.5, 1.0], steps=50)
    before = people.epsilon(1e-5).made_public()
    calls = {
        "delta": lambda: people.epsilon(value),
        "epsilon": lambda: people.delta(value),
        "shares": lambda: people.add(value),
        "steps": lambda: people.add([0.5, 1.0], steps=value),
    }
    with pytest.raises(error, match=f"{name} must"):
        calls.get(name, lambda: accountant(**given))()
    assert np.array_equal(people.epsilon(1e-5).made_public(), before)


@pytest.mark.parametrize("level", [1e-6, 1.0], ids=str)
@pytest.mark.parametrize(("q", "sigma"), [(1e-6, 1000.0), (1 - 2.0**-53, 0.2), (1.0, 1000.0)], ids=str)
def test_every_corner_of_what_is_accepted_is_answered(q, sigma, level):
    levels = sorted({level, 1.0})
    people = fp.people.IndividualAccountant(2, q=q, sigma=sigma, levels=levels)
    people.add([level, 0.0], steps=1)
    people.add([0.0, level], steps=2**32 - 2)
    full = fp.Gaussian(level / sigma)
    for delta in (1e-300, 0.5):
        low, high = people.epsilon(delta).made_public()
        assert np.all((low >= 0) & (low <= high) & np.isfinite(high))
        # sampling only lowers the epsilon of one step of the full batch
        assert low[0] <= float(gaussian_epsilon(level / sigma, delta)) * (1 + 1e-9)
    for epsilon in (0.0, 1e3):
        low, high = people.delta(epsilon).made_public()
        assert np.all((low >= 0) & (low <= high) & (high > 0) & (high <= 1))
        assert low[0] <= float(full.hockey_stick(epsilon)) * (1 + 1e-9) + 1e-300


def forget():
    for cached in (
        fourier_inversion._tilted_moments,
        fourier_inversion._modulus_envelope,
        fourier_inversion._characteristic_functions,
    ):
        cached.cache_clear()


def test_an_answer_does_not_depend_on_what_was_asked_before():
    def bounds(count):
        people = np.array([[count]], dtype=np.uint32)
        return [
            fourier_inversion.FourierInversion([StepMoments(0.01, 1.0, 1.0)], people, way).delta(1.0)
            for way in ("PQ", "QP")
        ]

    forget()
    fresh = bounds(100)
    forget()
    bounds(10)  # more frequencies than the others need
    assert bounds(100) == fresh


def test_frequencies_that_would_take_too_much_memory_are_unknown(monkeypatch):
    exact = played([{1.0: 30}], q=0.1, sigma=1.0).delta(1.0).report_for(0).bounds
    monkeypatch.setattr(step_moments, "_MAX_HELD", 1)
    forget()
    wide = played([{1.0: 30}], q=0.1, sigma=1.0).delta(1.0).report_for(0).bounds
    forget()
    assert wide.low <= exact.low <= exact.high <= wide.high <= 1.0
    assert wide.high - wide.low > exact.high - exact.low


def test_results_hide_themselves_and_tell_one_person():
    people = played([{1.0: 100}, {0.5: 100}], q=0.02)
    result = people.epsilon(1e-5)
    low, high = result.made_public()
    for thing in (result, result.low, people, result.report_for(1)):
        for text in (repr(thing), f"{thing!r}"):
            assert "hidden" in text
            assert str(high[0])[:5] not in text
    report = str(result.report_for(1))
    assert report.startswith("For person 1 only")
    assert f"{high[1]:.9g}" in report
    assert len(result) == 2
    with pytest.raises(IndexError, match="person must be below 2"):
        result.report_for(2)
    assert result.report_for(0).bounds.low == low[0]
