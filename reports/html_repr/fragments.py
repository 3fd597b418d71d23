"""What each result says as HTML: an estimate never without its interval, a bound never without its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.mc.estimate.trade_off import TradeOff
from filterproof.mc.examine.formatting import count_words
from filterproof.reports.html_repr.text_cells import VALUES, text_cells
from filterproof.reports.template import formula_mathml, render_template
from filterproof.theory.display import Displayed, Plottable
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.proofs.proof import Proof

#: Lines of a table that are shown; `rows()` has them all.
MAX_LINES = 24


@dataclass(frozen=True, slots=True)
class Fragment:
    """The notebook display of a result: a title, a sentence, a table and notes.

    names are the heads of the columns; without them each line is a label and what it says.
    """

    title: str
    words: str
    lines: Sequence[Sequence[str | Markup]] = ()
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    formula: Markup = Markup("")  # noqa: RUF009, it does not change

    def html(self, value: Any) -> str:
        """The HTML, with the picture of `value` where it has one."""
        picture = words = ""
        if isinstance(value, Plottable) and self.lines:
            from filterproof.reports.drawing import data_uri, svg_text
            from filterproof.reports.html_repr.pictures import picture_alt

            picture, words = data_uri(svg_text(value.plot())), picture_alt(value)
        return render_template("shown.html.j2", one=self, picture=picture, alt=words)


def evenly_spaced_lines(lines: Iterable[Sequence[str]]) -> tuple[list[Sequence[str]], tuple[str, ...]]:
    """At most MAX_LINES of the lines, evenly spaced with both ends, and a note where some are left out."""
    all_lines = list(lines)
    if len(all_lines) <= MAX_LINES:
        return all_lines, ()
    places = [round(k * (len(all_lines) - 1) / (MAX_LINES - 1)) for k in range(MAX_LINES)]
    return [all_lines[k] for k in places], (f"{MAX_LINES} of {len(all_lines)} rows; rows() has them all.",)


def of_rows(title: str, words: str, value: Displayed, *notes: str) -> Fragment:
    """A result as its rows: of one row a line for each cell; of several a table, below which stands what all share.

    Their values stand in the table, equal or not.
    """
    cell_rows = [text_cells(row) for row in value.rows()]
    if len(cell_rows) < 2:
        return Fragment(title, words, [line for row in cell_rows for line in row.items()], notes=notes)
    names = dict.fromkeys(name for row in cell_rows for name in row)
    equal = [name for name in names if len({row.get(name) for row in cell_rows}) == 1]
    shared = {name: cell_rows[0][name] for name in equal if name not in VALUES}
    heads = tuple(name for name in names if name not in shared)
    lines, left_out = evenly_spaced_lines([row.get(name, "") for name in heads] for row in cell_rows)
    common = f"In every row: {'; '.join(f'{name} {cell}' for name, cell in shared.items())}."
    return Fragment(title, words, lines, heads, (*notes, *([common] if shared else []), *left_out))


_UNDECIDED = "UNDECIDED: neither proved nor refuted. A simulation that finds no violation is not a proof."


def result_fragment(value: Any) -> Fragment:
    """A result in words and a table; TypeError for what is none."""
    for kind, fragment in _FRAGMENTS.items():
        if isinstance(value, kind):
            return fragment(value)
    raise TypeError(f"the value is a {type(value).__name__} and not a result; print it")


def _displayed(value: Displayed) -> Fragment:
    """A result under its class; one of a single row with the sentence that is printed, unless it prints its fields."""
    sentence = str(value)
    shown = len(value.rows()) == 1 and sentence != repr(value)
    return of_rows(type(value).__name__, sentence if shown else "", value)


def _trade_off(value: TradeOff) -> Fragment:
    reasons = dict.fromkeys(
        estimate.rests_on for side in (value.forward, value.backward) for estimate in side.at
    )
    return of_rows("TradeOff", "", value, *(f"Rests on {words}." for words in reasons))


def _verdict(value: Verdict) -> Fragment:
    notes = (_UNDECIDED,) if value.outcome is Outcome.UNDECIDED else ()
    cited = (f"Cited, not checked here: {citation}." for citation in value.citations)
    return of_rows(value.outcome.name, "", value, *cited, *notes)


def _proof(value: Proof) -> Fragment:
    theorem = value.theorem
    lines = [
        (
            str(place),
            Markup("{}{}").format(step.statement, formula_mathml(step.latex)),
            step.evidence.name if step.holds else f"REFUSED: {step.detail}",
            step.checked.word,
        )
        for place, step in enumerate(value.steps, 1)
    ]
    notes = (
        f"Source: {theorem.source}.",
        *(f"It uses {lemma.theorem.title}: {_verdict_sentence(lemma.verdict())}." for lemma in value.lemmas),
        value.joined,
    )
    formula = Markup("<p>{}</p>").format(theorem.claim) + formula_mathml(theorem.claim_latex)
    names = ("step", "statement", "evidence", "checked")
    return Fragment(theorem.title, _verdict_sentence(value.verdict()), lines, names, notes, formula)


def _certified_numbers(value: CertifiedNumbers) -> Fragment:
    names = ("theorem", "number", "value", "found", "evidence")
    # those that are refused first, so that none of them is left out
    lines, left_out = evenly_spaced_lines(
        (
            comparison.number.theorem,
            comparison.number.says,
            "no finite number"
            if comparison.number.value is None
            else f"{float(comparison.number.value):.17g}",
            comparison.status.name,
            comparison.evidence.name,
        )
        for comparison in sorted(value.numbers, key=lambda comparison: comparison.fits)
    )
    count, refused = len(value.numbers), dict.fromkeys(comparison.status.name for comparison in value.refused)
    words = f"{count - len(value.refused)} of {count_words(count, 'number')} fit their theorems"
    if refused:
        words += f"; REFUSED: {', '.join(refused)}"
    notes = (
        *(f"Not covered: {note}." for note in value.uncovered),
        "Found by running the code at the points that are named; nothing is said of others.",
        *left_out,
    )
    return Fragment(f"Certified numbers of {value.subject}", words, lines, names, notes)


def _verdict_sentence(verdict: Verdict) -> str:
    """Return a verdict and its detail as one sentence."""
    return str(verdict) + (f": {verdict.detail}" if verdict.detail else "")


#: What makes a fragment of a result: the first kind that it is an instance of.
_FRAGMENTS: Mapping[type, Callable[[Any], Fragment]] = {
    Verdict: _verdict,
    Proof: _proof,
    CertifiedNumbers: _certified_numbers,
    TradeOff: _trade_off,
    Displayed: _displayed,
}
