"""Runs: tiles played by workers, merged, and kept in a store under a key of all that decides them."""
