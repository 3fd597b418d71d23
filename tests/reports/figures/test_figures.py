"""What every figure keeps to, also far from the papers' parameters: data, files, words, pictures, printed numbers."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import filterproof as fp
from filterproof.reports.drawing import GREY
from filterproof.reports.figures.figure_data import FigureData
from filterproof.reports.figures.paper_figure import FIGURES, ComputedFigure, figure
from filterproof.reports.figures.specification import Specification
from tests.slow_cases import slow_but
from tests.test_registries import modules

#: Drawn in every format by each `make test`.
SOME = ("natural-game",)
#: Parameters with which a figure that takes long takes a moment.
SMALL: dict[str, dict[str, Any]] = {
    "003-1": {"points": 3, "people": 2, "steps": 4, "q": 0.5, "more_orders": 4},
    "004-2": {"epsilon": 7.0, "delta": 0.02, "sigma": 1.0, "rounds": 6},
    "per-instance": {"rounds": 7},
    "000-rogers": {"budgets": (0.25, 0.5, 1.0)},
    **{f"000-table-{k}": {"at": 2, "further": 2, "trials": 2} for k in (1, 2, 3)},
    "003-1-people": {"steps": 20, "people": 30, "orders": 4},
    **{f"003-{k}": {"at": 2, "further": 2, "trials": 2} for k in (2, 6, 7, 8, 9, 10)},
}
#: Panels that show quotients of columns.
QUOTIENTS = {("000-rogers", 1), ("003-1", 1)}


@cache
def shown(name: str) -> ComputedFigure:
    """The figure, computed once by each process that asks for it."""
    return figure(name, quick=True, **SMALL.get(name, {}))


@cache
def files(name: str) -> dict[str, bytes]:
    """Its files with the picture as SVG alone: another format takes longer to draw than most figures to compute."""
    return shown(name).files(("svg",))


@cache
def plotted(name: str) -> Figure:
    """The figure as it is drawn, looked at and not changed."""
    return shown(name).plot()


def test_every_figure_of_the_room_is_listed() -> None:
    for module in modules("filterproof.reports.figures"):
        for name, thing in vars(module).items():
            if isinstance(thing, type) and issubclass(thing, Specification):
                message = f"reports/templates/figures.toml must list {name}, or a kind of it"
                assert any(issubclass(listed.specification, thing) for listed in FIGURES.values()), message
    assert fp.figures() == tuple(FIGURES.values())


def an_unknown_parameter_and_a_value_out_of_range_are_refused_in_one_sentence(name: str) -> None:
    known = FIGURES[name].specification.names()
    unknown = f"^sigm must be a parameter of figure {name}, got sigm=2; there are {', '.join(known)}"
    with pytest.raises(ValueError, match=re.escape(unknown[1:])):
        figure(name, sigm=2)
    for parameter in known:
        far = () if parameter == "seed" else (1e308, 1e-300, 10**40)
        for bad in (-1.0, "a word", float("nan"), *far):
            with pytest.raises((ValueError, TypeError), match=rf"^{parameter} must .*; ") as error:
                figure(name, **{parameter: bad})
            assert "\n" not in str(error.value)


def words_tell_the_figure_and_name_what_is_derived_for_them(name: str) -> None:
    computed = shown(name)
    for words in (computed.caption, computed.alt):
        assert len(words) > 80
        assert words.endswith(".")
        assert not re.search(r"\b(nan|inf)\b", words)
    assert str(computed).startswith(f"{name}: {computed.of.title}")
    assert computed.of.source.paper in ("000", "003", "004")
    templates = (
        computed.of.caption,
        computed.of.alt,
        *(words for panel in computed.of.axes for words in panel),
    )
    named = {field for text in templates for _, field, _, _ in Formatter().parse(text) if field}
    assert set(computed.specification.caption_values(computed.data)) <= {
        re.split(r"[.[]", field)[0] for field in named
    }


def the_files_hold_the_data_with_every_digit(name: str) -> None:
    data = shown(name).data
    numbers = [cell for column in data.columns for cell in column if isinstance(cell, float | int)]
    assert np.isfinite(numbers).all()
    written = json.loads(files(name)[f"{name}.json"])
    assert written["columns"] == {heading: list(data.columns[k]) for k, heading in enumerate(data.names)}
    assert written["parameters"] == json.loads(json.dumps(shown(name).specification.parameters()))
    assert {"filterproof", "python", "numpy"} <= written["versions"].keys()
    rows = list(csv.reader(io.StringIO(files(name)[f"{name}.csv"].decode())))
    texts = [["" if cell is None else str(cell) for cell in row.values()] for row in data.rows()]
    assert rows == [list(data.names), *texts]


def what_is_drawn_is_in_the_data(name: str) -> None:
    computed = shown(name)
    cells = [*computed.data.facts.values(), *(cell for column in computed.data.columns for cell in column)]
    parameters = [
        1.0,
        *(cell for value in computed.specification.parameters().values() for cell in np.ravel(value)),
    ]
    known = [float(cell) for cell in (*cells, *parameters) if isinstance(cell, float | int)]
    for panel, ax in enumerate(plotted(name).axes):
        assert ax.has_data()
        for line in ax.get_lines() if (name, panel) not in QUOTIENTS else ():
            y = np.asarray(line.get_ydata(), dtype=float)
            for value in y[np.isfinite(y)]:
                assert np.isclose(known, value, rtol=1e-12, atol=0).any(), f"panel {panel} draws {value!r}"


def printed_numbers_are_ours_to_their_last_digit_or_have_a_remark(name: str) -> None:
    compares = FIGURES[name].specification.printed is not Specification.printed
    # the split of 004-2 and the trainings take long, and have tests beside their other numbers
    for number in (
        FIGURES[name].compute().printed if compares and not name.startswith(("004-2", "000-table")) else ()
    ):
        digits = len(f"{number.printed:g}".replace(".", "").partition("e")[0].lstrip("0"))
        assert number.remark or float(f"{number.computed:.{digits}g}") == number.printed, number


def a_picture_has_its_words_and_its_panels(name: str) -> None:
    computed = shown(name)
    assert [*files(name)] == [f"{name}.{suffix}" for suffix in ("svg", "csv", "json")]
    root = ElementTree.fromstring(files(name)[f"{name}.svg"])
    texts = {child.tag.rpartition("}")[2]: child.text for child in root[:2]}
    assert texts == {"title": computed.of.title, "desc": computed.alt}
    assert root.get("role") == "img"
    assert re.search(r'<img[^>]* src="data:image/svg\+xml;base64,', computed._repr_html_())
    own, panels = Figure(), len(computed.of.axes)
    axes = own.subplots(panels, 1, squeeze=False)[:, 0]
    assert computed.plot(axes if panels > 1 else axes[0]) is own
    assert all(ax.get_xlabel() and ax.get_ylabel() for ax in axes)
    with pytest.raises(ValueError, match=r"\(ax=\d+ axes\); pass"):
        computed.plot([*axes, *axes])


def contrast(first: str, second: str) -> float:
    """(lighter + 0.05) / (darker + 0.05) of two colours #rrggbb by their relative luminance, as WCAG defines it."""
    channels = np.array(
        [[int(colour[place : place + 2], 16) for place in (1, 3, 5)] for colour in (first, second)]
    )
    linear = np.where(
        channels <= 0.04045 * 255, channels / 255 / 12.92, ((channels / 255 + 0.055) / 1.055) ** 2.4
    )
    darker, lighter = sorted(linear @ (0.2126, 0.7152, 0.0722))
    return float((lighter + 0.05) / (darker + 0.05))


