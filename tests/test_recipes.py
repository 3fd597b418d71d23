"""The recipes of CONTRIBUTING for a filter, a pair, an adversary and a chapter, followed in a copy of the house."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
Edit = Callable[[str], str]

_RULE = "filters/rules/zcdp.py"
_ENTRY = re.compile(r"    Entry\(ZCDPFilter, .*\n")
_PAGE = re.compile(r"\[ZCDPFilter\]\n.*?\n\n", re.DOTALL)
_SLIPS = re.compile(r'\[\[chapter\]\]\nkey = "slips".*?\n\]\n', re.DOTALL)
_CHASING = re.compile(r"@dataclass\(frozen=True, slots=True\)\nclass LossChasing\b.*?\n\n\n", re.DOTALL)
_CONSTANTS = '''"""The example of the recipe."""

import filterproof as fp


def test_my_filter_admits_four_quarters_and_no_more():
    session = fp.MyFilter(0.5).open()
    quarter = fp.Gaussian(mu=0.5)  # rho = mu^2 / 2 = 1/8
    assert [session.request(quarter) for _ in range(5)] == [True] * 4 + [False]
'''


def renamed(path: str, *changes: tuple[str, str]) -> Edit:
    """A new file: the model that the recipe names, with other names."""

    def edit(_: str) -> str:
        text = (ROOT / path).read_text("utf-8")
        for old, new in changes:
            assert old in text, f"{path}: {old}"
            text = text.replace(old, new)
        return text

    return edit


def line(before: str, new: str) -> Edit:
    """A line of its own before the first that starts with `before`."""
    return lambda text: re.sub(
        rf"^{re.escape(before)}", lambda at: new + at[0], text, count=1, flags=re.MULTILINE
    )


def all_of(*edits: Edit) -> Edit:
    def edit(text: str) -> str:
        for one in edits:
            after = one(text)
            assert after != text, "the recipe's place was not found"
            text = after
        return text

    return edit


#: What is added: the file of each step of its recipe, in the recipe's order, and what is done to it.
RECIPES: dict[str, dict[str, Edit]] = {
    "filter": {
        "filters/rules/my_filter.py": renamed(_RULE, ("ZCDPFilter", "MyFilter")),
        "filters/catalogue.toml": lambda text: _PAGE.sub(
            lambda found: found[0] + found[0].replace("ZCDPFilter", "MyFilter"), text, count=1
        ),
        "filters/catalogue.py": all_of(
            line("from filters.rules.orders", "from filters.rules.my_filter import MyFilter\n"),
            line('    "ZCDPFilter",', '    "MyFilter",\n'),
            lambda text: _ENTRY.sub(
                lambda found: found[0] + found[0].replace("ZCDPFilter", "MyFilter"), text, count=1
            ),
        ),
        "tests/filters/rules/test_my_filter.py": lambda _: _CONSTANTS,
    },
    "pair": {
        "theory/pairs/my_pair.py": renamed("theory/pairs/erasure.py", ("Erasure", "MyPair")),
        "theory/pairs/__init__.py": all_of(
            line("from theory.pairs.randomized", "from theory.pairs.my_pair import MyPair\n"),
            line('    "RandomizedResponse",', '    "MyPair",\n'),
            line("    Erasure,", "    MyPair,\n"),
            line("        Erasure(0.2),", "        MyPair(0.3),\n"),
        ),
        "tests/theory/test_pair_truths.py": all_of(
            line("    RandomizedResponse,\n", "    MyPair,\n"),
            line("    Erasure(0.25),", "    MyPair(0.625),\n"),
            lambda text: text.replace("case Erasure():", "case Erasure() | MyPair():"),
        ),
    },
    "adversary": {
        "mc/engine/adversaries.py": all_of(
            lambda text: _CHASING.sub(
                lambda found: found[0] + found[0].replace("LossChasing", "MyAdversary"), text, count=1
            ),
            line('    "OneShot",', '    "MyAdversary",\n'),
            lambda text: text.replace("STRATEGIES = (", "STRATEGIES = (MyAdversary, "),
        ),
        "mc/__init__.py": all_of(
            line("    OneShot,", "    MyAdversary,\n"), line('    "Moments",', '    "MyAdversary",\n')
        ),
    },
    "chapter": {
        "reports/chapters/my_chapter.py": renamed("reports/chapters/slips.py", ('"""Slips', '"""My slips')),
        "reports/templates/chapters.toml": lambda text: "\n".join(
            [
                text,
                *(row.replace("slips", "my-chapter").replace("Slips", "My") for row in _SLIPS.findall(text)),
            ]
        ),
    },
}
#: What the recipes say holds once the steps are done: the tests that run over what was added.
AFTER = (
    *("tests/test_registries.py::test_nothing_is_missing", "tests/filters/rules/test_my_filter.py"),
    *("tests/reports/test_docs.py::test_every_public_name_is_documented_exactly_once",),
    *("tests/filters/test_catalogue.py", "tests/reports/pages/test_subjects.py"),
    *("tests/theory/test_pair_contract.py", "tests/theory/test_pair_truths.py"),
)
_ADDED = "MyFilter or MyPair or my_filter or nothing_is_missing or every_public_name"
_SHOWS = """
import filterproof as fp
from filters.certified.certify import certify
from mc.engine.adversaries import STRATEGIES
from reports.chapters import CHAPTERS
from reports.docs.generated import LISTED
from reports.pages.subjects import SUBJECTS

