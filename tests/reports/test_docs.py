"""What the pages take from the code, each part once and nothing else; every block runs, and prints what is shown."""

import ast
import importlib
import re
import shlex
from collections import Counter
from operator import attrgetter
from pathlib import Path

import pytest
import typer

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.reports.cli import COMMANDS, app
from filterproof.reports.commands.exit_status import ExitStatus
from filterproof.reports.docs.generated import escape_markdown, expand
from filterproof.reports.docs.recorded_tables import TABLES
from filterproof.reports.docs.reference import public_docstring, public_names, rst_lines
from filterproof.reports.package_data import recorded_data
from filterproof.theory.evidence import CheckCoverage, Evidence, Outcome
from tests.mc.examine.stages.test_source_proof import examined, written
from tests.printed_examples import PAGES, ROOT, blocks, run_examples


def _generated(part: str) -> str:
    return expand(f"before\n\n```{{generated}} {part}\n```\n\nafter\n")


def test_measured_page_has_each_recorded_table() -> None:
    (page,) = (page for page in PAGES if page.stem == "measured")
    for name, rows in TABLES.items():
        assert f"{{generated}} recorded {name}\n" in page.read_text("utf-8")
        heads, table_rows = rows()
        text = _generated(f"recorded {name}")
        assert text.count("\n|") == (len(table_rows) + 2 if table_rows else 0)
        assert all(len(row) == len(heads) for row in table_rows)


def test_recorded_scores_add_up_and_bounds_on_compositions_hold() -> None:
    rows = {
        name: [dict(zip(heads, row, strict=True)) for row in table_rows]
        for name, (heads, table_rows) in ((name, make()) for name, make in TABLES.items())
    }
    cases, faults = recorded_data("power")["cases"], recorded_data("planted")
    right, of = (sum(int(row["correct"].split(" of ")[place]) for row in rows["power"]) for place in (0, 1))
    assert (right, of) == (len(cases) - len(rows["missed"]), len(cases))
    refused, of = (
        sum(int(row["detected"].split(" of ")[place]) for row in rows["planted"]) for place in (0, 1)
    )
    assert (refused, of) == (faults["red"], faults["faults"])
    ours = [row["bounds hold"] for row in rows["compositions"] if row["by"].startswith("Filterproof")]
    assert set(ours) == {"yes"}
    assert len(rows["compositions"]) > len(ours)
    for row, game in zip(rows["accountant"], recorded_data("accountant")["rows"], strict=True):
        low, high = float(row["at least"]) * 1e-5, float(row["at most"]) * 1e-5
        assert low * (1 - 1e-15) <= game["low"] <= game["high"] <= high * (1 + 1e-15)


def test_the_page_of_history_has_a_row_for_each_recorded_thread() -> None:
    page = _generated("history")
    rows = [
        row for row in recorded_data("power")["cases"] if (row["part"], row["kind"]) == ("public", "broken")
    ]
    assert len(re.findall(r"^\| \[", page, re.MULTILINE)) == len(rows) >= 20
    for row in rows:
        assert row["thread"] in page
        assert escape_markdown(row["counterexample"]) in page


def test_the_words_of_a_verdict_are_those_of_the_code() -> None:
    for part, words in (("outcomes", Outcome), ("evidence", Evidence), ("checked", CheckCoverage)):
        text = _generated(part)
        assert len(re.findall(r"^\| \*\*", text, re.MULTILINE)) == len(words)
        for word in words:
            assert escape_markdown(word.value) in text


def test_a_charge_is_the_least_or_says_which_share_of_it_is_due() -> None:
    text = _generated("charges")
    assert "| `Gaussian(0.7)` | none | 0.245 (smallest) | 0.7 (smallest) |" in text
    assert (
        "| `Laplace(0.8)` | 1.25 (smallest) | 0.78125 (upper bound; 68.67 % is necessary) | 1.23999 (smallest) |"
        in text
    )


def test_every_filter_command_and_status_has_its_row() -> None:
    (page,) = (page for page in PAGES if page.match("reference/commands.md"))
    filters, commands, expanded = (
        _generated("filters"),
        _generated("commands"),
        expand(page.read_text("utf-8")),
    )
    assert re.findall(r"^\| `fp\.(\w+)`", filters, re.MULTILINE) == list(CATALOGUE)
    assert re.findall(r"^## filterproof (\w+)$", commands, re.MULTILINE) == [
        name.rstrip("_") for name in COMMANDS
    ]
    assert "`-n, --paths, --runs`" in commands
    table = re.findall(r"^\|\s*`?(\d+)`?\s*\|\s*(.*?)\s*\|$", expanded, re.MULTILINE)
    assert [(int(status), re.sub(r"[\\`]", "", meaning)) for status, meaning in table] == [
        (int(status), status.meaning.replace("`", "")) for status in ExitStatus
    ]


