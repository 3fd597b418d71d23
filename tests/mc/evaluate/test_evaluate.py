"""The value of a given strategy without sampling, on routes that share nothing with it."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import count

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.rules.kappa_filter import KappaFilter
from filterproof.mc.evaluate.certified_distribution import CertifiedDistribution
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.evaluate.forward_distribution import ForwardDistribution
from filterproof.mc.evaluate.loss_nodes import BallNodes, nodes_needed
from filterproof.mc.evaluate.quadrature_panels import QuadraturePanels
from filterproof.theory.evidence import Evidence
from filterproof.theory.stopping_level import kappa, optimal_split, realisation_filter_hockey_stick
from tests.mc.worst_case.small_games import CountFilter, strategy_value

COIN = fp.RandomizedResponse.from_ratio(Fraction(3))
TWO = fp.LogRatio(Fraction(2))
GDP = fp.GaussianFilter(mu=1.0)


def asking(
    request: Callable[[fp.AdversaryView], fp.DominatingPair], memory: Callable[[int], object] = lambda n: None
) -> fp.Adversary:
    """An adversary of one's own that asks for what a function of its view says."""
    methods = {
        "request": lambda self, view: request(view),
        "start": lambda self, filt, n, rng: memory(n),
    }
    return type("Asking", (fp.Adversary,), methods)()


def simulated(filt, adversary, value, **how):
    return fp.simulate(
        filt,
        adversary,
        epsilon=float(value.epsilon),
        direction=value.direction,
        n=200_000,
        seed=11,
        workers=1,
        **how,
    )


# -- finitely many outputs ---------------------------------------------------------------------------------------


class Lasting(fp.Constant):
    """Asks for coins until denied, and then for a last erasure."""

    def final(self, view):
        return fp.Erasure(Fraction(1, 4))


def test_what_a_last_release_reveals_outright_counts_too():
    """One coin of 3/4 is granted: 1/4 + 3/4 (3/4 - 2/4)."""
    result = evaluate(fp.BasicFilter(1.2, 0.3), Lasting(COIN), epsilon=TWO, rounds=3, evidence=Evidence.EXACT)
    assert result.value == Fraction(7, 16)


# -- continuous losses -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "strategy",
    [fp.OneShot(), fp.HighWhileLossPositive(pace=5)],
    ids=lambda strategy: type(strategy).__name__,
)
def test_strategies_that_spend_a_gdp_budget_reach_its_promise_down_to_1e_27(strategy):
    for result in evaluate(GDP, strategy, epsilon=[0.0, 1.0, 4.0, 11.0]):
        assert result.value == pytest.approx(GDP.promise.delta(result.epsilon), rel=1e-9)
        assert result.difference < 1e-9 * result.value


def test_the_realisation_filter_has_the_value_of_the_stopped_walk():
    pair, epsilon = fp.Gaussian(0.5), 12.0
    filt = fp.RealisationFilter(epsilon=epsilon, delta=1e-5, rounds=48, menu=(pair,))
    result = evaluate(filt, fp.Constant(pair), epsilon=epsilon)
    split = optimal_split(48, 1e-5)
    limit = float(kappa(epsilon, 2.0, split.dhat, split.theta))
    assert result.value == pytest.approx(
        realisation_filter_hockey_stick(limit, mu=0.5, rounds=48, epsilon=epsilon), rel=1e-8
    )


#: Three levels, with thresholds at losses of no special kind, which move with the round.
MINE = asking(
    lambda view: fp.PairPerRun(
        (fp.Gaussian(0.2), fp.Gaussian(0.35), fp.Gaussian(0.3)),
        (view.loss > 0.137 * view.round).astype(int) + (view.loss > 0.71),
    )
)


def once(view: fp.AdversaryView) -> fp.DominatingPair:
    """Asks for more as soon as the loss was once above 0.3: what it remembers is an array."""
    view.memory |= view.loss > 0.3
    return fp.Gaussian(np.where(view.memory, 0.4, 0.2))


ONCE = asking(once, lambda n: np.zeros(n, dtype=np.bool_))


