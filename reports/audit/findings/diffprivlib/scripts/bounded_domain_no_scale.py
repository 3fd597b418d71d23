"""LaplaceBoundedDomain takes a sensitivity above the size of its domain: its scale is NaN, and randomise never ends."""

import warnings

from diffprivlib.mechanisms import LaplaceBoundedDomain

warnings.simplefilter("ignore")
mechanism = LaplaceBoundedDomain(epsilon=1.0, sensitivity=3.0, lower=0.0, upper=1.0)
got = mechanism.effective_epsilon()
print("expected: an error, or the scale of sensitivity 1.0, the size of the domain")
print(f"got: effective epsilon {got}, noise with which no answer is ever inside the bounds")
raise SystemExit(0 if got != got else 1)
