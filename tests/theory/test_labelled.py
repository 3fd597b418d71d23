"""A labelled request has its mechanism's pair for a record that it reads, and a pair without loss for others."""

import math
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.encoding import allowed_values_by_name, decode, encode
from filterproof.theory.pairs import example_pairs

WHERE = {"site": "a", "epoch": (1, 2)}
NOTHING = fp.RandomizedResponse.from_ratio(1)


#: What a request with labels says otherwise than its mechanism, or as every pair does.
OF_LABELS = {
    *(
        "unlabelled",
        "labels",
        "members",
        "choice",
        "runs_by_family",
        "of_run",
        "same_parameters",
        "dominates",
        "more_private_variants",
    ),
    *("rational", "swapped", "monotone_parameters", "closed_least", "domination_parameter"),
}
#: What the methods of a distribution are asked, the loss of an outcome among them.
ASKED = {"tight_charge": ("zcdp_rho",), "renyi": (3.0,), "loss_isf": (0.3,)}


def result_of(pair: fp.DominatingPair, name: str, at: float) -> Any:
    attribute = getattr(pair, name)
    if name in ("sample", "sample_finite"):
        return attribute(np.random.default_rng(1), 5, 2.0).tolist()
    if name == "log_weight":
        return attribute(np.array([at, 0.5]), 2.0).tolist()
    return attribute(*ASKED.get(name, (at,))) if callable(attribute) else attribute


@pytest.mark.parametrize(
    ("pair", "reveals"), [(example_pairs()[0], False), *((pair, True) for pair in example_pairs())], ids=repr
)
def test_all_that_the_contract_of_pairs_asks_it_answers_as_its_law_does(
    pair: fp.DominatingPair, reveals: bool
) -> None:
    distribution, labelled = pair if reveals else NOTHING, fp.LabelledRequest(pair, WHERE, reveals)
    levels = [0.0, 0.7, *(float(loss) for loss, _ in distribution.outputs or () if math.isfinite(loss))]
    for name in (name for name in vars(fp.DominatingPair) if name[0] != "_" and name not in OF_LABELS):
        for at in levels:
            assert result_of(labelled, name, at) == result_of(distribution, name, at), name
            if name not in ("pure_epsilon", "reference_values"):
                assert result_of(labelled.swapped, name, at) == result_of(distribution.swapped, name, at), (
                    name
                )
    assert labelled.unlabelled == pair
    assert labelled.labels == WHERE


def test_runs_that_ask_elsewhere_lose_nothing_there() -> None:
    size = fp.RandomizedResponse(np.array([0.5, 1.0, 2.0]))
    here, elsewhere = (
        fp.LabelledRequest(size, {"site": "a"}),
        fp.LabelledRequest(size, {"site": "b"}, reveals=False),
    )
    both = fp.PairPerRun((here, elsewhere), np.array([0, 1, 0]))
    assert both.pure_epsilon.tolist() == [0.5, 0.0, 2.0]
    assert both.take(np.array([1, 2])).pure_epsilon.tolist() == [0.0, 2.0]
    assert np.abs(both.sample(np.random.default_rng(3), 3)).tolist() == [0.5, 0.0, 2.0]
    assert here.of_run(1) == fp.LabelledRequest(fp.RandomizedResponse(1.0), {"site": "a"})


def test_it_is_written_and_read_again() -> None:
    labelled = fp.LabelledRequest(fp.Gaussian(0.5), WHERE, reveals=False)
    data = encode(labelled, allowed_values_by_name())
    assert decode(data, allowed_values_by_name()) == labelled != fp.LabelledRequest(fp.Gaussian(0.5), WHERE)