@pytest.mark.parametrize(("strategy", "filt"), [(MINE, KappaFilter(kappa=0.9, rounds=7)), (ONCE, GDP)])
def test_the_simulated_interval_holds_the_value_of_a_strategy_of_ones_own(strategy, filt):
    result = evaluate(filt, strategy, epsilon=1.0, rounds=8)
    assert result.difference < 1e-6 * result.value
    estimate = simulated(filt, strategy, result, rounds=8, method="plain")
    assert result.value in estimate
    assert estimate.relative_half_width < 0.1


@pytest.mark.parametrize(("on_denial", "squares"), [("halt", 2 * 0.36), ("retry", 2 * 0.36 + 4 * 0.01)])
def test_a_denied_run_halts_or_asks_again(on_denial, squares):
    filt = fp.GaussianFilter(mu=math.sqrt(0.8))
    greedy = asking(lambda view: fp.Gaussian(0.6 if view.round < 4 else 0.1))  # much, and then little
    result = evaluate(filt, greedy, epsilon=1.0, rounds=8, on_denial=on_denial)
    assert result.value == pytest.approx(fp.Gaussian(math.sqrt(squares)).hockey_stick(1.0), rel=1e-10)
    little, epsilon = fp.RandomizedResponse.from_ratio(Fraction(11, 10)), fp.LogRatio(Fraction(14, 5))
    granted = fp.Constant(COIN) if on_denial == "halt" else fp.Scripted((COIN, little), (1, 1))
    played = (asking(lambda view: COIN if view.round < 2 else little), granted)
    one, other = (
        evaluate(fp.BasicFilter(1.2), each, epsilon=epsilon, rounds=3, on_denial=on_denial) for each in played
    )
    assert one.value == other.value


# -- enclosures -------------------------------------------------------------------------------------------------


#: Next to a mechanism that reveals nothing, far from 1 and next to it, and of a mechanism whose square is no double.
CLOSED = [
    (0.7, 2, 9.0, "PQ"),
    (1e-170, 1, 0.0, "PQ"),
    *(
        (0.5, 1, fp.LogRatio(ratio), way)
        for ratio in (Fraction(1, 10**60), Fraction(10**45 + 1, 10**45))
        for way in ("PQ", "QP")
    ),
]


@pytest.mark.parametrize(("mu", "rounds", "epsilon", "direction"), CLOSED, ids=str)
def test_the_enclosure_of_composed_gaussians_holds_the_closed_form(mu, rounds, epsilon, direction):
    result = evaluate(
        GDP,
        fp.Constant(fp.Gaussian(mu)),
        epsilon=epsilon,
        rounds=rounds,
        direction=direction,
        evidence=Evidence.CERTIFIED,
    )
    with mpmath.workdps(400):
        size = mpmath.mpf(mu) * mpmath.sqrt(rounds)
        if isinstance(epsilon, fp.LogRatio):
            ratio = mpmath.mpf(epsilon.ratio.numerator) / epsilon.ratio.denominator
        else:
            ratio = mpmath.exp(epsilon)
        gap = mpmath.log(ratio) / size
        exact = mpmath.ncdf(size / 2 - gap) - ratio * mpmath.ncdf(-size / 2 - gap)
        assert mpmath.mpf(result.low) <= exact <= mpmath.mpf(result.high)
    assert result.high <= result.low * (1 + 1e-10)
    assert result.evidence is Evidence.CERTIFIED


@pytest.mark.slow
def test_the_enclosure_of_a_strategy_with_thresholds_holds_the_numerical_value():
    direction = "QP"
    filt, chasing = (
        KappaFilter(kappa=0.9, rounds=3),
        fp.HighWhileLossPositive(low=0.2, high=0.35, family=fp.Gaussian),
    )
    rough = evaluate(filt, chasing, epsilon=1.0, rounds=3, direction=direction)
    tight = evaluate(filt, chasing, epsilon=1.0, rounds=3, direction=direction, evidence=Evidence.CERTIFIED)
    assert tight.low * (1 - 1e-9) <= rough.value <= tight.high * (1 + 1e-9)
    assert 0 < tight.low <= tight.high <= tight.low * (1 + 1e-9)
    assert "0.9" in tight.scope


