"""A filter's code as a transition system: the steps that its paths make between states of one shape."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from filterproof.mc.prove.functions import LIBRARY, ModuleFunction, Opaque
from filterproof.mc.prove.interpreter import Bound, Function, Interpreter, Record
from filterproof.mc.prove.paths import Atom, NotTraced, Path, Raised, explore
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import HUGE, Request
from filterproof.mc.prove.solver import Feasibility, Questions
from filterproof.mc.prove.values import CURRENT, INTEGERS, Array, Number, is_float, lift

#: Sizes that a float of the state is taken to keep within; that it does is proved at every step.
LARGEST = Fraction(2) ** 60
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
    def symbolic(self) -> bool:
        return self.value is None


@dataclass(frozen=True)
class Shape:
    """States of one structure, whose booleans and modes have known values: a node of the system."""

    structure: str
    leaves: tuple[Leaf, ...]
    tree: Any = field(compare=False, hash=False)

    def places(self) -> list[int]:
        return [i for i, leaf in enumerate(self.leaves) if leaf.symbolic]


@dataclass(eq=False)
class Step:
    """What the code does on one path from a state of one shape; `after` is None where the request is denied."""

    path: Path
    request: Request
    before: Shape
    after: Shape | None
    #: The values of the leaves afterwards.
    values: tuple[Any, ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def is_undefined(self) -> bool:
        """Whether the request declares NaN."""
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
    steps: list[Step]
    denied: list[Step]
    paths: int
    #: For each place, whether plays of the real filter never took it below 0; that it stays so is proved.
    nonneg: Sequence[bool] = ()


def place_atoms(shape: Shape, nonneg: Sequence[bool]) -> list[Atom]:
    """The atoms that every path from a shape begins with: the runs, the grants so far and its places."""
    found = [
        Atom("runs", "n", (), True, Fraction(1), Fraction(10) ** 9),
        Atom("grants", "grants so far", (), True, Fraction(0), GRANTS),
    ]
    for i in shape.places():
        leaf = shape.leaves[i]
        low, high = -LARGEST, LARGEST
        if not is_float(leaf.kind):
            low, high = map(Fraction, INTEGERS.get(leaf.kind, (-(2**63), 2**63)))
        if i < len(nonneg) and nonneg[i]:
            low = max(low, Fraction(0))
        found.append(Atom("place", str(i), (), not is_float(leaf.kind), low, high))
    return found


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, str, Any]]:
    """(name, kind, entry) of each number in a state."""
    if isinstance(value, Record):
        for key, part in value.values.items():
            yield from flatten(part, key)
    elif isinstance(value, tuple | list):
        for i, part in enumerate(value):
            yield from flatten(part, f"{name}[{i}]")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from flatten(part, str(key))
    elif (number := lift(value)) is not None:
        if not isinstance(number, Array) or not number.runs:
            raise NotTraced("the state holds a number that is no array with an entry for each run")
        for i, item in enumerate(number.items):
            yield (f"{name}[{i}]" if len(number.items) > 1 else name), number.kind, item
    elif value is not None and not isinstance(value, str | Opaque):
        raise NotTraced(f"a state holds {type(value).__name__}, which has no rule")


def library_states(value: Any) -> Iterator[Opaque]:
    """The states of filters of the library in a state."""
    if isinstance(value, Opaque):
        yield value
    elif isinstance(value, Record | dict):
        for part in (value.values if isinstance(value, Record) else value).values():
            yield from library_states(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from library_states(part)


def dominated(system: System) -> Opaque | None:
    """The filter of the library that admits whatever this one does, and is charged for it; None where there is none.

    On every path that grants, the state of that filter was asked about the request, said yes, and was charged.
    """
    for place, first in enumerate(library_states(system.start.tree)):
        name = first.key.removesuffix(" new")
        asked, spent = f"admits {name} now {place}", f"{name} spent from {name} now {place}"
        if all(
            step.path.choices.get(asked) is True and [*library_states(step.after.tree)][place].key == spent
            for step in system.steps
            if step.after is not None
        ):
            return first
    return None


def structure(value: Any) -> str:
    """The structure of a state, without its numbers."""
    if isinstance(value, Record):
        return f"{value.kind.name}({','.join(f'{k}={structure(v)}' for k, v in value.values.items())})"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({','.join(map(structure, value))})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k!r}:{structure(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Opaque):
        return "library state"
    number = lift(value)
    if isinstance(number, Array):
        return f"{number.kind}{'n' * number.runs}{number.tail}"
    return repr(value) if number is None else number.kind


def rebuilt(value: Any, entries: Iterator[Any]) -> Any:
    """The state with other numbers."""
    if isinstance(value, Record):
        return Record(value.kind, {k: rebuilt(v, entries) for k, v in value.values.items()})
    if isinstance(value, tuple | list):
        return type(value)(rebuilt(v, entries) for v in value)
    if isinstance(value, dict):
        return {k: rebuilt(v, entries) for k, v in value.items()}
    if isinstance(value, Opaque):
        return Opaque(value.what, f"{value.key.partition(' new')[0].partition(' spent')[0]} now")
    number = lift(value)
    if isinstance(number, Array):
        return Array(
            number.kind, number.runs, number.tail, [next(entries) for _ in number.items], False, True
        )
    return value if number is None else Number(number.kind, next(entries))


@dataclass(eq=False)
class Tracer:
    """Traces one filter."""

    filt: Record
    #: For each leaf by its place: what plays of the real filter showed.
    nonneg: Sequence[bool]
    modes: Sequence[bool]
    questions: Questions

    def shape_of(self, value: Any) -> tuple[Shape, tuple[Any, ...]]:
        leaves, entries = [], []
        names = self._names(value)
        for i, (name, kind, entry) in enumerate(flatten(value)):
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

    def _names(self, value: Any) -> dict[int, str]:
        """The names that the code gives to the places of a tuple, or to the whole."""
        for method in ("spend", "admits"):
            function = self.filt.kind.lookup(method)
            if not isinstance(function, Function) or not isinstance(function.node, ast.FunctionDef):
                continue
            whole = function.node.args.args[1].arg if len(function.node.args.args) > 1 else "state"
            if not isinstance(value, tuple):
                if not isinstance(value, Array):
                    return {}
                count = len(value.items)
                return {0: whole} if count == 1 else {i: f"{whole}[{i}]" for i in range(count)}
            for owner in (function, *(m for m in self.filt.kind.members.values() if isinstance(m, Function))):
                for node in ast.walk(owner.node):
                    if (
                        isinstance(node, ast.Assign)
                        and isinstance(node.value, ast.Name)
                        and node.value.id == whole
                        and isinstance(node.targets[0], ast.Tuple)
                        and len(node.targets[0].elts) == len(value)
                        and all(isinstance(e, ast.Name) for e in node.targets[0].elts)
                    ):
                        names = [e.id for e in node.targets[0].elts if isinstance(e, ast.Name)]
                        if len(list(flatten(value))) == len(names) and not all(
                            n.startswith("_") for n in names
                        ):
                            return dict(enumerate(names))
        return {}

    @property
    def observes(self) -> bool:
        return self.filt.kind.lookup("observe") is not None

    def system(self) -> System:
        """The transition system from `start`.

        Raises NotTraced with the line where code has no rule.
        """
        start: list[tuple[Shape, tuple[Any, ...]]] = []
        base = [Atom("runs", "n", (), True, Fraction(1), Fraction(10) ** 9)]

        def begin(path: Path) -> None:
            CURRENT[0] = path
            number = Number("int", Polynomial.atom(0))
            start.append(self.shape_of(Interpreter(path).call(self.method("start"), [number], {})))

        feasible = Feasibility(self.questions)
        outcomes = list(explore(base, begin, feasible))
        if len(start) != 1 or len(outcomes) != 1:
            raise NotTraced("start(n) depends on n, or fails")
        (shape, first) = start[0]
        if any(isinstance(e, Polynomial) and e.value is None for e in first):
            raise NotTraced("the state at the start is not known")
        shapes, steps, denied, seen = [shape], [], [], set()
        paths = 0
        for current in shapes:
            differs = False
            for style in ("array", "float", "f8"):
                if style == "f8" and not differs:
                    continue  # numbers of NumPy take the paths of Python's
                for step in self.steps(current, style):
                    differs = differs or step.path.differs
                    paths += 1
                    if step.key() in seen:
                        continue
                    seen.add(step.key())
                    if step.after is None:
                        denied.append(step)
                        continue
                    steps.append(step)
                    if step.after not in shapes:
                        shapes.append(step.after)
                        if len(shapes) > MAX_SHAPES:
                            raise NotTraced(f"the state has more than {MAX_SHAPES} shapes")
        return System(shape, first, shapes, steps, denied, paths, self.nonneg)

    def method(self, name: str) -> Any:
        function = self.filt.kind.lookup(name)
        if function is None and LIBRARY in self.filt.values:
            return ModuleFunction("library filter", name, self.filt.values[LIBRARY])
        if not isinstance(function, Function):
            raise NotTraced(f"{self.filt.kind.name}.{name} has no rule")
        return Bound(function, self.filt)

    def state(self, shape: Shape, atoms: list[Atom]) -> Any:
        number = {atom.name: Polynomial.atom(i) for i, atom in enumerate(atoms) if atom.kind == "place"}
        entries = []
        for i, (_, _, entry) in enumerate(flatten(shape.tree)):
            entries.append(number[str(i)] if shape.leaves[i].symbolic else entry)
        state = rebuilt(shape.tree, iter(entries))
        for place, own in enumerate(library_states(state)):
            own.key += f" {place}"
        return state

    def steps(self, shape: Shape, style: str) -> Iterator[Step]:
        atoms = place_atoms(shape, self.nonneg)
        requests: dict[int, Request] = {}

        def run(path: Path) -> Any:
            CURRENT[0] = path
            state = self.state(shape, atoms)
            request = requests[id(path)] = Request(path, style)
            interpreter = Interpreter(path)
            answer = interpreter.call(self.method("admits"), [state, request], {})
            if not self._granted(interpreter, answer):
                return None
            after = interpreter.call(self.method("spend"), [state, request], {})
            if self.observes:
                try:
                    after = interpreter.call(self.method("observe"), [after, self._loss(path)], {})
                except Raised:
                    raise NotTraced(
                        "observe may raise an error when the output is out already", path.line
                    ) from None
            return self.shape_of(after)

        for path, result in explore(atoms, run, Feasibility(self.questions)):
            found = result if isinstance(result, tuple) else (None, ())
            decided = tuple(dict.fromkeys(line for line in path.decided_at if line))
            yield Step(path, requests[id(path)], shape, found[0], found[1], decided)

    def _granted(self, interpreter: Interpreter, answer: Any) -> bool:
        number = lift(answer)
        if number is None or (isinstance(number, Array) and len(number.items) != 1):
            raise Raised
        return interpreter.truth(number)

    def _loss(self, path: Path) -> Array:
        """The realised loss of a release."""
        size = path.choose("loss", ["finite", "infinite", "minus infinite"])
        if size == "finite":
            entry: Any = path.new(Atom("loss", "loss", (), False, -HUGE, HUGE))
        else:
            entry = math.inf if size == "infinite" else -math.inf
        return Array("f8", True, (), [entry], writable=False)
