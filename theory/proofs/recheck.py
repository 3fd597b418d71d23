"""Verify certificates with python-flint alone: python recheck.py CERTIFICATE.json ...

A certificate says a theorem in full: claim, hypotheses, source, steps, formulas, boxes, lemmas. `recheck_table.json`
beside this file holds a SHA-256 of each theorem's text, and a certificate of any other text is refused. Compared is all
that it says but `seconds`, `versions` and the `tree` of a box, which may differ from run to run. Then this program
checks the steps again: formulas on their boxes along the certificate's tree, comparisons, identities as polynomials in
their parts. Exit status 0: everything was verified. 1: something is false,
forged or unreadable. 2: no file was given. 3: nothing is false, but some steps could not be checked here (theorems of
a proof assistant, sampled at points only, or already reduced to x = x in the certificate); each is named. That
the steps suffice for the claim is prose in every theorem but those that the proof assistant decides, which nothing
checks. Nothing of the package that wrote the certificate is imported, and nothing that is read is executed.
"""

import ast
import json
import operator
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from flint import arb, ctx

if __package__:
    from .recheck_algebra import Algebra, UndecidedError, names_in
    from .recheck_balls import RejectedError, ball, check_box, parse, to_arb
else:  # run as a script: the files beside this one, which import nothing of the package either
    from recheck_algebra import Algebra, UndecidedError, names_in  # type: ignore[import-not-found,no-redef]
    from recheck_balls import (  # type: ignore[import-not-found,no-redef]
        RejectedError,
        ball,
        check_box,
        parse,
        to_arb,
    )

FORMAT = "filterproof-certificate-4"
VERSIONED = {"python", "python-flint", "sympy"}
VERSION = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4}){0,3}((a|b|rc|\.?dev|\.post)[0-9]{0,4})?\+?")
STRENGTH = ("KERNEL", "EXACT", "CERTIFIED", "DERIVED", "STATISTICAL", "CITED")
KINDS = {  # the strongest evidence that a step of each kind can have, and the labels that it may carry
    "comparisons": ("EXACT", {"point"}),
    "positive on a box": ("CERTIFIED", {"range", "point"}),
    "all": ("CERTIFIED", {"point"}),
    "zero": ("DERIVED", {"identity", "point"}),
    "nonnegative": ("DERIVED", {"identity", "point"}),
    "kernel": ("KERNEL", {"kernel"}),
}
VERIFIED = ("identity", "balls", "compared")
UNCHECKED = ("by a kernel", "sampled only", "empty when written", "not checkable here")
RELATIONS = {"=": operator.eq, "<=": operator.le, "<": operator.lt, "!=": operator.ne}


class CheckedLine(NamedTuple):
    """A step and the status that this program found for it."""

    theorem: str
    step: str
    status: str


# -- the kinds of steps ---------------------------------------------------------------------------------------

#: Values for spot checks; each symbol takes those within its range.
VALUES = [
    Fraction(n, d)
    for n, d in (
        (1, 3), (3, 2), (1, 5), (2, 7), (9, 4), (1, 50), (5, 3), (2, 1), (1, 11), (7, 1), (3, 1), (1, 2),
        (-3, 2), (-1, 3), (-2, 1), (-1, 7), (-5, 1), (4, 1), (12, 1),
    )
]  # fmt: skip


def check_comparisons(rows: list[tuple[Any, str, Any]]) -> str:
    """ "compared" if there are rows and all are true; RejectedError if not."""
    if not rows:
        raise RejectedError("there are no rows")
    for left, relation, right in rows:
        if not RELATIONS[relation](Fraction(left), Fraction(right)):
            raise RejectedError(f"{left} {relation} {right}")
    return "compared"


def samples(domain: dict[str, str], more_points: list[dict[str, str]], most: int) -> Iterator[dict[str, arb]]:
    """Points of the domain as balls: the given ones, and `most` chosen here."""
    names = sorted(domain)
    fitting: dict[str, list[Fraction]] = {}
    for name, kind in domain.items():
        fitting[name] = [x for x in VALUES if x > 0 or kind == "real"]
    own = [
        {n: fitting[n][(i + 3 * k + i * k) % len(fitting[n])] for k, n in enumerate(names)}
        for i in range(most)
    ]
    for point in [*({n: Fraction(x) for n, x in p.items()} for p in more_points), *own]:
        yield {n: to_arb(x) for n, x in point.items()}


