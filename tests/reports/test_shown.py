"""Results show themselves: rows keep every digit, HTML never lacks an interval, and pictures draw what rows say."""

import ast
import random
import re
from base64 import b64decode
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

import filterproof as fp
from filterproof.reports.html_repr.fragments import MAX_LINES
from filterproof.reports.html_repr.numbers import exact_value_and_bounds_text
from filterproof.reports.html_repr.text_cells import text_cells
from filterproof.theory.display import Displayed
from filterproof.theory.numerics.decimals import format_down, format_up, interval
from filterproof.theory.proofs.proof import PROSE_JOIN_NOTE
from tests.reports.examinations import ADMISSION, exam_of, refuted

GAUSSIAN = fp.GaussianFilter(mu=1.0)
HALF = fp.RandomizedResponse.from_ratio(2)
#: Six digits, or nine.
INTERVAL = re.compile(r"\[([-\d.e]+), ([-\d.e]+)\]")


def curve(direction="PQ") -> fp.results.ProfileEstimate:
    options = {"epsilon": [0.0, 1.0, 2.5], "n": 1000, "method": "plain", "direction": direction}
    return fp.simulate(GAUSSIAN, fp.OneShot(), **options)


MADE = {
    "Estimate": lambda: curve()[1.0],
    "ProfileEstimate": curve,
    "TradeOff": lambda: fp.TradeOff(curve(), curve("QP")),
    "SurvivalCurve": lambda: fp.release_survival(GAUSSIAN, fp.Constant(0.5), n=1000, rounds=40),
    "MechanismAudit": lambda: fp.audit_mechanism(
        lambda data, rng: data + rng.laplace(), 0.0, 1.0, fp.PureDP(1.0), n=400
    ),
    "FilterComparison": lambda: fp.rank_filters_by_releases(1.0, 0.01, fp.ZCDP(0.05)),
    "FilterChoice": lambda: instance_of("FilterComparison").choices[0],
    "WorstCase": lambda: fp.worst_case(fp.ZCDPFilter(1.0), HALF, epsilon=fp.LogRatio(Fraction(3, 2))),
    "Evaluation": lambda: fp.evaluate(
        fp.ZCDPFilter(1.0), fp.Constant(HALF), epsilon=fp.LogRatio(2), rounds=3
    ),
    "NumericalEvaluation": lambda: fp.evaluate(GAUSSIAN, fp.OneShot(), epsilon=1.0),
    "Evaluations": lambda: fp.evaluate(GAUSSIAN, fp.OneShot(), epsilon=[1.0, 4.0]),
    "Evaluations, exact": lambda: fp.evaluate(
        fp.ZCDPFilter(1.0), fp.Constant(HALF), epsilon=[0.25, 0.5], rounds=3
    ),
    "Bounds": lambda: fp.Composition({fp.RandomizedResponse(1.0): 2}).delta(1.0),
    "TrainingAudit": lambda: fp.training.audit_training(
        fp.training.LogisticTraining(np.ones((2, 1)), np.array([0, 1]), rate=0.1),
        fp.training.ClippedSums.factory(GAUSSIAN, clip=1.0, sigma=2.0),
        epsilon=0.5,
        steps=2,
        n=40,
        failure=1e-3,
    ),
    "CalibratedFilter": lambda: fp.tabulated_filter(1.0, 1e-5),
    "CalibratedThreshold": lambda: fp.results.CalibratedThreshold.table()[0],
    "Decision": lambda: fp.sequential_test(GAUSSIAN, fp.OneShot(), epsilon=1.0, delta=0.05),
    "Verdict": lambda: fp.Verdict(fp.Outcome.UNDECIDED, fp.Evidence.STATISTICAL, "one game", "half of it"),
    "Proof": lambda: fp.prove("B*, line by line"),
    "CertifiedNumbers": lambda: fp.certify(fp.ZCDPFilter(0.5)),
    "Examination": refuted,
}
PICTURED = (
    "ProfileEstimate",
    "TradeOff",
    "SurvivalCurve",
    "FilterComparison",
    "Evaluations",
    "Evaluations, exact",
)


@cache
def instance_of(name: str):
    return MADE[name]()


def page(value) -> ElementTree.Element:
    return ElementTree.fromstring(value._repr_html_())


def words(value) -> str:
    return " ".join("".join(page(value).itertext()).split())


# -- all of them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MADE)
def test_rows_are_plain_values_with_every_digit(name: str) -> None:
    rows = instance_of(name).rows()
    assert rows
    assert all(list(row) == list(rows[0]) for row in rows)
    assert {type(cell) for row in rows for cell in row.values()} <= {bool, int, float, str, type(None)}
    assert ast.literal_eval(repr(rows).replace(": inf", ": 1e999")) == rows
    if issubclass(kind := type(instance_of(name)), Displayed) and (
        written := getattr(kind, "__match_args__", ())
    ):
        for field in {*written} & {*rows[0]} - {"epsilon", "failure"}:
            value = getattr(instance_of(name), field)
            if isinstance(value, Fraction):
                assert Fraction(rows[0][field]) == value
            elif isinstance(value, float):
                assert rows[0][field].hex() == value.hex()
            elif isinstance(value, str | Enum):
                assert rows[0][field] == (value.name if isinstance(value, Enum) else value)


