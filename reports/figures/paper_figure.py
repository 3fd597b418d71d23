"""The figures of the papers: their specification, data, picture and files."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from importlib import import_module, metadata
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from filterproof.reports.drawing import FORMATS, data_uri, draw_panels, picture_bytes, svg_text
from filterproof.reports.figures.figure_data import Cell, FigureData
from filterproof.reports.figures.specification import PrintedAndComputed, Specification
from filterproof.reports.package_data import declared_tables, filled_template
from filterproof.theory.argument_checks import did_you_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AUTHORS = {
    "000": "Feldman and Zrnic",
    "003": "Koskela, Tobaben and Honkela",
    "004": "Taylor, Vippathalla and Coon",
}
#: Inches. In a picture 420 pixels wide, letters of 10 points are 11 pixels high.
_WIDTH, _HEIGHT = 5.6, 3.9


@dataclass(frozen=True, slots=True)
class FigureSource:
    """The place of a figure: the paper's key, the figure's name, and the section or page."""

    paper: str
    figure: str
    place: str

    def __str__(self) -> str:
        return f"{_AUTHORS[self.paper]}, {self.figure}, {self.place}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PaperFigure:
    """A figure of a paper before it is computed; `compute(sigma=50)` computes it.

    Attributes
    ----------
    name, title : str
        The figure's name, such as 003-3, and its title.
    source : Source
        The place of the figure.
    specification_class : str
        The class of its specification, as FILE.Class.
    caption, alt, empty : str
        Templates for the caption, the text alternative, and the caption of a figure without rows.
    axes : sequence of sequence of str
        Templates for the axis labels and the title of each panel.
    observed : str
        The paper's observation on data that are not public.
    given : mapping
        The values that replace defaults of the specification.
    """

    name: str
    title: str
    source: FigureSource
    specification_class: str
    caption: str
    alt: str
    axes: Sequence[Sequence[str]]
    observed: str = ""
    empty: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def specification(self) -> type[Specification]:
        """The class of the figure's parameters and data."""
        module, _, name = self.specification_class.partition(".")
        loaded: type[Specification] = getattr(import_module(f"filterproof.reports.figures.{module}"), name)
        return loaded

    @classmethod
    def declared(cls, name: str) -> PaperFigure:
        """Return the figure of that name in `templates/figures.toml`."""
        rows = declared_tables("figures", "figure", by="name")
        figure_fields = {**rows[rows[name].get("like", name)], **rows[name]}
        figure_fields.pop("like", None)
        return cls(**figure_fields | {"source": FigureSource(**figure_fields["source"])})

    def specified(self, *, quick: bool = False, **parameters: Any) -> Specification:
        """Return the specification with these parameters; raises as `compute` does."""
        given = {**self.given, **parameters}
        return self.specification.of(given, quick=quick, figure=f"figure {self.name}")

    def compute(self, *, quick: bool = False, **parameters: Any) -> ComputedFigure:
        """Compute the figure.

        Parameters
        ----------
        quick : bool, default False
            Compute fewer points if the full figure takes long.
        **parameters
            Values that replace the paper's parameters.

        Returns
        -------
        ComputedFigure
            The figure with its data.

        Raises
        ------
        ValueError
            If a parameter is unknown or out of range.
        TypeError
            If a parameter has the wrong type.
        """
        chosen = self.specified(quick=quick, **parameters)
        data = chosen.data()
        printed = tuple(chosen.printed(data)) if chosen.has_printed_parameters else ()
        return ComputedFigure(self, chosen, data, printed)

    def __str__(self) -> str:
        return f"{self.name}: {self.title} ({self.source})"


