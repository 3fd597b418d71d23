"""ExponentialMechanism takes exp of scores as they are: it fails where all are below -745, or one above 710."""

from types import SimpleNamespace

from pipeline_dp.dp_computations import ExponentialMechanism

score = SimpleNamespace(score=float, global_sensitivity=1.0, is_monotonic=True)
told = []
for candidates in ([-1001, -1000], [1000, 1001]):
    try:
        told.append(str(ExponentialMechanism(score).apply(1.0, candidates)))
    except ValueError as error:
        told.append(f"ValueError: {error}")
print(f"expected: a candidate each time, as for the scores -1 and 0\ngot: {told}")
raise SystemExit(0 if told == ["ValueError: Probabilities contain NaN"] * 2 else 1)
