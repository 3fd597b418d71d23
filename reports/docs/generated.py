"""The generated parts of the pages: theorems, verdicts, commands, the reference.

A page requests a part by a fence, which `expand` replaces by Markdown before the page is read:

    ```{generated} theorems 000
    ```

`{public}` documents the names in its body, and with a word of `LISTED` the names in a registry of the code.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

from filterproof.filters.catalogue import CATALOGUE, CatalogueEntry
from filterproof.filters.certified.theorem_coverage import COVERAGE_BY_FILTER, LossKind, TheoremCoverage
from filterproof.mc.engine.adversaries import STRATEGY_CLASSES
from filterproof.reports.agreement import AgreementOutcome
from filterproof.reports.audit.audit_record import recorded_audit
from filterproof.reports.cli import COMMANDS, app
from filterproof.reports.commands.exit_status import ExitStatus
from filterproof.reports.docs import paper_rows
from filterproof.reports.docs.recorded_tables import TABLES
from filterproof.reports.docs.reference import reference
from filterproof.reports.finding import key_from_name
from filterproof.reports.html_repr.numbers import step_counts_text
from filterproof.reports.package_data import recorded_data
from filterproof.reports.pages.audit_page import HEADS, audit_summary, rows
from filterproof.theory.evidence import CheckCoverage, Evidence, Outcome
from filterproof.theory.kernel import accepted_statement
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS
from filterproof.theory.pairs import PAIR_CLASSES, DominatingPair, example_pairs
from filterproof.theory.pairs.base import ChargeName
from filterproof.theory.proofs import THEOREMS, prove
from filterproof.theory.proofs.proof import JOINED_BY_KERNEL, PROSE_JOIN_NOTE, CheckedStep, Proof
from filterproof.theory.theorems.theorem import Theorem

_FENCE = re.compile(
    r"^```\{(generated|public)\}(?:[ \t]+(\S+))?(?:[ \t]+(.+?))?[ \t]*\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
#: The authors in the sources of theorems, by the number of the paper.
PAPERS: Mapping[str, str] = {"000": "Feldman & Zrnic", "003": "Koskela", "004": "Taylor"}
_RUN_PROOFS: dict[str, Proof] = {}


def expand(page: str) -> str:
    """Replace every generated part of a page. Raises ValueError for an unknown part."""
    return _FENCE.sub(_generated_part, page)


def _generated_part(match: re.Match[str]) -> str:
    """Return the Markdown that replaces one generated fence."""
    fence, kind, argument, body = match.groups()
    if fence == "public":
        return reference([*body.split(), *LISTED[kind]()] if kind else body.split())
    if kind not in GENERATED:
        raise ValueError(f"a generated part must be one of {', '.join(GENERATED)}, got {kind!r}")
    maker = GENERATED[kind]
    return maker(argument) if argument else maker()


# -- Markdown --------------------------------------------------------------------------------------


_SPECIAL = re.compile(r"([\\*_{}\[\]<>$|#~`])")


def escape_markdown(text: str) -> str:
    """Escape a text for Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; the cells are Markdown, of one line each."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


# -- words with a fixed meaning -----------------------------------------------------------------------


def _enum_table(kind: type[Enum]) -> str:
    """Return a Markdown table of an enum's words and their meanings."""
    named = [(word.word if isinstance(word, CheckCoverage) else word.name, str(word.value)) for word in kind]
    return table(
        ("word", "meaning"),
        [(f"**{escape_markdown(name)}**", escape_markdown(meaning)) for name, meaning in named],
    )


# -- theorems -----------------------------------------------------------------------------------------


@cache
def _cached_proof(name: str) -> Proof:
    """Run the proof of a theorem once and return it."""
    return prove(name, done=_RUN_PROOFS)


def _theorem_link(theorem: Theorem) -> str:
    """Return a Markdown link from a theorem's title to its derivation."""
    return f"[{escape_markdown(theorem.title)}](#theorem-{key_from_name(theorem.name)})"


