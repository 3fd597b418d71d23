"""What a person types names a filter or an adversary and is read without running it; a file is loaded, or refused."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from filterproof.filters import ApproximateDPFilter, GaussianFilter, IndividualFilter, PrivacyFilter
from filterproof.mc import Constant, HighWhileLossPositive
from filterproof.reports.target_expression import read_adversary, read_filter, read_promise, read_value
from filterproof.reports.user_filter import load_filter
from filterproof.theory.conversions import BUN_STEINKE
from filterproof.theory.pairs import Gaussian, RandomizedResponse
from tests.reports.typed import MINE


def test_expressions_make_the_values_they_name() -> None:
    assert read_filter("GaussianFilter(mu=0.5)") == GaussianFilter(mu=0.5)
    assert read_filter("GaussianFilter") == GaussianFilter(mu=1.0)  # the example of the catalogue
    assert read_filter("ApproximateDPFilter(1.0, delta=1e-5, conversion=BUN_STEINKE)") == ApproximateDPFilter(
        1.0, 1e-5, BUN_STEINKE
    )
    assert read_adversary("Constant(Gaussian(mu=0.1))") == Constant(Gaussian(mu=0.1))
    assert read_adversary("HighWhileLossPositive") == HighWhileLossPositive()
    assert read_adversary("HighWhileLossPositive(family=RandomizedResponse)") == HighWhileLossPositive(
        family=RandomizedResponse
    )


@pytest.mark.parametrize(
    "value", [-1.5, -2, 0.25, 3, "word", None, (1, -2.0, ("a",)), Gaussian(0.5), BUN_STEINKE]
)
def test_a_value_is_read_as_it_is_printed(value: object) -> None:
    assert repr(read_value("BUN_STEINKE" if value is BUN_STEINKE else repr(value))) == repr(value)


#: What reads the text, the sentence that it ends in, and texts.
REFUSED: list[tuple[Callable[[str], object], str, tuple[str, ...]]] = [
    (read_value, r"\((expression|name)=", ("__import__('os').system('true')", "(lambda: 1)()", "f'{1}'")),
    (read_value, r"\((expression|name)=", ("GaussianFilter(mu=1.0).open()", "[x for x in ()]", "open('x')")),
    (read_value, r"\((expression|name)=", ("Gaussian(**{})", "GaussianFilter(mu=1.0")),
    (read_value, r"\(expression='': invalid syntax\); write a name", ("",)),
    (read_filter, "this is not a filter", ("Gaussian(mu=0.1)", "HighWhileLossPositive()", "BUN_STEINKE")),
    (read_promise, r"not a promise \(.*\); choose one from pure, approx, zcdp, gdp", ("ZCDPFilter(1)",)),
    (read_filter, "the target has one colon .*; write late.py::Late", ("late.py:Late",)),
    (read_filter, r"a file or module and not a filter .*; add ::ClassName", ("late.py", "late", "user.late")),
]


@pytest.mark.parametrize(
    ("read", "sentence", "text"),
    [(read, sentence, text) for read, sentence, texts in REFUSED for text in texts],
)
def test_nothing_but_names_numbers_and_calls_of_the_kind_asked_for_is_read(
    read: Callable[[str], object], sentence: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late.py").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=sentence):
        read(text)


GOOD = f"""{MINE}
class Halt(BaseException): pass

class Halts(MyFilter):
    def __init__(self): raise Halt("stop")

class Greets(MyFilter): promise = "hello"

class NoPromise(fp.PrivacyFilter):
    def start(self, n): return np.zeros(n)
    def admits(self, spent, request): return spent < 1
    def spend(self, spent, request): return spent + 1

class NeedsMore(MyFilter):
    def __init__(self, budget): self.budget = budget

class Each(fp.IndividualFilter):
    def __init__(self): super().__init__(fp.GaussianFilter(mu=1.0), people=2)

instance = MyFilter()
number = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("name", ["MyFilter", "instance"])
def test_a_class_or_an_instance_is_found(file: Path, name: str) -> None:
    assert isinstance(load_filter(f"{file}::{name}"), PrivacyFilter)
    assert isinstance(load_filter(f"{file}::Each"), IndividualFilter)  # an accountant, too


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("{file}", "write file.py::MyFilter"),
        ("{file}::Missing", "it defines Each, Greets, Halts, MyFilter, NeedsMore, NoPromise"),
        ("{file}::NoPromise", "has no guarantee"),
        ("{file}::Greets", "promise has the type str and is not a guarantee"),
        ("{file}::Halts", "constructor raised Halt: stop"),
        ("{file}::NeedsMore", "cannot be called without arguments"),
        ("{file}::number", "the target is of the type int and not a filter"),
        ("nowhere.py::X", "no file at 'nowhere.py'"),
        ("{file.parent}/mien.py::X", "mien.py'; did you mean 'mine.py'"),
        ("{file.parent}::X", "is a folder"),
        ("my_gone::filt", "no file at 'my_gone', and no module of that name"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(file: Path, target: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as caught:
        load_filter(target.format(file=file))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        ("import nothing_of_that_name\n", "ModuleNotFoundError"),
        ("raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("def __getattr__(name): exit(0)\n", "SystemExit: 0"),
    ],
)
def test_a_file_that_does_not_import_says_what_it_raised(file: Path, text: str, raised: str) -> None:
    file.write_text(text)
    with pytest.raises(ValueError, match=f"the import raised {raised}"):
        load_filter(f"{file}::MyFilter")


def test_a_filter_of_a_module_is_found_by_its_name_also_in_a_folder_with_the_name_of_a_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "filters").mkdir()
    (tmp_path / "filters" / "__init__.py").write_text("PRICE = 1")
    (tmp_path / "filters" / "mine.py").write_text(f"from filters import PRICE\n{GOOD}")
    (tmp_path / "my_broken_module.py").write_text("import nothing_of_that_name\n")
    assert isinstance(load_filter("filters.mine::MyFilter"), PrivacyFilter)
    with pytest.raises(ValueError, match=r"the import raised .*nothing_of_that_name"):
        load_filter("my_broken_module::filt")


#: A file, what it imports, and the files beside it.
BESIDE = (
    ("work_a/shop.py", "from prices_a import PRICE", ("prices_a.py",)),
    (
        "work_d/goods_d/inner/shop.py",
        "from ..prices_d import PRICE",
        ("goods_d/__init__.py", "goods_d/inner/__init__.py", "goods_d/prices_d.py"),
    ),
)


@pytest.mark.parametrize(("place", "line", "others"), BESIDE)
def test_a_file_imports_what_stands_beside_it_and_in_its_package(
    tmp_path: Path, place: str, line: str, others: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    home = tmp_path / place.partition("/")[0]
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text(f"{line}\n{GOOD}")
    for other in others:
        (home / other).write_text("PRICE = 1")
    assert isinstance(load_filter(f"{tmp_path / place}::MyFilter"), PrivacyFilter)
    assert sys.path.count(str(home)) == 1
