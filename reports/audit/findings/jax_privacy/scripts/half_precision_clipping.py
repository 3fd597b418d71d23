import numpy as np
from jax_privacy.clipping import clip_pytree

CLIP_NORM = 0.01
gradient = np.full(1_000_000, 1e-4, np.float16)  # its norm is 0.1
clipped, _ = clip_pytree(gradient, CLIP_NORM)
got = np.linalg.norm(np.asarray(clipped, np.float64))
print(f"expected: a norm of at most {CLIP_NORM}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got > 2 * CLIP_NORM else 1)
