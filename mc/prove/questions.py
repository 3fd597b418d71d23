"""Questions to z3 about linear inequalities, each with a limit in steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from filterproof.filters.contract.work import count_work

#: Steps of z3 for one question; more are not tried, on every machine alike.
MAX_STEPS = 20_000_000
#: Steps of z3 that take as long as a unit of work.
_STEPS_OF_UNIT = 100


class Questions:
    """Questions to the solver z3, in a context of their own and with a limit in steps."""

    def __init__(self) -> None:
        try:
            import z3
        except ImportError:
            raise ImportError("proofs need z3: pip install 'filterproof[prove]'") from None
        self.z3: Any = z3
        self.context: Any = z3.Context()
        self._variables: dict[str, Any] = {}

    def new_solver(self) -> Any:
        """Return a new z3 solver for linear real arithmetic."""
        solver = self.z3.SolverFor("QF_LRA", ctx=self.context)
        solver.set("rlimit", MAX_STEPS)
        return solver

    def number(self, value: Fraction) -> Any:
        """A rational as z3 has it."""
        return self.z3.Q(value.numerator, value.denominator, ctx=self.context)

    def real(self, name: str) -> Any:
        """A real variable."""
        if name not in self._variables:
            self._variables[name] = self.z3.Real(name, self.context)
        return self._variables[name]

    def switch(self, name: str) -> Any:
        """Return a z3 Boolean variable that switches an assumption on."""
        return self.z3.Bool(name, self.context)

    def sum(self, parts: Sequence[Any]) -> Any:
        """A sum, which may be empty."""
        return self.z3.Sum([self.number(Fraction(0)), *parts])

    def check(self, solver: Any, *assumed: Any) -> bool | None:
        """Whether all of a solver's assertions can hold together; None where z3 gave up."""
        answer = solver.check(*assumed)
        before, self._steps = self._steps, int(solver.statistics().get_key_value("rlimit count"))
        count_work(max(self._steps - before, 0) // _STEPS_OF_UNIT + 1)
        return None if answer == self.z3.unknown else bool(answer == self.z3.sat)

    _steps = 0
