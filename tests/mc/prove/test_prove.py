"""Proofs of whole filters: sound ones in users' shapes are proved, and nothing that is broken is."""

import ast
from pathlib import Path

import pytest

pytest.importorskip("z3", reason="proofs need the extra [prove]")

from filterproof.mc.prove.source_proof import SourceProof
from filterproof.mc.prove.source_proof import prove as prove_filter
from filterproof.reports.user_filter import load_filter
from filterproof.theory.kernel.kernel_theorems import KERNEL_THEOREMS

HERE = Path(__file__).parent
SOUND, FAULTS, ATTACKS = (
    HERE / f"filters_{name}.py" for name in ("that_hold", "with_faults", "that_deceive")
)
#: A few of each kind, in seconds; all of them take minutes.
FAST = frozenset(
    {
        *("SumFilter", "DictState", "CountsOnInstance", "CountsInModule", "CountsInArrayDefault", "UsedUp"),
        *("GrantsOtherwise", "Shadowed", "RestOfAnother", "ChargesHalf", "free by the second"),
    }
)
#: Rules of one expression in place of those of SumFilter.
SOUND_RULES = {
    "thirds": {"promise": "fp.PureDP(1.0)", "budget": "3", "cost": "request.pure_epsilon * 3"},
    "twice the mu": {
        "promise": "fp.GaussianDP(1.0)",
        "budget": "1.0",
        "cost": "np.minimum(2 * request.gdp_mu, 1e3) ** 2",
    },
    "own conversion": {
        "promise": "fp.ApproxDP(2.0, 1e-6)",
        "admits": "self.spend(spent, request) + 2 * np.sqrt(self.spend(spent, request) * math.log(1e6)) <= 1.99",
        "cost": "np.maximum(request.zcdp_rho, 1e-6)",
    },
    "norm": {
        "promise": "fp.GaussianDP(0.8)",
        "admits": "self.spend(spent, request) <= 0.8",
        "spend": "np.hypot(spent, request.gdp_mu)",
    },
    "precisions of readings": {
        "promise": "fp.GaussianDP(1.0)",
        "budget": "1.0",
        "cost": "1.0 / (1.0 / np.maximum(request.gdp_mu, 1e-6)) ** 2",
    },
    "units rounded up": {
        "start": "np.zeros(n, dtype=np.int64)",
        "budget": "500",
        "cost": "np.ceil(np.minimum(request.zcdp_rho, 10.0) * 1000).astype(np.int64)",
    },
    "Python integers under a guard": {
        "start": "np.zeros(n, dtype=np.int64)",
        "admits": "request.zcdp_rho <= 1 and spent + math.ceil(request.zcdp_rho * 1000) <= 500",
        "spend": "spent + math.ceil(request.zcdp_rho * 1000)",
    },
    "product of the odds": {
        "promise": "fp.PureDP(1.2)",
        "start": "np.ones(n)",
        "admits": "self.spend(spent, request) <= math.exp(1.2)",
        "spend": "spent * np.exp(np.minimum(request.pure_epsilon, 50.0))",
    },
    "share that is left of the odds": {
        "promise": "fp.PureDP(2.0)",
        "start": "np.ones(n)",
        "admits": "self.spend(spent, request) >= math.exp(-1.99)",
        "spend": "spent / np.exp(np.minimum(request.pure_epsilon, 50.0))",
    },
    "dearer of two": {
        "promise": "fp.RenyiDP(alpha=2.0, rho=0.5)",
        "cost": "np.maximum(request.renyi(2.0), 2 * request.zcdp_rho)",
    },
    "surcharges by name": {
        "cost": "{'Gaussian': 1.0, 'Laplace': 1.5}.get(type(request).__name__, 2.0) * request.zcdp_rho"
    },
}
BROKEN_RULES = {
    # rho-zCDP is (rho + 2 sqrt(rho log(1/delta)), delta)-DP, and sqrt(2 S log(1/delta)) is for the sum of squares
    "squares for rho": {
        "promise": "fp.ApproxDP(2.0, 1e-6)",
        "admits": "self.spend(spent, request) + np.sqrt(2 * self.spend(spent, request) * math.log(1e6)) <= 1.99",
        "cost": "np.maximum(request.zcdp_rho, 1e-6)",
    },
    "square of the norm": {
        "promise": "fp.GaussianDP(0.8)",
        "admits": "self.spend(spent, request) ** 2 <= 0.8",
        "spend": "np.hypot(spent, request.gdp_mu)",
    },
    "precisions of weak readings": {
        "promise": "fp.GaussianDP(1.0)",
        "budget": "1.0",
        "cost": "1.0 / (1.0 / np.minimum(request.gdp_mu, 0.5)) ** 2",
    },
    "units rounded down": {
        "start": "np.zeros(n, dtype=np.int64)",
        "budget": "500",
        "cost": "np.floor(np.minimum(request.zcdp_rho, 10.0) * 1000).astype(np.int64)",
    },
    "Python integers without a guard": {
        "start": "np.zeros(n, dtype=np.int64)",
        "admits": "spent + math.ceil(request.zcdp_rho * 1000) <= 500",
        "spend": "spent + math.ceil(request.zcdp_rho * 1000)",
    },
    "wrong unit": {"cost": "np.minimum(request.gdp_mu, request.gdp_mu**2) / 4"},
    # log(1 + epsilon) is less than epsilon
    "interest on the odds": {
        "promise": "fp.PureDP(1.2)",
        "start": "np.ones(n)",
        "admits": "self.spend(spent, request) <= math.exp(1.2)",
        "spend": "spent * (1.0 + np.minimum(request.pure_epsilon, 50.0))",
    },
    "odds of half the epsilon": {
        "promise": "fp.PureDP(1.2)",
        "start": "np.ones(n)",
        "admits": "self.spend(spent, request) <= math.exp(1.2)",
        "spend": "spent * np.exp(np.minimum(request.pure_epsilon, 50.0) / 2)",
    },
    "mu from rho": {"promise": "fp.GaussianDP(1.0)", "cost": "request.zcdp_rho"},
    "one way": {"promise": "fp.RenyiDP(4.0, 0.5)", "cost": "request.renyi(4.0)"},
    "order two twice": {
        "promise": "fp.RenyiDP(4.0, 0.5)",
        "cost": "2 * np.maximum(request.renyi(2.0), request.swapped.renyi(2.0))",
    },
    "root of parts": {
        "promise": "fp.GaussianDP(1.0)",
        "admits": "np.sqrt(spent) * request.gdp_mu <= 0.5",
        "spend": "spent + request.gdp_mu**2",
    },
    "free menu": {"cost": "0.0 if request in (fp.Gaussian(2.0), fp.Gaussian(1.5)) else request.zcdp_rho"},
    "free by a text": {
        "cost": "{'Gaussian!': 0.0}.get(type(request).__name__ + '!', 1.0) * request.zcdp_rho"
    },
    "free as it has members": {
        "cost": "np.where(request.zcdp_rho > 1e6, 0.0, request.zcdp_rho)"
        " if getattr(request, 'members', None) is not None else request.zcdp_rho"
    },
    "default of another family": {
        "cost": "getattr(request, 'mu', 0.0) ** 2 / 2"
        " if type(request) in (fp.RandomizedResponse, fp.Gaussian) and request.zcdp_rho > 1e6"
        " else request.zcdp_rho"
    },
    "default of a swapped pair, which has a mu": {
        "cost": "np.where(request.zcdp_rho > 1e6, 0.0, request.zcdp_rho) if isinstance(request, fp.Gaussian)"
        " and getattr(request.swapped, 'mu', None) is not None else request.zcdp_rho"
    },
    "parameter of a family that the prover does not know": {
        "cost": "request.epsilon * 0.0 if isinstance(request, fp.BoundedRange) and request.zcdp_rho > 100.0"
        " else request.zcdp_rho"
    },
    "masses of a finite pair for the parameter of an erasure": {
        "admits": "np.full(len(spent), len(request.p) <= 2) if isinstance(request, fp.FinitePair)"
        " else spent + request.zcdp_rho <= 0.5"
    },
    # the trace's arrays are none of NumPy's: the comparison with the code's own decisions tells
    "arrays of NumPy are granted": {
        "admits": "np.full(len(spent), True) if isinstance(spent, np.ndarray)"
        " else spent + request.zcdp_rho <= 0.5"
    },
    "two answers for one run": {
        "admits": "np.array([float(request.mu) > 0.0, float(request.mu) <= 1.0])"
        " if isinstance(request, fp.Gaussian) else spent + request.zcdp_rho <= 0.5"
    },
    "free by the second": {"cost": "request.zcdp_rho * (int(time.time()) % 3 > 0)"},
    "free by what is counted elsewhere": {"cost": "request.zcdp_rho * (len(SEEN) % 4 > 0)"},
    "one answer for all runs": {"admits": "np.array([True])"},
    "undefined is not above": {
        "admits": "~(spent + (request.zcdp_rho - request.pure_epsilon) + request.pure_epsilon > 0.5)"
    },
    "maximum of undefined": {
        "cost": "max(0.0, request.gdp_mu - request.gdp_mu)"
        " + (request.zcdp_rho if math.isfinite(request.zcdp_rho) else 0.0)"
    },
    "cube of a large mu is infinite": {
        "admits": "np.isfinite(request.gdp_mu) & (self.spend(spent, request) <= 0.5)",
        "cost": "np.where(np.isfinite(request.gdp_mu**3), request.zcdp_rho, 0.0)",
    },
    "credit for nothing": {"cost": "np.where(request.zcdp_rho == 0.0, -0.05, request.zcdp_rho)"},
    "log1p": {"cost": "np.log1p(request.zcdp_rho)"},
    "swamped": {"spend": "(spent + request.zcdp_rho + 1e16) - 1e16"},
    "rounds up for free": {
        "admits": "(spent + request.zcdp_rho <= 0.5) | (spent + request.zcdp_rho - spent > request.zcdp_rho)"
    },
}


