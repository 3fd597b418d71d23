"""The examination of one filter's guarantee: attacks, invariants, and counterexamples that anyone can replay."""
