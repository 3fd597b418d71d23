import sys
from unittest.mock import MagicMock

import dp_accounting

sys.modules.setdefault("keras", MagicMock())  # the configuration makes no use of it
from jax_privacy.keras_api import DPKerasConfig  # noqa: E402

common = {"delta": 1e-5, "clipping_norm": 1.0, "train_steps": 1, "train_size": 10, "batch_size": 10}
expected = dp_accounting.get_epsilon_gaussian(32.0, 1e-5)  # one update with all of the 10 examples
try:
    config = DPKerasConfig(epsilon=0.001, noise_multiplier=32.0, gradient_accumulation_steps=1, **common)
    got = f"accepted for epsilon {config.epsilon}"
except ValueError as error:
    got = f"ValueError: {error}"
print(f"expected: an error, since noise 32 has epsilon {expected:.6f}")
print(f"got: {got}")
raise SystemExit(0 if got.startswith("accepted") else 1)