@dataclass(frozen=True, slots=True, eq=False)
class ComputedFigure:
    """A computed figure; a notebook shows it.

    Attributes
    ----------
    of : PaperFigure
        The figure of the paper.
    specification : Specification
        The parameters.
    data : FigureData
        The columns and rows.
    printed : tuple of Printed
        The numbers in the paper next to the computed ones.
    """

    of: PaperFigure
    specification: Specification
    data: FigureData = field(repr=False)
    printed: tuple[PrintedAndComputed, ...]

    @property
    def name(self) -> str:
        """The figure's name, such as 003-3."""
        return self.of.name

    @property
    def title(self) -> str:
        """The title of the figure, which is no stand-in with the folder of the paper's data."""
        stand_in = not getattr(self.specification, "folder", "")
        return self.of.title if stand_in else self.of.title.replace("in a stand-in", "on a folder of data")

    @property
    def caption(self) -> str:
        """The caption, with the computed numbers."""
        return self._filled_template(self.of.caption if len(self.data) else self.of.empty or self.of.caption)

    @property
    def alt(self) -> str:
        """The text alternative of the picture."""
        return self._filled_template(self.of.alt)

    def _filled_template(self, template: str) -> str:
        rows = self.data.rows()
        ends = {"first": rows[0], "last": rows[-1]} if rows else {}
        observed = " ".join(self.of.observed.split())
        given = {"spec": self.specification, "facts": self.data.facts, "observed": observed}
        return filled_template(template, given | ends | dict(self.specification.caption_values(self.data)))

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Figure:
        """Draw the figure.

        Parameters
        ----------
        ax : Axes or sequence of Axes, optional
            One axes for each panel. A new figure by default.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        ValueError
            If the number of axes differs from the number of panels.
        """
        panels = len(self.of.axes)
        return draw_panels(ax, panels, self._draw, width=_WIDTH, height=_HEIGHT * (0.25 + 0.75 * panels))

    def _draw(self, axes: Sequence[Axes]) -> None:
        self.specification.draw(self.data, axes)
        for ax, words in zip(axes, self.of.axes, strict=True):
            ax.set(
                **dict(zip(("xlabel", "ylabel", "title"), map(self._filled_template, words), strict=False))
            )

    def rows(self) -> list[dict[str, Cell]]:
        """Return the rows of the data, for `pandas.DataFrame(figure.rows())`."""
        return self.data.rows()

    def svg(self) -> str:
        """Return the picture as an <svg> element with its title and text alternative."""
        head, tag, rest = svg_text(self.plot()).partition(">")
        words = f"<title>{escape(self.title)}</title><desc>{escape(self.alt)}</desc>"
        return f'{head} role="img"{tag}{words}{rest}'

    def to_data(self) -> dict[str, Any]:
        """Return the figure as JSON data, with the versions of the libraries."""
        from filterproof.mc.runs.provenance import version

        libraries = {
            name: metadata.version(name) for name in ("numpy", "scipy", "matplotlib", "python-flint")
        }
        return {
            "name": self.name,
            "title": self.title,
            "source": asdict(self.of.source) | {"authors": _AUTHORS[self.of.source.paper]},
            "parameters": self.specification.parameters(),
            "caption": self.caption,
            "alt": self.alt,
            "printed": [number.to_data() for number in self.printed],
            "facts": dict(self.data.facts),
            "columns": dict(zip(self.data.names, self.data.columns, strict=True)),
            "versions": {"filterproof": version(), "python": platform.python_version(), **libraries},
        }

    def files(self, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
        """Return the figure's files by name: pictures, NAME.csv and NAME.json."""
        text = json.dumps(self.to_data(), indent=1, allow_nan=False, ensure_ascii=False)
        contents = {
            suffix: f"{self.svg()}\n".encode() if suffix == "svg" else picture_bytes(self.plot(), suffix)
            for suffix in check_formats(formats)
        }
        contents |= {"csv": self.data.csv().encode(), "json": f"{text}\n".encode()}
        return {f"{self.name}.{suffix}": content for suffix, content in contents.items()}

    def save(self, out: str | Path, formats: Sequence[str] = FORMATS) -> tuple[Path, ...]:
        """Write the figure's files into a folder: all or none.

        Parameters
        ----------
        out : str or Path
            The folder. It is created if it does not exist.
        formats : sequence of str, optional
            Formats of the picture among svg, png and pdf. All by default.

        Returns
        -------
        tuple of Path
            The paths of the files.

        Raises
        ------
        OSError
            If the folder cannot be written to.
        ValueError
            If a format is unknown.
        """
        return save_all([self], Path(out), formats)

    def _repr_html_(self) -> str:
        return (
            f'<figure style="margin:0;max-width:42rem"><img src="{data_uri(self.svg())}" alt="{escape(self.alt)}" '
            'style="width:100%">'
            f"<figcaption><strong>{escape(self.title)}.</strong> {escape(self.caption)} "
            f"{escape(str(self.of.source))}.</figcaption></figure>"
        )

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title} ({self.of.source})", self.caption]
        return "\n".join([*lines, *(f"  {number}" for number in self.printed)])


