"""The theorem on individual filters: its games by the filters' own code, its identities by quadrature."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import filterproof as fp
from mc.evaluate.data_sets import transcript_deltas
from theory.evidence import Checked
from theory.proofs import THEOREMS, own_steps
from theory.proofs.people import (
    Accounting,
    Game,
    alone,
    alone_menu,
    counted,
    in_all,
    in_worst,
    laws,
    now,
    removals,
    told_if_any,
    within,
)
from theory.proofs.people_games import leak_rows, tracker_rows
from theory.proofs.recheck_games import gdp_worst, people_worst
from theory.proofs.trees import Pair, Tree, full_trees, moment

QUARTER = Fraction(1, 4)
MENU = (told_if_any(0b011, QUARTER), counted(Fraction(1, 5), Fraction(1, 5)))


def _moment(pair: Pair) -> Fraction:
    return max(pair.moment(2), pair.swapped.moment(2))


def _distance(pair: Pair) -> Fraction:
    return abs(pair.p[0] - pair.q[0])


# -- the games of people --------------------------------------------------------------------------------


def test_a_data_set_is_told_of_its_holders_and_counted() -> None:
    assert [law[0] for law in MENU[0].laws] == [QUARTER, *[3 * QUARTER] * 3, QUARTER, *[3 * QUARTER] * 3]
    assert [5 * law[0] for law in MENU[1].laws] == [1, 2, 2, 3, 2, 3, 3, 4]
    assert all(sum(law) == 1 for mechanism in MENU for law in mechanism.laws)
    assert MENU[1].removal(0b101, 2) == Pair(
        (Fraction(3, 5), Fraction(2, 5)), (Fraction(2, 5), Fraction(3, 5))
    )
    assert len(set(removals())) == 12


def test_definition_5_charges_the_worst_data_set_and_definition_6_the_one_at_hand() -> None:
    worst, at_hand = in_worst(MENU, _moment), now(MENU, _moment)
    assert worst(0, 0, 0b011) == worst(0, 0, 0b001) == Fraction(7, 3)
    assert at_hand(0, 0, 0b011) == 1
    assert at_hand(0, 0, 0b001) == Fraction(7, 3)
    assert worst(0, 2, 0b111) == 1
    for data, person in removals():
        assert worst(1, person, data) == Fraction(5, 4) >= at_hand(1, person, data) > 1


def test_those_who_take_part_are_those_whom_the_individual_filter_selects() -> None:
    weights, holders = (Fraction(2, 5), QUARTER), (0b110, 0b011)
    menu = tuple(map(told_if_any, holders, weights))
    responses = [fp.RandomizedResponse(math.log((1 - w) / w)) for w in weights]
    squares = [float(np.asarray(pair.gdp_mu)) ** 2 for pair in responses]
    budget = sum(squares) * (1 + 1e-9)
    cost = dict(zip((1 - 2 * w for w in weights), squares, strict=True)) | {Fraction(0): 0.0}
    game = Game(menu, in_worst(menu, _distance), lambda charges: sum(cost[c] for c in charges) <= budget)
    out = set()
    for asked in product(range(2), repeat=4):
        people = fp.IndividualFilter(fp.GaussianFilter(mu=math.sqrt(budget)), people=3)
        for t, request in enumerate(asked, 1):
            free = np.array([not holders[request] >> person & 1 for person in range(3)])
            pairs = (responses[request], fp.RandomizedResponse(0.0))
            selected = people.select(fp.Selection(pairs, free.astype(int)))
            assert sum(1 << int(person) for person in np.flatnonzero(selected)) == game.active(
                0b111, asked[:t]
            )
            out |= {asked[:t]} - ({asked[:t]} if selected.all() else set())
    assert out, "somebody sits out, or the games would show nothing"


def test_a_round_without_the_person_is_a_trivial_pair_in_the_persons_own_game() -> None:
    game = Game(MENU, in_worst(MENU, _moment), within(Fraction(5, 2)))
    twice = Tree(0, (Tree(0, (None, None)),) * 2)
    seen = alone(game, twice, 0b011)
    assert seen is not None
    assert seen.request == 0b011
    assert seen.after[0] is not None
    assert seen.after[0].request == 0  # both have paid for one telling, and nobody is left for another
    menu = alone_menu(game, 0)
    assert menu[0].p == menu[0].q
    assert menu[0b001].p != menu[0b001].q


def test_games_of_one_law_have_one_divergence() -> None:
    game = Game(MENU, in_worst(MENU, _moment), within(Fraction(35, 12)))
    played = [list(game.transcripts(tree, *at)) for tree in full_trees(2, 2) for at in removals()]
    kept = laws(played)
    assert len(kept) < len(played)
    assert {moment(ends, 2) for ends in kept} == {moment(ends, 2) for ends in played}
    turned = [end.swapped for end in played[-1]]
    assert [(end.p, end.q) for end in turned] == [(end.q, end.p) for end in played[-1]]


@pytest.mark.parametrize(("accounting", "worst"), [(in_worst, Fraction(35, 12)), (now, Fraction(49, 9))])
def test_the_worst_moment_is_the_whole_budget_and_more_only_by_definition_6(
    accounting: Accounting, worst: Fraction
) -> None:
    budget = in_all([Fraction(7, 3), Fraction(5, 4)])
    game = Game(MENU, accounting(MENU, _moment), within(budget))
    reached = max(
        moment(list(game.transcripts(tree, *at)), 2) for tree in full_trees(2, 3) for at in removals()
    )
    assert reached == worst
    assert (reached <= budget) == (accounting is in_worst)


def test_a_filter_for_each_person_is_no_worse_for_one_person_than_a_filter_for_all() -> None:
    # with the others gone the person's game is that of the theorem on the GDP filter
    assert people_worst() == gdp_worst()


# -- Definition 2.6 -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("accounting", "name"), [(now, "per-instance"), (in_worst, "individual")])
def test_the_leak_is_what_the_filters_own_code_gives(accounting: Accounting, name: str) -> None:
    charged, *found = leak_rows(accounting)()
    by_code = transcript_deltas(name, Fraction(3), rounds=4)  # type: ignore[arg-type]
    assert tuple(left for left, _, _ in found) == by_code
    assert (charged[0] == 1) == (name == "per-instance")


# -- the Gaussian ---------------------------------------------------------------------------------------


def _reached(epsilon: float, mus: tuple[float, float, float], last: tuple[float, float]) -> float:
    """H of three Gaussians: mus[0], then mus[1] or mus[2] by the sign of the first output, then its `last`."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    total = 0.0
    for (low, high), second, third in zip(((-10.0, 0.0), (0.0, 10.0)), mus[1:], last, strict=True):
        z = (high - low) / 2 * nodes + (high + low) / 2
        w = (high - low) / 2 * weights * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        x = 10 * nodes
        v = 10 * weights * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        loss = (mus[0] ** 2 / 2 + mus[0] * z)[:, None] + (second**2 / 2 + second * x)[None, :]
        total += float(w @ fp.Gaussian(third).hockey_stick(epsilon - loss) @ v)
    return total


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 1.0, 2.5])
def test_a_budget_of_squares_that_is_used_up_on_each_path_gives_the_gaussian_itself(epsilon: float) -> None:
    m, a, b, d = 0.75, 0.5, 0.9, 0.8
    whole = math.sqrt(m**2 + a**2 + d**2)
    used_up = _reached(epsilon, (m, a, b), (d, math.sqrt(a**2 + d**2 - b**2)))
    assert used_up == pytest.approx(float(np.asarray(fp.Gaussian(whole).hockey_stick(epsilon))), abs=1e-10)
    # as Remark C.3 is printed: the mu add up to the same
    printed = _reached(epsilon, (m, a, b), (d, a + d - b))
    assert abs(printed - used_up) > 1e-3


