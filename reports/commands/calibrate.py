"""`filterproof calibrate`: the largest threshold that the worst adversary cannot break."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import mc.worst_case.calibrate
from filters import GaussianFilter, ZCDPFilter
from reports.commands.console import at_most, clear_errors
from theory.arguments import check_count, check_positive
from theory.conversions import CKS, SIMPLE, gaussian_mu
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse

__all__ = ["calibrate"]

#: A menu of more levels has more positions than fit in memory.
MOST_LEVELS = 4096


class Mechanisms(StrEnum):
    """The class of mechanisms that the calibrated filter admits."""

    pure = "pure"
    gaussian = "gaussian"


def calibrate(
    epsilon: Annotated[float, typer.Argument(help="The promise's epsilon, in nats.")],
    delta: Annotated[float, typer.Argument(help="The promise's delta.")],
    mechanisms: Annotated[
        Mechanisms,
        typer.Option(help="pure: epsilon-DP mechanisms, charged epsilon^2/2; gaussian: mu-GDP, mu^2."),
    ] = Mechanisms.pure,
    least: Annotated[float, typer.Option(help="The least level; a power of two solves fastest.")] = 2.0**-6,
    levels: Annotated[int, typer.Option(help="Levels least, 2 least, 3 least, ...")] = 12,
    rounds: Annotated[int | None, typer.Option(help="At most so many rounds; default: any number.")] = None,
    relative: Annotated[float, typer.Option(help="How near to the largest threshold.")] = 1e-3,
) -> None:
    """Print the calibrated threshold beside the published ones, with the class it holds for."""
    console = Console(highlight=False)
    with clear_errors():
        step = float(check_positive("least", least))
        kind = RandomizedResponse if mechanisms is Mechanisms.pure else Gaussian
        count = at_most("levels", check_count("levels", levels), MOST_LEVELS, "raise least to reach as far")
        menu: list[DominatingPair] = [kind(j * step) for j in range(1, count + 1)]
        family = ZCDPFilter if mechanisms is Mechanisms.pure else GaussianFilter
        with Console(stderr=True).status("solving games"):
            found = mc.worst_case.calibrate.calibrate(
                family, epsilon, delta, menu=menu, rounds=rounds, relative=relative
            )
        mu = float(gaussian_mu(epsilon, delta))
        table = Table("threshold", "value", "holds for")
        if mechanisms is Mechanisms.pure:
            table.add_row(
                "B*, simple (published)", f"{float(SIMPLE.budget(epsilon, delta)):.9g}", "zCDP mechanisms"
            )
            table.add_row("B*, CKS", f"{float(CKS.budget(epsilon, delta)):.9g}", "zCDP mechanisms")
            table.add_row("calibrated", f"{found.threshold:.9g}", found.scope)
            table.add_row("Gaussian ceiling", f"{mu**2 / 2:.9g}", "no valid zCDP budget lies above")
        else:
            table.add_row("mu (published, tight)", f"{mu:.9g}", "mu-GDP mechanisms")
            table.add_row("calibrated", f"{found.threshold:.9g}", found.scope)
        console.print(table)
        console.print(f"worst case {found.certificate}", markup=False, soft_wrap=True)
