"""The front page says of each filter what is known, and draws it on the right side of the promise."""

from dataclasses import replace

import pytest

from filterproof.mc import Estimate
from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.stage_finding import StageFinding as Stage
from filterproof.mc.examine.stage_finding import Tightness
from filterproof.mc.examine.supremum import Supremum
from filterproof.reports.finding import Claim, Finding
from filterproof.reports.pages.accountant_examples import LookedAt
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.pages.overview import Row, between, overview, picture
from filterproof.reports.pages.page_subjects import SUBJECTS
from filterproof.reports.pages.simulated_games import Played, SimulatedStrategy, SolvedPoint
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import below
from filterproof.theory.pairs import RandomizedResponse

HOLDS = Verdict(Outcome.HOLDS, Evidence.CITED, "all", "by parts", citations=("Doob's theorem; and more",))
OPEN = Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, "all", "nothing found")
BROKEN = Verdict(
    Outcome.REFUTED,
    Evidence.EXACT,
    "a plan",
    "worth 2918001268173647/257466040806539264 = 0.0113335, promised 0.01",
    menu_counterexample(
        SUBJECTS[0].make(), SUBJECTS[0].menu, Divergence.hockey_stick(1.0), rounds=2, low=0.2, high=0.3
    ).to_data(),
)


def game(share: float) -> Played:
    ends = (0.9 * share, 0.8 * share, 1.1 * share)
    estimate = Estimate(*ends, 1e-6, 1000, "tilted", rests_on="the draws alone")
    main = SolvedPoint(1.0, 0.99 * share, share, 1.0, Evidence.CERTIFIED, 3, "every adversary over a menu")
    high = 1.005 * share if share > 1 else min(1.005 * share, 1.0)
    over_all = Supremum(1.0, 0.99 * share, high, 1.0, ((RandomizedResponse(1.0), 2),))
    drawn = SimulatedStrategy(1.0, estimate, 1.0)
    return Played(main, (main, replace(main, epsilon=2.0)), (drawn,), over_all, drawn)


def rows(verdict: Verdict, share: float) -> tuple[Row, ...]:
    claim = Claim("key", "sentence", "source", verdict.outcome)
    findings = {one.decided_by: Finding(claim, verdict) for one in SUBJECTS}
    return overview(findings, {one.name: game(share) for one in SUBJECTS}, {})


def test_no_filter_is_left_out() -> None:
    made = rows(OPEN, 0.3)
    assert [row.subject.name for row in made] == [one.name for one in SUBJECTS]
    drawn = picture(made, wide=True)
    (axes,) = drawn.figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()][::-1] == [one.name for one in SUBJECTS]
    narrow = picture(made, wide=False).figure.axes[0]
    words = {text.get_text() for text in narrow.texts}
    assert words >= {one.name for one in SUBJECTS}
    assert all(one.name in drawn.alt for one in SUBJECTS)


def marked(verdict: Verdict, share: float, mark: str) -> list[float]:
    """Where the picture has such marks."""
    (axes,) = picture(rows(verdict, share), wide=True).figure.axes
    lines = (line for line in axes.get_lines() if line.get_marker() == mark)
    return [float(line.get_xdata()[0]) for line in lines if len(line.get_xdata())]


@pytest.mark.parametrize(("share", "mark"), [(0.3, "o"), (1.4, "X")], ids=["kept", "broken"])
def test_a_dot_lies_left_of_the_promise_if_it_is_kept_and_right_of_it_if_it_is_broken(
    share: float, mark: str
) -> None:
    places = marked(OPEN, share, mark)
    assert places == pytest.approx([0.99 * share] * len(SUBJECTS))
    assert all((place > 1) == (share > 1) for place in places)


