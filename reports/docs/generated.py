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
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any

from filterproof.filters.catalogue import CATALOGUE, CatalogueEntry
from filterproof.filters.certified.covered import COVERAGE_BY_FILTER, Losses, TheoremCoverage
from filterproof.mc.engine.adversaries import STRATEGY_CLASSES
from filterproof.reports.audit.audit_record import recorded_audit
from filterproof.reports.cli import COMMANDS, app
from filterproof.reports.commands.exit_status import ExitStatus
from filterproof.reports.docs import paper_rows
from filterproof.reports.docs.recorded import TABLES
from filterproof.reports.docs.reference import reference
from filterproof.reports.finding import claim_key
from filterproof.reports.html_repr.numbers import steps_by_check
from filterproof.reports.pages.audit_page import HEADS, audit_answer, rows
from filterproof.reports.words import recorded_data
from filterproof.theory.agreement import AgreementOutcome
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
    return _FENCE.sub(_part_row, page)


def _part_row(found: re.Match[str]) -> str:
    fence, kind, argument, body = found.groups()
    if fence == "public":
        return reference([*body.split(), *LISTED[kind]()] if kind else body.split())
    if kind not in GENERATED:
        raise ValueError(f"a generated part must be one of {', '.join(GENERATED)}, got {kind!r}")
    maker = GENERATED[kind]
    return maker(argument) if argument else maker()


# -- Markdown --------------------------------------------------------------------------------------


_SPECIAL = re.compile(r"([\\*_{}\[\]<>$|#~`])")


def escaped(text: str) -> str:
    """Escape a text for Markdown, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table; the cells are Markdown, of one line each."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


# -- words with a fixed meaning -----------------------------------------------------------------------


def _kind_words(
    kind: type[Outcome]
    | type[AgreementOutcome]
    | type[Evidence]
    | type[CheckCoverage]
    | type[TheoremCoverage],
) -> str:
    named = [(word.word if isinstance(word, CheckCoverage) else word.name, str(word.value)) for word in kind]
    return table(("word", "meaning"), [(f"**{escaped(name)}**", escaped(meaning)) for name, meaning in named])


# -- theorems -----------------------------------------------------------------------------------------


@cache
def _proof(name: str) -> Proof:
    return prove(name, done=_RUN_PROOFS)


def _link(theorem: Theorem) -> str:
    return f"[{escaped(theorem.title)}](#theorem-{claim_key(theorem.name)})"


def _theorems(paper: str | None = None) -> str:
    """Return a row for each theorem, or each whose source names the paper's authors: its claim, checks and evidence."""
    rows = []
    for theorem in THEOREMS.values():
        if paper is not None and PAPERS[paper] not in theorem.source:
            continue
        proof = _proof(theorem.name)
        verdict = f"{proof.verdict().outcome.name}, {proof.evidence.name}"
        rows.append((_link(theorem), escaped(theorem.source), steps_by_check(proof), verdict))
    return table(("theorem", "source", "steps, by kind of check", "verdict"), rows)


def _covered_rules() -> str:
    """Return a row for each rule with a HOLDS verdict: its theorem, and its extension to mechanisms of each kind."""
    rows = []
    for kind, joins in COVERAGE_BY_FILTER.items():
        name: str | None = getattr(kind, "theorem", None)
        theorem = _link(THEOREMS[name]) if name else "theorem of its charge"
        rows.append((f"`fp.{kind.__name__}`", theorem, *(joins[losses].name for losses in Losses)))
    heads = ("rule", "theorem", *(losses.value for losses in Losses))
    return f"{table(heads, rows)}\n\n{_kind_words(TheoremCoverage)}"


def _derivation(proof: Proof) -> str:
    theorem = proof.theorem
    lines = [
        f"(theorem-{claim_key(theorem.name)})=",
        f"## {escaped(theorem.title)}",
        "",
        f'{escaped(theorem.source)}. Run it: `fp.prove("{theorem.name}")`.',
        "",
        f"**Where** {escaped(theorem.hypotheses)}.",
        "",
        f"**Claim** {escaped(theorem.claim)}.",
        "",
    ]
    if theorem.claim_latex:
        lines += [_formula(theorem.claim_latex), ""]
    if theorem.uses:
        lines += ["**Uses** " + ", ".join(_link(THEOREMS[name]) for name in theorem.uses) + ".", ""]
    lines += [f"**Verdict** {escaped(str(proof.verdict().outcome.name))}, {proof.evidence.name}.", ""]
    lines += ["<details>", f"<summary>{len(proof.steps)} steps: {steps_by_check(proof)}</summary>", ""]
    lines += [_steps(proof), "", escaped(proof.joined), "", "</details>", ""]
    return "\n".join(lines)