def check_symbolic(data: Any) -> str:
    """The formula is 0, or the sum of terms of evident sign. Sample points must agree with that in any case."""
    node, domain, zero = parse(data["formula"]), data["domain"], data["kind"] == "zero"
    evaluated = 0
    with ctx.workprec(256):
        for point in samples(domain, data["points"], 8 if "Integral" in names_in(node) else 24):
            try:
                value = ball(node, point)
            except ArithmeticError:
                continue  # not defined there
            if zero and not value.contains(0):
                raise RejectedError("not 0 at a point")
            if not zero and (value < 0 or (data["strict"] and value <= 0)):
                raise RejectedError("below 0 at a point")
            evaluated += zero is False or bool(value.rad() < 1e-30)
    if data["formula"] == "0" and not (not zero and data["strict"]):
        return "empty when written"
    if zero and isinstance(node, ast.BinOp) and ast.dump(node.left) == ast.dump(node.right):
        return "empty when written"  # x - x: the two sides were already the same text in the certificate
    if not zero and not names_in(node) - {"pi", "sqrt", "exp", "log"} and evaluated:
        with ctx.workprec(256):
            if ball(node, {}) > 0:
                return "balls"
    try:
        algebra = Algebra(domain)
        rest = algebra.read(node)
        terms = [] if zero else [parse(term) for term in data["terms"]]
        signs = [algebra.evident(term) for term in terms]
        for term in terms:
            rest = algebra.add(rest, algebra.read(term), -1)
        if (
            evaluated
            and not rest[0]
            and all(signs)
            and (zero or not data["strict"] or max(signs, default=0) == 2)
        ):
            return "identity"
    except (UndecidedError, RecursionError, OverflowError):
        pass
    return "sampled only" if evaluated else "not checkable here"


def check_data(data: Any) -> str:
    """The status of a step, from its data."""
    match data["kind"]:
        case "comparisons":
            return check_comparisons(data["comparisons"])
        case "positive on a box":
            return check_box(data, data["tree"])
        case "all":
            for part in data["parts"]:
                check_box(part, part["tree"])
            return "balls"
        case "zero" | "nonnegative":
            return check_symbolic(data)
        case "kernel":
            return "by a kernel"
    return "not checkable here"


def check_label(checked: Any, data: Any, status: str) -> None:
    """RejectedError if a step's label claims more than was checked, or, if nothing was, more than its kind allows."""
    covers = set(KINDS[data["kind"]][1])
    if status == "balls":
        covers.discard("identity")
    if all(low == high for low, high in data.get("box", {}).values()):
        covers.discard("range")
    if checked not in covers:
        raise RejectedError(f"{str(checked)[:20]!r} is not what was checked, {' or '.join(sorted(covers))}")


# -- certificates against the table ----------------------------------------------------------------------------


def text_of(data: Any) -> str:
    """JSON that differs for any two values that JSON can hold, 1, 1.0 and true among them."""
    return json.dumps(data, sort_keys=True)


def theorem_hash(certificate: Any) -> str:
    """SHA-256 of the theorem that a certificate states: all but what a run adds, and the hashes of its lemmas."""
    # the first two are compared by themselves
    of_run = ("theorem", "format", "holds", "versions", "steps", "uses")
    lemmas = certificate["uses"]
    body = {key: value for key, value in certificate.items() if key not in of_run}
    body["uses"] = [lemma["theorem"] for lemma in lemmas]
    body["steps"] = [
        {key: value for key, value in step.items() if key not in ("holds", "seconds")}
        | {"certificate": without_trees(step["certificate"])}
        for step in certificate["steps"]
    ]
    return sha256(text_of([body, [theorem_hash(lemma) for lemma in lemmas]]).encode()).hexdigest()


def without_trees(data: Any) -> Any:
    """The data of a step without the trees of its boxes; a `tree` anywhere else is kept."""
    kind = data["kind"]
    if kind == "all":
        return data | {"parts": [without_trees(part) for part in data["parts"]]}
    return {k: v for k, v in data.items() if k != "tree"} if kind == "positive on a box" else data


def recheck(certificate: Any, table: Any) -> list[CheckedLine]:
    """The status of each step of a certificate and of its lemmas; RejectedError if it or a step is false or forged.

    `table` is {"theorems": {name: hash}}.
    """
    try:
        # in the order that is hashed, on which nothing then depends
        certificate = json.loads(text_of(certificate))
        check_texts(certificate, table["theorems"], {})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RejectedError(f"it is no certificate: {type(error).__name__}") from error
    return check_steps(certificate, set())


