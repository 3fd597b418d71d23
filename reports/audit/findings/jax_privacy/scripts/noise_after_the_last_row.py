import numpy as np
from jax_privacy.noise_addition import matrix_factorization_privatizer

transform = matrix_factorization_privatizer(np.eye(3), stddev=1.0, prng_key=0)
zeros = np.zeros(100_000, np.float32)
state, noises = transform.init(zeros), []
try:
    for _ in range(4):
        noise, state = transform.update(zeros, state)
        noises.append(np.asarray(noise))
    got = float(np.std(noises[3] - noises[2]))
except (IndexError, ValueError):
    got = 2.0**0.5
print(f"expected: an error in step 4 of 3, or noises that differ by {2**0.5:.4f} in standard deviation")
print(f"got: {got:.4f}")
raise SystemExit(0 if got < 0.1 else 1)
