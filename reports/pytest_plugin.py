"""The pytest plugin: a filter is a test.

`pytest --filterproof mine.py::MyFilter` adds a test for a filter of a file, or of a module, `package.module::Class`.
`@pytest.mark.filterproof(effort=0.3)` examines the filter that a test function returns or gets from a fixture. The test
fails if the guarantee is refuted or the examination was not possible. Passing is no proof.

The module is an entry point that pytest loads at every start. It imports the rest of Filterproof inside functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from filterproof.filters.privacy_filter import PrivacyFilter

#: The properties of a report, which JUnit shows, and why the item fails, '' if it passes.
_Examined: TypeAlias = tuple[list[tuple[str, object]], str]

#: The arguments of a mark.
_ARGUMENTS = ("effort", "mechanisms", "seconds", "seed", "thorough", "stages")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("filterproof", "privacy filters")
    group.addoption(
        "--filterproof",
        action="append",
        default=[],
        metavar="TARGET",
        help="examine a filter, file.py::Class or module::Class, as a test; repeatable",
    )
    group.addoption(
        "--filterproof-effort",
        type=float,
        default=None,
        metavar="EFFORT",
        help="amount of work for each filter; overrides the marks (default: 1)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "filterproof(effort=1, mechanisms=None): examine the filter that the test returns, or gets from a fixture",
    )
    effort = config.getoption("--filterproof-effort")
    if effort is not None and not 0 < effort < float("inf"):
        raise pytest.UsageError(
            f"the effort is not a number > 0 (--filterproof-effort={effort!r}); pass 1, say"
        )


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
        from filterproof.mc.examine.worker import run_isolated

        with _faults_as_failures(self):  # its file is code, which is run where it can do no harm
            examined = run_isolated(
                partial(_examine_target, self.target, _options_of_item(self, {})),
                whose=self.target,
                command=True,
            )
        _add_properties_or_fail(self, *examined)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ValueError):
            return str(excinfo.value)  # the target cannot be used
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.config.invocation_params.dir / self.target.partition("::")[0], None, self.target


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    mark = pyfuncitem.get_closest_marker("filterproof")
    if mark is None:
        return None
    from filterproof.filters.privacy_filter import PrivacyFilter

    if refused := _mark_error_text(mark):
        pytest.fail(refused, pytrace=False)
    given = {name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters}
    value = pyfuncitem.obj(**given)
    filters = (
        [value]
        if value is not None
        else [candidate for candidate in given.values() if isinstance(candidate, PrivacyFilter)]
    )
    if not filters or not all(isinstance(candidate, PrivacyFilter) for candidate in filters):
        pytest.fail(
            f"the test has the mark filterproof and no filter (returned: {value!r}); return a filter, or use a fixture",
            pytrace=False,
        )
    for filt in filters:
        with _faults_as_failures(pyfuncitem):
            examined = _examine_filter(filt, _options_of_item(pyfuncitem, dict(mark.kwargs)))
        _add_properties_or_fail(pyfuncitem, *examined)
    return True


def _mark_error_text(mark: pytest.Mark) -> str:
    """Return why a mark's arguments are invalid; '' if they are valid."""
    from filterproof.filters.contract.work import checked_effort
    from filterproof.theory.argument_checks import did_you_mean

    if mark.args:
        return f"the mark filterproof has an argument without a name ({mark.args[0]!r}); write effort={mark.args[0]!r}"
    if unknown := [name for name in mark.kwargs if name not in _ARGUMENTS]:
        remedy = did_you_mean(unknown[0], _ARGUMENTS) or f"; choose from {', '.join(_ARGUMENTS)}"
        return (
            f"the mark filterproof has an unknown argument ({unknown[0]}={mark.kwargs[unknown[0]]!r}){remedy}"
        )
    try:
        checked_effort(mark.kwargs.get("effort", 1.0))
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def _options_of_item(item: pytest.Item, how: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of the mark with the effort of the command line."""
    effort = item.config.getoption("--filterproof-effort")
    return how | ({} if effort is None else {"effort": effort})


def _examine_target(target: str, how: dict[str, Any]) -> _Examined:
    """Load a target and examine it; return the item's properties and the failure message."""
    from filterproof.reports.user_filter import load_filter

    return _examine_filter(load_filter(target), how, target)


def _examine_filter(filt: PrivacyFilter, how: dict[str, Any], target: str | None = None) -> _Examined:
    """Examine a filter; return the properties of the item, and why it fails or ''."""
    from filterproof.mc.examine.verification import failure, verify

    exam = verify(filt, target=target, **how)
    properties: list[tuple[str, object]] = [
        ("filter", exam.name),
        ("outcome", exam.headline),
        ("evidence", exam.verdict.evidence.name),
        ("scope", exam.verdict.scope),
    ]
    return properties, failure(exam)


def _add_properties_or_fail(item: pytest.Item, properties: list[tuple[str, object]], message: str) -> None:
    """Add the properties to the item, and fail if there is a message."""
    item.user_properties += properties
    if message:
        pytest.fail(message, pytrace=False)


@contextmanager
def _faults_as_failures(item: pytest.Item) -> Iterator[None]:
    """Fail the item with the message of a FilterFault and without its traceback."""
    from filterproof.mc.examine.filter_fault import FilterFault

    try:
        yield
    except FilterFault as fault:
        _add_properties_or_fail(item, [], str(fault))