def prove(target: str) -> SourceProof:
    """The proof of a filter of a file."""
    return prove_filter(load_filter(target))


def slow_but_fast(target: object, name: str) -> object:
    return pytest.param(target, marks=() if name in FAST else pytest.mark.slow, id=name)


def filters(file: Path) -> list[object]:
    """The filters of a file, as `file::Name`."""
    classes = [node for node in ast.parse(file.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
    parts = {"_", "TwoSums", "SumAndCount", "Pots", "Purse"}
    names = [node.name for node in classes if node.bases and not {node.name, node.name[0]} & parts]
    return [slow_but_fast(f"{file}::{name}", name) for name in names]


def rules(collection: dict[str, dict[str, str]]) -> list[object]:
    return [slow_but_fast(rule, name) for name, rule in collection.items()]


def written(folder: Path, rule: dict[str, str]) -> str:
    """A file with SumFilter and these rules of it."""
    arguments = {
        "start": "self, n",
        "cost": "self, request",
        **dict.fromkeys(("admits", "spend"), "self, spent, request"),
    }
    lines = [
        f"def {name}({arguments[name]}):\n        return {text}" if name in arguments else f"{name} = {text}"
        for name, text in rule.items()
    ]
    head = "import math\nimport time\nimport numpy as np\nimport filterproof as fp\n"
    head += "from tests.mc.prove.filters_that_deceive import SEEN\n"
    head += "from tests.mc.prove.filters_that_hold import SumFilter\n\n\nclass Mine(SumFilter):\n    "
    (folder / "mine.py").write_text(head + "\n    ".join(lines) + "\n")
    return f"{folder / 'mine.py'}::Mine"


def check_sound(proof: SourceProof) -> None:
    assert proof.proved, proof.sentence
    for bound in proof.sums:
        assert bound.theorem.kernel in KERNEL_THEOREMS
        assert bound.excess(1000) < 1e-10 * max(1.0, float(bound.budget))
    assert set(proof.kernel) <= set(KERNEL_THEOREMS)


@pytest.mark.parametrize("target", filters(SOUND))
def test_sound_filter_is_proved(target: str) -> None:
    check_sound(prove(target))


@pytest.mark.parametrize("rule", rules(SOUND_RULES))
def test_sound_rule_is_proved(tmp_path: Path, rule: dict[str, str]) -> None:
    check_sound(prove(written(tmp_path, rule)))


@pytest.mark.parametrize("target", [*filters(FAULTS), *filters(ATTACKS)])
def test_broken_filter_is_not_proved(target: str) -> None:
    proof = prove(target)
    assert not proof.proved, proof.sentence
    assert proof.reason


@pytest.mark.parametrize("rule", rules(BROKEN_RULES))
def test_broken_rule_is_not_proved(tmp_path: Path, rule: dict[str, str]) -> None:
    proof = prove(written(tmp_path, rule))
    assert not proof.proved, proof.sentence
    assert proof.reason


def test_reason_speaks_of_the_divergence_that_the_code_reads(tmp_path: Path) -> None:
    one_way = {"promise": "fp.ApproxDP(2.0, 1e-5)", "budget": "0.7", "cost": "request.renyi(8.0)"}
    assert "bounds its D_8 in both directions" in prove(written(tmp_path, one_way)).reason


@pytest.mark.slow
def test_no_proof_where_no_compared_decision_gives_a_condition_its_answer(tmp_path: Path) -> None:
    text = (
        "request.zcdp_rho if np.ndim(request.zcdp_rho) or not 0.03123 < request.zcdp_rho < 0.03124 else 1.0"
    )
    assert "had a condition" in prove(written(tmp_path, {"cost": text})).reason


def test_notes_of_a_proof_say_what_was_proved_and_what_is_assumed() -> None:
    proof = prove(f"{SOUND}::RemainingBudget")
    assert proof.sentence.startswith("sum of rho <= 0.5 on every path, so 0.5-zCDP (kept_zcdp")
    assert [note.split()[0] for note in proof.notes] == ["invariant", "from", "rounding", "assumes"]
    assert "requests declare true parameters, as doubles" in proof.notes[-1]


def test_statement_without_a_rule_is_named_with_its_line() -> None:
    proof = prove(f"{ATTACKS}::TriesFloat")
    assert "Try" in proof.reason
    assert proof.source_line == "try:"


def test_fault_of_rounding_alone_is_called_so_and_another_comes_with_numbers_and_a_lead() -> None:
    rounding, wrong = prove(f"{ATTACKS}::TwoComparisons"), prove(f"{FAULTS}::WrongKey")
    assert not rounding.proved
    assert not wrong.proved
    assert rounding.reason.startswith("rounding may take the sum past the budget")
    assert "real arithmetic" not in wrong.reason
    assert wrong.state["zcdp_rho"] > 0
    assert wrong.lead


@pytest.mark.slow
def test_the_same_question_has_the_same_answer() -> None:
    assert prove(f"{SOUND}::DictState") == prove(f"{SOUND}::DictState")
