"""The 17 variables of the MIMIC-III benchmark's time series, and a cell of them as a number.

>>> by_name = {one.name: one for one in VARIABLES}
>>> by_name["Heart Rate"].number("103"), by_name["Heart Rate"].standard("103")
(103.0, 1.0)
>>> by_name["Glascow coma scale eye opening"].number("3 To speech")
3.0
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["LARGEST", "VARIABLES", "Variable"]

#: Standardised values are taken to [-LARGEST, LARGEST], so that a slip of the pen is no outlier.
LARGEST = 5.0
#: "4 Spontaneously", "1.0 ET/Trach", "15": the number in front is the score.
_SCORE = re.compile(r"(\d+(?:\.\d+)?)(?:\s.*)?")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable by its name in the benchmark (with its spelling), its usual value and how far people are from it.

    centre and scale are chosen by hand from what is usual in an intensive care unit; they are computed from no data,
    and so reveal nobody's. A score has words for its numbers, and lies between least and most.
    """

    name: str
    centre: float
    scale: float
    words: Mapping[str, float] = field(default_factory=dict)
    least: float = -math.inf
    most: float = math.inf

    def number(self, cell: str) -> float:
        """The number that a cell means; ValueError, saying what it must be, where it means none."""
        text = cell.strip()
        if math.isfinite(self.most):
            score = _SCORE.fullmatch(text)
            value = float(score[1]) if score else self.words.get(text.casefold(), math.nan)
            if not self.least <= value <= self.most:
                raise ValueError(f"a score from {self.least:g} to {self.most:g} or its words")
            return value
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError("a finite number, or blank")
        return value

    def standard(self, cell: str) -> float:
        """(number - centre) / scale, taken to [-LARGEST, LARGEST]."""
        return min(max((self.number(cell) - self.centre) / self.scale, -LARGEST), LARGEST)


_EYE = {"none": 1.0, "to pain": 2.0, "to speech": 3.0, "spontaneously": 4.0}
_MOTOR = {
    "no response": 1.0,
    "abnormal extension": 2.0,
    "abnormal flexion": 3.0,
    "flex-withdraws": 4.0,
    "localizes pain": 5.0,
    "obeys commands": 6.0,
}
_VERBAL = {
    "no response": 1.0,
    "no response-ett": 1.0,
    "incomprehensible sounds": 2.0,
    "inappropriate words": 3.0,
    "confused": 4.0,
    "oriented": 5.0,
}

#: In the order of the benchmark's columns. Source of names and words: Harutyunyan et al. (2019) and their code.
VARIABLES: tuple[Variable, ...] = (
    Variable("Capillary refill rate", 0.0, 1.0),
    Variable("Diastolic blood pressure", 60.0, 15.0),
    Variable("Fraction inspired oxygen", 0.4, 0.2),
    Variable("Glascow coma scale eye opening", 3.0, 1.0, _EYE, 1.0, 4.0),
    Variable("Glascow coma scale motor response", 5.0, 1.5, _MOTOR, 1.0, 6.0),
    Variable("Glascow coma scale total", 12.0, 4.0, {}, 3.0, 15.0),
    Variable("Glascow coma scale verbal response", 4.0, 1.5, _VERBAL, 1.0, 5.0),
    Variable("Glucose", 130.0, 50.0),
    Variable("Heart Rate", 85.0, 18.0),
    Variable("Height", 170.0, 12.0),
    Variable("Mean blood pressure", 78.0, 15.0),
    Variable("Oxygen saturation", 97.0, 3.0),
    Variable("Respiratory rate", 19.0, 6.0),
    Variable("Systolic blood pressure", 120.0, 22.0),
    Variable("Temperature", 37.0, 0.8),
    Variable("Weight", 80.0, 22.0),
    Variable("pH", 7.4, 0.08),
)
