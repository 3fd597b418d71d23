"""What was added cannot be forgotten: `missing` names the file that lacks a line."""

import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import isabstract
from pathlib import Path
from types import ModuleType

from filterproof.filters import catalogue
from filterproof.filters.catalogue import catalogue_tables
from filterproof.filters.certified import admission_conditions as conditions
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.reports.docs.reference import public_names
from filterproof.theory import pairs, proofs

ROOT = Path(__file__).parent.parent
#: Filters of `filters/rules` that the catalogue does not list, and why.
NOT_LISTED = {
    "TrackerLimitFilter": "made of a tracker, and shown with the trackers",
    "AdditiveFilter": "what the filters of one sum share",
    "KappaFilter": "promises nothing by itself",
    "PlannedRenyiFilter": "a RenyiFilter with the guarantee that its plan was made for",
    "SomeOrderRule": "what two filters of the catalogue share",
}
#: Sound filters of the catalogue without a condition on a sum, and why.
NO_CONDITION = {
    "BlackwellFilter": "it solves games over its menu, which are checked by themselves",
    "GaussianResidueFilter": "its charges are checked from floor to floor",
    "HockeyStickFilter": "it looks at losses, and its charges are checked by themselves",
    "PotentialFilter": "its table is checked for each member of its design",
    "RealisationFilter": "it looks at losses, and its decisions are checked by themselves",
}


def source(path: str) -> str:
    """The text of a file of the repository."""
    return (ROOT / path).read_text("utf-8")


def names(path: str, word: str) -> bool:
    """Whether the file names the word beyond an import and `__all__`."""
    text = re.sub(
        r"^(from [^\n(]*import \([^)]*\)|from [^\n]*|__all__ = \[[^]]*\])$",
        "",
        source(path),
        flags=re.MULTILINE,
    )
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def modules(room: str) -> Iterator[ModuleType]:
    """Every module of a room, by scanning its folder."""
    for found in pkgutil.iter_modules(import_module(room).__path__, f"{room}."):
        yield import_module(found.name)


def own_classes(room: str, base: type) -> dict[str, type]:
    """The classes of a room that derive from `base` and can be made: name -> class."""
    return {
        name: thing
        for module in modules(room)
        for name, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
        if name[0] != "_" and not isabstract(thing)
    }


def of_filters() -> Iterator[str]:
    tests = [f"tests/filters/rules/{path.name}" for path in (ROOT / "tests/filters/rules").glob("test_*.py")]
    for name, kind in own_classes("filterproof.filters.rules", PrivacyFilter).items():
        if name in NOT_LISTED:
            continue
        if name not in catalogue_tables():
            yield f"filters/catalogue.toml: write a table [{name}] of what its page shows"
        if getattr(catalogue.CATALOGUE.get(name), "filter_class", None) is not kind:
            yield f"filters/catalogue.py: list {name}, as CatalogueEntry({name}, ...) with two examples and a menu"
            continue
        if name not in catalogue.__all__:
            yield f"filters/catalogue.py: name {name} in __all__"
        if vars(kind).get("theorem", "") not in {None, *proofs.THEOREMS}:
            yield f"{kind.__module__}: give {name} theorem = a key of THEOREMS, or None"
        if not any(re.search(rf"\b{name}\b", source(path)) for path in tests):
            yield f"tests/filters/rules: test the constants of {name} by a second route"
        example = catalogue.CATALOGUE[name].example()
        if example.sound and name not in NO_CONDITION and conditions.condition_of(example) is None:
            yield f"filters/certified/admission_conditions.py: say in law_of what the theorem allows {name}"


def of_theorems() -> Iterator[str]:
    for module in modules("filterproof.theory.proofs"):
        theorem = getattr(module, "THEOREM", None)
        if theorem is not None and proofs.THEOREMS.get(theorem.name) is not theorem:
            yield f'theory/theorems/theorem.py: list "{theorem.name}": "{module.__name__.partition(".")[2]}"'


def of_pairs() -> Iterator[str]:
    for name, kind in own_classes("filterproof.theory.pairs", pairs.DominatingPair).items():
        if name not in pairs.__all__:
            yield f"theory/pairs/__init__.py: name {name} in __all__"
        if kind in (pairs.LabelledRequest, pairs.PairPerRun):  # made of pairs
            continue
        if kind not in pairs.PAIR_CLASSES:
            yield f"theory/pairs/__init__.py: list {name} in PAIRS"
        if not any(type(pair) is kind for pair in pairs.example_pairs()):
            yield f"theory/pairs/__init__.py: hold an example of {name} in examples"
        if kind.reference_values is pairs.DominatingPair.reference_values:
            yield f"{kind.__module__}: say what is true of {name}, its truths"
        if not names("tests/theory/test_pair_reference_values.py", name):
            yield f"tests/theory/test_pair_reference_values.py: hold an example of {name}"


def of_public_names() -> Iterator[str]:
    inside = {name.rpartition(".")[2] for name in public_names()}
    for room in ("theory.pairs", "filters", "mc"):
        for name in sorted({*import_module(f"filterproof.{room}").__all__} - inside):
            yield f"filterproof/__init__.pyi, or a module beside it: import {name}"


RECIPES: dict[str, Callable[[], Iterator[str]]] = {
    "filter": of_filters,
    "theorem": of_theorems,
    "pair": of_pairs,
    "public name": of_public_names,
}


def missing() -> list[str]:
    """Every line that a recipe of CONTRIBUTING.md asks for and that is not there, as "FILE: what to do"."""
    return [line for recipe in RECIPES.values() for line in recipe()]


def test_nothing_is_missing() -> None:
    assert missing() == []


def test_a_filter_that_is_not_listed_or_has_no_law_is_there() -> None:
    assert set(NOT_LISTED) <= set(own_classes("filterproof.filters.rules", PrivacyFilter))
    assert set(NO_CONDITION) <= set(catalogue.CATALOGUE)
