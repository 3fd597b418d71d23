"""Estimates: what is measured on simulated paths, what bounds it, and the interval that follows."""
