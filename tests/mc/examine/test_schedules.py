"""Requests in flight, sent again, and a process that is killed: a service keeps its promise through all of it."""

import json
import math
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.adapters.bridge import BridgeError
from filterproof.filters.adapters.labelled_filter import service_of
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.parameter_families import families_for_guarantee
from filterproof.mc.examine.replay import ReplayError, replay_data
from filterproof.mc.examine.schedule import MoveKind, Schedule, ServiceMove
from filterproof.mc.examine.sequence import Sequence
from filterproof.mc.examine.service_schedule_search import break_test, granted_menu
from filterproof.mc.examine.verification import verify
from tests.mc.examine import services
from tests.mc.examine.example_filters import ByHand
from tests.slow_cases import slow_but

PROMISE = fp.PureDP(1.0)
WHOLE, HALF = fp.RandomizedResponse(1.0), fp.RandomizedResponse(0.5)


class KeyBeforeCharge(services.Purse):
    """A process that is killed between the second write and the third has charged nothing, and sends the answer."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if key not in self.disk:
            if not self.fits(pair):
                return
            self.disk["count"] = self.disk.get("count", 0) + 1
            self.disk[key] = "charged"
            self.charge(pair)
        yield fp.services.Release(again=True)


class Closed(services.Purse):
    def fits(self, pair: fp.DominatingPair) -> bool:
        return False


BROKEN = {
    services.NotAtomic: {"ask"},
    services.FreeRetry: {"again"},
    services.InMemory: {"crash"},
    services.Shrugs: {"full"},
    services.Straddles: {"tick"},
    KeyBeforeCharge: {"again"},
}


def moved(words: str) -> tuple[ServiceMove, ...]:
    return tuple(map(ServiceMove, words.split()))


@pytest.mark.parametrize(
    "service",
    slow_but((services.NotAtomic, services.FreeRetry, services.InMemory), BROKEN),
    ids=lambda service: service.__name__,
)
def test_a_fault_that_no_single_request_shows_is_found_by_a_short_schedule(service: type) -> None:
    found = fp.services.first_violation(service, PROMISE, mechanisms="rr")
    violation = found.violation
    assert violation is not None
    assert violation.low > violation.promised
    assert len(violation.schedule.moves) <= 12
    assert {move.what for move in violation.schedule.moves} >= BROKEN[service] - {"crash"}
    kept = json.dumps(found.counterexample.to_data())
    assert fp.replay(kept, filt=fp.services.with_promise(service, PROMISE)).low == violation.low
    again = violation.schedule.play(service)
    assert again.done == violation.schedule.moves
    assert again.events[: len(violation.events)] == violation.events
    assert str(found) == str(violation)
    assert str(violation).count("\n") == len(violation.events)
    # every move is needed
    moves = violation.schedule.moves
    for place in range(len(moves)):
        fewer = Schedule(violation.schedule.menu, (*moves[:place], *moves[place + 1 :])).play(service)
        spent = [sum(pair.pure_epsilon * k for pair, k in own.items()) for own in fewer.by_epoch.values()]
        assert max(spent, default=0.0) <= 1.0 or len(fewer.done) > len(moves)


class Kept(services.Epochs):
    """Sound: an answer is computed once, from the epoch of its request, and sent whenever it is asked for."""

    states_epoch = False

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if key not in self.disk:
            name = f"epoch {self.now}"
            if self.disk.get(name, 0.0) + float(pair.pure_epsilon) > 1.0:
                return
            self.disk[name] = self.disk.get(name, 0.0) + float(pair.pure_epsilon)
            self.disk[key] = self.now
            yield None
        yield fp.services.Release(again=True, epoch=self.disk[key] if self.states_epoch else None)


class StatesEpoch(Kept):
    states_epoch = True


class Exits(services.Purse):
    """Sound: a disk that is full ends the process."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if self.fits(pair):
            try:
                self.charge(pair)
            except OSError:
                sys.exit(1)
            yield fp.services.Release()


SOUND = (services.Purse, services.Epochs, services.Sessions, Kept, StatesEpoch, Exits)


