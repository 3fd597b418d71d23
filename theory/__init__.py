"""What is true: pairs, guarantees, conversions, thresholds and their proofs."""
