"""A negative coefficient takes a charge back."""

from autodp.rdp_acct import anaRDPacct
from autodp.rdp_bank import RDP_gaussian

accountant, gaussian = anaRDPacct(), lambda alpha: RDP_gaussian({"sigma": 2.0}, alpha)
accountant.compose_mechanism(gaussian, coeff=100)
before = accountant.get_eps(1e-5)
accountant.compose_mechanism(gaussian, coeff=-100)
got = accountant.get_eps(1e-5)
print(f"expected: an error, or at least {before:.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < before else 1)
