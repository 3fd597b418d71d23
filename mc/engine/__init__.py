"""The engine: plays an adversary against a filter, one batch of runs at a time, by the filter's own code."""
