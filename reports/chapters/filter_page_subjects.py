"""The filters of the catalogue that have a page in the report, and what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

from filterproof.filters.catalogue import CATALOGUE, CatalogueEntry, FilterPage
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.reports.finding import key_from_name


@dataclass(frozen=True, slots=True)
class FilterPageSubject(FilterPage):
    """The filter of a report page, and what the page shows: menu, epsilon, rule and words."""

    name: str = field(kw_only=True)
    make: Callable[[], PrivacyFilter] = field(kw_only=True)

    @classmethod
    def of(cls, entry: CatalogueEntry) -> FilterPageSubject:
        """The subject of an entry of the catalogue."""
        shown = {page_field.name: getattr(entry.page, page_field.name) for page_field in fields(FilterPage)}
        return cls(**shown, name=entry.name, make=entry.example)

    @property
    def key(self) -> str:
        """The anchor of the page."""
        return f"filter-{key_from_name(self.name)}"

    @property
    def guarantee_claim_key(self) -> str:
        """The key of the claim about the filter's guarantee."""
        return f"examined-{key_from_name(self.name)}"


#: The filters with a false guarantee that the report shows; the examinations of the others are tests.
SHOWN_BROKEN = ("CentralLimitFilter", "NonadaptiveCompositionFilter", "NaiveRealisationFilter")

SUBJECTS: tuple[FilterPageSubject, ...] = tuple(
    FilterPageSubject.of(entry)
    for entry in CATALOGUE.values()
    if entry.sound is not False or entry.name in SHOWN_BROKEN
)
