"""A filter's code as a transition system: the steps that its paths make between states of one shape."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.interpreter import Interpreter
from filterproof.mc.prove.paths import Atom, NotTraced, Path, Raised, Visit, explore
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.questions import Questions
from filterproof.mc.prove.requests import HUGE, Request, charge_upper_bound_cases
from filterproof.mc.prove.solver import PathFeasibility
from filterproof.mc.prove.source import definition, file_of, is_traced
from filterproof.mc.prove.states import (
    check_double_double_parts,
    iter_names_kinds_entries,
    rebuild_with_entries,
    structure,
)
from filterproof.mc.prove.values import INTEGERS, Array, Number, is_float_kind, lift

#: Sizes that a float of the state is taken to keep within; that it does is proved at every step.
LARGEST = Fraction(2) ** 130
#: Grants that a proof speaks of.
GRANTS = Fraction(10) ** 12
MAX_SHAPES = 24


@dataclass(frozen=True)
class Leaf:
    """One number of a state: its name, its kind, and its value where that is part of the shape."""

    name: str
    kind: str
    value: Any = None

    @property
    def is_symbolic(self) -> bool:
        """Whether the leaf is a variable; otherwise its value is part of the shape."""
        return self.value is None


@dataclass(frozen=True)
class Shape:
    """States of one structure, whose booleans and modes have known values: a node of the system."""

    structure: str
    leaves: tuple[Leaf, ...]
    tree: Any = field(compare=False, hash=False)

    def places(self) -> list[int]:
        return [i for i, leaf in enumerate(self.leaves) if leaf.is_symbolic]


@dataclass(eq=False)
class Transition:
    """What the code does on one path from a state of one shape; `after` is None where the request is denied."""

    path: Path
    request: Request
    before: Shape
    after: Shape | None
    #: The values of the leaves afterwards.
    values: tuple[Any, ...] = ()
    lines: tuple[int, ...] = ()
    #: What of the code runs, as in `Path.visited`, by the type of parameters; some code asks for the type.
    visited: dict[str, set[Visit]] = field(default_factory=dict)
    _bounds: dict[Any, Any] = field(default_factory=dict)

    def charge(self, measure: str, alpha: Fraction | None, values: Mapping[int, Fraction]) -> float:
        """The largest charge that these numbers of the path allow; infinite where nothing bounds it."""
        if (measure, alpha) not in self._bounds:
            path = self.path.copied()
            truth, cases = len(path.atoms), charge_upper_bound_cases(path, measure, alpha)
            self._bounds[measure, alpha] = truth, cases, path.atoms[truth + 1 :]
        truth, cases, more = self._bounds[measure, alpha]
        values = dict(values)
        for number, atom in enumerate(more, truth + 1):
            if atom.compute is not None:
                values[number] = atom.compute(*(part.at(values) for part in atom.of)) or Fraction(0)
        free, paid = ({**values, truth: Fraction(number)} for number in (0, 1))
        most = []
        for case in cases:  # each bound is linear in the charge
            ends = [(bound.at(free), bound.at(paid)) for bound, _ in case]
            sizes = (float(at_0 / (at_0 - at_1)) for at_0, at_1 in ends if at_1 < at_0)
            most.append(min(sizes, default=math.inf))
        return max(most, default=math.inf)

    @property
    def request_declares_nan(self) -> bool:
        """Whether the request declares NaN for a number that the code reads."""
        return "undefined" in self.path.choices.values()

    def key(self) -> Any:
        """Equal for steps that are the same but for the shape of the request's parameters."""
        p = self.path
        choices = tuple(sorted((k, str(v)) for k, v in p.choices.items()))
        return (
            self.before,
            self.after,
            self.values,
            tuple(p.atoms),
            tuple(p.assumed),
            choices,
            frozenset(self.request.possible),
        )


@dataclass(eq=False)
class System:
    """All steps, from the shape and values at the start."""

    start: Shape
    first: tuple[Any, ...]
    shapes: list[Shape]
    steps: list[Transition]
    denied: list[Transition]
    paths: int
    #: For each place, a number below which plays of the real filter never took it; that it stays so is proved.
    floors: Sequence[Fraction | None] = ()
    #: What the floats of a state keep within; that they do is proved.
    largest: Fraction = LARGEST
    #: The places whose logarithms the invariants may speak of.
    logs: Sequence[int] = ()

    def split_by_first_grant(self) -> Iterator[System]:
        """Yield a system for each part that the first grant chooses among, or all of it."""
        looks = any("loss" in step.path.choices for step in self.steps)
        if looks or any(step.after == self.start for step in self.steps):
            yield self
            return
        rest = [shape for shape in self.shapes if shape != self.start]
        while rest:
            part = [rest.pop(0)]
            for shape in part:  # grows while it is walked through
                joined = {s.before for s in self.steps if s.after == shape} | {
                    s.after for s in self.steps if s.before == shape
                }
                part += [other for other in rest if other in joined]
                rest = [other for other in rest if other not in part]
            steps = [step for step in self.steps if step.after in part]
            yield replace(self, shapes=[self.start, *part], steps=steps)


