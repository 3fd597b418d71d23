"""Fixed compositions by other people's accountants and by ours: the same work in the same run.

Peers come with the extra [bench]; one that is absent, or does not know a pair, is skipped and says so. An accountant is
added by one entry of `CONTESTANTS`.
"""

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias

import numpy as np
import pytest

from filterproof.mc.losses import composition, summands
from filterproof.mc.losses import loss_cells as cells
from filterproof.theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from tests.instruments.bench.references import reference


@dataclass(frozen=True, slots=True)
class Work:
    """delta(epsilon) of so many rounds of one pair, and where its reference digits come from."""

    name: str
    pair: DominatingPair
    rounds: int
    epsilon: float
    route: str


WORKS = (
    Work("Gaussian, sigma=5", Gaussian(0.2), 48, 6.0, "closed form"),
    Work("randomised response, e=0.1", RandomizedResponse(0.1), 48, 2.0, "binomial sum"),
    Work("randomised response, e=0.02", RandomizedResponse(0.02), 400, 1.5, "binomial sum"),
    Work("Laplace, b=10", Laplace(10.0), 48, 2.0, "sum of antiderivatives"),
    Work(
        "subsampled Gaussian, q=0.01, sigma=1",
        SubsampledGaussian(0.01, 1.0),
        1000,
        2.0,
        "inverse Laplace transform",
    ),
)


@dataclass(frozen=True, slots=True)
class AccountantAnswer:
    """An accountant's delta, and the bounds that it gives, None where it gives none."""

    low: float | None
    value: float
    high: float | None


class Absent(Exception):  # noqa: N818 - a finding, in words
    """Raised by a contestant that cannot do a work: the message says why."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """An accountant: its name, the package that it needs (None: ours), and its delta of a work."""

    name: str
    package: str | None
    delta: Callable[[Work], AccountantAnswer]


#: What an accountant makes of pairs of each class.
_Known: TypeAlias = dict[type[DominatingPair], Callable[[Any], Any]]


def _of(known: _Known, pair: DominatingPair) -> Any:
    if type(pair) not in known:
        raise Absent(f"it knows no {type(pair).__name__}")
    return known[type(pair)](pair)


def _by_composition(relative: float) -> Callable[[Work], AccountantAnswer]:
    def delta(work: Work) -> AccountantAnswer:
        # each time as if for the first time
        for cached in (
            cells.loss_cells,
            cells.loss_extent,
            summands._upper_and_lower_bound_plds,
            composition._rough_distribution,
            composition._inversion_of,
        ):
            cached.cache_clear()
        bounds = composition.Composition({work.pair: work.rounds}).delta(work.epsilon, relative=relative)
        return AccountantAnswer(bounds.low, (bounds.low + bounds.high) / 2, bounds.high)

    return delta


def _by_dp_accounting(work: Work) -> AccountantAnswer:
    """With the grid that it takes by default, in the direction that it says is an upper bound."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    known: _Known = {
        Gaussian: lambda pair: pld.from_gaussian_mechanism(1 / pair.mu),
        SubsampledGaussian: lambda pair: pld.from_gaussian_mechanism(pair.sigma, sampling_prob=pair.q),
        Laplace: lambda pair: pld.from_laplace_mechanism(pair.b),
        RandomizedResponse: lambda pair: pld.from_randomized_response(2 / (1 + np.exp(pair.epsilon)), 2),
    }
    distribution = _of(known, work.pair)
    value = float(distribution.self_compose(work.rounds).get_delta_for_epsilon(work.epsilon))
    return AccountantAnswer(None, value, value)


#: The errors in epsilon and delta that prv-accountant is asked for.
_EPSILON_ERROR, _DELTA_ERROR = 0.01, 1e-12


def _by_prv_accountant(work: Work) -> AccountantAnswer:
    import prv_accountant as prv

    sampled = prv.PoissonSubsampledGaussianMechanism
    known: _Known = {
        Gaussian: lambda pair: prv.GaussianMechanism(1 / pair.mu),
        SubsampledGaussian: lambda pair: sampled(sampling_probability=pair.q, noise_multiplier=pair.sigma),
        Laplace: lambda pair: prv.LaplaceMechanism(1 / pair.b),
        RandomizedResponse: lambda pair: prv.PureDPMechanism(pair.epsilon),
    }
    pld = _of(known, work.pair)
    accountant = prv.PRVAccountant(
        prvs=[pld], max_self_compositions=[work.rounds], eps_error=_EPSILON_ERROR, delta_error=_DELTA_ERROR
    )
    return AccountantAnswer(*accountant.compute_delta(work.epsilon, [work.rounds]))


