"""Adversaries of the catalogue: what they ask for, that they spend everything, that any filter will do."""

import json
import pickle
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.contract_checks import checked_admits
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.encoding import allowed_values_by_name, decode, encode
from filterproof.mc.engine.granted_levels import largest_level_for_rounds
from filterproof.mc.engine.streams import Batch

BASIC = fp.BasicFilter(epsilon=1.0, delta=1e-3)  # which admits no Gaussian
PARAMETERLESS = [
    *(
        fp.Constant(),
        fp.OneShot(),
        fp.ManySmall(),
        fp.HighWhileLossPositive(),
        fp.RandomSpender(),
    )
]
FILTERS = [
    fp.GaussianFilter(mu=1.0),
    fp.GaussianFilter(mu=1e-6),
    fp.ApproximateDPFilter(epsilon=1.0, delta=1e-5),
    fp.RealisationFilter(10.0, 1e-5, 20, (fp.Gaussian(0.5),)),
    BASIC,
]


@pytest.mark.parametrize("filt", FILTERS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("adversary", PARAMETERLESS, ids=lambda a: type(a).__name__)
def test_without_parameters_any_filter_will_do(filt: fp.PrivacyFilter, adversary: fp.Adversary) -> None:
    paths = play_batch(fp.runs.Game.between(filt, adversary, rounds=60), Batch(1, 0, 200))
    assert (paths.releases >= 1).all()
    assert np.isfinite(paths.loss).all()
    assert paths.loss.any()


@pytest.mark.parametrize("adversary", PARAMETERLESS[1:], ids=lambda a: type(a).__name__)
@pytest.mark.parametrize(
    "filt", [fp.GaussianFilter(mu=1.0), fp.ZCDPFilter(rho=0.5)], ids=lambda f: type(f).__name__
)
def test_budget_exhausting_adversaries_leave_nothing(filt: fp.PrivacyFilter, adversary: fp.Adversary) -> None:
    paths = play_batch(fp.runs.Game.between(filt, adversary).at(2.0), Batch(2, 0, 500))
    spent = paths.log_weight + paths.loss  # (s - 1) sum D_s = sum mu^2 at order s = 2
    np.testing.assert_allclose(spent, 1.0, rtol=1e-9)


def test_the_even_level_fits_so_often_and_no_oftener() -> None:
    for filt in (fp.GaussianFilter(mu=1.0), fp.ZCDPFilter(rho=0.3), BASIC):
        family = fp.RandomizedResponse if filt is BASIC else fp.Gaussian
        level = largest_level_for_rounds(filt, family, 10)

        def times(level: float, filt: fp.PrivacyFilter = filt, family: Any = family) -> int:
            state, done = filt.start(1), 0
            while checked_admits(filt, state, family(level), 1)[0]:
                state, done = filt.spend(state, family(level)), done + 1
            return done

        assert times(level) == 10
        assert times(level * 1.0005) == 9


def view(loss: list[float], filt: fp.PrivacyFilter, t: int = 1) -> fp.AdversaryView:
    n = len(loss)
    seen = (np.array(loss), np.zeros(n), filt.start(n), np.zeros(n, dtype=np.bool_))
    return fp.AdversaryView(t, *seen, filt, np.random.default_rng(0))


MISFITS = {
    "asks": "is never used; rename it to possible_requests",
    "gaussian": "is never used; rename it to requests_only_gaussians",
    "final_from_state": "is never used; rename it to final_depends_only_on_state",
    "request": r"must accept \(view\), got \(\); define request\(self, view\)",
    "start": r"must accept \(filt, n, rng\), got \(\)",
    "horizon": "must not be a method; write @property above it",
}


@pytest.mark.parametrize("name", MISFITS)
def test_adversary_with_a_former_name_or_another_form_is_refused(name: str) -> None:
    own = {"request": lambda self, view: fp.Gaussian(0.1), name: lambda self: None}
    misfit = type("Own", (fp.Adversary,), own)()
    with pytest.raises(TypeError, match=rf"^Own\.{name} {MISFITS[name]}"):
        fp.simulate(BASIC, misfit, epsilon=1.0, n=10, rounds=2)


@pytest.mark.parametrize("times", [(2, 3, 1), (5, 1, 1)])
def test_a_script_asks_for_each_pair_so_many_times_in_a_row_whatever_is_released(
    times: tuple[int, int, int],
) -> None:
    filt, pairs = fp.GaussianFilter(mu=1.0), (fp.Gaussian(0.5), fp.RandomizedResponse(0.25), fp.Gaussian(0.5))
    script = fp.Scripted(pairs, times)
    written_out = [pair for pair, n in zip(pairs, times, strict=True) for _ in range(n)]
    assert script.horizon == len(written_out)
    for loss in (-3.0, 0.0, 7.0):
        requests = [script.request(view([loss], filt, t)) for t in range(script.horizon + 3)]
        assert requests == [*written_out, *3 * pairs[2:]]
    assert script.possible_requests == pairs[:2]
    assert not script.requests_only_gaussians
    assert fp.Scripted(pairs[::2], times[::2]).requests_only_gaussians
    assert fp.Constant(0.5).pair == pairs[0], "a number means a Gaussian"


def test_chasing_raises_after_a_gain_and_with_exchanged_levels_after_a_loss() -> None:
    filt = fp.GaussianFilter(mu=1.0)
    for levels, expected in (((0.1, 0.2), [0.1, 0.1, 0.2]), ((0.2, 0.1), [0.2, 0.2, 0.1])):
        adversary = fp.HighWhileLossPositive(*levels)
        request = adversary.against(filt).request(view([-1.0, 0.0, 1.0], filt))
        assert isinstance(request, fp.Gaussian)
        np.testing.assert_array_equal(request.mu, expected)


def test_the_random_spender_tosses_its_own_coins() -> None:
    filt = fp.GaussianFilter(mu=1.0)
    adversary = fp.RandomSpender(0.1).against(filt)
    mu = np.asarray(adversary.request(view([0.0] * 2000, filt)).gdp_mu)
    assert mu.min() > 0
    assert mu.max() <= 0.2
    assert abs(mu.mean() - 0.1) < 6 * 0.2 / np.sqrt(12 * 2000)  # beyond six deviations once in 10^9
    first, other = (
        play_batch(fp.runs.Game.between(filt, adversary), Batch(seed, 0, 50)).loss for seed in (1, 2)
    )
    assert (first != other).all()


@pytest.mark.parametrize("adversary", [*PARAMETERLESS, fp.EraserForever(0.1)], ids=lambda a: type(a).__name__)
def test_adversaries_travel(adversary: fp.Adversary) -> None:
    ready = adversary.against(fp.GaussianFilter(mu=1.0))
    assert pickle.loads(pickle.dumps(ready)) == ready  # noqa: S301 - our own bytes
    assert ready.against(fp.GaussianFilter(mu=1.0)) == ready
    known = allowed_values_by_name()
    assert decode(json.loads(json.dumps(encode(ready, known))), known) == ready
