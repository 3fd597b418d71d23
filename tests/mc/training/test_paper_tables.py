"""Tables 1 to 3: the settings are the paper's, both arms are one descent, and a killed run goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

import filterproof as fp
from filterproof.mc.training import paper_tables, retraining
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.idx import read_idx_data_set
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.paper_tables import TABLES, TableSetting, repeat_tables
from filterproof.mc.training.retraining import train_idx
from tests.mc.training.made_up import write_squares

STAND_IN = DenseNetwork(sizes=(784, 10))
SMALL = TableSetting(
    table=1, epsilon=2.0, clip=1.0, sigma=1.0, rate=0.5, steps=2, unfiltered=50.0, filtered=60.0
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for room in (retraining, paper_tables):  # the real network needs Torch
        monkeypatch.setattr(room, "ConvolutionalNetwork", lambda: STAND_IN)
    return write_squares(tmp_path / "pictures")


def test_every_setting_spends_the_printed_epsilon_by_the_conversion_of_the_paper() -> None:
    assert [(setting.table, setting.epsilon) for setting in TABLES] == [
        (k, e) for k in (1, 2, 3) for e in (0.3, 0.5, 1.0)
    ]
    for setting in TABLES:
        epsilon = float(fp.BUN_STEINKE.epsilon(setting.steps / (2 * setting.sigma**2), 1e-5))
        assert epsilon == pytest.approx(setting.epsilon, rel=6e-3)
        tuned = next(other for other in TABLES if (other.table, other.epsilon) == (1, setting.epsilon))
        # Table 2 keeps the noise on the sum, Table 3 the clip
        assert setting.table != 2 or setting.clip * setting.sigma == pytest.approx(
            tuned.clip * tuned.sigma, rel=1e-12
        )
        assert setting.table == 2 or setting.clip == tuned.clip
        assert setting.table == 1 or setting.sigma * {0.3: 1.5, 0.5: 1.5, 1.0: 2.0}[
            setting.epsilon
        ] == pytest.approx(tuned.sigma)
    assert [setting.further for setting in TABLES] == [True, True, False, *[True] * 6]


@pytest.mark.slow  # four seconds
def test_both_arms_are_those_of_one_descent_and_the_best_query_is_by_the_training_pictures(
    folder: Path, tmp_path: Path
) -> None:
    (row,) = repeat_tables(folder, tmp_path / "out", trials=2, settings=[SMALL], seed=5)
    data = read_idx_data_set(folder)
    # two steps of noise 1; the noise depends on the last bit of its scale
    epsilon = float(fp.conversions.gaussian_epsilon(2**0.5, 1e-5))
    mu = float(fp.conversions.max_gaussian_mu(epsilon, 1e-5))
    for trial in range(2):
        people = fp.IndividualFilter(fp.GaussianFilter(mu), people=data.people)
        descent = PrivateGradientDescent(
            data, STAND_IN, people, clip=1.0, sigma=2**0.5 / mu, rate=0.5, seed=50_000 + trial
        )
        descent.steps(2)
        queries = []
        for query in range(8):
            descent.steps(5 if query else 0)
            queries.append(
                [
                    data.quality(STAND_IN.scores(descent.theta, x), y)
                    for x, y in ((data.features, data.labels), (data.test_features, data.test_labels))
                ]
            )
        assert row.unfiltered[trial] == pytest.approx(100 * queries[0][1])
        assert row.filtered[trial] == pytest.approx(100 * max(queries, key=lambda query: query[0])[1])
    assert "Table 1, epsilon = 2: unfiltered " in str(row)
    assert str(row).endswith("printed 60.00")


@pytest.mark.slow
def test_a_killed_run_goes_on_and_a_setting_without_further_steps_has_one_arm(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (uninterrupted,) = repeat_tables(folder, tmp_path / "whole", trials=1, settings=[SMALL], seed=5)
    calls = []

    def dying(*given: object, **named: object) -> retraining.RetrainedModel:
        calls.append(named["most_steps"])
        if len(calls) == 4:
            raise KeyboardInterrupt
        return train_idx(*given, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(retraining, "train_idx", dying)
        with pytest.raises(KeyboardInterrupt):
            repeat_tables(folder, tmp_path / "killed", trials=1, settings=[SMALL], seed=5)
        (again,) = repeat_tables(folder, tmp_path / "killed", trials=1, settings=[SMALL], seed=5)
    assert calls == [2, 7, 12, 17, 17, 22, 27, 32, 37], "no query is repeated"
    assert again == uninterrupted
    rows = []
    short = replace(SMALL, further=False)
    (row,) = repeat_tables(folder, tmp_path / "short", trials=1, settings=[short], seed=5, on_row=rows.append)
    assert row.unfiltered == row.filtered == uninterrupted.unfiltered
    assert rows == [row]
    assert "in one trial" in str(row)
