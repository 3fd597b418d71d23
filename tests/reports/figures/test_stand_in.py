"""The stand-in: a trial is the descent that it says, and a figure the means of its trials."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.intervals.student import student
from filterproof.mc.training.data_set import DataSet
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.paper_tables import TABLES
from filterproof.reports.figures import trials as trials_room
from filterproof.reports.figures.accuracy_tables import Table
from filterproof.reports.figures.paper_figure import FIGURES, figure
from filterproof.reports.figures.stand_in import (
    AccuracyByClip,
    AccuracyByEpoch,
    LossesByGroup,
    SpentEpsilonHistogram,
    StandIn,
)
from filterproof.reports.figures.trials import (
    FilteredDescent,
    GroupMeans,
    Trial,
    TrialOutcome,
    outcome_of,
    play_trials,
    rows_of_people_groups,
    training_data,
)
from tests.mc.training.test_mimic import PHENOTYPES, STAY, series, write
from tests.slow_cases import slow_but

CLIP = 6.0  # larger than most gradients, so that people differ in what is spent on them
RUN = FilteredDescent(sigma=10.618, clip=CLIP, rate=0.7, at=4, further=7)
TRIAL = Trial(RUN, seed=0, number=0)
#: A setting whose trials take a moment, and several of them.
SHORT = FilteredDescent(sigma=10.0, clip=2.0, rate=2.0, at=1, further=1)
SEVERAL = [Trial(SHORT, seed=0, number=number) for number in range(9)]
#: A figure of each kind of the stand-in.
NAMES = [
    *{
        figure_.specification: name
        for name, figure_ in FIGURES.items()
        if issubclass(figure_.specification, StandIn)
    }.values()
]


@pytest.mark.pinned
def test_a_trial_is_the_descent_that_it_says_with_its_groups() -> None:
    outcome = TRIAL.play()
    assert outcome == TRIAL.play()
    assert outcome not in (replace(TRIAL, number=1).play(), replace(TRIAL, seed=1).play())
    data, seed = load_digits(), int(np.random.SeedSequence([0, 0]).generate_state(1)[0])
    people = fp.IndividualFilter(fp.GaussianFilter(4**0.5 / 10.618), people=data.people)
    descent = PrivateGradientDescent(
        data, DenseNetwork(), people, clip=CLIP, sigma=10.618, rate=0.7, seed=seed
    )
    spent = np.zeros(data.people)
    for epoch in range(1, RUN.at + RUN.further + 1):
        norms = descent.network.gradients(descent.theta, data.features, data.labels).norms()
        next(descent)
        if epoch <= RUN.at:  # nobody can run out: the budget is of `at` clipped steps
            spent += (np.minimum(norms, CLIP) / (CLIP * 10.618)) ** 2
        trained, tested = (
            np.mean(descent.network.scores(descent.theta, x).argmax(axis=1) == y.argmax(axis=1))
            for x, y in ((data.features, data.labels), (data.test_features, data.test_labels))
        )
        assert outcome.quality[epoch] == tested
        if epoch in (RUN.at, RUN.at + 5):
            assert outcome.queries[(epoch - RUN.at) // 5] == (trained, tested)
        if epoch == RUN.at:
            epsilons = np.asarray(fp.conversions.gaussian_epsilon(np.sqrt(spent), 1e-5))
            np.testing.assert_allclose(outcome.epsilons, np.sort(epsilons), rtol=1e-6)
            train = descent.network.losses(descent.theta, data.features, data.labels)
            test = descent.network.losses(descent.theta, data.test_features, data.test_labels)
            for number in range(5):
                members = (2 * number, 2 * number + 1)
                here = np.isin(data.labels.argmax(axis=1), members)
                there = np.isin(data.test_labels.argmax(axis=1), members)
                means = [
                    getattr(outcome.before, part)[number] for part in ("epsilon", "train_loss", "test_loss")
                ]
                assert means == pytest.approx([epsilons[here].mean(), train[here].mean(), test[there].mean()])
    assert len(outcome.queries) == 2
    assert outcome.active[: RUN.at + 1] == (1437,) * (RUN.at + 1)
    assert outcome.active[-1] < 1437
    both = zip(outcome.before.epsilon, outcome.after.epsilon, strict=True)
    assert all(before < after for before, after in both), "those who have some left go on to spend it"


@pytest.mark.slow
def test_copies_of_each_person_are_as_many_people_with_less_noise() -> None:
    many = replace(RUN, copies=3, sigma=3 * RUN.sigma, further=3)
    outcome, alone = Trial(many, 0, 0).play(), Trial(replace(RUN, further=3), 0, 0).play()
    assert (outcome.quality, outcome.active) == (alone.quality, alone.active)
    mus = np.array(
        [float(fp.conversions.max_gaussian_mu(epsilon, 1e-5)) for epsilon in alone.epsilons[::100]]
    )
    due = fp.conversions.gaussian_epsilon(mus / 3, 1e-5)
    np.testing.assert_allclose(outcome.epsilons[::100], due, rtol=1e-6)
    # the data written out with every picture three times: without noise it is the same descent
    data = load_digits()
    thrice = replace(
        data, features=np.repeat(data.features, 3, axis=0), labels=np.repeat(data.labels, 3, axis=0)
    )

    def theta(data: DataSet) -> np.ndarray:
        people = fp.IndividualFilter(fp.GaussianFilter(4**0.5 / 1e-9), people=data.people)
        descent = PrivateGradientDescent(
            data, DenseNetwork(), people, clip=CLIP, sigma=1e-9, rate=0.7, seed=1
        )
        descent.steps(8)
        return descent.theta

    np.testing.assert_allclose(theta(thrice), theta(data), atol=1e-7)


def test_labels_are_uncertain_by_their_group() -> None:
    original, uncertain = load_digits(), training_data("", 80)
    assert np.array_equal(training_data("").labels, original.labels)
    moved = (original.labels != uncertain.labels).any(axis=1)
    for number, (rows, _) in enumerate(rows_of_people_groups(original).values()):
        due = 0.8 * number / 4 * 0.9  # one random label in ten is the right one
        assert abs(moved[rows].mean() - due) <= 4.5 * (due * (1 - due) / len(rows)) ** 0.5


@pytest.mark.parametrize("name", slow_but(NAMES[1:3], NAMES))
def test_a_figure_shows_the_means_of_its_trials_and_what_they_say_of_the_paper(name: str) -> None:
    given = {"at": 2, "further": 2, "trials": 3, "seed": 2}
    shown = figure(name, **given)
    specification = shown.specification
    assert isinstance(specification, StandIn)
    for words, setting in specification.settings().items():
        assert (setting.at, setting.further) == (2, 2)
        outcomes = [outcome_of(Trial(setting, 2, number)) for number in range(3)]
        for place in specification.shown_quantities(outcomes[0]):
            values = [specification.shown_quantities(item)[place] for item in outcomes]
            series = place[1] or words
            (row,) = [
                item
                for item in shown.data.where("panel", place[0]).rows()
                if (item["series"], item["x"]) == (series, place[2])
            ]
            # Student's quantile with two degrees of freedom, from a printed table
            half = 4.302653 * np.std(values, ddof=1) / 3**0.5
            ends = [np.mean(values), np.mean(values) - half, np.mean(values) + half]
            assert [row["mean"], row["low"], row["high"]] == pytest.approx(ends, rel=1e-5, abs=1e-9)
        observations = list(map(specification.paper_observations, outcomes))
        family = len(observations[0]) * len(specification.settings())
        for observed in observations[0]:
            mean, low, high = student([item[observed] for item in observations], confidence=1 - 0.05 / family)
            facts = [shown.data.number(f"{observed} of {words}{end}") for end in ("", " low", " high")]
            assert facts == pytest.approx([mean, low, high], rel=1e-12)
            seen = ""
            if (limit := specification.OBSERVED.get(observed)) is not None:
                gains = name != "003-6" or "clip 1 times" not in words
                above, below = (low > limit, high < limit) if gains else (high < limit, low > limit)
                seen = ", seen" if above else ", the opposite is seen" if below else ", undecided"
            assert re.search(rf"{re.escape(f'{mean:.3g} [')}[^]]*]{seen}[;. ]", shown.caption)
    assert "stand-in" in shown.of.title
    assert "A stand-in: scikit-learn's digits" in shown.caption


def test_what_is_observed_is_above_its_number_where_a_paper_would_see_it() -> None:
    near, far = (0.1, 0.2, 0.2, 0.2, 0.2), (0.1, 0.5, 0.2, 0.2, 0.2)
    before = GroupMeans(train_loss=near, test_loss=near, epsilon=far)
    after = GroupMeans(train_loss=near, test_loss=(0.05, *far[1:]), epsilon=near)
    quality, active, spent = (0.1, 0.5, 0.75), (4, 4, 1), (0.1, 2.7, 2.75, 2.75)
    queries = ((0.6, 0.5), (0.8, 0.6), (0.7, 0.75))
    outcome = TrialOutcome(
        quality=quality, active=active, queries=queries, before=before, after=after, epsilons=spent
    )
    kinds = [kind(at=1, further=1) for kind in (AccuracyByEpoch, LossesByGroup, SpentEpsilonHistogram)]
    assert AccuracyByClip(clips=(0.5, 1.0, 5.0)).paper_sides() == (1, -1, 1), "no gain at the tuned clip"
    observed = {name: value for spec in kinds for name, value in spec.paper_observations(outcome).items()}
    due = {"alike": 0.1, "equal": 0.3, "apart": 0.35, "best": 0.05, "others": 0.075, "near": 75, "far": 25}
    assert observed == pytest.approx({"gain": 25, **due})
    assert Table().paper_observations(outcome) == pytest.approx({"gain": 10}), "by the best training accuracy"


#: The steps, the noise, the further steps and the clips, in units of the tuned one, that the papers name.
SETTINGS = {
    **{
        name: ((50, 50), (sigma, sigma), (50, 50), (1, 5))
        for name, sigma in (("003-6", 10.618), ("003-9", 49.72), ("003-10", 3.535))
    },
    "000-table-1": ((112, 180), (170, 130), (35, 35), (1, 1)),
    "000-table-2": ((49, 80, 105), (170 / 1.5, 130 / 1.5, 50), (), (1.5, 1.5, 2)),
    "000-table-3": ((49, 80, 105), (170 / 1.5, 130 / 1.5, 50), (), (1, 1, 1)),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_settings_of_a_figure_are_those_of_its_paper(name: str) -> None:
    given = {"clips": (1.0, 5.0)} if name.startswith("003") else {}
    at, sigmas, further, clips = SETTINGS[name]
    settings = list(FIGURES[name].specified(**given).settings().values())
    tuned = settings[0] if given else next(iter(FIGURES["000-table-1"].specified().settings().values()))
    assert tuple(setting.at for setting in settings) == at
    assert [setting.sigma for setting in settings] == pytest.approx(sigmas, rel=2e-4)
    assert [setting.clip / tuned.clip for setting in settings] == pytest.approx(clips)
    assert tuple(setting.further for setting in settings)[: len(further)] == further
    with pytest.raises(ValueError, match="epsilons must have an epsilon of table 1 with further steps"):
        Table(epsilons=(1.0,))


def phenotypes(folder: Path, kinds: list[tuple[int, int]]) -> str:
    """A folder of stays, each with or without a heart attack, which a rate shows, and pneumonia."""
    for part in ("train", "test"):
        stays = [
            (f"{k}.csv", series(((0.0, f"{80 + 20 * attack + k % 7}", ""), *STAY[1:])), f"9,{attack},{other}")
            for k, (attack, other) in enumerate(kinds)
        ]
        write(folder, part, stays, PHENOTYPES.replace("Shock", "Pneumonia (except some)"))
    return str(folder)


def test_the_owner_of_phenotypes_gets_the_figures_from_their_folder(tmp_path: Path) -> None:
    folder = phenotypes(tmp_path, [(0, 0), (0, 1), (1, 0), (1, 1)] * 15)
    short = {"at": 2, "further": 2, "trials": 2}
    shown = figure("003-2", folder=folder, **short)
    assert shown.title.endswith("on a folder of data")
    assert "A stand-in" not in shown.caption
    groups = {name: rows for name, (rows, _) in rows_of_people_groups(training_data(folder)).items()}
    assert shown.data.where("panel", "epsilon").column("x").tolist()[:5] == list(groups)
    members = np.concatenate(list(groups.values()))
    assert len(set(members.tolist())) == len(members) == 5 * 6, "a tenth is in each group, nobody in two"
    assert (training_data(folder).labels[groups["heart attack"], 0] > 0).all()
    epochs = figure("003-6", folder=folder, clips=1.0, **short)
    assert "area under the ROC curve" in epochs.caption
    assert epochs.data.where("panel", "active").column("mean").max() == 60
    assert "an eighth of the tuned clip is a quarter" in figure("003-7", **short).caption
    assert "an eighth of the tuned clip is" not in figure("003-7", folder=folder, **short).caption


def test_the_groups_of_a_figure_have_people(tmp_path: Path) -> None:
    for part in ("train", "test"):
        write(tmp_path, part, [(f"{k}.csv", series(STAY), k % 2) for k in range(4)])
    assert FIGURES["003-6"].specified(folder=str(tmp_path)) is not None
    for folder, words in (
        (str(tmp_path), "folder must have people in several groups, got 1 groups"),
        (phenotypes(tmp_path / "ill", [(0, 1)] * 10), "got 5 groups, 3 of them empty"),
        ("gone", "folder must be a folder, got folder='gone'"),
    ):
        with pytest.raises(ValueError, match=words):
            FIGURES["003-2"].specified(folder=folder)


def test_everyone_is_counted_once_and_a_last_bit_above_the_promise_in_the_last_bin() -> None:
    given = {"at": 3, "further": 1, "trials": 2, "seed": 12}
    assert figure("003-8", **given).data.column("mean").sum() == pytest.approx(20 * 1437)
    given["clips"] = 1.0
    specification = FIGURES["003-7"].specified(**given)
    assert isinstance(specification, StandIn)
    above = float(np.nextafter(2.75, np.inf))
    for trial in specification.all_trials():
        trials_room.PLAYED_TRIALS[trial] = replace(outcome_of(SEVERAL[0]), epsilons=(above, above, above))
    assert figure("003-7", **given).data.column("mean").tolist() == [0.0] * 19 + [60.0]


def test_the_printed_gains_stand_beside_those_of_the_stand_in_and_the_caption_says_who_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    specification = FIGURES["000-table-2"].specified()
    assert isinstance(specification, Table)
    outcome = replace(outcome_of(SEVERAL[0]), queries=((0.5, 0.5), (0.9, 0.7)), active=(1437,) * 100 + (182,))
    monkeypatch.setattr(trials_room, "PLAYED_TRIALS", dict.fromkeys(specification.all_trials(), outcome))
    shown = figure("000-table-2")
    assert [(item.printed, item.computed) for item in shown.printed] == [
        (gain, pytest.approx(20.0)) for gain in (7.78, 2.23, 0.88)
    ]
    assert "epsilon = 0.3: 7644 of 60354; epsilon = 0.5: 7644 of 60354" in shown.caption
    for name in ("000-table-1", "000-table-2", "000-table-3"):  # what the caption says is what is compared
        percentages = [float(item) for item in re.findall(r"(\d\d\.\d\d) %", FIGURES[name].observed)]
        table = [item for item in TABLES if f"table-{item.table}" in name and item.further]
        assert percentages == [item for row in table for item in (row.unfiltered, row.filtered)]


# -- studies -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_outcomes_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_room, "PLAYED_TRIALS", {})
    play_trials([*SEVERAL, SEVERAL[0]], workers=2)
    assert {trial: trial.play() for trial in SEVERAL} == trials_room.PLAYED_TRIALS
