"""Claims that the kernel proves: filters and trackers on divergences, and conversions of their promises."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_MOMENT = Formula("exp((alpha - 1) * B)", rocq="exp ((alpha - 1) * rho)", names={"rho": "B"})
_BLOCKS = Formula("m*Delta", rocq="INR m * D", names={"D": "Delta"})
_ROOT = Formula("Delta*sqrt(m)", rocq="sqrt (INR m) * size", names={"size": "Delta"})
_LARGEST_MEAN = Formula(
    "exp((s - 1)*(rho - epsilon))*(1 - 1/s)**s/(s - 1)", rocq="cks_bound s B epsilon", names={"B": "rho"}
)

_WEIGHED = Formula("1 - exp(-A)", rocq="1 - exp (- A)")

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="RDP filter",
        title="The Rényi filter: fully adaptive composition with a stopping rule",
        source="Feldman & Zrnic, Theorems 3.1 and 4.3, Remark 4.4",
        hypotheses="every order alpha >= 1; adaptive mechanisms with finitely many outcomes and declared rho_t >= "
        "D_alpha both ways, a filter that admits while sum rho_t <= B and decides before the release, finitely many "
        "rounds",
        claim="The transcript, stopping time included, is (alpha, B)-RDP; with rho_t = alpha r_t and B = alpha r the "
        "condition is the same at every order, so sum r_t <= r gives r-zCDP",
        statement=(
            r"\sum_{t\le T}\rho_t \le B \implies \sum_\tau P(\tau)^\alpha Q(\tau)^{1-\alpha} \le ",
            _MOMENT,
        ),
        steps=kernel_steps("renyi_filter_both_ways", "kl_filter", "zcdp_filter", "zcdp_filter_kl"),
    ),
    Theorem(
        name="adaptive composition",
        title="Fully adaptive composition without a filter, for all together and for each person",
        source="Feldman & Zrnic, Theorem 3.1 and Corollary 3.3",
        hypotheses="every order alpha > 1, and alpha = 1 for one person; adaptive mechanisms with finitely many "
        "outcomes, finitely many rounds, and declared rho_t >= D_alpha both ways, for one person or for all, that sum "
        "to at most B on every path",
        claim="The transcript is (alpha, B)-RDP, for that person or for all",
        statement=(
            r"\sum_t\rho_t \le B \text{ on every path} \implies \sum_\tau P(\tau)^\alpha Q(\tau)^{1-\alpha} \le ",
            _MOMENT,
        ),
        steps=kernel_steps(
            "adaptive_composition",
            "individual_composition",
            "individual_composition_kl",
        ),
    ),
    Theorem(
        name="pair by pair",
        title="One budget for each pair of neighbours: the maximum before the sum",
        source="Feldman & Zrnic, Remark 3.2",
        hypotheses="every order alpha > 1; finitely many pairs of neighbouring data sets, mechanisms with finitely "
        "many outcomes, finitely many rounds, each declared with what it may lose on every pair; a filter that admits "
        "what each pair's own budget still pays for, and decides before the release by what was declared",
        claim="The transcript satisfies (alpha, B)-RDP on each pair, B its own budget; what a filter charged the "
        "largest of these losses admits, this one admits, and it admits more",
        statement=(
            r"\sum_{t\le T}\rho_t(S, S') \le B \implies \sum_\tau P_S(\tau)^\alpha P_{S'}(\tau)^{1-\alpha} \le ",
            _MOMENT,
        ),
        steps=kernel_steps("pair_by_pair_renyi", "fewer_by_the_largest", "more_is_admitted")
        + supporting_steps("pair_by_pair_promise"),
    ),
    Theorem(
        name="trackers",
        title="Trackers: filters restarted",
        source="Feldman & Zrnic, Algorithm 5 and Proposition 4.10; Koskela, Tobaben & Honkela, Section C.5",
        hypotheses="every order alpha >= 1; mechanisms with finitely many outcomes, finitely many rounds, a filter of "
        "size Delta restarted each time it would halt, the tracker starting at one Delta; a request of more than "
        "Delta closes as many filters as its charge needs",
        claim="Before the m-th restart, m fixed in advance, the transcript is (alpha, m Delta)-RDP; for GDP it is "
        "(Delta sqrt m)-GDP",
        statement=(r"D_\alpha(T_m) \le ", _BLOCKS, r",\qquad \tilde B_m = ", _ROOT),
        steps=kernel_steps("tracker_renyi", "tracker_kl", "gaussian_tracker")
        + supporting_steps("individual_tracker", "individual_tracker_kl", "tracker_zcdp", "tracker_promise"),
    ),
    Theorem(
        name="tilted weights",
        title="Tilted simulation under a Rényi or zCDP filter has bounded weights",
        source="this project",
        hypotheses="every order s > 1; mechanisms with finitely many outcomes, any adaptive strategy under a filter "
        "that guarantees sum D_s <= rho_s; rounds drawn from the law proportional to P^s Q^(1-s)",
        claim="The weighted integrand lies in [0, M_s] and its mean is the hockey-stick; M_s is the CKS bound at "
        "order s",
        statement=("M_s = ", _LARGEST_MEAN, r",\quad \rho = \rho_s"),
        steps=kernel_steps("tilted_mean_of_finite_losses"),
    ),
    Theorem(
        name="infinite losses",
        title="Infinite losses weighed instead of drawn",
        source="this project",
        hypotheses="every order s > 1; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far; d_t the probability under P of an infinite loss in round t, K the product of 1 - d_t along a "
        "path; on each path log(1/(1 - d_t)) adds to at most A, and log E_P[e^((s-1) L) | L finite] to at most (s-1) "
        "rho_s",
        claim="Drawn without infinite losses, 1 - K lies in [0, 1 - e^-A], and K times the tilted weight times 1 - "
        "e^(epsilon - L), where positive, in [0, M_s], the CKS bound at order s; the means of the two, weighed by R, "
        "add to the hockey-stick",
        statement=(
            r"H = \mathbb{E}_R\left[\tfrac{dP^\circ}{dR}(1-K)\right] + "
            r"\mathbb{E}_R\left[K\,\tfrac{dP^\circ}{dR}(1-e^{\varepsilon-L})_+\right],\qquad 0 \le 1-K \le ",
            _WEIGHED,
            r",\qquad M_s = ",
            _LARGEST_MEAN,
            r",\quad \rho = \rho_s",
        ),
        steps=kernel_steps("tilted_weights_bounded", "tilted_mean"),
    ),
)
