"""The runs of 003's experiment: its budgets and epsilons, groups, and that nobody is filtered too early."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import filterproof as fp
from mc.training.descent import Descent
from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.group_run import GROUPS, GroupRun, groups
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