def a_picture_can_be_read_in_the_dark_without_colours_and_at_420_pixels(name: str) -> None:
    rules, _, body = files(name)[f"{name}.svg"].decode().partition("</style>")
    assert "prefers-color-scheme:dark" in rules
    used = set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", body))
    recoloured = set(re.findall(r": (#[0-9a-f]{6})", rules))
    assert used
    assert [colour for colour in used - recoloured if contrast(colour, "#14171a") < 3] == []
    for ax in plotted(name).axes:
        looks = [
            (line._dash_pattern, line.get_marker(), line.get_drawstyle(), line.get_linewidth())
            for line in ax.get_lines()
            if len(line.get_xdata())
            and line.get_color() != GREY  # grey dots lie beneath the line they belong to
        ]
        assert len(set(map(repr, looks))) == len(looks), "two lines differ by their colour alone"
    texts = [text for ax in plotted(name).axes for text in ax.findobj(Text) if text.get_text().strip()]
    points = 420 / plotted(name).get_size_inches()[0] / 72
    assert min(text.get_fontsize() for text in texts) * points >= 8.5


#: The invariants of every figure.
INVARIANTS = (
    an_unknown_parameter_and_a_value_out_of_range_are_refused_in_one_sentence,
    words_tell_the_figure_and_name_what_is_derived_for_them,
    the_files_hold_the_data_with_every_digit,
    what_is_drawn_is_in_the_data,
    printed_numbers_are_ours_to_their_last_digit_or_have_a_remark,
    a_picture_has_its_words_and_its_panels,
    a_picture_can_be_read_in_the_dark_without_colours_and_at_420_pixels,
)


