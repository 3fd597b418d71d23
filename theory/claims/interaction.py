"""Statements of the kernel on every filter: what a transcript is, the induction, domination, and filters that fail."""

from __future__ import annotations

from theory.claims.kernel_theorem import beside, decided_by
from theory.claims.notations import Formula
from theory.claims.theorem import Theorem
from theory.kernel.statement import KernelTheorem

__all__ = ["ROWS", "STATEMENTS"]

_REACHED = Formula(
    "delta*(1 + 1/(1 + exp(e1)))",
    rocq="delta * (1 + 1 / (1 + exp e))",
    names={"e": "e1"},
    delta=("1/1024", "1/4"),
    e1=("1/8", "3"),
)

#: The claim that the kernel decides.
ROWS = (
    Theorem(
        name="natural filter",
        title="The natural filter breaks its promise",
        source="this project; natural filters are also the subject of arXiv 2602.06756",
        hypotheses="the filter that admits while the mechanisms run so far, composed as if they had been fixed in "
        "advance, keep (epsilon, delta)-DP; two witnesses: three rounds of randomised response, two rounds at any "
        "epsilon >= e1 > 0 and delta > 0 with delta (1 + e^-e1) < 1 and e^eB <= e^(epsilon + e1)",
        claim="It is not (epsilon, delta)-DP: an adaptive analyst reaches 1899/5915 against a promise of 45/169, and "
        "delta (1 + 1/(1 + e^e1)) against delta",
        stated=(r"H_{e^\varepsilon} = ", _REACHED, r" > \delta"),
        steps=(
            decided_by(
                "NaturalFilter.natural_filter_fails",
                "The natural filter breaks its promise 45/169 on three randomised responses: an adaptive strategy "
                "reaches 1899/5915.",
            ),
            decided_by(
                "NaturalTwoRounds.two_rounds_break",
                'Two rounds: randomised response at e1, then, after "+", randomised response at the e_B with e^eB = '
                '(e^(epsilon - e1) + s)/(1 - s), s = delta (1 + e^-e1), after "-" the bit itself with probability '
                "delta. Both are admitted, and reach more than delta.",
            ),
            beside(
                "NaturalFilter.no_strategy_more",
                "In three rounds no strategy on that menu reaches more, P over Q.",
            ),
        ),
    ),
)

STATEMENTS = (
    KernelTheorem(
        "Interaction.total_is_a_sum_over_transcripts",
        "What the statements call a total is the sum over the list of all full transcripts.",
    ),
    KernelTheorem(
        "Interaction.transcripts_differ",
        "In the list of transcripts each stands once, so that an event is a set of transcripts.",
    ),
    KernelTheorem(
        "Divergences.hockey_stick_bounds_events",
        "A bound on the hockey-stick divergence of the transcript is one on P(S) - e^epsilon Q(S) for each event S.",
        "Koskela, Tobaben & Honkela, Theorem 6",
    ),
    KernelTheorem(
        "Events.hockey_stick_is_least",
        "The hockey-stick divergence of a transcript is the least delta: what an event can gain, some event gains.",
    ),
    KernelTheorem(
        "Domination.dominated_by_product",
        "Rounds dominated by fixed finite pairs stay dominated by the product of the pairs, whatever was chosen "
        "adaptively.",
        "Koskela, Tobaben & Honkela, Theorem 4",
    ),
    KernelTheorem(
        "Domination.product_filter",
        "A filter that uses up a fixed multiset of dominating pairs, in any order, is (epsilon, delta)-DP where their "
        "product is.",
        "Koskela, Tobaben & Honkela, Theorem 4",
    ),
    KernelTheorem(
        "RetryAndHalt.halting_keeps",
        "What a filter promises to each strategy it keeps for an analyst who must halt at the first denial.",
        "Feldman & Zrnic, Algorithms 2 and 4",
    ),
    KernelTheorem(
        "RetryAndHalt.retry_is_seen",
        "An example: who asks again after a denial has the denial in the transcript.",
        "Feldman & Zrnic, Section 4",
    ),
    KernelTheorem(
        "RetryAndHalt.resetting_filter_fails",
        "A filter that starts anew at each denial breaks its promise, by 3/8 in a game of two coins.",
    ),
    KernelTheorem(
        "LateFilter.late_filter_fails",
        "A filter that decides after the release keeps no (epsilon, delta)-DP with delta < 1.",
    ),
    KernelTheorem(
        "Interaction.potential",
        "One induction for every filter: a potential of the state and of the probabilities so far that bounds the "
        "payoff of stopping, and does not rise in the mean over a round that is admitted, bounds the mean payoff of "
        "each strategy.",
    ),
)
