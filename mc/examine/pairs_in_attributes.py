"""Return the single pairs among the filter's attributes: usually its menu.

A class outside the library has no name that a file can build it from. A counterexample names such a pair by its repr,
and a replay looks it up among the attributes of the filter: data is never executed.

>>> from dataclasses import dataclass
>>> import filterproof as fp
>>> @dataclass(frozen=True, slots=True, eq=False, repr=False)
... class Priced(fp.RandomizedResponse):
...     price: float = 0.0
>>> purse = fp.from_budget(lambda: [], lambda held, pair: True, fp.PureDP(1.0), menu=(Priced(0.5, price=0.2),))
>>> [name for name in allowed_values_for(purse) if name.startswith("own ")]
['own Priced(epsilon=0.5, ratio=None, price=0.2)']
>>> assumption(purse.menu[0])
'its own Priced counts as the RandomizedResponse that it extends'
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from types import MemberDescriptorType
from typing import Any, TypeGuard

import numpy as np

from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.library import defining_class, is_library_class
from filterproof.filters.rules.menu import is_pair_name
from filterproof.mc.engine.encoding import OWN, Nameable, allowed_values_by_name, encode
from filterproof.mc.losses.finite_pair_from_cdfs import STATED_ERROR, has_double_masses, pair_with_known_tails
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair, library_class

#: Containers whose items have no order of their own.
_UNORDERED = (set, frozenset, dict)


def pairs_in_attributes(filt: object, *, unordered: bool = False) -> tuple[DominatingPair, ...]:
    """Return the single pairs among the filter's attributes: usually a menu; `unordered` adds sets and mappings."""
    values = attribute_values(filt, type(filt).__mro__)
    chosen = (each for each in values if unordered or _is_named(each) or not isinstance(each, _UNORDERED))
    return tuple(dict.fromkeys(item for value in chosen for item in _items(value) if _is_single_pair(item)))


def _items(value: Any) -> tuple[Any, ...]:
    """Return the items of a container, the pairs of a mapping from names to pairs, or the value itself."""
    if _is_named(value):
        return tuple(value.values())
    return tuple(value) if isinstance(value, (tuple, list, *_UNORDERED)) else (value,)


def _is_single_pair(value: object) -> TypeGuard[DominatingPair]:
    return isinstance(value, DominatingPair) and value.shape == ()


def pairs_of_attribute(filt: object, name: str) -> tuple[DominatingPair, ...]:
    """Return the pairs in the attribute `name` over which games are solved, or none.

    A filter that observes losses sees those that a class outside the library draws, or those of masses that do not sum
    to 1, and no game knows them.
    """
    value = _attribute_value(filt, name)
    own = _items(value) if isinstance(value, (tuple, list, *_UNORDERED)) else ()
    if not all(map(_is_single_pair, own)):
        return ()
    if isinstance(value, (set, frozenset)):  # not in the order of hashes
        own = tuple(sorted(own, key=repr))
    observes_losses = bool(getattr(filt, "looks_at_losses", False))
    return tuple(
        pair
        for pair in own
        if not (user_class_states_distribution(pair) or has_double_masses(pair))
        or (not observes_losses and pair_with_known_tails(pair) is not None)
    )


def pair_names(filt: object) -> dict[DominatingPair, str]:
    """Return the names that the filter's attributes give to single pairs: those of mappings from names to pairs.

    A name that does not read as one is left out.
    """
    named = filter(_is_named, attribute_values(filt, type(filt).__mro__))
    return {
        pair: name for pairs_by_name in named for name, pair in pairs_by_name.items() if is_pair_name(name)
    }


def _is_named(value: object) -> TypeGuard[Mapping[str, DominatingPair]]:
    return isinstance(value, dict) and all(
        isinstance(name, str) and _is_single_pair(pair) for name, pair in value.items()
    )


