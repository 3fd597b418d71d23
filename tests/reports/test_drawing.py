"""A drawing is laid out once, whatever it is written as."""

from __future__ import annotations

import io

import pytest
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.layout_engine import ConstrainedLayoutEngine

from reports.drawing import drawn, new_figure, png_bytes, svg_text


def a_figure() -> Figure:
    with new_figure() as figure:
        axes = figure.subplots()
        axes.plot([1.0, 2.0, 3.0], [1.0, 10.0, 1000.0], label="a line")
        axes.set(xlabel="t", ylabel="a label", title="A title", yscale="log")
        axes.legend()
    return figure


def test_both_files_are_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    execute = ConstrainedLayoutEngine.execute

    def counted(self: ConstrainedLayoutEngine, figure: Figure) -> object:
        times.append(1)
        return execute(self, figure)

    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", counted)
    drawn(a_figure())
    assert len(times) == 1


def test_the_svg_is_that_of_the_figure_alone_and_the_png_shows_the_same() -> None:
    both, alone = drawn(a_figure()), png_bytes(a_figure())
    assert both.svg == svg_text(a_figure())
    shown, expected = (imread(io.BytesIO(png)) for png in (both.png, alone))
    assert shown.shape == expected.shape
    # letters are a pixel narrower or wider at another resolution, and lines move with them
    assert abs(shown - expected).mean() < 0.02


def test_a_drawn_figure_lays_itself_out_when_it_is_drawn_again() -> None:
    figure = a_figure()
    drawn(figure)
    figure.set_size_inches(4.0, 3.0)
    other = a_figure()
    other.set_size_inches(4.0, 3.0)
    for each in (figure, other):
        svg_text(each)
    assert figure.axes[0].get_position().bounds == pytest.approx(other.axes[0].get_position().bounds)
