"""The page of an examination, self-contained, and the shorter form of it that a notebook shows."""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.mc.examine.formatting import count_words, format_distinct
from filterproof.mc.examine.replay_snippets import replay_snippet
from filterproof.mc.runs.provenance import version
from filterproof.reports.drawing import INK, PALETTE, data_uri, escape_dollars, new_figure, svg_text
from filterproof.reports.pages.tightness_figure import (
    MAX_ROWS,
    informative_rows,
    tightness_alt,
    tightness_figure,
)
from filterproof.reports.template import formula_mathml, page_style, render_template
from filterproof.theory.evidence import Evidence, Outcome
from filterproof.theory.guarantees import ApproxDP, Guarantee, PureDP
from filterproof.theory.numerics.decimals import format_failure, format_up

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from filterproof.mc.examine.examination import Examination
    from filterproof.mc.examine.stage_finding import StageFinding
    from filterproof.mc.examine.trace import Trace

#: The picture for each kind of screen: its condition, and its width in inches.
_SCREEN_WIDTHS = (("(max-width: 44rem)", 4.0), ("", 8.0))


def examination_page(exam: Examination, folder: Path) -> str:
    """The whole page; folder is where it will stand, for the command that replays the counterexample."""
    return _render_examination(
        "examined.html.j2",
        exam,
        style=page_style(),
        sources=_picture_sources(exam),
        alt=tightness_alt(exam.tightness),
        curve=_trace_picture_uri(exam),
        rows=informative_rows(exam.tightness),
        most=MAX_ROWS,
        formula=formula_mathml(exam.promise.formula) if isinstance(exam.promise, Guarantee) else "",
        sets=", S any set of outcomes" if isinstance(exam.promise, ApproxDP | PureDP) else "",
        mathml=formula_mathml,
        again=exam.replay_command(folder),
        outcomes=list(Outcome),
        evidences=list(Evidence),
        version=version(),
        colophon=(
            f"Examined with effort {exam.effort:g} and seed {exam.seed}, by filterproof "
            f"{version()} and Python {platform.python_version()}, on {time.strftime('%Y-%m-%d')}. "
            "Losses are in nats."
        ),
    )


def examination_fragment(exam: Examination) -> str:
    """The verdict, the stages and the counterexample as HTML that borrows the colours of what surrounds it."""
    return _render_examination("examined_fragment.html.j2", exam)


def _render_examination(template: str, exam: Examination, **more: Any) -> str:
    counterexample, shown = exam.counterexample, exam.refutations
    findings = [
        finding
        for finding in exam.findings
        if finding.counterexample is None or shown[finding.stage] is finding
    ]
    return render_template(
        template,
        exam=exam,
        pill=_verdict_pill,
        findings=findings,
        left_out=len(exam.findings) - len(findings),
        snippet=replay_snippet(counterexample) if counterexample is not None else "",
        data=json.dumps(counterexample.to_data(), indent=2) if counterexample is not None else "",
        format_distinct=format_distinct,
        above=format_up,
        chance=format_failure,
        counted=count_words,
        exceeds=certainly_exceeds,
        **more,
    )


def _verdict_pill(finding: StageFinding) -> tuple[str, str, str]:
    """Return a stage's verdict in a word, its colour and its limits."""
    verdict = finding.verdict
    if verdict is None:
        return "", "", "decides nothing"
    if verdict.outcome is Outcome.HOLDS and not finding.covers_all:
        limits = f"{verdict.evidence.name}, on its menu alone, which leaves the promise undecided"
        return "KEPT THERE", "undecided", limits
    return verdict.outcome.name, verdict.outcome.name.lower(), verdict.evidence.name


def _picture_sources(exam: Examination) -> list[dict[str, str]]:
    """The picture once for each kind of screen, as data that an <img> shows."""
    if not exam.tightness:
        return []
    drawn = (
        (media, tightness_figure(exam.name, exam.tightness, width=width)) for media, width in _SCREEN_WIDTHS
    )
    return [
        {"media": media, "src": data_uri(svg_text(figure))} for media, figure in drawn if figure is not None
    ]


def _trace_picture_uri(exam: Examination) -> str:
    """Return the picture of the counterexample's delta curve as a data URI; '' without a trace."""
    trace = exam.trace
    figure = None if trace is None else delta_by_epsilon_figure(exam.name, trace)
    return "" if figure is None else data_uri(svg_text(figure))


def delta_by_epsilon_figure(name: str, trace: Trace) -> Figure | None:
    """Draw delta against epsilon for the guarantee and for the trace; None if there is no curve."""
    if not trace.curve:
        return None
    at, reached, promised = zip(*trace.curve, strict=True)
    with new_figure(8.0, 3.2) as figure:
        ax = figure.subplots()
        ax.plot(at, promised, color=INK, lw=1.6, label="promised")
        ax.plot(at, reached, "o-", color=PALETTE[1], ms=4, lw=1.2, label="revealed by the play, at least")
        ax.set(
            xlabel="epsilon", ylabel="delta", title=f"{escape_dollars(name)}: the play against the promise"
        )
        if min(x for x in (*reached, *promised) if x > 0) < 0.1 * max(*reached, *promised):
            ax.set_yscale("log")
        ax.legend()
    return figure