assert "MyFilter" in {one.name for one in SUBJECTS} and "MyFilter" in LISTED["filters"]()
assert fp.MyAdversary in STRATEGIES and "my-chapter" in {one.key for one in CHAPTERS}
decided = {one.decided_by for one in SUBJECTS} | {"my-chapter-checked"}
assert decided <= {one.key for made in CHAPTERS for one in made.claims}
found = certify(fp.MyFilter(0.5))
assert found.numbers and not found.refused, found
found = certify(fp.MyPair(0.3))
assert found.numbers and not found.refused, found
assert fp.simulate(fp.MyFilter(0.5), fp.MyAdversary(), epsilon=1.0, n=1000, seed=1).n == 1000
"""


def steps(kind: str) -> list[str]:
    """The files that the recipe of a kind lists, in its order."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = re.search(rf"^\*\*An? {kind}.*?(?=^\*\*|^## )", text, re.MULTILINE | re.DOTALL)
    assert found is not None, kind
    return re.findall(r"^\d\. `([^`]+)`", found[0], re.MULTILINE)


def in_copy(copy: Path, *command: str) -> str:
    """What a Python of the copy prints; what it did not do fails here."""
    done = subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def missing(copy: Path) -> list[str]:
    asked = "import json; from tests.test_registries import missing; print(json.dumps(missing()))"
    told: list[str] = json.loads(in_copy(copy, "-c", asked).splitlines()[-1])
    return told


@pytest.mark.parametrize(("kind", "most"), {"filter": 4, "pair": 3, "adversary": 2, "chapter": 2}.items())
def test_a_recipe_has_few_files_and_those_that_are_edited_here(kind: str, most: int) -> None:
    assert steps(kind) == list(RECIPES[kind])
    assert len(steps(kind)) <= most
    for path, edit in RECIPES[kind].items():
        old = (ROOT / path).read_text("utf-8") if (ROOT / path).exists() else ""
        assert "My" in edit(old) or "MY_" in edit(old)


@pytest.mark.slow
def test_who_follows_the_recipes_is_told_each_step_and_is_done_after_the_last(tmp_path: Path) -> None:
    kept = shutil.ignore_patterns("out", "__pycache__")
    for room in ("theory", "filters", "mc", "reports", "filterproof", "tests"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=kept)
    for name in ("pyproject.toml", "CONTRIBUTING.md", "README.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    assert missing(tmp_path) == []
    last = max(map(len, RECIPES.values()))
    for step in range(last):
        for recipe in RECIPES.values():
            for path, edit in list(recipe.items())[step : step + 1]:
                place = tmp_path / path
                place.write_text(edit(place.read_text("utf-8") if place.exists() else ""), "utf-8")
        told = missing(tmp_path)
        for recipe in RECIPES.values():
            for path in list(recipe)[step + 1 : step + 2]:
                room = path if not path.startswith("tests/filters/rules/") else "tests/filters/rules"
                assert any(one.startswith(f"{room}: ") for one in told), (path, told)
    assert missing(tmp_path) == []
    in_copy(tmp_path, "-c", _SHOWS)
    in_copy(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", _ADDED, *AFTER)