def test_quadrature_errs_by_no_more_than_its_bound():
    """Two releases of 0.5 are one of 0.5 sqrt 2: the density at a node against the bounds on its mass."""
    edges = np.linspace(-9.0, 9.0, 10)
    counts = nodes_needed(np.diff(edges) / 2, 0.5, 1e-6)
    nodes = BallNodes.on_panels(edges, edges, counts, 0.5)
    start = np.zeros((1, 2, len(nodes.loss)))
    start[..., -1] = 1.0
    pair = fp.Gaussian(0.5)
    twice = nodes.masses_after_release(pair, nodes.masses_after_release(pair, start))[0]
    weight = np.array([float(w) for w in nodes.weights])
    exact = np.exp(-((nodes.loss - 0.25) ** 2)) / math.sqrt(math.pi) * weight
    assert (twice[0, :-1] <= exact[:-1] * (1 + 1e-14)).all()
    assert (exact[:-1] <= twice[1, :-1] * (1 + 1e-14)).all()
    assert (twice[1] - twice[0]).max() > 1e-9  # so few nodes do err
    middle = (twice[1] + twice[0])[:-1] / 2
    assert np.abs(middle - exact[:-1]).max() < 1e-5


@pytest.mark.parametrize(("edge", "mass"), [(-660.0, 1e-284), (-735.0, 1e-318)])
def test_what_is_paid_and_what_leaves_the_range_is_counted_in_the_law_drawn_from(edge, mass):
    """Far below zero a P-mass next to none has a Q-mass that counts."""
    nodes = BallNodes.on_panels(
        np.array([edge, edge + 10]), np.array([edge, edge + 10]), np.array([160]), 50.0
    )
    masses = np.zeros((1, 2, len(nodes.loss)))
    masses[0, :, 40] = mass
    distribution = CertifiedDistribution(ForwardDistribution(nodes, [], masses[0].copy(), {}), nodes)
    with mpmath.workdps(30):
        x = mpmath.mpf(float(nodes.loss[40]))
        drawn = mpmath.mpf(mass) * mpmath.exp(-x)
        assert (
            drawn * (1 - mpmath.exp(600 + x)) * (1 - mpmath.mpf(2) ** -40)
            <= distribution.divergence_enclosure(600.0, "QP")[1]
            < 1
        )
        nodes.masses_after_release(fp.Gaussian(5.0), masses)
        beyond = mpmath.ncdf(-((edge + 10 - x) / 5 + 2.5)) + mpmath.ncdf(-((x - edge) / 5 - 2.5))
        assert drawn * beyond <= nodes.lost[1] < math.inf


def test_losses_of_which_only_one_law_has_masses_in_doubles_are_refused_in_that_direction():
    filt, options = fp.GaussianFilter(90.0), {"epsilon": 700.0, "rounds": 4}
    result = evaluate(filt, fp.Constant(fp.Gaussian(22.0)), direction="PQ", **options)
    assert result.value == pytest.approx(float(fp.Gaussian(44.0).hockey_stick(700.0)), rel=1e-6)
    for evidence in (None, Evidence.CERTIFIED):
        with pytest.raises(ValueError, match="direction must be PQ"):
            evaluate(filt, fp.Constant(fp.Gaussian(22.0)), direction="both", evidence=evidence, **options)


# -- one request, and a filter that looks at losses -----------------------------------------------------------


@pytest.mark.slow
def test_the_worst_case_over_one_gaussian_is_the_value_of_asking_on():
    filt = KappaFilter(kappa=4.9461276, rounds=4)
    worst = fp.worst_case(filt, fp.Gaussian(0.5), epsilon=10.0)
    value = realisation_filter_hockey_stick(4.9461276, mu=0.5, rounds=4, epsilon=10.0)
    assert worst.low * (1 - 1e-8) <= value <= worst.high * (1 + 1e-8)
    assert worst.high <= worst.low * (1 + 1e-9)
    assert worst.evidence is Evidence.CERTIFIED
    assert worst.strategy == fp.Constant(fp.Gaussian(0.5))
    assert "4.94613" in worst.scope


