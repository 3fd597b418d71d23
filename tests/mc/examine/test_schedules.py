"""Requests in flight, sent again, and a process that is killed: a service keeps its promise through all of it."""

import json
import math
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.adapters.labelled_filter import service_of
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.parameter_families import families_for_guarantee
from filterproof.mc.examine.replay import ReplayError, replay_data
from filterproof.mc.examine.schedule import MoveKind, Schedule, ServiceMove
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.service_schedule_search import break_test, granted_menu
from filterproof.mc.examine.stages.denials import explain_charged_denial
from filterproof.mc.examine.verification import verify
from tests.mc.examine import services
from tests.mc.examine.example_filters import ByHand
from tests.slow_cases import slow_but

PROMISE = fp.PureDP(1.0)
WHOLE, HALF = fp.RandomizedResponse(1.0), fp.RandomizedResponse(0.5)


class Closed(services.Purse):
    def fits(self, pair: fp.DominatingPair) -> bool:
        return False


class SameName(services.Purse):
    """One name for the answers of two mechanisms, which are two answers."""

    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        if float(pair.pure_epsilon) <= 1.0:
            yield fp.services.Release(answer="the answer")


#: A service, and some moves of each schedule that shows its fault.
BROKEN = {
    services.NotAtomic: {"ask"},
    services.FreeRetry: {"again"},
    services.InMemory: set(),
    services.Shrugs: {"disk_full"},
    services.Straddles: {"tick"},
    services.KeyBeforeCharge: {"again"},
    services.SeedOfTheDay: {"tick"},
    services.FreeReports: {"tick"},
    SameName: {"ask"},
}


def moved(words: str) -> tuple[ServiceMove, ...]:
    return tuple(map(ServiceMove, words.split()))


@pytest.mark.parametrize(
    "service",
    slow_but(
        (services.NotAtomic, services.InMemory, services.SeedOfTheDay, services.FreeReports, SameName), BROKEN
    ),
    ids=lambda service: service.__name__,
)
def test_a_fault_that_no_single_request_shows_is_found_by_a_short_schedule(service: type) -> None:
    filt: Any = fp.services.with_promise(service, PROMISE)
    exam = verify(filt, effort=0.4, mechanisms="rr")
    shown = exam.counterexample
    assert shown is not None
    assert shown.value > shown.promised
    schedule = Schedule.from_data(shown.data["schedule"], allowed_values_by_name())
    assert len(schedule.moves) <= 12
    assert {move.what for move in schedule.moves} >= BROKEN[service]
    assert fp.replay(json.dumps(shown.to_data()), filt=filt).low == shown.value
    again = schedule.play(service)
    assert again.done == schedule.moves
    assert again.events[: len(exam.trace.moves)] == exam.trace.moves
    # every move is needed
    moves = schedule.moves
    for place in range(len(moves)):
        fewer = Schedule(schedule.menu, (*moves[:place], *moves[place + 1 :])).play(service)
        spent = [sum(pair.pure_epsilon * k for pair, k in own.items()) for own in fewer.by_epoch.values()]
        assert max(spent, default=0.0) <= 1.0 or len(fewer.done) > len(moves)


SOUND = [
    getattr(services, name)
    for name in ("Purse", "Epochs", "Sessions", "Kept", "StatesEpoch", "Exits", "SeededNoise", "Reports")
]


@pytest.mark.parametrize(
    ("service", "promise", "mechanisms"),
    [
        *slow_but(
            [(kind, PROMISE, "rr") for kind in (services.Kept, services.SeededNoise, services.Reports)],
            [(kind, PROMISE, "rr") for kind in SOUND],
        ),
        (services.Queries, fp.ZCDP(0.5), "gaussian"),
    ],
)
def test_a_sound_service_is_not_named(service: type, promise: Any, mechanisms: Any, tmp_path: Path) -> None:
    here = type("Here", (service,), {"folder": tmp_path / "journals"})
    (tmp_path / "journals").mkdir()
    exam = verify(fp.services.with_promise(here, promise), effort=0.003, mechanisms=mechanisms)
    assert exam.ending is Ending.UNDECIDED
    (result,) = (finding.result for finding in exam.findings if finding.stage == "schedules")
    assert re.fullmatch(
        r"no violation found in .* with [\d,]+ answers\. This is not a proof .* is none", result
    )
    assert [path.name for path in tmp_path.iterdir()] == ["journals"]


