"""Verify certificates with python-flint alone: python recheck.py CERTIFICATE.json ...

The theorems are those of `recheck_table.json` beside this file: claims, steps, formulas, boxes, lemmas. A
certificate must agree with the table exactly. This program then checks the steps again: formulas on their boxes
along the certificate's tree, comparisons, finite games by a new enumeration, identities as polynomials in their
parts. Exit status 0: everything was verified. 1: something is false, forged or unreadable. 2: no file was given.
3: nothing is false, but some steps could not be checked here (theorems of a proof assistant, cited, sampled at points
only, or already reduced to x = x in the certificate); each is named. That the steps suffice for the claim is prose in
every theorem but those that the proof assistant decides, which nothing checks. Nothing of the package that wrote the
certificate is imported, and nothing that is read is executed. `seconds` and `versions` are not compared with the table.
"""

import ast
import json
import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from flint import arb, ctx

if __package__:
    from .recheck_algebra import Algebra, UndecidedError, names_in
    from .recheck_balls import RejectedError, ball, check_box, parse, to_arb
    from .recheck_games import FORMULAS, GAMES, WORST
    from .recheck_rules import MORE_GAMES
    from .recheck_signs import evident
else:  # run as a script: the files beside this one, which import nothing of the package either
    from recheck_algebra import Algebra, UndecidedError, names_in  # type: ignore[import-not-found,no-redef]
    from recheck_balls import (  # type: ignore[import-not-found,no-redef]
        RejectedError,
        ball,
        check_box,
        parse,
        to_arb,
    )
    from recheck_games import FORMULAS, GAMES, WORST  # type: ignore[import-not-found,no-redef]
    from recheck_rules import MORE_GAMES  # type: ignore[import-not-found,no-redef]
    from recheck_signs import evident  # type: ignore[import-not-found,no-redef]

FORMAT = "filterproof-certificate-2"
STRENGTH = ("KERNEL", "EXACT", "CERTIFIED", "DERIVED", "STATISTICAL", "CITED")
BEST = {  # the strongest evidence that a step of each kind can have
    "comparisons": "EXACT", "positive on a box": "CERTIFIED", "all": "CERTIFIED", "zero": "DERIVED",
    "nonnegative": "DERIVED", "cited": "CITED",
    "kernel": "KERNEL",
}  # fmt: skip
VERIFIED = ("identity", "balls", "compared", "enumerated")
UNCHECKED = ("by a kernel", "cited", "sampled only", "empty when written", "not checkable here")
COVERS = {  # by the status found here, the labels that a step may carry; `check_label` adds "range" for wide boxes
    "identity": ("identity", "point"), "balls": ("point",), "compared": ("point",),
    "enumerated": ("game", "point"), "cited": ("cited",),
    "by a kernel": ("kernel",),
}  # fmt: skip


class Line(NamedTuple):
    """A step and the status that this program found for it."""

    theorem: str
    step: str
    status: str


# -- the kinds of steps ---------------------------------------------------------------------------------------

RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": lambda a, b: a == b, "<=": lambda a, b: a <= b, "<": lambda a, b: a < b, "!=": lambda a, b: a != b,
}  # fmt: skip
#: Values for spot checks; each symbol takes those within its range.
VALUES = [
    Fraction(n, d)
    for n, d in (
        (1, 3), (3, 2), (1, 5), (2, 7), (9, 4), (1, 50), (5, 3), (2, 1), (1, 11), (7, 1), (3, 1), (1, 2),
        (-3, 2), (-1, 3), (-2, 1), (-1, 7), (-5, 1), (4, 1), (12, 1),
    )
]  # fmt: skip


def check_rows(rows: list[tuple[Any, str, Any]]) -> None:
    for left, relation, right in rows:
        if not RELATIONS[relation](Fraction(left), Fraction(right)):
            raise RejectedError(f"{left} {relation} {right}")


@cache
def played(game: Callable[[], Iterator[tuple[Any, str, Any]]]) -> list[tuple[Any, str, Any]]:
    """The rows of a game, which any step of its theorem may hold."""
    return list(game())


def check_comparisons(theorem: str, data: Any) -> str:
    """All rows are true, and are either rows of the table or those of a game enumerated here."""

    def digest(rows: list[tuple[Any, str, Any]]) -> str:
        return sha256("\n".join(sorted(f"{a} {r} {b}" for a, r, b in rows)).encode()).hexdigest()

    rows: list[tuple[Any, str, Any]]
    for game in (*GAMES.get(theorem, ()), *MORE_GAMES.get(theorem, ())):
        rows = played(game)
        if len(rows) == data["count"] and digest(rows) == data["digest"]:
            check_rows(rows)
            return "enumerated"
    if "comparisons" not in data:
        return "not checkable here"  # a game that this checker does not know
    rows = data["comparisons"]
    if not rows or len(rows) != data["count"] or digest(rows) != data["digest"]:
        raise RejectedError("the rows are not those of their digest")
    check_rows(rows)
    return "compared"