def initial_atoms_of_shape(
    shape: Shape, floors: Sequence[Fraction | None], largest: Fraction = LARGEST
) -> list[Atom]:
    """Return the atoms that each path from a shape starts with: runs, grants, and symbolic leaves."""
    atoms = [
        Atom("runs", "n", (), True, Fraction(1), Fraction(10) ** 9),
        Atom("grants", "grants so far", (), True, Fraction(0), GRANTS),
    ]
    for i in shape.places():
        leaf = shape.leaves[i]
        if leaf.kind.startswith("sum"):  # of a budget, which is never below 0 and no double
            atoms.append(Atom("place", str(i), (), False, Fraction(0), None, units=0))
            continue
        low, high = -largest, largest
        if not is_float_kind(leaf.kind):
            low, high = map(Fraction, INTEGERS.get(leaf.kind, (-(2**63), 2**63)))
        may_wrap = leaf.kind in ("i1", "i2", "i4")  # within the grants that a proof speaks of
        if i < len(floors) and (floor := floors[i]) is not None and not may_wrap:
            low = max(low, floor)
        atoms.append(Atom("place", str(i), (), not is_float_kind(leaf.kind), low, high))
    return atoms


@dataclass(eq=False)
class Tracer:
    """Traces the methods of one filter into a transition system."""

    filt: PrivacyFilter
    #: For each leaf by its place: what plays of the real filter showed.
    floors: Sequence[Fraction | None]
    modes: Sequence[bool]
    questions: Questions
    largest: Fraction = LARGEST
    _named: dict[str, dict[int, str]] = field(default_factory=dict)

    def shape_and_entries(self, value: Any) -> tuple[Shape, tuple[Any, ...]]:
        """Return the shape of a traced state, and the entries of its leaves."""
        check_double_double_parts(value)
        leaves, entries = [], []
        names = self._leaf_names(value)
        for i, (name, kind, entry) in enumerate(iter_names_kinds_entries(value)):
            constant = entry.value if isinstance(entry, Polynomial) else None
            is_mode = i < len(self.modes) and self.modes[i] and constant is not None
            mark: Any = None
            if not isinstance(entry, Polynomial):
                mark = repr(entry)
            elif is_mode:
                mark = constant
            leaves.append(Leaf(names.get(i, name) or f"state[{i}]", kind, mark))
            entries.append(entry)
        return Shape(structure(value), tuple(leaves), value), tuple(entries)

    def _leaf_names(self, value: Any) -> dict[int, str]:
        """Return the names that the code gives to the leaves of a state, by place."""
        key = structure(value)
        if key not in self._named:
            self._named[key] = self._leaf_names_from_source(value)
        return self._named[key]

    def _leaf_names_from_source(self, value: Any) -> dict[int, str]:
        """Read the names of leaves from an assignment that unpacks the state in the source."""
        kind = type(self.filt)
        deciding = [getattr(kind, name) for name in ("spend", "admits")]
        others = [function for owner in kind.__mro__ for function in vars(owner).values()]
        for function in filter(is_traced, deciding):
            state_name = (function.__code__.co_varnames[1:2] or ("state",))[0]
            if not isinstance(value, tuple):
                if not isinstance(value, Array):
                    return {}
                count = len(value.items)
                return {0: state_name} if count == 1 else {i: f"{state_name}[{i}]" for i in range(count)}
            count = len(list(iter_names_kinds_entries(value)))
            for owner in (function, *filter(is_traced, others)):
                for node in ast.walk(definition(owner)):
                    match node:
                        case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=name)) if (
                            name == state_name
                        ):
                            names = [e.id for e in elts if isinstance(e, ast.Name)]
                            if len(names) == count and not all(n.startswith("_") for n in names):
                                return dict(enumerate(names))
        return {}

    @property
    def observes(self) -> bool:
        """Whether the filter looks at losses."""
        return self.filt.looks_at_losses

    def start_state(self) -> Any:
        """Return the state that the traced `start` returns."""

        def call_start(path: Path) -> Any:
            return Interpreter(path).call(self.filt.start, [Number("int", Polynomial.atom(0))], {})

        runs = Atom("runs", "n", (), True, Fraction(1), Fraction(10) ** 9)
        states = [value for _, value in explore([runs], call_start, PathFeasibility(self.questions))]
        if len(states) != 1 or states[0] is Raised:
            raise NotTraced("start(n) depends on n, or fails")
        return states[0]

    def system(self) -> System:
        """The transition system from `start`.

        Raises NotTraced with the line where code has no rule.
        """
        shape, first = self.shape_and_entries(self.start_state())
        if any(isinstance(e, Polynomial) and e.value is None for e in first):
            raise NotTraced("the state at the start is not known")
        shapes, steps, denied, seen = [shape], [], [], dict[Any, Transition]()
        paths = 0
        for current in shapes:
            differs = False
            for style in ("array", "float", "f8"):
                if style == "f8" and not differs:
                    continue  # numbers of NumPy take the paths of Python's
                for step in self.iter_transitions(current, style):
                    differs = differs or step.path.differs
                    paths += 1
                    first_of_key = seen.setdefault(step.key(), step)
                    first_of_key.visited.setdefault(style, set()).update(step.path.visited)
                    if first_of_key is not step:
                        continue
                    if step.after is None:
                        denied.append(step)
                        continue
                    steps.append(step)
                    if step.after.structure != current.structure:
                        raise NotTraced("a grant changes the type of the state, also of runs that are denied")
                    if step.after not in shapes:
                        shapes.append(step.after)
                        if len(shapes) > MAX_SHAPES:
                            raise NotTraced(f"the state has more than {MAX_SHAPES} shapes")
        return System(shape, first, shapes, steps, denied, paths, self.floors, self.largest)

    def state_of_atoms(self, shape: Shape, atoms: list[Atom]) -> Any:
        """Return a state of a shape whose symbolic leaves are atoms."""
        number = {atom.name: Polynomial.atom(i) for i, atom in enumerate(atoms) if atom.kind == "place"}
        entries = []
        for i, (_, _, entry) in enumerate(iter_names_kinds_entries(shape.tree)):
            entries.append(number[str(i)] if shape.leaves[i].is_symbolic else entry)
        return rebuild_with_entries(shape.tree, iter(entries))

    def iter_transitions(self, shape: Shape, style: str) -> Iterator[Transition]:
        """Yield a transition for each path of the code from a shape; `style` is the type of parameters."""
        atoms = initial_atoms_of_shape(shape, self.floors, self.largest)
        requests: dict[int, Request] = {}

        def shape_after_request(path: Path) -> Any:
            """Trace one request; return the shape and entries afterwards, or None after a denial."""
            path.home = file_of(type(self.filt)) or ""
            state = self.state_of_atoms(shape, atoms)
            request = requests[id(path)] = Request(path, style)
            interpreter = Interpreter(path)
            answer = interpreter.call(self.filt.admits, [state, request], {})
            if not self._is_granted(interpreter, answer):
                return None
            after = interpreter.call(self.filt.spend, [state, request], {})
            if self.observes:
                try:
                    after = interpreter.call(self.filt.observe, [after, self._realised_loss(path)], {})
                except Raised:
                    raise NotTraced(
                        "observe may raise an error when the output is out already", path.line
                    ) from None
            return self.shape_and_entries(after)

        for path, result in explore(atoms, shape_after_request, PathFeasibility(self.questions)):
            outcome = result if isinstance(result, tuple) else (None, ())
            decided = tuple(dict.fromkeys(line for line in path.decided_at if line))
            yield Transition(path, requests[id(path)], shape, outcome[0], outcome[1], decided)

    def _is_granted(self, interpreter: Interpreter, answer: Any) -> bool:
        """Whether the answer of the traced `admits` grants the request on this path."""
        number = lift(answer)
        if number is None or (number.runs and len(number.items) != 1):
            raise Raised
        if len(number.items) != 1:
            raise NotTraced(
                "admits returns an array of a fixed length, of which entries may be taken for runs"
            )
        return interpreter.truth(number)

    def _realised_loss(self, path: Path) -> Array:
        """Return the realised loss of a release: a bounded symbolic number, or an infinity."""
        size = path.choose("loss", ["finite", "infinite", "minus infinite"])
        if size == "finite":
            entry: Any = path.intern_atom(Atom("loss", "loss", (), False, -HUGE, HUGE))
        else:
            entry = math.inf if size == "infinite" else -math.inf
        return Array("f8", True, (), [entry], writable=False)
