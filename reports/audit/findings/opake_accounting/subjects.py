"""opake-accounting's accountant as a subject of the laws; `opake` is imported when one is made."""

from dataclasses import make_dataclass
from importlib import import_module
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, RandomizedResponse, SubsampledGaussian

from ..shared.subjects import accountant


class _Held:
    """Its accountant, which each composition replaces by another."""

    def __init__(self, held: Any) -> None:
        self.accountant = held

    def compose(self, process: Any, count: int) -> None:
        self.accountant = self.accountant | process * count


def _subject(event: Any, menu: tuple[Any, ...], **laws: Any) -> AccountantSubject:
    acc = import_module("opake.accounting")
    return accountant(
        lambda: _Held(acc.Accountant()),
        event,
        ApproxDP(2.0, 1e-5),
        menu,
        spent=lambda held: held.accountant.epsilon_at(1e-5),
        tolerance=1e-3,  # its docs state an error in cells of the grid, whose width is 1e-4
        **laws,
    )


def pure() -> AccountantSubject:
    """Mechanisms of which an epsilon is known, charged by `eps_delta`."""
    acc, kept = import_module("opake.accounting"), import_module("opake.serialization")
    return _subject(
        lambda pair: acc.eps_delta(float(pair.epsilon), 0.0),
        (RandomizedResponse(0.25), RandomizedResponse(0.5)),
        reread=lambda held: _Held(kept.from_state_dict(acc.Accountant(), kept.state_dict(held.accountant))),
        raw=lambda held, epsilon: held.compose(acc.eps_delta(epsilon, 0.0), 1),
    )


def noises() -> AccountantSubject:
    """Gaussian noise, of a sample or of all, by the native functions that the factories of opake-dpsgd call."""
    native = import_module("opake.api.accounting.core.opake_accounting")
    process = import_module("opake.accounting.types").DpProcess

    def pld(self: Any, **_: object) -> Any:
        whole = native.gaussian_pld(self.noise, native.DiscretizationConfig())
        return whole if self.rate == 1.0 else native.poisson_pld(whole, self.rate)

    noised = make_dataclass(
        "Noised", [("noise", float), ("rate", float)], bases=(process,), namespace={"pld": pld}, frozen=True
    )

    def event(pair: Any) -> Any:
        return noised(1 / float(pair.mu), 1.0) if isinstance(pair, Gaussian) else noised(pair.sigma, pair.q)

    return _subject(event, (Gaussian(0.25), SubsampledGaussian(0.125, 1.0)))
