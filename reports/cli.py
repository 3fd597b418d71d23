"""The command line: `filterproof verify`, `list`, `replay`.

Exit status: 0 when every verdict is the expected one, 1 when one is not, 2 for unusable input.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from reports.finding import slug
from theory.evidence import Outcome

__all__ = ["app", "main"]

app = typer.Typer(
    help="Is a privacy filter's promise true, and how tight is it?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_OUTCOME_STYLE = {Outcome.HOLDS: "green", Outcome.REFUTED: "red", Outcome.UNDECIDED: "yellow"}


@contextmanager
def _clear_errors() -> Iterator[None]:
    """Unusable input ends in one sentence and exit status 2."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:
        Console(stderr=True, highlight=False).print(
            f"filterproof: {error}", style="red", markup=False, soft_wrap=True
        )
        raise typer.Exit(2) from error


@app.command()
def verify(
    target: Annotated[
        str | None,
        typer.Argument(help="A filter of your own, file.py::MyFilter; without it, the papers' filters."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for report.html, verdicts.json and figures.")] = Path(
        "filterproof-report"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="A twentieth of the runs.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print verdicts.json instead of a table.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of every simulation.")] = 20_210_825,
) -> None:
    """Run the main job and write the report."""
    from reports.chapters import CHAPTERS
    from reports.chapters.audit import audit
    from reports.output import OutputFolder
    from reports.study import Study
    from reports.user_filter import load_filter
    from reports.verify import tell, verdicts_document, write_report

    started = time.perf_counter()
    console = Console(stderr=True)
    with _clear_errors():
        if seed < 0:
            raise ValueError(
                f"seed must be an integer >= 0, got seed={seed}; pass --seed with a whole number"
            )
        with OutputFolder(out):
            pass  # an unusable folder is found out before the work, not after it
        chapters = CHAPTERS
        study = Study(quick=quick, seed=seed)
        if target is not None:
            filt = load_filter(target)
            chapters = (audit(filt, name=target.rpartition("::")[2]),)
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as progress:
        task = progress.add_task("verify", total=len(chapters))
        study.on_progress = lambda text: progress.update(task, description=text)
        if target is None:
            told = tell(chapters, study, on_chapter=lambda _: progress.advance(task))
        else:
            with _clear_errors():
                told = tell(chapters, study)
    with _clear_errors():
        write_report(told, study, out, seconds=time.perf_counter() - started)
    findings = [finding for _, what in told for finding in what.findings]
    if as_json:
        sys.stdout.write(json.dumps(verdicts_document(told, study), indent=2) + "\n")
    else:
        table = Table("Claim", "Verdict", "Evidence", "Expected")
        for finding in findings:
            outcome = finding.verdict.outcome
            table.add_row(
                finding.claim.sentence,
                f"[{_OUTCOME_STYLE[outcome]}]{outcome.name}[/]",
                finding.verdict.evidence.name,
                "yes" if finding.as_expected else f"[bold red]no, {finding.claim.expected.name}[/]",
            )
        Console().print(table)
        Console().print(f"Report: {out / 'report.html'}", soft_wrap=True)
    if not all(finding.as_expected for finding in findings):
        raise typer.Exit(1)


@app.command(name="list")
def list_() -> None:
    """List the filters, the adversaries and the claims of the report."""
    import mc
    from filters.catalogue import CATALOGUE
    from reports.chapters import CHAPTERS

    console = Console()
    filters = Table(
        "Filter", "Promise of the example", "Proof or flaw", title="Filters", title_justify="left"
    )
    for entry in CATALOGUE.values():
        example = entry.example()
        name = entry.name if entry.sound else f"{entry.name} [red](unsound)[/]"
        filters.add_row(name, str(example.promise), example.proof)
    adversaries = Table("Adversary", "", title="Adversaries", title_justify="left")
    for kind in (getattr(mc, name) for name in mc.__all__):
        if isinstance(kind, type) and issubclass(kind, mc.Adversary) and kind is not mc.Adversary:
            adversaries.add_row(kind.__name__, (kind.__doc__ or "").strip().split("\n")[0])
    claims = Table("Claim", "Source", "Expected", title="Claims", title_justify="left")
    for chapter in CHAPTERS:
        for claim in chapter.claims:
            claims.add_row(claim.sentence, claim.source, claim.expected.name)
    for table in (filters, adversaries, claims):
        console.print(table)


