from types import SimpleNamespace

import dp_accounting as dp

# what a stored event may have been changed into: any class of any module is called
fields = ("module_name", "class_name", "numerator")
stored = SimpleNamespace(_fields=fields, module_name="fractions", class_name="Fraction", numerator=7)
try:
    got = repr(dp.DpEvent.from_named_tuple(stored))
except (TypeError, ValueError) as error:
    got = f"{type(error).__name__}: {error}"
print("expected: an error, since the class is not a DpEvent")
print(f"got: {got}")
raise SystemExit(0 if got == "Fraction(7, 1)" else 1)
