"""A filter whose decisions come from a program in any language, through JSON lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.adapters.bridge import DECISION_UNITS, LINE_UNITS, Bridge, printable_start
from filterproof.filters.adapters.commands import ask_command_text, command_text, json_loss, request_text
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.theory.argument_checks import check_positive
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs import DominatingPair

#: The most open runs and kept decisions, the number of requests whose denial is repeated, and how often each.
_MAX_OPEN_RUNS, _MAX_DECISIONS, _PROBED_REQUESTS, _PROBES_EACH = 512, 1 << 18, 64, 2

#: The position of a run, by number, and its request.
_Question: TypeAlias = "tuple[int, DominatingPair]"


class BridgedFilter(PrivacyFilter):
    """Continue while the program grants the request. A violation of the protocol is raised and is no denial.

    State: a number for each run, shape (n,). It identifies the granted requests in order, which are played again with a
    new budget if no open one has that history. For a program with `state` and `restart`, it identifies the stored text,
    from which the program restarts before each decision. `BridgeError` is raised if the program decides differently
    after a restart, after a repeated denial, or for another budget with the same history.

    Source: the program under test; nothing here assumes that its rule is sound.
    """

    sound = None
    proof = "none: the rule is that of another program"

    def __init__(self, bridge: Bridge, promise: Guarantee) -> None:
        self.bridge, self.promise = bridge, promise
        self.scope = "every adaptive adversary over the mechanisms, if their pairs describe them"
        bridge.start()
        #: Run by a worker before the examination, so that the start of the program does not count as a slow decision.
        self.asks_program = _BridgeRuns(bridge)

    def __repr__(self) -> str:
        return f"BridgedFilter({self.bridge.name!r}, {self.promise})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.bridge, self.promise)

    @property
    def command_line_options(self) -> tuple[str, ...]:
        """The options `--exec` and `--promise` with which a command names this filter."""
        return "--exec", shlex.join(self.bridge.words), "--promise", repr(self.promise)

    def start(self, n: int) -> NDArray[np.int64]:
        return np.full(n, self.asks_program.fresh_position(), dtype=np.int64)

    def admits(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.bool_]:
        return self.step(state, request)[0]

    def spend(self, state: NDArray[np.int64], request: DominatingPair) -> NDArray[np.int64]:
        return self.step(state, request)[1]

    def step(
        self, state: NDArray[np.int64], request: DominatingPair
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        count_work(LINE_UNITS + DECISION_UNITS * len(state))  # also for cached decisions
        questions = [(int(at), request.of_run(run)) for run, at in enumerate(state)]
        decided = self.asks_program.positions_after_requests(dict.fromkeys(questions))
        granted = np.array([decided[question] is not None for question in questions], dtype=np.bool_)
        after = [
            at if decided[question] is None else decided[question]
            for question, at in zip(questions, state, strict=True)
        ]
        return granted, np.array(after, dtype=np.int64)

    def answers_in_turn(self, requests: tuple[DominatingPair, ...]) -> tuple[bool, ...]:
        """Return the answers of one new budget to requests in turn, without a restart in between."""
        count_work(LINE_UNITS + DECISION_UNITS * len(requests))
        return self.asks_program.answers_of_new_budget(requests)

    def readable_state(self, state: Any) -> NDArray[Any]:
        """Return readable text for a state: the stored text of each run, or the number of grants."""
        return np.array([self.asks_program.position_text(int(at)) for at in state], dtype=object)

    def is_reachable_state(self, state: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.array([int(at) in self.asks_program.stood for at in state], dtype=np.bool_)


class ObservingBridgedFilter(BridgedFilter):
    """A bridged filter whose program is told the loss of each release: it states the ability `observe`."""

    def observe(self, state: NDArray[np.int64], loss: NDArray[np.float64]) -> NDArray[np.int64]:
        count_work(LINE_UNITS + DECISION_UNITS * len(state))
        seen = list(zip(map(int, state), map(float, loss), strict=True))
        after = self.asks_program.positions_after_losses(dict.fromkeys(seen))
        return np.array([after[question] for question in seen], dtype=np.int64)


class _BridgeRuns:
    """The requests and answers of a bridge: the positions of runs, and the open budgets."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge
        #: The granted requests and the observed losses of a position, the last one first, or the stored text.
        self.stood: dict[int, tuple[int, DominatingPair | float] | str | None] = {0: None}
        self.known_decisions: dict[_Question, int | None] = {}
        self.known_losses: dict[tuple[int, float], int] = {}
        self._forget_budgets()

    def __reduce__(self) -> tuple[Any, ...]:  # this cache does not influence decisions
        return _BridgeRuns, (self.bridge,)

    def start_program(self) -> None:
        """Start the program if this process has not started it."""
        if self.bridge.start():
            self._forget_budgets()

    def _forget_budgets(self) -> None:
        """Forget the budgets of another process."""
        self.open: dict[int, int] = {}
        self.closing: list[str] = []
        #: The key of each budget's last request.
        self.keys: dict[int, str] = {}
        self.number = self.probed = 0
        self.repeats = repeat(1, _PROBED_REQUESTS)

    def fresh_position(self) -> int:
        """Return the position of a run without granted requests."""
        self.start_program()
        if not self.bridge.stores:
            return 0
        run = self._next_run_number()
        _, answers = self._exchange([command_text("open", run), command_text("state", run)])
        self._queue_close_command(run)
        return self._position_of_stored_state(answers)

    def positions_after_requests(self, questions: Iterable[_Question]) -> dict[_Question, int | None]:
        """Return the position of each run after its request, or None after a denial."""
        self.start_program()
        if len(self.known_decisions) > _MAX_DECISIONS:
            self.known_decisions.clear()
        wanted = list(questions)
        # only the first of the cached decisions are repeated
        new = [key for key in wanted if key not in self.known_decisions or next(self.repeats, 0)]
        for first in range(0, len(new), _MAX_OPEN_RUNS):
            for question, after in self._new_positions(new[first : first + _MAX_OPEN_RUNS]).items():
                if self.known_decisions.setdefault(question, after) != after:
                    raise self.bridge.violation_error(
                        f"decides differently on {question[1]!r} for a second budget with the same history",
                        "let its decisions depend on the requests of that budget only",
                    )
        return {key: self.known_decisions[key] for key in wanted}

    def position_text(self, at: int) -> str:
        """Return the stored text of a position, or its number of grants and the losses that it was told."""
        stood, grants, losses = self.stood.get(at), 0, list[float]()
        if isinstance(stood, str):
            return printable_start(stood)
        while isinstance(stood, tuple):
            before, last = stood
            losses += [last] if isinstance(last, float) else []
            grants += not isinstance(last, float)
            stood = self.stood[before]
        losses_text = f", losses {', '.join(f'{loss:.4g}' for loss in reversed(losses))}" if losses else ""
        return f"{grants} granted{losses_text}"

    def answers_of_new_budget(self, requests: Iterable[DominatingPair]) -> tuple[bool, ...]:
        """Return the answers of one new budget, each request with a key of its own."""
        self.start_program()
        run, answers = self._next_run_number(), list[bool]()
        self._exchange([command_text("open", run)])
        for place, pair in enumerate(requests):
            (answer,) = self._exchange([self._keyed_ask_command_text(run, place, pair)])
            answers.append(self.bridge.granted(answer, pair))
            self._exchange(self._commands_after_grant(run) if answers[-1] else ())
        self._queue_close_command(run)
        return tuple(answers)

    def _new_positions(self, questions: list[_Question]) -> dict[_Question, int | None]:
        """Return decisions of budgets at the positions of the questions: open budgets, or new ones brought there.

        A program that stores is asked after a restart. An open budget at that position is asked as well.
        """
        stores, commands = self.bridge.stores, list[str]()
        due: list[tuple[int, DominatingPair]] = []
        runs: list[tuple[list[int], slice]] = []
        for at, pair in questions:
            budgets = [self.open.pop(at)] if at in self.open else []
            if stores or not budgets:
                budgets.insert(0, self._next_run_number())
                self._restore_position(at, budgets[0], commands, due)
            runs.append((budgets, slice(len(commands), len(commands) + len(budgets))))
            commands += [self._keyed_ask_command_text(run, at, pair) for run in budgets]
        answers = self._exchange(commands)
        self._check_replayed_grants(answers, due)
        decisions, commands, stored = [], [], dict[int, int]()
        for (_, pair), (budgets, places) in zip(questions, runs, strict=True):
            granted = [self.bridge.granted(answer, pair) for answer in answers[places]]
            if granted[0] != granted[-1]:
                says = ("grants", "denies") if granted[0] else ("denies", "grants")
                raise self.bridge.violation_error(
                    f"{says[0]} {pair!r} after a restart from its own state, and {says[1]} it without one",
                    "store everything that a decision depends on, numbers with all digits, before a release",
                )
            decisions.append(granted[0])
            for run in budgets if granted[0] else ():
                commands += self._commands_after_grant(run)
                if stores:
                    stored[run] = len(commands)
                    commands.append(command_text("state", run))
        answers, standings = self._exchange(commands), dict[_Question, int | None]()
        for (at, pair), (budgets, _), yes in zip(questions, runs, decisions, strict=True):
            after = None
            if not yes:
                self._repeat_denied(budgets[0], at, pair)
            elif stores:
                after = self._position_of_stored_state(answers[stored[budgets[0]]])
            else:
                after = _successor_position(at, request_text(pair))
                self.stood[after] = at, pair
            if after is not None:
                self._keep_open(after, budgets.pop())
            for run in budgets:
                self._queue_close_command(run)
            standings[at, pair] = after
        return standings

    def positions_after_losses(self, questions: Iterable[tuple[int, float]]) -> dict[tuple[int, float], int]:
        """Tell the program observed losses, and return the position of each run after its loss."""
        self.start_program()
        wanted = list(questions)
        for at, loss in [question for question in wanted if question not in self.known_losses]:
            commands, due = list[str](), list[tuple[int, DominatingPair]]()
            run = self.open.pop(at, 0)
            if not run:
                run = self._next_run_number()
                self._restore_position(at, run, commands, due)
            commands.append(command_text("observe", run, loss=json_loss(loss)))
            commands += [command_text("state", run)] if self.bridge.stores else []
            answers = self._exchange(commands)
            self._check_replayed_grants(answers, due)
            if self.bridge.stores:
                after = self._position_of_stored_state(answers[-1])
            else:
                after = _successor_position(at, f"observe {loss!r}")
                self.stood[after] = at, loss
            self._keep_open(after, run)
            self.known_losses[at, loss] = after
        return {question: self.known_losses[question] for question in wanted}

    def _check_replayed_grants(
        self, answers: Sequence[dict[str, Any]], due: list[tuple[int, DominatingPair]]
    ) -> None:
        """Raise BridgeError unless the program grants again what it granted in a history."""
        for place, before in due:
            if not self.bridge.granted(answers[place], before):
                raise self.bridge.violation_error(
                    f"denies {before!r} to a fresh budget and granted it to another with the same past",
                    "let its decisions depend on what that budget was asked for alone",
                )

    def _restore_position(
        self, at: int, run: int, commands: list[str], due: list[tuple[int, DominatingPair]]
    ) -> None:
        """Bring a new budget to a position: restart it there, or play its history again.

        What was granted on the way there must be granted again: `due` receives its places in `commands`.
        """
        stood, past = self.stood[at], list[tuple[int, DominatingPair | float]]()
        if self.bridge.stores:
            commands.append(command_text("restart", run, state=str(stood)))
            return
        while isinstance(stood, tuple):
            past.append(stood)
            stood = self.stood[stood[0]]
        commands.append(command_text("open", run))
        for before, pair in reversed(past):
            if isinstance(pair, float):
                commands.append(command_text("observe", run, loss=json_loss(pair)))
                continue
            due.append((len(commands), pair))
            commands += [self._keyed_ask_command_text(run, before, pair), *self._commands_after_grant(run)]

    def _repeat_denied(self, run: int, at: int, pair: DominatingPair) -> None:
        """Repeat a denied request: it must be denied again."""
        if self.probed < _PROBED_REQUESTS:
            self.probed += 1
            for answer in self._exchange([self._keyed_ask_command_text(run, at, pair)] * _PROBES_EACH):
                if self.bridge.granted(answer, pair):
                    raise self.bridge.violation_error(
                        f"denies {pair!r} and grants it when asked again, without another request in between",
                        "let a denial change nothing",
                    )

    def _position_of_stored_state(self, answer: dict[str, Any]) -> int:
        """Record the program's stored text, and return its position."""
        text = self.bridge.stored_text(answer)
        at = _successor_position(0, text)
        self.stood[at] = text
        return at

    def _keep_open(self, at: int, run: int) -> None:
        """Keep a budget open at its position."""
        if at in self.open or len(self.open) >= _MAX_OPEN_RUNS:
            self._queue_close_command(run)
        else:
            self.open[at] = run

    def _queue_close_command(self, run: int) -> None:
        """Add the command that closes a budget to the next line."""
        self.keys.pop(run, None)
        self.closing.append(command_text("close", run))

    def _next_run_number(self) -> int:
        """Return the number of a new budget."""
        self.number += 1
        return self.number

    def _commands_after_grant(self, run: int) -> list[str]:
        """Return the commands "commit" and "release" as far as the program knows them."""
        key = self.keys.get(run)
        return [
            command_text(ability, run, key)
            for ability in ("commit", "release")
            if ability in self.bridge.stated_abilities
        ]

    def _keyed_ask_command_text(self, run: int, at: int, pair: DominatingPair) -> str:
        """Return the command of a request. With keys, the same history always gives the same key."""
        if "keys" in self.bridge.stated_abilities:
            self.keys[run] = str(_successor_position(at, request_text(pair)))
        return ask_command_text(run, pair, self.keys.get(run))

    def _exchange(self, commands: Sequence[str]) -> list[dict[str, Any]]:
        if not commands:
            return []
        closing, self.closing = self.closing, []
        answers = self.bridge.exchange([*closing, *commands])[len(closing) :]
        for sent, answer in zip(commands, answers, strict=True):
            if "error" in answer and not sent.startswith('{"do":"ask"'):
                raise self.bridge.violation_error(
                    f"answered the error {printable_start(answer['error'])} to {sent[:60]}"
                )
        return answers


