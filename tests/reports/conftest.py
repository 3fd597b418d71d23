"""What tests of figures share."""

from functools import partial

import pytest

from reports.figures import training_tables
from reports.figures.experiments import Setting


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables train a tenth of their steps and look twice: for words, files and sums, not for accuracies."""
    for epsilon, (clip, steps, rate) in training_tables.TUNED.items():
        monkeypatch.setitem(training_tables.TUNED, epsilon, (clip, steps // 10, rate))
    monkeypatch.setattr(training_tables, "Setting", partial(Setting, looks=2))
