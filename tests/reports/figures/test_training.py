"""The training figures: each number again from the outcomes of their trials, and words that follow from the numbers."""

from dataclasses import replace

import numpy as np
import pytest

import filterproof as fp
from mc.training.digits import digits
from mc.training.network import Network
from mc.training.two_trainings import TwoTrainings
from reports.figures.audited import NetworkTraining
from reports.figures.data import FigureData
from reports.figures.experiments import GROUPS, GroupOutcome, GroupRun, Setting
from reports.figures.paper_figure import FIGURES, figure
from reports.figures.trained import TrainingSpecification
from reports.figures.training_runs import RunSpecification
from reports.figures.training_tables import TUNED
from reports.figures.trials import PLAYED, Trial, outcome_of
from tests.mc.training.made_up import rows_of

#: A clip larger than most gradients, so that people differ and go on.
RUNS = {"clip": 6.0, "rate": 0.75, "at": 4, "epochs": 8, "trials": 2, "seed": 3}


@pytest.mark.usefixtures("few_steps")
def test_the_table_of_a_clip_too_large_is_that_of_its_trials() -> None:
    shown = figure("000-table-2", epsilons=(1.0, 4.0), trials=3, seed=5, factor=2.0)
    assert len(shown.data) == 2 + 3
    for row, epsilon in zip(shown.data.rows(), (1.0, 4.0), strict=False):
        clip, steps, rate = TUNED[epsilon]
        setting = Setting(epsilon=epsilon, clip=2 * clip, steps=round(steps / 4), rate=rate, looks=2)
        trials = [outcome_of(Trial(setting=setting, seed=5, number=k)) for k in range(3)]
        for name in ("plain", "filtered"):
            values = [100 * getattr(one, name) for one in trials]
            assert row[name] == pytest.approx(np.mean(values))
            assert row[f"{name}_sd"] == pytest.approx(np.std(values, ddof=1))
        gained = [100 * (one.filtered - one.plain) for one in trials]
        # Student's quantile with two degrees of freedom, from a printed table
        half = 4.302653 * np.std(gained, ddof=1) / 3**0.5
        assert row["difference_low"] == pytest.approx(np.mean(gained) - half, rel=1e-5)
        assert row["difference_high"] == pytest.approx(np.mean(gained) + half, rel=1e-5)
        assert (row["data"], row["clip"], row["steps"]) == ("digits", 2 * clip, round(steps / 4))
        assert row["sigma"] == setting.sigma
        assert row["active_further"] == pytest.approx(
            np.mean([one.active[setting.steps + 5] for one in trials])
        )
        assert row["further_steps"] == pytest.approx(np.mean([one.stopped for one in trials]) - setting.steps)
        assert f"difference {np.mean(gained):+.1f} [" in shown.caption


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize(
    ("name", "best"), [("000-table-1", 96.25), ("000-table-2", 95.33), ("000-table-3", 94.50)]
)
def test_what_is_printed_for_mnist_is_marked_and_compared_with_nothing(name: str, best: float) -> None:
    shown = figure(name, epsilons=1.0, trials=2)
    rows = shown.data.rows()[1:]
    assert [row["data"] for row in rows] == ["MNIST as printed"] * 3
    assert [row["epsilon"] for row in rows] == [0.3, 0.5, 1.0]
    assert max(float(str(row["filtered"])) for row in rows) == best
    assert all(row["difference"] is None for row in rows)
    assert shown.printed == ()
    assert "MNIST, another data set with another network" in shown.caption


def test_filtering_gains_where_the_clip_is_far_too_large() -> None:
    # the seed is fixed: three trials of another may leave an interval that holds zero
    shown = figure("000-table-2", epsilons=4.0, trials=3)
    row = shown.data.rows()[0]
    assert float(str(row["difference_low"])) > 0
    assert "Filtering gains at epsilon = 4." in shown.caption
    clip, steps, rate = TUNED[4.0]
    tuned = Setting(epsilon=4.0, clip=clip, steps=steps, rate=rate)
    assert row["steps"] == tuned.shortened(3.0).steps


