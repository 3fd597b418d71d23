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
    done = {} if done is None else done
    if name not in done:
        for used in needed([name]):
            if used not in done:
                _add(done, used, own_steps(used, on_step))
    return done[name]


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
    """These theorems and all that they use, in the order of `THEOREMS`, in which what is used comes first."""
    waiting, found = list(names), set[str]()
    while waiting:
        found.add(name := waiting.pop())
        waiting += {*THEOREMS[name].uses} - found
    return tuple(name for name in THEOREMS if name in found)


def joined(steps: Mapping[str, tuple[CheckedStep, ...]]) -> dict[str, Proof]:
    """The proofs by name, from the `own_steps` of theorems and of all that they use, wherever these were run."""
    done: dict[str, Proof] = {}
    for name in needed(steps):
        _add(done, name, steps[name])
    return done


def _add(done: dict[str, Proof], name: str, steps: tuple[CheckedStep, ...]) -> None:
    from theory.proofs.proof import Proof

    done[name] = Proof(THEOREMS[name], steps, tuple(done[used] for used in THEOREMS[name].uses))
