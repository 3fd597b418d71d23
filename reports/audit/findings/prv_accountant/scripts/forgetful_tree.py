"""A ConvolutionTree that is asked a second time has lost the first of three mechanisms."""

from prv_accountant import GaussianMechanism
from prv_accountant.composers import ConvolutionTree
from prv_accountant.discretisers import CellCentred
from prv_accountant.domain import Domain
from prv_accountant.privacy_random_variables import PrivacyRandomVariableTruncated

domain = Domain.create_aligned(-30, 30, 0.001)
truncated = PrivacyRandomVariableTruncated(GaussianMechanism(1.0), domain.t_min(), domain.t_max())
tree = ConvolutionTree([CellCentred().discretise(truncated, domain)] * 3)
first, second = (tree.compute_composition([1, 1, 1]).compute_epsilon(1e-5, 1e-8, 0.01) for _ in range(2))
print(f"expected: the bounds of the first answer, {first[0]:.4f} to {first[2]:.4f}")
print(f"got: {second[0]:.4f} to {second[2]:.4f}")
raise SystemExit(0 if second[2] < first[0] else 1)
