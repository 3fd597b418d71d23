"""Individual accounting: those who run out sit out, reports are for one person, answers are accurate."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filters as fp
from theory.pairs import Gaussian, RandomizedResponse, Selection


@pytest.mark.parametrize("little", [1e-300, 1e-30])  # the first is divided in no fast way
def test_whoever_is_not_absent_pays_however_little_beside_those_who_are(little: float) -> None:
    norms = np.resize([0.0, little, 0.25], 60)
    request = fp.gaussian_request(norms, 0.7)
    assert isinstance(request, Selection)
    assert (np.asarray(request.pairs[0].gdp_mu)[norms == 0] == 1).all()  # of nobody
    mu = np.asarray(request.gdp_mu)
    assert (mu[norms == 0] == 0).all()
    assert all(Fraction(ours) >= Fraction(norm) / Fraction(0.7) for ours, norm in zip(mu, norms, strict=True))
    assert (
        mu[norms == 0.25].tolist() == np.asarray(fp.gaussian_request(np.full(20, 0.25), 0.7).gdp_mu).tolist()
    )


def test_who_is_absent_pays_nothing_and_the_others_as_alone() -> None:
    rng, n = np.random.default_rng(7), 40
    for filt in (fp.GaussianFilter(1.0), fp.ZCDPFilter(0.5), fp.RenyiFilter(4.0, 2.0)):
        people = fp.IndividualFilter(filt, n)
        alone = [filt.open("retry") for _ in range(n)]
        for _ in range(8):
            norms = rng.uniform(0.1, 1.2, n) * (rng.random(n) < 0.7)
            expected = [
                one.request(Gaussian(float(x)) if x else RandomizedResponse(0.0))
                for one, x in zip(alone, norms, strict=True)
            ]
            assert people.select(fp.gaussian_request(norms, 1.0)).tolist() == expected
        assert 0 < np.mean(expected) < 1
        assert [people.report_for(i).remaining for i in range(n)] == pytest.approx(
            [one.remaining() for one in alone], rel=1e-12, abs=1e-15
        )


def test_a_request_with_absent_people_is_a_pick_between_two_pairs() -> None:
    norms = np.array([0.5, 0.0, 2.0, 0.0] * 10)
    request, usual = (
        fp.gaussian_request(norms, 2.0),
        Selection((Gaussian(np.where(norms > 0, norms / 2, 1.0)), RandomizedResponse(0.0)), norms == 0),
    )
    assert request == usual
    assert hash(request) == hash(usual)
    rngs = np.random.default_rng(1), np.random.default_rng(1)
    losses = request.sample(rngs[0], 40), usual.sample(rngs[1], 40)
    assert losses[0].tolist() == losses[1].tolist()
    assert not losses[0][norms == 0].any()
    for some in (np.array([3, 0, 2]), norms > 1, slice(1, 7)):
        assert request.take(some) == usual.take(some)
    for number in ("pure_epsilon", "zcdp_rho", "gdp_mu"):
        assert getattr(request, number).tolist() == getattr(usual, number).tolist()
    assert np.asarray(request.hockey_stick(0.3)).tolist() == np.asarray(usual.hockey_stick(0.3)).tolist()


class Fleeting(np.ndarray):
    """Numbers that are zero from the first comparison on, as if someone else had written over them meanwhile."""

    def __eq__(self, other: object) -> Any:
        self.view(np.ndarray)[:] = 0.0
        return self.view(np.ndarray) == other


def test_nobody_becomes_free_between_two_looks_at_the_norms() -> None:
    request = fp.gaussian_request(np.array([0.5, 0.0] * 20).view(Fleeting), 1.0)
    assert np.asarray(request.gdp_mu).tolist() == [0.5, 0.0] * 20


def test_a_report_is_for_one_person() -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 3)
    people.select(fp.gaussian_request(np.array([0.6, 0.0, 0.1]), 1.0))
    report = people.report_for(0)
    assert report.remaining == pytest.approx(0.8, rel=1e-14)
    assert "For person 0 only" in str(report)
    assert "1-GDP" in str(report)
    assert "FOR THAT PERSON'S EYES ONLY" in (type(report).__doc__ or "")
    for person in (3, -1):
        with pytest.raises((IndexError, ValueError)):
            people.report_for(person)
    assert not [name for name in dir(people) if "reports" in name]


def test_individual_accounting_needs_one_pair_per_person_and_no_losses() -> None:
    people = fp.IndividualFilter(fp.ZCDPFilter(1.0), 3)
    assert people.select(RandomizedResponse(0.1)).all()
    with pytest.raises(ValueError, match="one pair per person"):
        people.select(RandomizedResponse(np.array([0.1, 0.2])))
    with pytest.raises(TypeError, match="without realised losses"):
        fp.IndividualFilter(fp.RealisationFilter(10.0, 1e-5, 10, (Gaussian(0.5),)), 3)


@pytest.mark.parametrize(
    ("scale", "sigma"), [(2.0**1000, 0.7 * 2.0**1000), (2.0**1000, 0.7), (2.0**-1060, 0.7)]
)
def test_mu_is_rounded_up_where_products_over_or_underflow(scale: float, sigma: float) -> None:
    norms = np.random.default_rng(2).uniform(1, 10, 100) * scale
    mu = np.asarray(fp.gaussian_request(norms, sigma).gdp_mu)
    assert all(Fraction(norm) / Fraction(sigma) <= Fraction(m) for norm, m in zip(norms, mu, strict=True))
