"""`filterproof train`: the papers' training figures in a stand-in, played on all cores and kept as they are done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reports.commands.console import check_folder, clear_errors, complain, counting_bar, say
from reports.commands.exit_status import End, ExitStatus
from theory.arguments import did_you_mean

if TYPE_CHECKING:
    from reports.figures.trials import Trial

#: Inside the output folder: what the same call goes on from.
_OUTCOMES = "outcomes.sqlite"


def train(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Such as 000-table-2 or 003-6; without, all."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for pictures, data and the outcomes kept so far.")] = Path(
        "filterproof-training"
    ),
    seed: Annotated[int, typer.Option(help="The seed; the same seed gives the same files.")] = 0,
    trials: Annotated[int | None, typer.Option(help="Trials of each setting; default: 10.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few trials of fewer settings.")] = False,
    formats: Annotated[str, typer.Option("--format", help="Of svg,png,pdf.")] = "svg,png,pdf",
    workers: Annotated[
        int | None, typer.Option(help="Processes on this machine; default: all cores.")
    ] = None,
) -> None:
    """Train privately with individual filtering on scikit-learn's digits: 000's tables and 003's figures in a stand-in.

    Each trial is kept when it is done: after Ctrl-C the same call goes on where it was.
    """
    with clear_errors():
        from mc.runs.store import RunStore
        from reports.figures.paper_figure import FIGURES, check_formats, save_all
        from reports.figures.stand_in import StandIn
        from reports.figures.trials import study

        ours = [name for name, one in FIGURES.items() if issubclass(one.specification, StandIn)]
        for name in names or ():
            if name not in ours:
                raise ValueError(
                    f"name must be one of {', '.join(ours)}, got {name!r}"
                    f"{did_you_mean(name, ours) or '; `filterproof figures` has the others'}"
                )
        chosen = [FIGURES[name] for name in dict.fromkeys(names or ours)]
        wanted = check_formats([one.strip() for one in formats.split(",")])
        given = {"seed": seed} | ({} if trials is None else {"trials": trials})
        all_trials: list[Trial] = []
        for one in chosen:
            specification = one.specified(quick=quick, **given)
            assert isinstance(specification, StandIn)
            all_trials += specification.all_trials()
        check_folder(out)
        out.mkdir(parents=True, exist_ok=True)
        with counting_bar() as bar, RunStore(out / _OUTCOMES) as store:
            task = bar.add_task("training", total=None)

            def told(done: int, of: int) -> None:
                bar.update(task, completed=done, total=of)

            try:
                study(all_trials, store=store, workers=workers, on_trial=told)
                computed = [one.compute(quick=quick, **given) for one in chosen]
            except KeyboardInterrupt as stopped:
                bar.stop()
                (kept,) = bar.tasks
                complain(
                    f"interrupted; {kept.completed:.0f} of {kept.total or 0:.0f} trials are kept in "
                    f"{str(out / _OUTCOMES)!r}, and the same call goes on"
                )
                raise End(ExitStatus.INTERRUPTED) from stopped
        for shown in computed:
            say(shown)
        save_all(computed, out, wanted)
        say(f"{', '.join(one.name for one in computed)}: {out}")
