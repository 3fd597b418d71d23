"""What pytest loads at its start: the plugin `reports.pytest_plugin`, or a sentence where `reports` is another's.

It has a name that no repository has, and runs nothing of ours, nor of whoever has a package `reports`.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

_spec = find_spec("reports")
_folders = [] if _spec is None else _spec.submodule_search_locations or []
if Path(__file__).resolve().parent / "reports" not in [Path(folder).resolve() for folder in _folders]:
    try:
        import filterproof as filterproof
    except ImportError as error:
        raise pytest.UsageError(str(error)) from error

#: The plugin, which pytest imports by this name, so that `-p reports.pytest_plugin` besides loads it no second time.
pytest_plugins = ["reports.pytest_plugin"]
