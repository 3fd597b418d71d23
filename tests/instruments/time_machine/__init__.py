"""Faults of budget code from public history, each a small model in our own code, before and after its repair."""
