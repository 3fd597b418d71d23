"""Every accountant beside a ledger in rational numbers: it grants no more, alone, in a crowd, and saved in between."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
import filterproof.filters.accountants.batched_grants
import filterproof.filters.accountants.linear_queries
from filterproof.filters.accountants.constant_normals import ZERO_NOISE

PEOPLE, SIGMA = 7, 2.0
#: Their budgets are one release of norm SIGMA.
FILTERS: dict[str, fp.PrivacyFilter] = {
    "Gaussian DP": fp.GaussianFilter(1.0),
    "zCDP": fp.ZCDPFilter(0.5),
    "Renyi": fp.RenyiFilter(8.0, 4.0),
}


@dataclass(frozen=True)
class Kind:
    """One kind of accountant of several people, asked for by a norm each; budgets are 1 in squares of norm / SIGMA.

    counted(accountant, norms) is the norm with which each person counted, exactly.
    """

    make: Callable[[int], Any]
    counted: Callable[[Any, Any], list[Fraction]]
    again: Callable[[Any], Any]
    #: Whoever asks for too much is cut to what is left, and not refused.
    cuts: bool = False
    #: What squared norms in doubles may have lost of it, which the noise covers.
    lost: Fraction = Fraction(0)


def selected(people: Any, norms: Any) -> list[Fraction]:
    active = people.select(fp.gaussian_request(norms, SIGMA))
    return [Fraction(x) if on else Fraction(0) for x, on in zip(norms.tolist(), active, strict=True)]


def clipped(people: Any, norms: Any) -> list[Fraction]:
    factors = people.clip(norms, sigma=SIGMA)
    return [Fraction(f) * Fraction(x) for f, x in zip(factors.tolist(), norms.tolist(), strict=True)]


def summed(accountant: Any, norms: Any) -> list[Fraction]:
    """Everybody's vector along a coordinate of its own."""
    return list(map(Fraction, accountant.noisy_sum(np.diag(norms), ZERO_NOISE).value.tolist()))


def restored(filt: fp.PrivacyFilter) -> Callable[[Any], Any]:
    return lambda people: fp.IndividualFilter.from_dict(json.loads(json.dumps(people.to_dict())), filt)


def sums_over(people: fp.IndividualFilter) -> fp.ClippedSums:
    return fp.ClippedSums(people, clip=1e6, sigma=SIGMA)


QUERIES: dict[str, float] = {"norm_budget": SIGMA**2, "kappa": 0.5}


def people_of(filt: fp.PrivacyFilter, counted: Callable[[Any, Any], list[Fraction]], *, cuts: bool) -> Kind:
    return Kind(lambda n: fp.IndividualFilter(filt, n), counted, restored(filt), cuts=cuts)


KINDS: dict[str, Kind] = {
    **{f"select, {name}": people_of(filt, selected, cuts=False) for name, filt in FILTERS.items()},
    **{f"clip, {name}": people_of(filt, clipped, cuts=True) for name, filt in FILTERS.items()},
    "clipped sums": Kind(
        lambda n: sums_over(fp.IndividualFilter(fp.ZCDPFilter(0.5), n)),
        summed,
        lambda sums: sums_over(restored(fp.ZCDPFilter(0.5))(sums.people)),
        cuts=True,
    ),
    "linear queries": Kind(
        lambda n: fp.LinearQueries(n, **QUERIES),
        summed,
        lambda queries: fp.LinearQueries.from_dict(json.loads(json.dumps(queries.to_dict())), **QUERIES),
        lost=Fraction(PEOPLE + 2, 2**53),
    ),
}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def norms(rng: np.random.Generator, n: int = PEOPLE) -> Any:
    """Sixteenths of SIGMA, whose squares are doubles and come to a whole budget exactly; some are absent."""
    return SIGMA * rng.integers(0, 9, n) / 16


def odd_norms(rng: np.random.Generator, n: int = PEOPLE) -> Any:
    return rng.exponential(0.3 * SIGMA, n) * 10.0 ** rng.integers(-3, 1, n)


def costs(counted: list[Fraction]) -> list[Fraction]:
    return [(size / Fraction(SIGMA)) ** 2 for size in counted]


