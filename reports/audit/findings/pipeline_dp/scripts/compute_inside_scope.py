"""compute_budgets inside a scope raises, and the accountant can then neither compute nor take requests."""

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import NaiveBudgetAccountant

accountant, said = NaiveBudgetAccountant(total_epsilon=1.0, total_delta=0.0), []
with accountant.scope(weight=1.0):
    accountant.request_budget(MechanismType.LAPLACE)
    try:
        accountant.compute_budgets()
    except Exception as error:  # noqa: BLE001 the library raises no narrower one
        said.append(str(error))
try:
    accountant.compute_budgets()
except Exception as error:  # noqa: BLE001 the library raises no narrower one
    said.append(str(error))
print(f"expected: after the scope is left compute_budgets computes\ngot: {said[1:]}")
raise SystemExit(0 if len(said) == 2 and "twice" in said[1] else 1)
