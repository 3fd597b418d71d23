"""A denial names what would still fit: it is granted, and what lies nearer to the request is not."""

from dataclasses import replace

import numpy as np
import pytest

import filters as fp
from filters.holders.denial import _told
from filters.rules.potential import PotentialFilter
from tests.filters.own import of
from theory.guarantees import ApproxDP
from theory.pairs import DominatingPair, Erasure, Gaussian, Laplace, SubsampledGaussian

STEP = SubsampledGaussian(q=0.01, sigma=1.0)


class AtOrderEight(fp.AdditiveFilter):
    promise = ApproxDP(2.0, 1e-5)
    charge = fp.renyi_charge.at(8.0)


def denied(session: fp.Session, pair: DominatingPair) -> fp.Denial:
    while session.request(pair):
        assert session.denial is None
    assert session.denial is not None
    return session.denial


@pytest.mark.parametrize(
    ("filt", "pair", "names"),
    [
        (AtOrderEight(), STEP, {"q", "sigma"}),
        (fp.GaussianFilter(mu=1.0), Gaussian(mu=0.3), {"mu"}),
        (fp.BasicFilter(epsilon=1.0), Laplace(b=3.0), {"b"}),
        (PotentialFilter(1.0, 0.01, (Gaussian(0.5),)), Gaussian(mu=0.5), {"mu"}),
        (
            of(fp.ZCDPFilter, grant=lambda _, *asked: fp.ZCDPFilter(4.5).grant(*asked))(9.0),
            Gaussian(mu=0.8),
            {"mu"},
        ),
    ],
)
def test_what_is_said_to_fit_does_and_what_is_nearer_does_not(
    filt: fp.PrivacyFilter, pair: DominatingPair, names: set[str]
) -> None:
    session = filt.open("retry")
    told = denied(session, pair)
    assert told.granted == session.granted
    assert told.ever
    assert set(told.fits) == names
    for name, value in told.fits.items():
        asked = getattr(pair, name)
        nearer = value * (asked / value) ** min(1.0, 0.07 / abs(np.log2(asked / value)))
        assert filt.grant(told.state, replace(pair, **{name: value}))[0][0]
        assert not filt.grant(told.state, replace(pair, **{name: nearer}))[0][0]
    shown = {
        name: float(part.partition("=")[2].split(",")[0])
        for name in told.fits
        for part in str(told).partition("; ")[2].split(" ")
        if part.startswith(f"{name}=")
    }
    assert set(shown) == names
    assert all(filt.grant(told.state, replace(pair, **{name: value}))[0][0] for name, value in shown.items())


def test_a_charge_that_does_not_see_the_rate_says_so() -> None:
    """`ApproximateDPFilter` charges a sampled step as one of the full batch, and grants none of sigma 1."""
    told = denied(fp.ApproximateDPFilter(2.0, 1e-5).open(), STEP)
    assert not told.ever
    assert told.fits["q"] == 0.0
    assert told.fits["sigma"] > 2
    assert "nor in a new session" in str(told)
    assert "no other q" in str(told)


def test_nothing_fits_where_a_kind_is_never_granted() -> None:
    told = denied(fp.ApproximateDPFilter(2.0, 1e-5).open(), Erasure(0.5))
    assert not told.ever
    assert not any(told.fits.values())
    assert str(told).endswith("would fit now")


def test_a_halted_session_points_to_its_denial_and_a_later_grant_clears_it() -> None:
    session = fp.GaussianFilter(mu=1.0).open()
    assert denied(session, Gaussian(0.9)).granted == 1
    with pytest.raises(fp.FilterHaltedError, match=r"session\.denial"):
        session.request(Gaussian(0.1))
    session = fp.GaussianFilter(mu=1.0).open("retry")
    assert denied(session, Gaussian(np.array([0.9]))).pair == Gaussian(0.9)  # of the run that asked
    assert session.request(Gaussian(0.1))
    assert session.denial is None


def test_nobody_writes_into_the_state_that_a_denial_shows() -> None:
    """It is the session's own: fresh, after a grant, and restored."""
    filt = fp.GaussianFilter(mu=1.0)
    fresh, spent = filt.open("retry"), filt.open("retry")
    assert spent.request(Gaussian(0.9))
    for session in (fresh, spent, fp.Session.from_dict(spent.to_dict(), filt, "retry")):
        for part in denied(session, Gaussian(1.5)).state:
            with pytest.raises(ValueError, match="read-only"):
                part[:] = 0.0


def test_values_are_shown_on_the_far_side_of_what_was_found() -> None:
    assert _told("sigma", 1.23451, 1) == "sigma=1.235"
    assert _told("q", 0.0123456, -1) == "q=0.01234"
    assert (_told("p", 5e-324, -1), _told("p", 1e-320, 1)) == ("p=4.941e-324", "p=1e-320")
    widest = denied(fp.BasicFilter(5.5635e-309).open(), Laplace(b=1.75e308))
    assert str(widest).endswith("what would fit now: b=1.798e+308")
