"""The filters that have a page, and what it shows: the catalogue's, and the rule that accountants are used by."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial

from filterproof.filters.catalogue import CATALOGUE, Entry
from filterproof.filters.catalogue_entry import FilterPage
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.unsound import suppress_unsound_warning
from filterproof.mc.losses.accountant_filter import AccountantFilter
from filterproof.reports.finding import slug
from filterproof.theory.pairs import SubsampledGaussian


@dataclass(frozen=True, slots=True)
class PageSubject(FilterPage):
    """What a filter's page shows, of a filter that `make` builds.

    `claim` is the key of the claim that decides the promise, if it is not that of the filter's examination; `more`
    builds the filter with other parameters, None where there are none.
    """

    name: str = field(kw_only=True)
    make: Callable[[], PrivacyFilter] = field(kw_only=True)
    claim: str = ""
    more: Callable[[], PrivacyFilter] | None = None

    @classmethod
    def of(cls, entry: Entry) -> PageSubject:
        """The subject of an entry of the catalogue."""
        shown = {one.name: getattr(entry.page, one.name) for one in fields(FilterPage)}
        return cls(**shown, name=entry.name, make=entry.example, more=entry.larger)

    @property
    def key(self) -> str:
        """The anchor of the page."""
        return f"filter-{slug(self.name)}"

    @property
    def decided_by(self) -> str:
        """The key of the claim about the filter's promise."""
        return self.claim or f"examined-{slug(self.name)}"


_RATES = (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))


def _accountant(epsilon: float = 2.0) -> PrivacyFilter:
    with suppress_unsound_warning():
        return AccountantFilter(epsilon, 1e-5, _RATES)


ACCOUNTANT = PageSubject(
    r"\varepsilon\left(\otimes_t P_t, \otimes_t Q_t; \delta\right) \le \varepsilon",
    "Training stops when the epsilon of an accountant would pass its target. The accountant composes mechanisms "
    "fixed in advance; an adversary raises the sampling rate for those whose loss is large already.",
    _RATES,
    2.0,
    (1.5, 2.0, 2.5),
    (1.5, 2.0, 2.5),
    "menu = [fp.SubsampledGaussian(q=0.05, sigma=1.0), fp.SubsampledGaussian(q=0.1, sigma=1.0)]\n"
    "with fp.suppress_unsound_warning():\n"
    "    filt = fp.AccountantFilter(2.0, 1e-5, menu)",
    direction="PQ",
    claim="accountant-adaptive",
    name="AccountantFilter",
    make=_accountant,
    more=partial(_accountant, 2.25),
)

SUBJECTS: tuple[PageSubject, ...] = (*map(PageSubject.of, CATALOGUE.values()), ACCOUNTANT)


def _listed(name: str) -> PageSubject:
    return next(one for one in SUBJECTS if one.name == name)


def _by_name(subject: PageSubject) -> tuple[Callable[[str], PageSubject], tuple[str]]:
    return _listed, (subject.name,)


# what makes its filter is a function of the catalogue, which cannot be sent to another process
copyreg.pickle(PageSubject, _by_name)
