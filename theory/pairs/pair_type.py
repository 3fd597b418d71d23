"""The class of pairs, which keeps what is known of a law from a pair that has another."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

#: What says a pair's law in another form, is proved of it, or is the least for it.
_OF_THE_LAW = frozenset(
    {
        *("outputs", "normal_mu", "sampled_normal", "laplace_scale", "log_hockey_stick", "trade_off"),
        *("exact_masses", "rational", "held_masses", "kov"),
        *("truths", "closed_least", "dominates_by", "revealing", "least", "dominates", "delta_beyond"),
    }
)
#: What a pair declares, and says of itself, whatever its law is; a law of outcomes is all that is computed from them.
_DECLARED = (_OF_THE_LAW - {"outputs", "log_hockey_stick", "trade_off"}) | {
    *("pure_epsilon", "zcdp_rho", "gdp_mu", "zcdp_root"),
    *("labels", "asked", "family", "_abc_impl"),
}


class PairType(ABCMeta):
    """The class of pairs: one that overrides part of a law inherits no other form of it, and nothing proved of it.

    Else what is exact or certified would be so of the parent's law. It is asked of every class, by whatever it comes to
    differ from its parent: its own methods, those of a class beside the parent, or what is set later.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **given: Any) -> None:
        super().__init__(name, bases, members, **given)
        cls._disown()

    def __setattr__(cls, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if not name.startswith("__") and name not in _DECLARED:
            cls._disown()

    def _disown(cls) -> None:
        pairs = [kind for kind in cls.__mro__[1:] if isinstance(kind, PairType)]
        parent = next((kind for kind in pairs if not kind.__abstractmethods__), None)
        if parent is None:
            return
        names = {name for kind in parent.__mro__[:-1] for name in vars(kind) if not name.startswith("__")}
        if all(_held(cls, name) is _held(parent, name) for name in names - _DECLARED):
            return
        known = vars(pairs[-1])
        for name in _OF_THE_LAW:
            if (form := _held(cls, name)) is not None and form is _held(parent, name):
                type.__setattr__(cls, name, known[name] if name in known else _of_another_law(name))
        if _held(cls, "swapped") is (whole := _held(parent, "swapped")):
            type.__setattr__(cls, "swapped", property(lambda pair: _of_its_class(pair, whole.fget(pair))))


def _held(kind: type, name: str) -> Any:
    """What instances of a class find under a name, as the class holds it; None where there is nothing."""
    return next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)


def _of_another_law(name: str) -> property:
    def refuse(pair: object) -> None:
        kind = type(pair).__name__
        raise AttributeError(
            f"{kind} must say its own {name}, its parent's is of another law; define {kind}.{name}"
        )

    return property(refuse)


def _of_its_class(pair: Any, swapped: Any) -> Any:
    if type(swapped) is not type(pair):
        kind = type(pair).__name__
        raise TypeError(
            f"{kind} must say what it is swapped, got {type(swapped).__name__}; override {kind}.swapped"
        )
    return swapped
