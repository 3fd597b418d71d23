"""`filterproof calibrate`: the number of rounds of one mechanism that each filter allows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import filterproof.mc.estimate.compare_filters
from filterproof.mc.estimate.compare_filters import MOST_ROUNDS
from filterproof.mc.runs.output import OutputFolder
from filterproof.reports.commands.console import check_folder, clear_errors, doing, say
from filterproof.reports.html_repr.numbers import percent
from filterproof.theory.guarantees import ZCDP, GaussianDP, PureDP
from filterproof.theory.numerics.decimals import below, interval, near
from filterproof.theory.pairs import BoundedRange, DiscreteLaplace, SubsampledGaussian

#: Word -> (constructor of the mechanism, default values of its parameters, names of the parameters).
_CLASSES: dict[str, tuple[Callable[..., Any], tuple[float, ...], str]] = {
    "gaussian": (GaussianDP, (0.1,), "mu"),
    "pure": (PureDP, (0.1,), "epsilon"),
    "exponential": (BoundedRange, (0.1,), "epsilon"),
    "geometric": (DiscreteLaplace, (10.0,), "scale"),
    "zcdp": (ZCDP, (0.005,), "rho"),
    "subsampled": (SubsampledGaussian, (0.01, 1.0), "q,sigma"),
}
_HELP = f"The mechanism and its parameters: {', '.join(f'{word}:{names}' for word, (_, _, names) in _CLASSES.items())}."


def calibrate(
    epsilon: Annotated[float, typer.Argument(help="Epsilon of the guarantee, in nats.")],
    delta: Annotated[float, typer.Argument(help="Delta of the guarantee.")],
    mechanisms: Annotated[str, typer.Option(help=_HELP)] = "pure",
    most: Annotated[int, typer.Option(help="Largest number of rounds to count.")] = MOST_ROUNDS,
    out: Annotated[Path | None, typer.Option(help="Folder for calibrate.svg.")] = None,
) -> None:
    """Print the number of rounds of one mechanism that each filter allows, the share of the best, and the code."""
    console = Console(highlight=False)
    with clear_errors():
        mechanism = read_mechanism(mechanisms)
        if out is not None:
            check_folder(out)
        compare = filterproof.mc.estimate.compare_filters.compare_filters
        with doing("running filters"):
            found = compare(epsilon, delta, mechanism, most=most)
        possible = " to ".join(f"{n:,}" for n in dict.fromkeys((found.fewest, found.most)))
        unit = "round" if possible == "1" else "rounds"
        say(
            f"{mechanism} under ({epsilon:g}, {delta:g})-DP: a plan fixed in advance allows at most {possible} {unit} "
            "(CERTIFIED)."
        )
        table = Table("filter", "rounds", "share of the best, at least", "sound for")
        for one in found.choices:
            share = percent(one.low / found.most, below) if found.most else ""
            rounds = near(one.rounds, 4)
            if one.low < one.high:
                rounds += f" in {interval(one.low, one.high, 3)}"
            table.add_row(*map(escape, (one.name, rounds, share, one.holds_for)))
        console.print(table)
        for one in found.choices[:3]:
            if one.rounds:
                say(f"\n# {one.name}\n{one.code}")
        if isinstance(mechanism, ZCDP):
            console.print("\nThe Gaussian represents every mechanism with this zcdp_rho.")
        if out is not None:
            from filterproof.reports.drawing import svg_text

            with OutputFolder(out) as folder:
                folder.add("calibrate.svg", svg_text(found.plot()).encode())


def read_mechanism(text: str) -> Any:
    """Return the mechanism that "gaussian:0.1" names; raise ValueError for unknown words or parameters."""
    word, _, given = text.partition(":")
    if word not in _CLASSES:
        raise ValueError(
            f"the mechanism is unknown (mechanisms={text!r}); choose from {', '.join(_CLASSES)}, as in gaussian:0.1"
        )
    make, usual, names = _CLASSES[word]
    try:
        numbers = tuple(map(float, given.split(","))) if given else usual
    except ValueError:
        numbers = ()
    if len(numbers) != len(usual):
        raise ValueError(
            f"the parameters are not {names} (mechanisms={text!r}); write {word}:{','.join(map(near, usual))}, say"
        )
    return make(*numbers)