@pytest.mark.usefixtures("few_steps")
def test_an_epsilon_between_takes_the_setting_tuned_for_the_nearest() -> None:
    row = figure("000-table-3", epsilons=0.7, trials=2).data.rows()[0]
    assert row["clip"] == TUNED[1.0][0]
    assert row["steps"] == round(TUNED[1.0][1] / 9)


def runs(clip: float = 6.0, rate: float = 0.75) -> list[Trial[GroupOutcome]]:
    run = GroupRun(sigma=10.618, clip=clip, rate=rate, at=4, epochs=8)
    return [Trial(run, seed=3, number=number) for number in range(2)]


def test_the_groups_are_those_of_the_runs() -> None:
    shown = figure("003-2", **RUNS)
    outcomes = [outcome_of(one) for one in runs()]
    rows = shown.data.rows()
    assert [row["group"] for row in rows[:5]] == [f"{a} and {b}" for a, b in GROUPS]
    for number, row in enumerate(rows[10:]):
        assert row["what"] == "epsilon"
        before = [one.groups_before.epsilon[number] for one in outcomes]
        after = [one.groups_after.epsilon[number] for one in outcomes]
        assert row["before"] == pytest.approx(np.mean(before))
        assert row["after"] == pytest.approx(np.mean(after))
        assert row["change"] == pytest.approx(np.mean(after) - np.mean(before))
        assert float(str(row["change"])) > 0, "what is spent only grows"
    for number, row in enumerate(rows[:5]):
        losses = [one.groups_after.test_loss[number] for one in outcomes]
        # Student's quantile with one degree of freedom
        half = 12.70620 * np.std(losses, ddof=1) / 2**0.5
        assert row["after_high"] == pytest.approx(np.mean(losses) + half, rel=1e-5)
    assert shown.data.number("promised") == pytest.approx(fp.gaussian_epsilon(2 / 10.618, 1e-5))
    apart = [max(one.groups_before.epsilon) - min(one.groups_before.epsilon) for one in outcomes]
    assert shown.data.number("epsilon_before") == pytest.approx(np.mean(apart))


def test_the_words_of_the_disparate_effect_follow_from_the_numbers() -> None:
    shown = figure("003-2", **RUNS)
    names = list(shown.data.names)

    def told(change: float, after: float, epsilon: float = 0.74) -> str:
        columns = dict(zip(names, shown.data.columns, strict=True))
        for name in ("change", "change_low", "change_high"):
            columns[name] = tuple(change for _ in columns[name])
        facts = {"test_loss_before": 0.5, "test_loss_after": after}
        facts |= {"epsilon_before": 0.7, "epsilon_after": epsilon}
        changed = FigureData.of(**columns).told(**{**shown.data.facts, **facts})
        return replace(shown, data=changed).caption

    everyone = ", ".join(f"{a} and {b}" for a, b in GROUPS)
    loss = "as far as the intervals tell, the loss rises for"
    rises, falls, nearer, equal = told(0.1, 0.9), told(-0.1, 0.9), told(0.1, 0.4), told(0.1, 0.9, 0.66)
    assert f"The disparate effect is visible: {loss} {everyone} and falls for no group;" in rises
    assert f"The disparate effect is not visible: {loss} no group and falls for {everyone};" in falls
    assert "The disparate effect is not visible" in nearer, "the groups came nearer"
    assert "differs by 0.70 before and by 0.74 after: not more equal. Our data disagree with 003" in rises
    assert "differs by 0.70 before and by 0.66 after, more equal, as in 003." in equal


def test_the_epochs_are_those_of_the_runs_and_the_rate_goes_against_the_clip() -> None:
    shown = figure("003-6", factors=(0.5, 5), **RUNS)
    for factor in (0.5, 5.0):
        outcomes = [outcome_of(one) for one in runs(clip=6.0 * factor, rate=0.75 / factor)]
        accuracy = np.mean([one.accuracy for one in outcomes], axis=0)
        np.testing.assert_allclose(shown.data.column(f"accuracy_{factor:g}"), accuracy)
        active = np.mean([one.active for one in outcomes], axis=0)
        np.testing.assert_allclose(shown.data.column(f"active_{factor:g}"), active)
        change = np.mean([one.accuracy[-1] - one.accuracy[4] for one in outcomes])
        assert shown.data.number(f"change_{factor:g}") == pytest.approx(change)
    assert shown.data.column("epoch").tolist() == list(range(9))


