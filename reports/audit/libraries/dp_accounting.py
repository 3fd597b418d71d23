"""Google's dp-accounting: what its accountants were asked, what was wrong, and what held."""

from __future__ import annotations

import math

from reports.audit.fault import EntryPoint, Fault, Kind, Library, Route
from reports.audit.routes import dp_accounting as truths
from reports.audit.routes.gaussian_densities import delta_routes, epsilon_routes
from reports.audit.subjects import dp_accounting as subjects

__all__ = ["LIBRARY"]

_FAULTS = (
    Fault(
        key="randomized_response_count",
        breaks=(
            ("PLDAccountant, randomized response", "a_count_is_so_many_uses"),
            ("PLDAccountant, randomized response", "what_it_answers_is_at_least_the_truth"),
            ("PLDAccountant, randomized response", "an_adaptive_choice_gains_nothing"),
        ),
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.pld.PLDAccountant.compose",
        says="PLDAccountant charges a RandomizedResponseDpEvent once, whatever its count",
        why="Composed 20 times, binary responses of noise 0.5 are reported to have delta(2) = 0; the truth "
        "is 0.957. A local randomizer that is asked many times is reported as if asked once. "
        "SelfComposedDpEvent is affected too. Composing in a loop, and RdpAccountant, charge every "
        "time.",
        fix="Self-compose the distribution of the event `count` times before composing it, as is done for "
        "the other events.",
        routes=(
            Route("sum over the number of true answers", truths.responses_delta),
            Route("privacy loss composed step by step in fractions", truths.responses_delta_by_paths),
        ),
    ),
    Fault(
        key="integer_noise_in_subsampling",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant drops counts and other Gaussians inside a sampled event when a noise multiplier "
        "is not a float",
        why="With noise_multiplier=1 instead of 1.0, or a numpy.float32, 100 releases per batch count as "
        "one: a divergence of order 2 of 98.6 is reported as 0.357. The search for the effective noise "
        "takes a number that is not a Python float for an unsupported event and hands it up past the "
        "count. Poisson sampling and sampling without replacement are both affected.",
        fix="Test whether the search returned an event, instead of whether it returned a float; or convert "
        "the multiplier with float().",
        routes=(
            Route("closed form of order 2", truths.order_two),
            Route("integral of the squared density ratio", truths.order_two_by_integral),
        ),
    ),
    Fault(
        key="infinite_order",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.rdp.RdpAccountant",
        says="RdpAccountant reports epsilon 0 when the order infinity is among its orders",
        why="The conversion divides log(delta * order) by order - 1, which is NaN for an infinite order; NaN is taken "
        "for the least epsilon, and max(0, nan) is 0. The divergences of the Gaussian events and of randomized "
        "response treat an infinite order explicitly and are right; that of Laplace raises. None of the default "
        "orders is infinite.",
        fix="At an infinite order take the divergence itself as epsilon.",
        routes=epsilon_routes(2.0),
    ),
    Fault(
        key="repeat_and_select_refund",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant forgets all that was composed when a RepeatAndSelectDpEvent raises",
        why="The total is set aside while the inner event is computed and is not put back after an error, "
        "such as that of a mean below 1 or of a negative noise inside. supports() has said True before. "
        "A caller that catches the error goes on with a total near zero, while the ledger still shows "
        "the earlier events.",
        fix="Compute the inner divergence in an array of its own, or restore the total in a finally clause.",
        routes=epsilon_routes(2.0),
    ),
    Fault(
        key="rdp_replace_one",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant under REPLACE_ONE charges a GaussianDpEvent for half the shift that its "
        "definition allows",
        why="The event is defined by a bound on the norm of each record, so that replacing one moves the "
        "sum by up to twice the bound. PLDAccountant takes it so, and reports epsilon 9.997 where "
        "RdpAccountant, whose answer should be an upper bound, reports 4.729. "
        "SampledWithoutReplacementDpEvent and LaplaceDpEvent are not doubled either. It is reported upstream "
        "too, as issue 378.",
        fix="Halve the noise multiplier under REPLACE_ONE; or define it by the sensitivity, and make the "
        "two accountants agree.",
        routes=epsilon_routes(2.0),
    ),
    Fault(
        key="mixture_of_gaussians_scale",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.pld.privacy_loss_distribution.from_mixture_gaussian_mechanism",
        says="The mixture of Gaussians reports far too low a delta when noise and sensitivities are small "
        "numbers",
        why="Only their ratio matters, yet the cut-offs are rounded to a multiple of 1e-6. At noise 1e-7 and "
        "sensitivity 1e-7, the Gaussian mechanism of noise multiplier 1, delta(2) is reported as 1e-15 instead of "
        "0.0209. At 1e-6 and 1e-5 the reported delta exceeds 1, at 1e-4 it is 0.499, and at 1e-3 a TypeError is "
        "raised; at 0.01 it is right. A delta computed at a rounded cut-off is a lower bound, so that the "
        "rounding is not pessimistic, as the docstring has it.",
        fix="Divide the noise and the sensitivities by the largest sensitivity first, and make the "
        "precision relative to the noise.",
        routes=delta_routes(1.0, 2.0),
    ),
    Fault(
        key="mixture_of_gaussians_rare",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.pld.privacy_loss_distribution.from_mixture_gaussian_mechanism",
        says="The mixture of Gaussians reports delta(0) of about 0 when a positive sensitivity is very "
        "improbable",
        why="Losses near log(1 - p), p the probability of a positive sensitivity, are found by "
        "numpy.isclose, whose absolute tolerance is 1e-8, so that for p of that order the loss 0 is "
        "taken for one of them. At p = 1e-8 delta(0) is 3.83e-9, and less than 1e-20 is reported; at 5e-8 the "
        "answer is right, so that it takes many steps for the error to matter. from_gaussian_mechanism at "
        "sampling_prob = 1e-8 answers rightly.",
        fix="Compare with an absolute tolerance of 0, or with one that scales with p.",
        routes=(
            Route("closed form of the total variation", lambda: 1e-8 * math.erf(0.5 / math.sqrt(2.0))),
            Route("integral of the densities", truths.rare_delta_by_integral),
        ),
    ),
    Fault(
        key="advanced_composition_zero_delta",
        kind=Kind.WRONG_NUMBER,
        entry="dp_accounting.pld.accountant.advanced_composition",
        says="advanced_composition with total_delta = 0 returns less than count times epsilon",
        why="For 100 mechanisms of 0.1-DP it returns 8 where the least is 10; 8 holds with a delta of 1.8e-17, "
        "not with 0. It is a matter of rounding, but the answer reads as pure differential privacy. 1 - (1 - "
        "delta)^k (1 - delta_i) is formed by subtraction, so that a total below about 1e-16 counts as 0. For the same "
        "reason delta = 1e-17 a hundred times over is accepted for total_delta = 1e-16, where the "
        "docstring says None.",
        fix="Form the total as -expm1(k log1p(-delta) + log1p(-delta_i)).",
        routes=(
            Route("count times epsilon", lambda: 100 * 0.1),
            Route(
                "largest privacy loss of positive mass over the outcomes, in fractions",
                truths.pure_epsilon_by_outcomes,
            ),
        ),
    ),
    Fault(
        key="truncated_added_record",
        kind=Kind.MISUSE,
        entry="dp_accounting.TruncatedSubsampledGaussianDpEvent",
        says="Truncated sampling is accounted for a record that is removed, and not for one that is added",
        why="Batches are truncated more often once a record is added, and the accountant takes dataset_size for the "
        "larger of two neighbours without saying so. With ADD_OR_REMOVE_ONE, three records, rate 0.99, batches of "
        "at most 3 and noise 0.5, delta(3) is reported as 0.181; against the four records it is 0.508. For 1000 "
        "records, rate 0.1, batches of at most 110 and noise 1 the answers for 1000 and 1001 differ by 1.5 "
        "percent at epsilon = 1.",
        fix="Say that dataset_size must be the larger size, or account for dataset_size + 1 under ADD_OR_REMOVE_ONE.",
        routes=(
            Route("sum over the subsets that are drawn, on a fine grid", truths.truncated_delta),
            Route(
                "numbers of records drawn, tails of the normal distribution", truths.truncated_delta_by_counts
            ),
        ),
    ),
    Fault(
        key="nan_noise",
        breaks=(("RdpAccountant", "odd_parameters_grant_nothing"),),
        kind=Kind.MISUSE,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant accepts a noise multiplier of NaN and reports epsilon 0 from then on",
        why="What was spent before is lost from the answer, since max(0, nan) is 0: a failed computation of "
        "the noise reads as perfect privacy and passes a check against a budget. ZCDpEvent, "
        "RandomizedResponseDpEvent and SingleEpochTreeAggregationDpEvent take NaN too, and so does "
        "PoissonSampledDpEvent, even after a NonPrivateDpEvent. get_epsilon(nan) and "
        "get_epsilon_gaussian(nan, delta) are 0 likewise. PLDAccountant raises a ValueError.",
        fix="Refuse NaN when an event is composed, and let NaN through compute_epsilon.",
        routes=epsilon_routes(1.0),
    ),
    Fault(
        key="nested_count",
        kind=Kind.MISUSE,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant takes a negative count inside a ComposedDpEvent and gives budget back",
        why="A count below 1, or not an integer, is refused at the top by the ledger, which does not look "
        "inside a composed event. A count of -1, say of a subtraction of step numbers, takes back what "
        "was spent; a count of 0 of a Gaussian without noise makes the total NaN and epsilon 0.",
        fix="Check the count in SelfComposedDpEvent, or where counts are multiplied.",
        routes=epsilon_routes(1.0),
    ),
    Fault(
        key="stopping_rule",
        breaks=(
            ("PLDAccountant, randomized response, as a stopping rule", "an_adaptive_choice_gains_nothing"),
        ),
        kind=Kind.MISUSE,
        entry="dp_accounting.pld.PLDAccountant.get_epsilon",
        says="A loop that goes on while PLDAccountant's epsilon is within a target does not keep the target when "
        "events are chosen by what was released",
        why="The accountant composes events that are fixed in advance. An analyst who chooses among three randomized "
        "responses by the answers so far, and stops when the rule says so, reaches delta 0.321 where each "
        "branch is reported to have at most 0.2664. The docstrings of composed events say that queries may be "
        "adaptive, and do not say that the events may not. The rule is the natural filter, which is known to be "
        "unsound; with one kind of event it is sound.",
        fix="Say in the docstring of PrivacyAccountant that the events must be fixed in advance, and that a stopping "
        "rule on its answers needs a privacy filter.",
        routes=(
            Route("all strategies of three rounds, in fractions", truths.adaptive_delta),
            Route("certified worst case of the natural filter", truths.adaptive_delta_of_the_game),
        ),
    ),
    Fault(
        key="delta_of_a_list",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution.get_delta_for_epsilon",
        says="get_delta_for_epsilon of a list is NaN from about epsilon = 710 on",
        why="The same question for one number is answered rightly. NaN compares false with any target, so that a "
        "check `delta > target` passes, though few will ask for so large an epsilon. The list is answered by "
        "exp(epsilon) times a sum of exp(-loss), which overflow and underflow.",
        fix="Scale the sum by the current epsilon, as -expm1(epsilon - loss) does for one number.",
        routes=delta_routes(50.0, 1000.0),
    ),
    Fault(
        key="delta_of_much_noise",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.rdp.RdpAccountant.get_delta",
        says="RdpAccountant.get_delta raises a math domain error after an event of very little loss",
        why="Where the divergence at some order is positive and below about 1e-16, log1p(-exp(-r)) is the "
        "logarithm of 0. A Gaussian of noise multiplier 1e9 or a sampled one of a tiny rate is a valid "
        "event; its delta(0) is 3.99e-10. No number is false. get_epsilon is not affected; a RepeatAndSelectDpEvent of "
        "infinite shape over it is.",
        fix="Use log(-expm1(-r)).",
        routes=(
            Route("closed form of the total variation", lambda: math.erf(0.5e-9 / math.sqrt(2.0))),
            delta_routes(1e-9, 0.0)[1],
        ),
    ),
    Fault(
        key="ledger_of_a_failure",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.PrivacyAccountant.ledger",
        says="An event that is refused for its parameters stays in the ledger",
        why="The ledger is written between the check of the types and the composition. The event is not "
        "charged, and composing the ledger anew raises. Of a ComposedDpEvent the parts before the "
        "refused one are charged.",
        fix="Check the parameters in the first pass, which changes nothing.",
    ),
    Fault(
        key="ledger_shared",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.PrivacyAccountant.ledger",
        says="The ledger hands out the list that it keeps",
        why="A reader who changes it changes the ledger, and a caller who changes the list of a "
        "ComposedDpEvent after composing it does too. The total is not affected, so that ledger and "
        "total no longer agree.",
        fix="Keep tuples, or copy on the way in and out.",
    ),
    Fault(
        key="laplace_without_noise",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.rdp.RdpAccountant.compose",
        says="RdpAccountant raises a ZeroDivisionError for LaplaceDpEvent(0), which supports() accepts",
        why="GaussianDpEvent(0) and PLDAccountant give an infinite epsilon. calibrate_dp_mechanism starts "
        "its default search at 0 and fails for Laplace with RdpAccountant.",
        fix="Treat a noise multiplier of 0 as an infinite divergence.",
    ),
    Fault(
        key="response_at_random",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.pld.PLDAccountant.compose",
        says="PLDAccountant raises for a RandomizedResponseDpEvent of noise 1, which supports() accepts",
        why="The event allows a noise parameter of 1, an answer at random that costs nothing, and RdpAccountant gives "
        "epsilon 0.",
        fix="Compose nothing where the noise parameter is 1.",
    ),
    Fault(
        key="named_tuple_of_anything",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.DpEvent.from_named_tuple",
        says="from_named_tuple calls any class or function of any module that the tuple names",
        why="It is offered for serialization. A stored event that someone else can change may run code when it is "
        "read; nothing checks that the name is that of a DpEvent.",
        fix="Refuse names whose class is not a subclass of DpEvent before it is called.",
    ),
    Fault(
        key="mixture_of_gaussians_arrays",
        kind=Kind.SEMANTICS,
        entry="dp_accounting.PrivacyAccountant.compose",
        says="A second MixtureOfGaussiansDpEvent with numpy arrays raises a ValueError",
        why="The ledger compares an event with the one before, and arrays have no truth value. The first event is "
        "composed, and tuples work.",
        fix="Turn the sequences into tuples in the event.",
    ),
)

