"""The laws for accountants as a test class, for pytest to collect.

>>> import filterproof as fp
>>> from dp_accounting import GaussianDpEvent, rdp
>>> filt = fp.from_accountant(
...     rdp.RdpAccountant,
...     lambda pair: GaussianDpEvent(1 / pair.mu),
...     fp.ApproxDP(1.0, 1e-5),
...     menu=(fp.Gaussian(0.1), fp.Gaussian(0.2)),
... )
>>> TestRdpAccountant = fp.laws_for_accountants(filt)
>>> TestRdpAccountant().test_the_total_never_falls()
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from filters.adapters.foreign import CopiedFilter, CountedFilter
from filters.privacy_filter import PrivacyFilter
from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from mc.accountants.accountant_subject import AccountantSubject
from theory.arguments import check_positive
from theory.pairs import DominatingPair


def laws_for_accountants(
    filt: PrivacyFilter,
    *,
    menu: tuple[DominatingPair, ...] | None = None,
    tolerance: float = 1e-6,
    raw: Callable[[Any, float], object] | None = None,
) -> type:
    """A test class of the laws for the object behind a filter: `TestMine = fp.laws_for_accountants(filt)`.

    filt is made by `from_accountant`, `from_budget` or `from_queryable`; menu holds the pairs to ask for, by default
    its own. Answers are compared within `tolerance`, relative. raw(held, value) charges a bare parameter. A law that
    does not concern the object, needs what was not given, or finds nothing to ask of the menu, such as orders of a
    single pair, is skipped and says why.
    Passing is no proof. Raises TypeError for other filters and ValueError for a tolerance that is not positive.
    """
    check_positive("tolerance", tolerance)
    if not isinstance(filt, (CountedFilter, CopiedFilter)):
        raise TypeError(
            f"filt must be made by from_accountant, from_budget or from_queryable, got {filt!r}; fp.laws is for others"
        )
    asked = menu if menu is not None else getattr(filt, "menu", None)
    if not asked:
        raise TypeError(f"menu must be given for {filt!r}, got {menu!r}; pass pairs that it supports")
    subject = AccountantSubject(filt, tuple(asked), tolerance, raw)
    methods = {f"test_{name}": _test(law, subject) for name, law in ACCOUNTANT_LAWS.items()}
    return type(f"Test{type(subject.foreign.make()).__name__}", (), methods)


def _test(law: Callable[[AccountantSubject], str], subject: AccountantSubject) -> Callable[[object], None]:
    def test(self: object) -> None:
        law(subject)

    test.__name__ = test.__qualname__ = f"test_{law.__name__}"
    test.__doc__ = law.__doc__
    return test