def _theorems(paper: str | None = None) -> str:
    """Return a row for each theorem, or each whose source names the paper's authors: its claim, checks and evidence."""
    rows = []
    for theorem in THEOREMS.values():
        if paper is not None and PAPERS[paper] not in theorem.source:
            continue
        proof = _cached_proof(theorem.name)
        verdict = f"{proof.verdict().outcome.name}, {proof.evidence.name}"
        rows.append(
            (_theorem_link(theorem), escape_markdown(theorem.source), step_counts_text(proof), verdict)
        )
    return table(("theorem", "source", "steps, by kind of check", "verdict"), rows)


def _covered_rules_table() -> str:
    """Return a row for each rule with a HOLDS verdict: its theorem, and its extension to mechanisms of each kind."""
    rows = []
    for kind, joins in COVERAGE_BY_FILTER.items():
        name: str | None = getattr(kind, "theorem", None)
        theorem = _theorem_link(THEOREMS[name]) if name else "theorem of its charge"
        rows.append((f"`fp.{kind.__name__}`", theorem, *(joins[losses].name for losses in LossKind)))
    heads = ("rule", "theorem", *(losses.value for losses in LossKind))
    return f"{table(heads, rows)}\n\n{_enum_table(TheoremCoverage)}"


def _derivation(proof: Proof) -> str:
    """Return a theorem's section: hypotheses, claim, formula, verdict and steps."""
    theorem = proof.theorem
    lines = [
        f"(theorem-{key_from_name(theorem.name)})=",
        f"## {escape_markdown(theorem.title)}",
        "",
        f'{escape_markdown(theorem.source)}. Run it: `fp.prove("{theorem.name}")`.',
        "",
        f"**Where** {escape_markdown(theorem.hypotheses)}.",
        "",
        f"**Claim** {escape_markdown(theorem.claim)}.",
        "",
    ]
    if theorem.claim_latex:
        lines += [_formula(theorem.claim_latex), ""]
    if theorem.uses:
        lines += ["**Uses** " + ", ".join(_theorem_link(THEOREMS[name]) for name in theorem.uses) + ".", ""]
    lines += [f"**Verdict** {escape_markdown(str(proof.verdict().outcome.name))}, {proof.evidence.name}.", ""]
    lines += ["<details>", f"<summary>{len(proof.steps)} steps: {step_counts_text(proof)}</summary>", ""]
    lines += [_steps(proof), "", escape_markdown(proof.joined), "", "</details>", ""]
    return "\n".join(lines)


def _steps(proof: Proof) -> str:
    return "\n\n".join(_step(k, step) for k, step in enumerate(proof.steps, 1))


def _step(k: int, step: CheckedStep) -> str:
    """Return a numbered step with its kind of check, its evidence and its formula."""
    start = f"{k}. "
    text = f"{start}{escape_markdown(step.statement)} *{step.checked.word}, {step.evidence.name}*"
    return f"{text}\n\n{_formula(step.latex, len(start))}" if step.latex else text


def _formula(latex: str, indent: int = 0) -> str:
    """Return a displayed LaTeX formula in dollar fences."""
    space = " " * indent
    return f"{space}$$\n{space}{' '.join(latex.split())}\n{space}$$"


# -- the rows of the papers ----------------------------------------------------------------------------


def _paper_table(paper: str) -> str:
    """Return a table of a paper's statements: where they live here, their status and numbers."""
    table_rows = []
    for row in paper_rows.paper_statements(paper):
        why = row.why or "a number differs" * (row.status == "partly")
        status = escape_markdown(f"{row.status}: {why}" if why else row.status)
        numbers = "; ".join(map(_printed_and_computed_text, row.printed_numbers))
        table_rows.append(
            (
                escape_markdown(row.place),
                escape_markdown(row.says),
                ", ".join(map(_implementation_link, row.where)),
                status,
                numbers,
            )
        )
    return table(("in the paper", "it says", "here", "status", "printed: computed"), table_rows)


