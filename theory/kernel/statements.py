"""The statements that the kernel is asked for: each with the papers' theorem that it is, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KERNEL", "KernelTheorem"]

_000, _003, _004 = "Feldman & Zrnic", "Koskela, Tobaben & Honkela", "Taylor, Vippathalla & Coon"


@dataclass(frozen=True, slots=True)
class KernelTheorem:
    """A theorem of the Rocq sources: its name, its file, the paper's theorem, what it says, and what it leaves out.

    Each is about mechanisms with finitely many outcomes; `beyond` names what else a reader might look for in vain.
    """

    name: str
    module: str
    source: str
    says: str
    beyond: str = ""


_ALL = (
    KernelTheorem(
        "total_is_a_sum_over_transcripts",
        "Interaction",
        "this project",
        "What the statements call a total is the sum over the list of all full transcripts.",
    ),
    KernelTheorem(
        "transcripts_differ",
        "Interaction",
        "this project",
        "In the list of transcripts each stands once, so that an event is a set of transcripts.",
    ),
    KernelTheorem(
        "hockey_stick_bounds_events",
        "Divergences",
        f"{_003}, Theorem 6",
        "A bound on the hockey-stick divergence of the transcript is one on P(S) - e^epsilon Q(S) for each event S.",
    ),
    KernelTheorem(
        "renyi_filter_both_ways",
        "RenyiFilter",
        f"{_000}, Theorem 4.3",
        "A filter that admits while declared charges sum to at most B, each at least the Rényi divergence of order "
        "alpha > 1 of its mechanism in both directions, keeps that of the whole transcript at most B, both ways.",
    ),
    KernelTheorem(
        "kl_filter",
        "RenyiFilter",
        f"{_000}, Theorem 4.3 at alpha = 1",
        "The same at order 1, where the paper's proof divides by zero: a sum of KL divergences bounds that of the "
        "transcript.",
    ),
    KernelTheorem(
        "all_orders_filter",
        "RenyiFilter",
        f"{_000}, Remark 4.4",
        "A filter that admits while the charges fit the budget of each order of a finite set keeps each budget.",
    ),
    KernelTheorem(
        "adaptive_composition",
        "AdaptiveComposition",
        f"{_000}, Theorem 3.1",
        "Without a filter: where the charges on each path sum to at most B, the transcript has D_alpha <= B.",
    ),
    KernelTheorem(
        "zcdp_filter",
        "ZCDPFilter",
        f"{_000}, Remark 4.4",
        "A filter that admits while zCDP charges sum to at most B keeps D_alpha <= alpha B at each alpha > 1.",
    ),
    KernelTheorem(
        "realisation_filter",
        "RealisationFilter",
        f"{_004}, Theorem 1",
        "Algorithm 1 over any N and any menus: where dhat + theta (1 - dhat) N <= delta, the transcript is "
        "(epsilon, delta)-DP in both directions.",
        "That a quantile of the code is one of the theorem's is certified apart.",
    ),
)

#: The statements by name.
KERNEL: Mapping[str, KernelTheorem] = {theorem.name: theorem for theorem in _ALL}