@pytest.mark.parametrize(
    ("name", "epsilon"), [("003-9", 0.5), ("003-10", 10.0), ("003-6", 2.75), ("003-2", 2.75)]
)
def test_the_paper_s_noise_is_the_default_and_gives_its_epsilon(name: str, epsilon: float) -> None:
    specification = FIGURES[name].specified()
    assert specification.epsilon == pytest.approx(epsilon, rel=2e-4)  # type: ignore[attr-defined]
    assert (specification.at, specification.epochs) == (50, 100)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "factor"), [("003-7", 1.0), ("003-8", 5.0)])
def test_the_histogram_counts_everyone_once(name: str, factor: float) -> None:
    shown = figure(name, **RUNS)
    outcomes = [outcome_of(one) for one in runs(clip=6.0 * factor, rate=0.75 / factor)]
    people, promised = shown.data.column("people"), shown.data.number("promised")
    assert people.sum() == pytest.approx(1437)
    for row in shown.data.rows():
        low, high = float(str(row["epsilon_from"])), float(str(row["epsilon_to"]))
        last = high == promised
        counted = [sum(low <= e < high or (last and e >= high) for e in one.epsilons) for one in outcomes]
        assert row["people"] == pytest.approx(np.mean(counted))
    assert shown.data.number("near") == pytest.approx(people[-1] / 1437)
    assert shown.data.number("median") == pytest.approx(
        np.mean([np.median(one.epsilons) for one in outcomes])
    )


def test_an_epsilon_above_the_promise_by_a_last_bit_is_counted_in_the_last_bin() -> None:
    given = {**RUNS, "seed": 12}
    specification = FIGURES["003-7"].specified(**given)
    assert isinstance(specification, RunSpecification)
    above = float(np.nextafter(specification.epsilon, np.inf))
    for one in specification.all_trials():
        PLAYED[one] = replace(outcome_of(runs()[0]), epsilons=(above, above, above))
    assert figure("003-7", **given).data.column("people").tolist() == [0.0] * 19 + [3.0]


def test_figures_that_share_runs_play_them_once() -> None:
    given = {**RUNS, "seed": 4}
    figure("003-6", factors=(1, 5), **given)
    for name in ("003-2", "003-7", "003-8"):
        specification = FIGURES[name].specified(**given)
        assert isinstance(specification, TrainingSpecification)
        assert all(one in PLAYED for one in specification.all_trials())
        assert not any(replace(one, seed=99) in PLAYED for one in specification.all_trials())


NETWORK = Network(sizes=(64, 4, 10))
TRAINING = NetworkTraining(digits(), NETWORK, rate=1.0, seed=0, people=6)
MAKE = fp.ClippedSums.making(fp.GaussianFilter(1.0), clip=1.0, sigma=2.0)


def test_each_world_has_the_gradients_of_its_own_parameters() -> None:
    theta = TRAINING.start(3) + np.random.default_rng(1).standard_normal((3, NETWORK.dimension))
    vectors, factors = TRAINING.vectors(theta), np.random.default_rng(2).uniform(0, 1, (3, 6))
    x, y = digits().features[:6], digits().labels[:6]
    for r in range(3):
        rows = rows_of(NETWORK.gradients(theta[r], x, y), 6)
        np.testing.assert_allclose(vectors.norms()[r], np.linalg.norm(rows, axis=1), rtol=1e-10)
        np.testing.assert_allclose(vectors.weighted(factors)[r], factors[r] @ rows, atol=1e-10)


def test_removing_a_person_removes_the_own_gradient() -> None:
    two = TwoTrainings(TRAINING, MAKE, person=2, runs=1)
    x, y = digits().features[:6], digits().labels[:6]
    row = NETWORK.gradients(TRAINING.start(1)[0], x, y).weighted(np.eye(6)[2])
    np.testing.assert_allclose(
        np.subtract(*two.sums())[0], row / max(1.0, float(np.linalg.norm(row))), atol=1e-9
    )
