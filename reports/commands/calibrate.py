"""Rank the filters at one (epsilon, delta) by the rounds of a mechanism that they allow, and print their code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from filterproof.reports.commands.console import clear_errors, doing, print_json, print_text

if TYPE_CHECKING:
    from filterproof.mc import FilterComparison

#: Word -> (class of the mechanism, default values of its parameters, names of the parameters).
_CLASSES: dict[str, tuple[str, tuple[float, ...], str]] = {
    "gaussian": ("GaussianDP", (0.1,), "mu"),
    "pure": ("PureDP", (0.1,), "epsilon"),
    "exponential": ("BoundedRange", (0.1,), "epsilon"),
    "geometric": ("DiscreteLaplace", (10.0,), "scale"),
    "zcdp": ("ZCDP", (0.005,), "rho"),
    "subsampled": ("SubsampledGaussian", (0.01, 1.0), "q,sigma"),
}
_HELP = f"The mechanism and its parameters: {', '.join(f'{word}:{names}' for word, (_, _, names) in _CLASSES.items())}."


def calibrate(
    epsilon: Annotated[float, typer.Argument(metavar="EPSILON", help="Epsilon of the guarantee, in nats.")],
    delta: Annotated[float, typer.Argument(metavar="DELTA", help="Delta of the guarantee.")],
    mechanism: Annotated[str, typer.Option("--mechanism", help=_HELP)] = "pure",
    most: Annotated[
        int | None, typer.Option(help="Largest number of rounds to count. Default: 20,000.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the filters as JSON.")] = False,
) -> None:
    """Print the number of rounds of one mechanism that each filter allows, with the code of the best filters."""
    with clear_errors():
        from filterproof.mc.estimate.filter_ranking import MAX_ROUNDS, rank_filters_by_releases

        parsed_mechanism = read_mechanism(mechanism)
        with doing("running filters"):
            ranking = rank_filters_by_releases(
                epsilon, delta, parsed_mechanism, most=MAX_ROUNDS if most is None else most
            )
        if as_json:
            data = {"epsilon": epsilon, "delta": delta, "mechanism": str(parsed_mechanism)}
            possible = {"possible_low": ranking.fewest, "possible_high": ranking.most}
            print_json(data | possible | {"filters": ranking.rows()})
        else:
            _print_table(ranking)


def _print_table(comparison: FilterComparison) -> None:
    """Print the filters with rounds and percentages, and the code of the best three."""
    from filterproof.theory.guarantees import ZCDP
    from filterproof.theory.numerics.decimals import format_down, format_nearest, interval

    possible = " to ".join(f"{n:,}" for n in dict.fromkeys((comparison.fewest, comparison.most)))
    unit = "round" if possible == "1" else "rounds"
    print_text(
        f"{comparison.mechanism} under ({comparison.epsilon:g}, {comparison.delta:g})-DP: a plan fixed in advance "
        f"allows at most {possible} {unit} (CERTIFIED)."
    )
    table = Table("Filter", "Rounds", "Interval", "Percent of the plan, at least", "Sound for")
    for choice in comparison.choices:
        share = format_down(100 * choice.low / comparison.most, 3) if comparison.most else ""
        within = interval(choice.low, choice.high, 3) if choice.low < choice.high else ""
        table.add_row(
            *map(escape, (choice.name, format_nearest(choice.rounds, 4), within, share, choice.holds_for))
        )
    Console(highlight=False).print(table)
    for choice in comparison.choices[:3]:
        if choice.rounds:
            print_text(f"\n# {choice.name}\n{choice.code}")
    if isinstance(comparison.mechanism, ZCDP):
        print_text("\nThe Gaussian represents every mechanism with this zcdp_rho.")


def read_mechanism(text: str) -> Any:
    """Return the mechanism that "gaussian:0.1" names; raise ValueError for unknown words or parameters."""
    from filterproof.theory import guarantees, pairs
    from filterproof.theory.numerics.decimals import format_nearest

    word, _, given = text.partition(":")
    if word not in _CLASSES:
        raise ValueError(
            f"the mechanism is unknown (mechanism={text!r}); choose from {', '.join(_CLASSES)}, as in gaussian:0.1"
        )
    name, usual, names = _CLASSES[word]
    try:
        numbers = tuple(map(float, given.split(","))) if given else usual
    except ValueError:
        numbers = ()
    if len(numbers) != len(usual):
        raise ValueError(
            f"the parameters are not {names} (mechanism={text!r}); write "
            f"{word}:{','.join(map(format_nearest, usual))}, say"
        )
    return getattr(pairs if hasattr(pairs, name) else guarantees, name)(*numbers)