def save_all(
    figures: Sequence[ComputedFigure], out: Path, formats: Sequence[str] = FORMATS
) -> tuple[Path, ...]:
    """Write the files of several figures, all or none, and remove their earlier files of other formats."""
    from filterproof.mc.runs.output import OutputFolder

    files = {
        name: content for paper_figure in figures for name, content in paper_figure.files(formats).items()
    }
    with OutputFolder(out) as folder:
        for name, content in files.items():
            folder.add(name, content)
        for name in {
            f"{paper_figure.name}.{suffix}" for paper_figure in figures for suffix in FORMATS
        } - files.keys():
            folder.remove_at_exit(name)
    return tuple(out / name for name in files)


def check_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """Return the formats, each once; raise ValueError for an unknown one."""
    chosen = tuple(dict.fromkeys(formats))
    unknown = [format_name for format_name in chosen if format_name not in FORMATS]
    if unknown or not chosen or isinstance(formats, str):
        raise ValueError(
            f"formats has an unknown format or none (formats={formats!r}); choose from {', '.join(FORMATS)}"
        )
    return chosen


#: name -> figure, in the order of `templates/figures.toml`.
FIGURES: Mapping[str, PaperFigure] = MappingProxyType(
    {name: PaperFigure.declared(name) for name in declared_tables("figures", "figure", by="name")}
)


def figure_named(name: str) -> PaperFigure:
    """Return the figure of that name; raise ValueError for an unknown name."""
    if not isinstance(name, str) or name not in FIGURES:
        names = ", ".join(FIGURES)
        raise ValueError(
            f"there is no figure of this name (name={name!r})"
            f"{did_you_mean(name, FIGURES) or f'; choose from {names}'}"
        )
    return FIGURES[name]


def figure(name: str, *, quick: bool = False, **parameters: Any) -> ComputedFigure:
    """Compute the numbers of a figure of the papers, or of one that explains them; its `plot` draws it.

    Parameters
    ----------
    name : str
        The figure's name. `figures` lists the names.
    quick : bool, default False
        Compute fewer points if the full figure takes long.
    **parameters
        Values that replace the paper's parameters.

    Returns
    -------
    ComputedFigure
        The figure: `data` has its columns and rows, `printed` the paper's numbers next to the computed ones, `plot()`
        draws it, and `save(out)` writes its files.

    Raises
    ------
    ValueError
        If the name or a parameter is unknown, or a parameter is out of range.
    TypeError
        If a parameter has the wrong type.

    Examples
    --------
    >>> import filterproof as fp
    >>> shown = fp.figure("003-3", points=9)
    >>> len(shown.data), shown.printed[1].computed
    (9, 495)
    """
    return figure_named(name).compute(quick=quick, **parameters)


def figures() -> tuple[PaperFigure, ...]:
    """List the figures that `figure` computes.

    Returns
    -------
    tuple of PaperFigure
        The figures, with `name`, `title` and `source`.
    """
    return tuple(FIGURES.values())
