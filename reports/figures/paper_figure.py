"""A figure of a paper: how its data follow from a specification and its picture from the data, and the result."""

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

from filterproof.reports.drawing import FORMATS, data_uri, drawn_into, picture_bytes, svg_text
from filterproof.reports.figures.data import Cell, FigureData
from filterproof.reports.figures.specification import Printed, Specification
from filterproof.reports.words import declared, said
from filterproof.theory.argument_checks import did_you_mean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_AUTHORS = {
    "000": "Feldman and Zrnic",
    "003": "Koskela, Tobaben and Honkela",
    "004": "Taylor, Vippathalla and Coon",
}
#: Inches: at 420 pixels the width leaves letters of 10 points 11 pixels high.
_WIDTH, _HEIGHT = 5.6, 3.9


@dataclass(frozen=True, slots=True)
class Source:
    """Where a figure is: the paper's number here, the figure, and the place."""

    paper: str
    figure: str
    place: str

    def __str__(self) -> str:
        return f"{self.paper} ({_AUTHORS[self.paper]}), {self.figure}, {self.place}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PaperFigure:
    """A figure of a paper, not computed yet; `compute(sigma=50)` computes it, the paper's values being defaults.

    made names its specification, FILE.Class, and given what it has in place of that class's defaults. axes names the
    axes of each panel and its title, caption says what to see, alt what is there for those who cannot see it, empty is
    the caption of no rows: templates, of `templates/figures.toml`. observed is what the paper observes on closed data.
    """

    name: str
    title: str
    source: Source
    made: str
    caption: str
    alt: str
    axes: Sequence[Sequence[str]]
    observed: str = ""
    empty: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def specification(self) -> type[Specification]:
        """The class of its parameters and of what follows from them, whose file is imported when it is asked for."""
        module, _, name = self.made.partition(".")
        found: type[Specification] = getattr(import_module(f"filterproof.reports.figures.{module}"), name)
        return found

    @classmethod
    def declared(cls, name: str) -> PaperFigure:
        """The figure of that name in `templates/figures.toml`."""
        rows = declared("figures", "figure", by="name")
        told = {**rows[rows[name].get("like", name)], **rows[name]}
        told.pop("like", None)
        return cls(**told | {"source": Source(**told["source"])})

    def specified(self, *, quick: bool = False, **parameters: Any) -> Specification:
        """The specification with these parameters, the others being the figure's own; raises as `compute` does."""
        given = {**self.given, **parameters}
        return self.specification.of(given, quick=quick, figure=f"figure {self.name}")

    def compute(self, *, quick: bool = False, **parameters: Any) -> ComputedFigure:
        """The figure with these parameters; with quick fewer points, where the full figure takes long.

        Raises ValueError or TypeError, with one sentence, for a parameter that does not exist or a value out of range.
        """
        chosen = self.specified(quick=quick, **parameters)
        data = chosen.data()
        printed = tuple(chosen.printed(data)) if chosen.as_printed else ()
        return ComputedFigure(self, chosen, data, printed)

    def __str__(self) -> str:
        return f"{self.name}: {self.title} ({self.source})"


