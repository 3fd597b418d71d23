"""One subsampling rule after another, of the same mechanism and rate: the second is charged by the first's rule."""

from autodp.rdp_acct import anaRDPacct
from autodp.rdp_bank import RDP_gaussian

poisson, fixed = anaRDPacct.compose_poisson_subsampled_mechanisms, anaRDPacct.compose_subsampled_mechanism
gaussian, same = (
    lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha) for _ in range(2)
)  # equal, as two functions
found = []
for steps in ([(poisson, gaussian), (fixed, gaussian)], [(fixed, gaussian), (poisson, same)]):
    accountant = anaRDPacct()
    for rule, mechanism in steps:
        rule(accountant, mechanism, 0.05, coeff=100)
    found.append(accountant.get_eps(1e-5))
print(f"expected: {found[1]:.6f}, as with two functions that are equal")
print(f"got: {found[0]:.6f} with one function")
raise SystemExit(0 if found[0] < found[1] - 0.1 else 1)
