"""The stand-in: a trial is the descent that it says, and a figure the means of its trials."""

import re
from dataclasses import replace

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.intervals.student import student
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.network import DenseNetwork
from filterproof.reports.figures import trials as trials_room
from filterproof.reports.figures.paper_figure import FIGURES, figure
from filterproof.reports.figures.stand_in import Epochs, FarPeople, Groups, People, StandIn
from filterproof.reports.figures.trials import (
    GROUPS,
    FilteredDescent,
    GroupMeans,
    Trial,
    TrialOutcome,
    digit_groups,
    outcome_of,
    play_trials,
)

CLIP = 6.0  # larger than most gradients, so that people differ in what is spent on them
RUN = FilteredDescent(sigma=10.618, clip=CLIP, rate=0.7, at=4, epochs=9)
TRIAL = Trial(RUN, seed=0, number=0)
#: A setting whose trials take a moment, and several of them.
SHORT = FilteredDescent(sigma=10.0, clip=2.0, rate=2.0, at=1, epochs=2)
SEVERAL = [Trial(SHORT, seed=0, number=number) for number in range(9)]
#: A figure of each kind of the stand-in.
NAMES = [
    *{
        one.specification: name for name, one in FIGURES.items() if issubclass(one.specification, StandIn)
    }.values()
]


@pytest.mark.pinned
def test_a_trial_is_the_descent_that_it_says_with_its_groups() -> None:
    found = TRIAL.play()
    assert found == TRIAL.play()
    assert found not in (replace(TRIAL, number=1).play(), replace(TRIAL, seed=1).play())
    data, seed = load_digits(), int(np.random.SeedSequence([0, 0]).generate_state(1)[0])
    people = fp.IndividualFilter(fp.GaussianFilter(4**0.5 / 10.618), people=data.people)
    descent = PrivateGradientDescent(
        data, DenseNetwork(), people, clip=CLIP, sigma=10.618, rate=0.7, seed=seed
    )
    spent = np.zeros(data.people)
    for epoch in range(1, RUN.epochs + 1):
        norms = descent.network.gradients(descent.theta, data.features, data.labels).norms()
        next(descent)
        if epoch <= RUN.at:  # nobody can run out: the budget is of `at` clipped steps
            spent += (np.minimum(norms, CLIP) / (CLIP * 10.618)) ** 2
        tested = descent.network.right(descent.theta, data.test_features, data.test_labels).mean()
        assert found.accuracy[epoch] == tested
        if epoch == RUN.at:
            epsilons = np.asarray(fp.conversions.gaussian_epsilon(np.sqrt(spent), 1e-5))
            np.testing.assert_allclose(found.epsilons, np.sort(epsilons), rtol=1e-6)
            train = descent.network.losses(descent.theta, data.features, data.labels)
            test = descent.network.losses(descent.theta, data.test_features, data.test_labels)
            for number, members in enumerate(GROUPS):
                here = np.isin(data.labels.argmax(axis=1), members)
                there = np.isin(data.test_labels.argmax(axis=1), members)
                assert np.array_equal(digit_groups(data.labels) == number, here)
                told = [
                    getattr(found.before, part)[number] for part in ("epsilon", "train_loss", "test_loss")
                ]
                assert told == pytest.approx([epsilons[here].mean(), train[here].mean(), test[there].mean()])
    assert found.active[: RUN.at + 1] == (1437,) * (RUN.at + 1)
    assert found.active[-1] < 1437
    both = zip(found.before.epsilon, found.after.epsilon, strict=True)
    assert all(before < after for before, after in both), "those who have some left go on to spend it"
    assert sorted(one for members in GROUPS for one in members) == list(range(10))


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_shows_the_means_of_its_trials_and_what_they_say_of_the_paper(name: str) -> None:
    given = {"at": 2, "epochs": 4, "trials": 3, "seed": 2}
    shown = figure(name, **given)
    specification = shown.specification
    assert isinstance(specification, StandIn)
    for words, setting in specification.settings().items():
        assert (setting.at, setting.epochs) == (2, 4)
        outcomes = [outcome_of(Trial(setting, 2, number)) for number in range(3)]
        for place in specification.measured(outcomes[0]):
            values = [specification.measured(one)[place] for one in outcomes]
            series = place[1] or words
            (row,) = [
                one
                for one in shown.data.where("panel", place[0]).rows()
                if (one["series"], one["x"]) == (series, place[2])
            ]
            # Student's quantile with two degrees of freedom, from a printed table
            half = 4.302653 * np.std(values, ddof=1) / 3**0.5
            ends = [np.mean(values), np.mean(values) - half, np.mean(values) + half]
            assert [row["mean"], row["low"], row["high"]] == pytest.approx(ends, rel=1e-5, abs=1e-9)
        for observed, limit in specification.OBSERVED.items():
            mean, low, high = student([specification.observed(one)[observed] for one in outcomes])
            assert shown.data.number(f"{observed} of {words}") == mean
            seen = "seen" if low > limit else "the opposite is seen" if high < limit else "undecided"
            assert re.search(rf"{re.escape(f'{mean:.3g} [')}[^]]*], {seen}", shown.caption)
    assert "stand-in" in shown.of.title
    assert "A stand-in: scikit-learn's digits" in shown.caption


