"""The theorems of the papers as lists of steps: engines check the steps when they run, and prose joins them.

>>> import filterproof as fp
>>> list(fp.THEOREMS)[2:5]
['RR zCDP', 'RDP filter', 'B*']
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from theory.arguments import did_you_mean

if TYPE_CHECKING:
    from theory.proofs.theorem import CheckedStep, Proof, Theorem

__all__ = ["THEOREMS", "joined", "needed", "own_steps", "prove", "prove_all"]

#: The module of each theorem: one of its own where steps prove it, a row of `theory.claims` where the kernel does.
_MODULES = {
    "Gaussian hockey-stick": "proofs.gaussian_hockey_stick",
    "Rényi divergences": "proofs.renyi_divergences",
    "RR zCDP": "proofs.pure_to_zcdp",
    "RDP filter": "claims.divergences",
    "B*": "proofs.b_star",
    "approximate-DP filter": "claims.conversions",
    "CKS": "proofs.cks",
    "defined B*": "claims.conversions",
    "conversions": "proofs.conversions",
    "basic composition": "claims.approximate",
    "good part": "proofs.good_part",
    "approximate zCDP filter": "claims.approximate",
    "all orders": "claims.conversions",
    "GDP filter": "claims.gaussian",
    "Blackwell filter": "claims.gaussian",
    "Gaussian slack": "proofs.gaussian_slack",
    "kappa": "proofs.kappa",
    "realisation filter": "claims.approximate",
    "loss supermartingale": "proofs.loss_supermartingale",
    "potential filter": "claims.approximate",
    "Whitehouse filter": "claims.approximate",
    "Rogers filter": "claims.approximate",
    "odometers": "proofs.odometers",
    "trackers": "claims.divergences",
    "individual filter": "proofs.individual_filter",
    "linear queries": "proofs.linear_queries",
    "tilted weights": "claims.divergences",
    "infinite losses": "proofs.infinite_losses",
    "natural filter": "proofs.natural_filter",
    "some order": "proofs.some_order",
    "papers' steps": "proofs.papers_steps",
    "slips": "proofs.slips",
}


def _unknown(name: object) -> str:
    near = did_you_mean(name, _MODULES) or f"; known: {', '.join(_MODULES)}"
    return f"name must be a known theorem, got name={name!r}{near}"


class _Registry(Mapping[str, "Theorem"]):
    """Theorems by name, in the order of the proofs; a theorem's module and sympy are imported when asked for."""

    def __getitem__(self, name: str) -> Theorem:
        if name not in _MODULES:
            raise KeyError(_unknown(name))
        module = import_module(f"theory.{_MODULES[name]}")
        rows: tuple[Theorem, ...] = getattr(module, "ROWS", None) or (module.THEOREM,)
        return next(row for row in rows if row.name == name)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)

    def __repr__(self) -> str:
        return f"<{len(self)} theorems by name, such as {next(iter(self))!r}>"


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
    if not isinstance(name, str) or name not in THEOREMS:
        raise ValueError(_unknown(name))
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
