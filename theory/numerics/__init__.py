"""Numerics: stable forms in doubles and the same quantities in high precision."""
