"""The value of a given strategy without sampling: the law of filter state and loss, carried through both codes."""

from mc.evaluate.evaluation import Evaluation, NumericalEvaluation

__all__ = ["Evaluation", "NumericalEvaluation"]
