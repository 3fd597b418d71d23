"""A uniform draw of exactly 0 is meant to be handled, but raises: nextafter(0, 1) - 0.5 is -0.5 again."""

from types import SimpleNamespace

from openmed.risk.differential_privacy import PrivacyBudget, release_count

budget, zero = PrivacyBudget(epsilon=1.0), SimpleNamespace(random=lambda: 0.0)
try:
    got = str(release_count(5, epsilon=1.0, budget=budget, rng=zero))
except ValueError as error:
    got = f"ValueError: {error}"
print(f"expected: a finite answer, charged 1.0\ngot: {got}, charged {budget.spent_epsilon}")
raise SystemExit(0 if got.startswith("ValueError") and budget.spent_epsilon == 0 else 1)