def test_what_is_observed_is_above_its_number_where_a_paper_would_see_it() -> None:
    near, far = (0.1, 0.2, 0.2, 0.2, 0.2), (0.1, 0.5, 0.2, 0.2, 0.2)
    before = GroupMeans(train_loss=near, test_loss=near, epsilon=far)
    after = GroupMeans(train_loss=near, test_loss=far, epsilon=near)
    accuracy, active, spent = (0.1, 0.5, 0.75), (4, 4, 1), (0.1, 2.7, 2.75, 2.75)
    found = TrialOutcome(accuracy=accuracy, active=active, before=before, after=after, epsilons=spent)
    kinds = [kind(at=1, epochs=2) for kind in (Epochs, Groups, People, FarPeople)]
    observed = {name: value for one in kinds for name, value in one.observed(found).items()}
    assert observed == pytest.approx({"gain": 25, "equal": 0.3, "apart": 0.3, "near": 75, "far": 25})


@pytest.mark.parametrize(("name", "sigma"), [("003-6", 10.618), ("003-9", 49.72), ("003-10", 3.535)])
def test_the_noise_is_that_of_the_paper_and_the_rate_goes_against_the_clip(name: str, sigma: float) -> None:
    specification = FIGURES[name].specified(clips=(1.0, 5.0))
    assert isinstance(specification, StandIn)
    tuned, larger = specification.settings().values()
    assert tuned.sigma == larger.sigma == pytest.approx(sigma, rel=2e-4)
    assert (tuned.at, tuned.epochs) == (50, 100)
    assert larger.clip == 5 * tuned.clip
    assert larger.rate * larger.clip == tuned.rate * tuned.clip


def test_everyone_is_counted_once_and_a_last_bit_above_the_promise_in_the_last_bin() -> None:
    given = {"at": 3, "epochs": 4, "trials": 2, "seed": 12}
    assert figure("003-8", **given).data.column("mean").sum() == pytest.approx(1437)
    specification = FIGURES["003-7"].specified(**given)
    assert isinstance(specification, StandIn)
    above = float(np.nextafter(2.75, np.inf))
    for one in specification.all_trials():
        trials_room.PLAYED_TRIALS[one] = replace(outcome_of(SEVERAL[0]), epsilons=(above, above, above))
    assert figure("003-7", **given).data.column("mean").tolist() == [0.0] * 19 + [3.0]


def test_the_printed_gains_stand_beside_those_of_the_stand_in_and_the_caption_says_who_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    specification = FIGURES["000-table-1"].specified()
    assert isinstance(specification, Epochs)
    accuracy = (0.5,) * specification.at + tuple(np.linspace(0.5, 0.7, 51).tolist())
    made = replace(outcome_of(SEVERAL[0]), accuracy=accuracy, active=(1437,) * 100 + (182,))
    monkeypatch.setattr(trials_room, "PLAYED_TRIALS", dict.fromkeys(specification.all_trials(), made))
    shown = figure("000-table-1")
    assert [(one.printed, one.computed) for one in shown.printed] == [
        (gain, pytest.approx(20.0)) for gain in (0.35, 0.28, 0.0)
    ]
    assert "epsilon = 0.5: 182 of 1437; epsilon = 2.75: 182 of 1437" in shown.caption
    # what the paper prints as a difference of two accuracies
    assert re.search(r"93\.29 % without and\s+93\.64 %", " ".join(shown.of.observed.split()))
    printed = [float(one) for one in re.findall(r"(\d\d\.\d\d) %", shown.of.observed)]
    assert printed[1] - printed[0] == pytest.approx(0.35)
    assert printed[3] - printed[2] == pytest.approx(0.28)
    for name in ("000-table-2", "000-table-3"):
        printed = [float(one) for one in re.findall(r"(\d\d\.\d\d) %", FIGURES[name].observed)]
        gains = [gain for _, gain in FIGURES[name].gains]
        assert gains == pytest.approx([b - a for a, b in zip(printed[::2], printed[1::2], strict=True)])


# -- studies -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_outcomes_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_room, "PLAYED_TRIALS", {})
    play_trials([*SEVERAL, SEVERAL[0]], workers=2)
    assert {trial: trial.play() for trial in SEVERAL} == trials_room.PLAYED
