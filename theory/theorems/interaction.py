"""A claim that the kernel proves: composing adaptive requests as if fixed in advance breaks a promise."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_REACHED = Formula("delta*(1 + 1/(1 + exp(e1)))", rocq="delta * (1 + 1 / (1 + exp e))", names={"e": "e1"})

#: The claim that the kernel decides.
ROWS = (
    Theorem(
        name="natural filter",
        title="The natural filter breaks its promise",
        source="this project; natural filters are also the subject of arXiv 2602.06756",
        hypotheses="the filter that admits while the mechanisms run so far, composed as if they had been fixed in "
        "advance, keep (epsilon, delta)-DP; two counterexamples: three rounds of randomised response, two rounds at "
        "any "
        "epsilon >= e1 > 0 and delta > 0 with delta (1 + e^-e1) < 1 and e^eB <= e^(epsilon + e1)",
        claim="It is not (epsilon, delta)-DP: an adaptive analyst reaches 1899/5915 against a promise of 45/169, and "
        "delta (1 + 1/(1 + e^e1)) against delta",
        statement=(r"H_{e^\varepsilon} = ", _REACHED, r" > \delta"),
        steps=kernel_steps("natural_filter_fails", "one_strategy_reaches_it", "two_rounds_break")
        + supporting_steps("no_strategy_more"),
    ),
)
