"""Rewriting of a function's source: each operation on values becomes a call of a tracing hook.

`x + y` becomes `hooks.binary("+", x, y)`, `if x:` becomes `if hooks.truth(x):`, and so on; names, control flow, calls
and closures stay Python's own. What has no rule becomes a call of `hooks.refuse`, which counts where it is reached.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from filterproof.mc.prove.paths import NotTraced
from filterproof.mc.prove.source import TRACED, definition

#: The name of the hooks in rewritten code, and of its file.
HOOKS, FILE = "__traced__", "<traced>"
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.FloorDiv: "//", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}  # fmt: skip


def rewrite_with_hooks(function: FunctionType, hooks: Any) -> FunctionType:
    """Return the function with hook calls in place of operations, with the same globals and defaults."""
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:
        raise NotTraced(f"{function.__qualname__} refers to a name that has no value yet") from None
    names: dict[str, Any] = {}
    exec(_compile_factory(function), function.__globals__, names)  # noqa: S102 - the user's own code, with hooks
    made: FunctionType = names["factory"](hooks, *cells)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


@lru_cache(maxsize=512)
def _compile_factory(function: FunctionType) -> CodeType:
    """Compile a function of the hooks and the closure that returns the rewritten function."""
    node = deepcopy(definition(function))
    if any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(node)):
        raise NotTraced("a generator has no rule", node.lineno)
    if any(isinstance(n, ast.Name) and n.id[:2] == "__" and n.id[-2:] != "__" for n in ast.walk(node)):
        raise NotTraced("a name that Python changes in classes has no rule", node.lineno)
    body = node.body if isinstance(node, ast.FunctionDef) else [ast.Return(node.body, lineno=node.lineno)]
    for one in (node.args.posonlyargs, node.args.args, node.args.kwonlyargs):
        for argument in one:
            argument.annotation = None
    nothing = ast.Constant(None)
    node.args.defaults = [nothing] * len(node.args.defaults)
    node.args.kw_defaults = [default and nothing for default in node.args.kw_defaults]
    first = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][:1]
    made = ast.FunctionDef(
        f"{HOOKS}made", node.args, Rewriter(first, function.__module__ not in TRACED).block(body), []
    )
    given = ast.arguments(
        [], [ast.arg(n) for n in (HOOKS, *function.__code__.co_freevars)], None, [], [], None, []
    )
    outer = ast.FunctionDef("factory", given, [made, ast.Return(ast.Name(made.name, ast.Load()))], [])
    module = ast.fix_missing_locations(ast.Module([outer], []))
    try:
        return compile(module, FILE, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise NotTraced(f"{function.__qualname__} has no rule: {error.msg}", node.lineno) from None


def hook_call(name: str, *args: ast.expr) -> ast.Call:
    """Return the syntax tree of a call of the hook with this name."""
    return ast.Call(ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load()), list(args), [])


def hook_statement(name: str, *args: ast.expr) -> ast.stmt:
    """Return an expression statement that calls the hook with this name."""
    return ast.Expr(hook_call(name, *args))


def refusal_hook_call(node: ast.AST) -> ast.Call:
    """Return the call of the hook that raises NotTraced for a construct without a rule."""
    kind = "statement" if isinstance(node, ast.stmt) else "expression"
    return hook_call("refuse", ast.Constant(f"the {kind} {type(node).__name__} has no rule"))


def _is_nonraising_errstate(item: ast.withitem) -> bool:
    """Whether a `with` item calls a manager with only the settings "ignore" and "warn", and binds no name."""
    call = item.context_expr
    return (
        item.optional_vars is None
        and isinstance(call, ast.Call)
        and not call.args
        and all(
            isinstance(k.value, ast.Constant) and k.value.value in ("ignore", "warn") for k in call.keywords
        )
    )


def conjunction(*tests: ast.expr) -> ast.expr:
    """Return the expression that is true where all tests are."""
    return ast.BoolOp(ast.And(), [ast.Constant(True), *tests]) if tests else ast.Constant(True)


def walrus(name: str, value: ast.expr) -> ast.expr:
    """Return the expression `(name := value)`."""
    return ast.NamedExpr(ast.Name(name, ast.Store()), value)


class Rewriter(ast.NodeTransformer):
    """Replaces operations in a function's syntax tree by hook calls; `first` names its first argument."""

    def __init__(self, first: list[str], counts: bool) -> None:
        self.first, self.counts, self.count = first, counts, 0

    def block(self, body: Iterable[ast.stmt]) -> list[ast.stmt]:
        """Return the rewritten statements, each after a call of the hook that counts lines, if requested."""
        found: list[ast.stmt] = []
        for node in body:
            if self.counts:
                found.append(hook_statement("tick", ast.Constant(node.lineno)))
            found += self.statement(node)
        return found

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Return the statements that replace one statement."""
        match node:
            case ast.Pass() | ast.Break() | ast.Continue():
                return [node]
            case ast.Expr():
                return [ast.Expr(self.visit(node.value))]
            case ast.Return():
                return [ast.Return(node.value and self.visit(node.value))]
            case ast.Assert():
                fails = ast.BoolOp(
                    ast.And(), [hook_call("asserts"), ast.UnaryOp(ast.Not(), self.truth(node.test))]
                )
                return [ast.If(fails, [hook_statement("fail", ast.Name("AssertionError", ast.Load()))], [])]
            case ast.Raise(exc=ast.expr() as error):
                kind = error.func if isinstance(error, ast.Call) else error
                return [hook_statement("fail", self.visit(kind))]
            case ast.Assign(value=given) | ast.AnnAssign(value=ast.expr() as given):
                store, value = self.stored(self.visit(given))
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                return [store, *(s for t in targets for s in self.assignment_statements(t, value))]
            case ast.AnnAssign(target=ast.Name()):
                return []
            case ast.AugAssign(target=ast.Name(id=name)):
                return [ast.Assign([node.target], self.augmented(node, ast.Name(name, ast.Load())))]
            case ast.AugAssign(target=ast.Subscript() as target):
                first, thing = self.stored(self.visit(target.value))
                second, index = self.stored(self.rewritten_index(target.slice))
                value = self.augmented(node, hook_call("item", thing, index))
                return [first, second, hook_statement("set_item", thing, index, value)]
            case ast.If():
                return [ast.If(self.truth(node.test), self.block(node.body), self.block(node.orelse))]
            case ast.While():
                return [ast.While(self.truth(node.test), self.block(node.body), self.block(node.orelse))]
            case ast.For():
                name = self.fresh()
                body = [
                    *self.assignment_statements(node.target, ast.Name(name, ast.Load())),
                    *self.block(node.body),
                ]
                items = hook_call("items", self.visit(node.iter))
                return [ast.For(ast.Name(name, ast.Store()), items, body, self.block(node.orelse))]
            case ast.With() if all(map(_is_nonraising_errstate, node.items)):
                managers = [self.visit(i.context_expr.func) for i in node.items]  # type: ignore[attr-defined]
                return [
                    *(hook_statement("check_context_manager", manager) for manager in managers),
                    *self.block(node.body),
                ]
            case ast.Match():
                return self.match_statements(node)
            case ast.FunctionDef() if not node.decorator_list:
                return [ast.FunctionDef(node.name, self.visit(node.args), self.nested().block(node.body), [])]
        return [ast.Expr(refusal_hook_call(node))]

    def match_statements(self, node: ast.Match) -> list[ast.stmt]:
        """Return an assignment of the subject and a chain of `if` statements for the cases."""
        subject, chain = self.fresh(), list[ast.stmt]()
        for case in reversed(node.cases):
            names = [
                p.name for p in ast.walk(case.pattern) if isinstance(p, ast.MatchAs) and p.name is not None
            ]
            bound = [walrus(name, ast.Name(HOOKS + name, ast.Load())) for name in names]
            guard = [self.truth(case.guard)] if case.guard else []
            test = conjunction(
                self.pattern_test(case.pattern, subject),
                ast.Tuple([ast.Constant(True), *bound], ast.Load()),
                *guard,
            )
            test = hook_call("truth", test, self.position(case.pattern))
            chain = [ast.If(test, self.block(case.body), chain)]
        return [ast.Assign([ast.Name(subject, ast.Store())], self.visit(node.subject)), *chain]

    def pattern_test(self, pattern: ast.pattern, subject: str) -> ast.expr:
        """Return an expression that is true where the value of a name matches; it keeps what the pattern captures."""
        value = ast.Name(subject, ast.Load())
        match pattern:
            case ast.MatchValue():
                same = hook_call("compare", ast.Constant("=="), value, self.visit(pattern.value))
                return hook_call("truth", same, self.position(pattern))
            case ast.MatchSingleton(value=None):
                return hook_call("compare", ast.Constant("is"), value, ast.Constant(None))
            case ast.MatchAs():
                tests = [] if pattern.pattern is None else [self.pattern_test(pattern.pattern, subject)]
                kept = [ast.Tuple([walrus(HOOKS + pattern.name, value)], ast.Load())] if pattern.name else []
                return conjunction(*tests, *kept)
            case ast.MatchOr():
                return ast.BoolOp(ast.Or(), [self.pattern_test(one, subject) for one in pattern.patterns])
            case ast.MatchClass():
                inner, kind = [*pattern.patterns, *pattern.kwd_patterns], self.visit(pattern.cls)
                count, names = ast.Constant(len(pattern.patterns)), map(ast.Constant, pattern.kwd_attrs)
                found = hook_call("class_parts", value, kind, count, *names)
            case _:
                return refusal_hook_call(pattern)
        whole, parts = self.fresh(), [self.fresh() for _ in inner]
        tests = [ast.Compare(walrus(whole, found), [ast.IsNot()], [ast.Constant(None)])]
        for place, (one, name) in enumerate(zip(inner, parts, strict=True)):
            part = ast.Subscript(ast.Name(whole, ast.Load()), ast.Constant(place), ast.Load())
            tests += [ast.Tuple([walrus(name, part)], ast.Load()), self.pattern_test(one, name)]
        return conjunction(*tests)

    def nested(self) -> Rewriter:
        """Return a rewriter of a function inside this one, in which super() has no rule."""
        inner = Rewriter([], self.counts)
        inner.count = self.count
        return inner

    def position(self, node: ast.expr | ast.pattern) -> ast.expr:
        """Return the place of a condition or a call in the user's file; None in a library's."""
        place = ast.Tuple([ast.Constant(node.lineno), ast.Constant(node.col_offset)], ast.Load())
        return place if self.counts else ast.Constant(None)

    def fresh(self) -> str:
        self.count += 1
        return f"{HOOKS}{self.count}"

    def assignment_statements(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Return the statements that assign the value to the target."""
        match target:
            case ast.Name():
                return [ast.Assign([target], value)]
            case ast.Subscript():
                return [
                    hook_statement(
                        "set_item", self.visit(target.value), self.rewritten_index(target.slice), value
                    )
                ]
            case ast.Attribute():
                return [
                    hook_statement(
                        "set_attribute", self.visit(target.value), ast.Constant(target.attr), value
                    )
                ]
            case ast.Tuple() | ast.List() if not any(isinstance(t, ast.Starred) for t in target.elts):
                names = [self.fresh() for _ in target.elts]
                made = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
                found: list[ast.stmt] = [
                    ast.Assign([made], hook_call("unpack", value, ast.Constant(len(names))))
                ]
                for part, name in zip(target.elts, names, strict=True):
                    found += self.assignment_statements(part, ast.Name(name, ast.Load()))
                return found
        return [ast.Expr(refusal_hook_call(target))]

    def augmented(self, node: ast.AugAssign, old: ast.expr) -> ast.expr:
        """Return what `old symbol= value` binds; the old value is read before the new one is computed."""
        symbol = ast.Constant(OPERATORS[type(node.op)])
        return hook_call("augmented_value", symbol, old, self.visit(node.value))

    def stored(self, value: ast.expr) -> tuple[ast.stmt, ast.expr]:
        """Return a statement that computes a value once, and the expression that reads it."""
        name = self.fresh()
        return ast.Assign([ast.Name(name, ast.Store())], value), ast.Name(name, ast.Load())

    # -- expressions ---------------------------------------------------------------------------------------

    def truth(self, node: ast.expr) -> ast.expr:
        return hook_call("truth", self.visit(node), self.position(node))

    def first_deciding(self, is_or: bool, values: Iterable[tuple[ast.expr, ast.expr]]) -> ast.expr:
        """Return the expression that `and`, or `or`, makes of nodes with their rewritten values."""
        *others, (_, result) = values
        for node, value in reversed(others):
            name = self.fresh()
            ends = ast.Name(name, ast.Load()), result
            test = hook_call("truth", walrus(name, value), self.position(node))
            result = ast.IfExp(test, *(ends if is_or else ends[::-1]))
        return result

    def list_node(self, nodes: Iterable[ast.expr]) -> ast.List:
        """Return a list display of the rewritten expressions."""
        return ast.List([self.visit(node) for node in nodes], ast.Load())

    def rewritten_generators(self, generators: Iterable[ast.comprehension]) -> list[ast.comprehension]:
        """Return the `for` clauses of a comprehension with rewritten iterables and conditions."""
        clauses = []
        for g in generators:
            items = hook_call("items", self.visit(g.iter))
            if not all(isinstance(n, ast.Name | ast.Tuple | ast.expr_context) for n in ast.walk(g.target)):
                items = refusal_hook_call(g.target)
            clauses.append(ast.comprehension(g.target, items, [*map(self.truth, g.ifs)], g.is_async))
        return clauses

    def rewritten_index(self, node: ast.expr) -> ast.expr:
        """Return the rewritten index of a subscript: a value, a slice, or a tuple of these."""
        if isinstance(node, ast.Slice):
            return hook_call(
                "slice",
                *((e and self.visit(e)) or ast.Constant(None) for e in (node.lower, node.upper, node.step)),
            )
        if isinstance(node, ast.Tuple):
            return ast.Tuple([*map(self.rewritten_index, node.elts)], ast.Load())
        made: ast.expr = self.visit(node)
        return made

    def visit(self, node: ast.AST) -> Any:
        """Return the expression that replaces an expression; without a rule, a call of `hooks.refuse`."""
        match node:
            case ast.Constant() | ast.Name() | ast.arguments() | ast.expr_context():
                return self.generic_visit(node)
            case ast.arg():
                return ast.arg(node.arg)
            case ast.NamedExpr():
                return ast.NamedExpr(node.target, self.visit(node.value))
            case ast.BinOp():
                symbol = ast.Constant(OPERATORS[type(node.op)])
                return hook_call("binary", symbol, self.visit(node.left), self.visit(node.right))
            case ast.UnaryOp(op=ast.Not()):
                return ast.UnaryOp(node.op, self.truth(node.operand))
            case ast.UnaryOp():
                return hook_call("unary", ast.Constant(OPERATORS[type(node.op)]), self.visit(node.operand))
            case ast.BoolOp():
                values = [(value, self.visit(value)) for value in node.values]
                return self.first_deciding(isinstance(node.op, ast.Or), values)
            case ast.Compare():
                left, tests = self.visit(node.left), []
                for place, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True), 1):
                    name, right = self.fresh(), self.visit(other)
                    right = walrus(name, right) if place < len(node.ops) else right
                    test = hook_call("compare", ast.Constant(OPERATORS[type(op)]), left, right)
                    tests.append((other, test))
                    left = ast.Name(name, ast.Load())
                return self.first_deciding(False, tests)
            case ast.IfExp():
                return ast.IfExp(self.truth(node.test), self.visit(node.body), self.visit(node.orelse))
            case ast.Call(func=ast.Name(id="super"), args=[]) if self.first:
                return hook_call(
                    "super", ast.Name("__class__", ast.Load()), ast.Name(self.first[0], ast.Load())
                )
            case ast.Call():
                names = [k.arg and ast.Constant(k.arg) for k in node.keywords]
                return hook_call(
                    "call",
                    self.visit(node.func),
                    self.list_node(node.args),
                    self.rewritten_dict(names, node.keywords),
                    self.position(node),
                )
            case ast.Attribute():
                return hook_call("attribute", self.visit(node.value), ast.Constant(node.attr))
            case ast.Subscript():
                return hook_call("item", self.visit(node.value), self.rewritten_index(node.slice))
            case ast.Starred():
                return ast.Starred(hook_call("items", self.visit(node.value)), ast.Load())
            case ast.Tuple():
                return ast.Tuple(self.list_node(node.elts).elts, ast.Load())
            case ast.List():
                return hook_call("mark_fresh", self.list_node(node.elts))
            case ast.Set():
                return hook_call("set_of", self.list_node(node.elts))
            case ast.Dict():
                return hook_call(
                    "mark_fresh",
                    self.rewritten_dict(
                        [k and hook_call("key", self.visit(k)) for k in node.keys], node.values
                    ),
                )
            case ast.JoinedStr():
                return hook_call("text", *map(self.visit, node.values))
            case ast.FormattedValue():
                if node.conversion == -1 and node.format_spec is None:
                    return self.visit(node.value)
                return hook_call(
                    "formatted", self.visit(node.value), self.visit(node.format_spec or ast.Constant(""))
                )
            case ast.Lambda():
                return ast.Lambda(self.visit(node.args), self.nested().visit(node.body))
            case ast.ListComp():
                return hook_call(
                    "mark_fresh",
                    ast.ListComp(self.visit(node.elt), self.rewritten_generators(node.generators)),
                )
            case ast.GeneratorExp():
                return hook_call(
                    "one_shot",
                    ast.GeneratorExp(self.visit(node.elt), self.rewritten_generators(node.generators)),
                )
            case ast.DictComp():
                pair = hook_call("key", self.visit(node.key)), self.visit(node.value)
                return hook_call(
                    "mark_fresh", ast.DictComp(*pair, self.rewritten_generators(node.generators))
                )
        return refusal_hook_call(node)

    def rewritten_dict(self, keys: list[Any], nodes: Iterable[Any]) -> ast.Dict:
        """Return a rewritten dict display; a key of None stands for `**mapping`."""
        values = [self.visit(node.value if isinstance(node, ast.keyword) else node) for node in nodes]
        return ast.Dict(
            keys, [v if k else hook_call("unpacked_mapping", v) for k, v in zip(keys, values, strict=True)]
        )
