"""PLD_accounting's loss distributions as a subject of the laws; the library is imported when it is made."""

from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian

from ..shared.subjects import accountant

#: Cells of losses, ten times wider than dp-accounting's.
_CELL = 1e-3


class _Held:
    """The loss distribution so far, None of nothing, composed by dp-accounting."""

    pld: Any = None

    def compose(self, one: Any, count: int) -> None:
        some = one.self_compose(count) if count > 1 else one
        self.pld = some if self.pld is None else self.pld.compose(some)


def upper() -> AccountantSubject:
    """Upper bounds of Gaussian noise, on one grid: what `subsample_pld` returns has a grid of its own."""
    import PLD_accounting as library

    def event(pair: Any) -> Any:
        return library.gaussian_allocation_pld(
            params=library.PrivacyParams(sigma=1 / float(pair.mu), num_steps=1),
            config=library.AllocationSchemeConfig(loss_discretization=_CELL),
        )

    return accountant(
        _Held,
        event,
        ApproxDP(2.0, 1e-5),
        (Gaussian(0.25), Gaussian(0.5)),
        spent=lambda held: held.pld.get_epsilon_for_delta(1e-5) if held.pld is not None else 0.0,
        tolerance=1e-2,  # an answer moves by cells of the grid
    )
