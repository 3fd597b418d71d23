"""A command as a person types it, in a child of this process: what is imported here the child need not load again."""

import os
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing import forkserver
from pathlib import Path
from typing import NamedTuple, NoReturn

import typer

from filterproof.reports.cli import app, main
from filterproof.reports.commands import verify_target  # noqa: F401 - a command imports it when it is run

#: A file of a person's own, with a sound filter from which others are made.
MINE = """
import os, sys, time
import numpy as np
import typer
import filterproof as fp

class MyFilter(fp.PrivacyFilter):
    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)
    def start(self, n): return np.zeros(n)
    def admits(self, spent, request): return spent + request.pure_epsilon**2 / 2 <= 0.02
    def spend(self, spent, request): return spent + request.pure_epsilon**2 / 2
"""
#: The same file with filters of every kind that a command meets.
CAST = f"""{MINE}
class Lax(MyFilter):
    def admits(self, spent, request): return spent <= 0.02

class DeniesAll(MyFilter):
    def admits(self, spent, request): return np.zeros(len(spent), bool)

class Raises(MyFilter):
    def admits(self, spent, request): raise ValueError("no\\nmoney")

class Leaves(MyFilter):
    @property
    def promise(self): raise typer.Exit(0)

class Interrupts(MyFilter):
    def admits(self, spent, request): raise KeyboardInterrupt

class Odd(fp.ApproxDP):
    def __str__(self): sys.exit(0)

class Says(MyFilter): promise = Odd(epsilon=1.0, delta=1e-3)

class Hangs(MyFilter):
    def spend(self, spent, request): time.sleep(1000)

class Slow(MyFilter):
    def spend(self, spent, request):
        open("playing", "w").close()
        time.sleep(0.2)
        return spent

class Purse:
    def __init__(self, disk): self.disk = disk
    def request(self, pair, key):
        spent = self.disk.get("spent", 0.0) + pair.pure_epsilon
        if spent <= 1.0:
            yield fp.services.Release()
            self.disk["spent"] = spent

class Good(fp.AdditiveFilter):
    promise, charge = fp.ZCDP(0.5), fp.zcdp_charge

class Late(Good):
    def admits(self, state, request): return self.remaining(state) > 0

class Above(fp.AdditiveFilter):
    promise, charge = fp.ApproxDP(1.0, 1e-5), fp.zcdp_charge
    budget = fp.Budget.of(0.0305565953)
"""


class Ended(NamedTuple):
    """How a command ended: its exit status, or minus the signal that ended it, and all that it wrote."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Started:
    """A command that runs in a session of its own, and the folder of what it writes."""

    pid: int
    written: Path

    def end(self) -> Ended:
        """Wait for its end."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return Ended(status, *((self.written / name).read_text("utf-8") for name in ("out", "err")))

    def wait_for(self, path: Path) -> None:
        """Wait until it has written the file."""
        while not path.exists():
            assert os.waitpid(self.pid, os.WNOHANG) == (0, 0), (self.written / "err").read_text("utf-8")
            time.sleep(0.02)


@cache
def _load() -> None:
    """Import once, for all children, what typer imports when it first reads an option, and what draws."""
    typer.main.get_command(app).make_context("filterproof", ["list"])
    import_module("matplotlib.backends.backend_svg")


def start(*arguments: str, cwd: Path, before: Callable[[], object] = lambda: None) -> Started:
    """Start the command; `before` is done in the child alone, ahead of it."""
    _load()
    written = cwd.with_name(f"{cwd.name}-{time.monotonic_ns()}")
    written.mkdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child has none of
        pid = os.fork()
    if not pid:
        try:
            _run(arguments, cwd, written, before)
        except BaseException:  # noqa: BLE001 - it must not go on as a second pytest
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(99)  # no status of ours
    return Started(pid, written)


def filterproof(*arguments: str, cwd: Path, before: Callable[[], object] = lambda: None) -> Ended:
    """What comes back from the command."""
    return start(*arguments, cwd=cwd, before=before).end()


def _run(arguments: tuple[str, ...], cwd: Path, written: Path, before: Callable[[], object]) -> NoReturn:
    os.setsid()
    os.chdir(cwd)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(written / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8") for number in (1, 2))
    sys.argv, sys.path = ["filterproof", *arguments], [str(cwd), *sys.path]
    os.environ["COLUMNS"] = "400"
    warnings.resetwarnings()  # as an interpreter starts: pytest makes them errors
    for hidden in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
        warnings.simplefilter("ignore", hidden)
    # an event loop of an earlier test may have left signals that interrupt no wait
    signal.signal(signal.SIGINT, signal.default_int_handler)
    forkserver._forkserver.__init__()  # the one of the parent is not ours to ask
    before()
    status = 0
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
