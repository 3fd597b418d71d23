"""Proofs: engines check the steps of each theorem when the proof runs, and prose connects the steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from filterproof.theory.theorems.theorem import THEOREMS, unknown_theorem_message

if TYPE_CHECKING:
    from filterproof.theory.proofs.proof import CheckedStep, Proof

__all__ = ["THEOREMS", "prove"]


def prove(
    name: str,
    *,
    on_step: Callable[[CheckedStep], object] | None = None,
    done: dict[str, Proof] | None = None,
) -> Proof:
    """Run the checks of all steps of a theorem, after those of the theorems that it uses.

    Parameters
    ----------
    name : str
        A key of `THEOREMS`.
    on_step : callable, optional
        It receives each `CheckedStep` after its check.
    done : dict of str to Proof, optional
        Proofs by name. The function does not run these again, and adds new proofs to the dict.

    Returns
    -------
    Proof
        The proof. Its `holds` is False if a check refused a step; this raises no error.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.prove("RDP filter").holds
    True
    """
    if not isinstance(name, str) or name not in THEOREMS:
        raise ValueError(unknown_theorem_message(name))
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