def _implementation_link(where: str) -> str:
    """Return a link to the name, theorem, page or figure that implements a statement."""
    kind, name = paper_rows.resolve_reference(where)
    if kind == "theorem":
        proof = _cached_proof(name)
        return f"{_theorem_link(THEOREMS[name])} ({proof.verdict().outcome.name}, {proof.evidence.name})"
    if kind == "page":
        return f"[{_page_heading(name)}](/{name}.md)"
    return f"figure `{name}`" if kind == "figure" else f"`{name}`"


def _page_heading(page: str) -> str:
    """Return the first heading of a page."""
    text = (Path(__file__).with_name("pages") / f"{page}.md").read_text("utf-8")
    return text.partition("# ")[2].partition("\n")[0]


def _printed_and_computed_text(number: paper_rows.PrintedNumber) -> str:
    """Return a number as the paper prints it and as this code computes it."""
    got = number.compute()
    remark = f" ({number.remark})" if number.remark else ""
    return escape_markdown(f"{number.what}: {number.printed}: {got:.7g}{remark}")


# -- the kernel --------------------------------------------------------------------------------------


def _kernel_statements() -> str:
    """Return each statement that the kernel accepted, with its source, file and axioms."""
    parts = []
    # those of the theorems first, in their order
    for name in dict.fromkeys(
        [*(name for theorem in THEOREMS.values() for name in theorem.kernel), *KERNEL_THEOREMS]
    ):
        theorem = KERNEL_THEOREMS[name]
        accepted = accepted_statement(theorem)
        beyond = f" Not covered: {escape_markdown(theorem.beyond)}" if theorem.beyond else ""
        axioms = ", ".join(f"`{axiom}`" for axiom in accepted.axioms) or "none"
        parts += [
            f"**{escape_markdown(theorem.source)}** {escape_markdown(theorem.scoped_claim)}{beyond}",
            f"```coq\n{fill(accepted.displayed_statement, 100, subsequent_indent='  ', break_long_words=False)}\n```",
            f"`{accepted.file}`. Axioms: {axioms}.",
        ]
    return "\n\n".join(parts)


# -- filters ------------------------------------------------------------------------------------------


def _filters() -> str:
    """Return a table of every filter: an example's guarantee, and its proof or flaw."""
    rows = [
        (f"`fp.{name}`", f"`{entry.example().promise}`", _proof_text(entry))
        for name, entry in CATALOGUE.items()
    ]
    return table(("filter", "promise of an example", "proof, or flaw"), rows)


def _proof_text(entry: CatalogueEntry) -> str:
    """Return the proof or flaw of a filter's guarantee, with a link to its theorem."""
    kind = entry.filter_class
    theorem = f"; {_theorem_link(THEOREMS[kind.theorem])}" if kind.theorem is not None else ""
    return escape_markdown(kind.proof) + theorem


# -- charges ---------------------------------------------------------------------------------------

_NONE = "none"
_NAMES: tuple[tuple[ChargeName, str], ...] = (
    ("pure_epsilon", "pure, epsilon"),
    ("zcdp_rho", "zCDP, rho"),
    ("gdp_mu", "GDP, mu"),
)


def pair_charge_table() -> str:
    """Return a table of example pairs: their pure, zCDP and GDP charges, and whether each is the smallest."""
    charged = {_pair_name(pair): [_charge_cell(pair, name) for name, _ in _NAMES] for pair in example_pairs()}
    rows = [(f"`{name}`", *cells) for name, cells in charged.items() if set(cells) != {_NONE}]
    return table(("pair", *(words for _, words in _NAMES)), rows)


def _pair_name(pair: DominatingPair) -> str:
    given = [f"{value:.4g}" for value in pair.parameters().values() if isinstance(value, float)]
    return f"{type(pair).__name__}({', '.join(given)})"


def _charge_cell(pair: DominatingPair, charge: ChargeName) -> str:
    """Return a declared charge, and whether it is the smallest one."""
    declared = float(getattr(pair, charge))
    if not math.isfinite(declared):
        return _NONE
    share = pair.tight_charge(charge)[0] / declared if declared else 1.0
    due = "smallest" if share > 1 - 2.0**-29 else f"upper bound; {100 * share:.4g} % is necessary"
    return f"{declared:.6g} ({due})"


