"""The examples in docstrings run and print what they say."""

import doctest
import linecache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.test_modules import MODULES

#: What has examples; a module without any has nothing to run.
WITH_EXAMPLES = [name for name in MODULES if ">>> " in Path(find_spec(name).origin).read_text("utf-8")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_of_a_module_run(
    name: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if name.startswith("filterproof.mc.examine"):
        request.getfixturevalue("proved")
    # before each example doctest's debugger looks whether any file that was ever read has changed
    monkeypatch.setattr(linecache, "checkcache", lambda filename=None: None)
    ran = doctest.testmod(import_module(name))
    assert ran.failed == 0
    assert ran.attempted > 0
