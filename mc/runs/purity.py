"""Pure functions: the outside functions that a user's code may use, since they depend on their arguments alone.

>>> answers_from_arguments("math", "exp"), answers_from_arguments("time", "time")
(True, False)
"""

from __future__ import annotations

import decimal
import sys

import numpy as np
import scipy.special

__all__ = ["answers_from_arguments", "holds_only_such", "reaching", "unusual_arithmetic", "unusual_decimals"]

_MODULES = {
    *("_abc", "_collections", "_collections_abc", "_functools", "_operator", "abc", "array", "cmath"),
    *("collections", "collections.abc", "dataclasses", "enum", "fractions", "functools", "itertools"),
    *("math", "numbers", "operator", "types", "typing", "numpy.linalg", "numpy.fft", "numpy.dtypes"),
    "numpy.exceptions",
}
#: Members of `_MODULES` that make or read code, annotations or attributes from names.
_NOT = {
    *("operator.attrgetter", "operator.methodcaller", "typing.get_type_hints", "typing.ForwardRef"),
    *("typing.get_overloads", "dataclasses.fields", "dataclasses.make_dataclass", "types.FunctionType"),
    *("types.CodeType", "types.ModuleType", "types.new_class", "types.resolve_bases", "types.prepare_class"),
    *("typing._eval_type", "typing.evaluate_forward_ref"),
}
_BUILTINS = frozenset(
    """
    abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter
    float format frozenset hash hex int isinstance issubclass iter len list map max memoryview
    min next object oct ord pow print property range repr reversed round set slice sorted staticmethod str sum
    super tuple type zip ellipsis mappingproxy method NoneType NotImplementedType
    """.split()  # noqa: SIM905 - a table
)
_NUMPY = frozenset(
    """
    all allclose amax amin angle any append apply_along_axis apply_over_axes arange argmax argmin
    argpartition argsort argwhere around array array_equal array_equiv array_split asanyarray asarray
    asarray_chkfinite ascontiguousarray asfortranarray astype atleast_1d atleast_2d atleast_3d average
    bartlett base_repr binary_repr bincount blackman block broadcast_arrays broadcast_shapes
    broadcast_to busday_count busday_offset can_cast choose clip column_stack common_type compress
    concatenate convolve copy copyto corrcoef correlate count_nonzero cov cross cumprod cumsum
    cumulative_prod cumulative_sum datetime_data delete diag diag_indices diag_indices_from diagflat
    diagonal diff digitize dot dsplit dstack ediff1d einsum einsum_path expand_dims extract eye
    fill_diagonal fix flatnonzero flip fliplr flipud fromfunction full full_like geomspace gradient
    hamming hanning histogram histogram2d histogram_bin_edges histogramdd hsplit hstack i0 identity imag
    indices inner insert interp intersect1d is_busday isclose iscomplex iscomplexobj isdtype isfortran
    isin isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lexsort
    linspace logspace matrix_transpose max mean median meshgrid min min_scalar_type mintypecode moveaxis
    nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile
    nanprod nanquantile nanstd nansum nanvar ndim nonzero ones ones_like outer packbits pad partition
    percentile piecewise place poly polyadd polyder polydiv polyfit polyint polymul polysub polyval prod
    promote_types ptp put put_along_axis putmask quantile ravel ravel_multi_index real real_if_close
    repeat reshape resize result_type roll rollaxis roots rot90 round row_stack searchsorted select
    setdiff1d setxor1d shape sinc size sort sort_complex split squeeze stack std sum swapaxes take
    take_along_axis tensordot tile trace transpose trapezoid tri tril tril_indices tril_indices_from
    trim_zeros triu triu_indices triu_indices_from union1d unique unique_all unique_counts
    unique_inverse unique_values unpackbits unravel_index unstack unwrap vander var vdot vsplit vstack
    where zeros zeros_like
    dtype ndarray ufunc finfo iinfo vectorize
    """.split()  # noqa: SIM905 - a table
)
#: Attributes with two underscores that give access only to a value and its class.
_DUNDERS = {
    *(name for name in dir(float) if name not in dir(object)),
    *(name for name in (*dir(list), *dir(dict), *dir(set)) if name not in dir(object)),
    *("__add__", "__and__", "__call__", "__class__", "__contains__", "__delattr__", "__enter__", "__eq__"),
    *("__exit__", "__ge__", "__getattr__", "__getattribute__", "__gt__", "__hash__", "__init__", "__le__"),
    *("__lt__", "__matmul__", "__missing__", "__name__", "__ne__", "__new__", "__next__", "__or__"),
    *("__post_init__", "__qualname__", "__repr__", "__setattr__", "__str__", "__xor__"),
}
#: Attributes that lead from a function, a frame, a generator or an error to code around it.
_FRAMES = {
    *(
        "ag_code",
        "ag_frame",
        "cr_code",
        "cr_frame",
        "cr_origin",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
    ),
    *("f_locals", "func_globals", "gi_code", "gi_frame", "tb_frame", "tb_next"),
}


def answers_from_arguments(module: str, name: str) -> bool:
    """Whether this member of an installed module is known to depend on its arguments alone.

    False for a member that is not known: it might read a file, a clock, a random generator or a setting.
    """
    held = getattr(sys.modules.get(module), name.partition(".")[0], None)
    if module == "builtins":
        return name in _BUILTINS or (isinstance(held, type) and issubclass(held, BaseException))
    if (module, name) == (
        "numpy.ma",
        "MaskedArray",
    ):  # the class alone: `fingerprint` refuses its instances
        return True
    if module == "numpy":
        return name in _NUMPY or (isinstance(held, type) and issubclass(held, np.generic))
    if module.startswith("scipy.special"):
        return name not in ("seterr", "geterr", "errstate")
    return module in _MODULES and f"{module}.{name}" not in _NOT


def holds_only_such(module: str) -> bool:
    """Whether every function of this module depends on its arguments alone."""
    return module in ("math", "cmath", "itertools")


def reaching(name: str) -> bool:
    """Whether an attribute of this name gives access to anything that the description of a value does not cover."""
    return name in _FRAMES or (name[:2] == "__" == name[-2:] and name not in _DUNDERS)


def unusual_arithmetic() -> str:
    """The name of an arithmetic setting of this process that is not the default; "" if all are.

    Threads and worker processes start with the defaults, so they might compute other numbers than this process.
    """
    usual = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
    if np.geterr() != usual or np.geterrcall() is not None:
        return "numpy.seterr"
    if np.getbufsize() != 8192:
        return "numpy.setbufsize"
    if {kind: how for kind, how in scipy.special.geterr().items() if how != "ignore"} != {"memory": "raise"}:
        return "scipy.special.seterr"
    return ""


def unusual_decimals() -> bool:
    """Whether the precision, rounding or traps of decimal arithmetic are not the defaults."""
    usual = decimal.Context(28, decimal.ROUND_HALF_EVEN, -999999, 999999, 1, 0)
    traps = {decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow}
    context = decimal.getcontext()
    settings = [
        (one.prec, one.rounding, one.Emin, one.Emax, one.capitals, one.clamp) for one in (context, usual)
    ]
    return settings[0] != settings[1] or {kind for kind, on in context.traps.items() if on} != traps
