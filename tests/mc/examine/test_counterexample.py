"""A counterexample of any kind replays from its data alone, refutes by the number played here, and by no other."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import pytest

import filterproof as fp
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.engine.encoding import allowed_values_by_name, encode
from filterproof.mc.examine.counterexample import (
    Counterexample,
    encode_or_class_name,
    measured_counterexample,
    record_simulation,
    replay,
)
from filterproof.mc.examine.divergence import Bound, Divergence
from filterproof.mc.examine.replay import KINDS, Replayed, ReplayError, replay_data
from filterproof.mc.intervals.estimate import Estimate
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.stable import log_fraction
from tests.mc.examine.counterexamples import COUNTEREXAMPLES, HELD, naive, natural_plan, sequence
from tests.mc.examine.example_filters import ByHand, Forgets


@cache
def example(kind: str) -> Counterexample:
    return COUNTEREXAMPLES[kind][0]()


def own_number(kind: str, again: Replayed) -> object:
    return again.result if kind == "plan" else getattr(again.result, COUNTEREXAMPLES[kind][1])


#: Kind -> rounds, how sure it is, whether it is adaptive; and the numbers whose last bits are the processor's.
SAYS: dict[str, tuple[int, Evidence, bool, tuple[str, ...]]] = {
    "simulation": (6, Evidence.STATISTICAL, True, ("value", "low", "high", "promised")),
    "plan": (2, Evidence.EXACT, True, ("promised",)),
    "menu": (3, Evidence.CERTIFIED, True, ("low", "high", "promised")),
    "sequence": (40, Evidence.CERTIFIED, False, ("low", "promised")),
}


@pytest.mark.parametrize("kind", COUNTEREXAMPLES)
def test_a_counterexample_refutes_after_a_passage_through_json_and_says_how_long_and_how_sure_it_is(
    kind: str,
) -> None:
    shown = example(kind)
    again = replay_data(json.dumps(shown.to_data()), filt=shown.filter)
    assert again.refutes
    assert str(own_number(kind, again)) == str(shown.data[COUNTEREXAMPLES[kind][1]])
    assert again.measure == shown.measure == Divergence.hockey_stick(shown.measure.at)
    assert (shown.kind, shown.rounds, shown.evidence, shown.adaptive) == (kind, *SAYS[kind][:3])
    assert shown.replay().result == again.result


def test_the_numbers_are_those_of_another_route() -> None:
    simulated, planned = example("simulation"), example("plan")
    assert simulated.data["adversary"] == {"type": "EraserForever", "p": 0.01}
    assert simulated.data["low"] <= 1 - 0.99**6 <= simulated.data["high"]
    assert replay(planned) == 1 - Fraction(99, 100) ** 2
    # forty of 0.2 make a Gaussian of 0.2 sqrt(40)
    assert example("sequence").value == pytest.approx(fp.GaussianDP(0.2 * math.sqrt(40)).delta(1.0), rel=1e-9)


@pytest.mark.parametrize("kind", SAYS)
def test_the_last_bits_are_the_processors_and_a_number_that_differs_by_more_is_refused(kind: str) -> None:
    shown = example(kind)
    here = shown.replay()
    for name in SAYS[kind][3]:
        for part in (1 + 2.0**-44, 1 - 2.0**-44):
            changed = shown.to_data() | {name: shown.data[name] * part}
            assert replay_data(changed, filt=shown.filter) == here
        for part in (1 + 2.0**-38, 1 - 2.0**-38, 0.0):
            with pytest.raises(ReplayError):
                replay(shown.to_data() | {name: shown.data[name] * part}, filt=shown.filter)
    if kind == "plan":  # its worth is exact
        with pytest.raises(ReplayError, match="replay to the bit"):
            replay(shown.to_data() | {"value": str(Fraction(shown.data["value"]) * (1 + Fraction(1, 2**60)))})


@dataclass(frozen=True)
class Mine(ByHand):
    """A filter that the catalogue does not know."""

    most: float = 0.5


class Odd(Mine):
    """Made in a way of its own."""

    def __init__(self) -> None:
        super().__init__(0.5)


def of_mine(*kinds: type, filt: Mine = Mine(0.5)) -> Counterexample:
    return record_simulation(filt, Constant(fp.Gaussian(0.5)), epsilon=1.0, n=500, seed=1, kinds=kinds)


def forged(ratio: Fraction, filt: fp.PrivacyFilter[Any], pair: fp.RandomizedResponse) -> dict[str, Any]:
    """The counterexample of one request, its worth at that ratio computed by hand."""
    assert pair.exact_masses is not None
    worth = sum(
        max(p - ratio * q, Fraction(0)) for p, q in zip(pair.exact_masses.p, pair.exact_masses.q, strict=True)
    )
    epsilon: float = filt.promise.epsilon  # type: ignore[attr-defined]
    return {
        "filter": encode_or_class_name(filt),
        "epsilon": epsilon,
        "ratio": str(ratio),
        "promised": float(filt.promise.delta(epsilon)),
        "direction": "PQ",
        "plan": {"request": encode(pair, allowed_values_by_name()), "then": [None, None]},
        "value": str(worth),
    }


THREE_HALVES = Fraction(3, 2)


def below_the_ratio() -> dict[str, Any]:
    pair = fp.RandomizedResponse.from_ratio(THREE_HALVES)
    lower = THREE_HALVES * (1 - Fraction(9, 10**13))
    data = forged(lower, fp.BasicFilter(log_fraction(THREE_HALVES)), pair)
    assert Fraction(data["value"]) > data["promised"] == 0
    return data


def below_the_stated_ratio() -> dict[str, Any]:
    return natural_plan().to_data() | {"ratio": str(Fraction(9, 4) * (1 - Fraction(9, 10**13)))}


MENDED = type("Forgets", (ByHand,), {})
#: What is played otherwise than it was written -> words of the sentence.
OTHERWISE: dict[str, tuple[Callable[[], object], str]] = {
    "no filter": (lambda: replay(of_mine().data), "filt must be the Mine"),
    "no class": (lambda: replay(of_mine(Mine).data), "must name a member of the catalogue, got 'Mine'"),
    "a text beyond reason": (lambda: replay("[" * 10**5), "data must be a counterexample"),
    "another filter of the class": (lambda: replay(of_mine(), filt=Mine(0.25)), "replay within"),
    "mended": (lambda: example("sequence").replay(MENDED()), "Forgets denies a request of the sequence"),
    "a ratio below": (lambda: replay(below_the_ratio()), "ratio must be e"),
    "a ratio below the stated one": (lambda: replay(below_the_stated_ratio()), "ratio must be e"),
}


UNPLAYED = ("no filter", "no class", "a text beyond reason")


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_played_otherwise_is_refused(name: str) -> None:
    call, words = OTHERWISE[name]
    with pytest.raises(ValueError, match=words) as refused:
        call()
    assert (type(refused.value) is ReplayError) is (name not in UNPLAYED)


def test_a_filter_from_outside_the_catalogue_is_replayed_with_itself_or_by_its_class() -> None:
    shown, by_class = of_mine(), of_mine(Mine)
    assert shown.data["filter"] == {"outside": "Mine"}
    odd = of_mine(Odd, filt=Odd())
    again = replay(shown), replay(shown.data, filt=Mine(0.5)), replay(by_class.data, Mine), replay(odd)
    again += (replay(by_class.data, filt=Mine(0.25)),)  # what the data says of it is what is played
    assert {replayed.value for replayed in again} == {shown.data["value"]}


class GrantsAll(Forgets):
    def __init__(self, promise: fp.Guarantee) -> None:
        self.promise = promise

    def admits(self, state, request):
        return state == 0


def test_an_infinite_divergence_is_written_and_read() -> None:
    filt = GrantsAll(fp.ZCDP(0.5))
    reveals = fp.FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)))
    shown = sequence(filt, reveals, Divergence.renyi(2.0), 1)
    data = json.loads(json.dumps(shown.to_data()))
    assert data["low"] == {"float": "inf"}
    assert replay_data(data, filt=filt).refutes
    with pytest.raises(ReplayError, match="within"):
        replay(data | {"low": 3.0}, filt=filt)


@pytest.mark.parametrize("rounded_down", [False, True])
def test_what_a_rounded_epsilon_leaves_refutes_nothing(rounded_down: bool) -> None:
    # the logarithm as a double is rounded up, and one that was rounded down leaves a worth above zero
    for k in range(2, 40):
        pair = fp.RandomizedResponse.from_ratio(1 + Fraction(1, k))
        up = float(pair.pure_epsilon)
        filt: Any = (
            GrantsAll(fp.ApproxDP(math.nextafter(up, 0.0), 0.0)) if rounded_down else fp.BasicFilter(up)
        )
        with flint.ctx.workprec(160):
            mantissa, exponent = flint.arb(filt.promise.epsilon).exp().upper().man_exp()
        data = forged(Fraction(int(mantissa)) * Fraction(2) ** int(exponent), filt, pair)
        again = replay_data(data, filt=filt)
        assert again.result == Fraction(data["value"])
        assert (again.result > 0) is rounded_down
        assert not again.refutes, k


PROMISED = 0.25


def estimated(low: float, failure: float = 1e-6) -> Estimate:
    return Estimate(0.5, low, 0.75, failure, 1000, "of a test")


#: What replaying gave, where a quarter is promised -> whether it refutes: beyond rounding, and beyond chance.
REFUTES: list[tuple[Any, bool]] = [
    *(
        (kind(PROMISED * (1 + more)), more > 1e-9)
        for kind in (Fraction, Bound)
        for more in (0.0, 1e-12, 1e-8)
    ),
    *((estimated(low), low > PROMISED) for low in (0.2, PROMISED, 0.26)),
    (estimated(0.26, failure=0.01), False),
]


@pytest.mark.parametrize(("result", "refutes"), REFUTES, ids=str)
def test_a_result_refutes_beyond_the_rounding_of_the_promise_and_beyond_chance_alone(
    result: Any, refutes: bool
) -> None:
    surely = result if isinstance(result, Fraction) else None
    assert Replayed(naive(), Divergence.hockey_stick(1.0), PROMISED, result, surely).refutes is refutes


# -- what a counterexample says ---------------------------------------------------------------------------------------


def counted(**told: Any) -> Counterexample:
    """A simulation, of which only what is said is filled in."""
    data = dict.fromkeys(KINDS["simulation"].fields) | {
        "epsilon": 1.0,
        "direction": "PQ",
        "rounds": 4,
        "n": 1,
    }
    return Counterexample(fp.ZCDPFilter(0.5), data | told)


SCHEDULE = {"menu": [], "moves": [["ask", 0], ["step", 0]]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_counterexample_says_who_asks_what_is_measured_and_both_numbers_in_one_sentence(kind: str) -> None:
    if kind == "schedule":
        shown = measured_counterexample(
            naive(), Divergence.hockey_stick(1.0), 0.25, 0.0, schedule=SCHEDULE, epoch=None
        )
    else:
        shown = HELD["people"]() if kind == "accountant" else example(kind)
    assert shown.kind == kind
    assert str(shown).startswith(f"{shown.description}: {shown.measure} is ")
    assert f"; promised {shown.promised:.6g}" in str(shown)
    assert "\n" not in str(shown)


@pytest.mark.parametrize(
    ("low", "promised"), [(5.488749644612936e-05, 1e-05), (1 - 2.0**-53, 0.09), (2.0000006, 1.9), (0.3, 0.7)]
)
def test_what_is_said_to_be_reached_is_no_more_than_was_measured(low: float, promised: float) -> None:
    text = str(counted(low=low, promised=promised, confidence=1 - 1.4e-6))
    reached, chance, times = re.findall(
        r"at least (\S+), except with probability (\S+); promised \S+, (.*)", text
    )[0]
    assert 0.99999 * low < float(reached) <= low
    assert 1.4e-6 <= float(chance) < 1.5e-6
    share = low / promised
    stated = float(re.sub("[^0-9.]", "", times))
    assert 0.99 * share < (1 + stated / 100 if times.endswith("%") else stated) <= share
    assert float(str(Bound(low)).split()[2]) <= low <= float(str(Bound(low, low)).split()[5])
