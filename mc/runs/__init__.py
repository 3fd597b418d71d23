"""Runs of a simulation: worker processes play batches, their sums are merged, and a store keeps them."""