# -- recorded results ---------------------------------------------------------------------------------


def _historical_bugs_table() -> str:
    """Return a table of broken filters from public issue threads, and how they were refuted."""
    rows = [
        (
            f"[{escape_markdown(case['name'])}]({case['thread']}): {escape_markdown(case['breaks'])}",
            f"{case['seconds']:g}",
            escape_markdown(case["counterexample"]),
        )
        for case in recorded_data("power").get("cases", [])
        if case["part"] == "public" and case["kind"] == "broken"
    ]
    return table(("thread", "refuted after seconds", "how"), rows)


def _recorded_table(name: str) -> str:
    """Return the table of a recorded result, such as power or planted."""
    heads, rows = TABLES[name]()
    return table(heads, (map(escape_markdown, row) for row in rows)) if rows else "None."


# -- the command line, read from its own parser --------------------------------------------------------


def _commands() -> str:
    """Return a section for each command: its help, its arguments and its options."""
    import typer

    group: Any = typer.main.get_command(app)
    return "\n\n".join(_command(name, group.commands[name.rstrip("_")]) for name in COMMANDS)


def _command(name: str, command: Any) -> str:
    """Return a command's section: its help and a table of its arguments and options."""
    # Any: typer's parameters are private
    rows = [
        (f"`{_option_spelling(parameter)}`", escape_markdown(parameter.help or ""))
        for parameter in command.params
        if parameter.name != "help"
    ]
    title = f"## filterproof {name.rstrip('_')}"
    description = "\n\n".join(
        escape_markdown(block) for block in inspect.cleandoc(command.help or "").split("\n\n")
    )
    options = [table(("argument or option", "meaning"), rows)] if rows else []
    return "\n\n".join([title, description, *options])


def _option_spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        word = parameter.metavar or parameter.name.upper()
        return str(word) if parameter.required else f"[{word}]"
    return ", ".join(parameter.opts)


def _audit() -> str:
    """Return the record of `make audit`: a sentence, and a line for each finding."""
    audit = recorded_audit()
    audit_table = table(HEADS, [list(map(escape_markdown, row)) for row in rows(audit)])
    return f"{escape_markdown(audit_summary(audit))}\n\n{audit_table}"


#: Public names that a registry of the code lists, by the word after `{public}`.
LISTED: Mapping[str, Callable[[], list[str]]] = {
    "filters": lambda: [name for name, entry in CATALOGUE.items() if entry.sound is not False],
    "unsound": lambda: [name for name, entry in CATALOGUE.items() if entry.sound is False],
    "pairs": lambda: [kind.__name__ for kind in PAIR_CLASSES],
    "strategies": lambda: [kind.__name__ for kind in STRATEGY_CLASSES],
}

#: The generated parts by name.
GENERATED: Mapping[str, Callable[..., str]] = {
    "history": _historical_bugs_table,
    "recorded": _recorded_table,
    "outcomes": lambda: _enum_table(Outcome),
    "accords": lambda: _enum_table(AgreementOutcome),
    "evidence": lambda: _enum_table(Evidence),
    "checked": lambda: _enum_table(CheckCoverage),
    "join": lambda: escape_markdown(
        f"Theorems with evidence KERNEL: {JOINED_BY_KERNEL.format(covers='the mechanisms that its scope names')} "
        f"Other theorems: {PROSE_JOIN_NOTE}"
    ),
    "theorems": _theorems,
    "covered": _covered_rules_table,
    "derivations": lambda: "\n\n".join(_derivation(_cached_proof(name)) for name in THEOREMS),
    "rows": _paper_table,
    "row-statuses": lambda: table(("status", "meaning"), paper_rows.STATUS.items()),
    "steps": lambda name: _steps(_cached_proof(name)),
    "kernel-statements": _kernel_statements,
    "filters": _filters,
    "charges": pair_charge_table,
    "commands": _commands,
    "exit-statuses": lambda: table(
        ("status", "meaning"), ((str(int(status)), status.meaning) for status in ExitStatus)
    ),
    "audit": _audit,
}