def check_texts(certificate: Any, hashes: dict[str, str], texts: dict[str, str]) -> None:
    """RejectedError unless a certificate and its lemmas are those of the table, and say that every step holds.

    A lemma that stands in it twice must be the same in all that it says.
    """
    name = certificate["theorem"]
    if not isinstance(name, str) or name not in hashes:
        raise RejectedError(f"the table has no theorem {str(name)[:60]!r}")
    if certificate["format"] != FORMAT:
        raise RejectedError(f"{name}: the format is not {FORMAT}")
    if not isinstance(certificate["uses"], list) or not isinstance(certificate["steps"], list):
        raise RejectedError(f"{name}: steps and lemmas are no lists")
    if (stated := theorem_hash(certificate)) != hashes[name]:
        raise RejectedError(f"{name}: its text has the hash {stated[:16]}, the table has {hashes[name][:16]}")
    if not certificate["steps"] or any(
        part["holds"] is not True for part in (certificate, *certificate["steps"])
    ):
        raise RejectedError(f"{name}: holds is not true")
    if any(
        type(s["seconds"]) not in (int, float) or not 0 <= s["seconds"] < 1e9 for s in certificate["steps"]
    ):
        raise RejectedError(f"{name}: seconds is no time")
    if {*certificate["versions"]} != VERSIONED or not all(
        map(VERSION.fullmatch, certificate["versions"].values())
    ):
        raise RejectedError(f"{name}: versions are not those of {', '.join(sorted(VERSIONED))}")
    if texts.setdefault(name, text_of(certificate)) != text_of(certificate):
        raise RejectedError(f"{name}: it stands in the certificate twice, and not the same")
    for lemma in certificate["uses"]:
        check_texts(lemma, hashes, texts)


def check_steps(certificate: Any, checked_names: set[str]) -> list[CheckedLine]:
    """The status of each step of a certificate whose text is that of the table, and of lemmas that are not done."""
    name, steps, lemmas = certificate["theorem"], certificate["steps"], certificate["uses"]
    if name in checked_names:
        return []
    lines: list[CheckedLine] = []
    for lemma in lemmas:
        lines += check_steps(lemma, checked_names)
    for number, step in enumerate(steps):
        where, data = f"{name}, step {number}", step["certificate"]
        if STRENGTH.index(step["evidence"]) < STRENGTH.index(KINDS[data["kind"]][0]):
            raise RejectedError(f"{where}: {step['evidence']} is more than a step of its kind can be")
        try:
            try:
                status = check_data(data)
            except UndecidedError:
                status = "not checkable here"
            check_label(step["checked"], data, status)
            lines.append(CheckedLine(name, step["statement"], status))
        except RejectedError as refused:
            raise RejectedError(f"{where}: {refused}") from refused
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise RejectedError(f"{where}: {type(error).__name__}") from error
    rests = [step for step in steps if step["decides"]] or [*steps, *lemmas]
    weakest = max((part["evidence"] for part in rests), key=STRENGTH.index)
    if certificate["evidence"] != weakest:
        raise RejectedError(
            f"{name}: {certificate['evidence']} is not that of the weakest step it rests on, {weakest}"
        )
    checked_names.add(name)
    return lines


def read(path: Path) -> Any:
    """JSON of at most 16 MB, no key twice, no NaN; RejectedError otherwise."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in items}) < len(items):
            raise RejectedError("a key stands twice")
        return dict(items)

    def constant(name: str) -> Any:
        raise RejectedError(f"{name} is no number")

    try:
        if path.stat().st_size > 16_000_000:
            raise RejectedError("larger than 16 MB")
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=pairs, parse_constant=constant)
    except (OSError, ValueError, RecursionError) as error:
        raise RejectedError(f"{type(error).__name__}: it cannot be read") from error


def counted(lines: list[CheckedLine]) -> str:
    found = [line.status for line in lines]
    each = ", ".join(f"{found.count(s)} {s}" for s in (*VERIFIED, *UNCHECKED) if s in found)
    return f"{len(lines)} steps, {sum(s in VERIFIED for s in found)} of them decided here: {each}"


def main(paths: list[str]) -> int:
    if not paths:
        sys.stdout.write("usage: python recheck.py CERTIFICATE.json ...\n")
        return 2
    worst, lines_by_step = 0, dict[tuple[str, str], CheckedLine]()
    for path in paths:
        try:
            table = read(Path(__file__).with_name("recheck_table.json"))
            certificate = read(Path(path))
            lines = recheck(certificate, table)
        except (RejectedError, RecursionError) as refused:
            sys.stdout.write(f"{path}: REFUSED: {str(refused) or type(refused).__name__}\n")
            worst = 1
            continue
        open_steps = [line for line in lines if line.status not in VERIFIED]
        for line in open_steps:
            sys.stdout.write(f"  {line.status}: {line.theorem}: {line.step}\n")
        name = certificate["theorem"]
        state = "NOT ALL CHECKED" if open_steps else "VERIFIED"
        sys.stdout.write(f"{state} {name} ({table['theorems'][name][:16]}): {counted(lines)}\n")
        worst = worst or (3 if open_steps else 0)
        lines_by_step |= {(line.theorem, line.step): line for line in lines}
    if len(paths) > 1:
        sys.stdout.write(f"in all, each step once: {counted(list(lines_by_step.values()))}\n")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
