"""PCA(epsilon=1.0), with its default n_changes=1, makes a measurement whose map at one changed record is 2."""

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
model = dp.sklearn.decomposition.PCA(epsilon=1.0, row_norm=1.0, n_samples=100, n_features=3)
got = model.measurement().map(2)  # one change is an addition and a removal
print("expected: epsilon = 1.0 at one changed record")
print(f"got: epsilon = {got}")
raise SystemExit(0 if got > 1.5 else 1)
