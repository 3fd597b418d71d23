"""Chapters of filters that are made up, so that pages can be made without an examination and without a simulation."""

from dataclasses import replace

from filterproof.mc import Estimate
from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.trace import TraceRow
from filterproof.reports.chapters.filter_chapter import CertifiedDivergenceBounds, FilterChapter, MenuGame
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS
from filterproof.reports.chapters.simulated_divergences import SimulatedDivergence, SimulatedDivergences
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.report import LibraryReport
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.pairs import RandomizedResponse

#: What a stranger may write.
EVIL = '<img src=x onerror="alert(1)">&amp; {curly} $math$'
ZCDP = next(subject for subject in SUBJECTS if subject.name == "ZCDPFilter")
HOLDS = Verdict(
    Outcome.HOLDS, Evidence.EXACT, "mechanisms with finitely many outcomes", "by theorem 'RDP filter'"
)
OPEN = Verdict(Outcome.UNDECIDED, Evidence.CERTIFIED, "every adversary", "no violation found")
BROKEN = Verdict(
    Outcome.REFUTED,
    Evidence.CERTIFIED,
    "a plan",
    f"more than is promised {EVIL}",
    menu_counterexample(
        ZCDP.make(), ZCDP.menu, Divergence.hockey_stick(1.0), rounds=2, low=0.2, high=0.3
    ).to_data(),
)


def comparison(share: float, *, width: float = 0.125, at: float = 1.0) -> SimulatedDivergence:
    """A simulation of so much of a guarantee of 1."""
    estimate = Estimate(
        share, (1 - width) * share, (1 + width) * share, 1e-9, 1000, "plain", rests_on="draws"
    )
    measure = Divergence.hockey_stick(at)
    return SimulatedDivergence("F()", "best on the menu", measure, estimate, 0.99 * share, share, 1.0)


def chapter(verdict: Verdict = HOLDS, share: float = 0.5) -> FilterChapter:
    """A chapter of the zCDP filter with this verdict, as if it reached so much of its guarantee."""
    high = 1.005 * share if verdict.outcome is Outcome.HOLDS else None
    steps = ((RandomizedResponse(1.0), 2),)
    main = CertifiedDivergenceBounds(
        Divergence.hockey_stick(1.0), 0.99 * share, high, 1.0, steps, comparison(share)
    )
    other = replace(main, measure=Divergence.hockey_stick(2.0), simulated=comparison(share, at=2.0))
    row = TraceRow("1", "", EVIL, "granted", "0", "0", 0.2, 0.1)
    return FilterChapter(
        ZCDP,
        verdict,
        "games: longer ones",
        main,
        (main, other),
        MenuGame(1.0, 0.4 * share, 0.5 * share, 1.0, Evidence.CERTIFIED, 3),
        SimulatedDivergences((comparison(share),), ("MenuChasing",)),
        None,
        (row,) if verdict.outcome is Outcome.REFUTED else (),
        (f"it cost nothing {EVIL}",) if verdict.outcome is Outcome.REFUTED else (),
    )


def report_of(*chapters: FilterChapter) -> LibraryReport:
    """A report of these filters alone."""
    pages = tuple(map(filter_page, chapters))
    findings = tuple(chapter_.finding for chapter_ in chapters)
    return LibraryReport(Study(), chapters, pages, (), findings, {"ZCDPFilter": 1.5})