def _steps(proof: Proof) -> str:
    return "\n\n".join(_step(k, step) for k, step in enumerate(proof.steps, 1))


def _step(k: int, step: CheckedStep) -> str:
    start = f"{k}. "
    text = f"{start}{escaped(step.statement)} *{step.checked.word}, {step.evidence.name}*"
    return f"{text}\n\n{_formula(step.latex, len(start))}" if step.latex else text


def _formula(latex: str, indent: int = 0) -> str:
    space = " " * indent
    return f"{space}$$\n{space}{' '.join(latex.split())}\n{space}$$"


# -- the rows of the papers ----------------------------------------------------------------------------


def _rows(paper: str) -> str:
    """Return a row for each statement of a paper: where it lives, whether it works, numbers printed and got."""
    made = []
    for row in paper_rows.rows(paper):
        status = escaped(f"{row.status}: {row.why}" if row.why else row.status)
        numbers = "; ".join(map(_number, row.printed))
        made.append(
            (
                escaped(row.place),
                escaped(row.says),
                ", ".join(map(_link_to_place, row.where)),
                status,
                numbers,
            )
        )
    return table(("in the paper", "it says", "here", "status", "printed: computed"), made)


def _link_to_place(where: str) -> str:
    kind, name = paper_rows.resolved(where)
    if kind == "theorem":
        proof = _proof(name)
        return f"{_link(THEOREMS[name])} ({proof.verdict().outcome.name}, {proof.evidence.name})"
    if kind == "page":
        return f"[{_title(name)}](/{name}.md)"
    return f"figure `{name}`" if kind == "figure" else f"`{name}`"


def _title(page: str) -> str:
    """Return the first heading of a page."""
    text = (Path(__file__).with_name("pages") / f"{page}.md").read_text("utf-8")
    return text.partition("# ")[2].partition("\n")[0]


def _number(number: paper_rows.PrintedNumber) -> str:
    got = number.compute()
    remark = f" ({number.remark})" if number.remark else ""
    return escaped(f"{number.what}: {number.printed}: {got:.7g}{remark}")


# -- the kernel --------------------------------------------------------------------------------------


def _kernel_statements() -> str:
    parts = []
    # those of the theorems first, in their order
    for name in dict.fromkeys(
        [*(name for theorem in THEOREMS.values() for name in theorem.kernel), *KERNEL_THEOREMS]
    ):
        theorem = KERNEL_THEOREMS[name]
        found = accepted_statement(theorem)
        beyond = f" Not covered: {escaped(theorem.beyond)}" if theorem.beyond else ""
        axioms = ", ".join(f"`{axiom}`" for axiom in found.axioms) or "none"
        parts += [
            f"**{escaped(theorem.source)}** {escaped(theorem.scoped_claim)}{beyond}",
            f"```coq\n{fill(found.displayed_statement, 100, subsequent_indent='  ', break_long_words=False)}\n```",
            f"`{found.file}`. Axioms: {axioms}.",
        ]
    return "\n\n".join(parts)


def _by_kernel() -> str:
    return JOINED_BY_KERNEL.format(covers="the mechanisms that its scope names")


# -- filters ------------------------------------------------------------------------------------------


def _filters() -> str:
    rows = [
        (f"`fp.{name}`", f"`{entry.example().promise}`", _proved(entry)) for name, entry in CATALOGUE.items()
    ]
    return table(("filter", "promise of an example", "proof, or flaw"), rows)


def _proved(entry: CatalogueEntry) -> str:
    kind = entry.filter_class
    theorem = f"; {_link(THEOREMS[kind.theorem])}" if kind.theorem is not None else ""
    return escaped(kind.proof) + theorem


# -- charges ---------------------------------------------------------------------------------------

_NONE = "none"
_NAMES: tuple[tuple[ChargeName, str], ...] = (
    ("pure_epsilon", "pure, epsilon"),
    ("zcdp_rho", "zCDP, rho"),
    ("gdp_mu", "GDP, mu"),
)