class ExitsOnItsWayOut(services.Exits):
    def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
        try:
            yield from super().request(pair, key)
        finally:
            sys.exit(1)


RACE = (*moved("ask step ask step step"), ServiceMove("step", 1))
#: The moves, in which the newest request takes a step where nothing else is said, and what each service releases.
RELEASED: list[tuple[type, fp.DominatingPair, tuple[ServiceMove, ...], tuple[int, ...]]] = [
    (services.NotAtomic, WHOLE, RACE, (0, 0)),
    # an answer that is sent once more word for word reveals nothing more
    (services.Purse, WHOLE, moved("ask step step step step again step step"), (0,)),
    (services.FreeRetry, WHOLE, moved("ask step step step step again step step"), (0, 0)),
    # an old answer in a later epoch says from which it is; else it is of the epoch in which its work began
    (services.Kept, WHOLE, moved("ask step tick again step ask step step"), (1,)),
    (services.StatesEpoch, WHOLE, moved("ask step tick again step ask step step"), (0, 1)),
    (services.Straddles, WHOLE, moved("ask step tick step"), (0,)),
    # what ends its process is begun again
    (services.Exits, WHOLE, moved("ask disk_full ask step ask step"), (0,)),
    (ExitsOnItsWayOut, HALF, moved("ask step crash ask step"), (0, 0)),
]


@pytest.mark.parametrize(("service", "pair", "moves", "epochs"), RELEASED)
def test_what_goes_out_counts_once_for_the_epoch_of_its_request(
    service: type, pair: fp.DominatingPair, moves: tuple[ServiceMove, ...], epochs: tuple[int, ...]
) -> None:
    played = Schedule((pair,), moves).play(service)
    assert played.released == tuple((pair, epoch) for epoch in epochs)
    violation = break_test(PROMISE, service)(played)
    assert (violation is None) is (pair is HALF or len(set(epochs)) == len(epochs))
    if violation is not None:
        p = math.e / (1 + math.e)
        twice = p * p - math.e * (1 - p) ** 2  # the only outcome of two answers whose ratio is above e
        assert violation.low == pytest.approx(twice, rel=1e-6)
    if service is services.Exits:
        assert played.events[1] == "request 1 ends the process; what was stored is read again"


