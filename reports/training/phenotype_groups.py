"""The five groups of stays that 003 compares: no diagnosis, pneumonia or not, a heart attack or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from theory.arguments import check_count

__all__ = ["phenotype_groups"]

_PNEUMONIA, _HEART_ATTACK = "Pneumonia", "Acute myocardial infarction"


def phenotype_groups(
    labels: NDArray[np.float64], tasks: Sequence[str], *, size: int = 1000, seed: int = 0
) -> dict[str, NDArray[np.int64]]:
    """Five groups of `size` rows that share none, drawn one after the other from those left: name -> rows, ascending.

    labels has shape (n, k), and tasks names its columns; pneumonia and heart attack are found by how their names begin.
    Who is in a group is personal data of the stays. Raises ValueError where a label is missing or too few are left.
    Source: paper 003, Section 6 and Appendix E.2, with 1000 each. The paper counts 9413 heart attacks among its stays;
    the authors' published code takes column 3 from zero for them, which in the benchmark's order are cardiac
    dysrhythmias, and heart attacks are column 2. Here they go by name.
    """
    size = check_count("size", size)
    pneumonia, attack = (_column(labels, tasks, name) for name in (_PNEUMONIA, _HEART_ATTACK))
    wanted = {
        "no diagnosis": ~labels.any(axis=1),
        "pneumonia": pneumonia,
        "no pneumonia": ~pneumonia,
        "heart attack": attack,
        "no heart attack": ~attack,
    }
    rng, left = np.random.default_rng(check_count("seed", seed, least=0)), np.ones(len(labels), dtype=bool)
    groups = {}
    for name, inside in wanted.items():
        rows = np.flatnonzero(inside & left)
        if len(rows) < size:
            raise ValueError(
                f"size must leave enough rows for each group, got size={size} where {len(rows)} are left for {name!r}; "
                "pass fewer"
            )
        groups[name] = np.sort(rng.choice(rows, size=size, replace=False))
        left[groups[name]] = False
    return groups


def _column(labels: NDArray[np.float64], tasks: Sequence[str], name: str) -> NDArray[np.bool_]:
    found = [at for at, task in enumerate(tasks) if task.casefold().startswith(name.casefold())]
    if len(found) != 1 or labels.ndim != 2 or labels.shape[1] != len(tasks):
        raise ValueError(
            f"tasks must name each column of labels, one beginning with {name!r}, got {len(tasks)} names, "
            f"{len(found)} such, for labels of shape {labels.shape}; pass the tasks of read_phenotyping"
        )
    return np.asarray(labels[:, found[0]] > 0)