@pytest.mark.parametrize(
    ("service", "promise", "mechanisms"),
    [
        *slow_but([(Kept, PROMISE, "rr")], [(sound, PROMISE, "rr") for sound in SOUND]),
        (services.Queries, fp.ZCDP(0.5), "gaussian"),
    ],
)
def test_a_sound_service_is_not_named(service: type, promise: Any, mechanisms: Any, tmp_path: Path) -> None:
    here = type("Here", (service,), {"folder": tmp_path / "journals"})
    (tmp_path / "journals").mkdir()
    found = fp.services.first_violation(here, promise, effort=0.004, mechanisms=mechanisms)
    assert (found.violation, found.raised) == (None, "")
    assert found.released > 0
    assert "not a proof" in str(found)
    assert [one.name for one in tmp_path.iterdir()] == ["journals"]


def test_what_goes_out_is_composed_as_its_closed_form_says() -> None:
    moves = (*moved("ask step ask step step"), ServiceMove("step", 1))
    played = Schedule((WHOLE,), moves).play(services.NotAtomic)
    assert played.released == ((WHOLE, 0), (WHOLE, 0))
    violation = break_test(PROMISE, services.NotAtomic)(played)
    assert violation is not None
    p = math.e / (1 + math.e)
    twice = p * p - math.e * (1 - p) ** 2  # the only outcome of two answers whose ratio is above e
    assert violation.low == pytest.approx(twice, rel=1e-6)


@given(
    st.sampled_from(("step", "unwritten", "written", "full")),
    st.integers(0, 7),
    st.integers(1, 2),
    st.integers(0, 3),
)
def test_a_fault_strikes_the_write_that_it_names_and_a_dead_process_neither_writes_nor_answers(
    what: MoveKind, at: int, flights: int, writes: int
) -> None:
    stored: list[dict[str, Any]] = []

    class Writes(services.Purse):
        """Writes so often in a step, answers whatever comes of it, and writes once more as it goes."""

        def __init__(self, disk: services.Disk) -> None:
            super().__init__(disk)
            stored.append(dict(disk))

        def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
            held: list[str] = []
            try:
                with suppress(BaseException):
                    for k in range(writes):
                        self.disk |= {f"{key}, {k}": held}
                        for changed in (held, self.disk[f"{key}, {k}"]):
                            changed.append("after it was written, or read")
                yield fp.services.Release()
            finally:
                self.disk["cleaned"] = True

    moves = (*[ServiceMove("ask")] * flights, ServiceMove(what, at), ServiceMove("crash"))
    played = Schedule((HALF,), moves).play(Writes)
    # as the docstring of a move says it: of the requests in flight the newest first, then its later writes
    before, which = divmod(at, flights)
    struck = what != "step" and before < writes
    kept = before + (what == "written") if struck else writes
    names = [f"{flights - which}, {k}" for k in range(kept)]
    assert [*stored[1]] == names
    assert [len(stored[1][name]) for name in names] == [*range(kept)]
    assert len(played.released) == (not struck or what == "full")
    told = f"makes write {before + 1} of a step" if before else "writes"
    assert (told in " ".join(played.events)) == (struck and what != "full")


def test_an_answer_that_is_sent_once_more_word_for_word_reveals_nothing_more() -> None:
    moves = moved("ask step step step step again step step")
    assert len(Schedule((WHOLE,), moves).play(services.Purse).released) == 1
    assert len(Schedule((WHOLE,), moves).play(services.FreeRetry).released) == 2
    for at, name in ((0, "request 2"), (1, "request 1"), (2, "request 2")):
        played = Schedule((HALF,), (*moved("ask ask"), ServiceMove("again", at))).play(services.Purse)
        assert played.events[-1] == f"{name}* is sent again, with its key"


def test_an_old_answer_that_is_sent_in_a_later_epoch_says_from_which_it_is() -> None:
    moves = moved("ask step tick again step ask step step")
    assert Schedule((WHOLE,), moves).play(Kept).released == ((WHOLE, 1),)
    played = Schedule((WHOLE,), moves).play(StatesEpoch)
    assert played.released == ((WHOLE, 0), (WHOLE, 1))
    assert break_test(PROMISE, StatesEpoch)(played) is None  # the promise is for the answers of one epoch
    # what is sent after an epoch's end is of the epoch in which its work began
    assert Schedule((WHOLE,), moved("ask step tick step")).play(services.Straddles).released == ((WHOLE, 0),)