#: A figure of each room that computes fast; the numbers of the others have tests of their own.
FAST = ("000-rogers", "003-3", "003-7", "004-1", "eraser", "natural-game", "per-instance")


@pytest.mark.parametrize("name", slow_but(FAST, FIGURES))
def test_every_invariant_of_figures_holds(name: str) -> None:
    """In one test, so that one worker computes the figure, once."""
    for invariant in INVARIANTS:
        invariant(name)


@pytest.mark.parametrize("name", slow_but(SOME, FIGURES))
def test_saved_figure_is_the_same_bytes_in_every_format_and_no_file_is_stale(
    name: str, tmp_path: Path
) -> None:
    computed = shown(name)
    first, paths = computed.files(), computed.save(tmp_path)
    assert [*first] == [f"{name}.{suffix}" for suffix in ("svg", "png", "pdf", "csv", "json")]
    assert {path.name: path.read_bytes() for path in paths} == first
    assert first[f"{name}.png"][:8] == b"\x89PNG\r\n\x1a\n"
    assert first[f"{name}.pdf"][:5] == b"%PDF-"
    reproducible = [name for name in first if not name.endswith(("png", "pdf"))]
    assert sorted(path.name for path in computed.save(tmp_path, formats=("svg",))) == sorted(reproducible)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(reproducible)
    with pytest.raises(ValueError, match=r"formats=\('gif',\)\); choose from svg, png, pdf"):
        computed.save(tmp_path, formats=("gif",))


