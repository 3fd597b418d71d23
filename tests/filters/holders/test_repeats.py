"""Repeats: the count of a session that asks the same again and again."""

from __future__ import annotations

import pytest

import filterproof as fp
from filters.holders.repeats import repeats


@pytest.mark.parametrize(
    "filt",
    [
        fp.GaussianFilter(1.0),
        fp.ZCDPFilter(0.3),
        fp.BasicFilter(3.0, 1e-3, at=1.0),
        fp.RogersFilter(4.0, 1e-3),
        fp.AllOrdersFilter((2.0, 8.0), (0.5, 1.0)),
        fp.calibrated(2.0, 1e-5),
    ],
    ids=lambda filt: type(filt).__name__,
)
def test_it_counts_what_a_session_grants(filt: fp.PrivacyFilter) -> None:
    for request in (fp.RandomizedResponse(0.125), fp.Gaussian(0.1)):
        session, granted = filt.open(), 0
        while granted < 200 and session.request(request):
            granted += 1
        assert repeats(filt, request, most=200) == granted


def test_it_stops_at_most() -> None:
    assert repeats(fp.GaussianFilter(1.0), fp.Gaussian(0.1), most=7) == 7
    assert repeats(fp.GaussianFilter(1.0), fp.Gaussian(0.1), most=0) == 0
    assert repeats(fp.GaussianFilter(1.0), fp.Gaussian(1.5), most=9) == 0