@dataclass(frozen=True, slots=True, eq=False)
class ComputedFigure:
    """A figure with its data: `data`, `printed`, `rows()`, `plot()`, `save(out)`; a notebook shows it."""

    of: PaperFigure
    specification: Specification
    data: FigureData = field(repr=False)
    printed: tuple[Printed, ...]

    @property
    def name(self) -> str:
        """The figure's name, such as 003-3."""
        return self.of.name

    @property
    def caption(self) -> str:
        """What to see, with the numbers computed."""
        return self._said(self.of.caption if len(self.data) else self.of.empty or self.of.caption)

    @property
    def alt(self) -> str:
        """The picture in words, for those who cannot see it."""
        return self._said(self.of.alt)

    def _said(self, template: str) -> str:
        rows = self.data.rows()
        ends = {"first": rows[0], "last": rows[-1]} if rows else {}
        observed = " ".join(self.of.observed.split())
        given = {"spec": self.specification, "facts": self.data.facts, "observed": observed}
        return said(template, given | ends | dict(self.specification.words(self.data)))

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Figure:
        """Draw into `ax`, or into a new figure if it is None, and return the figure.

        A figure of several panels takes as many axes. Raises ValueError for another number of them.
        """
        panels = len(self.of.axes)
        return drawn_into(ax, panels, self._draw, width=_WIDTH, height=_HEIGHT * (0.25 + 0.75 * panels))

    def _draw(self, axes: Sequence[Axes]) -> None:
        self.specification.draw(self.data, axes)
        for ax, words in zip(axes, self.of.axes, strict=True):
            ax.set(**dict(zip(("xlabel", "ylabel", "title"), map(self._said, words), strict=False)))

    def rows(self) -> list[dict[str, Cell]]:
        """The rows of the data, for `pandas.DataFrame(figure.rows())`."""
        return self.data.rows()

    def svg(self) -> str:
        """The picture as an <svg> element that carries its title and its words."""
        head, tag, rest = svg_text(self.plot()).partition(">")
        words = f"<title>{escape(self.of.title)}</title><desc>{escape(self.alt)}</desc>"
        return f'{head} role="img"{tag}{words}{rest}'

    def to_data(self) -> dict[str, Any]:
        """The figure as JSON-able data, with the versions that made it."""
        from filterproof.reports.examination_words import version

        libraries = {
            name: metadata.version(name) for name in ("numpy", "scipy", "matplotlib", "python-flint")
        }
        return {
            "name": self.name,
            "title": self.of.title,
            "source": asdict(self.of.source) | {"authors": _AUTHORS[self.of.source.paper]},
            "parameters": self.specification.parameters(),
            "caption": self.caption,
            "alt": self.alt,
            "printed": [one.to_data() for one in self.printed],
            "facts": dict(self.data.facts),
            "columns": dict(zip(self.data.names, self.data.columns, strict=True)),
            "versions": {"filterproof": version(), "python": platform.python_version(), **libraries},
        }

    def files(self, formats: Sequence[str] = FORMATS) -> dict[str, bytes]:
        """The figure's files by name, the same bytes for the same data: pictures, NAME.csv and NAME.json."""
        text = json.dumps(self.to_data(), indent=1, allow_nan=False, ensure_ascii=False)
        found = {
            suffix: f"{self.svg()}\n".encode() if suffix == "svg" else picture_bytes(self.plot(), suffix)
            for suffix in check_formats(formats)
        }
        found |= {"csv": self.data.csv().encode(), "json": f"{text}\n".encode()}
        return {f"{self.name}.{suffix}": content for suffix, content in found.items()}

    def save(self, out: str | Path, formats: Sequence[str] = FORMATS) -> tuple[Path, ...]:
        """Write the files into a folder, all or none, and return their paths.

        Raises OSError where the folder cannot be written to, ValueError for an unknown format.
        """
        return save_all([self], Path(out), formats)

    def _repr_html_(self) -> str:
        return (
            f'<figure style="margin:0;max-width:42rem"><img src="{data_uri(self.svg())}" alt="{escape(self.alt)}" '
            'style="width:100%">'
            f"<figcaption><strong>{escape(self.of.title)}.</strong> {escape(self.caption)} "
            f"{escape(str(self.of.source))}.</figcaption></figure>"
        )

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.of.title} ({self.of.source})", self.caption]
        return "\n".join([*lines, *(f"  {one}" for one in self.printed)])


def save_all(
    figures: Sequence[ComputedFigure], out: Path, formats: Sequence[str] = FORMATS
) -> tuple[Path, ...]:
    """Write the files of several figures as `save` does, all or none; their earlier files of other formats go."""
    from filterproof.mc.runs.output import OutputFolder

    files = {name: content for one in figures for name, content in one.files(formats).items()}
    with OutputFolder(out) as folder:
        for name, content in files.items():
            folder.add(name, content)
        for name in {f"{one.name}.{suffix}" for one in figures for suffix in FORMATS} - files.keys():
            folder.drop(name)
    return tuple(out / name for name in files)


def check_formats(formats: Sequence[str]) -> tuple[str, ...]:
    """The formats, each once; ValueError names those that exist."""
    chosen = tuple(dict.fromkeys(formats))
    unknown = [one for one in chosen if one not in FORMATS]
    if unknown or not chosen or isinstance(formats, str):
        raise ValueError(f"formats must be among {', '.join(FORMATS)}, got {formats!r}; name one or more")
    return chosen


#: name -> figure, in the order of `templates/figures.toml`.
FIGURES: Mapping[str, PaperFigure] = MappingProxyType(
    {name: PaperFigure.declared(name) for name in declared("figures", "figure", by="name")}
)


def named(name: str) -> PaperFigure:
    """The figure of that name; ValueError lists the names."""
    if not isinstance(name, str) or name not in FIGURES:
        raise ValueError(
            f"name must be one of {', '.join(FIGURES)}, got {name!r}"
            f"{did_you_mean(name, FIGURES) or '; pass one of them'}"
        )
    return FIGURES[name]


def figure(name: str, *, quick: bool = False, **parameters: Any) -> ComputedFigure:
    """A figure of the papers, or one that explains them, computed with the paper's parameters unless others are given.

        >>> import filterproof as fp
        >>> shown = fp.figure("003-3", points=9)
        >>> len(shown.data), shown.printed[1].computed
        (9, 495)

    The result has `data` (columns and rows), `printed` (the paper's numbers beside ours), `plot()`, `save(out)`, and
    a notebook shows it. `fp.figures()` lists the names. Raises ValueError for an unknown name or parameter.
    """
    return named(name).compute(quick=quick, **parameters)


def figures() -> tuple[PaperFigure, ...]:
    """Every figure that can be computed."""
    return tuple(FIGURES.values())
