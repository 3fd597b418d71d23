"""The theorems of the papers as lists of steps: engines check the steps when they run, and prose joins them.

>>> import filterproof as fp
>>> list(fp.THEOREMS)[2:5]
['RR zCDP', 'RDP filter', 'B*']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from filterproof.theory.theorems.theorem import THEOREMS, unknown

if TYPE_CHECKING:
    from filterproof.theory.proofs.proof import CheckedStep, Proof

__all__ = ["THEOREMS", "prove", "prove_all"]


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
    from filterproof.theory.proofs.proof import CheckedStep, Proof

    done = {} if done is None else done
    if name not in done:
        theorem, steps = THEOREMS[name], []
        lemmas = tuple(prove(used, on_step=on_step, done=done) for used in theorem.uses)
        for step in theorem.steps:
            steps.append(CheckedStep.run(step))
            if on_step is not None:
                on_step(steps[-1])
        done[name] = Proof(theorem, tuple(steps), lemmas)
    return done[name]


def prove_all(*, on_step: Callable[[CheckedStep], object] | None = None) -> tuple[Proof, ...]:
    """The proofs of all theorems, in the order of `THEOREMS`; a theorem that others use is run once."""
    done: dict[str, Proof] = {}
    return tuple(prove(name, on_step=on_step, done=done) for name in THEOREMS)