@app.command()
def prove(
    theorem: Annotated[str | None, typer.Argument(help="A theorem's name; without it, all of them.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the derivation as LaTeX.")] = False,
    certificate: Annotated[
        Path | None, typer.Option(help="Folder for JSON certificates, to be checked by recheck.py.")
    ] = None,
) -> None:
    """Check the theorems step by step."""
    from reports.output import OutputFolder
    from theory.proofs import THEOREMS
    from theory.proofs import prove as run
    from theory.proofs.theorem import CheckedStep

    progress = Console(stderr=True, highlight=False)
    console = Console(highlight=False)

    def line(step: CheckedStep) -> None:
        mark = (
            f"[green]{step.evidence.name}[/]" if step.holds else f"[bold red]REFUSED[/] {escape(step.detail)}"
        )
        progress.print(f"  {escape(step.statement)} [dim]{step.engine}, {step.seconds:.2f} s[/] {mark}")

    names = list(THEOREMS) if theorem is None else [theorem]
    proofs = []
    with _clear_errors():
        if certificate is not None:
            with OutputFolder(certificate):
                pass  # an unusable folder is found out before the work
        for name in names:
            progress.print(f"[bold]{escape(name)}[/]")
            proofs.append(run(name, on_step=line))
    with _clear_errors():
        if certificate is not None:
            with OutputFolder(certificate) as folder:
                for proof in proofs:
                    content = json.dumps(proof.certificate(), indent=1) + "\n"
                    folder.add(f"{slug(proof.name)}.json", content.encode())
    if latex:
        sys.stdout.write("\n".join(proof.latex() for proof in proofs))
    else:
        table = Table("Theorem", "Source", "Steps", "Evidence", "Seconds")
        for proof in proofs:
            evidence = proof.evidence.name if proof.holds else "[bold red]REFUSED[/]"
            table.add_row(
                escape(proof.theorem.title),
                proof.theorem.source,
                str(len(proof.steps)),
                evidence,
                f"{proof.seconds:.2f}",
            )
        console.print(table)
    if not all(proof.holds for proof in proofs):
        raise typer.Exit(1)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A verdicts.json.")],
    key: Annotated[str, typer.Argument(help="The key of a refuted claim, such as naive-refuted.")],
    target: Annotated[
        str | None, typer.Argument(help="The filter, file.py::MyFilter, where the witness is about your own.")
    ] = None,
) -> None:
    """Replay the witness of a refutation: the same seed must give the same bits."""
    from mc import Witness
    from mc import replay as play_again
    from reports.user_filter import load_filter

    with _clear_errors():
        try:
            verdicts = {entry["key"]: entry for entry in json.loads(file.read_text("utf-8"))["verdicts"]}
        except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
            raise ValueError(
                f"file must be a verdicts.json, got file={str(file)!r}; run filterproof verify"
            ) from error
        if key not in verdicts or verdicts[key].get("witness") is None:
            known = [k for k, entry in verdicts.items() if entry.get("witness")]
            raise ValueError(
                f"key must have a witness, got key={key!r}; the file has {', '.join(known) or 'none'}"
            )
        told = Witness.from_data(verdicts[key]["witness"])
        filt = load_filter(target) if target is not None else None
        if "outside" in told.filter and filt is None:
            raise ValueError(
                f"target must name the filter {told.filter['outside']!r}, got none; add file.py::ClassName"
            )
    console = Console()
    try:
        estimate = play_again(told, filt=filt)
    except ValueError as error:
        Console(stderr=True, highlight=False).print(
            f"filterproof: {error}", style="red", markup=False, soft_wrap=True
        )
        raise typer.Exit(1) from error
    console.print(f"The same bits again: {estimate}", highlight=False, soft_wrap=True)
    console.print(f"promised {told.promised:.6g}, closed form {told.closed_form}", highlight=False)


def main() -> None:
    """The entry point of the command `filterproof`."""
    app()