@pytest.mark.parametrize("name", MADE)
def test_html_is_well_formed_and_borrows_its_colours(name: str) -> None:
    html = instance_of(name)._repr_html_()
    text = re.sub(r'src="data:[^"]*"', "", html)
    if name != "Examination":  # its words are HTML for browsers, not XML
        ElementTree.fromstring(html)
    assert not re.search(r"color|background|<script|#[0-9a-f]{6}|https?://(?!www\.w3\.org)", text)


@pytest.mark.parametrize("name", PICTURED)
def test_a_picture_is_drawn_into_a_new_figure_or_into_axes_that_are_given(name: str) -> None:
    value = instance_of(name)
    drawn = value.plot()
    assert isinstance(drawn, Figure)
    given = Figure()
    axes = given.subplots(len(drawn.axes), 1, squeeze=False)[:, 0]
    assert value.plot(axes[0] if len(axes) == 1 else axes) is given
    assert [ax.get_xlabel() for ax in axes] == [ax.get_xlabel() for ax in drawn.axes]
    assert all(len(a.lines) == len(b.lines) > 0 for a, b in zip(axes, drawn.axes, strict=True))
    (image,) = page(value).iter("img")  # turns dark, and has words
    head, _, data = image.get("src").partition(",")
    assert head == "data:image/svg+xml;base64"
    assert b"prefers-color-scheme:dark" in b64decode(data)
    assert re.search(r"\d", image.get("alt"))


# -- numbers ---------------------------------------------------------------------------------------------------


def test_ends_are_rounded_outwards() -> None:
    draws = random.Random(4)
    for _ in range(300):
        x = draws.choice((-1, 1)) * draws.random() * 10.0 ** draws.randint(-30, 5)
        assert Decimal(format_down(x)) <= Decimal(repr(x)) <= Decimal(format_up(x))
        assert float(format_up(x)) - float(format_down(x)) <= abs(x) * 1e-5
    assert interval(0.25, 0.25) == "[0.25, 0.25]"
    assert (format_down(float("-inf")), format_up(float("inf"))) == ("-inf", "inf")


@pytest.mark.parametrize("name", ["Estimate", "WorstCase", "Evaluation", "Bounds", "CalibratedThreshold"])
def test_a_shown_interval_contains_the_interval(name: str) -> None:
    low, high = 1.234567896e-4, 9.876543214e-4  # which round inwards to the nearest
    value = {"Estimate": {"value": 5e-4}, "WorstCase": {"value": None}, "Evaluation": {"value": None}}
    item = replace(instance_of(name), low=low, high=high, **value.get(name, {}))
    for shown in (str(item), words(item)):
        ends = INTERVAL.search(shown)
        assert ends is None or float(ends[1]) <= low < high <= float(ends[2])
    assert INTERVAL.search(str(item))


def test_a_cell_is_rounded_to_the_safe_side_and_an_interval_is_one_cell() -> None:
    row = {"promised": 0.1234561, "difference": 1.01e-9, "joint_failure": 1.01e-6, "mu_low": 0.1234569}
    shown = {"promised": "0.123457", "difference": "1.1e-09", "joint failure": "1.1e-06"}
    assert text_cells(row | {"untried": ""}) == shown | {"mu": "at least 0.123456"}
    ends = {"low": 0.1234569, "high": 0.1234561}
    assert text_cells({"value": 0.5, **ends}) == {"value": "0.5 in [0.123456, 0.123457]"}
    assert text_cells({"value": "1/3", **ends}) == {"value": "1/3, in [0.1234569, 0.1234561]"}
    assert text_cells(ends) == {"between": "[0.1234569, 0.1234561]"}


def test_an_exact_value_that_is_too_long_to_read_gives_way_to_its_bounds() -> None:
    assert (
        exact_value_and_bounds_text("1/3", 0.3333333333333333, 0.33333333333333337)
        == "1/3, in [0.333333333, 0.333333334]"
    )
    assert exact_value_and_bounds_text("1", 1.0, 1.0) == "1"
    assert exact_value_and_bounds_text(f"1/{10**40}", 9.9e-41, 1.1e-40) == "[9.9e-41, 1.1e-40]"
    assert exact_value_and_bounds_text(None, 0.25, 0.5) == "[0.25, 0.5]"


def test_a_certified_number_is_the_decimal_of_its_double_and_no_refused_one_is_left_out() -> None:
    numbers = fp.certify(fp.ZCDPFilter(0.3))
    values = [line[2].text for line in list(page(numbers).iter("tr"))[1:]]
    assert values[0] == "0.29999999999999999"
    assert not any("/" in value for value in values)
    fitting = next(number for number in numbers.numbers if number.fits)
    many = replace(numbers, numbers=(*[fitting] * 39, replace(fitting, value=None), fitting))
    assert "UNSOUND" in [line[3].text for line in list(page(many).iter("tr"))[1:]]