def test_people_who_are_clipped_to_what_is_left_never_spend_more_than_b_norm() -> None:
    rng = np.random.default_rng(7)
    sigma, clip, norm = 1.7, 0.8, 3.0
    promise = math.sqrt(norm) / (sigma * clip)
    people = fp.IndividualFilter(fp.GaussianFilter(mu=promise), people=50)
    spent = np.zeros(50)
    for _ in range(30):
        norms = rng.exponential(0.7, 50)
        counted_as = people.clip(norms, sigma=sigma * clip, most=clip) * norms
        rule = np.minimum(np.minimum(norms, clip), np.sqrt(np.maximum(norm - spent, 0.0)))
        assert counted_as == pytest.approx(rule, abs=2e-6 * math.sqrt(norm))
        spent += counted_as**2
    assert spent.max() <= norm
    assert spent.max() == pytest.approx(norm, rel=1e-9)
    assert fp.GaussianDP(promise).mu ** 2 / 2 == pytest.approx(norm / (2 * sigma**2 * clip**2))


# -- trackers, and what the theorem says of itself ------------------------------------------------------


def test_two_blocks_of_a_persons_tracker_are_used_up_and_never_exceeded() -> None:
    rows = list(tracker_rows()())
    assert {right for _, _, right in rows} == {Fraction(7, 3) ** 2}
    assert max(left for left, _, _ in rows) == Fraction(7, 3) ** 2  # the telling, twice


def test_it_cites_nothing_itself_and_rests_on_the_filters_of_one_analysis() -> None:
    theorem, steps = THEOREMS["individual filter"], own_steps("individual filter")
    assert not theorem.cites
    assert all(step.holds for step in steps)
    assert sum(step.checked is Checked.GAME for step in steps) == 5
    assert {"RDP filter", "GDP filter", "trackers"} <= set(theorem.uses)
