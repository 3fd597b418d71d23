"""The experiments of 003 and 000: budgets kept by steps and counts, groups, and that nobody is filtered too early."""

from dataclasses import replace

import numpy as np
import pytest

import filterproof as fp
from mc.training.descent import Descent
from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.experiments import GROUPS, GroupRun, Setting, groups
from reports.figures.trained import Spread
from reports.figures.trials import Trial

pytestmark = pytest.mark.pinned

CLIP = 6.0  # larger than most gradients, so that people differ in what is spent on them
RUN = GroupRun(sigma=10.618, clip=CLIP, rate=0.7, at=4, epochs=9)
TRIAL = Trial(RUN, seed=0, number=0)


def test_a_run_is_the_descent_it_says_with_its_groups_told_apart() -> None:
    found = TRIAL.play()
    assert RUN.filter == fp.GaussianFilter(4**0.5 / 10.618)
    assert found == TRIAL.play()
    assert found != replace(TRIAL, number=1).play()
    data = digits()
    descent = Descent(
        data,
        Network(),
        fp.IndividualFilter(RUN.filter, people=data.people),
        clip=CLIP,
        sigma=10.618,
        rate=0.7,
        seed=int(np.random.SeedSequence([0, 0]).generate_state(1)[0]),
    )
    spent = np.zeros(data.people)
    for epoch in range(1, RUN.epochs + 1):
        norms = descent.network.gradients(descent.theta, data.features, data.labels).norms()
        next(descent)
        if epoch <= RUN.at:  # nobody can run out: the budget is of `at` clipped steps
            spent += (np.minimum(norms, CLIP) / (CLIP * 10.618)) ** 2
        tested = descent.network.right(descent.theta, data.test_features, data.test_labels).mean()
        assert found.accuracy[epoch] == pytest.approx(tested, abs=1 / 360)
        if epoch == RUN.at:
            epsilons = np.asarray(fp.gaussian_epsilon(np.sqrt(spent), 1e-5))
            np.testing.assert_allclose(found.epsilons, np.sort(epsilons), rtol=1e-6)
            told = found.groups_before
            train = descent.network.losses(descent.theta, data.features, data.labels)
            test = descent.network.losses(descent.theta, data.test_features, data.test_labels)
            for number, members in enumerate(GROUPS):
                here = np.isin(data.labels.argmax(axis=1), members)
                there = np.isin(data.test_labels.argmax(axis=1), members)
                assert told.epsilon[number] == pytest.approx(epsilons[here].mean(), rel=1e-6)
                assert told.train_loss[number] == pytest.approx(train[here].mean(), rel=1e-6)
                assert told.test_loss[number] == pytest.approx(test[there].mean(), rel=1e-6)
    assert found.active[: RUN.at + 1] == (1437,) * (RUN.at + 1)
    assert found.active[-1] < 1437
    both = zip(found.groups_before.epsilon, found.groups_after.epsilon, strict=True)
    assert all(before < after for before, after in both), "those who have some left go on to spend it"
    assert max(found.epsilons) <= float(fp.gaussian_epsilon(RUN.filter.mu, 1e-5)) * (1 + 1e-9)


def test_the_groups_share_nobody_and_cover_everyone() -> None:
    labels = digits().labels
    found = groups(labels)
    for number, members in enumerate(GROUPS):
        assert np.array_equal(found == number, np.isin(labels.argmax(axis=1), members))
    assert np.bincount(found).sum() == len(labels)
    assert sorted(one for members in GROUPS for one in members) == list(range(10))


SETTING = Setting(epsilon=2.0, clip=6.0, steps=4, rate=0.5, looks=3, every=2)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("asked", [0.02, 0.1, 0.5])
def test_steps_and_counts_together_cost_the_budget_and_no_more(epsilon: float, asked: float) -> None:
    setting = Setting(epsilon=epsilon, clip=2.0, steps=17, rate=1.0, asked=asked)
    assert setting.rho == fp.SIMPLE.budget(epsilon, 1e-5)
    assert setting.descent_rho + setting.counts_rho == setting.rho
    assert fp.SIMPLE.delta(setting.descent_rho + setting.counts_rho, epsilon) <= 1e-5
    # 000, Proposition 5.1
    assert setting.steps / (2 * setting.sigma**2) == pytest.approx(setting.rho, rel=1e-14)
    steps = setting.steps / (2 * setting.filtered_sigma**2)
    counts = setting.looks / (2 * setting.count_sigma**2)
    assert counts == pytest.approx(asked * setting.rho, rel=1e-12)
    assert steps + counts == pytest.approx(setting.rho, rel=1e-14)


def test_a_clip_too_large_keeps_the_noise_and_the_promise_as_in_the_paper() -> None:
    # 000, Appendix A: sigma = 170, C = 10, k = 112 becomes 1.5 C, sigma / 1.5 and k / 1.5^2
    tuned = Setting(epsilon=0.3, clip=10.0, steps=112, rate=0.2)
    assert tuned.sigma == pytest.approx(170.0, rel=0.01)
    larger, noise = tuned.shortened(1.5, clip=1.5), tuned.shortened(1.5)
    assert larger.steps == noise.steps == 50
    assert (larger.clip, noise.clip) == (15.0, 10.0)
    assert larger.sigma * larger.clip == pytest.approx(tuned.sigma * tuned.clip, rel=0.01)
    assert noise.sigma == pytest.approx(tuned.sigma / 1.5, rel=0.01)
    assert tuned.shortened(100.0).steps == 1


def test_a_trial_takes_the_iterate_with_the_best_answer() -> None:
    stopped = set()
    for number, clip in ((0, 6.0), (1, 6.0), (0, 1.0), (1, 1.0)):
        found = Trial(replace(SETTING, clip=clip), seed=1, number=number).play()
        looks = [4, 6, 8]
        stopped.add(found.stopped)
        assert len(found.curve) == len(found.active) == 9
        best = int(np.argmax(found.answers))
        assert found.stopped == looks[best]
        assert found.filtered == found.curve[found.stopped]
        assert found.active[:5] == (1437,) * 5, "nobody runs out in the first steps"
        assert found.active[-1] <= 1437
    assert len(stopped) > 1, "it is neither always the first look nor always the last"


def test_both_descents_of_a_trial_begin_alike_and_each_is_of_its_budget() -> None:
    seeds, *_ = np.random.SeedSequence([0, 3]).spawn(2)
    plain, filtered = (SETTING.descent(seeds, filtered=one).descent for one in (False, True))
    assert np.array_equal(plain.theta, filtered.theta)
    assert (plain.people.filter, filtered.people.filter) == (
        fp.ZCDPFilter(SETTING.rho),
        fp.ZCDPFilter(SETTING.descent_rho),
    )
    assert (plain.sigma, filtered.sigma) == (SETTING.sigma, SETTING.filtered_sigma)
    plain.steps(SETTING.steps)
    data = plain.data
    accuracy = plain.network.right(plain.theta, data.test_features, data.test_labels).mean()
    assert Trial(SETTING, seed=0, number=3).play().plain == accuracy


def test_a_trial_is_the_same_twice_and_numbers_and_seeds_make_others() -> None:
    trial = Trial(SETTING, seed=0, number=0)
    found = trial.play()
    assert found == trial.play()
    assert found != replace(trial, number=1).play()
    assert found != replace(trial, seed=1).play()
    with pytest.raises(ValueError, match="values must be two or more, got 1; a single trial has no spread"):
        Spread.of([1.0])
