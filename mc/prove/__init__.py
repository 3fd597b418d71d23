"""Proofs of filters that users write: the code is traced, and an inductive invariant bounds what every path spends."""
