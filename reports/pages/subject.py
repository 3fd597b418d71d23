"""A subject is a filter that the report has a page for: how it is made, and what its page shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from filters.catalogue import Entry
from filters.entry import FilterPage
from filters.privacy_filter import PrivacyFilter
from reports.finding import slug

__all__ = ["PageSubject"]


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
