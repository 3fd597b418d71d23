"""The stage of schedules: a program that knows keys is asked for several requests at once, killed and begun again."""

from __future__ import annotations

from collections.abc import Iterator

from filters.adapters.labelled import service_of
from mc.engine.encoding import nameable
from mc.examine.clock import Clock
from mc.examine.examination import StageFinding
from mc.examine.filter_fault import examining
from mc.examine.schedules.schedule_search import searched, shares_of
from mc.examine.story import Story
from mc.examine.subject import Subject
from mc.examine.witness import measured_witness

__all__ = ["schedules"]

_ASKED = "Is the promise kept with requests in flight, sent again, and a process that is killed?"
#: Whom a refuted schedule is about.
_SCOPE = "clients with requests in flight, who send them again, and a process that is killed and begins again"
_UNSEEN = "crashes inside a command of the program"


def schedules(subject: Subject, clock: Clock) -> Iterator[StageFinding]:
    """The finding on a filter whose program is a service; none for any other."""
    filt = subject.filter
    service = service_of(filt)
    if service is None or not subject.lines:
        return
    asked = shares_of((one.line, one.sizes) for one in subject.lines)
    with examining(filt):
        found = searched(service, filt.promise, asked, clock, seed=subject.seed)
    breach = found.breach
    menu = ", ".join(dict.fromkeys(type(pair.asked).__name__ for pair in asked))
    if breach is None:
        yield StageFinding("schedules", _ASKED, str(found), menu, _UNSEEN)
        return
    game = {"schedule": breach.schedule.to_data(nameable()), "epoch": breach.epoch}
    witness = measured_witness(filt, breach.measure, breach.low, breach.promised, **game)
    story = Story(breach.measure, (), None, (), moves=breach.story)
    yield StageFinding.refuted("schedules", _ASKED, menu, _SCOPE, witness, unseen=_UNSEEN, story=story)