def _successor_position(at: int, text: str) -> int:
    """Return the position after `text` happens at a position: a digest, equal in all processes."""
    return -(int.from_bytes(blake2b(f"{at} {text}".encode(), digest_size=8).digest(), "big") >> 2) or -1


def from_command(command: str | Sequence[str], promise: Guarantee, *, seconds: float = 10.0) -> BridgedFilter:
    """Create a filter from a program that decides in another process or language.

    Parameters
    ----------
    command : str or sequence of str
        The command. A string is split as a shell splits it, and no shell runs it.
    promise : Guarantee
        The promise of the filter.
    seconds : float, > 0
        The time limit of each answer.

    Returns
    -------
    PrivacyFilter

    Raises
    ------
    ValueError
        If the command does not start.
    TypeError
        If `promise` is no guarantee.
    BridgeError
        If the program ends, is late, or answers in another form.

    Notes
    -----
    The page on bridges describes the protocol. The program is started and greeted at once. A late answer ends an
    examination early and decides nothing.
    """
    try:
        words = tuple(shlex.split(command)) if isinstance(command, str) else tuple(map(str, command))
    except ValueError as error:
        raise ValueError(
            f"command must be quoted as for a shell, got {command!r} ({error}); close the quote"
        ) from error
    if not words or not all(words):
        raise ValueError(f"command must name a program, got {command!r}; pass e.g. 'node bridge.mjs'")
    if not isinstance(promise, Guarantee):
        raise TypeError(f"promise must be a guarantee, got {promise!r}; pass e.g. fp.PureDP(1.0)")
    bridge = Bridge(words, seconds=float(check_positive("seconds", seconds)))
    return (ObservingBridgedFilter if "observe" in bridge.stated_abilities else BridgedFilter)(
        bridge, promise
    )