def test_an_undecided_filter_says_how_near_it_came_and_a_broken_promise_shows_its_counterexample() -> None:
    row = rows(OPEN, 0.24)[0]
    assert row.says == "No violation found. This is not a proof. The closest attack reaches 24 % of delta."
    assert row.evidence == ""
    row = rows(BROKEN, 1.4)[0]  # without long fractions
    assert row.says == "Counterexample: worth 0.0113335, promised 0.01."
    times = row.counterexample.value / row.counterexample.promised
    told = f"{below(times, 3)} times the promise at epsilon=1, adaptively."
    assert row.line == f"Counterexample: {told}"
    assert row.badge.colour == "refuted"


def examined(*near: tuple[Divergence, float]) -> Examination:
    """An examination that came so near."""
    rows = (Tightness(at, "a menu", share, None, 1.0, Evidence.CERTIFIED) for at, share in near)
    stage = Stage("games", "asked", "found", "a menu", "other menus", tightness=tuple(rows))
    return Examination(SUBJECTS[0].make(), ("rr",), (stage,), 1.0, 1, 1e-6)


def test_the_best_attack_is_the_largest_lower_bound_of_game_and_examination() -> None:
    exam = examined((Divergence.hockey_stick(1.0), 0.6), (Divergence.renyi(2.0), 0.9))
    row = Row(SUBJECTS[0], "a promise", OPEN, game(0.3), exam, None)
    assert (row.attack, row.attacked_on) == (0.6, "a menu at epsilon=1")
    assert replace(row, played=game(0.7)).attack == pytest.approx(0.693)
    assert LookedAt.of(exam).near == 0.9  # of an accountant, whatever the measure
    assert "games: other menus" in filter_page(row).uncovered


def test_where_a_theorem_holds_the_front_page_tells_both_ends_and_elsewhere_the_attack_alone() -> None:
    kept, left = rows(HOLDS, 0.5)[0], rows(OPEN, 0.5)[0]
    assert (kept.least, kept.most) == (pytest.approx(0.495), pytest.approx(0.5025))
    assert between(kept) == "50 %"
    wide = replace(kept.played.supremum, high=0.75)
    assert between(replace(kept, played=replace(kept.played, supremum=wide))) == "50 % to 75 %"
    assert (left.most, between(left)) == (None, "50 %")
    assert marked(HOLDS, 0.5, "D") == pytest.approx([0.5025] * len(SUBJECTS))
    assert marked(OPEN, 0.5, "D") == []


def test_a_kept_promise_shows_the_simulation_of_what_is_extremal() -> None:
    kept = rows(HOLDS, 0.5)[0]
    other = replace(kept.played.at_main.estimate, value=0.1, low=0.05, high=0.2)
    played = replace(kept.played, extremal=SimulatedStrategy(1.0, other, 1.0))
    assert replace(kept, played=played).simulated == (0.1, 0.05, 0.2)
    assert replace(kept, played=played, verdict=OPEN).simulated == kept.simulated
    said = dict(filter_page(replace(kept, played=played)).facts)["All mechanisms"]
    assert "reached by 2 x RandomizedResponse(epsilon=1)" in said
    assert "simulated: 0.1 in [0.05, 0.2]" in said
    unknown = replace(kept.played, supremum=replace(kept.played.supremum, low=0.0, steps=()))
    for verdict in (HOLDS, OPEN):
        said = dict(filter_page(replace(kept, played=unknown, verdict=verdict)).facts)["All mechanisms"]
        assert "extremal requests are known" in said
        assert "reached by" not in said


def test_a_page_says_what_agrees_and_shouts_where_a_simulation_does_not() -> None:
    facts = dict(filter_page(rows(OPEN, 0.3)[0]).facts)
    assert "agrees with the solved game within" in facts["Simulated"]
    far = game(0.3)
    wrong = replace(far, main=SolvedPoint(1.0, 0.9, 0.95, 1.0, Evidence.EXACT, 1, "s"))
    row = Row(SUBJECTS[0], "a promise", OPEN, wrong, None, None)
    assert "DOES NOT CONTAIN" in dict(filter_page(row).facts)["Simulated"]