def charges() -> str:
    """Return a row for each example of a pair with a charge: the declared charges, and the share that is tight."""
    charged = {_pair_name(pair): [_charge_cell(pair, name) for name, _ in _NAMES] for pair in example_pairs()}
    rows = [(f"`{name}`", *cells) for name, cells in charged.items() if set(cells) != {_NONE}]
    return table(("pair", *(words for _, words in _NAMES)), rows)


def _pair_name(pair: DominatingPair) -> str:
    given = [f"{value:.4g}" for value in pair.parameters().values() if isinstance(value, float)]
    return f"{type(pair).__name__}({', '.join(given)})"


def _charge_cell(pair: DominatingPair, charge: ChargeName) -> str:
    declared = float(getattr(pair, charge))
    if not math.isfinite(declared):
        return _NONE
    share = pair.tight_charge(charge)[0] / declared if declared else 1.0
    due = "smallest" if share > 1 - 2.0**-29 else f"upper bound; {100 * share:.4g} % is necessary"
    return f"{declared:.6g} ({due})"


# -- recorded results ---------------------------------------------------------------------------------


def _history() -> str:
    rows = [
        (
            f"[{escaped(case['name'])}]({case['thread']}): {escaped(case['breaks'])}",
            f"{case['seconds']:g}",
            escaped(case["counterexample"]),
        )
        for case in recorded_data("power").get("cases", [])
        if case["half"] == "public" and case["kind"] == "broken"
    ]
    return table(("thread", "refuted after seconds", "how"), rows)


def _recorded_table(name: str) -> str:
    heads, rows = TABLES[name]()
    return table(heads, (map(escaped, row) for row in rows)) if rows else "None."


# -- the command line, read from its own parser --------------------------------------------------------


def _commands() -> str:
    """Return a section for each command: its help, its arguments and its options."""
    import typer

    group: Any = typer.main.get_command(app)
    return "\n\n".join(_command(name, group.commands[name.rstrip("_")]) for name in COMMANDS)


def _command(name: str, command: Any) -> str:
    # Any: typer's parameters are private
    rows = [
        (f"`{_option_spelling(one)}`", escaped(one.help or ""))
        for one in command.params
        if one.name != "help"
    ]
    title = f"## filterproof {name.rstrip('_')}"
    told = "\n\n".join(escaped(block) for block in inspect.cleandoc(command.help or "").split("\n\n"))
    options = [table(("argument or option", "meaning"), rows)] if rows else []
    return "\n\n".join([title, told, *options])


def _option_spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        word = parameter.metavar or parameter.name.upper()
        return str(word) if parameter.required else f"[{word}]"
    return ", ".join(parameter.opts)


def _audit() -> str:
    """Return the record of `make audit`: a sentence, and a line for each finding."""
    audit = recorded_audit()
    told = table(HEADS, [list(map(escaped, row)) for row in rows(audit)])
    return f"{escaped(audit_answer(audit))}\n\n{told}"


#: Public names that a registry of the code lists, by the word after `{public}`.
LISTED: Mapping[str, Callable[[], list[str]]] = {
    "filters": lambda: [name for name, entry in CATALOGUE.items() if entry.sound is not False],
    "unsound": lambda: [name for name, entry in CATALOGUE.items() if entry.sound is False],
    "pairs": lambda: [kind.__name__ for kind in PAIR_CLASSES],
    "strategies": lambda: [kind.__name__ for kind in STRATEGY_CLASSES],
}

#: The generated parts by name.
GENERATED: Mapping[str, Callable[..., str]] = {
    "history": _history,
    "recorded": _recorded_table,
    "outcomes": lambda: _kind_words(Outcome),
    "accords": lambda: _kind_words(AgreementOutcome),
    "evidence": lambda: _kind_words(Evidence),
    "checked": lambda: _kind_words(CheckCoverage),
    "join": lambda: escaped(
        f"Theorems with evidence KERNEL: {_by_kernel()} Other theorems: {PROSE_JOIN_NOTE}"
    ),
    "theorems": _theorems,
    "covered": _covered_rules,
    "derivations": lambda: "\n\n".join(_derivation(_proof(name)) for name in THEOREMS),
    "rows": _rows,
    "row-statuses": lambda: table(("status", "meaning"), paper_rows.STATUS.items()),
    "steps": lambda name: _steps(_proof(name)),
    "kernel-statements": _kernel_statements,
    "filters": _filters,
    "charges": charges,
    "commands": _commands,
    "exit-statuses": lambda: table(
        ("status", "meaning"), ((str(int(one)), one.meaning) for one in ExitStatus)
    ),
    "audit": _audit,
}
