"""The theorems of the papers as lists of steps: engines check the steps when they run, and prose joins them.

>>> import filterproof as fp
>>> list(fp.THEOREMS)[2:5]
['RR zCDP', 'RDP filter', 'B*']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from theory.claims.theorem import THEOREMS, unknown

if TYPE_CHECKING:
    from theory.proofs.proof import CheckedStep, Proof

__all__ = ["THEOREMS", "joined", "needed", "own_steps", "prove", "prove_all"]


def prove(
    name: str,
    *,
    on_step: Callable[[CheckedStep], object] | None = None,
    done: dict[str, Proof] | None = None,
) -> Proof:
    """Run every step of a theorem, after those of the theorems it uses; `on_step` is called after each step.

    `done` maps names to proofs already made: these are not run again, and new ones are added to it.
    Raises ValueError on an unknown name. A refused step does not raise: `Proof.holds` is then False.
    """
    if not isinstance(name, str) or name not in THEOREMS:
        raise ValueError(unknown(name))
    return _prove(name, on_step, {} if done is None else done)


def prove_all(*, on_step: Callable[[CheckedStep], object] | None = None) -> tuple[Proof, ...]:
    """The proofs of all theorems, in the order of `THEOREMS`; a theorem that others use is run once."""
    done: dict[str, Proof] = {}
    return tuple(prove(name, on_step=on_step, done=done) for name in THEOREMS)


def own_steps(name: str, on_step: Callable[[CheckedStep], object] | None = None) -> tuple[CheckedStep, ...]:
    """Run the steps of a theorem, without those of the theorems it uses."""
    from theory.proofs.proof import CheckedStep

    steps = []
    for step in THEOREMS[name].steps:
        steps.append(CheckedStep.run(step))
        if on_step is not None:
            on_step(steps[-1])
    return tuple(steps)


def needed(names: Iterable[str]) -> tuple[str, ...]:
    """These theorems and all that they use, in the order of `THEOREMS`."""
    names_needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in names_needed:
            names_needed.add(name)
            waiting += THEOREMS[name].uses
    return tuple(name for name in THEOREMS if name in names_needed)


def joined(steps: Mapping[str, tuple[CheckedStep, ...]]) -> dict[str, Proof]:
    """The proofs by name, from the `own_steps` of theorems and of all that they use, wherever these were run."""
    done: dict[str, Proof] = {}
    for name in steps:
        _prove(name, None, done, steps)
    return done


def _prove(
    name: str,
    on_step: Callable[[CheckedStep], object] | None,
    done: dict[str, Proof],
    run: Mapping[str, tuple[CheckedStep, ...]] | None = None,
) -> Proof:
    from theory.proofs.proof import Proof

    if name not in done:
        theorem = THEOREMS[name]
        lemmas = tuple(_prove(used, on_step, done, run) for used in theorem.uses)
        steps = own_steps(name, on_step) if run is None else run[name]
        done[name] = Proof(theorem, steps, lemmas)
    return done[name]