#: The width of a cell of losses that PLD_accounting is asked for, of each round: what dp-accounting takes by default.
_CELL = 1e-4


def _by_pld_accounting(work: Work) -> AccountantAnswer:
    """Its upper bound, of so many epochs of one step or of a sample; and for Gaussian noise its lower one."""
    import PLD_accounting as library
    from dp_accounting.pld import privacy_loss_distribution as pld

    pair = work.pair
    if isinstance(pair, SubsampledGaussian):
        gaussian = pld.from_gaussian_mechanism(pair.sigma)
        distribution = library.subsample_pld(pld=gaussian, sampling_probability=pair.q)
        value = float(distribution.self_compose(work.rounds).get_delta_for_epsilon(work.epsilon))
        return AccountantAnswer(None, value, value)
    config = library.AllocationSchemeConfig(loss_discretization=_CELL * work.rounds)
    if isinstance(pair, Laplace):
        distribution, other = (
            library.laplace_distribution(scale=pair.b, value_discretization=_CELL) for _ in range(2)
        )
        value = library.general_allocation_delta(
            epsilon=work.epsilon,
            num_steps=1,
            num_selected=1,
            num_epochs=work.rounds,
            remove_realization=distribution,
            add_realization=other,
            config=config,
        )
        return AccountantAnswer(None, value, value)
    if not isinstance(pair, Gaussian):
        raise Absent(f"it knows no {type(pair).__name__}")
    params = library.PrivacyParams(
        sigma=1 / pair.mu, num_steps=1, num_epochs=work.rounds, epsilon=work.epsilon
    )
    low, high = (
        library.gaussian_allocation_delta_configurable(params=params, config=config, bound_type=side)
        for side in (library.BoundType.IS_DOMINATED, library.BoundType.DOMINATES)
    )
    return AccountantAnswer(low, high, high)


def _by_opake(work: Work) -> AccountantAnswer:
    """With the grid that it takes by default; by the native functions that the factories of opake-dpsgd call."""
    from opake.api.accounting.core import opake_accounting as native

    config = native.DiscretizationConfig()
    known: _Known = {
        Gaussian: lambda pair: native.gaussian_pld(1 / pair.mu, config),
        SubsampledGaussian: lambda pair: native.poisson_pld(native.gaussian_pld(pair.sigma, config), pair.q),
    }
    pld = _of(known, work.pair)
    value = float(pld.self_compose(work.rounds).delta_at(work.epsilon))
    return AccountantAnswer(None, value, value)


#: Whose time the others' are measured in: the first.
CONTESTANTS = (
    Contestant("Filterproof, relative=1e-3", None, _by_composition(1e-3)),
    Contestant("Filterproof, relative=1e-4", None, _by_composition(1e-4)),
    Contestant("dp-accounting, PLD", "dp-accounting", _by_dp_accounting),
    Contestant("prv-accountant", "prv-accountant", _by_prv_accountant),
    Contestant("PLD_accounting", "PLD_accounting", _by_pld_accounting),
    Contestant("opake-accounting", "opake-accounting", _by_opake),
)


@pytest.mark.filterwarnings("ignore:Benchmark fixture was not used")  # by one that is skipped
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
@pytest.mark.parametrize("contestant", CONTESTANTS, ids=lambda each: each.name)
def bench_composition(benchmark: Any, work: Work, contestant: Contestant) -> None:
    """delta of the composition; the record has it beside the reference, with the bounds that it gave."""
    benchmark.group = f"{work.rounds} x {work.name}, epsilon {work.epsilon:g}"
    by = contestant.name
    if contestant.package is not None:
        try:
            by = f"{contestant.name} {version(contestant.package)}"
        except PackageNotFoundError:
            pytest.skip(f"{contestant.name} is not installed; pip install 'filterproof[bench]'")
    true = reference(work.pair, work.rounds, work.epsilon)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            bounds = contestant.delta(work)  # imports and compiles
        except Exception as why:
            if contestant.package is None:
                raise
            pytest.skip(f"{by}: {why}")
        benchmark(contestant.delta, work)
    encloses = (bounds.low is None or bounds.low <= true) and (bounds.high is None or true <= bounds.high)
    benchmark.extra_info.update(asdict(bounds), by=by, reference=float(true), route=work.route)
    benchmark.extra_info.update(error=float(bounds.value / true - 1), encloses=bool(encloses))
    if contestant.package is None:
        assert encloses
