"""What subsample_pld returns has another grid than what it was given, and cannot be composed with it."""

from dp_accounting.pld import privacy_loss_distribution
from PLD_accounting import subsample_pld

whole = privacy_loss_distribution.from_gaussian_mechanism(1.0, value_discretization_interval=1e-3)
message = ""
try:
    whole.compose(subsample_pld(pld=whole, sampling_probability=0.125))
except ValueError as error:
    message = str(error)
print("expected: the two are composed")
print(f"got: {message}")
raise SystemExit(0 if message else 1)
