"""A filter holds by a theorem only where something joins the theorem to each pair that the filter names."""

import pytest

import filterproof as fp
from filters.certified.covered import Join, joined
from mc.examine.stages.parts import parts
from theory.claims.theorem import RefusedError
from theory.evidence import Outcome

pytestmark = pytest.mark.usefixtures("proved")
SAMPLED = fp.SubsampledGaussian(0.005, 2.0)


def test_what_a_rule_admits_in_another_way_than_its_theorem_covers_holds_by_no_theorem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = fp.Erasure(1e-9)
    filt = fp.BlackwellFilter(1.0, (pair,))
    honest = parts(filt)
    assert honest is not None
    assert honest.outcome is Outcome.HOLDS
    # composed without its infinite loss, as if the rest were all of it
    monkeypatch.setattr(
        "filters.rules.blackwell.gaussian_cover", lambda pairs, counts, *of: 0.1 * any(counts)
    )
    filt = fp.BlackwellFilter(1.0, (pair,))
    assert filt.admits(filt.start(1), pair)[0]
    with pytest.raises(RefusedError, match="of which the theorem says nothing, and is admitted"):
        joined(filt)
    found = parts(filt)
    assert found is not None
    assert found.outcome is Outcome.UNDECIDED
    assert "of which the theorem says nothing" in found.detail


def test_a_rule_without_a_line_holds_by_no_theorem_and_a_verdict_says_what_joins_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    filt = fp.BlackwellFilter(1.0, (SAMPLED, fp.Laplace(4.0)))
    found = parts(filt)
    assert found is not None
    assert found.outcome is Outcome.HOLDS
    assert f"{SAMPLED!r} is covered {Join.GAUSSIAN.value}" in found.detail
    assert f"{fp.Laplace(4.0)!r} is covered {Join.GAUSSIAN.value}" in found.detail
    monkeypatch.setattr("filters.certified.covered.COVERED", {})
    found = parts(filt)
    assert found is not None
    assert found.outcome is Outcome.UNDECIDED
    assert "nothing says which mechanisms BlackwellFilter's theorem covers" in found.detail