def test_data_has_columns_and_rows() -> None:
    data = FigureData.of(x=np.array([1.0, 2.0]), n=[3, None], word=["a", "b"])
    assert data.rows() == [{"x": 1.0, "n": 3, "word": "a"}, {"x": 2.0, "n": None, "word": "b"}]
    assert np.array_equal(data.column("n"), [3.0, np.nan], equal_nan=True)
    assert data.row(x=1.9)["word"] == "b"
    with pytest.raises(KeyError, match="name must be one of x, n, word, got 'y'"):
        data.column("y")
    for columns, words in (
        ({"x": [1.0], "y": []}, "equal length"),
        ({"x": [np.inf]}, "cells must be finite"),
    ):
        with pytest.raises(ValueError, match=words):
            FigureData.of(**columns)


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("004-2", {"sigma": 900.0}, r"epsilon times sigma must be at most 500, got epsilon=10\.0 and sigma"),
        ("000-rogers", {"budgets": (2, 1)}, r"budgets must be increasing, got budgets=\(2\.0, 1\.0\)"),
        ("000-rogers", {"budgets": [k / 4 for k in range(1, 51)]}, "budgets must be 1 to 40 numbers, got 50"),
        ("000-rogers", {"each": 0.001}, r"each must allow at most 20,000 rounds, got each=0\.001"),
        ("003-1-people", {"steps": 15}, "steps must be a multiple of every=10, got steps=15"),
        ("003-6", {"clips": (1.0, 1.0000001)}, "clips must differ in the six digits that are printed, got 1"),
        ("003-7", {"epsilons": (1.0, 2.0)}, "epsilons must be 1 to 1 numbers, got 2"),
        ("eraser", {"p": 0.02}, r"p must be at most delta=0\.01, got p=0\.02; the filter denies"),
        ("natural-game", {"rounds": 4}, "rounds must be at most 3, got rounds=4; a larger tree"),
    ],
)
def test_the_sentence_names_the_parameter_its_value_and_the_remedy(
    name: str, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        figure(name, **given)
    with pytest.raises(ValueError, match=r"no figure of this name \(name='003-33'\); did you mean '003-3'"):
        fp.figure("003-33")


#: Specifications at the ends of what is allowed, and odd ones within; some with what is said only of others.
ODD: list[Any] = [
    *(
        (name, {"points": 2, "sigma": sigma, "delta": delta, "least": least, "most": most})
        for name in ("003-3", "003-5")  # 003-4 has the specification of 003-3
        for sigma, delta, least, most in (
            (0.01, 1e-100, 1e-6, 2e-6),
            (0.01, 0.99, 1e-6, 100.0),
            (1e6, 1e-100, 99.0, 100.0),
            (1e6, 0.99, 1e-6, 2e-6),
        )
    ),
    ("003-3", {"steps": (1, 10**9), "points": 3}),
    ("003-5", {"least": 0.5, "orders": 2, "sigma": 0.1, "points": 5}),
    ("000-rogers", {"each": 5.0, "budgets": (0.5, 1.0)}, "same rule"),
    ("000-rogers", {"each": 20.0, "budgets": 0.001, "delta": 1e-30}),
    ("000-rogers", {"each": 0.1, "budgets": (0.001, 0.01), "delta": 0.3}),
    ("003-1", {"points": 2, "people": 1, "steps": 2, "q": 0.5, "more_orders": 2, "fraction": 0.5}),
    ("003-1", {"points": 2, "people": 1, "steps": 1, "delta": 0.1, "more_orders": 4}),
    ("004-2", {"epsilon": 0.5, "delta": 0.1, "sigma": 20.0, "rounds": 2}),
    ("eraser", {"p": 0.99, "delta": 0.99, "rounds": (1, 3)}),
    ("eraser", {"p": 1e-12, "delta": 1e-12, "epsilon": 50.0, "rounds": (1, 3)}),
    ("000-table-2", {"epsilons": (0.3, 1.0), "clips": (0.01, 100.0), "at": 1, "further": 1, "trials": 2}),
    ("003-2", {"at": 1, "further": 1, "trials": 2, "epsilons": 0.05, "rate": 1000.0}),
    ("003-7", {"at": 1, "further": 1, "trials": 2, "epsilons": 50.0, "clips": 100.0}),
    ("natural-game", {"base": 10.0, "rounds": 1}, "differently after each outcome"),
    ("natural-game", {"base": 1.001, "rounds": 2}),
    ("per-instance", {"ratio": 1000, "rounds": 3}),
]
#: Words of the papers' values.
ONLY_AS_PRINTED = ("roughly", "420 and 495", "belong to epsilon", "at its parameters")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", ODD, ids=lambda computed: computed[0])
def test_inside_the_bounds_nothing_raises_and_no_words_are_of_the_papers_values(odd: Any) -> None:
    name, given, *others = odd
    computed = figure(name, **given)
    words = f"{computed.caption} {computed.alt}"
    assert not [phrase for phrase in (*ONLY_AS_PRINTED, *others) if phrase in words]
    assert " nan" not in words
    assert " inf" not in words
    computed.plot()


def test_the_printed_specifications_keep_their_words() -> None:
    assert 'smaller, which the paper prints as "roughly 10 percent".' in figure("003-3").caption
    assert "the 420 and 495 of the paper belong to epsilon = 0.8156" in figure("003-5").caption
    assert "differently after each outcome" in figure("natural-game").caption + figure("natural-game").alt