def test_a_service_that_ends_its_process_is_begun_again() -> None:
    class ExitsOnItsWayOut(Exits):
        def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
            try:
                yield from super().request(pair, key)
            finally:
                sys.exit(1)

    assert len(Schedule((HALF,), moved("ask step crash ask step")).play(ExitsOnItsWayOut).released) == 2
    played = Schedule((WHOLE,), moved("ask full ask step ask step")).play(Exits)
    assert played.released == ((WHOLE, 0),)
    assert played.events[1] == "request 1 ends the process; what was stored is read again"


# -- what is found --------------------------------------------------------------------------------------


@given(st.floats(1e-100, 9.0))
@example(1e-6)
def test_menu_holds_the_largest_request_that_is_granted_and_shares_of_it(most: float) -> None:
    service = type("Most", (services.Purse,), {"fits": lambda self, pair: pair.pure_epsilon <= most})
    menu = granted_menu(service, families_for_guarantee(("erasure", "rr"), PROMISE))
    assert [float(pair.pure_epsilon) for pair in menu] == [most, most / 2, most * (1 / 3), most / 8]


class Slow(services.Purse):
    """Takes its time for each request."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        time.sleep(0.01)
        yield from super().request(pair, key)


def test_a_search_that_a_time_limit_ends_says_after_how_much_of_its_work() -> None:
    searches = (
        fp.services.first_violation(Slow, PROMISE, seconds=0.5, mechanisms="rr"),
        fp.first_difference(ByHand(), ByHand(), seconds=0.5),
    )
    for found in searches:
        assert re.fullmatch(r"stopped after \d+ % of the work", found.stopped)
        assert str(found).startswith(f"{found.stopped}: no")


def test_a_schedule_is_replayed_as_of_one_epoch() -> None:
    filt: Any = fp.services.with_promise(services.Epochs, PROMISE)
    moves = moved("ask step step step tick ask step step step")
    twice = Sequence(((WHOLE, 2),)).low(Divergence.hockey_stick(1.0))
    game = {"schedule": Schedule((WHOLE,), moves).to_data(allowed_values_by_name()), "epoch": None}
    told = measured_counterexample(filt, Divergence.hockey_stick(1.0), twice, 0.0, **game)
    with pytest.raises(ReplayError, match="releases nothing"):
        told.replay()
    with pytest.raises(ReplayError, match="must replay within"):
        replay_data(told.data | {"epoch": 1}, filt=filt)


def test_a_test_class_fails_with_what_happened_or_where_nothing_is_granted_and_passes_else() -> None:
    class Broken(services.Purse):
        def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
            self.disk["how"] = lambda: pair  # which no disk can hold
            yield fp.services.Release()

    made = partial(fp.services.schedule_tests, promise=PROMISE, mechanisms="rr", effort=0.02)
    with pytest.raises(
        AssertionError,
        match=r"sent again, with its key(.|\n)*delta at epsilon=1 \(P\|\|Q\) of all releases is at least",
    ):
        made(services.FreeRetry)("runTest").debug()
    with pytest.raises(AssertionError, match=r"must grant some request: .* its code raised .*lambda"):
        made(Broken)("runTest").debug()
    made(services.Purse)("runTest").debug()


MALFORMED = {
    "__init__": (lambda self, disk: 1 // 0, "Own must start from an empty disk, got ZeroDivisionError"),
    "request": (lambda self, pair: iter(()), r"Own.request must accept \(pair, key\), got \(pair\); define"),
    "clock": (lambda self: None, r"Own.clock must accept \(epoch\), got \(\); define clock\(self, epoch\)"),
    "observe": (lambda self, loss: None, r"Own.observe must accept \(key, loss\), got \(loss\)"),
    "kill": (lambda self, now: None, r"Own.kill must accept \(\), got \(now\)"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_service_is_a_fault_that_begins_with_its_name(name: str) -> None:
    method, sentence = MALFORMED[name]
    own = type("Own", (services.Purse,), {name: method})
    with pytest.raises(TypeError, match=f"^{sentence}"):
        Schedule((fp.RandomizedResponse(0.5),), ()).play(own)
    if name == "request":
        exam = fp.verify(fp.services.with_promise(own, PROMISE), effort=0.001)
        assert exam.ending is Ending.FAULTY
        assert re.match(sentence, exam.faults[0])


# -- programs ------------------------------------------------------------------------------------------

#: A program that knows keys, whose faults are switched on by a word of its command line.
PROGRAM = """
import json, sys, time
fault, budgets = sys.argv[1], {}
def answer(do, run=0, key=None, request=None, state=None, now=0, **_):
    if do == "version": return {"protocol": 1}
    if do == "describe": return {"can": ["state", "restart", "commit", "release", "keys"]}
    if do in ("open", "restart"): budgets[run] = json.loads(state) if state else {"spent": 0, "held": {}, "out": []}
    own = budgets[run]
    if do == "ask":
        cost = 1e9 if request["epsilon"] is None else request["epsilon"]
        if key in own["held"]: return {"granted": True}
        holds = sum(own["held"].values()) if fault != "races" else 0
        if own["spent"] + holds + cost > 1: return {"granted": False}
        own["held"][key] = cost
        return {"granted": True}
    if do == "commit":
        own["spent"] += own["held"].get(key, 0)
        own["held"][key] = 0
    if do == "release":
        again = key in own["out"] and fault != "afresh"
        own["out"].append(key)
        return {"again": again} if fault != "says" else {"again": "yes"}
    if do == "state":
        return {"state": json.dumps(own)}
    return {}
