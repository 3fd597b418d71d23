"""`filterproof figures`: the figures of the papers, recomputed, with their data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from filterproof.reports.commands.console import check_folder, clear_errors, doing, print_json, print_text

if TYPE_CHECKING:
    from filterproof.reports.figures.paper_figure import PaperFigure


def figures(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Figures, such as 003-3. Default: all.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Replace a parameter of the paper, as in sigma=2. Repeatable."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for pictures and data.")] = Path("filterproof-figures"),
    formats: Annotated[
        str, typer.Option("--format", help="Formats of the pictures, separated by commas.")
    ] = "svg,png,pdf",
    quick: Annotated[
        bool, typer.Option("--quick", help="Compute fewer points if a figure takes long.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the figures and their parameters.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: print the list as JSON.")] = False,
) -> None:
    """Recompute the figures of the papers: pictures, data as CSV and JSON, and differences from the printed numbers."""
    console = Console(highlight=False)
    with clear_errors():
        if as_json and not list_:
            raise ValueError("--json needs --list (json=True); the data of a figure is in its own JSON file")
        from filterproof.reports.figures.paper_figure import FIGURES, check_formats, figure_named, save_all
        from filterproof.reports.figures.stand_in import StandIn
        from filterproof.reports.figures.trials import play_trials

        if list_:
            listed = [_figure_listing(figure) for figure in FIGURES.values()]
            if as_json:
                print_json(listed)
            for entry in () if as_json else listed:
                parameters = ", ".join(f"{name}={value!r}" for name, value in entry["parameters"].items())
                console.print(Text(entry["name"], style="bold"))
                for text in (entry["title"], entry["source"], parameters):
                    console.print(Padding(Text(text), (0, 0, 0, 4)))
            return
        chosen = [figure_named(name) for name in dict.fromkeys(names or FIGURES)]
        wanted = check_formats([name.strip() for name in formats.split(",")])
        given = _read_settings(settings or ())
        for figure in chosen:  # every wrong parameter is told before the work
            figure.specified(quick=quick, **given)
        check_folder(out)  # before the work
        computed = []
        with doing("training"):  # the trials of stand-ins on all cores, each once
            specified = (figure.specified(quick=quick, **given) for figure in chosen)
            play_trials(
                trial for figure in specified if isinstance(figure, StandIn) for trial in figure.all_trials()
            )
        for figure in chosen:
            with doing(f"{figure.name}: {figure.title}"):
                computed.append(figure.compute(quick=quick, **given))
        table = Table("Figure", "Number in the paper", "printed", "computed", "remark")
        for shown in computed:
            for row, number in enumerate(shown.printed):
                numbers = f"{number.printed:g}", f"{number.computed:.6g}"
                table.add_row("" if row else shown.name, number.what, *numbers, number.remark)
            if not shown.printed:
                table.add_row(shown.name, "no printed number for these parameters, or only in the caption")
        console.print(table)
        save_all(computed, out, wanted)
        print_text(f"{', '.join(figure.name for figure in computed)}: {out}")


def _figure_listing(figure: PaperFigure) -> dict[str, Any]:
    """Return the name, title, source and default parameters of a figure."""
    parameters = figure.specified().parameters()
    return {
        "name": figure.name,
        "title": figure.title,
        "source": str(figure.source),
        "parameters": parameters,
    }


def _read_settings(texts: list[str] | tuple[()]) -> dict[str, Any]:
    """Return the settings by name; raise ValueError for a name that is given twice."""
    given: dict[str, Any] = {}
    for name, value in map(_read_setting, texts):
        if name in given:
            raise ValueError(
                f"a parameter is set twice ({name}={given[name]!r}, {name}={value!r}); remove one of the two"
            )
        given[name] = value
    return given


def _read_setting(text: str) -> tuple[str, Any]:
    """Return ('sigma', 2) for 'sigma=2'; a value that is not a number or a tuple of numbers is text."""
    from filterproof.reports.target_expression import read_value

    name, equals, value = text.partition("=")
    if not (name.strip().isidentifier() and equals and value.strip()):
        raise ValueError(f"the setting is not NAME=VALUE (set={text!r}); write --set sigma=2, for example")
    try:
        return name.strip(), read_value(value.strip())
    except ValueError:
        return name.strip(), value.strip()
