"""Training on a folder of pictures: killed at any moment it goes on where it stood, and no crash refunds anyone.

The convolutional network needs Torch, and has its own tests; here a small one of NumPy stands in its place.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
from filterproof.mc.training import retraining
from filterproof.mc.training.data_set import classified
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.idx import read_idx_data_set
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.retraining import RetrainedModel, train_idx
from tests.mc.training.made_up import write_squares

SETTING = {"epsilon": 8.0, "delta": 1e-5, "clip": 1.0, "steps": 3, "rate": 0.5, "seed": 7}
STAND_IN = DenseNetwork(sizes=(784, 10))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(retraining, "ConvolutionalNetwork", lambda: STAND_IN)
    return write_squares(tmp_path / "pictures")


@pytest.fixture
def uninterrupted(folder: Path, tmp_path: Path) -> RetrainedModel:
    """Six steps that nothing interrupted."""
    return train_idx(folder, **SETTING, most_steps=6, out=tmp_path / "uninterrupted")


class Killed(BaseException):
    """What no code catches."""


def state(out: Path) -> bytes:
    return (out / "private" / "descent.json").read_bytes()


def stored_descent(out: Path, folder: Path) -> PrivateGradientDescent:
    """The descent on the disk."""
    filt = fp.GaussianFilter(float(fp.conversions.max_gaussian_mu(SETTING["epsilon"], SETTING["delta"])))
    return PrivateGradientDescent.restored(
        out / "private" / "descent.json", read_idx_data_set(folder), STAND_IN, filt
    )


def test_what_is_told_of_a_run_is_what_was_asked_for_with_an_interval_and_apart_from_what_is_private(
    folder: Path, tmp_path: Path, uninterrupted: RetrainedModel
) -> None:
    assert fp.conversions.gaussian_epsilon(uninterrupted.mu, 1e-5) == pytest.approx(8.0, rel=1e-9)
    assert (uninterrupted.steps, uninterrupted.steps_taken) == (3, 6)
    assert 3 / uninterrupted.sigma**2 == pytest.approx(uninterrupted.mu**2, rel=1e-12), (
        "three sums at full clip use it up"
    )
    data = read_idx_data_set(folder)
    # the same descent, made by hand
    people = fp.IndividualFilter(fp.GaussianFilter(uninterrupted.mu), people=data.people)
    again = PrivateGradientDescent(
        data, STAND_IN, people, clip=1.0, sigma=uninterrupted.sigma, rate=0.5, seed=7
    )
    again.steps(6)
    np.testing.assert_array_equal(again.theta, uninterrupted.theta)
    right = classified(STAND_IN.scores(uninterrupted.theta, data.test_features), data.test_labels)
    interval = stats.binomtest(int(right.sum()), 20).proportion_ci(0.95, method="exact")
    assert uninterrupted.accuracy.value == right.mean()
    assert (uninterrupted.accuracy.low, uninterrupted.accuracy.high) == pytest.approx(
        tuple(interval), rel=1e-9
    )
    with np.load(uninterrupted.model) as model:
        assert model.files == ["theta"]
        np.testing.assert_array_equal(model["theta"], uninterrupted.theta)
    assert (tmp_path / "uninterrupted" / "private").stat().st_mode & 0o077 == 0, "others look into it"


def test_without_a_seed_the_noise_is_another_each_time(folder: Path, tmp_path: Path) -> None:
    assert train_idx(folder, **SETTING, out=tmp_path / "out").steps_taken == 3 + 35, (
        "35 after those of the budget"
    )
    setting = {**SETTING, "seed": None}
    first, two = (train_idx(folder, **setting, most_steps=1, out=tmp_path / name) for name in ("a", "b"))
    assert (first.theta != two.theta).any()


@pytest.mark.parametrize("told_first", [True, False])
def test_a_run_killed_once_a_step_is_told_or_before_it_is_kept_ends_as_one_that_was_not(
    folder: Path,
    tmp_path: Path,
    uninterrupted: RetrainedModel,
    monkeypatch: pytest.MonkeyPatch,
    told_first: bool,
) -> None:
    save, budgets, out = PrivateGradientDescent.save, [], tmp_path / "out"

    def killed(descent: PrivateGradientDescent, path: Path) -> None:
        if descent.steps_taken == 4 and not told_first:
            raise Killed
        save(descent, path)

    def look(step: int, _: fp.Estimate) -> None:
        people = stored_descent(out, folder).people
        budgets.append([people.report_for(i).remaining for i in range(60)])
        if step == 3 and told_first:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(PrivateGradientDescent, "save", killed)
        with pytest.raises(Killed):
            train_idx(folder, **SETTING, most_steps=5, out=out, on_step=look)
    assert len(budgets) == stored_descent(out, folder).steps_taken == 3
    assert (np.diff(budgets, axis=0) < 0).all(), "what a step cost is on the disk before the step is told"
    outcome = train_idx(folder, **SETTING, most_steps=6, out=out)
    np.testing.assert_array_equal(outcome.theta, uninterrupted.theta)
    assert state(out) == state(tmp_path / "uninterrupted")
    assert train_idx(folder, **SETTING, most_steps=2, out=out).steps_taken == 6, "none is taken back"


def test_of_two_runs_at_once_in_one_folder_the_second_is_refused(
    folder: Path, tmp_path: Path, uninterrupted: RetrainedModel
) -> None:
    steps = []

    def again(step: int, _: fp.Estimate) -> None:
        before = state(tmp_path / "out")
        with pytest.raises(OSError, match=r"^out must be used by one run at a time, got one .* another out$"):
            train_idx(folder, **SETTING, most_steps=6, out=tmp_path / "out")
        assert state(tmp_path / "out") == before
        steps.append(step)

    outcome = train_idx(folder, **SETTING, most_steps=6, out=tmp_path / "out", on_step=again)
    assert steps == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal(outcome.theta, uninterrupted.theta)
    assert (tmp_path / "out" / "private" / "lock").stat().st_mode & 0o077 == 0


def test_gradients_that_are_not_finite_end_the_run_with_a_sentence_and_lose_nothing(
    folder: Path, tmp_path: Path
) -> None:
    wild, out = {**SETTING, "clip": 20.0, "rate": 1e308}, tmp_path / "out"
    for _ in range(2):
        refused = pytest.raises(ValueError, match=r"finite sums .*; scale .*, or lower the rate")
        with np.errstate(all="ignore"), refused:
            train_idx(folder, **wild, most_steps=6, out=out)
        assert stored_descent(out, folder).steps_taken == 1, "the step before stands"


def test_without_torch_a_sentence_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    sentence = r"needs Torch and Opacus, got an error instead .*; run pip install 'filterproof\[training\]'"
    folder = write_squares(tmp_path / "pictures")
    with pytest.raises(ImportError, match=sentence):
        train_idx(folder, **SETTING, out=tmp_path / "out")
    with pytest.raises(ImportError, match=sentence):
        fp.training.repeat_tables(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"clip": 2.0}, r"must be of the same run: clip must be 1\.0, got clip=2\.0; or pass"),
        ({"steps": 4}, r"must be of the same run: sigma must be .*, got sigma=.*; or pass"),
        ({"epsilon": 7.0}, "must be of the same run: filt must be the filter that was"),
        ({"people": 60}, "of the same run: data must be that of the saved descent"),
    ],
    ids=["clip", "steps", "epsilon", "pictures"],
)  # fmt: skip
def test_a_run_is_not_mixed_with_another(folder: Path, tmp_path: Path, change: dict, sentence: str) -> None:
    out, setting, change = tmp_path / "out", dict(SETTING), dict(change)
    train_idx(folder, **setting, most_steps=1, out=out)
    if people := change.pop("people", None):
        write_squares(folder, people=people)
        path = folder / "train-images-idx3-ubyte"
        path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    before = state(out)
    with pytest.raises(ValueError, match=sentence):
        train_idx(folder, **{**setting, **change}, most_steps=2, out=out)
    assert state(out) == before, "it was changed"


def test_a_folder_that_cannot_serve_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        OSError, match=r"out must be a folder that can be .*, got out='.*file' .*; pass --out"
    ):
        train_idx(folder, **SETTING, most_steps=2, out=tmp_path / "file")
    write_squares(folder, side=26)
    with pytest.raises(ValueError, match=r"folder must hold pictures of 28 by 28 points, got 676 .*; pass"):
        train_idx(folder, **SETTING, out=tmp_path / "none")
    assert not (tmp_path / "none").exists()