for line in sys.stdin:
    told = json.loads(line)
    time.sleep(60 if fault == "tires" and told["id"] > 9 else 0)
    print(json.dumps({"id": told["id"], "answers": [answer(**c) for c in told["batch"]]}), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Any]:
    """Makes the filter of the program with a fault, which ends with the test."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    made: list[Any] = []

    def make(fault: str, **more: float) -> Any:
        made.append(fp.from_command([sys.executable, str(file), fault], PROMISE, **more))
        return made[-1]

    yield make
    for filt in made:
        filt.bridge.close()


def test_a_service_with_its_guarantee_is_examined_and_its_counterexample_replays() -> None:
    kind: Any = services.NotAtomic
    service = fp.services.with_promise(kind, PROMISE)
    exam = fp.verify(service, effort=0.1, mechanisms="rr")
    assert (exam.name, exam.promise, exam.headline) == (kind.__name__, PROMISE, "REFUTED")
    assert exam.counterexample is not None
    told = json.loads(json.dumps(exam.counterexample.to_data()))
    assert told["filter"] == {"outside": kind.__name__}
    assert replay_data(told, filt=service).refutes
    with pytest.raises(ReplayError):
        fp.replay(told, filt=fp.services.with_promise(services.Purse, PROMISE))
    # what went out, composed without an examination
    played = Schedule.from_data(told["schedule"], allowed_values_by_name()).play(kind).by_epoch
    released = max(played.values(), key=lambda pairs: sum(pairs.values()))
    at, way = exam.counterexample.measure.at, exam.counterexample.measure.direction
    assert float(fp.Composition(released).delta(at, direction=way).high) >= exam.counterexample.value > 0


def test_a_sound_service_stays_undecided_and_one_that_releases_nothing_is_not_examined() -> None:
    sound = fp.verify(fp.services.with_promise(services.Purse, PROMISE), effort=0.01, mechanisms="rr")
    assert (sound.headline, sound.counterexample) == ("UNDECIDED", None)
    assert "moves that depend on what came out" in sound.not_tried
    closed = fp.verify(fp.services.with_promise(Closed, PROMISE), effort=0.01, mechanisms="rr")
    assert closed.headline == "NOT EXAMINED"
    with pytest.raises(TypeError, match="promise must be a guarantee"):
        fp.services.with_promise(services.Purse, 1.0)  # type: ignore[arg-type]


def test_a_program_that_holds_nothing_between_ask_and_commit_is_refuted_and_replays(program: Any) -> None:
    filt = program("races")
    sound = verify(program("sound"), effort=0.02, mechanisms=["rr"], stages=["schedules"])
    assert sound.counterexample is None
    assert any(one.result.startswith("no violation found in") for one in sound.findings)
    found = verify(filt, effort=0.3, mechanisms=["rr"], stages=["schedules"])
    assert found.counterexample is not None
    assert found.counterexample.kind == "schedule"
    assert "concurrent requests" in found.verdict.scope
    assert found.trace is not None
    assert any("goes on" in move for move in found.trace.moves)
    told = json.loads(json.dumps(found.counterexample.to_data()))
    assert replay_data(told, filt=filt).refutes
    for name, value in (("low", 0.9), ("promised", 0.5)):
        with pytest.raises(ReplayError):
            fp.replay(told | {name: value}, filt=filt)
    for moves in ([["leap", 0]], [["ask", -1]], "ask", [["ask", 0]] * 10_001):
        with pytest.raises(ValueError, match=r"schedule|at must|moves"):
            fp.replay(told | {"schedule": told["schedule"] | {"moves": moves}}, filt=filt)
    with pytest.raises(ReplayError, match="releases nothing"):
        fp.replay(told | {"schedule": told["schedule"] | {"moves": [["ask", 0]]}}, filt=filt)


def test_a_program_that_answers_late_ends_what_asks_it_and_is_not_faulty(program: Any) -> None:
    found = verify(program("tires", seconds=0.5), effort=0.01, mechanisms=["rr"])
    assert found.faults == ()
    # the command itself is shortened where its path is long
    late = " did not answer before its time limit (seconds=0.5); correct it, or pass a larger seconds"
    told = [found.stopped]
    for search in (
        fp.first_difference(program("tires", seconds=0.5), ByHand(), effort=0.01),
        fp.services.first_violation(
            service_of(program("tires", seconds=0.5)), PROMISE, effort=0.01, mechanisms="rr"
        ),
    ):
        told.append(search.stopped)
        assert str(search).startswith(search.stopped)
    for words in told:
        assert words.startswith("stopped after")
        assert words.endswith(late)


def test_what_a_schedule_says_that_a_request_reveals_is_not_believed(program: Any) -> None:
    filt = fp.LabelledFilter(program("races"), labels={"site": ("a", "b")}, over={"site": "a"})
    here, there = filt.at(WHOLE, site="a"), filt.at(WHOLE, site="b")
    moves = (*[ServiceMove("ask")] * 2, *[ServiceMove("step", at) for at in (1, 0)] * 3)
    for asked, told in ((here, 2), (there, 2), (fp.LabelledRequest(WHOLE, there.where, True), 0)):
        service = service_of(filt)
        assert service is not None
        played = Schedule((asked,), moves).play(service)
        assert len(played.released) == told
        assert ("must agree with its labels" in played.raised) == (told == 0)


@pytest.mark.slow
def test_a_program_is_a_service_as_any_other_and_one_that_answers_in_another_form_is_told_so(
    program: Any,
) -> None:
    service = service_of(program("afresh"))
    assert service is not None
    violation = fp.services.first_violation(service, PROMISE, mechanisms="rr").violation
    assert violation is not None
    assert "again" in {move.what for move in violation.schedule.moves}
    service = service_of(program("says"))
    assert service is not None
    with pytest.raises(
        BridgeError, match=r'to release; answer \{}, \{"again": true}, \{"answer": "a name"} or \{"epoch": 1}'
    ):
        fp.services.first_violation(service, PROMISE, mechanisms="rr", effort=0.01)


class Told(services.NotAtomic):
    """Stores what comes out, and may answer only after an output that is likelier under Q."""

    reads = False

    def request(self, pair: Any, key: str) -> Any:
        if not (self.reads and any(loss > 0 for loss in self.disk.get("losses", ()))):
            yield from super().request(pair, key)

    def observe(self, key: str, loss: float) -> None:
        self.disk["losses"] = (*self.disk.get("losses", ()), loss)


class Reads(Told):
    reads = True


def test_a_service_is_told_what_came_out_and_only_answers_that_always_go_out_are_composed() -> None:
    moves = (*moved("ask step ask step step"), ServiceMove("step", 1))
    for outcomes, losses in (((), (1.0, 1.0)), ((1, 0), (-1.0, 1.0))):
        played = Schedule((WHOLE,), moves).play(Told, outcomes=outcomes)
        assert played.disk["losses"] == pytest.approx(losses)
    assert break_test(PROMISE, Told)(played) is not None
    one_by_one = Schedule((HALF,), moved("ask step step step ask step step step"))
    assert one_by_one.releases(services.NotAtomic) == one_by_one.releases(Told) == {0: {HALF: 2}}
    assert one_by_one.releases(Reads) == {}  # the second answer depends on the first one
    both = Schedule((WHOLE,), moves)
    assert both.releases(Reads) == both.releases(Told)  # both began before anything came out
    found = fp.services.first_violation(Told, PROMISE, mechanisms=["rr"], effort=0.3)
    assert found.violation is not None
    assert found.counterexample.replay().refutes
