"""Faults of libraries that have many, in parts that their files in `libraries` put together."""