def samples(domain: dict[str, str], given: list[dict[str, str]], most: int) -> Iterator[dict[str, arb]]:
    """Points of the domain as balls: the given ones, and `most` chosen here."""
    names = sorted(domain)
    fitting: dict[str, list[Fraction]] = {}
    for name, kind in domain.items():
        signs = {"positive": (1,), "nonnegative": (1,), "negative": (-1,), "nonpositive": (-1,)}
        allowed = signs.get(kind.split()[0], (1, -1))
        fitting[name] = [
            x
            for x in VALUES
            if (x > 0) - (x < 0) in allowed and ("integer" not in kind or x.denominator == 1)
        ]
    own = [
        {n: fitting[n][(i + 3 * k + i * k) % len(fitting[n])] for k, n in enumerate(names)}
        for i in range(most)
    ]
    for point in [*({n: Fraction(x) for n, x in p.items()} for p in given), *own]:
        yield {n: to_arb(x) for n, x in point.items()}


def check_symbolic(data: Any) -> str:
    """The formula is 0, or the sum of terms of evident sign. Sample points must agree with that in any case."""
    node, domain, zero = parse(data["formula"]), data["domain"], data["kind"] == "zero"
    seen = 0
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
            seen += zero is False or bool(value.rad() < 1e-30)
    if data["formula"] == "0" and not (not zero and data["strict"]):
        return "empty when written"
    if zero and isinstance(node, ast.BinOp) and ast.dump(node.left) == ast.dump(node.right):
        return "empty when written"  # x - x: the two sides were already the same text in the certificate
    if not zero and not names_in(node) - {"pi", "sqrt", "exp", "log"} and seen:
        with ctx.workprec(256):
            if ball(node, {}) > 0:
                return "balls"
    try:
        algebra = Algebra(domain)
        rest = algebra.read(node)
        terms = [] if zero else [parse(term) for term in data["terms"]]
        signs = [evident(algebra, term) for term in terms]
        for term in terms:
            rest = algebra.add(rest, algebra.read(term), -1)
        if seen and not rest[0] and all(signs) and (zero or not data["strict"] or max(signs, default=0) == 2):
            return "identity"
    except (UndecidedError, RecursionError, OverflowError):
        pass
    return "sampled only" if seen else "not checkable here"


def check_data(theorem: str, data: Any, given: Any) -> str:
    """The status of a step of the table; `given` is the certificate's data, which adds the trees of its boxes."""
    match data["kind"]:
        case "comparisons":
            return check_comparisons(theorem, data)
        case "positive on a box":
            return check_box(data, given["tree"])
        case "all":
            for part, its in zip(data["parts"], given["parts"], strict=True):
                check_box(part, its["tree"])
            if theorem in FORMULAS and {part["formula"] for part in data["parts"]} == FORMULAS[theorem]():
                return "enumerated"
            worst = [re.search(r" - (\d+(?:/\d+)?)$", part["formula"]) for part in data["parts"]]
            if theorem in WORST and all(worst):
                if [Fraction(found[1]) for found in worst if found] != WORST[theorem]():
                    raise RejectedError("the worst cases are not those of the games")
                return "enumerated"
            return "balls"
        case "zero" | "nonnegative":
            return check_symbolic(data)
        case "cited":
            return "cited"
        case "kernel":
            return "by a kernel"
    return "not checkable here"


def check_label(checked: Any, data: Any, status: str) -> None:
    """RejectedError if a step's label claims more than was checked, or, if nothing was, more than its kind allows."""
    of_kind = {"comparisons": ("game", "point"), "positive on a box": ("range", "point"), "all": ("point",)}
    covers = COVERS.get(status, of_kind.get(data["kind"], ("identity", "point")))
    if status == "balls" and any(low != high for low, high in data.get("box", {}).values()):
        covers = ("range", "point")
    if checked not in covers:
        raise RejectedError(f"{str(checked)[:20]!r} is not what was checked, {' or '.join(covers)}")


# -- certificates against the table ----------------------------------------------------------------------------


def entry_hash(entry: Any, lemmas: list[str]) -> str:
    """SHA-256 of a theorem in the table, the hashes of the theorems that it uses included."""
    body = {key: value for key, value in entry.items() if key != "hash"}
    return sha256(json.dumps([body, lemmas], sort_keys=True).encode()).hexdigest()


def same(found: Any, stated: Any, where: str) -> None:
    """RejectedError unless the two are the same data; only a box of `found` may have a `tree` in addition."""
    if isinstance(found, dict) and isinstance(stated, dict):
        tree = {"tree"} if stated.get("kind") == "positive on a box" else set()
        for key in sorted((set(found) ^ set(stated)) - tree):
            raise RejectedError(f"{where}: {key[:40]!r} is {'unknown' if key in found else 'missing'}")
        for key in stated:
            same(found[key], stated[key], f"{where}, {key}")
    elif isinstance(found, list) and isinstance(stated, list) and len(found) == len(stated):
        for number, pair in enumerate(zip(found, stated, strict=True)):
            same(*pair, f"{where} {number}")
    elif type(found) is not type(stated) or found != stated:
        raise RejectedError(f"{where}: {str(found)[:60]!r} is not what the table says")


