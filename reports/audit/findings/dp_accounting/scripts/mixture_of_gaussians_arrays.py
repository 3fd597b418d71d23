import dp_accounting as dp
import numpy as np

accountant = dp.pld.PLDAccountant(value_discretization_interval=1e-2)
try:
    for _ in range(2):
        event = dp.dp_event.MixtureOfGaussiansDpEvent(1.0, np.array([0.0, 1.0]), np.array([0.5, 0.5]))
        accountant.compose(event)
    got = f"epsilon {accountant.get_epsilon(1e-5):.6f}"
except ValueError as error:
    got = f"ValueError: {error}"
print("expected: the second event is composed as the first was")
print(f"got: {got}")
raise SystemExit(0 if "ValueError" in got else 1)
