"""The pytest plugin: a filter is a test.

`pytest --filterproof mine.py::MyFilter` adds an item for a filter of a file, or of a module, `package.module::Class`;
`@pytest.mark.filterproof(seconds=10)` makes one of a test function that returns a filter, or is given one by a
fixture. An item fails when the promise is refuted or the filter could not be examined. Passing is no proof.

pytest loads this module at every start, so that it imports nothing of ours but within the functions.

Load it by `pytest -p reports.pytest_plugin`, or by `pytest_plugins = "reports.pytest_plugin"` in a conftest.py. It is
no entry point: pytest would then rewrite the assertions of all of Filterproof, which a run store takes for other code.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from filters.privacy_filter import PrivacyFilter
    from reports.examined import Examined
    from reports.sarif import Result

__all__ = ["FilterItem"]

_SECONDS = 30.0
#: The properties of a report from which SARIF is written; JUnit shows them too.
_RULE, _FILE, _LINE = "rule", "file", "line"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("filterproof", "privacy filters")
    group.addoption(
        "--filterproof",
        action="append",
        default=[],
        metavar="TARGET",
        help="examine a filter, file.py::Class or module::Class, as one more test; may be repeated",
    )
    group.addoption(
        "--filterproof-seconds",
        type=float,
        default=None,
        metavar="SECONDS",
        help=f"how long to examine each filter, whatever its mark says (default {_SECONDS:g})",
    )
    group.addoption("--filterproof-sarif", metavar="FILE", help="write the filters that fail as SARIF 2.1.0")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "filterproof(seconds=30, mechanisms=None): examine the filter that the test returns, or gets from a fixture",
    )
    seconds = config.getoption("--filterproof-seconds")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise pytest.UsageError(
            f"--filterproof-seconds must be a number of seconds > 0, got {seconds!r}; pass 30, say"
        )
    file = config.getoption("--filterproof-sarif")
    if file is not None and not hasattr(config, "workerinput"):  # with xdist the first process writes
        config.pluginmanager.register(_Sarif(config.rootpath, Path(file)), "filterproof-sarif")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    # first, so that -k and --deselect see these items too
    items.extend(
        FilterItem.from_parent(session, name=target.rpartition("::")[2], target=target)
        for target in config.getoption("--filterproof")
    )


class FilterItem(pytest.Item):
    """The examination of the filter that `target` names."""

    def __init__(self, *, target: str, **given: Any) -> None:
        super().__init__(nodeid=target, **given)
        self.target = target
        self.add_marker("filterproof")

    def runtest(self) -> None:
        from reports.user_filter import load_filter

        with _faults(self):
            filt = load_filter(self.target)
        _examine(self, filt, {}, target=self.target)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ValueError):
            return str(excinfo.value)  # the target cannot be used, which is a sentence
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.config.invocation_params.dir / self.target.partition("::")[0], None, self.target


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    mark = pyfuncitem.get_closest_marker("filterproof")
    if mark is None:
        return None
    from filters.privacy_filter import PrivacyFilter

    names = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in names}
    made = pyfuncitem.obj(**given)
    found = [made] if made is not None else [one for one in given.values() if isinstance(one, PrivacyFilter)]
    if not found or not all(isinstance(one, PrivacyFilter) for one in found):
        pytest.fail(
            f"a test marked filterproof must return a filter, or get one from a fixture, got {made!r}; return it",
            pytrace=False,
        )
    for filt in found:
        _examine(pyfuncitem, filt, dict(mark.kwargs))
    return True


def _examine(
    item: pytest.Item, filt: PrivacyFilter, how: dict[str, Any], *, target: str | None = None
) -> None:
    """Examine a filter, keep what was found as the item's properties, and fail where `assert_holds` would."""
    from reports.assertion import failure
    from reports.examined import verify

    seconds = item.config.getoption("--filterproof-seconds")
    how = {"seconds": _SECONDS} | how | ({} if seconds is None else {"seconds": seconds})
    with _faults(item, filt):
        exam = verify(filt, target=target, **how)
        told = failure(exam)
        _keep(item, exam)
    if told:
        _fail(item, _rule(exam), told, filt)


def _rule(exam: Examined) -> str:
    return {"REFUTED": "refuted", "NOT EXAMINED": "nothing-admitted"}.get(exam.headline, "fault")


def _keep(item: pytest.Item, exam: Examined) -> None:
    item.user_properties += [
        ("filter", exam.name),
        ("outcome", exam.headline),
        ("evidence", exam.verdict.evidence.name),
        ("scope", exam.verdict.scope),
    ]


@contextmanager
def _faults(item: pytest.Item, filt: PrivacyFilter | None = None) -> Iterator[None]:
    """Fail the item with the sentence of a FilterFault, whose traceback would show our code alone."""
    from mc.examine.fault import FilterFault

    try:
        yield
    except FilterFault as fault:
        _fail(item, "fault", str(fault), filt)


def _fail(item: pytest.Item, rule: str, message: str, filt: PrivacyFilter | None) -> NoReturn:
    from reports.witness_words import file_of

    file, line = file_of(type(filt)) if filt is not None else (None, 1)
    if file is None:
        file, line = Path(item.location[0]), (item.location[1] or 0) + 1
    item.user_properties += [(_RULE, rule), (_FILE, str(file)), (_LINE, line)]
    pytest.fail(message, pytrace=False)


class _Sarif:
    """Collects the failures of this run from the reports of its tests, also those of xdist's workers."""

    def __init__(self, root: Path, file: Path) -> None:
        self.root, self.file = root, file
        self.found: list[Result] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        from reports.sarif import Result

        told = dict(report.user_properties)
        if report.when != "call" or _RULE not in told:
            return
        path = Path(str(told[_FILE]))
        within = path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else path.as_posix()
        self.found.append(Result(str(told[_RULE]), report.longreprtext, within, int(str(told[_LINE]))))

    def pytest_sessionfinish(self) -> None:
        from reports.examined import version
        from reports.sarif import sarif

        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(sarif(self.found, version()), indent=2) + "\n", "utf-8")
