"""The papers, by the numbers that the project cites them by."""

from __future__ import annotations

__all__ = ["PAPERS"]

PAPERS: tuple[tuple[str, str], ...] = (
    ("000", "Vitaly Feldman and Tijana Zrnic, Individual Privacy Accounting via a Rényi Filter"),
    ("001", "the same, as the abstract of a conference"),
    ("002", "the supplement to 001, with other numbers: Theorem 4.9 of 000 is 4.8 there, Algorithm 5 is 4"),
    (
        "003",
        "Antti Koskela, Marlon Tobaben and Antti Honkela, Individual Privacy Accounting with Gaussian Differential "
        "Privacy",
    ),
    (
        "004",
        "Sophie Taylor, Praneeth Kumar Vippathalla and Justin P. Coon, Realisation-Level Privacy Filtering",
    ),
)
