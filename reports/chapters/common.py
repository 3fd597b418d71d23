"""The tables, findings and labels that several chapters share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields

from filterproof import mc
from filterproof.mc import Estimate
from filterproof.reports.drawing import promise_figure
from filterproof.reports.finding import Claim, Finding, Picture, Table
from filterproof.reports.html_repr.numbers import percent, within
from filterproof.reports.study import Simulated, Study
from filterproof.theory.agreement import Agreement, TwoRoutes
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.proofs.proof import Proof


def name(adversary: mc.Adversary) -> str:
    """The adversary and the parameters it was given, defaults left out."""
    given = [
        f"{f.name}={value.__name__ if isinstance(value, type) else repr(value)}"
        for f in fields(adversary)  # type: ignore[arg-type]
        if (value := getattr(adversary, f.name)) != f.default
    ]
    return f"{type(adversary).__name__}({', '.join(given)})"


def with_family(adversary: mc.Adversary) -> str:
    """The adversary's class, and the family of mechanisms that it asks for."""
    return f"{type(adversary).__name__}, {getattr(getattr(adversary, 'family', None), '__name__', '')}"


def simulations(
    caption: str, rows: Sequence[Simulated], *, lead: tuple[str, Sequence[str]] | None = None
) -> Table:
    """A table of simulations: adversary, epsilon, estimate, interval, promise; `lead` is a column to put first.

    If the rows have both directions, a column says whether outputs were drawn from P or from Q.
    """
    first = [{lead[0]: cell} for cell in lead[1]] if lead else [{} for _ in rows]
    both = len({row.direction for row in rows}) > 1
    return Table.of(
        caption,
        (
            {
                **cell,
                "Adversary": name(row.adversary),
                **({"drawn from": row.direction[0]} if both else {}),
                "epsilon": f"{row.epsilon:g}",
                "delta": f"{row.estimate.value:.4g}",
                "interval": within(row.estimate),
                "promise": f"{row.promised:.4g}",
                "runs": f"{row.estimate.n:,}",
                "method": row.estimate.method,
                "rests on": row.estimate.rests_on,
            }
            for cell, row in zip(first, rows, strict=True)
        ),
        align="l" * (1 + bool(lead) + both) + "rrlrrll",
    )


def judge_promise(
    study: Study,
    claim: Claim,
    rows: Sequence[Simulated],
    *,
    closed_form: Callable[[Simulated], float] | None = None,
) -> Finding:
    """REFUTED if the lower end of some interval exceeds the promise, else UNDECIDED.

    The finding tells of the simulation whose lower end is the largest multiple of its promise. The lower end is what
    the game is known to reach; a high upper end may only mean that few paths were played.
    """
    if not rows:
        scope = "no game: the filter denies every request that was tried"
        detail = "The filter denies every request that was tried, so its guarantee was not examined."
        return Finding(claim, study.undecided(scope, detail))
    games = f"{len(rows)} simulated games" if len(rows) > 1 else "one simulated game"
    scope = f"{games}, failure probability {study.failure:.0e} for the whole report"
    most = max(rows, key=shares_of)
    game = f"{_game(most, rows)} reaches"
    if most.refutes:
        detail = f"{game} {most.estimate}, above the promised {most.promised:.6g}."
        counterexample = most.counterexample(closed_form(most) if closed_form else None)
        return Finding(claim, Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, counterexample))
    value, promised = most.estimate.value, most.promised
    share = f"{value / promised:.3g} of the promised {promised:.4g}" if promised > 0 else "with none promised"
    above = sum(row.estimate.high > row.promised for row in rows)
    where = "everywhere" if above == len(rows) > 1 else f"in {above} of them" if len(rows) > 1 else "here"
    said = f"nothing found above the promise; closest {percent(value / promised)}" if promised > 0 else ""
    detail = (
        f"Closest, by what is known to be reached: {game} {value:.4g} in {within(most.estimate)}, {share}. "
        + (f"The upper end lies above the promise {where}, and nothing is decided there. " if above else "")
        + "No violation found. This is not a proof. Not tried: other games."
    )
    return Finding(claim, study.undecided(scope, detail), said=said)


def beside_promise(rows: Sequence[Simulated]) -> str:
    """Simulations beside what is promised, in words, for those who cannot see their picture."""
    most, above = max(rows, key=shares_of), sum(row.refutes for row in rows)
    return (
        f"{len(rows)} simulations beside what is promised; the whole interval of {above or 'none'} lies above it. "
        f"Closest, {_game(most, rows)}: {most.estimate.value:.4g} in {within(most.estimate)}, promised "
        f"{most.promised:.4g}."
    )


def promise_picture(name: str, caption: str, rows: Sequence[Simulated], labels: Sequence[str]) -> Picture:
    """Each simulated interval over the promise, under a label of its own."""
    ends = [(one.low, one.value, one.high) for one in (row.estimate for row in rows)]
    lines = [(label, *end, row.promised) for label, end, row in zip(labels, ends, rows, strict=True)]
    figure = promise_figure(lines, "delta reached, over the promise")
    words = f"{caption} Intervals of simulations over the promise (dashed)."
    return Picture(name, words, beside_promise(rows), figure)


def agreed(
    claim: Claim,
    routes: Iterable[tuple[str, Estimate, float, float]],
    *,
    scope: str,
    note: str = "",
    counterexample: Callable[[int], Mapping[str, object]] | None = None,
) -> Finding:
    """Whether each estimate, of what is named, agrees with the enclosure [least, most] beside it.

    Where one does not, the counterexample is what `counterexample` makes of its place, by default the two routes' ends.
    """
    given = list(routes)
    compared = tuple(TwoRoutes(what, one.low, one.high, least, most) for what, one, least, most in given)
    missed = next((k for k, one in enumerate(compared) if not one.meets), None)
    shown = (
        None
        if missed is None
        else asdict(compared[missed])
        if counterexample is None
        else counterexample(missed)
    )
    return Finding(claim, Agreement(compared, scope, sum(one.failure for _, one, _, _ in given), note, shown))


def compared(
    claim: Claim,
    rows: Sequence[tuple[Simulated, float, float]],
    *,
    scope: str,
    names: Sequence[str] | None = None,
    note: str = "",
) -> Finding:
    """Whether simulations agree with enclosures [least, most] of the same deltas, found without sampling.

    `names` says which number is which, for games that no counterexample can name.
    """
    whats = [_game(row, [one for one, _, _ in rows]) for row, _, _ in rows] if names is None else names
    return agreed(
        claim,
        ((what, row.estimate, least, most) for what, (row, least, most) in zip(whats, rows, strict=True)),
        scope=scope,
        note=note,
        counterexample=(lambda k: rows[k][0].counterexample(rows[k][2])) if names is None else None,
    )


def shares_of(row: Simulated) -> tuple[float, float, float]:
    """The sort key of simulations: lower end over promise; ties by value over promise, then by lower end."""
    low, value = row.estimate.low, row.estimate.value
    if row.promised > 0:
        return low / row.promised, value / row.promised, low
    return math.inf if low > 0 else 0.0, math.inf if value > 0 else 0.0, low


def _game(row: Simulated, rows: Sequence[Simulated]) -> str:
    way = f", drawn from {row.direction[0]}," if len({one.direction for one in rows}) > 1 else ""
    return f"{name(row.adversary)} at epsilon={row.epsilon:g}{way}"


def proved(claim: Claim, proof: Proof) -> Finding:
    """The finding of a claim that a theorem decides; its steps were checked, and prose joins them."""
    return Finding(claim, proof.verdict())
