"""Games of finite pairs by every route: brute force, rationals, enclosures, coarser losses, strategies, simulation."""

import math
import sys
from collections.abc import Callable
from fractions import Fraction

import mpmath
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from filterproof.filters import (
    ApproximateDPFilter,
    BasicFilter,
    ExPostFilter,
    GaussianFilter,
    RenyiFilter,
    ZCDPFilter,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.estimate.survival import release_survival
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.worst_case import worst_case
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from filterproof.theory.evidence import Evidence
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import KOV, DominatingPair, Erasure, FinitePair, Gaussian, RandomizedResponse
from filterproof.theory.pairs.base import Direction
from tests.mc.losses.enumerated import real
from tests.mc.worst_case.small_games import (
    CountFilter,
    LossFilter,
    PurseFilter,
    SquaresFilter,
    WhimFilter,
    play_out,
    played,
    strategy_value,
)

TINY = Fraction(1, 2**200)
RATIOS = st.fractions(Fraction(10, 9), 4, max_denominator=9)
SHARES = st.fractions(Fraction(1, 40), Fraction(2, 3), max_denominator=40)
MASSES = st.tuples(*[st.integers(0, 5)] * 3).filter(sum).map(lambda m: tuple(Fraction(k, sum(m)) for k in m))
#: Levels with rational masses, and levels at multiples of a step.
LEVELS = st.one_of(
    st.builds(RandomizedResponse.from_ratio, RATIOS),
    st.builds(KOV.from_ratio, RATIOS | st.just(Fraction(1)), SHARES),
    st.builds(Erasure, SHARES | st.just(Fraction(1))),
)
STEPS = st.integers(0, 12).map(lambda k: k / 4)
#: Levels that are multiples of one step but for rounding.
LOOSE = st.lists(
    st.builds(RandomizedResponse, st.sampled_from([0.7, 1.4, 3 * 0.7, 2.1 * (1 + 3e-13)]))
    | st.builds(KOV, st.just(0.7), st.sampled_from([0.1, 0.5])),
    min_size=2,
    max_size=3,
    unique=True,
)
#: Levels whose common step is astronomically small.
FAR = st.sampled_from([(1e-300, 1.0), (1e-310, 1.0), (1.0, 1 / 3, 0.1)]).map(
    lambda levels: [RandomizedResponse(level) for level in levels]
)
DOUBLES = st.one_of(
    st.builds(RandomizedResponse, STEPS),
    st.builds(KOV, STEPS, st.sampled_from([0.0, 0.01, 0.5])),
    st.builds(Erasure, st.sampled_from([0.0, 1e-300, 0.1, 0.5, 1.0])),
)
#: Levels on one lattice.
POWERS = st.tuples(RATIOS, SHARES).flatmap(
    lambda drawn: st.lists(
        st.sampled_from(
            [*(RandomizedResponse.from_ratio(drawn[0] ** k) for k in (1, 2)), KOV.from_ratio(*drawn)]
        ),
        min_size=2,
        max_size=3,
        unique=True,
    )
)
MENUS = st.one_of(
    st.lists(LEVELS | st.builds(FinitePair, MASSES, MASSES), min_size=1, max_size=3, unique=True),
    st.lists(LEVELS, min_size=1, max_size=2, unique=True),
    POWERS,
)
#: Pairs of doubles.
EIGHTHS = st.builds(FinitePair, *[st.integers(0, 8).map(lambda k: (k / 8, 1 - k / 8))] * 2)
#: Levels and masses next to nothing, next to one, or beyond doubles, each alone or beside an erasure.
EXTREMES = st.tuples(
    st.sampled_from(
        [
            *(Erasure(1 - TINY), Erasure(TINY), KOV(0.5, 1.0), KOV(1e-300, 0.1), KOV(700.0, 1e-300)),
            *(KOV.from_ratio(3, 1 - TINY), KOV.from_ratio(3, TINY)),
            *(RandomizedResponse(1e-12), RandomizedResponse(40.0), RandomizedResponse(900.0)),
            *(RandomizedResponse.from_ratio(one) for one in (10**400, 1 + Fraction(1, 2**60), 1 + TINY)),
        ]
    ),
    st.sampled_from([(), (Erasure(Fraction(1, 30)),)]),
).map(lambda drawn: [drawn[0], *drawn[1]])


@st.composite
def games(
    draw: st.DrawFn, menus: st.SearchStrategy[list[DominatingPair]]
) -> tuple[PrivacyFilter, tuple[DominatingPair, ...]]:
    """A filter with a small budget, of the catalogue or of no rule at all, and a menu of at most three pairs."""
    menu = tuple(draw(menus))
    size = draw(st.sampled_from([0.3, 0.7, 1.5, 3.0]))
    rules: dict[str, Callable[[], PrivacyFilter]] = {
        "basic": lambda: BasicFilter(size, 0.3),
        "zCDP": lambda: ZCDPFilter(size),
        "GDP": lambda: GaussianFilter(size),
        "Renyi": lambda: RenyiFilter(4.0, size),
        "approximate": lambda: ApproximateDPFilter(size, 0.3),
        "ex post": lambda: ExPostFilter(size),
        "rounds": lambda: CountFilter(2),
        "losses": lambda: LossFilter(size, 3),
        "objects": lambda: PurseFilter(float(menu[-1].pure_epsilon)),
        "no rule": lambda: WhimFilter(menu, draw(st.integers(0, 99))),
    }
    if all(type(pair) is RandomizedResponse and float(pair.epsilon) < 40 for pair in menu):
        rules["squares"] = lambda: SquaresFilter(size, 9)
    kind = draw(st.sampled_from(list(rules)))
    event(kind)
    return rules[kind](), menu


RARE = FinitePair((Fraction(1, 8), Fraction(7, 8)), (Fraction(1, 16), Fraction(15, 16)))
#: After bad luck for the adversary the filter goes on.
UNEVEN = LossFilter(0.3, 3), (RandomizedResponse.from_ratio(Fraction(3, 2)), RARE, RARE.swapped)
THREE, TWO = (RandomizedResponse.from_ratio(ratio) for ratio in (3, 2))
#: After both requests in either order the losses are the same, and the states are not.
OPENED = PurseFilter(float(TWO.epsilon)), (THREE, TWO)


@example(  # some states are reached in one round and in four, and more rounds would be granted
    game=(
        SquaresFilter(math.log(9 / 8), 9),
        tuple(RandomizedResponse.from_ratio(Fraction(9, 8) ** k) for k in (1, 2)),
    ),
    ratio=Fraction(5, 4),
    rounds=5,
    direction="PQ",
)
@example(game=OPENED, ratio=Fraction(2), rounds=3, direction="PQ")
@example(game=UNEVEN, ratio=Fraction(9, 8), rounds=3, direction="QP")
@example(  # of two directions that doubles do not tell apart the larger counts
    game=(CountFilter(1), (FinitePair((2 * TINY, 1 - 2 * TINY), (Fraction(1), Fraction(0))),)),
    ratio=TINY,
    rounds=1,
    direction="QP",
)
@example(  # a payoff next to a power of two
    game=(
        LossFilter(5.0, 1),
        (FinitePair((Fraction("0.6"), Fraction("0.4")), (Fraction("0.1"), Fraction("0.9"))),),
    ),
    ratio=3 - Fraction(1, 3 * 2**60),
    rounds=1,
    direction="PQ",
)
@settings(deadline=None, max_examples=40)
@given(
    game=games(MENUS),
    ratio=st.fractions(Fraction(1, 2), 4, max_denominator=8)
    | st.tuples(st.sampled_from([1, 2]), st.sampled_from([1 - TINY, Fraction(1), 1 + TINY])),
    rounds=st.integers(1, 3),
    direction=st.sampled_from(["PQ", "QP"]),
)
def test_exact_worst_case_is_brute_force_and_every_other_route_agrees_with_it(game, ratio, rounds, direction):
    filt, menu = game
    if isinstance(ratio, tuple):  # beside a loss, closer than the working precision
        ratio = (getattr(menu[0], "ratio", None) or Fraction(9, 8)) ** ratio[0] * ratio[1]
    options = {"epsilon": LogRatio(ratio), "rounds": rounds, "direction": direction}
    truth = play_out(filt, menu, ratio, rounds, direction)
    solved = worst_case(filt, menu, **options)
    assert solved.evidence is Evidence.EXACT
    assert solved.value == truth
    assert Fraction(solved.low) <= truth <= Fraction(solved.high)
    # both directions are the larger of the two
    way: dict[str, Direction] = {"PQ": "QP", "QP": "PQ"}
    reverse = play_out(filt, menu, ratio, rounds, way[direction])
    both = worst_case(filt, menu, **options | {"direction": "both"})
    assert both.value == max(truth, reverse)
    # the strategy reaches it, asked in every history by itself, and by the walk over positions
    assert strategy_value(solved.strategy, filt, ratio, rounds, direction) == truth
    if not isinstance(filt, WhimFilter):  # which takes one request for all runs
        assert evaluate(filt, solved.strategy, **options).value == truth
        asked = evaluate(filt, both.strategy, on_denial="retry", **options | {"direction": "both"})
        assert asked.value == both.value
        larger = direction if truth > reverse else way[direction]
        assert truth == reverse or asked.direction == both.direction == larger
    # a denied run that may ask again gains nothing
    retry = worst_case(filt, menu, on_denial="retry", **options)
    assert (retry.value, "retry" in retry.scope) == (truth, True)
    # the roles of P and Q may be exchanged
    if not filt.looks_at_losses and not isinstance(filt, WhimFilter):
        swapped = worst_case(filt, [pair.swapped for pair in menu], **options | {"direction": way[direction]})
        assert swapped.value == truth
    if any(type(pair) is FinitePair for pair in menu) and not filt.looks_at_losses:
        return  # whose losses are not known in balls
    # an enclosure holds it, and hardly more where losses lie on a lattice or are kept as they are
    ball = worst_case(filt, menu, evidence=Evidence.CERTIFIED, **options)
    assert Fraction(ball.low) <= truth <= Fraction(ball.high)
    alone = len({getattr(pair, "ratio", None) for pair in menu if type(pair) is not Erasure}) <= 1
    assert ball.high - ball.low <= (1e-10 * truth + 2.0**-149 if alone or filt.looks_at_losses else 0.05)
    assert Fraction(ball.low) <= strategy_value(ball.strategy, filt, ratio, rounds, direction) <= truth
    if not (alone or filt.looks_at_losses):  # and so does one with coarser losses
        coarse = worst_case(filt, menu, evidence=Evidence.CERTIFIED, step=0.5, **options)
        assert Fraction(coarse.low) <= truth <= Fraction(coarse.high)


@settings(deadline=None, max_examples=10)
@given(
    game=games(
        st.lists(
            st.builds(Gaussian, st.floats(0.3, 1.5)) | st.builds(Erasure, SHARES), min_size=1, max_size=2
        )
    ),
    epsilon=st.sampled_from([0.0, 0.5, 2.0]),
    rounds=st.integers(1, 3),
    step=st.floats(0.05, 0.1),
)
def test_coarse_losses_enclose_fine_ones(game, epsilon, rounds, step):
    filt, menu = game
    assume(not filt.looks_at_losses)
    options = {"epsilon": epsilon, "rounds": rounds, "evidence": Evidence.CERTIFIED}
    fine, coarse = (worst_case(filt, menu, step=width, **options) for width in (step, 4 * step))
    assert coarse.low <= fine.low * (1 + 1e-9) + 1e-11  # but for rounding
    assert fine.high <= coarse.high * (1 + 1e-9) + 1e-11


EPSILONS = st.sampled_from([0.0, 0.5, 1.0, 0.6]) | st.builds(LogRatio, st.fractions(Fraction(3, 8), 3))
#: Games and epsilons, with how coarse a lattice may be where the default has too many losses, or more than is needed.
ASKED = st.one_of(
    st.tuples(
        games(EXTREMES | LOOSE | st.lists(DOUBLES | LEVELS, min_size=1, max_size=3, unique=True)),
        EPSILONS,
        st.sampled_from([{}, {"relative": 0.5}]),
    ),
    st.tuples(games(FAR), EPSILONS, st.just({"step": 0.01})),
    st.tuples(games(st.just([RandomizedResponse.from_ratio(2)])), st.sampled_from([1e5, 1e300]), st.just({})),
)


@example(
    asked=((WhimFilter((KOV(1e-300, 0.1),), 0), (KOV(1e-300, 0.1),)), 0.0, {}),
    rounds=3,
    direction="PQ",
    evidence=Evidence.CERTIFIED,
)
@settings(deadline=None, max_examples=40)
@given(
    asked=ASKED,
    rounds=st.integers(1, 3),
    direction=st.sampled_from(["PQ", "QP"]),
    evidence=st.sampled_from([None, Evidence.CERTIFIED]),
)
def test_worst_case_holds_brute_force_in_mpmath(asked, rounds, direction, evidence):
    (filt, menu), epsilon, how = asked
    options = {"epsilon": epsilon, "rounds": rounds, "direction": direction}
    solved = worst_case(filt, menu, evidence=evidence, **options, **how)
    with mpmath.workdps(330):  # the losses of KOV(1e-300, 0.1) have a sign, which a filter may look at
        ratio = real(epsilon.ratio) if isinstance(epsilon, LogRatio) else mpmath.exp(real(epsilon))
        truth = play_out(filt, menu, ratio, rounds, direction)
        off = mpmath.mpf(10) ** -110 * truth  # of the recursion itself
        assert mpmath.mpf(solved.low) - off <= truth <= mpmath.mpf(solved.high) + off
    assert solved.evidence is (Evidence.CERTIFIED if solved.value is None else Evidence.EXACT)
    assert solved.value is None or not evidence


@example(game=UNEVEN, order=8.0, rounds=3, direction="QP")
@settings(deadline=None, max_examples=30)
@given(
    game=games(MENUS | EXTREMES | st.lists(EIGHTHS | LEVELS, min_size=1, max_size=3, unique=True)),
    order=st.sampled_from([1.5, 2.0, 8.0, 100.0]),
    rounds=st.integers(1, 3),
    direction=st.sampled_from(["PQ", "QP"]),
)
def test_renyi_game_is_brute_force_from_below(game, order, rounds, direction):
    filt, menu = game
    low, _ = renyi_worst_case_lower_bound(filt, menu, order=order, rounds=rounds, direction=direction)
    with mpmath.workdps(330):
        pays = lambda p, q: p * (p / q) ** (order - 1) if q else mpmath.inf  # noqa: E731
        truth = mpmath.log(played(filt, menu, pays, rounds, direction, real)) / (order - 1)
        assert low <= truth
        most = min(truth, math.log(sys.float_info.max) / (order - 1))  # a moment in doubles
    assert low >= (math.inf if truth == math.inf else most * (1 - 1e-10) - 1e-13)


@settings(deadline=None, max_examples=15)
@given(
    game=games(
        st.lists(st.builds(RandomizedResponse.from_ratio, RATIOS), min_size=1, max_size=2, unique=True)
    ),
    seed=st.integers(0, 2**32),
)
def test_simulation_of_the_worst_strategy_meets_its_value(game, seed):
    """Null: the interval misses with chance 1e-9 at most, so in 15 examples with 1.5e-8."""
    filt, menu = game
    # which take one request for all runs, or long
    assume(not isinstance(filt, (WhimFilter, PurseFilter)))
    solved = worst_case(filt, menu, epsilon=LogRatio(2), rounds=3)
    estimate = simulate(
        filt,
        solved.strategy,
        epsilon=math.log(2),
        n=4_000,
        rounds=3,
        seed=seed,
        direction=solved.direction,
        failure=1e-9,
        workers=1,
    )
    assert estimate.low <= solved.high
    assert solved.low <= estimate.high


def test_an_object_that_is_changed_in_place_is_that_of_one_run():
    survival = release_survival(PurseFilter(math.nan), Constant(TWO), rounds=3, n=100, workers=1)
    assert [share.value for share in survival.at] == [1, 1, 0]