def test_long_tables_say_that_rows_are_left_out() -> None:
    shown = list(page(instance_of("SurvivalCurve")).iter("tr"))
    assert len(shown) == 1 + MAX_LINES
    assert (shown[1][0].text, shown[-1][0].text) == ("1", "40")
    assert f"{MAX_LINES} of 40 rows; rows() has them all." in words(instance_of("SurvivalCurve"))
    assert "rows() has them all" not in words(instance_of("ProfileEstimate"))


# -- pictures --------------------------------------------------------------------------------------------------


def column(value, name: str) -> list[float]:
    return [row[name] for row in value.rows()]


@pytest.mark.parametrize(
    ("name", "at", "heights"),
    [
        ("ProfileEstimate", "epsilon", ("low", "value", "high")),
        ("TradeOff", "alpha", ("low", "high")),
        ("SurvivalCurve", "", ("low", "value", "high")),  # whose band goes in steps between rounds
    ],
)
def test_a_picture_has_the_ends_and_values_of_the_rows(name: str, at: str, heights: tuple[str, ...]) -> None:
    value = instance_of(name)
    (ax,) = value.plot().axes
    points = {(x, y) for line in ax.lines for x, y in zip(*map(list, line.get_data()), strict=True)}
    for path in (path for item in ax.collections for path in item.get_paths()):
        points |= {tuple(vertex) for vertex in path.vertices.tolist()}
    (band,) = (item for item in ax.collections if str(item.get_label()).startswith(("band", "interval")))
    edge = {y for path in band.get_paths() for y in path.vertices[:, 1].tolist()}
    assert min(edge) == pytest.approx(min(column(value, "low")), rel=1e-9)
    assert max(edge) == pytest.approx(max(column(value, "high")), rel=1e-9)
    for height in heights:
        if at:
            assert set(zip(column(value, at), column(value, height), strict=True)) <= points
        assert set(column(value, height)) <= {y for _, y in points}
    assert name != "ProfileEstimate" or ax.get_yscale() == "log"
    if name == "TradeOff":  # the bands of rows are those that are asked for
        assert column(value, "low") == [float(value.low(alpha)) for alpha in column(value, "alpha")]
        assert {row["failure"] for row in value.rows()} == {value.failure}


# -- proofs, verdicts, examinations ----------------------------------------------------------------------------


def test_a_proof_shows_its_formulas_and_its_steps() -> None:
    proof = instance_of("Proof")
    formulas = [step for step in proof.steps if step.latex]
    formulas_shown = list(page(proof).iter("{http://www.w3.org/1998/Math/MathML}math"))
    assert len(formulas_shown) == len(formulas) + bool(proof.theorem.claim_latex) > 0
    text = words(proof)
    assert PROSE_JOIN_NOTE in text
    for step in proof.steps:
        assert " ".join(step.statement.split()) in text


def test_an_examination_has_its_tightness_as_rows_and_draws_it_and_without_any_says_so() -> None:
    exam = instance_of("Examination")
    rows = exam.rows()
    assert [row["attack"] for row in rows] == [float(bound.attack) for bound in exam.tightness]
    drawn = list(exam.plot().axes)
    dots = [float(line.get_xdata()[0]) for ax in drawn for line in ax.lines if line.get_marker() == "o"]
    assert dots == [row["share"] for row in rows if row["promised"] < float("inf")]
    assert rows[-1]["promised"] == float("inf")
    nothing = exam_of(ADMISSION)
    assert nothing.rows() == []
    with pytest.raises(ValueError, match="examine the filter with more effort"):
        nothing.plot()


# -- escaping and imports --------------------------------------------------------------------------------------


EVIL = '<img src=x onerror="alert(1)">&amp;'


@pytest.mark.parametrize(
    "make",
    [
        lambda: fp.Estimate(0.5, 0.25, 0.75, 0.01, 10, EVIL, EVIL),
        lambda: fp.results.ProfileEstimate(
            (1.0,), (fp.Estimate(0.5, 0.25, 0.75, 0.01, 10, EVIL, EVIL),), 0.01
        ),
        lambda: fp.Verdict(fp.Outcome.UNDECIDED, fp.Evidence.EXACT, EVIL, EVIL),
        lambda: fp.results.NumericalEvaluation(1.0, 0.5, 1e-9, "PQ", 1, 1, EVIL),
    ],
    ids=["Estimate", "ProfileEstimate", "Verdict", "NumericalEvaluation"],
)
def test_what_others_wrote_is_escaped(make) -> None:
    value = make()
    assert EVIL in "".join(page(value).itertext())
    assert all(image.get("onerror") is None for image in page(value).iter("img"))