@given(
    st.sampled_from(("step", "crash_before_write", "crash_after_write", "disk_full")),
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
            written: list[str] = []
            try:
                with suppress(BaseException):
                    for k in range(writes):
                        self.disk |= {f"{key}, {k}": written}
                        for changed in (written, self.disk[f"{key}, {k}"]):
                            changed.append("after it was written, or read")
                yield fp.services.Release()
            finally:
                self.disk["cleaned"] = True

    moves = (*[ServiceMove("ask")] * flights, ServiceMove(what, at), ServiceMove("crash"))
    played = Schedule((HALF,), moves).play(Writes)
    # as the docstring of a move says it: of the requests in flight the newest first, then its later writes
    before, which = divmod(at, flights)
    struck = what != "step" and before < writes
    complete = before + (what == "crash_after_write") if struck else writes
    names = [f"{flights - which}, {k}" for k in range(complete)]
    assert [*stored[1]] == names
    assert [len(stored[1][name]) for name in names] == [*range(complete)]
    assert len(played.released) == (not struck or what == "disk_full")
    words = f"makes write {before + 1} of a step" if before else "writes"
    assert (words in " ".join(played.events)) == (struck and what != "disk_full")


# -- what is found --------------------------------------------------------------------------------------


@given(st.floats(1e-100, 9.0))
@example(1e-6)
def test_menu_holds_the_largest_request_that_is_granted_and_shares_of_it(most: float) -> None:
    service = type("Most", (services.Purse,), {"fits": lambda self, pair: pair.pure_epsilon <= most})
    menu = granted_menu(service, families_for_guarantee(("erasure", "rr"), PROMISE))
    assert [float(pair.pure_epsilon) for pair in menu] == [most, most / 2, most * (1 / 3), most / 8]


def test_a_comparison_that_a_time_limit_ends_says_after_how_much_of_its_work() -> None:
    report = fp.first_difference(ByHand(), ByHand(), seconds=0.3)
    assert re.fullmatch(r"stopped after \d+ % of the work", report.stopped)
    assert str(report).startswith(f"{report.stopped}: no")


def test_a_schedule_is_replayed_as_of_one_epoch() -> None:
    filt: Any = fp.services.with_promise(services.Epochs, PROMISE)
    moves = moved("ask step step step tick ask step step step")
    twice = RequestSequence(((WHOLE, 2),)).lower_bound(Divergence.hockey_stick(1.0))
    game = {"schedule": Schedule((WHOLE,), moves).to_data(allowed_values_by_name()), "epoch": None}
    shown = measured_counterexample(filt, Divergence.hockey_stick(1.0), twice, 0.0, **game)
    with pytest.raises(ReplayError, match="releases nothing"):
        shown.replay()
    with pytest.raises(ReplayError, match="must replay within"):
        replay_data(shown.data | {"epoch": 1}, filt=filt)


def test_an_assertion_fails_with_what_happened_or_where_nothing_is_granted() -> None:
    class Broken(services.Purse):
        def request(self, pair: fp.DominatingPair, key: str) -> services.Steps:
            self.disk["how"] = lambda: pair  # which no disk can hold
            yield fp.services.Release()

    for kind, words in (
        (services.FreeRetry, r"sent again, with its key(.|\n)*delta at epsilon=1 \(P\|\|Q\) is at least"),
        (Broken, r"denies every request(.|\n)* its code raised .*lambda"),
    ):
        with pytest.raises(AssertionError, match=words):
            fp.assert_holds(fp.services.with_promise(kind, PROMISE), effort=0.01, mechanisms="rr")


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
        if own["spent"] + holds + cost > 1:
            own["spent"] += cost if fault == "eager" else 0
            return {"granted": False}
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
    programs: list[Any] = []

    def make(fault: str, **more: float) -> Any:
        programs.append(fp.from_command([sys.executable, str(file), fault], PROMISE, **more))
        return programs[-1]

    yield make
    for filt in programs:
        filt.bridge.close()


def test_a_service_with_its_guarantee_is_examined_and_its_counterexample_replays() -> None:
    kind: Any = services.NotAtomic
    service = fp.services.with_promise(kind, PROMISE)
    exam = fp.verify(service, effort=0.1, mechanisms="rr")
    assert (exam.name, exam.promise, exam.headline) == (kind.__name__, PROMISE, "REFUTED")
    assert exam.counterexample is not None
    data = json.loads(json.dumps(exam.counterexample.to_data()))
    assert data["filter"] == {"outside": kind.__name__}
    assert replay_data(data, filt=service).refutes
    with pytest.raises(ReplayError):
        fp.replay(data, filt=fp.services.with_promise(services.Purse, PROMISE))


def test_a_sound_service_stays_undecided_and_one_that_releases_nothing_is_not_examined() -> None:
    sound = fp.verify(fp.services.with_promise(services.Purse, PROMISE), effort=0.01, mechanisms="rr")
    assert (sound.headline, sound.counterexample) == ("UNDECIDED", None)
    assert "moves that depend on what came out" in sound.not_tried
    denies_all = fp.verify(fp.services.with_promise(Closed, PROMISE), effort=0.01, mechanisms="rr")
    assert denies_all.headline == "NOT EXAMINED"


def test_a_program_that_holds_nothing_between_ask_and_commit_is_refuted_and_replays(program: Any) -> None:
    filt = program("races")
    sound = verify(program("sound"), effort=0.02, mechanisms=["rr"], stages=["schedules"])
    assert sound.counterexample is None
    assert any(finding.result.startswith("no violation found in") for finding in sound.findings)
    exam = verify(filt, effort=0.3, mechanisms=["rr"], stages=["schedules"])
    assert exam.counterexample is not None
    assert exam.counterexample.kind == "schedule"
    assert "concurrent requests" in exam.verdict.scope
    assert exam.trace is not None
    assert any("sends an answer" in move for move in exam.trace.moves)
    data = json.loads(json.dumps(exam.counterexample.to_data()))
    assert replay_data(data, filt=filt).refutes
    for name, value in (("low", 0.9), ("promised", 0.5)):
        with pytest.raises(ReplayError):
            fp.replay(data | {name: value}, filt=filt)
    for moves in ([["leap", 0]], [["ask", -1]], "ask", [["ask", 0]] * 10_001):
        with pytest.raises(ValueError, match=r"schedule|at must|moves"):
            fp.replay(data | {"schedule": data["schedule"] | {"moves": moves}}, filt=filt)
    with pytest.raises(ReplayError, match="releases nothing"):
        fp.replay(data | {"schedule": data["schedule"] | {"moves": [["ask", 0]]}}, filt=filt)


@pytest.mark.parametrize("fault", ["sound", "eager"])
def test_a_program_that_charges_for_denials_is_told(fault: str, program: Any) -> None:
    filt, large, small = program(fault), fp.RandomizedResponse(0.75), fp.RandomizedResponse(0.25)
    assert bool(explain_charged_denial(filt, large, large, small)) is (fault == "eager")
    exam = verify(filt, effort=1e-3, mechanisms=["rr"], stages=["denials"])
    assert any(finding.stage == "denials" for finding in exam.findings)


def test_a_program_that_answers_late_ends_what_asks_it_and_is_not_faulty(program: Any) -> None:
    exam = verify(program("tires", seconds=0.5), effort=0.01, mechanisms=["rr"])
    assert exam.faults == ()
    # the command itself is shortened where its path is long
    late = " did not answer before its time limit (seconds=0.5); correct it, or pass a larger seconds"
    search = fp.first_difference(program("tires", seconds=0.5), ByHand(), effort=0.01)
    assert str(search).startswith(search.stopped)
    for words in (exam.stopped, search.stopped):
        assert words.startswith("stopped after")
        assert words.endswith(late)


def test_what_a_schedule_says_that_a_request_reveals_is_not_believed(program: Any) -> None:
    filt = fp.LabelledFilter(program("races"), labels={"site": ("a", "b")}, over={"site": "a"})
    here, there = filt.at(WHOLE, site="a"), filt.at(WHOLE, site="b")
    moves = (*[ServiceMove("ask")] * 2, *[ServiceMove("step", at) for at in (1, 0)] * 3)
    for request, releases in ((here, 2), (there, 2), (fp.LabelledRequest(WHOLE, there.where, True), 0)):
        service = service_of(filt)
        assert service is not None
        played = Schedule((request,), moves).play(service)
        assert len(played.released) == releases
        assert ("must agree with its labels" in played.raised) == (releases == 0)


@pytest.mark.slow
def test_a_program_is_a_service_as_any_other_and_one_that_answers_in_another_form_is_told_so(
    program: Any,
) -> None:
    afresh, says = (fp.services.with_promise(service_of(program(how)), PROMISE) for how in ("afresh", "says"))
    shown = fp.verify(afresh, effort=0.4, mechanisms="rr").counterexample
    assert "again" in {what for what, _ in shown.data["schedule"]["moves"]}
    words = 'to release; answer {}, {"again": true}, {"answer": "a name"} or {"epoch": 1}'
    assert words in fp.verify(says, effort=0.01, mechanisms="rr").faults[0]


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
    for outcomes, losses in (((), (1.0, 1.0)), ((1, 0), (-1.0, 1.0))):
        played = Schedule((WHOLE,), RACE).play(Told, outcomes=outcomes)
        assert played.disk["losses"] == pytest.approx(losses)
    assert break_test(PROMISE, Told)(played) is not None
    one_by_one = Schedule((HALF,), moved("ask step step step ask step step step"))
    assert one_by_one.releases(services.NotAtomic) == one_by_one.releases(Told) == {0: {HALF: 2}}
    assert one_by_one.releases(Reads) == {}  # the second answer depends on the first one
    both = Schedule((WHOLE,), RACE)
    assert both.releases(Reads) == both.releases(Told)  # both began before anything came out
    exam = fp.verify(fp.services.with_promise(Told, PROMISE), mechanisms=["rr"], effort=0.12)
    assert exam.counterexample.replay().refutes