def attribute_values(filt: object, defining_classes: Iterable[type]) -> Iterator[Any]:
    """Yield the values of the filter's own attributes and of those that the given classes define."""
    defining_classes = [kind for kind in defining_classes if kind is not FilterBase]
    names = [*getattr(filt, "__dict__", {}), *(name for kind in defining_classes for name in vars(kind))]
    return (_attribute_value(filt, name) for name in dict.fromkeys(names) if name[:2] != "__")


def _attribute_value(filt: object, name: str) -> Any:
    """Return an attribute's value without running properties of user classes."""
    value = inspect.getattr_static(filt, name, None)
    ours = isinstance(value, property | cached_property) and is_library_class(
        defining_class(type(filt), name)
    )
    return getattr(filt, name, None) if ours or isinstance(value, MemberDescriptorType) else value


def allowed_values_for(filt: object, *kinds: type) -> Nameable:
    """Return what a counterexample of the filter may name: library values and its own pairs."""
    names = allowed_values_by_name(*kinds)
    own = pairs_in_attributes(filt, unordered=True)
    return names | {f"{OWN}{pair!r}": pair for pair in own if not _has_allowed_name(pair, names)}


def _has_allowed_name(pair: DominatingPair, names: Nameable) -> bool:
    with suppress(TypeError):
        encode(pair, names)
        return True
    return False


def assumption(pair: DominatingPair) -> str:
    """Return what a result assumes about a pair of doubles or of a class outside the library; '' for other pairs."""
    pair, ours = pair.unlabelled, library_class(pair.unlabelled)
    kind = type(pair).__name__
    if has_double_masses(pair):
        return f"the masses of {kind} are doubles: a lower bound holds for all masses within {STATED_ERROR:g} of them"
    if ours is type(pair):
        return ""
    if ours is not None:
        return f"its own {kind} counts as the {ours.__name__} that it extends"
    if pair_with_known_tails(pair) is None:
        if is_sampled(pair):
            return f"assumed: the losses of its own {kind} are those that its sample draws"
        return f"not tried: its own {kind}, whose loss_cdf, loss_isf and sample give no distribution"
    how = f"what its loss_cdf states, with errors of at most {STATED_ERROR:g}"
    if pair_with_known_tails(pair) is pair:
        how = "that of the masses or tails that it states"
    return f"assumed: the distribution of its own {kind} is {how}"


def is_sampled(pair: DominatingPair) -> bool:
    """Whether a class outside the library draws losses and states no distribution: it can only be simulated."""
    with suppress(Exception):  # code of a user's class, whatever it raises: then it draws nothing
        if library_class(pair.unlabelled) is None and pair_with_known_tails(pair) is None:
            drawn = [np.asarray(way.sample(np.random.default_rng(0), 4)) for way in (pair, pair.swapped)]
            return all(losses.shape == (4,) and not np.isnan(losses).any() for losses in drawn)
    return False


def user_class_states_distribution(pair: DominatingPair) -> bool:
    """Whether only a user's class states the pair's distribution, and not in rational numbers."""
    return library_class(pair.unlabelled) is None and pair.exact_masses is None


def evidence_about(pairs: Iterable[DominatingPair], evidence: Evidence = Evidence.CERTIFIED) -> Evidence:
    """Return the evidence of a number about these pairs: CITED where a class states a distribution."""
    return Evidence.CITED if any(map(user_class_states_distribution, pairs)) else evidence


def own_pairs_in_data(data: object, names: Nameable) -> list[DominatingPair]:
    """Return the filter's own pairs that encoded data names.

    >>> own_pairs_in_data({"type": "LabelledRequest", "mechanism": {"name": "own A"}}, {"own A": 1, "own B": 2})
    [1]
    """
    if isinstance(data, Mapping):
        name = data.get("name")
        if isinstance(name, str) and name.startswith(OWN) and name in names:
            return [names[name]]
        return [pair for part in data.values() for pair in own_pairs_in_data(part, names)]
    parts = data if isinstance(data, list | tuple) else ()
    return [pair for part in parts for pair in own_pairs_in_data(part, names)]
