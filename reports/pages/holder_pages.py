"""The pages of what is no filter: odometers, trackers, individual filters, clipped sums and linear queries."""

from __future__ import annotations

from reports.pages.odometer_page import odometer_page
from reports.pages.page import Page
from reports.pages.people_page import people_page
from reports.pages.queries_page import queries_page
from reports.pages.sums_page import sums_page
from reports.pages.tracker_page import tracker_page
from reports.study import Study

__all__ = ["holder_pages"]


def holder_pages(study: Study) -> tuple[Page, ...]:
    """A page for each kind of holder, from what the chapter on holders simulated; RuntimeError before it has run."""
    holders = study.holders
    if holders is None:
        raise RuntimeError(
            "study must have told the chapter on holders, got one that has not; tell HOLDERS first"
        )
    return tuple(
        page(holders) for page in (odometer_page, tracker_page, people_page, sums_page, queries_page)
    )
