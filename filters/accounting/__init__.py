"""The accounting: exact running sums of charges, never rounded in favour of a request.

`Budget` holds the sums and decides; `LinearCharge`, `SquaredCharge` and `PerRunCharge` are charges; the rules, called
like functions, are what this package's filters charge for a mechanism. Whoever writes a filter adds with these, and not
in floats of his own.
"""
