"""Readable text for pairs, numbers and sequences of requests.

>>> import filterproof as fp
>>> pair_words(fp.RandomizedResponse(1.0)), pair_words(fp.FinitePair((0.25, 0.75), (0.5, 0.5)))
('RandomizedResponse(epsilon=1)', 'FinitePair(p=(0.25, 0.75), q=(0.5, 0.5))')
>>> sequence_words(((fp.Gaussian(1.0), 1), (fp.Gaussian(0.01), 7)))
'Gaussian(mu=1), then 7 x Gaussian(mu=0.01)'
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, cast

from filterproof.filters.adapters.bridged import BridgedFilter
from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter
from filterproof.filters.adapters.labelled_filter import LabelledFilter
from filterproof.mc.examine.divergence import certainly_exceeds
from filterproof.theory import display
from filterproof.theory.numerics.decimals import format_down
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.labelled import format_labels

#: The longest fraction that is shown, and the most steps of a play and pairs of a menu that are named.
_MAX_FRACTION_DIGITS, _STEPS, _PAIRS = 12, 4, 3
#: Numbers from which on four digits are shown.
_SHORTENED_FROM = 10**15
#: Characters of a pair; a longer one is shown by its sizes and a digest.
_LONGEST_PAIR = 200


def count_words(number: int, noun: str, more: str = "") -> str:
    """Return a number with its noun. The plural is `more`, by default with an s.

    >>> count_words(1, "game"), count_words(1200, "query", "queries"), count_words(2**80, "game")
    ('1 game', '1,200 queries', '1.209e+24 games')
    """
    return f"{_count_text(number)} {noun if number == 1 else more or f'{noun}s'}"


def _count_text(number: int) -> str:
    """Return a count with thousands separators, or with four digits if it is huge."""
    return f"{number:,}" if number < _SHORTENED_FROM else f"{float(number):.4g}"


def filter_name(filt: object) -> str:
    """Return the name of the examined object: a program's, that of another library's object, or else the class."""
    match filt:
        case LabelledFilter():
            return filter_name(filt.inner_filter)
        case BridgedFilter():
            return display.replace_unprintable(filt.bridge.name)
        case CopiedFilter() | CountedFilter():
            return display.replace_unprintable(filt.foreign_object.name)
    return display.replace_unprintable(type(filt).__name__)


def user_code_name(filt: object) -> str:
    """Return the name of the class or command whose code decides, for messages about faults of this code."""
    inner = filt.inner_filter if isinstance(filt, LabelledFilter) else filt
    if isinstance(inner, CopiedFilter | CountedFilter):
        return display.replace_unprintable(inner.foreign_object.class_name)
    return filter_name(inner)


def number_words(value: float | Fraction) -> str:
    """Return a number with six digits; a fraction with few digits as it is, with its value.

    >>> number_words(Fraction(1, 4)), number_words(Fraction(10**19, 3 * 10**19 + 1)), number_words(1e-5)
    ('1/4 = 0.25', '0.333333', '1e-05')
    """
    if isinstance(value, Fraction) and value.denominator != 1 and len(str(value)) <= _MAX_FRACTION_DIGITS:
        return f"{value} = {float(value):.6g}"
    return f"{float(value):.6g}"


def format_distinct(value: float, promised: float) -> tuple[str, str]:
    """Return the reached value and the bound with six digits, or with as many digits as distinguish them.

    >>> format_distinct(2.0, 1.0), format_distinct(1.000009, 1.0), format_distinct(0.123456799, 0.123456788)
    (('2', '1'), ('1.000009', '1'), ('0.123456799', '0.123456788'))
    >>> format_distinct(1.0, 1.000009), format_distinct(1.0, 1.0)
    (('1', '1.00001'), ('1', '1'))
    """
    words = format_down(value), number_words(promised)
    for digits in range(7, 18) if certainly_exceeds(value, promised) else ():
        if float(words[0]) > float(words[1]):
            break
        words = format_down(value, digits), f"{promised:.{digits}g}"
    return words


def exact_value_words(value: Fraction) -> str:
    """Return the words for an exact value: "exactly" if the fraction is shown in full.

    >>> exact_value_words(Fraction(1, 4)), exact_value_words(Fraction(10**19, 3 * 10**19 + 1))
    ('is exactly 1/4 = 0.25', 'is 0.333333 to six digits, computed in fractions,')
    """
    if str(value) == (words := number_words(value)).partition(" = ")[0]:
        return f"is exactly {words}"
    return f"is {words} to six digits, computed in fractions,"


#: The names of pairs that are used in words, by pair.
_PAIR_NAMES: ContextVar[Mapping[DominatingPair, str]] = ContextVar("pair names", default=MappingProxyType({}))


@contextmanager
def naming(names: Mapping[DominatingPair, str]) -> Iterator[None]:
    """Use the names of pairs in words, also in workers that start meanwhile."""
    before = _PAIR_NAMES.set(names)
    try:
        yield
    finally:
        _PAIR_NAMES.reset(before)


def pair_words(pair: DominatingPair) -> str:
    """Return the name of the pair, or an expression without None values, and its labels.

    A long expression has sizes and a digest.
    """
    if pair in (names := _PAIR_NAMES.get()):
        return names[pair]
    if pair.labels:
        return f"{pair_words(pair.unlabelled)} at {format_labels(tuple(pair.labels.items()))}"
    if "__dataclass_fields__" not in vars(type(pair)):
        return repr(pair)
    fielded = {field.name: getattr(pair, field.name) for field in fields(cast(Any, pair)) if field.repr}
    shown = {name: _field_text(value) for name, value in fielded.items() if value is not None}
    if set(shown) == {"epsilon", "ratio"}:  # the ratio is more precise than its logarithm
        return f"{type(pair).__name__}.from_ratio({shown['ratio']})"
    text = f"{type(pair).__name__}({', '.join(f'{name}={value}' for name, value in shown.items())})"
    return text if len(text) <= _LONGEST_PAIR else display.digest_repr(pair)


def _field_text(value: object) -> str:
    if isinstance(value, DominatingPair):
        return pair_words(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_field_text, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float) and value == round(value) and abs(value) < 1e6:
        return str(round(value))
    return repr(value)


def sequence_words(steps: Iterable[tuple[DominatingPair, int]]) -> str:
    """Return a sequence of requests in words, such as "2 x Gaussian(mu=1), then Gaussian(mu=2)"."""
    words = [f"{_count_text(n)} x {pair_words(pair)}" if n > 1 else pair_words(pair) for pair, n in steps]
    rest = len(words) - _STEPS
    more = f", and {count_words(rest, 'further kind')}" if rest > 0 else ""
    return ", then ".join(words[:_STEPS]) + more


def distinct_pairs_words(pairs: Iterable[DominatingPair]) -> str:
    """Return the distinct pairs in words; of many, only the first ones."""
    distinct = tuple(dict.fromkeys(pairs))
    more = f" and {len(distinct) - _PAIRS} more" if len(distinct) > _PAIRS else ""
    return ", ".join(map(pair_words, distinct[:_PAIRS])) + more


def times_guarantee_words(value: float, promised: float) -> str:
    """Return a value as a multiple of the guarantee in words, or '' for a guarantee of 0.

    >>> values = (3.0, 2.0), (1.00001, 1.0), (1.0, 0.0), (2.0, 3.0)
    >>> tuple(times_guarantee_words(value, promised) for value, promised in values)
    ('1.5 times the promise', 'above the promise by 0.001 %', '', '0.666 times the promise')
    """
    if promised <= 0 or math.isinf(value):
        return ""
    share = value / promised
    if 1 < share < 1.1:
        return f"above the promise by {format_down(100 * (share - 1), 3)} %"
    if 100 <= share < 1e6:
        return f"{math.floor(share):,} times the promise"
    return f"{format_down(share, 3 if share < 100 else 2)} times the promise"
