"""Parameters far from the papers': one sentence outside the bounds, and only what is true of the data inside."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from reports.figures.paper_figure import figure
from theory.conversions import gaussian_mu


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("003-3", {"sigma": 1e7}, r"sigma must be from 0\.01 to 1e\+06, got sigma=10000000\.0"),
        ("000-rogers", {"budgets": 1e308}, r"budgets must be from 0\.001 to 20, got budgets=1e\+308"),
        (
            "004-2",
            {"sigma": 900.0},
            r"epsilon times sigma must be at most 500, got epsilon=10\.0 and sigma=900",
        ),
        ("000-rogers", {"budgets": (2, 1)}, r"budgets must rise .*, got budgets=\(2\.0, 1\.0\); order them"),
        ("003-4", {"steps": (500, 300)}, "steps must rise from each number to the next"),
        ("b-star", {"deltas": (0.0,)}, r"^deltas must be in \(0, 1\), got deltas=0\.0; pass"),
        ("b-star", {"deltas": (1.0,)}, r"^deltas must be in \(0, 1\), got deltas=1\.0; pass"),
        ("b-star", {"epsilons": (0.0, 1.0)}, r"^epsilons must be from 0\.05 to 50, got epsilons=0\.0; pass"),
        ("b-star", {"epsilons": (1.0, float("inf"))}, r"^epsilons must be finite, got epsilons=inf; pass"),
        ("000-table-1", {"trials": 1}, "trials must be an integer >= 2, got trials=1"),
        ("003-2", {"at": 100}, "at must be below epochs, got at=100, epochs=100; exchange them"),
        (
            "003-6",
            {"factors": (1.0, 1.0000001)},
            r"factors must differ in the six digits that are printed, got 1\.0 and 1\.0000001, both shown as 1; ",
        ),
        (
            "003-6",
            {"factors": (9.00001, 9.00002), "clip": 0.12},
            r"factors must differ in .*, got 9\.00001 and 9\.00002, both shown as 1\.08; pass",
        ),
        ("000-table-2", {"epsilons": (1.0, 1.0000001)}, "epsilons must differ in the six digits"),
        ("000-rogers", {"each": 0.001}, r"each must allow at most 20,000 rounds, got each=0\.001"),
        (
            "000-rogers",
            {"budgets": tuple(k / 4 for k in range(1, 51))},
            "budgets must be 1 to 40 numbers, got 50",
        ),
        ("eraser", {"p": 0.02}, r"p must be at most delta=0\.01, got p=0\.02; the filter denies"),
        ("natural-game", {"rounds": 4}, "rounds must be at most 3, got rounds=4; a larger tree"),
        ("natural-game", {"base": 1.0}, r"base must be above 1 and at most 10, got base=1\.0"),
        ("per-instance", {"rounds": 15}, "rounds must be at most 14, got rounds=15"),
        ("004-2", {"rounds": 501}, "rounds must be at most 500"),
    ],
)
def test_the_sentence_names_the_parameter_its_value_and_the_remedy(
    name: str, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        figure(name, **given)


def corners(*names: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, {"points": 2, "sigma": sigma, "delta": delta, "least": least, "most": most})
        for name in names
        for sigma, delta, (least, most) in product(
            (0.01, 1e6), (1e-100, 0.99), ((1e-6, 2e-6), (1e-6, 100.0), (99.0, 100.0))
        )
    ]


#: Specifications at the ends of what is allowed, and odd ones within; some with what is said only of others.
ODD: list[Any] = [
    *corners("003-3", "003-4", "003-5"),
    ("003-3", {"k": 10**9, "points": 3}),
    ("003-3", {"k": 1, "points": 3, "sigma": 1e6}),
    ("003-5", {"delta": 0.5, "points": 3}),
    ("003-5", {"least": 0.5, "orders": 2, "sigma": 0.1, "points": 5}),
    ("000-rogers", {"each": 5.0, "budgets": (0.5, 1.0)}, "same rule"),
    ("000-rogers", {"each": 20.0, "budgets": 0.001, "delta": 1e-30}),
    ("000-rogers", {"each": 0.1, "budgets": (0.001, 0.01), "delta": 0.3}),
    ("003-1", {"points": 2, "people": 1, "steps": 4, "q": 0.5, "more_orders": 4, "fraction": 0.5}),
    ("003-1", {"points": 2, "people": 1, "steps": 1, "delta": 0.1, "more_orders": 4, "trained": 20}),
    ("004-2", {"epsilon": 0.5, "delta": 0.1, "sigma": 20.0, "rounds": 2}),
    ("eraser", {"p": 0.3, "delta": 0.3, "rounds": (1, 3)}),
    ("b-star", {"epsilons": (0.05, 50.0), "deltas": (1e-12, 0.5)}),
    ("eraser", {"p": 0.99, "delta": 0.99, "rounds": (1, 3)}),
    ("eraser", {"p": 1e-12, "delta": 1e-12, "epsilon": 50.0, "rounds": (1, 3)}),
    ("000-table-1", {"epsilons": 0.1, "delta": 0.1, "trials": 2, "asked": 0.5}),
    ("000-table-2", {"epsilons": (0.1, 20.0), "factor": 10.0, "delta": 0.1, "trials": 2, "asked": 0.5}),
    ("000-table-3", {"epsilons": 20.0, "delta": 1e-12, "factor": 10.0, "trials": 2, "asked": 0.001}),
    ("003-2", {"at": 1, "epochs": 2, "trials": 2, "sigma": 1e4}),
    ("003-6", {"at": 1, "epochs": 2, "trials": 2, "factors": (0.01, 100.0), "rate": 1000.0}),
    ("003-7", {"at": 1, "epochs": 2, "trials": 2, "sigma": 0.1, "clip": 1000.0}),
    ("003-8", {"at": 1, "epochs": 2, "trials": 2, "sigma": 1e4, "factor": 0.01}),
    ("003-9", {"at": 3, "epochs": 4, "trials": 2, "clip": 0.001}),
    ("natural-game", {"base": 10.0, "rounds": 1}, "differently after each outcome"),
    ("natural-game", {"base": 1.001, "rounds": 2}),
    ("natural-rounds", {"parts": (2, 3), "deltas": (1e-9, 0.5), "rounds": 8}),
    ("shared-limit", {"sites": 2}),
    ("per-instance", {"ratio": 1000, "rounds": 3}),
    ("supermartingale", {"mu": 0.01, "epsilon": 50.0, "n": 100, "pace": 2}),
    ("supermartingale", {"mu": 10.0, "epsilon": 0.01, "n": 100, "pace": 2, "failure": 0.5}),
]

#: Words of the papers' values.
ONLY_AS_PRINTED = ("roughly", "420 and 495", "belong to epsilon", "at its parameters")


@pytest.mark.filterwarnings("error")
@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("odd", ODD, ids=lambda one: one[0])
def test_inside_the_bounds_nothing_raises_and_no_words_are_of_the_papers_values(odd: Any) -> None:
    name, given, *others = odd
    one = figure(name, **given)
    words = f"{one.caption} {one.alt}"
    assert not [phrase for phrase in (*ONLY_AS_PRINTED, *others) if phrase in words]
    assert " nan" not in words
    assert " inf" not in words
    assert json.loads(one.json())["caption"] == one.caption
    one.plot()


def test_the_printed_specifications_keep_their_words() -> None:
    assert 'smaller, which 003 prints as "roughly 10 percent".' in figure("003-3").caption
    assert "the 420 and 495 of 003 belong to epsilon = 0.8156" in figure("003-5").caption
    assert "differently after each outcome" in figure("natural-game").caption + figure("natural-game").alt


def test_filters_that_outlast_the_picture_are_counted_to_their_end() -> None:
    odd = figure("004-2", epsilon=0.5, delta=0.1, sigma=20.0, rounds=2)
    # a GDP filter admits k requests of mu = 1/sigma while k <= (mu sigma)^2
    assert odd.data.number("rounds_gdp") == int((float(gaussian_mu(0.5, 0.1)) * 20) ** 2)
    dropping, _, marked = odd.alt.partition("Marks at the right end")
    assert "GDP" not in dropping
    assert f"GDP {odd.data.facts['rounds_gdp']}." in marked
