"""StageWiseMechanism charges the last stage of one answer, after two of two, as a stage of none."""

from math import comb, log, sqrt

from autodp.mechanism_zoo import StageWiseMechanism

sigma, k, delta = 10.0, 10, 1e-6
got = StageWiseMechanism({"sigma": sigma, "k": k, "c": 5}).get_approxDP(delta)  # c_tilde is 2 by default
charge = []  # the source's formula for no, one, two answers, at the largest share of delta, where it is least
for answers in range(3):
    rho = (1 + answers) / (2 * sigma**2)
    charge.append(rho + sqrt(rho * (log(comb(k, answers)) - log(delta / 3))))
expected = charge[2] + charge[2] + charge[1]
print(f"expected: at least {expected:.6f}; for no answer in the last stage {2 * charge[2] + charge[0]:.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < 0.99 * expected else 1)
