"""Names: every module is reached by its own, which no value of a package hides, and no two public classes share one."""

import ast
import pickle
import pkgutil
import re
import sys
import tomllib
from collections import defaultdict
from importlib import import_module
from importlib.metadata import packages_distributions
from operator import attrgetter

import filterproof as fp
from filterproof.reports.docs.reference import public_names
from tests.interpreter import ROOT, python


def _again(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301, our own bytes


ROOMS = ("theory", "filters", "mc", "reports", "filterproof")
MODULES = ["filterproof", *(found.name for found in pkgutil.walk_packages(fp.__path__, "filterproof."))]


def test_a_module_is_what_its_dotted_name_says_and_has_what_it_lists():
    for name in MODULES:
        module = import_module(name)
        _, _, inside = name.partition(".")
        assert (attrgetter(inside)(fp) if inside else fp) is module, name
        for public in getattr(module, "__all__", ()):
            assert hasattr(module, public), f"{name}: {public}"


def test_what_the_library_imports_is_installed_with_it_or_with_an_extra_for_users():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = [
        *project["dependencies"],
        *extras["testing"],
        *extras["fast"],
        *extras["cluster"],
        *extras["prove"],
        *extras["training"],
    ]
    names = {name for line in declared for name in re.findall(r"[\w-]+", re.split("[<>=]", line)[0])}
    installed = packages_distributions()
    known = {top for top, owners in installed.items() if names & {owner.lower() for owner in owners}}
    known |= sys.stdlib_module_names | {"filterproof", "typing_extensions"}
    for room in ROOMS:
        for file in (ROOT / room).rglob("*.py"):
            if {"scripts", "docs", "out"} & set(file.relative_to(ROOT).parts):
                continue
            # typing_extensions is imported for the type checker alone
            beside = {other.stem for other in file.parent.glob("*.py")}
            code = file.read_text()
            if {*re.findall(r"^\s*(?:from|import) (\w+)", code, re.MULTILINE)} <= known:
                continue  # a line of a text may begin so, too
            for node in ast.walk(ast.parse(code)):
                modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                modules += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                tops = {module.partition(".")[0] for module in modules}
                for top in tops - sys.stdlib_module_names - beside - {"filterproof", "typing_extensions"}:
                    assert names & {owner.lower() for owner in installed.get(top, [top])}, (
                        f"{file} imports {top}"
                    )


def test_no_two_public_classes_of_the_house_share_a_name():
    homes = defaultdict(list)
    for module in MODULES:
        for name, value in vars(import_module(module)).items():
            if isinstance(value, type) and value.__module__ == module and not name.startswith("_"):
                homes[name].append(module)
    assert {"Game", "PrivacyFilter", "WorstCase"} <= set(homes)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


#: In an interpreter that has loaded nothing of ours.
FRESH = """
from filterproof import mc, theory
mc.Game, theory.__name__
import filterproof as fp, filterproof.mc.examine.supremum as room
assert fp.supremum is room.supremum
"""


def test_a_fresh_interpreter_reaches_modules_and_functions(tmp_path):
    result = python("-c", FRESH, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


def test_every_public_function_and_class_can_be_pickled():
    for public in (attrgetter(name)(fp) for name in public_names()):
        if callable(public) and hasattr(public, "__qualname__"):
            assert _again(public) is public