@each_kind
def test_grants_are_those_of_an_exact_ledger(kind: Kind) -> None:
    """To the last bit of the budget; where a norm is cut, what is left of it counts but for a share of 2^-20."""
    rng, accountant, spent = np.random.default_rng(3), kind.make(PEOPLE), [Fraction(0)] * PEOPLE
    for _ in range(60):
        sizes = norms(rng)
        counted = costs(kind.counted(accountant, sizes))
        for i, cost in enumerate(costs(list(map(Fraction, sizes.tolist())))):
            if spent[i] + cost <= 1:
                due = cost
            else:
                due = 1 - spent[i] if kind.cuts else Fraction(0)
            assert counted[i] <= due
            assert counted[i] == due or (kind.cuts and due - counted[i] < Fraction(1, 10**5))
            spent[i] += counted[i]
    assert all(1 - Fraction(1, 10**5) < total <= 1 for total in spent)


@each_kind
def test_saved_in_between_in_blocks_and_one_by_one_everybody_counts_alike_and_within_the_budget(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, (together, saved, some) = np.random.default_rng(6), (kind.make(PEOPLE) for _ in range(3))
    alone, spent = [kind.make(1) for _ in range(PEOPLE)], np.zeros(PEOPLE, dtype=object)
    for t in range(40):
        sizes = (norms, odd_norms)[t % 2](rng)
        counted = kind.counted(together, sizes)
        assert [kind.counted(person, sizes[i : i + 1])[0] for i, person in enumerate(alone)] == counted
        assert kind.counted(saved, sizes) == counted
        if t % 3:
            saved = kind.again(saved)
        with monkeypatch.context() as patch:
            patch.setattr(filterproof.filters.accountants.batched_grants, "PEOPLE_PER_BLOCK", 3)
            patch.setattr(filterproof.filters.accountants.linear_queries, "_BLOCK", 3 * PEOPLE)
            assert kind.counted(some, sizes) == counted
        spent = spent + np.array(costs(counted))
    assert min(spent) > 0.8
    assert max(spent) * (1 - kind.lost) <= 1
    if hasattr(together, "report_for"):
        assert [together.report_for(i) for i in range(PEOPLE)] == [saved.report_for(i) for i in range(PEOPLE)]


@pytest.mark.parametrize("journal", [False, True])
def test_queries_over_people_who_come_and_go_are_those_of_an_exact_ledger(
    journal: bool, tmp_path: Path
) -> None:
    rng, budget = np.random.default_rng(8), Fraction(QUERIES["norm_budget"])
    path = tmp_path / "journal" if journal else None
    queries, spent, present = (
        fp.LinearQueries(5, **QUERIES, journal=path),
        [Fraction(0)] * 5,
        [True] * 5,
    )
    for t in range(60):
        if t % 9 == 4:
            assert queries.join(2) == range(len(spent), len(spent) + 2)
            spent, present = [*spent, Fraction(0), Fraction(0)], [*present, True, True]
        if t % 10 == 6:
            queries.leave(t % len(spent) if t % 20 == 6 else np.array([t % len(spent)] * 2))
            present[t % len(spent)] = False
        if path and t % 4 == 3:
            queries.close()
            queries = fp.LinearQueries.open(path, **QUERIES)
        values = rng.integers(0, 5, (len(spent), 2)) / 4
        expected = np.zeros(2)
        for i, row in enumerate(values):
            after = spent[i] + sum(Fraction(x) ** 2 for x in row)
            if present[i] and after <= budget:
                spent[i], expected = after, expected + row
        assert queries.answer(values, ZERO_NOISE).value.tolist() == expected.tolist()
        left = [Fraction(queries.report_for(person).remaining) * 8 for person in range(queries.people)]
        assert all(
            remaining <= budget - spent_exactly for remaining, spent_exactly in zip(left, spent, strict=True)
        )
        assert left == pytest.approx(
            [budget - spent_exactly for spent_exactly in spent], rel=1e-12, abs=1e-12
        )
    queries.close()
    assert 0 < sum(present) < len(present)
    assert any(spent_exactly == budget for spent_exactly in spent)  # to the last bit of the budget


@pytest.mark.parametrize(
    "make",
    [
        lambda n: fp.ClippedSums(fp.IndividualFilter(fp.ZCDPFilter(1e9), n), clip=1e9, sigma=1.0),
        lambda n: fp.LinearQueries(n, norm_budget=1e18, kappa=1.0),
    ],
    ids=["clipped sums", "linear queries"],
)
def test_a_sum_over_people_is_exact_and_rounded_once(make: Callable[[int], Any]) -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(size=(300, 2)) * 10.0 ** rng.integers(-20, 5, (300, 2))
    due = [float(sum(map(Fraction, column))) for column in values.T.tolist()]
    assert make(300).noisy_sum(values, ZERO_NOISE).value.tolist() == due