@pytest.mark.slow
def test_a_limit_smaller_than_any_panel_is_found():
    tiny = fp.worst_case(KappaFilter(2.0**-40, 9), fp.Gaussian(0.5), epsilon=1.0)
    assert tiny.low == pytest.approx(fp.Gaussian(math.sqrt(0.5)).hockey_stick(1.0), rel=1e-9)
    assert "9.09495e-13" in tiny.scope
    assert (
        0.0 in QuadraturePanels.between(set(), low=-1.0, high=2.7, width=0.8, merged=0.0).edges
    )  # else both ends of the limit may lie inside one panel


# -- refusals --------------------------------------------------------------------------------------------------


def rebounding(small: fp.DominatingPair, large: fp.DominatingPair) -> fp.Adversary:
    """Asks for more after a round that went well, whatever went before."""
    return asking(lambda view: fp.PairPerRun((small, large), (view.last > 0.01).astype(int)))


def test_the_last_loss_may_enter_where_outputs_are_finitely_many():
    # after five rounds a loss is reached by a last one above zero and by one below
    filt, strategy = CountFilter(6), rebounding(*map(fp.RandomizedResponse.from_ratio, (2, 4)))
    result = evaluate(filt, strategy, epsilon=TWO, direction="PQ")
    assert result.value == strategy_value(strategy, filt, Fraction(2), 6)


ASKED = count()
REFUSED = [
    (GDP, fp.RandomSpender(), {}, r"rng\.random; use fp\.simulate"),
    (
        CountFilter(2),
        asking(lambda view: COIN, lambda n: [0] * n),
        {},
        "start must return None or arrays of numbers",
    ),
    *(
        (GDP, asking(lambda view, write=write: write(view) or COIN, np.zeros), {}, f"request {what}")
        for write, what in (
            (lambda view: view.loss.fill(0.0), "wrote into read-only memory"),
            (lambda view: view.state[0].fill(0.0), "wrote into read-only memory"),
            (lambda view: setattr(view, "memory", view.memory + 1), "replaced view.memory"),
        )
    ),
    # the last loss of Gaussians
    pytest.param(
        *(GDP, rebounding(fp.Gaussian(0.2), fp.Gaussian(0.3)), {"rounds": 3}, r"use fp\.simulate"),
        marks=pytest.mark.slow,
    ),
    (GDP, fp.HighWhileLossPositive(), {"evidence": Evidence.EXACT}, "rational masses"),
    (GDP, fp.HighWhileLossPositive(), {"evidence": Evidence.DERIVED}, "evidence must be"),
    (CountFilter(2), fp.Constant(fp.Laplace(2.0)), {}, "must request Gaussian pairs"),
    (
        CountFilter(9),
        fp.Scripted((fp.Gaussian(0.3), fp.KOV(0.2, 0.01)), (2, 1)),
        {},
        r"got KOV\(.*use fp\.simulate",
    ),
    (GDP, fp.HighWhileLossPositive(), {"epsilon": 1e16}, "requested pairs differ too much in scale"),
    (CountFilter(9), fp.Constant(COIN), {"epsilon": TWO, "max_positions": 5}, "max_positions=5"),
    # foreign code may ask for more on a narrow band of losses, which probes of a panel need not meet
    (
        fp.GaussianFilter(9.0),
        MINE,
        {"rounds": 2, "evidence": Evidence.CERTIFIED},
        "library's own for CERTIFIED",
    ),
    # what hides what it is a function of
    *(
        (fp.ZCDPFilter(1.2), adversary, {"epsilon": TWO, "rounds": 4}, "must be a function of round")
        for adversary in (
            asking(lambda view: fp.RandomizedResponse.from_ratio(2 + next(ASKED) % 2)),
            asking(lambda view: fp.RandomizedResponse.from_ratio(3 if view.n > 1 else 2)),
        )
    ),
]


@pytest.mark.parametrize(("filt", "adversary", "options", "says"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_evaluated_is_refused_with_the_remedy(filt, adversary, options, says):
    with pytest.raises((TypeError, ValueError), match=says):
        evaluate(filt, adversary, **{"epsilon": 1.0, **options})