def weakest(evidence: list[str]) -> str:
    return max(evidence, key=STRENGTH.index)


def recheck(certificate: Any, table: Any, done: dict[str, Any] | None = None) -> list[Line]:
    """The status of each step of a certificate and of its lemmas; RejectedError at the first false or forged one."""
    done = {} if done is None else done
    name = certificate.get("theorem") if isinstance(certificate, dict) else None
    if not isinstance(name, str) or name not in table["theorems"]:
        raise RejectedError(f"the table has no theorem {str(name)[:60]!r}")
    if name in done:
        same(certificate, done[name], name)
        return []
    entry = table["theorems"][name]
    lines: list[Line] = []
    stated = {key: value for key, value in entry.items() if key not in ("steps", "uses", "hash")}
    free = ("steps", "uses", "holds", "versions")
    same(
        {k: v for k, v in certificate.items() if k not in free},
        {"theorem": name, "format": FORMAT} | stated,
        name,
    )
    uses, steps, versions = (certificate.get(key) for key in ("uses", "steps", "versions"))
    if certificate.get("holds") is not True:
        raise RejectedError(f"{name}: holds is not true")
    if not isinstance(uses, list) or not isinstance(steps, list) or not isinstance(versions, dict):
        raise RejectedError(f"{name}: steps, lemmas or versions are missing")
    if not all(isinstance(text, str) and len(text) < 100 for text in versions.values()):
        raise RejectedError(f"{name}: versions are texts")
    if [lemma.get("theorem") if isinstance(lemma, dict) else None for lemma in uses] != entry["uses"]:
        raise RejectedError(f"{name}: the lemmas are not those of the table, {entry['uses']}")
    for lemma in uses:
        lines += recheck(lemma, table, done)
    if entry["hash"] != entry_hash(entry, [table["theorems"][used]["hash"] for used in entry["uses"]]):
        raise RejectedError(f"{name}: the table does not have the hash that it states")
    if len(steps) != len(entry["steps"]) or not steps:
        raise RejectedError(f"{name}: {len(steps)} steps, the table has {len(entry['steps'])}")
    for number, (found, step) in enumerate(zip(steps, entry["steps"], strict=True)):
        where = f"{name}, step {number}"
        if not isinstance(found, dict) or found.get("holds") is not True:
            raise RejectedError(f"{where}: holds is not true")
        if type(found.get("seconds")) not in (int, float) or not 0 <= found["seconds"] < 1e9:
            raise RejectedError(f"{where}: seconds is no time")
        same({k: v for k, v in found.items() if k not in ("holds", "seconds")}, step, where)
        if STRENGTH.index(step["evidence"]) < STRENGTH.index(BEST[step["certificate"]["kind"]]):
            raise RejectedError(f"{where}: {step['evidence']} is more than a step of its kind can be")
        try:
            try:
                status = check_data(name, step["certificate"], found["certificate"])
            except UndecidedError:
                status = "not checkable here"
            check_label(step["checked"], step["certificate"], status)
            lines.append(Line(name, step["statement"], status))
        except RejectedError as refused:
            raise RejectedError(f"{where}: {refused}") from refused
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise RejectedError(f"{where}: {type(error).__name__}") from error
    used = [table["theorems"][lemma] for lemma in entry["uses"]]
    deciding = [step for step in entry["steps"] if step["decides"]]
    rests = [of["evidence"] for of in deciding or (*entry["steps"], *used)]
    if entry["evidence"] != weakest(rests):
        raise RejectedError(
            f"{name}: {entry['evidence']} is not that of the weakest step it rests on, {weakest(rests)}"
        )
    sources = [] if deciding else [source for lemma in used for source in lemma["citations"]]
    steps_of = deciding or entry["steps"]
    sources += [s["certificate"]["source"] for s in steps_of if s["certificate"]["kind"] == "cited"]
    if entry["citations"] != list(dict.fromkeys(sources)):
        raise RejectedError(f"{name}: the citations are not those of its steps and lemmas")
    done[name] = certificate
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


def counted(lines: list[Line]) -> str:
    found = [line.status for line in lines]
    each = ", ".join(f"{found.count(s)} {s}" for s in (*VERIFIED, *UNCHECKED) if s in found)
    return f"{len(lines)} steps, {sum(s in VERIFIED for s in found)} of them decided here: {each}"


def main(paths: list[str]) -> int:
    if not paths:
        sys.stdout.write("usage: python recheck.py CERTIFICATE.json ...\n")
        return 2
    worst, seen = 0, dict[tuple[str, str], Line]()
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
        name, entry = certificate["theorem"], table["theorems"][certificate["theorem"]]
        state = "NOT ALL CHECKED" if open_steps else "VERIFIED"
        sys.stdout.write(f"{state} {name} ({entry['hash'][:16]}): {counted(lines)}\n")
        worst = worst or (3 if open_steps else 0)
        seen |= {(line.theorem, line.step): line for line in lines}
    if len(paths) > 1:
        sys.stdout.write(f"in all, each step once: {counted(list(seen.values()))}\n")
    return 1 if worst == 1 else worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
