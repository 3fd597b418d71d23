"""The theorems of the papers as lists of steps: engines check the steps when they run, and prose joins them.

>>> import filterproof as fp
>>> list(fp.THEOREMS)[2:5]
['RR zCDP', 'RDP filter', 'B*']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theory.proofs.theorem import CheckedStep, Proof, Theorem

__all__ = ["THEOREMS", "joined", "needed", "own_steps", "prove", "prove_all"]

_MODULES = {
    "Gaussian hockey-stick": "gaussian_hockey_stick",
    "Rényi divergences": "renyi_divergences",
    "RR zCDP": "pure_to_zcdp",
    "RDP filter": "rdp_filter",
    "B*": "b_star",
    "approximate-DP filter": "approximate_dp_filter",
    "CKS": "cks",
    "conversions": "conversions",
    "basic composition": "basic_composition",
    "good part": "good_part",
    "approximate zCDP filter": "approximate_zcdp_filter",
    "all orders": "all_orders",
    "GDP filter": "gdp_filter",
    "Blackwell filter": "blackwell_filter",
    "Gaussian slack": "gaussian_slack",
    "kappa": "kappa",
    "realisation filter": "realisation_filter",
    "loss supermartingale": "loss_supermartingale",
    "Whitehouse filter": "whitehouse_filter",
    "Rogers filter": "rogers_filter",
    "odometers": "odometers",
    "trackers": "trackers",
    "individual filter": "individual_filter",
    "linear queries": "linear_queries",
    "tilted weights": "tilted_weights",
    "infinite losses": "infinite_losses",
    "natural filter": "natural_filter",
    "some order": "some_order",
    "papers' steps": "papers_steps",
    "slips": "slips",
}


class _Registry(Mapping[str, "Theorem"]):
    """Theorems by name, in the order of the proofs; a theorem's module and sympy are imported when asked for."""

    def __getitem__(self, name: str) -> Theorem:
        if name not in _MODULES:
            raise KeyError(f"name must be a known theorem, got {name!r}; known: {', '.join(_MODULES)}")
        theorem: Theorem = import_module(f"theory.proofs.{_MODULES[name]}").THEOREM
        return theorem

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


#: Every theorem, by name.
THEOREMS: Mapping[str, Theorem] = _Registry()


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
    if name not in THEOREMS:
        raise ValueError(f"name must be a known theorem, got name={name!r}; known: {', '.join(THEOREMS)}")
    return _prove(name, on_step, {} if done is None else done)


def prove_all(*, on_step: Callable[[CheckedStep], object] | None = None) -> tuple[Proof, ...]:
    """The proofs of all theorems, in the order of `THEOREMS`; a theorem that others use is run once."""
    done: dict[str, Proof] = {}
    return tuple(prove(name, on_step=on_step, done=done) for name in THEOREMS)


def own_steps(name: str, on_step: Callable[[CheckedStep], object] | None = None) -> tuple[CheckedStep, ...]:
    """Run the steps of a theorem, without those of the theorems it uses."""
    from theory.proofs.theorem import CheckedStep

    steps = []
    for step in THEOREMS[name].steps:
        steps.append(CheckedStep.run(step))
        if on_step is not None:
            on_step(steps[-1])
    return tuple(steps)


def needed(names: Iterable[str]) -> tuple[str, ...]:
    """These theorems and all that they use, in the order of `THEOREMS`."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += THEOREMS[name].uses
    return tuple(name for name in THEOREMS if name in found)


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
    from theory.proofs.theorem import Proof

    if name not in done:
        theorem = THEOREMS[name]
        lemmas = tuple(_prove(used, on_step, done, run) for used in theorem.uses)
        steps = own_steps(name, on_step) if run is None else run[name]
        done[name] = Proof(theorem, steps, lemmas)
    return done[name]
