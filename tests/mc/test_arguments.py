"""Whatever is given in the place of an argument: an answer, or one sentence that names the argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.estimate.functionals import HockeyStick
from tests.mc.examine.misbehaving_filters import AdmitsNothing
from tests.mc.forged import JUNK
from tests.mc.training.made_up import NET, descent, three

BIT, WIDE = fp.RandomizedResponse.from_ratio(2), fp.Gaussian(0.5)
GDP, ZCDP = fp.GaussianFilter(1.0), fp.ZCDPFilter(0.5)
RULES = {"epsilon": 1.0, "rounds": 2, "direction": "PQ", "on_denial": "halt"}
DRAWN = {**RULES, "seed": 0}
ODOMETER = fp.odometers.LineOdometer(0.05, target=4.0)
TRAINING = fp.training.LogisticTraining([[3.0], [2.0], [0.5]], [0, 1, 1], rate=0.1)  # type: ignore[arg-type]
SUMS = fp.training.ClippedSums.factory(GDP, clip=1.0, sigma=2.0)
ONES = np.ones((3, 2))

CALLS: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "worst_case": (
        lambda **given: fp.worst_case(ZCDP, **given),
        {**RULES, "menu": [BIT], "evidence": None, "max_positions": 10**5},
    ),
    "worst_case of wide losses": (
        lambda **given: fp.worst_case(GDP, [WIDE], epsilon=1.0, rounds=2, **given),
        {"max_positions": 10**6, "step": 0.05, "relative": 0.2},
    ),
    "calibrate": (
        lambda **given: fp.calibrate(fp.ZCDPFilter, **given),
        {
            "epsilon": 1.0,
            "delta": 1e-2,
            "menu": [fp.RandomizedResponse(1.0)],
            "rounds": 3,
            "max_positions": 10**5,
        },
    ),
    "calibrated": (fp.tabulated_filter, {"epsilon": 1.0, "delta": 1e-5, "each": 0.1}),
    "evaluate": (
        lambda **given: fp.evaluate(ZCDP, fp.Constant(BIT), **given),
        {**RULES, "evidence": None, "max_positions": 10**5},
    ),
    "simulate": (
        lambda **given: fp.simulate(GDP, fp.OneShot(), workers=1, **given),
        {**DRAWN, "n": 100, "failure": 0.1, "method": "plain"},
    ),
    "play": (
        lambda game, functional, first, **given: fp.runs.SimulationSettings(workers=1, **given).sums(
            game, functional, first=first
        ),
        {
            "game": fp.runs.Game.between(GDP, fp.OneShot()),
            "functional": HockeyStick(1.0),
            "n": 10,
            "seed": 0,
            "first": 0,
        },
    ),
    "decide": (
        lambda **given: fp.sequential_test(GDP, fp.OneShot(), workers=1, **given),
        {**DRAWN, "delta": 0.1, "most": 1000, "failure": 0.01},
    ),
    "supremum": (fp.supremum, {"filt": GDP, "epsilon": 1.0}),
    "MenuChasing": (fp.MenuChasing, {"menu": (BIT,)}),
    "MenuRandom": (fp.MenuRandom, {"menu": (BIT,)}),
    "survival": (
        lambda **given: fp.release_survival(GDP, fp.OneShot(), workers=1, **given),
        {"rounds": 2, "n": 100, "seed": 0, "failure": 0.1, "on_denial": "halt"},
    ),
    "simulate_renyi": (
        lambda **given: fp.simulate_renyi(GDP, fp.OneShot(), workers=1, **given),
        {"alpha": 2.0, "n": 100, "seed": 0, "failure": 0.1, "rounds": 1, "direction": "PQ"},
    ),
    "crossing": (
        lambda **given: fp.odometers.crossing_probability(ODOMETER, fp.Constant(0.1), workers=1, **given),
        {"rounds": 2, "n": 100, "seed": 0, "failure": 0.1},
    ),
    "simulate_person": (
        lambda norms, **given: fp.people.simulate_person(GDP, norms, **given),
        {
            **{"norms": [1.0, 2.0], "epsilon": 1.0, "rounds": 1, "n": 10, "seed": 0, "failure": 0.1},
            **{"sigma": 1.0, "direction": "PQ", "analysis": abs},
        },
    ),
    "answer_misses": (
        lambda people, **given: fp.people.answer_misses(people, **given),
        {
            **{"people": 5, "norm_budget": 12.0, "kappa": 0.5, "dimension": 3, "delta": 0.3},
            **{"answers": 10, "turnover": 1, "seed": 0, "failure": 0.1},
        },
    ),
    "simulate_training": (
        lambda **given: fp.training.simulate_training(TRAINING, SUMS, **given),
        {"epsilon": 1.0, "steps": 2, "n": 20, "seed": 0, "direction": "PQ", "squares": 1.0, "together": 4},
    ),
    "audit_training": (
        lambda **given: fp.training.audit_training(TRAINING, SUMS, **given),
        {"epsilon": 1.0, "steps": 2, "n": 20, "seed": 0, "failure": 0.1, "together": 4},
    ),
    "Composition.delta": (
        lambda mechanisms, **given: fp.Composition(mechanisms).delta(**given),
        {"mechanisms": [WIDE], "epsilon": 1.0, "relative": 1e-2, "direction": "PQ"},
    ),
    "Composition.epsilon": (
        lambda mechanisms, **given: fp.Composition(mechanisms).epsilon(**given),
        {"mechanisms": [WIDE, WIDE], "delta": 1e-3, "relative": 1e-2},
    ),
    "IndividualAccountant": (
        fp.people.IndividualAccountant,
        {"people": 2, "q": 0.1, "sigma": 1.0, "levels": (0.5, 1.0)},
    ),
    "DataSet": (
        three,
        {"features": ONES, "labels": ONES, "test_features": ONES[:1]},
    ),
    "PrivateGradientDescent": (descent, {"clip": 1.0, "sigma": 1.0, "rate": 1.0, "seed": 0}),
    "Network.gradients": (NET.gradients, {"theta": np.zeros(33), "x": np.ones((3, 2)), "y": np.ones((3, 3))}),
    "LogisticTraining": (fp.training.LogisticTraining, {"features": ONES, "labels": [0, 1, 1], "rate": 1.0}),
    "TrainingWithCanary": (fp.training.TrainingWithCanary, {"training": TRAINING, "size": 1.0}),
    "verify": (
        lambda **given: fp.verify(AdmitsNothing(), **given),
        {"effort": 0.005, "seconds": 60.0, "seed": 0, "mechanisms": "gaussian"},
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_any_other_kind_is_answered_or_refused_by_its_name(name: str) -> None:
    call, arguments = CALLS[name]
    call(**arguments)
    for argument in arguments:
        refused = 0
        for junk in JUNK:
            try:
                call(**(arguments | {argument: junk}))
            except (ValueError, TypeError) as error:
                message, refused = str(error), refused + 1
            else:
                continue
            assert "\n" not in message, (argument, junk)
            assert len(message) < 1500, (argument, junk)
            assert argument in message, (argument, junk, message)
        assert refused > len(JUNK) // 2, argument