def test_a_part_or_name_that_is_not_known_is_refused_and_prose_is_left_alone() -> None:
    with pytest.raises(ValueError, match=r"must be one of .*, got 'typo'"):
        _generated("typo")
    with pytest.raises(ValueError, match=r"the name is not public \(name='Typo'\)"):
        expand("```{public}\nTypo\n```\n")
    page = "words, `code` and\n\n```python\nprint(1)\n```\n"
    assert expand(page) == page


def test_an_indented_block_of_a_docstring_is_literal_text_and_an_example_is_none() -> None:
    lines = rst_lines("So\n\n    V = 1 *\n    2\n\nas::\n\n    x\n\nEnd.\n\n    >>> 1 + 1\n    2")
    assert [line.strip() for line in lines].count("::") == 1
    assert lines[:6] == ["So", "", "::", "", "    V = 1 *", "    2"]


DOCUMENTED = re.compile(
    r"^\.\. (?:autoclass|autoexception|autofunction|py:data):: (?:filterproof\.)?([\w.]+)$", re.MULTILINE
)
NAMED = re.compile(r"`fp\.([A-Za-z_][\w.]*)(?:\([^`]*\))?`")


def _reference() -> Counter[str]:
    pages = [
        page for page in PAGES if page.parent.name == "reference" and "{public}" in page.read_text("utf-8")
    ]
    texts = (expand(page.read_text("utf-8")) for page in pages)
    full_names = (re.sub(r"(py:data:: )(\w+)\n +:module: (.*)", r"\1\3.\2", text) for text in texts)
    return Counter(name for text in full_names for name in DOCUMENTED.findall(text))


def test_every_public_name_is_documented_exactly_once() -> None:
    documented = _reference()
    assert [name for name in public_names() if documented[name] != 1] == []
    assert sorted(documented) == sorted(public_names())
    assert [name for name in public_names() if len(public_docstring(name).split()) < 3] == []


def test_a_page_names_only_what_there_is() -> None:
    named = {name: page.stem for page in PAGES for name in NAMED.findall(page.read_text("utf-8"))}
    assert named
    for name, page in named.items():
        assert attrgetter(name)(fp) is not None, f"{page}: fp.{name}"


#: Pages that take seconds; what they show has tests of its own, and the names in them are looked up in any case.
SLOW = {
    *("attack", "bridges", "counterexample", "libraries", "people", "rates", "realised", "testing"),
    *("tour", "train", "tutorial"),
}
WITH_CODE = [
    page for page in (ROOT / "README.md", *PAGES) if any(language == "python" for language, _ in blocks(page))
]
LINES = [
    line.removeprefix("$ ")
    for page in PAGES
    for language, text in blocks(page)
    if language == "console"
    for line in text.splitlines()
    if line.startswith("$ filterproof ")
]


@pytest.mark.parametrize(
    "page", [page for page in WITH_CODE if page.stem in SLOW], ids=lambda page: page.stem
)
def test_code_that_does_not_run_here_uses_names_that_exist(page: Path) -> None:
    nodes = [
        node for language, text in blocks(page) if language == "python" for node in ast.walk(ast.parse(text))
    ]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("filterproof"):
            module = importlib.import_module(str(node.module))
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []
        elif isinstance(node, ast.Attribute) and re.fullmatch(r"fp(\.\w+)+", name := ast.unparse(node)):
            assert attrgetter(name.removeprefix("fp."))(fp) is not None, name


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] if page.stem in SLOW else [])
        for page in WITH_CODE
    ],
)
def test_the_blocks_of_a_page_print_what_it_says(page: Path) -> None:
    assert run_examples(page) >= (2 if page.stem == "README" else 1)


def test_the_start_the_tutorial_and_every_how_to_show_code() -> None:
    pages = [page for page in PAGES if page.parent.name in ("howto", "papers")]
    assert {"README", "index", "tutorial", "verdicts", *(page.stem for page in pages)} - {"bibliography"} <= {
        page.stem for page in WITH_CODE
    }


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_names_a_command_and_its_options(line: str) -> None:
    _, name, *words = shlex.split(line)
    command = typer.main.get_command(app).commands[name]
    known = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    assert {word for word in words if re.match(r"--?[a-z]", word)} <= known


@pytest.mark.slow  # the proof takes seconds, and has tests of its own
def test_the_howto_of_proofs_shows_what_the_command_prints(tmp_path: Path) -> None:
    (page,) = (page for page in PAGES if page.name == "prove.md")
    source = next(text for language, text in blocks(page) if language == "python")
    shown = next(text for language, text in blocks(page) if "verify" in text)
    exam, _ = examined(written(tmp_path, source.replace("MainAndPetty", "Mine")))
    lines = "\n".join(line for line in exam.lines() if not line.startswith("  admission"))
    assert lines.replace("Mine", "MainAndPetty") == shown.partition("\n")[2].rstrip()
