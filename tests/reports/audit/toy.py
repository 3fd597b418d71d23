"""A folder of findings about one toy: an accountant that answers a tenth of what is due."""

from pathlib import Path

from reports.audit.fault import Library
from reports.audit.registry import libraries_of

THERE = "def tenth(truth):\n    assert truth == 3, 3\n"
GONE = "def tenth(truth):\n    assert truth == 2, 2\n"

TEXT = """
distribution = "numpy"
held = ["It adds."]
left_out = ["Everything else."]

[[entry]]
name = "tenth.Tenth"
rule = "adds tenths"
where = "here"
theorem = "none"
promises = "zCDP"
subject = "tenth"

[[finding]]
key = "tenth"
kind = "wrong number"
entry = "tenth.Tenth"
breaks = [BREAKS]
routes = [["by hand", "two"], ["by another hand", "added", VALUE]]
says = '''
It answers
  a tenth.
'''
expected = "{:.0f}"
why = "It is unsafe."
fix = "Multiply by ten."
"""

_SUBJECTS = """
import filterproof as fp
from mc.accountants.law_answers import subject_of


class Tenth:
    def __init__(self):
        self.rho = 0.0

    def compose(self, rho, count):
        self.rho += rho * count / 10


def tenth():
    return subject_of(
        fp.from_accountant(
            Tenth,
            lambda pair: float(pair.zcdp_rho),
            fp.ZCDP(0.2),
            menu=(fp.Gaussian(0.5), fp.Gaussian(1.0)),
            spent=lambda held: held.rho,
        )
    )
"""

_ROUTES = """
def two():
    return 2.0


def added(*parts):
    return sum(parts)
"""


def toy(
    findings: Path,
    *,
    text: str = TEXT,
    faults: str = THERE,
    value: float = 2.0,
    laws: tuple[str, ...] = ("what_it_answers_is_at_least_the_truth",),
) -> Library:
    """The toy, written to a folder and read from it; its second route to the true value, 2, ends at `value`."""
    folder = findings / "toy"
    folder.mkdir(parents=True)
    breaks = ", ".join(f'["tenth.Tenth", "{law}"]' for law in laws)
    words = text.replace("BREAKS", breaks).replace("VALUE", repr(value))
    (folder / "library.toml").write_text(words, "utf-8")
    (folder / "subjects.py").write_text(_SUBJECTS, "utf-8")
    (folder / "routes.py").write_text(_ROUTES, "utf-8")
    (folder / "faults.py").write_text(faults, "utf-8")
    return libraries_of(findings)["toy"]
