"""The parts of the corpus: one written before the search of `mc/examine`, four after, their authors unread in it.

Bugs that public threads tell are in `public`, each with its repair. The third part was written when the search was
mended after the second, the fourth before it read a filter's frontier, the fifth before it moved budgets by losses on a
grid and played long histories.
"""

from importlib import import_module
from pathlib import Path

from tests.instruments.corpus.case import Case


def _part(name: str) -> tuple[Case, ...]:
    files = sorted((Path(__file__).parent / name).glob("*.py"))
    modules = [import_module(f"{__package__}.{name}.{file.stem}") for file in files]
    return tuple(case for module in modules for case in getattr(module, "CASES", ()))


PARTS = {name: _part(name) for name in ("first", "second", "third", "fourth", "fifth")}
