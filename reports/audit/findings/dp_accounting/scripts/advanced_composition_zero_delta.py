from dp_accounting.pld import accountant, common

EPSILON, COUNT = 0.1, 100
got = accountant.advanced_composition(common.DifferentialPrivacyParameters(EPSILON, 0), COUNT, 0)
expected = EPSILON * COUNT  # with probability > 0 every answer is the worst one
print(f"expected: {expected:.6f}, the least epsilon with total_delta = 0")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected * (1 - 1e-9) else 1)
