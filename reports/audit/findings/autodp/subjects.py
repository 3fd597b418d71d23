"""The Renyi accountant of autodp, which composes cumulant generating functions and answers with an epsilon."""

from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, Laplace

from ..shared.subjects import accountant


def rdp() -> AccountantSubject:
    """Gaussian and Laplace noise composed by `anaRDPacct`, orders as by default."""
    from autodp import rdp_acct, rdp_bank

    def event(pair: Any) -> Any:
        if isinstance(pair, Gaussian):
            return lambda order: rdp_bank.RDP_gaussian({"sigma": 1 / float(pair.mu)}, order)
        return lambda order: rdp_bank.RDP_laplace({"b": float(pair.b)}, order)

    return accountant(
        rdp_acct.anaRDPacct,
        event,
        ApproxDP(2.0, 1e-5),
        (Gaussian(0.25), Laplace(4.0)),
        compose=lambda held, one, count: held.compose_mechanism(one, coeff=count),
        spent=lambda held: held.get_eps(1e-5),
        raw=lambda held, count: held.compose_mechanism(event(Gaussian(0.25)), coeff=count),
    )