LIBRARY = Library(
    key="dp_accounting",
    distribution="dp-accounting",
    entries=(
        EntryPoint(
            name="RdpAccountant",
            rule="adds Renyi divergences per order; epsilon is the least over the orders",
            where="rdp/rdp_privacy_accountant.py, RdpAccountant._maybe_compose and compute_epsilon",
            theorem="Mironov 2017 (composition); Canonne, Kamath & Steinke 2020, Proposition 12 (conversion)",
            promises="values account for all composed events",
            subject=subjects.rdp,
        ),
        EntryPoint(
            name="RdpAccountant, randomized response",
            rule="adds the Renyi divergences of responses with one record replaced",
            where="rdp/rdp_privacy_accountant.py, _randomized_response_rdp_replace_one",
            theorem="Mironov 2017",
            promises="values account for all composed events",
            subject=subjects.rdp_response,
        ),
        EntryPoint(
            name="PLDAccountant",
            rule="convolves discretised privacy loss distributions, the two directions apart; delta is the larger one",
            where="pld/pld_privacy_accountant.py, PLDAccountant._maybe_compose",
            theorem="Doroshenko et al. 2022 (Connect the Dots); Koskela et al. 2020 (convolution)",
            promises="values account for all composed events; estimates are pessimistic",
            subject=subjects.pld,
        ),
        EntryPoint(
            name="PLDAccountant, randomized response",
            rule="convolves the losses of responses with one record replaced",
            where="pld/privacy_loss_distribution.py, from_randomized_response",
            theorem="Koskela et al. 2020",
            promises="values account for all composed events",
            subject=subjects.pld_response,
        ),
        EntryPoint(
            name="PLDAccountant, randomized response, as a stopping rule",
            rule="goes on while epsilon at the target's delta is within the target, composing one by one",
            where="pld/pld_privacy_accountant.py, PLDAccountant.get_epsilon",
            theorem="none: the natural filter, which is unsound when events are chosen by what was released",
            promises="nothing: it is not offered as a filter",
            subject=subjects.pld_natural,
        ),
        EntryPoint(
            name="calibrate_dp_mechanism",
            rule="root search for the parameter at which an accountant meets a target epsilon",
            where="mechanism_calibration.py, calibrate_dp_mechanism",
            theorem="none; needs epsilon to be monotone in the parameter",
            promises="a parameter within tol of the best one that meets the target",
        ),
        EntryPoint(
            name="advanced_composition",
            rule="total epsilon of k mechanisms of one (epsilon, delta)",
            where="pld/accountant.py, advanced_composition",
            theorem="Kairouz, Oh & Viswanath 2015, Theorem 3.3",
            promises="the composition is (total_epsilon, total_delta)-DP, or None where no epsilon is",
        ),
    ),
    faults=_FAULTS,
    held=(
        "RdpAccountant, Poisson-sampled Gaussian at integer orders 2 to 256, rates 1e-8 to 1 - 1e-9, noise 0.3 to "
        "1000: not below 60-digit sums by more than 1e-6 of them, where the logarithm of the moment exceeds 1e-16",
        "RdpAccountant, sampling without replacement at orders 2 to 64, rates 1e-4 to 0.9, noise 0.5 to 100: not below "
        "the bound of its theorem in 400 digits by more than 1e-6 of it; above it by up to 43 times at high orders",
        "RdpAccountant, Laplace at orders 1.0001 to 100, epsilon 0.01 to 20: within 2e-8 of the closed form",
        "RepeatAndSelectDpEvent over randomized response, five shapes, means 1.5 to 50, orders 1.5 to 16: not below "
        "the divergence of the exact distribution of the best answer",
        "discrete Laplace and discrete Gaussian mechanisms, sensitivity 1 to 3, rates 0.3 and 1, both algorithms; "
        "Laplace and Gaussian at three rates, Gaussian under REPLACE_ONE; randomized response, both relations: delta "
        "not below the exact one",
        "DpEvents survive to_named_tuple and from_named_tuple, nested ones too",
        "PLDAccountant and the Gaussian closed form agree within 1e-6 of epsilon at noise 1 under both relations",
        "get_delta_for_epsilon_for_composed_pld agrees with composing first, epsilon from -5 to 3, relative 1e-9",
        "calibrate_dp_mechanism with Gaussian events, target epsilon 0.1 to 30: the parameter returned met the target",
        "get_smallest_gaussian_noise, get_smallest_subsampled_gaussian_noise, get_smallest_discrete_laplace_noise: "
        "the noise returned met the target, by the library's own delta, at four settings of at most 10 queries",
    ),
    left_out=(
        "the bounds for truncated Poisson sampling, beyond small data sets summed exactly",
        "adaptive choice of events for RdpAccountant, beyond small games: the least epsilon over the orders",
        "tree aggregation beyond its formula",
        "use from several threads",
        "the C++, Go and Java libraries of the same repository",
    ),
)
